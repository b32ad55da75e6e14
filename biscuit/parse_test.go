package biscuit

import (
	"errors"
	"strings"
	"testing"
)

// TestDatalogReadsAsItPrints holds the spelling of every form, with its spaces, comments and
// parentheses.
func TestDatalogReadsAsItPrints(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`user("a")`: `user("a")`,
		"/* a */ user ( \"a\" ,\t1 ) ; // b\n\r user(2);": `user("a", 1); user(2)`,
		`a("\"\\\n\u{1b}é")`:                              `a("\"\\\n\u{1b}é")`,
		"a(\"\t\")":                                       `a("\u{9}")`,
		`a(hex:00FF, 2030-01-01T01:00:00+01:00)`:          `a(hex:00ff, 2030-01-01T00:00:00Z)`,
		`a({2, 1, 2}, {,}, {}, [], [1, [null]])`:          `a({1, 2}, {,}, {}, [], [1, [null]])`,
		`a({"b": 1, 2: true, "b": 3})`:                    `a({2: true, "b": 3})`,
		`a($x) <- b($x, $_)`:                              `a($x) <- b($x, $_)`,
		`check if 1+2*3<4|5^6&7`:                          `check if 1 + 2 * 3 < 4 | 5 ^ 6 & 7`,
		`check if (1+2)*3 > 0`:                            `check if (1 + 2) * 3 > 0`,
		`check if 1 - -1 - 2 > 0`:                         `check if 1 - -1 - 2 > 0`,
		`check if !!true && !(false||true)`:               `check if !!true && !(false || true)`,
		`check if true||false&&true`:                      `check if true || false && true`,
		`check if {1}.any($x->$x>0).type()==="x"`:         `check if {1}.any($x -> $x > 0).type() === "x"`,
		`check if "a".contains("b").try_or(1 < 2)`:        `check if "a".contains("b").try_or(1 < 2)`,
		`check if a($x),$x.length()>1 or b(1) trusting authority,previous or c(1)`: `check if a($x), $x.length() > 1 or b(1) trusting authority, previous or c(1)`,
		`check all a($x), $x!==1; reject if a(1)`:                                  `check all a($x), $x !== 1; reject if a(1)`,
		`trusting previous; a(1)`:                                                  `trusting previous; a(1)`,
		`allow if true; deny if user("b") or false`:                                `allow if true; deny if user("b") or false`,
		`check if 1 > 0, a(1)`:                                                     `check if a(1), 1 > 0`,
		`check if [1].get(0) == {"a": 1}.get("a")`:                                 `check if [1].get(0) == {"a": 1}.get("a")`,
		`check if (2030-01-01T00:00:00Z).type() == "date"`:                         `check if (2030-01-01T00:00:00Z).type() == "date"`,
		``: ``,
	} {
		got := strings.TrimSuffix(strings.ReplaceAll(source(t, code).String(), ";\n", "; "), "; ")
		if got != want {
			t.Errorf("%s\nprints %s\nwant   %s", code, got, want)
		}
	}
}

// TestWhatIsNoDatalogIsRefused holds that every mistake is told, and where it is.
func TestWhatIsNoDatalogIsRefused(t *testing.T) {
	t.Parallel()
	for code, says := range map[string]string{
		`user`:                                 "line 1, column 1: there should be a fact",
		"a(1);\n  b(":                          "line 2, column 5: there should be a value",
		`a(1) b(2)`:                            "column 6: there should be ; after a statement",
		`a(1`:                                  "there should be ) after the terms",
		`a()`:                                  "there should be a value",
		`a(1,)`:                                "there should be a value",
		`a($x)`:                                "a fact has no variables",
		`a($)`:                                 "a variable has a name",
		`a($x) <- b($y)`:                       "does not bind",
		`check if $x`:                          "nothing binds",
		`check if a($x), $x.any($x -> true)`:   "hides another variable",
		`check if {1}.any(true)`:               "take a closure",
		`check if {1}.any($x -> )`:             "there should be a value",
		`check if 1 < 2 < 3`:                   "there should be ; after a statement",
		`check if 1 == 1 == true`:              "there should be ; after a statement",
		`check if (1 < 2`:                      "there should be ) after an expression",
		`check if 1.foo()`:                     "no such operation",
		`check if 1.extern::f(2)`:              "functions of the host",
		`check if 1.length`:                    "there should be ( after the name",
		`check if 1.length(2)`:                 "there should be ) after the argument",
		`check if`:                             "there should be a value",
		`check a(1)`:                           "there should be a fact",
		`a("b`:                                 "a string has no end",
		`a("\t")`:                              "a backslash stands before",
		`a("\u{110000}")`:                      "a backslash stands before",
		`a("\u{}")`:                            "a backslash stands before",
		`a(hex:0)`:                             "bytes are written hex:",
		`a(1e5)`:                               "there should be ) after the terms",
		`a(9223372036854775808)`:               "an integer of 64 bits",
		`a(1969-12-31T23:59:59Z)`:              "is not before 1970",
		`a(2030-02-30T00:00:00Z)`:              "a date is written",
		`a({1, "x"})`:                          "of one type",
		`a({[1]})`:                             "no sets, arrays or maps",
		`a({1, 2`:                              "there should be } after the elements",
		`a({,`:                                 "there should be } after the comma",
		`a({[1]: 1})`:                          "keys of a map",
		`a({1: 2, [1]: 1})`:                    "keys of a map",
		`a({1: })`:                             "there should be a value",
		`a({1: 2, 3})`:                         "there should be : after the key",
		`a([1`:                                 "there should be ] after the elements",
		`a($x) <- b($x), c([$x])`:              "no variables in arrays",
		`a($x) <- b($x), c({1: $x})`:           "no variables in arrays",
		`check if true trusting`:               "a key is written",
		`check if true trusting me`:            "a key is written",
		`check if true trusting ed25519/00`:    "32 bytes",
		`trusting authority a(1)`:              "there should be ; after what the block trusts",
		strings.Repeat("a(1);", 1001):          "more than 1000 statements",
		`a(` + strings.Repeat("1,", 40) + `1)`: "at most 32 terms",
		`a(` + strings.Repeat("[", 100) + `1` + strings.Repeat("]", 100) + `)`:       "nested at most",
		`a(` + strings.Repeat("{1:", 100) + `1` + strings.Repeat("}", 100) + `)`:     "nested at most",
		`check if ` + strings.Repeat("(", 1000) + `true` + strings.Repeat(")", 1000): "deep",
		`check if ` + strings.Repeat("!", 10000) + `true`:                            "deep",
		`check if 1` + strings.Repeat(" + 1", 100) + ` > 0`:                          "nested more than",
		`a([` + strings.Repeat("1,", 5000) + `1])`:                                   "at most 4096 values",
		"a(\"\xff\")":                  "no UTF-8",
		strings.Repeat(" ", MaxSize+1): "larger than",
	} {
		if s, err := ParseSource(code); !errors.Is(err, ErrDatalog) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v, %v; want %s", code, s, err, says)
		}
	}
}

// TestNamesThatAreNoneAreShownAsSuch holds that a token cannot be shown as saying what it does not
// say.
func TestNamesThatAreNoneAreShownAsSuch(t *testing.T) {
	t.Parallel()
	f := newForger()
	token, err :=
		Parse(f.token(message(version(3), str(1, "a(1); scope"), sub(4, sub(1, num(1, 1024), sub(2, num(3, 1024)))))).
			Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := token.Blocks()[0].Code; got != "<\"a(1); scope\">(\"a(1); scope\");\n" {
		t.Errorf("%s", got)
	}
	date, err := Parse(f.token(message(version(3), factOf(num(4, 1<<63)))).Bytes())
	if err != nil || date.Blocks()[0].Code != "resource(<date 9223372036854775808>);\n" {
		t.Errorf("%v, %v", date, err)
	}
}
