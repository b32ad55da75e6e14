package console

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/identity"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/operator/console/content"
	"frontdesk/internal/operator/console/embedding"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/home"
	"frontdesk/internal/operator/console/keys"
	"frontdesk/internal/operator/console/questions"
	"frontdesk/internal/operator/console/settings"
	"frontdesk/internal/operator/console/terms"
	"frontdesk/internal/operator/console/tuning"
	"frontdesk/internal/operator/console/visitors"
)

// drawn are the pages of the console, and what each has as its body.
var drawn = map[string]any{
	"problem": false, "login": nil, "begin": frame.Beginning{}, "begun": frame.Beginning{}, "found": frame.Findings{},
	"home": home.Body{}, "questions": questions.List{}, "question": questions.One{},
	"keys": keys.List{}, "key": keys.One{}, "key-new": keys.Form{}, "key-made": keys.Made{}, "people": keys.People{},
	"person": keys.OnePerson{}, "invited": keys.Invitation{},
	"embed": embedding.Body{}, "visitors": visitors.List{}, "visitor": visitors.One{},
	"tuning": tuning.Body{}, "tuning-form": tuning.Form{},
	"content": content.List{}, "content-source": content.One{}, "content-item": content.Whole{},
	"content-problems": content.Problems{}, "content-add": content.Addition{},
	"terms": terms.Body{}, "terms-edit": terms.Form{}, "terms-history": terms.History{},
	"terms-version": terms.Version{}, "receipts": receiptsBody{}, "receipt": receiptBody{}, "denials": denialsBody{},
	"settings": settings.Body{},
	"inbox":    inboxBody{}, "request": &requestBody{}, "erase": eraseBody{},
	"sales": salesBody{}, "sales-catalog": shelfBody{}, "sales-offers": offersBody{}, "sales-offer": offerBody{},
	"sales-transactions": transactionsBody{}, "sales-transaction": transactionBody{},
	"sales-deliveries": deliveriesBody{}, "sales-delivery": deliveryBody{},
	"sales-disputes": disputesBody{}, "sales-dispute": disputeBody{}, "sales-measures": measuresBody{},
	"sales-bots": botsBody{}, "sales-reconciliation": reconciledBody{}, "sales-leakage": leakageBody{},
	"sales-owed": owedBody{}, "sales-accounts": accountsBody{}, "sales-account": accountBody{},
	"sales-grants": grantsBody{}, "sales-grant": grantBody{}, "sales-tenants": tenantsBody{},
	"sales-tenant": tenantBody{}, "sales-domains": domainsBody{}, "sales-domain": domainBody{},
	"sales-requesters": requestersBody{}, "sales-reports": reportsBody{},
}

// wrongVerb is what package fmt writes for a value that does not fit its place.
var wrongVerb = regexp.MustCompile(`%![^ <]*`)

// lostQuery is a query that is one word, since a template was given it behind the question mark.
var lostQuery = regexp.MustCompile(`href="[^"?]*\?[^"=]*%3[dD][^"]*`)

// console is a console that has every page.
func console() *frame.Frame {
	return Owner(OwnerConfig{
		Config: frame.Config{
			Now:       func() time.Time { return time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC) },
			PublicURL: func(*http.Request) string { return "https://desk.example" },
		},
		Questions: &questions.Config{}, Inbox: &InboxConfig{}, Sales: &SalesConfig{},
	})
}

// TestEachPageIsDrawn draws every page in every language, and in the first one for nobody and for
// each role: with as little as it may have, and with everything.
func TestEachPageIsDrawn(t *testing.T) {
	t.Parallel()
	f := console()
	for name, body := range drawn {
		for _, language := range i18n.Languages {
			roles := []string{identity.Owner}
			if language == i18n.Languages[0] {
				roles = append(roles, "", identity.Operator, identity.Editor, identity.Viewer)
			}
			for _, role := range roles {
				for _, full := range []bool{false, true} {
					s := frame.Sheet{Title: "A title", Page: name, Problem: "A problem."}
					if role != "" {
						s.In, s.CSRF = &identity.Login{Name: "Ana", Role: role}, "token"
					}
					if body != nil {
						one := reflect.New(reflect.TypeOf(body)).Elem()
						fill(one, full, identity.May(role, identity.Operate), 8)
						s.Body = one.Interface()
					}
					if full {
						s.Range = frame.ReadRange(httptest.NewRequest("GET", "/console/", nil), f.Now())
						s.Actions = []frame.Action{{Text: "Download", Href: "x.csv", Out: true}}
					}
					var out bytes.Buffer
					if err := f.Templates(language).ExecuteTemplate(&out, "sheet", s); err != nil {
						t.Errorf("%s for %q in %s, full: %v: %v", name, role, language, full, err)
					} else if !strings.Contains(out.String(), "<h1>") {
						t.Errorf("%s for %q, full: %v, has no heading:\n%s", name, role, full, out.String())
					}
					if wrong := wrongVerb.FindString(out.String()); wrong != "" {
						t.Errorf("%s in %s says %s", name, language, wrong)
					}
					if lost := lostQuery.FindString(out.String()); lost != "" {
						t.Errorf("%s: %s leads elsewhere: a value has to begin before its query", name, lost)
					}
				}
			}
		}
	}
}

// TestWordsOfProtocolsHaveTexts holds that pages say what entries of the ledger and refusals are,
// and not the words of protocols.
func TestWordsOfProtocolsHaveTexts(t *testing.T) {
	t.Parallel()
	f := console()
	for key, all := range map[string][]string{
		"receipts.of_": strings.Fields("account licence subscription content_rule price terms_version setting tenant " +
			"domain"),
		"receipts.did_": strings.Fields("open credit debit expire limit suspend resume add quota end put remove " +
			"price publish put_back set reset verified refused lapsed forgotten"),
		"receipts.kind_": kinds, "receipts.verdict_": verdicts, "receipts.erased_": {"asked", "retention"},
		"denials.is_": reasons, "denials.means_": reasons, "bots.is_": outcomes, "bots.means_": outcomes,
		"inbox.is_": states, "purchases.is_": texts(holds), "purchases.duty_": slices.Collect(maps.Values(duties)),
		"disputes.is_": texts(disputes.Statuses), "disputes.why_": texts(disputes.Reasons),
		"disputes.came_": texts(disputes.Resolutions), "disputes.do_": texts(disputes.Resolutions),
		"deliveries.is_": texts(deliveryStates), "reconciled.kind_": reconciledKinds, "leakage.is_": leakKinds,
		"leakage.about_": leakKinds, "domains.is_": domainStates, "grants.unit_": accounts.Units,
		"grants.kind_": {accounts.GrantLicence, accounts.GrantSubscription},
		"list.is_":     {accounts.Active, accounts.Suspended, accounts.Ended},
		"shelf.absent_": texts([]exchange.Absence{
			exchange.NotInCatalog, exchange.ScopeMissing, exchange.NotAuthorised, exchange.NotLicensed,
			exchange.FunctionExcluded, exchange.UserExcluded, exchange.CountryExcluded, exchange.NotNow,
		}),
		"measures.is_": texts([]enforcement.Level{
			enforcement.Warning, enforcement.Flagged, enforcement.Investigated, enforcement.ImprovementPlan,
			enforcement.RateLimited, enforcement.Closure,
		}),
		"downloads.is_": reported(), "downloads.about_": reported(), "owed.is_": owing(), "owed.about_": owing(),
	} {
		for _, word := range all {
			if !f.Says(key + strings.ReplaceAll(word, " ", "_")) {
				t.Errorf("there is no text %s", key+word)
			}
		}
	}
}

func texts[S ~string](words []S) (all []string) {
	for _, word := range words {
		all = append(all, strings.ToLower(string(word)))
	}
	return all
}

func reported() (all []string) {
	for _, kind := range reportKinds {
		all = append(all, kind.Name)
	}
	return all
}

func owing() (all []string) {
	for _, state := range owedStates {
		all = append(all, state.name)
	}
	return all
}

// fill sets what a page shows: what is embedded by a pointer is always there, and the rest where it
// is full. Of what says that somebody may do something, that is said.
func fill(v reflect.Value, full, may bool, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), full, may, depth-1)
		}
		return
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			if full {
				v.Set(reflect.ValueOf(time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)))
			}
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			one := v.Field(i)
			if field.Anonymous && !field.IsExported() { // its own fields can be set all the same
				if one.Kind() == reflect.Struct {
					fill(one, full, may, depth)
				}
				continue
			}
			switch {
			case !one.CanSet():
			case field.Name == "May" && one.Kind() == reflect.Bool:
				one.SetBool(may)
			case full || field.Anonymous:
				fill(one, full, may, depth)
			}
		}
		return
	}
	if !full || depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("word")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		v.SetUint(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(states)) // the one that is any
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), full, may, depth-1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, full, may, depth-1)
		fill(value, full, may, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}

// TestTemplatesNameWhatIsThere follows every template with the types that it is drawn with, through
// all of its branches: each field, method, function and template that it names has to be there.
func TestTemplatesNameWhatIsThere(t *testing.T) {
	t.Parallel()
	f := console()
	all, known := f.Templates("en"), f.Functions()
	maps.Copy(known, functions(nil))
	c := newChecker(all, known)
	c.says = f.Says
	for name, body := range drawn {
		c.body = reflect.TypeOf(body)
		c.draw(name, reflect.TypeFor[frame.Sheet]())
	}
	c.body = nil
	c.draw("sheet", reflect.TypeFor[frame.Sheet]())
	for problem := range c.problems {
		t.Error(problem)
	}
	for _, one := range all.Templates() {
		if !strings.HasSuffix(one.Name(), ".html") && one.Name() != "console" && !c.drawn[one.Name()] {
			t.Errorf("no page draws the template %s", one.Name())
		}
	}
}

// TestWhatIsNotThereIsFound holds the check against templates that name what is not there.
func TestWhatIsNotThereIsFound(t *testing.T) {
	t.Parallel()
	type inner struct{ Name string }
	type outer struct {
		Rows []inner
		At   time.Time
		Of   map[string]inner
	}
	for text, want := range map[string]string{
		`{{range .Rows}}{{.Name}}{{end}}{{range $i, $r := .Rows}}{{$r.Name}}{{$.At.Year}}{{end}}`:      "",
		`{{with .Of}}{{range .}}{{.Name}}{{end}}{{end}}{{if and .At .Rows}}{{(index .Rows 0)}}{{end}}`: "",
		`{{define "row"}}{{.Name}}{{end}}{{range .Rows}}{{template "row" .}}{{end}}`:                   "",
		`{{.Row}}`:                                    "outer has no Row",
		`{{if false}}{{.Row}}{{end}}`:                 "outer has no Row",
		`{{range .Rows}}{{.Nam}}{{end}}`:              "inner has no Nam",
		`{{range .Rows}}{{else}}{{.Nam}}{{end}}`:      "outer has no Nam",
		`{{with .At}}{{.Yaer}}{{end}}`:                "Time has no Yaer",
		`{{$r := .Rows}}{{range $r}}{{$.Nam}}{{end}}`: "outer has no Nam",
		`{{day .Rows}}`:                               "day takes no []console.inner",
		`{{define "row"}}{{.Nam}}{{end}}{{range .Rows}}{{template "row" .}}{{end}}`: "inner has no Nam",
	} {
		functions := template.FuncMap{"day": func(t time.Time) string { return t.String() }}
		c := newChecker(template.Must(template.New("one").Funcs(functions).Parse(text)), functions)
		c.draw("one", reflect.TypeFor[outer]())
		found := fmt.Sprint(c.problems)
		if want == "" && len(c.problems) > 0 || !strings.Contains(found, want) {
			t.Errorf("%s: %s, want %q", text, found, want)
		}
	}
}
