package frame

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"frontdesk/internal/identity"
)

// numbers is a list of what happened on days of January 2027: one on each, two a part.
type numbers struct {
	rows []time.Time
	next string
	over *Range
}

func (n numbers) Table() Table {
	return TableOf("day text minus words", n.rows, func(at time.Time) []any {
		return []any{at, "=1+1", -at.Day(), []string{"a", "b"}}
	}).Goes(n.next, n.over)
}

var theEnd = time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)

func readNumbers(_ context.Context, r *http.Request, _ *Visit) (string, any, error) {
	body := numbers{over: AnyRange(r, theEnd)}
	before, _ := strconv.Atoi(r.URL.Query().Get("before"))
	for day := 31; day > 0; day-- {
		at := time.Date(2027, 1, day, 8, 0, 0, 0, time.UTC)
		switch {
		case before > 0 && day >= before, at.Before(body.over.Since),
			r.URL.Query().Get("odd") != "" && day%2 == 0,
			!body.over.Until.IsZero() && !at.Before(body.over.Until):
		case len(body.rows) == 2:
			body.next = "numbers" + Link(r, "", map[string]string{"before": fmt.Sprint(body.rows[1].Day())})
			return "Numbers", body, nil
		default:
			body.rows = append(body.rows, at)
		}
	}
	return "Numbers", body, nil
}

// listDesk serves the list without a login.
func listDesk(t *testing.T) func(address string) *httptest.ResponseRecorder {
	return listDeskOf(t, readNumbers)
}

func listDeskOf(t *testing.T, read Reader) func(address string) *httptest.ResponseRecorder {
	config := Config{
		Now:       func() time.Time { return theEnd },
		PublicURL: func(*http.Request) string { return "https://desk.example" },
	}
	f := New(config, func(*Frame) Pages {
		page := []byte(`{{define "numbers"}}{{template "head" .}}{{end}}`)
		return Pages{Templates: fstest.MapFS{"numbers.html": {Data: page}}}
	})
	pages := f.List("numbers", "numbers", read)
	return func(address string) *httptest.ResponseRecorder {
		t.Helper()
		r, w := httptest.NewRequest("GET", "https://desk.example/console/"+address, nil), httptest.NewRecorder()
		page := pages[0]
		if strings.HasPrefix(address, "numbers.csv") {
			page = pages[1]
		}
		v := &Visit{In: identity.Login{Name: "Ana", Role: identity.Viewer}, speech: f.speech(r)}
		if err := page.Serve(w, r, v); err != nil {
			t.Fatal(err)
		}
		return w
	}
}

func TestAListIsDownloadedAsFiltered(t *testing.T) {
	t.Parallel()
	get := listDesk(t)
	all := strings.Split(strings.TrimSpace(get("numbers.csv").Body.String()), "\n")
	if len(all) != 32 || all[0] != "day,text,minus,words" || all[1] != "2027-01-31T08:00:00Z,'=1+1,-31,a b" {
		t.Errorf("%d lines: %q", len(all), all[:2])
	}
	for address, want := range map[string]int{
		"numbers.csv?odd=1": 16, "numbers.csv?days=7": 7, "numbers.csv?days=7&odd=1": 4,
		"numbers.csv?days=7&until=2027-01-10": 7, "numbers.csv?days=7&until=2027-01-03": 3,
		"numbers.csv?before=4": 31, // a part's file is that of the whole list
	} {
		if got := strings.Count(get(address).Body.String(), "\n") - 1; got != want {
			t.Errorf("%s: %d rows, want %d", address, got, want)
		}
	}
}

func TestAListIsComparedWithTheDaysBefore(t *testing.T) {
	t.Parallel()
	get := listDesk(t)
	for address, want := range map[string][]string{
		"numbers":        {`aria-current="true">All<`, `/console/numbers.csv"`},
		"numbers?days=7": {`href="/console/numbers?compare=1&amp;days=7">Compare<`, `/console/numbers.csv?days=7"`},
		"numbers?days=7&compare=1&before=9": {
			"7, and 7 in the 7 days before", ">Do not compare<", `href="/console/numbers?days=7"`},
		"numbers?days=30&compare=1":                 {"30, and 1 in the 30 days before", "▲ 2,900"},
		"numbers?days=7&compare=1&until=2027-01-10": {"7, and 3 in the 7 days before"},
	} {
		page := get(address).Body.String()
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %s:\n%s", address, text, page[strings.Index(page, "<main"):])
			}
		}
	}
	page := get("numbers?compare=1").Body.String() // all days have none before
	if strings.Contains(page, "days before") || !strings.Contains(page, `numbers?compare=1&amp;days=30">Compare<`) {
		t.Errorf("a list of all days:\n%s", page)
	}
}

// TestAListThatIsReadWholeIsSifted holds the days and the text by which such a list is asked for.
func TestAListThatIsReadWholeIsSifted(t *testing.T) {
	t.Parallel()
	days := []time.Time{theEnd, theEnd.AddDate(0, 0, -6), theEnd.AddDate(0, 0, -40)}
	at := func(t time.Time) time.Time { return t }
	texts := func(t time.Time) []any { return []any{t.Format("2 January"), "Every"} }
	for query, want := range map[string]int{
		"": 3, "days=7": 2, "days=90": 3, "days=7&until=2027-01-26": 1, "q=january": 2, "q=+EVERY%00+": 3, "q=none": 0,
		"days=7&q=31": 1,
	} {
		r := httptest.NewRequest("GET", "/?"+query, nil)
		if got, _ := Sift(r, theEnd, days, at, texts); len(got) != want {
			t.Errorf("%q gives %v, want %d", query, got, want)
		}
	}
	if got, _ := Sift(httptest.NewRequest("GET", "/?days=7&q=none", nil), theEnd, days, nil, nil); len(got) != 3 {
		t.Errorf("a list of no time and no text has %d", len(got))
	}
}

// TestAListSaysWhatItCounts holds a list whose rows are not what is compared, one that cannot be
// compared, and the form of one that is sifted.
func TestAListSaysWhatItCounts(t *testing.T) {
	t.Parallel()
	var asked []string
	change := func(t *Table) {}
	get := listDeskOf(t, func(ctx context.Context, r *http.Request, v *Visit) (string, any, error) {
		_, body, err := readNumbers(ctx, r, v)
		table := body.(Listed).Table()
		change(&table)
		return "Numbers", listed{table}, err
	})
	change = func(t *Table) {
		t.Whole = func(_ context.Context, since, until time.Time) (int, error) {
			asked = append(asked, since.Format(time.DateOnly)+" "+until.Format(time.DateOnly))
			return 5000 - 1000*len(asked), nil
		}
	}
	page := get("numbers?days=7&compare=1").Body.String()
	if want := "[2027-01-25 2027-02-01 2027-01-18 2027-01-25]"; fmt.Sprint(asked) != want ||
		!strings.Contains(page, "4000, and 3000 in the 7 days before") || strings.Contains(page, "More than") {
		t.Errorf("asked %v, want %s:\n%s", asked, want, page)
	}
	change = func(t *Table) {}
	page = get("numbers?days=7&q=%3Cb%3E&before=9").Body.String()
	for _, want := range []string{
		`name="q" value="&lt;b&gt;"`, `<input type="hidden" name="days" value="7">`, `href="/console/numbers?days=7">Show`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if strings.Contains(page, `name="before"`) {
		t.Errorf("a search does not begin at the list's beginning:\n%s", page)
	}
	change = func(t *Table) { t.Finds = true }
	if page := get("numbers").Body.String(); strings.Contains(page, `class="filter"`) {
		t.Errorf("a list that has a form of its own has another:\n%s", page)
	}
}

// TestAListIsFilledFromParts holds that a page is filled part after part with the rows that its
// address asks for, that a list without a text is read no further than a part, and what ends it.
func TestAListIsFilledFromParts(t *testing.T) {
	t.Parallel()
	read := 0
	all := Parts[int]{
		At:    func(n int) time.Time { return theEnd.AddDate(0, 0, -n/100) },
		Cells: func(n int) []any { return []any{n, []string{"Even", "odd"}[n%2]} },
		Read: func(_ context.Context, place string, limit int) (rows []int, next string, err error) {
			read++
			from, _ := strconv.Atoi(place)
			for n := from; n < 1000 && len(rows) < limit; n++ {
				rows = append(rows, n)
			}
			if from+limit < 1000 {
				next = strconv.Itoa(from + limit)
			}
			return rows, next, nil
		},
	}
	for _, v := range []struct {
		query, place string
		rows, read   int
		next         string
	}{
		{"", "", 50, 1, "50"}, {"", "950", 50, 1, ""}, {"q=even", "", 50, 2, "100"}, {"q=999", "", 1, 20, ""},
		{"q=none", "900", 0, 2, ""}, {"days=7&until=2027-01-29", "", 50, 5, "250"},
		{"day=2027-01-30&q=ODD", "", 50, 4, "200"}, {"day=2027-01-30", "150", 50, 1, "200"},
	} {
		read = 0
		r := httptest.NewRequest("GET", "/?"+v.query, nil)
		rows, next, err := all.Fill(t.Context(), r, theEnd, v.place)
		if err != nil || len(rows) != v.rows || next != v.next || read != v.read {
			t.Errorf("%+v: %d rows of %d parts, then %q, %v", v, len(rows), read, next, err)
		}
	}
	hasty, cancel := context.WithTimeout(t.Context(), patience/3)
	defer cancel()
	read = 0
	r := httptest.NewRequest("GET", "/?q=999", nil)
	if rows, next, err := all.Fill(hasty, r, theEnd, ""); err != nil || len(rows) != 0 || next != "50" || read != 1 {
		t.Errorf("without time: %v, %q, %v after %d parts", rows, next, err, read)
	}
}

// TestADayIsComparedWithTheDayBefore holds one day in place of several.
func TestADayIsComparedWithTheDayBefore(t *testing.T) {
	t.Parallel()
	get := listDesk(t)
	page := get("numbers?day=2027-01-01&compare=1&days=7").Body.String()
	for _, want := range []string{"1, and 0 on the day before", `numbers.csv?compare=1&amp;day=2027-01-01&amp;days=7"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if strings.Contains(page, `aria-current="true">`) || strings.Contains(page, `?compare=1&amp;day=2027-01-01&amp;days=30`) {
		t.Errorf("days are chosen beside the day:\n%s", page)
	}
}

// TestWhatProgramsStoreIsTold holds texts of a group with what they are filled with, and those of
// others.
func TestWhatProgramsStoreIsTold(t *testing.T) {
	t.Parallel()
	f := New(Config{
		Now:       func() time.Time { return theEnd },
		PublicURL: func(*http.Request) string { return "https://desk.example" },
	})
	const stored = "3 disputes of 5 (60.0 %), in month 4 in a row"
	for _, v := range []struct{ language, group, text, want string }{
		{"en", "cause", stored, stored},
		{"de", "cause", stored, "3 Streitfälle auf 5 (60.0 %), im 4. Monat in Folge"},
		{"ja", "cause", "3 disputes of 5 (60.0 %)", "5 件中 3 件の申し立て（60.0 %）"},
		{"de", "cause", "many disputes <b>", `<bdi lang="en">many disputes &lt;b&gt;</bdi>`},
		{"de", "finding", "3 disputes of 5 (60.0 %)", `<bdi lang="en">3 disputes of 5 (60.0 %)</bdi>`},
		{"de", "rule", "its path is /<b>, not /c", "Pfad ist /&lt;b&gt;, nicht /c"},
		{"de", "rule", "its site is shop, its path is /b", "Website ist shop, Pfad ist /b"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Language", v.language)
		if got := string(f.speech(r).toldHTML(v.group, v.text)); got != v.want {
			t.Errorf("%s of %s in %s: %s, want %s", v.text, v.group, v.language, got, v.want)
		}
	}
}

type listed struct{ table Table }

func (l listed) Table() Table { return l.table }

// TestAFileIsReadInLargeParts holds that a file asks for more at once than a page.
func TestAFileIsReadInLargeParts(t *testing.T) {
	t.Parallel()
	var got []int
	get := listDeskOf(t, func(ctx context.Context, r *http.Request, v *Visit) (string, any, error) {
		got = append(got, PerPage(ctx, 2, 500))
		return readNumbers(ctx, r, v)
	})
	get("numbers")
	get("numbers.csv?days=7")
	if want := "[2 500 500 500 500]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
