package offers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// secret stands for what an agent sent: no error may show it.
const secret = "mark-7f3a"

func TestARuleThatFailsSaysWhereAndNothingOfTheData(t *testing.T) {
	t.Parallel()
	data := strings.Replace(anna, `"tags": ["a", "b"]`, `"tags": ["`+secret+`"], "note": "`+secret+`", "essay": "`+secret+`", "extra": {"`+secret+`": "`+secret+`"}`, 1)
	for _, c := range []struct{ let, what string }{
		{"data.weight_kg / (data.height_m - 1.8)", "infinite or none"},
		{"(data.height_m - 1.8) / (data.height_m - 1.8)", "infinite or none"},
		{"data.age / (data.age - 30)", "divides by zero"},
		{"data.age % (data.age - 30)", "divides by zero"},
		{"data.age * 9223372036854775807", "a whole number gets too large"},
		{"int(data.weight_kg * 1e300)", "too large"},
		{"round(data.weight_kg * 1e300)", "too large"},
		{"round(data.weight_kg, data.age)", "0 to 10 digits"},
		{"money(data.weight_kg, data.plan)", "currency of three letters"},
		{"money(data.weight_kg * 1e300, 'EUR')", "too large"},
		{"days(data.age * 100000)", "too large"},
		{"{'a': 1}[data.tags[0]]", "a key is not there"},
		{"data.tags[7]", "a list has no element there"},
		{"data.tags[-1]", "a list has no element there"},
		{"data.?extra.orValue({})[data.tags[0]] + 1 > 2", "of another type"},
		{"int(data.tags[0])", "cannot be converted"},
		{"timestamp(data.tags[0])", ""},
		{"duration(data.tags[0])", ""},
		{"now.getHours(data.tags[0])", ""},
		{"now + days(36600) * 1 > now", ""},
		{"data.?vip.value()", "it reads what is not there"},
		{"join(data.tags.map(a, data.?essay.orValue('')), data.?essay.orValue(''))", ""},
	} {
		t.Run(c.let, func(t *testing.T) {
			r := one("{string(x) != ''}")
			r.Let = yamlconf.Object(`{"x": ` + fmt.Sprintf("%q", "["+c.let+"].size()") + `, "y": ` + fmt.Sprintf("%q", c.let) + `}`)
			r.Offers[0].Details = `{"y": "{y}"}`
			if found := wrong(r); found != nil {
				if c.what == "" {
					return // found before
				}
				t.Fatal(found[0])
			}
			o, err := follow(t, r, data)
			if c.what == "" && err == nil {
				return
			}
			if err == nil {
				t.Fatalf("it gives %s %s", o.Summary, o.Details)
			}
			if strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "intake persons: let.") ||
				!strings.Contains(err.Error(), c.what) {
				t.Error(err)
			}
			if fail.From(err).Code != fail.Internal {
				t.Errorf("it is told to agents as %s", fail.From(err).Code)
			}
		})
	}
}

func TestNoNumberOfAnAnswerIsNone(t *testing.T) {
	t.Parallel()
	for _, e := range []string{"data.weight_kg / 0.0", "-data.weight_kg / 0.0", "0.0 / 0.0 * data.weight_kg",
		"double('NaN')", "[1.0 / 0.0]", "{'a': double('Infinity')}", "dyn(1.0 / 0.0)"} {
		r := one("Yes.")
		r.Offers[0].Details = yamlconf.Object(fmt.Sprintf(`{"x": %q}`, "{ "+e+" }"))
		if o, err := follow(t, r, anna); err == nil ||
			!strings.Contains(err.Error(), "offers[0].details.x: a number is infinite or none") {
			t.Errorf("%s in details: %s, %v", e, o.Details, err)
		}
		if strings.ContainsAny(e, "[{") {
			continue
		}
		if o, err := follow(t, one("{"+e+"}"), anna); err == nil ||
			!strings.Contains(err.Error(), "offers[0].summary") {
			t.Errorf("%s in a text: %q, %v", e, o.Summary, err)
		}
	}
}

func TestNumbersThatNobodyCountsWithAreRefused(t *testing.T) {
	t.Parallel()
	for _, age := range []string{"1e30", "9223372036854775808", "-9223372036854775809", "1.5"} {
		o, err := follow(t, one("{data.age}"), strings.Replace(anna, `"age": 30`, `"age": `+age, 1))
		if err == nil || !strings.Contains(err.Error(), "too large") || strings.Contains(err.Error(), age) {
			t.Errorf("%s: %q, %v", age, o.Summary, err)
		}
	}
	r := one("Yes.")
	r.Offers[0].Details = `{"age": "{data.age * 9007199254740991}"}`
	if o, err := follow(t, r, anna); err == nil || !strings.Contains(err.Error(), "exact") {
		t.Errorf("%s, %v", o.Details, err)
	}
}

func TestExpressionsThatCouldTakeLongAreRefused(t *testing.T) {
	t.Parallel()
	loops := func(n int, list, last string) string {
		for i := range n {
			last = fmt.Sprintf("%s.exists(v%d, %s)", list, i, last)
		}
		return last
	}
	long := strings.Repeat("data.essay + ", 20) + "data.essay"
	for _, c := range []struct{ name, when, detail string }{
		{"loops in loops over what has no bound", "has(data.rows) && " + loops(2, "data.rows", "v0.n == v1.n"),
			"maxItems"},
		{"many loops over little", loops(7, "data.tags", "v0 == v6"), "too many steps"},
		{"loops over texts without a bound",
			"has(data.rows) && has(data.essay) && data.rows.all(r, data.essay.contains(string(r.n)))", "maxLength"},
		{"long texts compared many times",
			"has(data.essay) && size(" + long + ") > 3 && data.tags.exists(a, data.tags.exists(b, (" + long +
				").contains(a + b)))", "too many steps"},
		{"a long expression", strings.Repeat("true && ", 300) + "true", "longer than 2000 bytes"},
		{"a deep expression", strings.Repeat("(", 300) + "true" + strings.Repeat(")", 300), ""},
		{"deep lists", strings.Repeat("[", 200) + strings.Repeat("]", 200) + " == []", ""},
	} {
		found := wrong(Rules{Offers: []Offer{{When: c.when, Summary: "Yes."}}, Otherwise: "No."})
		if len(found) == 0 || !strings.Contains(found[0].Detail, c.detail) {
			t.Errorf("%s: %v", c.name, found)
		}
	}
	many := Rules{Otherwise: "No."}
	for range maxExpressions + 1 {
		many.Offers = append(many.Offers, Offer{When: "data.age > 3", Summary: "Yes."})
	}
	if found := wrong(many); len(found) != 1 || !strings.Contains(found[0].Detail, "more than 500 expressions") {
		t.Errorf("%v", found)
	}
	dear := Rules{Otherwise: "No."}
	for range 20 {
		dear.Offers = append(dear.Offers,
			Offer{When: "has(data.rows) && data.rows.exists(r, r.n > 3)", Summary: "Yes."})
	}
	if found := wrong(dear); len(found) != 1 || !strings.Contains(found[0].Detail, "together") {
		t.Errorf("%v", found)
	}
}

// TestNamesDoNotGrowWithoutEnd has each name double what the one before it has.
func TestNamesDoNotGrowWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"data.tags", "data.tags[0]", "{'a': data.tags}.map(k, k)"} {
		var lets []string
		last := begin
		for i := range 40 {
			lets = append(lets, fmt.Sprintf("%q: %q", fmt.Sprintf("v%d", i), last+" + "+last))
			last = fmt.Sprintf("v%d", i)
		}
		r := one("{size(" + last + ")}")
		r.Let = yamlconf.Object("{" + strings.Join(lets, ", ") + "}")
		if wrong(r) != nil {
			continue
		}
		if _, err := follow(t, r, anna); err == nil ||
			!strings.Contains(err.Error(), "too long") && !strings.Contains(err.Error(), "steps") {
			t.Errorf("%s doubled 40 times: %v", begin, err)
		}
	}
}

// TestWhatIsNotMeasuredBeforeIsWhileItRuns has data that the schema says nothing of, so that only
// the steps that are counted bound a loop.
func TestWhatIsNotMeasuredBeforeIsWhileItRuns(t *testing.T) {
	t.Parallel()
	e, err := NewRules(Rules{Offers: []Offer{{When: "data.list.exists(x, data.list.exists(y, x == y + 1))",
		Summary: "Yes."}}, Otherwise: "No."},
		strictjson.Value(`{"type": "object", "required": ["list"], "properties": {"list": {"type": "array", "maxItems": 200}}}`))
	if err != nil {
		t.Fatal(err)
	}
	data := `{"list": [` + strings.Repeat("1,", 20_000) + `1]}` // as if the schema had not been asked
	if _, err = e.Offer(t.Context(), Request{Intake: "lists", Data: strictjson.Value(data), Now: noon}); err == nil ||
		!strings.Contains(err.Error(), "more steps than it may") {
		t.Errorf("%v", err)
	}
}

// TestSchemasThatReferToThemselvesManyTimesAreRead has a short schema that describes more objects
// than anybody can list.
func TestSchemasThatReferToThemselvesManyTimesAreRead(t *testing.T) {
	t.Parallel()
	var members []string
	for i := range 50 {
		members = append(members, fmt.Sprintf(`"m%d": {"$ref": "#"}`, i))
	}
	schema := strictjson.Value(`{"type": "object", "properties": {` + strings.Join(members, ", ") + `}}`)
	e, err := NewRules(Rules{Offers: []Offer{{Summary: "{data.?m0.?m1.?m2.hasValue()}"}}}, schema)
	if err != nil {
		t.Fatal(err)
	}
	o, err := e.Offer(t.Context(), Request{Intake: "many", Data: strictjson.Value(`{"m0": {"m1": {"m2": {}}}}`), Now: noon})
	if err != nil || o.Summary != "true" {
		t.Errorf("%+v, %v", o, err)
	}
	loop := strictjson.Value(`{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}`)
	if _, err := NewRules(one("{data.a == 1}"), loop); err != nil {
		t.Error(err)
	}
}

func TestWhoGoesAwayEndsTheRules(t *testing.T) {
	t.Parallel()
	r := Rules{Match: Match{Query: "jars"}, Offers: []Offer{{Summary: "{size(items)}"}}}
	e, err := NewRules(r, strictjson.Value(person))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = e.Offer(ctx,
		Request{Intake: "persons", Data: strictjson.Value(anna), Now: noon,
			Lookup: func(ctx context.Context, _ Lookup) ([]Item, error) {
				cancel()
				return nil, ctx.Err()
			}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTextsOfOthersStayWithinTheOwners(t *testing.T) {
	t.Parallel()
	data := strings.Replace(anna, "{", `{"essay": "`+strings.Repeat("ä", 30_000)+`\u001b[2J\nnext", "note": "a\u0007b\r\nc", `, 1)
	o := offered(t, one("{data.?note.orValue('')}: {data.?essay.orValue('')}"), data)
	if !strings.HasPrefix(o.Summary, "a b  c: ää") || len(o.Summary) > 1100 || !strings.HasSuffix(o.Summary, "…") {
		t.Errorf("%d bytes: %q", len(o.Summary), o.Summary)
	}
	o = offered(t, one(strings.Repeat("{data.?essay.orValue('')}", 12)), data)
	if o.Check(noon) != nil || !strings.HasSuffix(o.Summary, " …") {
		t.Errorf("%d bytes", len(o.Summary))
	}
	r := one("Yes.")
	r.Offers[0].Details = `{"essay": "{data.?essay}"}`
	if _, err := follow(t, r, data); err == nil || !strings.Contains(err.Error(), "the details get too large") {
		t.Error(err)
	}
}

func TestTimeZonesThatDoNotExistAreTheWorlds(t *testing.T) {
	t.Parallel()
	e, err := NewRules(one("{timezone}"), strictjson.Value(person))
	if err != nil {
		t.Fatal(err)
	}
	for zone, want := range map[string]string{"": "UTC", "Mars/Olympus": "UTC", "../../etc/passwd": "UTC",
		"Local": "UTC", "Asia/Tokyo": "Asia/Tokyo"} {
		o, err := e.Offer(t.Context(), Request{Intake: "p", Data: strictjson.Value(anna), Now: noon, Timezone: zone})
		if err != nil || o.Summary != want {
			t.Errorf("%s: %s, %v", zone, o.Summary, err)
		}
	}
}

// FuzzExpression follows rules with any expression: nothing breaks, and whatever is answered is
// whole.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		"data.age", "data.weight_kg / 0.0", "data.tags.map(t, t + t)", "tables.rate[data.plan]",
		"{'a': [1, {'b': data.?note}]}", "now + days(3)", "x + 'a'",
		"join(data.tags, data.plan)", "round(bmi, 2)", "data.address.zip",
		"has(data.rows) && data.rows.exists(r, r.m > 1)", "type(1)", "[1][1]", "9223372036854775807 + 1",
		"agent.scopes", "b'a'", "dyn(data)", "optional.none()", "data.?rows[?0].?m", "money(1.5, 'EUR')",
		"timestamp('9999-12-31T23:59:59Z') + days(1)", "-9223372036854775808 / -1",
	} {
		f.Add(seed)
	}
	schema := strictjson.Value(person)
	f.Fuzz(func(t *testing.T, expression string) {
		r := one("A {" + expression + "} b.")
		if len(expression)%2 == 0 {
			r = one("Yes.")
			r.Offers[0].Details = yamlconf.Object(fmt.Sprintf(`{"x": %s, "y": [%[1]s]}`, jsonText("{"+expression+"}")))
		}
		r.Tables, r.Let = `{"rate": {"basic": 12, "pro": 29.5}}`, `{"bmi": "data.weight_kg / (data.height_m * data.height_m)", "x": "data.plan"}`
		e, err := NewRules(r, schema)
		if err != nil {
			return
		}
		for _, data := range []string{anna, `{"age":0,"weight_kg":0,"height_m":0,"plan":"basic","tags":[],"address":{"city":""},"rows":[{"n":1}],"note":"` + secret + `"}`} {
			o, err := e.Offer(t.Context(), Request{ID: "q", Intake: "i", Data: strictjson.Value(data), Now: noon})
			if err == nil {
				err = o.Check(noon)
				if err != nil {
					t.Errorf("%v", err)
				}
			} else if strings.Contains(err.Error(), secret) && !strings.Contains(expression, secret) {
				t.Errorf("the error shows what was submitted: %v", err)
			}
		}
	})
}

func jsonText(text string) string {
	w := &writer{}
	w.string(strings.ToValidUTF8(text, ""))
	return string(w.dst)
}

// FuzzSubmission follows rules with any data, valid by the schema or not.
func FuzzSubmission(f *testing.F) {
	f.Add(anna)
	f.Add(`{"age":"x","weight_kg":[],"plan":7,"tags":{"a":1},"address":[]}`)
	f.Add(`{"age":1e400,"rows":[null,{"n":"x"}]}`)
	r := Rules{
		Tables: `{"rate": {"basic": 12, "pro": 29.5}}`,
		Let:    `{"bmi": "data.weight_kg / (data.height_m * data.height_m)"}`,
		Decline: []Decline{{When: "data.age < 18", Reason: "{data.age}"},
			{When: "has(data.rows) && data.rows.exists(r, has(r.m) && r.m > r.n)", Reason: "{data.plan}"}},
		Offers: []Offer{
			{When: "bmi > 25.0 && data.address.city != ''", Summary: "{round(bmi, 1)} {join(data.tags, ', ')}",
				Details: `{"a": "{data}", "b": "{tables.rate[data.plan]}", "c": "{data.?either}"}`},
			{Summary: "{data.address.city} {now.getHours(timezone)}", Details: `{"x": "{data.?extra}"}`},
		},
	}
	e, err := NewRules(r, strictjson.Value(person))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data string) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		o, err := e.Offer(ctx,
			Request{Intake: "i", Data: strictjson.Value(data), Now: noon, Agent: intake.Agent{ID: "a"}})
		if err == nil && o.Check(noon) != nil {
			t.Error(o.Check(noon))
		}
	})
}

// TestANumberThatIsTooLargeIsTheDataAtFault holds what a schema of integers allows and nobody
// computes with alike.
func TestANumberThatIsTooLargeIsTheDataAtFault(t *testing.T) {
	t.Parallel()
	const taken = `{"type":"object","properties":{"n":{"type":"integer"},"m":{"type":"number"},"any":{},
		"list":{"type":"array","items":{"type":"integer"}},"a/b":{"type":"object","properties":{"n":{"type":"integer"}}},
		"map":{"type":"object","additionalProperties":{"type":"integer"}}}}`
	r := Rules{Offers: []Offer{{Summary: "x", Details: `{"n":"{data.?n}","m":"{data.?m}","any":"{data.?any}","list":"{data.?list}"}`}}}
	e, err := NewRules(r, strictjson.Value(taken))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ data, at, details string }{
		{`{"n":9007199254740991}`, "", `{"n":9007199254740991}`},
		{`{"n":-9007199254740991.0}`, "", `{"n":-9007199254740991}`},
		{`{"n":9007199254740992}`, "/n", ""},
		{`{"n":-9007199254740993}`, "/n", ""},
		{`{"n":1e20}`, "/n", ""},
		{`{"n":99999999999999999999}`, "/n", ""},
		{`{"n":1e308}`, "/n", ""},
		{`{"list":[1,1e20]}`, "/list/1", ""},
		{`{"a/b":{"n":1e20}}`, "/a~1b/n", ""},
		{`{"map":{"` + secret + `":1e20}}`, "/map", ""},
		{`{"m":99999999999999999999}`, "", `{"m":100000000000000000000}`},
		{`{"m":1e308}`, "", `{"m":1e+308}`},
		{`{"m":1e-320}`, "", `{"m":1e-320}`},
		{`{"any":9007199254740993}`, "", `{"any":9007199254740992}`},
		{`{"any":{"x":[99999999999999999999]}}`, "", `{"any":{"x":[100000000000000000000]}}`},
	} {
		o, err := e.Offer(t.Context(), Request{ID: "q1", Intake: "numbers", Data: strictjson.Value(c.data), Now: noon})
		var unfit *UnusableData
		if errors.As(err, &unfit) != (c.at != "") || unfit != nil && unfit.Pointer != c.at ||
			string(o.Details) != c.details {
			t.Errorf("%s: %s, %v", c.data, o.Details, err)
		}
	}
}
