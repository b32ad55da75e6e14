package intake_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/wire/intake"
)

// Messages that are right and have no doubts.
const (
	schema   = `{"type":"object","required":["age"],"properties":{"age":{"type":"string","enum":["30-39","40-49"]},"note":{"type":"string","maxLength":10}}}`
	manifest = `{"aip_version":"0.1.0","provider":{"name":"The Clinic","url":"https://example.com/","contact_email":"desk@example.com"},
"intakes":[{"id":"health","name":"Health","description":"Looks at you.","endpoint":"https://example.com/intake/health","method":"POST","category":"health/assessment",
"input_schema":` + schema + `,"offer_type":"plan","binding_available":true,"requires_auth":false,
"privacy":{"data_retention":"none","pii_required":false,"redacted_acceptable":true},"rate_limit":{"requests_per_minute":10,"requests_per_day":100}}]}`
	session = "7f2c1f3e-90b1-4c55-8d0c-3e6f0a1d2b4c"
	request = `{"aip_version":"0.1.0","agent":{"id":"a1","platform":"example","consent_scope":["intake","offer"]},"intake_data":{"age":"30-39"},"session_id":"` + session + `"}`
	offer   = `{"aip_version":"0.1.0","session_id":"` + session + `","status":"offer","offer":{"id":"o1","summary":"A plan.","details":{"price":12.50},
"expires":"2026-12-06T00:00:00Z","bind_endpoint":"https://example.com/intake/health/bind","bind_requires":["email"]}}`
	declined = `{"aip_version":"0.1.0","session_id":"` + session + `","status":"declined","decline_reason":"We are full."}`
	pending  = `{"aip_version":"0.1.0","session_id":"` + session + `","status":"pending","metadata":{"retry_after_seconds":30}}`
	failed   = `{"aip_version":"0.1.0","session_id":"` + intake.Nil + `","status":"error","error":{"code":"INVALID_INPUT","message":"no"}}`
	bind     = `{"offer_id":"o1","session_id":"` + session + `","bind_data":{"email":"user@example.com"},"agent":{"id":"a1","consent_scope":["bind"]}}`
	bound    = `{"aip_version":"0.1.0","session_id":"` + session + `","offer_id":"o1","status":"bound","message":"Done.","bound_at":"2026-11-22T10:00:00Z"}`
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func TestGoodMessagesRaiseNoDoubts(t *testing.T) {
	t.Parallel()
	for text, k := range map[string]intake.Kind{
		manifest: intake.KindManifest, request: intake.KindRequest, offer: intake.KindResponse,
		declined: intake.KindResponse, pending: intake.KindResponse,
		failed: intake.KindResponse, bind: intake.KindBind, bound: intake.KindBound,
	} {
		if found := intake.Check(k, []byte(text), intake.Options{Now: now}); len(found) != 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// TestTheProseIsChecked changes one text of a message that is right, and names what must be found.
func TestTheProseIsChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k                       intake.Kind
		text, old, new          string
		pointer, rule, severity string
	}{
		{intake.KindManifest, manifest, `"0.1.0"`, `"0.2.0"`, "/aip_version", "aip_version", "error"},
		{intake.KindManifest, manifest, `"https://example.com/"`, `"http://example.com/"`, "/provider/url", "manifest provider.url", "warning"},
		{intake.KindManifest, manifest, `"https://example.com/intake/health"`, `"http://example.com/intake/health"`, "/intakes/0/endpoint", "manifest intakes.endpoint", "error"},
		{intake.KindManifest, manifest, `"https://example.com/intake/health"`, `"ftp://example.com/"`, "/intakes/0/endpoint", "manifest intakes.endpoint", "error"},
		{intake.KindManifest, manifest, `"https://example.com/intake/health"`, `"https://u:p@example.com/"`, "/intakes/0/endpoint", "manifest intakes.endpoint", "error"},
		{intake.KindManifest, manifest, `"health/assessment"`, `"b2b/vendor"`, "/intakes/0/category", "manifest intakes.category", "warning"},
		{intake.KindManifest, manifest, `"type":"object","required"`, `"required"`, "/intakes/0/input_schema", "manifest intakes.input_schema", "error"},
		{intake.KindManifest, manifest, `"maxLength":10`, `"format":"phone"`, "/intakes/0/input_schema", "manifest intakes.input_schema", "warning"},
		{intake.KindManifest, manifest, `"note":`, `"email":`, "/intakes/0/input_schema", "manifest intakes.input_schema", "warning"},
		{intake.KindManifest, manifest, `"pii_required":false`, `"pii_required":true`,
			"/intakes/0/privacy/pii_required", "manifest intakes.privacy.pii_required", "warning"},
		{intake.KindManifest, manifest, `"data_retention":"none",`, ``, "/intakes/0", "manifest intakes.privacy.data_retention", "warning"},
		{intake.KindManifest, manifest, `"requests_per_minute":10,"requests_per_day":100`, ``, "/intakes/0", "manifest intakes.rate_limit", "warning"},
		{intake.KindManifest, manifest, `"requests_per_day":100}}]}`, `"requests_per_day":100}}],"certification":{"certified":true}}`, "/certification/certified", "manifest certification.certified", "warning"},
		{intake.KindManifest, manifest, `"requests_per_day":100}}]}`, `"requests_per_day":100}}],"certification":{"expires":"2026-11-21"}}`, "/certification/expires", "manifest certification.expires", "warning"},
		{intake.KindManifest, manifest, `"method":"POST",`, ``, "/intakes/0", "manifest intakes.method", "error"},
		{intake.KindManifest, manifest, `{"name":"The Clinic"`, `{"extensions":{},"name":"The Clinic"`, "/provider/extensions", "manifest provider.extensions", "error"},

		{intake.KindRequest, request, session, "7f2c1f3e-90b1-1c55-8d0c-3e6f0a1d2b4c", "/session_id",
			"request session_id", "error"},
		{intake.KindRequest, request, session, "7f2c1f3e-90b1-4c55-cd0c-3e6f0a1d2b4c", "/session_id",
			"request session_id", "error"},
		{intake.KindRequest, request, session, "test-001", "/session_id", "request session_id", "error"},
		{intake.KindRequest, request, `["intake","offer"]`, `["offer"]`, "/agent/consent_scope", "request agent.consent_scope", "error"},
		{intake.KindRequest, request, `["intake","offer"]`, `["intake","intake"]`, "/agent/consent_scope", "request agent.consent_scope", "error"},
		{intake.KindRequest, request, `"0.1.0"`, `"0.2.0"`, "/aip_version", "aip_version", "error"},
		{intake.KindRequest, request, `"0.1.0"`, `"1.1.0"`, "/aip_version", "aip_version", "error"},
		{intake.KindRequest, request, `{"aip_version"`, `{"intake_id":"health","aip_version"`, "/intake_id", "request intake_id", "error"},
		{intake.KindRequest, request, `{"aip_version"`, `{"Aip_version":"0.1.0","aip_version"`, "/Aip_version", "request Aip_version", "error"},
		{intake.KindRequest, request, `{"aip_version"`, `{"aip_version":"0.1.0","aip_version"`, "/aip_version", "json", "error"},

		{intake.KindResponse, offer, `"expires":"2026-12-06T00:00:00Z"`, `"expires":"2026-11-22T10:00:00Z"`, "/offer/expires", "response offer.expires", "warning"},
		{intake.KindResponse, offer, `"A plan."`, `" "`, "/offer/summary", "response offer.summary", "warning"},
		{intake.KindResponse, offer, `https://example.com/intake/health/bind`, `http://example.com/intake/health/bind`, "/offer/bind_endpoint", "response offer.bind_endpoint", "error"},
		{intake.KindResponse, offer, `"status":"offer"`, `"status":"pending"`, "/offer", "response offer", "warning"},
		{intake.KindResponse, offer, `"status":"offer"`, `"status":"offer","error":{"code":"INTERNAL_ERROR","message":"x"}`, "/error", "response error", "warning"},
		{intake.KindResponse, offer, `"status":"offer"`, `"status":"offer","decline_reason":"x"`, "/decline_reason", "response decline_reason", "warning"},
		{intake.KindResponse, declined, `,"decline_reason":"We are full."`, ``, "", "response decline_reason", "warning"},
		{intake.KindResponse, declined, `"declined"`, `"offer"`, "", "response offer", "error"},
		{intake.KindResponse, failed, `,"error":{"code":"INVALID_INPUT","message":"no"}`, ``, "", "response error", "warning"},
		{intake.KindResponse, failed, `"INVALID_INPUT"`, `"OOPS"`, "/error/code", "response error.code", "warning"},
		{intake.KindResponse, failed, `"message":"no"`, `"message":"no","retry_after":3`, "/error/retry_after", "response error.retry_after", "error"},
		{intake.KindResponse, failed, `"` + intake.Nil + `"`, `null`, "/session_id", "response session_id", "error"},

		{intake.KindBind, bind, `["bind"]`, `["intake","offer"]`, "/agent/consent_scope", "bind agent.consent_scope", "error"},
		{intake.KindBind, bind, `"id":"a1"`, `"id":"a1","platform":"x"`, "/agent/platform", "bind agent.platform", "error"},
		{intake.KindBind, bind, `{"offer_id"`, `{"aip_version":"0.1.0","offer_id"`, "/aip_version", "aip_version", "error"},
		{intake.KindBound, bound, `"0.1.0"`, `"0.3.0"`, "/aip_version", "aip_version", "error"},
	} {
		text := strings.Replace(c.text, c.old, c.new, 1)
		if text == c.text {
			t.Fatalf("%q is not in %s", c.old, c.text)
		}
		found := intake.Check(c.k, []byte(text), intake.Options{Now: now})
		if !slices.ContainsFunc(found, func(f intake.Finding) bool {
			return f.Pointer == c.pointer && (f.Rule == c.rule || c.rule == "aip_version" &&
				f.Rule == string(c.k)+" aip_version") && string(f.Severity) == c.severity
		}) {
			t.Errorf("%s instead of %s: %v", c.new, c.old, found)
		}
		for _, f := range found {
			if f.Detail == "" || f.Mend == "" || f.Rule == "" {
				t.Errorf("a finding says too little: %+v", f)
			}
		}
	}
}

// What is missing is called missing, and not a version that nobody speaks; one that is there and
// empty stays wrong.
func TestAMissingVersionIsCalledMissing(t *testing.T) {
	t.Parallel()
	for k, text := range map[intake.Kind]string{
		intake.KindManifest: manifest, intake.KindRequest: request, intake.KindResponse: offer, intake.KindBound: bound,
	} {
		found := intake.Check(k, []byte(strings.Replace(text, `"aip_version":"0.1.0",`, "", 1)), intake.Options{Now: now})
		if first := found.First(); first == nil || first.Detail != `"aip_version" is missing` ||
			strings.Contains(fmt.Sprint(found), "is no version") {
			t.Errorf("a %s without a version: %v", k, found)
		}
		if intake.Check(k, []byte(strings.Replace(text, `"aip_version":"0.1.0"`, `"aip_version":""`, 1)), intake.Options{Now: now}).Valid() {
			t.Errorf("a %s of an empty version is valid", k)
		}
	}
}

// Two intakes with the same id or endpoint cannot be told apart.
func TestIntakesAreToldApart(t *testing.T) {
	t.Parallel()
	one := manifest[strings.Index(manifest, `{"id"`):strings.LastIndex(manifest, `]}`)]
	for _, c := range []struct{ other, rule string }{
		{strings.Replace(one, `intake/health"`, `intake/other"`, 1), "manifest intakes.id"},
		{strings.Replace(strings.Replace(one, `"id":"health"`, `"id":"other"`, 1), "https://example.com",
			"https://EXAMPLE.com", 1), "manifest intakes.endpoint"},
	} {
		found := intake.Check(intake.KindManifest, []byte(strings.Replace(manifest, one, one+","+c.other, 1)),
			intake.Options{Now: now})
		if len(found) != 1 || found[0].Rule != c.rule || found[0].Severity != intake.Wrong {
			t.Errorf("%s: %v", c.rule, found)
		}
	}
}

func TestCategories(t *testing.T) {
	t.Parallel()
	for category, want := range map[string]string{
		"health/assessment": "", "b2b/vendor": "wide", "a/b_c": "", "home-care/night_shift": "wide", "a/b-c": "wide",
		"a/_b": "", "health": "none", "/x": "none", "a/": "none", "A/b": "none",
		"a/b/c": "none", "a b/c": "none", "-a/b": "none",
	} {
		text := []byte(strings.Replace(manifest, "health/assessment", category, 1))
		_, err := intake.ReadManifest(text, intake.Options{})
		_, strict := intake.ReadManifest(text, intake.Options{StrictUpstream: true})
		if got := map[[2]bool]string{{true, true}: "", {true, false}: "wide",
			{false, false}: "none"}[[2]bool{err == nil, strict == nil}]; got != want || err != nil && strict == nil {
			t.Errorf("%s is %q: %v, %v", category, got, err, strict)
		}
	}
}

func TestWhatBindsMiss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, code string }{
		{`"bind_data":{"email":"user@example.com"},`, ``, intake.CodeBindIncomplete},
		{`{"email":"user@example.com"}`, `null`, intake.CodeBindIncomplete},
		{`{"email":"user@example.com"}`, `"x"`, intake.CodeInvalidInput},
		{`"user@example.com"`, `null`, intake.CodeBindIncomplete},
		{`"user@example.com"`, `""`, intake.CodeBindIncomplete},
		{`"user@example.com"`, `"  "`, intake.CodeBindIncomplete},
		{`"user@example.com"`, `"user"`, intake.CodeInvalidInput},
		{`"user@example.com"`, `7`, intake.CodeInvalidInput},
		{`"email":"user@example.com"`, `"full_name":""`, intake.CodeBindIncomplete},
		{`"email":"user@example.com"`, `"full_name":null,"email":"no"`, intake.CodeInvalidInput},
		{`"email":"user@example.com"`, `"phone":7`, intake.CodeInvalidInput},
		{`"email":"user@example.com"`, `"address":"here"`, intake.CodeInvalidInput},
		{`"email":"user@example.com"`, `"address":{"street":null}`, intake.CodeInvalidInput},
		{`"offer_id":"o1"`, `"offer_id":""`, intake.CodeInvalidInput},
		{`["bind"]`, `["intake"]`, intake.CodeInvalidInput},
		{`"bind_data":{"email":"user@example.com"},"agent":{"id":"a1","consent_scope":["bind"]}`, `"agent":{"id":"a1","consent_scope":["offer"]}`, intake.CodeInvalidInput},
		{`{"offer_id"`, `{"bind_data":{},"offer_id"`, intake.CodeInvalidInput},
	} {
		_, err := intake.ReadBind([]byte(strings.Replace(bind, c.old, c.new, 1)), intake.Options{})
		var problem *intake.Problem
		if !errors.As(err, &problem) || problem.Code != c.code {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	got, err := intake.ReadBind([]byte(strings.Replace(bind, `"email"`, `"company":"","other":null,"phone":" ","list":[],"zero":0,"no":false,"email"`, 1)), intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if missing := got.Missing([]string{"email", "company", "zero", "phone", "absent", "other", "no",
		"list"}); !slices.Equal(missing, []string{"company", "phone", "absent", "other", "list"}) {
		t.Errorf("missing are %q", missing)
	}
}

func TestLenientBinds(t *testing.T) {
	t.Parallel()
	for extra, lenient := range map[string]bool{
		`"aip_version":"0.1.3",`: true, `"aip_version":"0.2.0",`: false, `"aip_version":7,`: false, `"version":"0.1.0",`: false,
	} {
		text := []byte(`{` + extra + bind[1:])
		_, err := intake.ReadBind(text, intake.Options{})
		got, tolerated := intake.ReadBind(text, intake.Options{Lenient: true})
		if err == nil || (tolerated == nil) != lenient || lenient && got.OfferID != "o1" {
			t.Errorf("%s: %v, %v", extra, err, tolerated)
		}
	}
	for extra, lenient := range map[string]bool{`"platform":"p","name":"n",`: true, `"platform":7,`: false, `"model":"x",`: false} {
		text := []byte(strings.Replace(bind, `{"id"`, `{`+extra+`"id"`, 1))
		_, err := intake.ReadBind(text, intake.Options{})
		if _, tolerated := intake.ReadBind(text, intake.Options{Lenient: true}); err == nil ||
			(tolerated == nil) != lenient {
			t.Errorf("%s: %v, %v", extra, err, tolerated)
		}
	}
}

func TestTheSessionOfAnError(t *testing.T) {
	t.Parallel()
	upper := strings.ToUpper(session)
	for text, want := range map[string]string{
		request: session, strings.Replace(request, session, upper, 1): upper, `{"session_id":"7f2c1f3e-90b1-1c55-8d0c-3e6f0a1d2b4c"}`: "7f2c1f3e-90b1-1c55-8d0c-3e6f0a1d2b4c",
		`{"session_id":"test-001"}`: intake.Nil, `{"session_id":7}`: intake.Nil, `{`: intake.Nil, ``: intake.Nil, `[]`: intake.Nil, `{"session_id":null}`: intake.Nil,
		`{"session_id":"` + session + `","session_id":"` + session + `"}`: intake.Nil, `{"session_id":"` + session + `\u0000"}`: intake.Nil,
	} {
		if got := intake.SessionOf([]byte(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if !intake.SameSession(session, upper) || intake.SameSession(session, intake.Nil) {
		t.Error("sessions are compared wrongly")
	}
}

// Numbers in what is submitted keep their text.
func TestNumbersKeepTheirText(t *testing.T) {
	t.Parallel()
	got, err := intake.ReadRequest([]byte(strings.Replace(request, `{"age":"30-39"}`, `{"n":1.50, "big":12345678901234567890}`, 1)), intake.Options{})
	if err != nil || string(got.IntakeData) != `{"n":1.50, "big":12345678901234567890}` {
		t.Errorf("%s, %v", got.IntakeData, err)
	}
}

// What is found says nothing of what a person told, not even where that is a member's name.
func TestFindingsShowNothing(t *testing.T) {
	t.Parallel()
	const datum = "jane.doe@example.com"
	for text, k := range map[string]intake.Kind{
		strings.Replace(request, `{"aip_version"`, `{"`+datum+`":1,"aip_version"`, 1): intake.KindRequest,
		strings.Replace(request, `"a1"`, `{"`+datum+`":1}`, 1):                        intake.KindRequest,
		strings.Replace(request, `"0.1.0"`, `"`+datum+`"`, 1):                         intake.KindRequest,
		strings.Replace(request, session, datum,
			1): intake.KindRequest,
		strings.Replace(request, `"offer"]`, `"`+datum+`"]`, 1):                                            intake.KindRequest,
		strings.Replace(request, `"session_id"`, `"metadata":{"locale":"`+datum+`"},"session_id"`, 1):      intake.KindRequest,
		strings.Replace(bind, `"user@example.com"`, `"`+datum+` x"`, 1):                                    intake.KindBind,
		strings.Replace(bind, `{"offer_id"`, `{"`+datum+`":{},"`+datum+`":{},"offer_id"`, 1):               intake.KindBind,
		strings.Replace(bind, `"agent"`, `"metadata":{"user_confirmed_at":"`+datum+`"},"agent"`, 1):        intake.KindBind,
		strings.Replace(bind, `{"email"`, `{"address":{"`+datum+`":1},"phone":{"`+datum+`":1},"email"`, 1): intake.KindBind,
	} {
		found := intake.Check(k, []byte(text), intake.Options{})
		if len(found) == 0 {
			t.Errorf("nothing is found in %s", text)
		}
		for _, f := range found {
			if strings.Contains(f.String()+f.Rule, "jane") {
				t.Errorf("%+v", f)
			}
		}
	}
}

func TestAnOfferGoesWithItsRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, new string
		binding  bool
		rules    []string
	}{
		{"", "", true, nil},
		{session, strings.ToUpper(session), true, nil},
		{session, intake.Nil, true, []string{"answer session_id"}},
		{"", "", false, []string{"answer offer.bind_endpoint"}},
		{`"bind_endpoint":"https://example.com/intake/health/bind",`, ``, true, []string{"answer offer.bind_endpoint"}},
		{`,"bind_requires":["email"]`, ``, true, []string{"answer offer.bind_requires"}},
		{`["email"]`, `[]`, true, nil},
		{`"expires":"2026-12-06T00:00:00Z",`, ``, true, []string{"answer offer.expires"}},
		{`2026-12-06T00:00:00Z`, `2026-11-22T11:00:00+01:00`, true, []string{"answer offer.expires"}},
		{`2026-12-06T00:00:00Z`, `2026-11-22T10:00:00.001Z`, true, nil},
		{`"bind_endpoint":"https://example.com/intake/health/bind","bind_requires":["email"]`, `"terms_url":"https://example.com/terms"`, false, nil},
	} {
		m, err := intake.ReadManifest([]byte(manifest), intake.Options{})
		r, err2 := intake.ReadRequest([]byte(request), intake.Options{})
		answer, err3 := intake.ReadResponse([]byte(strings.Replace(offer, c.old, c.new, 1)), intake.Options{})
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		m.Intakes[0].BindingAvailable = c.binding
		var rules []string
		for _, f := range intake.CheckOffer(&m.Intakes[0], r, answer, now) {
			rules = append(rules, f.Rule)
		}
		if !slices.Equal(rules, c.rules) {
			t.Errorf("%q for %q: %q", c.new, c.old, rules)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]time.Duration{`{"retry_after_seconds":30,"x":1}`: 30 * time.Second, `{}`: 0, `{"retry_after_seconds":"30"}`: 0, `{"retry_after_seconds":-1}`: 0, `{"retry_after_seconds":1e300}`: 366 * 24 * time.Hour} {
		r := intake.Response{Metadata: []byte(metadata)}
		if got := r.RetryAfter(); got != want {
			t.Errorf("%s: %s", metadata, got)
		}
	}
}
