package sign_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

func TestCanonicalWritesTheOneForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{ "b" : 1.0 , "a" : [ true , null , false ] }`: `{"a":[true,null,false],"b":1}`,
		// by UTF-16 units
		`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"😀":5,"\u0080":6,"ö":7}`: "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		`"\u000F\u000aA'\u0042\u0022\u005c\\\"\/€"`:                   "\"\\u000f\\nA'B\\\"\\\\\\\\\\\"/€\"",
		`-0`:                     `0`,
		`-0.0`:                   `0`,
		`1e21`:                   `1e+21`,
		`1E20`:                   `100000000000000000000`,
		`0.000001`:               `0.000001`,
		`0.0000001`:              `1e-7`,
		`333333333.33333329`:     `333333333.3333333`,
		`9007199254740993`:       `9007199254740992`, // as RFC 8785 has it: numbers are doubles
		`1e-400`:                 `0`,
		` "x" `:                  `"x"`,
		`1.7976931348623157e308`: `1.7976931348623157e+308`,
	} {
		got, err := sign.Canonical([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("Canonical(%s) = %q, %v; want %q", text, got, err, want)
		}
	}
}

// The samples of RFC 8785, Appendix B: a double's bits and how it is written.
func TestCanonicalWritesDoublesAsTheStandardDoes(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0",
		0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308", 0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334", 0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		text := strconv.FormatFloat(math.Float64frombits(bits), 'e', 17, 64)
		got, err := sign.Canonical([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("Canonical(%s) = %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestCanonicalRefusesWhatCanBeReadInTwoWays(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", strictjson.MaxDepth+1) + strings.Repeat("]", strictjson.MaxDepth+1)
	for text, pointer := range map[string]string{
		`{"a":1,"a":1}`:         "/a",
		`{"a":{"b":[0,1e400]}}`: "/a/b/1",
		`-1e309`:                "",
		"\"\xff\"":              "",
		`"\ud800"`:              "",
		`{} {}`:                 "",
		``:                      "",
		`{"a":01}`:              "/a",
		`nul`:                   "",
		deep:                    "",
	} {
		got, err := sign.Canonical([]byte(text))
		var wrong *strictjson.Error
		if !errors.As(err, &wrong) {
			t.Errorf("Canonical(%s) = %s, %v; want an error", text, got, err)
		} else if wrong.Pointer != pointer {
			t.Errorf("Canonical(%s) blames %q (%v); want %q", text, wrong.Pointer, err, pointer)
		}
	}
	if _, err := sign.Canonical([]byte(deep[1 : len(deep)-1])); err != nil {
		t.Errorf("one level less is refused: %v", err)
	}
}

func TestCanonicalLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	text := []byte(`{"b":1,"a":2}`)
	if _, err := sign.Canonical(text); err != nil || string(text) != `{"b":1,"a":2}` {
		t.Errorf("the input became %s (%v)", text, err)
	}
}

func TestSameComparesValuesNotBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":"é"}`, "{ \"b\":\"\\u00e9\",\n\"a\":1.0}", true},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":1,"a":1}`, `{"a":1,"a":1}`, false},
	} {
		if got := sign.Same([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("Same(%s, %s) = %v", c.a, c.b, got)
		}
	}
}
