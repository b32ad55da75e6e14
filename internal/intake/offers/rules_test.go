package offers

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/strictjson"
)

// person is a schema with members of every kind, some of them optional.
const person = `{"type": "object", "required": ["age", "weight_kg", "height_m", "plan", "tags", "address"], "properties": {
	"age": {"type": "integer"}, "weight_kg": {"type": "number"}, "height_m": {"type": "number"}, "plan": {"enum": ["basic", "pro"]},
	"tags": {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 10},
	"address": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string", "maxLength": 40}, "zip": {"type": "string", "maxLength": 10}}},
	"note": {"type": "string", "maxLength": 100}, "essay": {"type": "string"}, "vip": {"type": "boolean"}, "either": {"type": ["integer", "null"]},
	"rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}, "extra": {"type": "object"}},
	"$defs": {"row": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}, "m": {"type": "integer"}}}}}`

const anna = `{"age": 30, "weight_kg": 90.5, "height_m": 1.8, "plan": "pro", "tags": ["a", "b"], "address": {"city": "Tidewater"}}`

// one is rules with one offer of a text.
func one(summary string) Rules { return Rules{Offers: []Offer{{Summary: summary}}} }

func offered(t *testing.T, r Rules, data string) Outcome {
	t.Helper()
	o, err := follow(t, r, data)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func follow(t *testing.T, r Rules, data string) (Outcome, error) {
	t.Helper()
	e, err := NewRules(r, strictjson.Value(person))
	if err != nil {
		t.Fatal(err)
	}
	return e.Offer(t.Context(),
		Request{ID: "q1", Intake: "persons", Data: strictjson.Value(data), Now: noon, Locale: "en-US",
			Timezone: "Europe/Berlin"})
}

func TestTextsAreWrittenWithWhatWasSubmitted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"Plain.", "Plain."},
		{"You are {data.age}.", "You are 30."},
		{"{data.weight_kg} kg", "90.5 kg"},
		{"{{data.age}} is {data.age}", "{data.age} is 30"},
		{"{round(data.weight_kg / (data.height_m * data.height_m), 1)}", "27.9"},
		{"{round(2.5)} {round(-2.5)} {round(0.125, 2)} {round(1.005e300, 2) > 1.0} {floor(-0.5)} {ceil(0.2)}",
			"3 -3 0.13 true -1 1"},
		{"{round(data.weight_kg - 90.5, 1)}", "0"},
		{"{-0.0}", "0"},
		{"{1e20} {1e21} {0.1 + 0.2}", "100000000000000000000 1e+21 0.30000000000000004"},
		{"{min(data.age, 18)} {max(data.age, 40)} {min(1.5, data.height_m)}", "18 40 1.5"},
		{"{money(12.345, 'EUR')} {money(12, 'USD')} {money(1234.5, 'JPY')} {money(-0.001, 'EUR')}",
			"12.35 EUR 12.00 USD 1235 JPY 0.00 EUR"},
		{"{date(now + days(14))}", "2027-05-18"},
		{"{now.getHours(timezone)}", "14"},
		{"{lower('ÄB')}{upper('äb')}", "äbÄB"},
		{"{join(data.tags, ', ')}", "a, b"},
		{"{join(data.tags.map(x, upper(x)), '+')}", "A+B"},
		{"{size(data.tags)} {data.tags.exists(x, x == 'b')} {'c' in data.tags}", "2 true false"},
		{"{has(data.note) ? data.note : 'none'}", "none"},
		{"{data.?note.orValue('none')}", "none"},
		{"{data.address.?zip.orValue('-')} {data.address.city}", "- Tidewater"},
		{`{"}"}{'{'}{'it\'s'}{r"\"}{"""a"}"""}`, `}{it's\a"}`},
		{"{{'a': 1}['a']}", "{'a': 1}['a']}"}, // two braces are one
		{"{ {'a': 1}['a'] }", "1"},
		{"{locale} {agent.platform}{agent.id}", "en-US "},
		{"{data.age > 17.5}", "true"}, // whole numbers and others compare
		{"{string(data.age) + '!'}", "30!"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if o := offered(t, one(c.text), anna); o.Summary != c.want {
				t.Errorf("%q, want %q", o.Summary, c.want)
			}
		})
	}
}

func TestDetailsKeepTheirTypes(t *testing.T) {
	t.Parallel()
	r := one("Yes.")
	r.Tables = `{"rate": {"basic": 12, "pro": 29.5}, "seats": {"basic": 1, "pro": 5}, "plan": {"basic": {"name": "B", "n": 1}, "pro": {"name": "P", "n": 2}}}`
	r.Let = `{"bmi": "data.weight_kg / (data.height_m * data.height_m)", "heavy": "bmi > 25.0", "limit": 3, "names": "data.tags.map(t, t + '!')"}`
	for _, c := range []struct{ details, want string }{
		{`{"n": 1.50, "t": true, "z": null, "s": "x", "e": "", "l": [], "o": {}}`, `{"n":1.50,"t":true,"z":null,"s":"x","e":"","l":[],"o":{}}`},
		{`{"age": "{data.age}", "text": "{data.age}!", "bmi": "{round(bmi, 1)}", "heavy": "{heavy}", "limit": "{limit}"}`, `{"age":30,"text":"30!","bmi":27.9,"heavy":true,"limit":3}`},
		{`{"price": "{tables.rate[data.plan]}", "seats": "{tables.seats[data.plan] * 2}", "name": "{tables.plan[data.plan].name}", "basic": "{tables.rate.basic}"}`,
			`{"price":29.5,"seats":10,"name":"P","basic":12}`},
		{`{"tags": "{data.tags}", "names": "{names}", "address": "{data.address}", "made": "{ {'a': [1, 2.5], 'b': {}} }"}`,
			`{"tags":["a","b"],"names":["a!","b!"],"address":{"city":"Tidewater"},"made":{"a":[1,2.5],"b":{}}}`},
		{`{"gone": "{data.?note}", "here": "{data.address.?city}", "list": ["{data.?note}", 1, "{data.?note}"], "only": ["{data.?note}"]}`, `{"here":"Tidewater","list":[1],"only":[]}`},
		{`{"when": "{now}", "long": "{days(2)}", "either": "{data.?either}"}`, `{"when":"2027-05-04T12:00:00Z","long":"48h0m0s"}`},
		{`{"nested": {"deep": [{"age": "{data.age}"}]}}`, `{"nested":{"deep":[{"age":30}]}}`},
	} {
		r.Offers[0].Details = yamlconf.Object(c.details)
		if o := offered(t, r, anna); string(o.Details) != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.details, o.Details, c.want)
		}
	}
}

func TestTheFirstRuleThatHoldsCounts(t *testing.T) {
	t.Parallel()
	r := Rules{
		Decline: []Decline{{When: "data.age < 18", Reason: "You are {data.age}; we take on adults only."},
			{When: "has(data.note) && size(data.note) > 5", Reason: "The note is long."}},
		Offers: []Offer{
			{When: "data.age > 60", Summary: "For the old.", Expires: 3600e9, BindRequires: []string{"email"},
				TermsURL: "https://www.example.com/old"},
			{When: "has(data.vip)", Summary: "VIP: {data.vip}"},
			{When: "data.age > 25", Summary: "For adults."},
		},
		Otherwise: "Nothing for people of {data.age}.",
	}
	with := func(members string) string { return strings.Replace(anna, `"age": 30`, members, 1) }
	for _, c := range []struct {
		data   string
		status Status
		text   string
	}{
		{with(`"age": 17`), Declined, "You are 17; we take on adults only."},
		{with(`"age": 17, "note": "long enough"`), Declined, "You are 17; we take on adults only."},
		{with(`"age": 40, "note": "long enough"`), Declined, "The note is long."},
		{with(`"age": 61, "vip": true`), Offered, "For the old."},
		{with(`"age": 20, "vip": false`), Offered, "VIP: false"},
		{with(`"age": 30`), Offered, "For adults."},
		{with(`"age": 20`), Declined, "Nothing for people of 20."},
		{with(`"age": 3e1`), Offered, "For adults."},
		{with(`"age": 30.0`), Offered, "For adults."},
	} {
		o := offered(t, r, c.data)
		if o.Status != c.status || o.Summary+o.Reason != c.text {
			t.Errorf("%s: %+v", c.data, o)
		}
	}
	o := offered(t, r, with(`"age": 61`))
	if !o.Expires.Equal(noon.Add(3600e9)) || len(o.BindRequires) != 1 || o.TermsURL != "https://www.example.com/old" {
		t.Errorf("%+v", o)
	}
	if o = offered(t, r, anna); !o.Expires.IsZero() || o.BindRequires != nil || o.TermsURL != "" {
		t.Errorf("an offer that says nothing of it has %+v", o)
	}
}

// wrong are findings of rules, as field and detail.
func wrong(r Rules) (found []*Error) {
	_, err := NewRules(r, strictjson.Value(person))
	joined, _ := err.(interface{ Unwrap() []error })
	if joined == nil {
		return nil
	}
	for _, e := range joined.Unwrap() {
		var one *Error
		if errors.As(e, &one) {
			found = append(found, one)
		}
	}
	return found
}

func TestWhatIsWrongWithRulesIsFoundBeforeTheyAreUsed(t *testing.T) {
	t.Parallel()
	when := func(w string) Rules { return Rules{Offers: []Offer{{When: w, Summary: "Yes."}}, Otherwise: "No."} }
	let := func(l string) Rules { r := one("Yes."); r.Let = yamlconf.Object(l); return r }
	details := func(d string) Rules { r := one("Yes."); r.Offers[0].Details = yamlconf.Object(d); return r }
	tables := func(w string) Rules {
		r := when(w)
		r.Tables = `{"rate": {"basic": 12}, "all": {"basic": 1, "pro": 2}}`
		return r
	}
	for _, c := range []struct {
		name          string
		rules         Rules
		field, detail string
	}{
		{"nothing offered", Rules{}, "offers", "nothing is offered"},
		{"an empty summary", one(" "), "offers[0].summary", "empty"},
		{"a brace left open", one("You are {data.age"), "offers[0].summary", "character 9 is not closed"},
		{"an empty expression", one("You are { }"), "offers[0].summary", "no expression"},
		{"no expression", one("{data.}"), "offers[0].summary", "in data.:"},
		{"no member", when("data.wieght_kg > 1.0"), "offers[0].when", "no member wieght_kg; did you mean weight_kg?"},
		{"a member of a number", when("data.age.years > 3"), "offers[0].when", "a whole number has no members"},
		{"no such thing", when("dato.age > 1"), "offers[0].when", "there is no dato; did you mean data?"},
		{"no function", when("sqrt(data.age) > 1"), "offers[0].when", "there is no sqrt"},
		{"no truth", when("data.age"), "offers[0].when", "it gives a whole number and should give true or false"},
		{"types that do not go together", when("data.plan > 3"), "offers[0].when",
			"does not go with (text, whole number)"},
		{"decimals and whole numbers", when("data.weight_kg * 2 > 1.0"), "offers[0].when", "write 2.0 for 2"},
		{"a list in a text", one("{data.tags}"), "offers[0].summary", "it gives a list(text) and should give a text"},
		{"an optional value in a text", one("{data.?note}"), "offers[0].summary", "optional(text)"},
		{"a regular expression", when("data.plan.matches('(a+)+')"), "offers[0].when", "there is no matches"},
		{"an optional member", when("data.vip"), "offers[0].when", "data.vip is optional; ask has(data.vip) first"},
		{"an optional member behind or", when("data.vip || data.age > 3"), "offers[0].when", "data.vip is optional"},
		{"an optional member in the wrong branch", when("has(data.vip) ? true : data.vip"), "offers[0].when",
			"data.vip is optional"},
		{"an optional member within another", when("has(data.address.zip) && data.note == 'x'"), "offers[0].when",
			"data.note is optional"},
		{"an optional member in details", details(`{"note": "{data.note}"}`), "offers[0].details.note", "data.?note.orValue"},
		{"an optional member under let", let(`{"n": "data.note + '!'"}`), "let.n", "data.note is optional"},
		{"an optional member of rows", when("has(data.rows) && data.rows.exists(r, r.m > 3)"), "offers[0].when",
			"r.m is optional"},
		{"an optional member by its place", when("has(data.rows) && data.rows[0].m > 3"), "offers[0].when",
			".?m.orValue"},
		{"a name before it is given", let(`{"a": "b + 1", "b": "1"}`), "let.a", "there is no b"},
		{"a name of something else", let(`{"data": "1"}`), "let.data", "the name of something else"},
		{"no name", let(`{"A b": "1"}`), "let.A b", "is no name"},
		{"a name of a list", let(`{"a": [1]}`), "let.a", "should be an expression"},
		{"no entry of a table", tables("tables.rate.pro > 1"), "offers[0].when", `no entry "pro"`},
		{"no table", tables("tables.rats.basic > 1"), "offers[0].when", "did you mean rate?"},
		{"an entry that may be asked for", tables("tables.rate[data.plan] > 1"), "offers[0].when", `no entry "pro", which may be asked for`},
		{"items without match", when("size(items) > 0"), "offers[0].when", "there is no items"},
		{"match without a query", Rules{Match: Match{Limit: 2}, Offers: []Offer{{Summary: "Yes."}}}, "match.query",
			"say what to look for"},
		{"match of too many", Rules{Match: Match{Query: "x", Limit: 21}, Offers: []Offer{{Summary: "Yes."}}},
			"match.limit", "between 1 and 20"},
		{"a query of what it finds", Rules{Match: Match{Query: "{items[0].name}"}, Offers: []Offer{{Summary: "Yes."}}},
			"match.query", "there is no items"},
		{"no last word", Rules{Offers: []Offer{{When: "data.age > 3", Summary: "Yes."}}}, "otherwise",
			"say why nothing is offered"},
		{"an offer that is never made", Rules{Offers: []Offer{{Summary: "Yes."}, {Summary: "No."}}}, "offers[1]",
			"never made"},
		{"no time to take it", Rules{Offers: []Offer{{Summary: "Yes.", Expires: 1}}}, "offers[0].expires",
			"between 1m"},
		{"a field twice", Rules{Offers: []Offer{{Summary: "Yes.", BindRequires: []string{"email", "email"}}}},
			"offers[0].bind_requires[1]", "twice"},
		{"no address of terms", Rules{Offers: []Offer{{Summary: "Yes.", TermsURL: "terms.html"}}},
			"offers[0].terms_url", "web address"},
		{"no time", when("now > timestamp('yesterday')"), "offers[0].when", "timestamp"},
		{"no time span", when("now - now > duration('1 day')"), "offers[0].when", "duration"},
		{"a value of a type", when("google.protobuf.Duration{} == null"), "offers[0].when", ""},
		{"a type", details(`{"t": "{type(data.age)}"}`), "offers[0].details.t", "a value that JSON has"},
		{"bytes", details(`{"t": "{b'abc'}"}`), "offers[0].details.t", "a value that JSON has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := wrong(c.rules)
			if len(found) == 0 {
				t.Fatal("nothing is found")
			}
			if found[0].Field != c.field || !strings.Contains(found[0].Detail, c.detail) || len(found) > 1 {
				for _, f := range found {
					t.Errorf("found %s (%d:%d): %s", f.Field, f.Line, f.Column, f.Detail)
				}
			}
		})
	}
}

func TestAllThatIsWrongIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	r := Rules{
		Let:     `{"a": "data.nothing", "b": "a + 1"}`,
		Decline: []Decline{{When: "data.age", Reason: "{dato}"}},
		Offers:  []Offer{{When: "b > 3", Summary: "{nothing} and {nothing_else}", Details: `{"a": "{x}"}`}},
	}
	var fields []string
	for _, f := range wrong(r) {
		fields = append(fields, f.Field)
	}
	want := "[let.a decline[0].when decline[0].reason offers[0].summary offers[0].summary " +
		"offers[0].details.a otherwise]"
	if got := fmt.Sprint(fields); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

func TestAFindingPointsIntoTheText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		summary      string
		line, column int
	}{
		{"{dato.age}", 0, 1},
		{"Übrigens: {dato.age}", 0, 11},
		{"Übrigens: {1 +\n dato.age}", 1, 1},
		{"One.\nTwo {data.age}, {\ndato.age +\n 1}", 2, 0},
		{"One.\nTwo {data.age}, {dato.age}", 1, 17},
		{"a {data.age} b {data.age + dato}", 0, 27},
		{"{data.age == 3 && data.vip}", 0, 22},
	} {
		if found := wrong(one(c.summary)); len(found) != 1 || found[0].Line != c.line || found[0].Column != c.column {
			t.Errorf("%q: %+v, want %d:%d", c.summary, found, c.line, c.column)
		}
	}
}

func TestAskedOptionalMembersAreRead(t *testing.T) {
	t.Parallel()
	for _, w := range []string{
		"has(data.vip) && data.vip", "data.vip && has(data.vip)", "!has(data.vip) || data.vip",
		"has(data.vip) ? data.vip : false", "!has(data.vip) ? false : data.vip",
		"!(!has(data.vip) || has(data.note)) && data.vip",
		"has(data.note) && has(data.vip) && data.vip && data.note == ''", "data.?vip.orValue(true)",
		"has(data.rows) && data.rows.exists(r, has(r.m) && r.m > 3)", "has(data.rows) && data.rows.exists(r, r.n > 3)",
		"known && data.vip",
		"has(data.extra) && has(data.extra.x) && data.extra.x == 1", "has(data.extra) && 'x' in data.extra",
		"has(data.either) && data.either != null && data.either > 3",
		"(has(data.vip) && data.age > 3 || has(data.vip)) && data.vip",
	} {
		r := Rules{Let: `{"known": "has(data.vip)"}`, Offers: []Offer{{When: w, Summary: "Yes."}}, Otherwise: "No."}
		if found := wrong(r); found != nil {
			t.Errorf("%s: %s", w, found[0].Detail)
			continue
		}
		for _, data := range []string{anna, strings.Replace(anna, "{", `{"vip": true, "rows": [{"n": 1}, {"n": 5, "m": 4}], "either": null, "extra": {"x": 1}, `, 1)} {
			if _, err := follow(t, r, data); err != nil {
				t.Errorf("%s: %v", w, err)
			}
		}
	}
}
