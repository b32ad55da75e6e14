package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
)

// sent is a request with a form.
func sent(t *testing.T, form url.Values) *http.Request {
	t.Helper()
	r := httptest.NewRequest("POST", "/console/", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if err := r.ParseForm(); err != nil {
		t.Fatal(err)
	}
	return r
}

// forms are the operations that the console asks for by forms.
var forms = []any{
	operator.OpenAccount{}, operator.Pay{}, operator.LimitAccount{}, operator.SuspendAccount{},
	operator.AddLicense{}, operator.AddSubscription{}, operator.SuspendGrant{}, operator.SetQuota{}, operator.Onboard{},
}

// TestFormsAreReadAsTheyAreDrawn fills in the inputs of every form, and finds each in what its
// operation is told; an empty form tells nothing.
func TestFormsAreReadAsTheyAreDrawn(t *testing.T) {
	t.Parallel()
	units := quotaUnits("USD")
	for _, in := range forms {
		var drawn strings.Builder
		if err := console().Templates("en").ExecuteTemplate(&drawn, "inputs", inputs(in, units)); err != nil {
			t.Fatal(err)
		}
		form, count := url.Values{"unit": {"burst"}, "long": {"3"}, "period": {"days"}}, 0
		for _, one := range inputs(in, units) {
			count++
			value := "word"
			switch one.Kind {
			case "date":
				value = "2028-01-31"
			case "quota", "hidden":
				value = "7"
			case "radio", "select":
				value = one.Choices[len(one.Choices)-1].Name
				if value == "" {
					value = one.Choices[0].Name
				}
			}
			if one.Kind != "hidden" && one.Label == "" {
				t.Errorf("%T: %s has no label", in, one.Name)
			}
			element := "<input"
			if one.Kind == "select" || one.Kind == "site" {
				element = "<select"
			}
			if !regexp.MustCompile(element + `[^>]* name="` + one.Name + `"`).MatchString(drawn.String()) {
				t.Errorf("%T: %s is not drawn as %s>:\n%s", in, one.Name, element, drawn.String())
			}
			form.Set(one.Name, value)
		}
		told := reflect.New(reflect.TypeOf(in))
		if err := read(sent(t, form), told.Interface()); err != nil {
			t.Errorf("%T: %v", in, err)
		}
		set := 0
		for _, f := range reflect.VisibleFields(told.Type().Elem()) {
			if _, _, asked := formName(f); asked && !told.Elem().FieldByIndex(f.Index).IsZero() {
				set++
			}
		}
		if set != count {
			t.Errorf("%T: %d of %d inputs were read: %+v", in, set, count, told.Elem())
		}
		empty := reflect.New(reflect.TypeOf(in))
		if err := read(sent(t, nil), empty.Interface()); err != nil ||
			!reflect.DeepEqual(empty.Elem().Interface(), in) {
			t.Errorf("%T: an empty form is %+v, %v", in, empty.Elem(), err)
		}
	}
}

func TestFormsAreReadInTheWordsOfTheCommandLine(t *testing.T) {
	t.Parallel()
	var give operator.AddSubscription
	form := url.Values{
		"currency": {" usd "}, "paths": {"/a/**  /b"}, "ends": {"2028-01-31"}, "most": {"10"}, "unit": {"burst"},
		"long": {"90"}, "period": {"minutes"},
	}
	if err := read(sent(t, form), &give); err != nil {
		t.Fatal(err)
	}
	want := operator.AddSubscription{Currency: "USD", Quota: []string{"burst=10/90m"}}
	want.Paths, want.Ends = []string{"/a/**", "/b"}, "2028-01-31T00:00:00Z"
	if !reflect.DeepEqual(give, want) {
		t.Errorf("%+v, want %+v", give, want)
	}
	for name, value := range map[string]string{"ends": "soon", "most": "many", "long": "0", "period": "years"} {
		wrong := url.Values{}
		for name, values := range form {
			wrong[name] = values
		}
		wrong.Set(name, value)
		if err := read(sent(t, wrong), &give); fail.From(err).Code != fail.Invalid {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	in := operator.Pay{AccountName: operator.AccountName{Currency: "EUR"}}
	for _, one := range inputs(in, nil) {
		if one.Name == "amount" && (one.Label != "amount" || one.Of != "EUR" || !one.Must || one.Kind != "decimal") {
			t.Errorf("%+v", one)
		}
	}
}
