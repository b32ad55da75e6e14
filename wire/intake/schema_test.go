package intake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

func compile(t *testing.T, text string) *intake.Schema {
	t.Helper()
	s, err := intake.CompileSchema([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// TestDataIsJudged has a schema of one member x, and values that conform to it and that do not,
// with the keyword that says so.
func TestDataIsJudged(t *testing.T) {
	t.Parallel()
	for schema, values := range map[string][]struct{ value, keyword string }{
		`{"type":"string","enum":["a","b"]}`:                         {{`"a"`, ""}, {`"c"`, "enum"}, {`1`, "type"}, {`null`, "type"}},
		`{"type":"integer","minimum":1,"maximum":3}`:                 {{`1`, ""}, {`3.0`, ""}, {`3e0`, ""}, {`0`, "minimum"}, {`4`, "maximum"}, {`1.5`, "type"}, {`"1"`, "type"}},
		`{"type":"number","exclusiveMinimum":0,"multipleOf":0.01}`:   {{`19.99`, ""}, {`0`, "exclusiveMinimum"}, {`0.001`, "multipleOf"}},
		`{"type":"string","minLength":2,"maxLength":3}`:              {{`"éé"`, ""}, {`"é"`, "minLength"}, {`"abcd"`, "maxLength"}},
		`{"type":"string","pattern":"^[a-z]+$"}`:                     {{`"abc"`, ""}, {`"abc1"`, "pattern"}, {`"abc\n"`, "pattern"}},
		`{"type":"string","pattern":"^\\u00e4\\u{f6}\\/\\-$"}`:       {{`"äö/-"`, ""}, {`"ao/-"`, "pattern"}},
		`{"type":"string","format":"email"}`:                         {{`"a@example.com"`, ""}, {`"a"`, "format"}},
		`{"type":"string","format":"date"}`:                          {{`"2026-11-22"`, ""}, {`"2026-02-30"`, "format"}},
		`{"type":"string","format":"date-time"}`:                     {{`"2026-11-22T10:00:00Z"`, ""}, {`"2026-11-22"`, "format"}},
		`{"type":"string","format":"uri"}`:                           {{`"https://example.com/"`, ""}, {`"/a"`, "format"}},
		`{"type":"string","format":"regex"}`:                         {{`"a+"`, ""}, {`"("`, "format"}, {`"(?=a)"`, "format"}},
		`{"type":"array","items":{"enum":["a","b"]},"minItems":1}`:   {{`["a","b"]`, ""}, {`["a","c"]`, "enum"}, {`[]`, "minItems"}},
		`{"type":"array","uniqueItems":true}`:                        {{`["a","b",1,[1],{"a":1}]`, ""}, {`["a","a"]`, "uniqueItems"}, {`[1,1.0]`, "uniqueItems"}, {`[{"a":1,"b":2},{"b":2,"a":1}]`, "uniqueItems"}, {`["1",1]`, ""}, {`[["a","b"],["a,b"]]`, ""}},
		`{"type":"object","required":["a"],"properties":{"a":true}}`: {{`{"a":null}`, ""}, {`{}`, "required"}},
		`{"type":"object","additionalProperties":false}`:             {{`{}`, ""}, {`{"a":1}`, "additionalProperties"}},
		`{"anyOf":[{"type":"string"},{"type":"integer"}]}`:           {{`"a"`, ""}, {`1`, ""}, {`[]`, "anyOf"}},
		`{"oneOf":[{"type":"integer"},{"minimum":5}]}`:               {{`1`, ""}, {`7`, "oneOf"}},
		`{"not":{"const":1}}`:                                        {{`2`, ""}, {`1`, "not"}, {`1.0`, "not"}},
		`{"if":{"const":1},"then":false}`:                            {{`2`, ""}, {`1`, "then"}},
		`{"type":"array","contains":{"const":"a"}}`:                  {{`["b","a"]`, ""}, {`["b"]`, "contains"}, {`[]`, "contains"}},
		`{"type":"boolean"}`:                                         {{`false`, ""}, {`0`, "type"}},
		`{"$ref":"#/$defs/a"}`:                                       {{`1`, ""}, {`2`, "const"}},
		`{"$ref":"#here"}`:                                           {{`1`, ""}, {`2`, "const"}},
	} {
		s := compile(t, `{"type":"object","properties":{"x":`+schema+`},"$defs":{"a":{"$anchor":"here","const":1}}}`)
		for _, v := range values {
			found := s.Validate(strictjson.Value(`{"x":` + v.value + `}`))
			switch {
			case v.keyword == "" && len(found) > 0:
				t.Errorf("%s takes no %s: %v", schema, v.value, found)
			case v.keyword != "" && (len(found) == 0 || !slices.ContainsFunc(found, func(f intake.Violation) bool {
				return (f.Keyword == v.keyword || v.keyword == "then") && strings.HasPrefix(f.Pointer, "/x") &&
					f.Detail != ""
			})):
				t.Errorf("%s, %s: %+v", schema, v.value, found)
			}
		}
	}
}

func TestWhatIsNoObjectDoesNotConform(t *testing.T) {
	t.Parallel()
	s := compile(t, schema)
	for _, data := range []string{`[]`, `"x"`, `null`, `{`, ``, `{"age":"30-39","age":"30-39"}`, `{"age":1e400}`} {
		if found := s.Validate(strictjson.Value(data)); len(found) == 0 {
			t.Errorf("%s conforms", data)
		}
	}
}

// TestSchemasThatAreRefused names each with a word of what is said.
func TestSchemasThatAreRefused(t *testing.T) {
	t.Parallel()
	doubling := `"a0":{"type":"string"}`
	for i := range 25 {
		doubling += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	row := `"a0":true`
	for i := range 70 {
		row += fmt.Sprintf(`,"a%d":{"$ref":"#/$defs/a%d"}`, i+1, i)
	}
	large := `"a":true`
	for i := range 60 {
		large += fmt.Sprintf(`,"p%d":{"pattern":"[a-z]{%d}"}`, i, 900+i)
	}
	deep := strings.Repeat(`{"properties":{"x":`, 40) + "true" + strings.Repeat("}}", 40)
	for text, word := range map[string]string{
		``:                                  "empty",
		`[]`:                                "no object",
		`true`:                              "no object",
		`{}`:                                `"type": "object"`,
		`{"type":"string"}`:                 `"type": "object"`,
		`{"type":["object","null"]}`:        `"type": "object"`,
		`{"type":"object","type":"object"}`: "twice",
		`{"type":"object","minimum":1e999}`: "range",
		`{"type":"object","required":"a"}`:  "/required",
		`{"type":"object","properties":[]}`: "/properties",
		`{"type":"object","properties":{"a":{"type":"text"}}}`:                                                   "/properties/a/type",
		`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`:                                  "another version",
		`{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`:                             "/properties/a/$ref",
		`{"type":"object","$defs":{"a":{"$ref":"other.json"}}}`:                                                  "/$defs/a/$ref",
		`{"type":"object","properties":{"a":{"$ref":"` + "https://json-schema.org/draft/2020-12/schema" + `"}}}`: "leads out",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`:                                           "none",
		`{"type":"object","properties":{"a":{"$id":"https://example.com/a"}}}`:                                   "/properties/a/$id",
		`{"type":"object","properties":{"a":{"$dynamicRef":"#a"}}}`:                                              "$dynamicRef",
		`{"type":"object","$ref":"#"}`:                                                                           "back to itself",
		`{"type":"object","allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`:                "back to itself",
		`{"type":"object","properties":{"a":{"pattern":"^(?=a)"}}}`:                                              "/properties/a/pattern: the pattern looks ahead",
		`{"type":"object","properties":{"a":{"pattern":"^(?!a)b"}}}`:                                             "looks ahead",
		`{"type":"object","properties":{"a":{"pattern":"(?<=a)b"}}}`:                                             "looks behind",
		`{"type":"object","properties":{"a":{"pattern":"(?<!a)b"}}}`:                                             "looks behind",
		`{"type":"object","properties":{"a":{"pattern":"(a)\\1"}}}`:                                              "refers back",
		`{"type":"object","properties":{"a":{"pattern":"(?i)a"}}}`:                                               "flags",
		`{"type":"object","properties":{"a":{"pattern":"\\Aa"}}}`:                                                `\A`,
		`{"type":"object","properties":{"a":{"pattern":"[[:alpha:]]"}}}`:                                         "[[",
		`{"type":"object","properties":{"a":{"pattern":"[^]"}}}`:                                                 "empty class",
		`{"type":"object","properties":{"a":{"pattern":"\\pL"}}}`:                                                "braces",
		`{"type":"object","properties":{"a":{"pattern":"a("}}}`:                                                  "cannot be read",
		`{"type":"object","properties":{"a":{"pattern":"(a{1,30}){1,1000}"}}}`:                                   "repeats",
		`{"type":"object","properties":{"a":{"pattern":"((a{1,100}){1,100}){1,100}"}}}`:                          "repeats",
		`{"type":"object","properties":{` + large + `}}`:                                                         "together",
		`{"type":"object","patternProperties":{"(?=a)":true}}`:                                                   "/patternProperties/(?=a)",
		`{"type":"object","properties":{"a":{"pattern":"` + strings.Repeat("a", 3000) + `"}}}`:                   "2000",
		`{"type":"object","description":"` + strings.Repeat("a", 129<<10) + `"}`:                                 "bytes",
		`{"type":"object","anyOf":[true` + strings.Repeat(`,{"not":true}`, 2500) + `]}`:                          "subschemas",
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/a25"}},"$defs":{` + doubling + `}}`:                 "multiply",
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/a70"}},"$defs":{` + row + `}}`:                      "in a row",
		// Twice at each level of the data: 2^60 at the deepest.
		`{"type":"object","$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"properties":{"x":{"$ref":"#/$defs/n"}}},{"properties":{"x":{"$ref":"#/$defs/n"}}}]}}}`: "multiply",
		`{"type":"object","patternProperties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`:                                                                          "multiply",
		`{"type":"object","properties":{"x":` + deep +
			`}}`: "deeper than 64",
	} {
		began := time.Now()
		_, err := intake.CompileSchema([]byte(text))
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%.200s: %v, and %q should be said", text, err, word)
		}
		if strings.Contains(fmt.Sprint(err), "urn:") || strings.Contains(fmt.Sprint(err), "jsonschema") {
			t.Errorf("%.200s: %v", text, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%.200s took %s", text, took)
		}
	}
}

// TestHostileDataIsCapped judges data of 64 KiB by schemas that make validators slow. The bound is
// generous, and far below what they would take: seconds to ages.
func TestHostileDataIsCapped(t *testing.T) {
	t.Parallel()
	numbers := "[" + strings.Repeat("1,", 30000) + "1]"
	distinct := make([]string, 9000)
	for i := range distinct {
		distinct[i] = fmt.Sprint(i + 10000)
	}
	var sameHash []string // for a validator that hashes what texts have, one after another
	for i := range 30 {
		for j := range 30 {
			sameHash = append(sameHash, `["`+strings.Repeat(`\u0004`, i)+`","`+strings.Repeat(`\u0004`, j)+`","`+strings.Repeat(`\u0004`, 60-i-j)+`"]`)
		}
	}
	many := strings.Repeat(`"a",`, 400)
	for name, c := range map[string]struct{ schema, data string }{
		"unique":               {`{"type":"array","uniqueItems":true}`, "[" + strings.Join(distinct, ",") + "]"},
		"unique, same hash":    {`{"type":"array","uniqueItems":true}`, "[" + strings.Join(sameHash, ",") + "]"},
		"unique at each level": {`{"type":"array","uniqueItems":true,"items":{"$ref":"#/properties/x"}}`, strings.Repeat("[", 60) + numbers[:60000] + "1]" + strings.Repeat("]", 60)},
		"enum":                 {`{"type":"array","items":{"enum":[` + strings.Repeat("12345.678,", 5000) + `1]}}`, numbers},
		"all at once":          {`{"type":"array","items":{"allOf":[true` + strings.Repeat(`,{"not":{"type":"object"}}`, 900) + `]}}`, numbers},
		"errors":               {`{"type":"array","items":{"type":"string"}}`, numbers},
		"contains":             {`{"type":"array","contains":{"const":2},"minContains":3}`, numbers},
		"pattern":              {`{"type":"string","pattern":"(x+x+)+y"}`, `"` + strings.Repeat("x", 65000) + `"`},
		"long program":         {`{"type":"string","pattern":"(?:x?){900}x{900}$"}`, `"` + strings.Repeat("x", 65000) + `"`},
		"regex":                {`{"type":"string","format":"regex"}`, `"` + strings.Repeat("(", 32000) + strings.Repeat(")", 32000) + `"`},
		"names":                {`{"type":"object","patternProperties":{"(?:x?){500}y$":{"enum":[` + many + `1]}}}`, `{"` + strings.Repeat("x", 60000) + `":1}`},
		"alternatives":         {`{"type":"array","items":{"oneOf":[false` + strings.Repeat(`,{"required":["a"]}`, 800) + `]}}`, "[" + strings.Repeat("{},", 20000) + "{}]"},
		"deep":                 {`{"items":{"$ref":"#/properties/x"}}`, strings.Repeat("[", 62) + strings.Repeat("]", 62)},
		"too deep":             {`true`, strings.Repeat("[", 65000)},
	} {
		s, err := intake.CompileSchema([]byte(`{"type":"object","properties":{"x":` + c.schema + `}}`))
		if err != nil {
			t.Logf("%s: refused: %v", name, err)
			continue
		}
		data := strictjson.Value(`{"x":` + c.data + `}`)
		began := time.Now()
		found := s.Validate(data)
		took := time.Since(began)
		if len(found) == 0 {
			s.Declared(data)
		}
		t.Logf("%s: %s and %s, %d found, %v", name, took, time.Since(began)-took, len(found),
			found[:min(1, len(found))])
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		if len(found) > 20 {
			t.Errorf("%s: %d violations are told", name, len(found))
		}
	}
}

func TestViolationsNameAndShowNothing(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","required":["age","größe"],"additionalProperties":false,"properties":{"age":{"enum":["30-39","40-49"]},
"größe":{"type":"integer","minimum":1.5},"map":{"additionalProperties":{"type":"integer"}},"long":{"enum":["`+strings.Repeat("x", 500)+`"]},"of":{"enum":[200,"a",null,true]}}}`)
	for data, want := range map[string]string{
		`{}`:                      `[lacks the required "age", "größe"]`,
		`{"age":"x","größe":"y"}`: `[/age is none of the values it may have: "30-39", "40-49" /größe is a string, and must be an integer]`,
		`{"age":"30-39","größe":1,"jane@example.com":1,"E-Mail":2}`: `[has members that it may not have: "E-Mail" /größe must be at least 1.5]`,
		`{"age":"30-39","größe":2,"map":{"jane@example.com":"x"}}`:  `[/map is a string, and must be an integer]`,
		`{"age":"30-39","größe":2,"long":"jane"}`:                   `[/long is none of the values it may have]`,
		`{"age":"30-39","größe":2,"of":3}`:                          `[/of is none of the values it may have: 200, "a", null, true]`,
	} {
		if got := fmt.Sprint(s.Validate(strictjson.Value(data))); got != want {
			t.Errorf("%s: %s", data, got)
		}
	}
}

func TestWhatIsDeclared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, data, kept, undeclared string }{
		{`"properties":{"a":{},"b":{}}`, `{"b": 1.50, "a":2}`, `{"b": 1.50, "a":2}`, ``},
		{`"properties":{"a":{},"b":{}}`, `{"b":1.50,"email":"x","a":2}`, `{"a":2,"b":1.50}`, `/email`},
		{`"properties":{"a":{"properties":{"b":{}}}}`, `{"a":{"b":1,"c/d":2},"e":3}`, `{"a":{"b":1}}`, `/a/c~1d /e`},
		{`"properties":{"a":{"type":"object"}}`, `{"a":{"b":{"c":1}}}`, `{"a":{"b":{"c":1}}}`, `/a/b /a/b/c`},
		{`"properties":{"a":{"items":{"properties":{"b":{}}}}}`, `{"a":[{"b":1},{"c":1},2]}`, `{"a":[{"b":1},{},2]}`, `/a/1/c`},
		{`"properties":{"a":{"prefixItems":[{"properties":{"b":{}}}],"items":{"properties":{"c":{}}}}}`, `{"a":[{"b":1,"c":1},{"b":1,"c":1}]}`, `{"a":[{"b":1},{"c":1}]}`, `/a/0/c /a/1/b`},
		{`"properties":{"a":{}},"additionalProperties":true`, `{"a":1,"b":1}`, `{"a":1}`, `/b`},
		{`"properties":{"a":{}}`, `{"a":1,"b":{"c":[{"d":1}]}}`, `{"a":1}`, `/b /b/c /b/c/0/d`},
		{`"properties":{"a":{}},"additionalProperties":{"type":"integer"}`, `{"a":1,"b":1}`, `{"a":1,"b":1}`, ``},
		{`"patternProperties":{"^x_":{"properties":{"a":{}}}}`, `{"x_1":{"a":1,"b":2},"y":1}`, `{"x_1":{"a":1}}`, `/x_1/b /y`},
		{`"properties":{"a":{}},"anyOf":[{"properties":{"b":{}}},{"$ref":"#/$defs/c"}],"$defs":{"c":{"properties":{"c":{}}}}`, `{"a":1,"b":1,"c":1,"d":1}`, `{"a":1,"b":1,"c":1}`, `/d`},
		{`"properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"}}}}`, `{"n":{"n":{"n":{},"x":1}}}`, `{"n":{"n":{"n":{}}}}`, `/n/n/x`},
		{`"unevaluatedProperties":{"type":"integer"},"properties":{"a":{}}`, `{"a":1,"b":1}`, `{"a":1,"b":1}`, ``},
		{`"unevaluatedProperties":false,"properties":{"a":{}}`, `{"a":1}`, `{"a":1}`, ``},
		{`"description":"anything"`, `{"a":1}`, `{"a":1}`, `/a`},
	} {
		s := compile(t, `{"type":"object",`+c.schema+`}`)
		kept, undeclared := s.Declared(strictjson.Value(c.data))
		var places []string
		for _, u := range undeclared {
			places = append(places, u.Pointer)
		}
		if string(kept) != c.kept || strings.Join(places, " ") != c.undeclared {
			t.Errorf("%s, %s: %s, %q", c.schema, c.data, kept, undeclared)
		}
	}
}

func TestWhatIsWithheld(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"band":{"type":["string","null"],"enum":["a","b",null]},"n":{"type":"integer"},"any":{},"ref":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string","maxLength":3}}}`)
	for data, want := range map[string]string{
		`{"name":"x","band":"[redacted]","ref":"[redacted]"}`: `{"name":"x"} [band ref]`,
		`{"name":"[redacted]"}`:                               `{"name":"[redacted]"} []`,
		`{"name":"x","n":"[redacted]"}`:                       `{"name":"x","n":"[redacted]"} []`,
		`{"name":"x","any":"[redacted]"}`:                     `{"name":"x","any":"[redacted]"} []`,
		`{"name":"x","other":"[redacted]"}`:                   `{"name":"x","other":"[redacted]"} []`,
		`{"name":"x","band":"a","ref":"red"}`:                 `{"name":"x","band":"a","ref":"red"} []`,
		`{"name":"x","band":"\u005bredacted]"}`:               `{"name":"x"} [band]`,
	} {
		told, withheld := s.Withheld(strictjson.Value(data))
		if got := fmt.Sprint(string(told), " ", withheld); got != want {
			t.Errorf("%s: %s", data, got)
		}
	}
}

func TestTheHashIsOfTheSchemaNotOfItsText(t *testing.T) {
	t.Parallel()
	a, b, c := compile(t, `{"type":"object","maxProperties":3.0}`), compile(t, `{ "maxProperties":3, "type":"object" }`), compile(t, `{"type":"object","maxProperties":4}`)
	if a.Hash() != b.Hash() || a.Hash() == c.Hash() || len(a.Hash()) != 64 {
		t.Errorf("%s, %s, %s", a.Hash(), b.Hash(), c.Hash())
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(schema), []byte(`{"age":"30-39"}`))
	f.Add([]byte(`{"type":"object","patternProperties":{"a":{"$ref":"#"}},"uniqueItems":true}`), []byte(`{"a":{"a":[1,1]}}`))
	f.Add([]byte(`{"type":"object","properties":{"x":{"pattern":"[a\\]\\u00e4]+","format":"regex"}}}`), []byte(`{"x":"ä"}`))
	f.Fuzz(func(t *testing.T, schema, data []byte) {
		s, err := intake.CompileSchema(schema)
		if err != nil {
			if err.Error() == "" {
				t.Error("a schema is refused without a word")
			}
			return
		}
		before := strings.Clone(string(data))
		if found := s.Validate(data); len(found) > 0 {
			return
		}
		kept, undeclared := s.Declared(data)
		if string(data) != before {
			t.Error("the data was changed")
		}
		if again, more := s.Declared(kept); string(again) != string(kept) || len(more) > len(undeclared) {
			t.Errorf("what was kept of %s is not all declared: %s, %s, %q", data, kept, again, more)
		}
	})
}
