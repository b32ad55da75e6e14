package console

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/operator/console/plot"
	"frontdesk/wire/strictjson"
)

// TestTheFunnelAddsUp draws any tallies: what stands in a day's bar is what was submitted on it,
// the table's rows add up to its last, and nobody is lost or counted twice.
func TestTheFunnelAddsUp(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 23, 59, 59, 0, time.UTC)
	name := func(id string) string { return "name of " + id }
	rapid.Check(t, func(t *rapid.T) {
		var tallies []vault.DayCount
		submitted, bound, most := 0, 0, map[time.Time]int{}
		n := func(what string) int { return rapid.IntRange(0, 40).Draw(t, what) }
		for range rapid.IntRange(1, 40).Draw(t, "tallies") {
			tally := vault.DayCount{
				Day:      plot.FirstDay(now).AddDate(0, 0, rapid.IntRange(0, plot.Days-1).Draw(t, "day")),
				Intake:   fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "intake")),
				Platform: fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "platform")), Waiting: n("waiting"),
				Unanswered: n("unanswered"), Declined: n("declined"), Open: n("open"), Bound: n("bound"),
				Expired: n("expired"), Erased: n("erased"),
			}
			tallies = append(tallies, tally)
			if tally.Intake == "1" {
				all := tally.Waiting + tally.Unanswered + tally.Declined + tally.Open + tally.Bound + tally.Expired +
					tally.Erased
				submitted, bound = submitted+all, bound+tally.Bound
				most[tally.Day] += all
			}
		}
		f := newFunnel(tallies, now, vault.Filter{Intake: "1"}, name)
		if submitted == 0 {
			if f != nil {
				t.Fatal("a plot of nothing")
			}
			return
		}
		if f.Total.Submitted != submitted || f.Total.Bound != bound {
			t.Fatalf("%d submitted and %d bound, want %d and %d", f.Total.Submitted, f.Total.Bound, submitted, bound)
		}
		keys, rows := 0, 0
		for _, key := range f.Keys {
			keys += key.N
		}
		for _, row := range f.Rows {
			if rows += row.Submitted; row.Intake != "name of 1" {
				t.Fatalf("a row of %s", row.Intake)
			}
			if row.Offered < row.Bound+row.Expired {
				t.Fatalf("more came of offers than there were: %+v", row)
			}
		}
		if keys != submitted || rows != submitted {
			t.Fatalf("the colours stand for %d and the rows for %d, want %d", keys, rows, submitted)
		}
		top := 0
		for _, day := range f.Days {
			if top = max(top, day.Given); day.Given != most[day.Day] {
				t.Fatalf("%v has %d, want %d", day.Day, day.Given, most[day.Day])
			}
			bottom := 1000
			for _, part := range day.Parts {
				y, _ := strconv.Atoi(part.Y)
				height, _ := strconv.Atoi(part.Height)
				if y+height != bottom {
					t.Fatalf("a part hangs in the air: %+v on %d", part, bottom)
				}
				bottom = y
			}
		}
		if f.Max != top {
			t.Fatalf("the most is %d, want %d", f.Max, top)
		}
	})
}

func TestDetailsAreReadFromLinesOrJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		"price: 780\ncurrency: EUR\n":    `{"price":780,"currency":"EUR"}`,
		"postcode: 01234":                `{"postcode":"01234"}`,
		`number: "12"`:                   `{"number":"12"}`,
		"  a : b: c ":                    `{"a":"b: c"}`,
		"on: true\nlist: [1, 2]\nnone: ": `{"on":true,"list":[1,2],"none":""}`,
		`{"a": {"b": [1.50]}}`:           `{"a":{"b":[1.50]}}`,
		`say: <script>"&</script>`:       `{"say":"<script>\"&</script>"}`,
	} {
		got, err := readDetails(text)
		if err != nil || compact(got) != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"price 780":        `line 1 of the details is not of the form "name: value"`,
		"a: 1\n\n: 2":      `line 3 of the details`,
		"a: 1\na: 2":       "line 2 of the details has the name of an earlier one",
		`{"a": 1`:          "begin like JSON",
		`{"a": 1, "a": 2}`: "begin like JSON",
	} {
		if got, err := readDetails(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
}

// compact is JSON without spaces, as it is otherwise.
func compact(value strictjson.Value) string {
	out := value.Clone()
	if out == nil || out.Compact() != nil {
		return string(value)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(out))
}

func TestMembersAreShownInTheirOrder(t *testing.T) {
	t.Parallel()
	got := ""
	for _, f := range fields(strictjson.Value(`{"z":"a\nb","a":1.50,"list":["x","y",3],"deep":{"k":[1]},"yes":true,"none":null,"":""}`)) {
		got += fmt.Sprintf("%s=%q %v; ", f.Name, f.Text, f.Block)
	}
	if want := `z="a\nb" false; a="1.50" false; list="x, y, 3" false; deep="{\n  \"k\": [\n    1\n  ]\n}" true; yes="true" false; none="null" false; ="" false; `; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := fields(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	if got := fields(strictjson.Value(`[1]`)); len(got) != 1 || got[0].Name != "" || !got[0].Block {
		t.Errorf("of what is no object: %v", got)
	}
}

// FuzzMembersAreShown has any text that is submitted be shown, and any details be written: whatever
// becomes of it, it is shown whole, and details that are taken are an object that an agent can
// read.
func FuzzMembersAreShown(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}]}`, "a: 1\nb: x", `{"a":"\u202e"}`, `{"a":1e999}`, "{", ": :", "null", "{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown := fields(strictjson.Value(text))
		var members map[string]json.RawMessage
		if strictjson.Decode([]byte(text), &members) == nil && members != nil && len(shown) != len(members) {
			t.Errorf("%d of %d members are shown", len(shown), len(members))
		}
		details, err := readDetails(text)
		if err != nil || details == nil {
			return
		}
		if err := strictjson.Decode(details, &members); err != nil {
			t.Errorf("%q made %s: %v", text, details, err)
		}
	})
}

func TestAnswersByHandAreWhatEnginesGive(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 500, time.UTC)
	f := answerForm{Binding: true, Kind: formOffer, Summary: "Two cooks.", Details: "price: 780", Days: "7",
		Requires: "email, full_name;  phone\nfax", TermsURL: "https://example.com/terms"}
	o, err := f.outcome(now)
	if err != nil {
		t.Fatal(err)
	}
	if want := now.Truncate(time.Second).AddDate(0, 0, 7); !o.Expires.Equal(want) || o.Status != offers.Offered ||
		fmt.Sprint(o.BindRequires) != "[email full_name phone fax]" || string(o.Details) != `{"price":780}` {
		t.Errorf("%+v", o)
	}
	f.Expires = o.Expires.Format(time.RFC3339)
	if again, err := f.outcome(now.Add(time.Hour)); err != nil || !again.Expires.Equal(o.Expires) {
		t.Errorf("sent an hour after it was shown, it stands until %v, %v", again.Expires, err)
	}
	if _, err := f.outcome(now.AddDate(0, 0, 8)); err == nil {
		t.Error("sent after it has expired")
	}
	f.Requires, f.Expires = "", ""
	if o, err := f.outcome(now); err != nil || o.BindRequires == nil || len(o.BindRequires) != 0 {
		t.Errorf("without fields: %v, %v", o.BindRequires, err)
	}
	f.Binding = false
	if o, err := f.outcome(now); err != nil || o.BindRequires != nil {
		t.Errorf("of an intake that binds nothing: %v, %v", o.BindRequires, err)
	}
	decline := answerForm{Kind: formDecline, Reason: "We are full.", Summary: "left over", Details: "soup", Days: "x"}
	if o, err := decline.outcome(now); err != nil || o.Status != offers.Declined || o.Reason != "We are full." ||
		o.Summary != "" {
		t.Errorf("%+v, %v", o, err)
	}
	for says, wrong := range map[string]answerForm{
		"request.fault_either": {},
		"the reason":           {Kind: formDecline, Reason: "  "},
		"the summary":          {Kind: formOffer, Days: "7"},
		"number of days":       {Kind: formOffer, Summary: "x", Days: "0"},
		"from 1 to 366":        {Kind: formOffer, Summary: "x", Days: "367"},
		"line 1":               {Kind: formOffer, Summary: "x", Days: "1", Details: "soup"},
		"terms":                {Kind: formOffer, Summary: "x", Days: "1", TermsURL: "javascript:alert(1)"},
		"longer than 4096":     {Kind: formOffer, Summary: strings.Repeat("x", 4097), Days: "1"},
		"required to bind":     {Kind: formOffer, Summary: "x", Days: "1", Binding: true, Requires: "email email"},
		"more than 32": {
			Kind: formOffer, Summary: "x", Days: "1", Binding: true, Requires: strings.Repeat("a ", 33),
		},
		"larger than 49152 ": {
			Kind: formOffer, Summary: "x", Days: "1", Details: "a: " + strings.Repeat("x", 48<<10),
		},
	} {
		if _, err := wrong.outcome(now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
