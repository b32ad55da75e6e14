package intent_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/wire/intent"
	"frontdesk/wire/strictjson"
)

// Documents that are right and have no doubts.
const (
	declaration = `{"aip_version":"0.1","publisher":{"id":"example","name":"The Example","domain":"example.com"},
"intent_access":{"enabled":true,"mode":"live_only","training_use":false,"storage_rights":"none"},"editorial_domains":["finance.markets","food"],
"endpoints":{"retrieve":{"method":"POST","url":"https://example.com/intent/retrieve","capabilities_ref":"retrieval"},
"event":{"method":"POST","url":"https://example.com/intent/events","required":true}},
"retrieval":{"supports":{"chunks":true,"citations":true,"full_article":false},"max_chunks":2,"max_tokens":100},
"compliance":{"revocable":true,"notice_required":false,"sunset":"2026-12-31","last_updated":"2025-11-14"}}`
	request = `{"aip_version":"0.1","request_id":"r1","timestamp":"2025-11-14T18:22:00Z","platform":{"id":"example_chat"},
"intent":{"domain":"finance.markets"},"context":{"language":"en-US"},"runtime":{"session_id":"s1","turn_index":0}}`
	answer = `{"aip_version":"0.1","request_id":"r1","timestamp":"2025-11-14T18:22:01Z","status":"ok",
"content":{"chunks":[{"id":"c1","text":"One.","token_count":1},{"id":"c2","text":"Two.","token_count":1}]},
"citations":[{"source_url":"https://www.example.com/one","title":"One","chunk_ids":["c1","c2"]}],"limits_applied":{"max_chunks":2,"max_tokens":50}}`
	denied   = `{"aip_version":"0.1","request_id":"r1","timestamp":"2025-11-14T18:22:01Z","status":"denied","denial":{"reason":"out_of_scope"}}`
	failed   = `{"aip_version":"0.1","request_id":"r1","timestamp":"2025-11-14T18:22:01Z","status":"error","error":{"code":"no_content"}}`
	citation = `{"aip_version":"0.1","event_id":"e1","event_type":"citation","timestamp":"2025-11-14T18:22:05Z","request_id":"r1",
"publisher":{"id":"example","domain":"example.com"},"platform":{"id":"example_chat"},
"citation":{"source_url":"https://www.example.com/one","chunk_ids":["c1"],"display_surface":"answer"}}`
	access = `{"aip_version":"0.1","event_id":"e1","event_type":"access","timestamp":"2025-11-14T18:22:05Z","request_id":"r1",
"publisher":{"id":"example","domain":"example.com"},"platform":{"id":"example_chat"},"access":{"chunks_returned":2,"token_count":2,"retrieval_mode":"chunks"}}`
)

func TestGoodDocumentsRaiseNoDoubts(t *testing.T) {
	t.Parallel()
	for text, k := range map[string]intent.Kind{
		declaration: intent.KindDeclaration, request: intent.KindRequest, answer: intent.KindResponse,
		denied: intent.KindResponse,
		failed: intent.KindResponse, citation: intent.KindEvent, access: intent.KindEvent,
	} {
		if found := intent.Check(k, []byte(text),
			intent.Options{Now: time.Date(2025, 11, 15, 0, 0, 0, 0, time.UTC)}); len(found) != 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// TestTheProseIsChecked changes one text of a document that is right, and names what must be found.
func TestTheProseIsChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k                       intent.Kind
		text, old, new          string
		pointer, rule, severity string
	}{
		{intent.KindDeclaration, declaration, `"food"]`, `"finance.markets"]`, "/editorial_domains/1", "declaration editorial_domains", "warning"},
		{intent.KindDeclaration, declaration, `"enabled":true`, `"enabled":false,"state":"active"`, "/intent_access/state", "declaration intent_access.state", "warning"},
		{intent.KindDeclaration, declaration, `"chunks":true`, `"chunks":false`, "/retrieval/supports/chunks",
			"declaration retrieval.supports.chunks", "warning"},
		{intent.KindDeclaration, declaration, `"sunset":"2026-12-31"`, `"sunset":"2025-11-14"`, "/compliance/sunset", "declaration compliance.sunset", "warning"},
		{intent.KindDeclaration, declaration, `"last_updated":"2025-11-14"`, `"last_updated":"2025-12-01"`,
			"/compliance/last_updated", "declaration compliance.last_updated", "warning"},
		{intent.KindDeclaration, declaration, `"retrieve":{`, `"capabilities":{`,
			"/endpoints/capabilities/capabilities_ref", "declaration endpoints.capabilities.capabilities_ref", "error"},
		{intent.KindDeclaration, declaration, `"retrieve":{"method":"POST","url":"https://example.com/intent/retrieve","capabilities_ref":"retrieval"},`, ``, "", "declaration endpoints.retrieve", "warning"},
		{intent.KindDeclaration, declaration, `https://example.com/intent/r`, `http://example.com/intent/r`,
			"/endpoints/retrieve/url", "declaration endpoints.retrieve.url", "warning"},
		{intent.KindDeclaration, declaration, `https://example.com/intent/e`, `https://u:p@example.com/intent/e`, "/endpoints/event/url", "declaration endpoints.event.url", "warning"},
		{intent.KindDeclaration, declaration, `"retrieval"}`, `"other"}`, "/endpoints/retrieve/capabilities_ref",
			"declaration endpoints.retrieve.capabilities_ref", "warning"},
		{intent.KindDeclaration, declaration, `"2025-11-14"}}`, `"2025-11-14"},"extensions":{"name":1}}`, "/extensions/name", "extensions-namespaced", "warning"},
		{intent.KindDeclaration, declaration, `"2025-11-14"}}`, `"2025-11-14"},"extensions":{"x.pricing":1}}`, "/extensions/x.pricing", intent.RuleForbidden, "warning"},
		{intent.KindDeclaration, declaration, `"sunset":"2026-12-31"`, `"revocation_reason":null`,
			"/compliance/revocation_reason", "declaration compliance.revocation_reason", "error"},
		{intent.KindDeclaration, declaration, `"0.1"`, `"1.0"`, "/aip_version", intent.RuleVersion, "error"},
		{intent.KindDeclaration, declaration, `"0.1"`, `"9.9"`, "/aip_version", intent.RuleVersion, "error"},

		{intent.KindRequest, request, `"finance.markets"`, `"business","subdomain":"finance.markets"`, "/intent/subdomain", "request intent.subdomain", "warning"},
		{intent.KindRequest, request, `"turn_index":0}`, `"turn_index":0},"bid":1`, "/bid", "request bid", "error"},
		{intent.KindRequest, request, `"turn_index":0}`, `"turn_index":0},"extensions":{"x.maxBid":1}`, "/extensions/x.maxBid", intent.RuleForbidden, "error"},
		{intent.KindRequest, request, `"turn_index":0}`, `"turn_index":0},"extensions":{"x.y":[{"user_id":"u"}]}`, "/extensions/x.y/0/user_id", intent.RuleForbidden, "error"},
		{intent.KindRequest, request, `"turn_index":0}`, `"turn_index":0},"extensions":{"x.embedding":[]}`, "/extensions/x.embedding", intent.RuleForbidden, "error"},
		{intent.KindRequest, request, `"0.1"`, `"2.0"`, "/aip_version", intent.RuleVersion, "error"},
		{intent.KindRequest, request, `{"aip_version"`, `{"aip_version":"0.1","aip_version"`, "/aip_version", intent.RuleJSON, "error"},

		{intent.KindResponse, answer, `"status":"ok"`, `"status":"denied"`, "", "response one-part", "error"},
		{intent.KindResponse, answer, `"limits_applied"`, `"denial":{"reason":"unsupported"},"limits_applied"`, "/denial", "response one-part", "error"},
		{intent.KindResponse, answer, `"limits_applied"`, `"error":{"code":"x"},"limits_applied"`, "/error", "response one-part", "error"},
		{intent.KindResponse, denied, `"denial":{"reason":"out_of_scope"}`, `"error":{"code":"x"}`, "/error", "response one-part", "error"},
		{intent.KindResponse, denied, `}}`, `},"citations":[]}`, "/citations", "response citations", "error"},
		{intent.KindResponse, failed, `}}`, `},"limits_applied":{}}`, "/limits_applied", "response limits_applied", "warning"},
		{intent.KindResponse, strings.Replace(answer, `["c1","c2"]`, `["c1"]`, 1), `"id":"c2"`, `"id":"c1"`,
			"/content/chunks/1/id", "response content.chunks.id", "warning"},
		{intent.KindResponse, answer, `"Two."`, `" "`, "/content/chunks/1/text", "response content.chunks.text", "warning"},
		{intent.KindResponse, answer, `"max_chunks":2`, `"max_chunks":1`, "/content/chunks", "response max_chunks", "error"},
		{intent.KindResponse, answer, `"max_tokens":50`, `"max_tokens":1`, "/content/chunks", "response max_tokens", "error"},
		{intent.KindResponse, answer, `["c1","c2"]`, `["c1","c3"]`, "/citations/0/chunk_ids/1", "response citations.chunk_ids", "error"},
		{intent.KindResponse, answer, `["c1","c2"]`, `[]`, "/citations/0", "response citations.chunk_ids", "warning"},
		{intent.KindResponse, answer, `"citations":[`, `"citations":[{"source_url":"https://www.example.com/one","chunk_ids":["c1"]},`, "/citations/1/source_url", "response citations.source_url", "warning"},
		{intent.KindResponse, answer, `https://www`, `ftp://www`, "/citations/0/source_url", "response citations.source_url", "warning"},
		{intent.KindResponse, answer, `"limits_applied"`, `"extensions":{"x.y":{"license":"https://example.com"}},"limits_applied"`, "/extensions/x.y/license", intent.RuleForbidden, "error"},
		{intent.KindResponse, answer, `"limits_applied"`, `"extensions":{"x.y":{"@type":["Thing","BuyAction"]}},"limits_applied"`, "/extensions/x.y/@type", intent.RuleForbidden, "error"},

		{intent.KindEvent, citation, `"event_type":"citation"`, `"event_type":"access"`, "/citation", "event one-part", "error"},
		{intent.KindEvent, citation, `"event_type":"citation"`, `"event_type":"accounting"`, "/event_type", "event event_type", "error"},
		{intent.KindEvent, citation, `"chunk_ids":["c1"],`, ``, "/citation", "event citation.chunk_ids", "error"},
		{intent.KindEvent, citation, `["c1"]`, `[]`, "/citation/chunk_ids", "event citation.chunk_ids", "error"},
		{intent.KindEvent, citation, `"e1"`, `""`, "/event_id", "event event_id", "error"},
		{intent.KindEvent, citation, `https://www`, `mailto:www`, "/citation/source_url", "event citation.source_url", "warning"},
		{intent.KindEvent, citation, `{"id":"example_chat"}`, `{"id":"example_chat","user_id":"u1"}`, "/platform/user_id", "event platform.user_id", "error"},
		{intent.KindEvent, citation, `"citation":{`, `"extensions":{"x.session_id":"s1"},"citation":{`, "/extensions/x.session_id", intent.RuleForbidden, "error"},
		{intent.KindEvent, citation, `"citation":{`, `"extensions":{"x.clicks":1},"citation":{`, "/extensions/x.clicks", intent.RuleForbidden, "error"},
		{intent.KindEvent, access, `"token_count":2,`, ``, "/access", "event access.token_count", "error"},
		{intent.KindEvent, access, `"access":{`, `"citation":{"source_url":"https://example.com/","chunk_ids":["c"]},"access":{`, "/citation", "event one-part", "error"},
	} {
		if strings.Count(c.text, c.old) == 0 {
			t.Fatalf("%q is not in %s", c.old, c.text)
		}
		found := intent.Check(c.k, []byte(strings.Replace(c.text, c.old, c.new, 1)),
			intent.Options{Now: time.Date(2025, 11, 15, 0, 0, 0, 0, time.UTC)})
		if !slices.ContainsFunc(found, func(f intent.Finding) bool {
			return f.Pointer == c.pointer && f.Rule == c.rule && string(f.Severity) == c.severity && f.Detail != "" &&
				f.Mend != ""
		}) {
			t.Errorf("%s for %s:\n want %s %s %s\n have %v", c.new, c.old, c.severity, c.pointer, c.rule, found)
		}
		if (c.severity == "error") == found.Valid() {
			t.Errorf("%s for %s: valid is %v", c.new, c.old, found.Valid())
		}
	}
}

// TestTheSchemaAloneIsEnough has what no rule of the prose would find.
func TestTheSchemaAloneIsEnough(t *testing.T) {
	t.Parallel()
	const head = `{"aip_version":"0.1","request_id":"r1","timestamp":"2025-11-14T18:22:01Z",`
	for _, text := range []string{
		head + `"status":"partial"}`, head[:len(head)-1] + `}`, head + `"status":"ok","content":{}}`, head + `"status":"ok","content":{"chunks":[]}}`,
		head + `"status":"ok","content":{"chunks":[{"text":"One."}]}}`, head + `"status":"ok","content":{"chunks":[{"id":"c1"}]}}`,
	} {
		if intent.Check(intent.KindResponse, []byte(text), intent.Options{}).Valid() {
			t.Errorf("%s is valid", text)
		}
	}
	for _, member := range []string{`"event_id":"e1",`, `"request_id":"r1",`, `"event_type":"citation",`} {
		if intent.Check(intent.KindEvent, []byte(strings.Replace(citation, member, "", 1)),
			intent.Options{WeakEvents: true}).Valid() {
			t.Errorf("an event without %s is valid", member)
		}
	}
}

func TestOptionsWiden(t *testing.T) {
	t.Parallel()
	swap := func(text, old, new string) string { return strings.Replace(text, old, new, 1) }
	for name, c := range map[string]struct {
		k    intent.Kind
		text string
		o    intent.Options
	}{
		"1.0": {intent.KindRequest, swap(request, "0.1", "1.0"),
			intent.Options{Versions: []string{intent.Version01, intent.Version10}}},
		"a language": {intent.KindRequest, swap(request, "en-US", "zh-Hant-TW"),
			intent.Options{AnyLanguage: true}},
		"a short language": {intent.KindRequest, swap(request, "en-US", "en"), intent.Options{AnyLanguage: true}},
		"a weak citation":  {intent.KindEvent, swap(citation, `"chunk_ids":["c1"],`, ""), intent.Options{WeakEvents: true}},
		"a bare citation": {intent.KindEvent, citation[:strings.Index(citation, `,
"citation"`)] + "}", intent.Options{WeakEvents: true}},
		"a null": {intent.KindDeclaration, swap(declaration, `"revocable"`, `"revocation_reason":null,"revocable"`), intent.Options{NullReason: true}},
	} {
		if found := intent.Check(c.k, []byte(c.text), intent.Options{}); found.Valid() {
			t.Errorf("%s is valid by the strict reading", name)
		}
		if found := intent.Check(c.k, []byte(c.text), c.o); !found.Valid() {
			t.Errorf("%s is refused: %v", name, found)
		}
	}
	for _, language := range []string{"e", "en_US", "en-", "-en", "en--US", "toolongtag", "x", ""} {
		if found := intent.Check(intent.KindRequest, []byte(swap(request, "en-US", language)),
			intent.Options{AnyLanguage: true}); found.Valid() {
			t.Errorf("%q is taken for a language", language)
		}
	}
	null := intent.Check(intent.KindDeclaration, []byte(swap(declaration, `"revocable"`, `"revocation_reason":null,"revocable"`)), intent.Options{NullReason: true})
	if len(null) != 1 || null[0].Severity != intent.Doubtful {
		t.Errorf("a null reason is passed over: %v", null)
	}
}

func TestFirstIsWhatTheDoorAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Replace(request, `"0.1"`, `"9.9","bid":1,"extensions":{"x.price":1}`, 1):  intent.RuleVersion,
		strings.Replace(request, `"0.1"`, `"0.1","bid":1,"extensions":{"x.price":1}`, 1):  "request bid",
		strings.Replace(request, `"0.1"`, `"0.1","extensions":{"x.price":1}`, 1):          intent.RuleForbidden,
		strings.Replace(request, `"0.1"`, `"0.1","extensions":{"x.price":1},"bid":01`, 1): intent.RuleJSON,
		`{"aip_version":"9.9"}`: intent.RuleVersion,
	} {
		request, found := intent.ReadRequest([]byte(text), intent.Options{})
		if first := found.First(); first == nil || first.Rule != want {
			t.Errorf("%s: %v first, want %s", text, first, want)
		}
		if (request != nil) != (want == intent.RuleForbidden) { // which is denied, and the others are errors
			t.Errorf("%s is read: %v", text, request != nil)
		}
	}
}

func TestAFindingSaysHowToMend(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Replace(request, `"request_id":"r1",`, "", 1):                      `error: the document: "request_id" is missing; add "request_id": an id of your making`,
		strings.Replace(request, `"request_id"`, `"requestId"`, 1):                 `error: /requestId: is unknown, and this object is closed; write it "request_id"`,
		strings.Replace(request, `"aip_version"`, `"language":1,"aip_version"`, 1): `extensions under a name like vendor.language`,
		strings.Replace(request, `"aip_version"`, `"bid":1,"aip_version"`, 1):      `the protocol has no place for prices`,
		strings.Replace(request, `"en-US"`, `"en"`, 1):                             `"en" has not the form it must have; write language and country like en-US`,
		strings.Replace(request, `"turn_index":0`, `"turn_index":"0"`, 1):          `is a string, and must be an integer; write the turn within the conversation, a whole number from 0`,
		strings.Replace(request, `"turn_index":0`, `"turn_index":-1`, 1):           `is -1, and must be at least 0`,
		strings.Replace(request, `18:22:00Z`, `18:22`, 1):                          `is no time of RFC 3339; write when the request was made, such as`,
	} {
		var all strings.Builder
		for _, f := range intent.Check(intent.KindRequest, []byte(text), intent.Options{}) {
			all.WriteString(f.String() + "\n")
		}
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is not in\n%s", want, &all)
		}
	}
}

func TestAnAnswerMustGoWithItsRequestAndDeclaration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, pointer string }{
		{`"r1"`, `"r2"`, "/request_id"},
		{`"0.1"`, `"1.0"`, "/aip_version"},
		{`18:22:01Z`, `18:28:01Z`, "/timestamp"},
		{`{"id":"c2"`, `{"id":"c3","text":"Three."},{"id":"c2"`, "/content/chunks"},
		{`"token_count":1`, `"token_count":100`, "/content/chunks"},
		{`"max_chunks":2`, `"max_chunks":3`, "/limits_applied"},
		{`www.example.com`, `www.example.org`, "/citations/0/source_url"},
		{`www.example.com`, `notexample.com`, "/citations/0/source_url"},
	} {
		var d intent.Declaration
		var r intent.RetrieveRequest
		var a intent.RetrieveResponse
		must(t, declaration, &d)
		must(t, request, &r)
		must(t, answer, &a)
		if found := intent.CheckAnswer(&r, &a, &d); len(found) != 0 {
			t.Fatalf("a good answer: %v", found)
		}
		a = intent.RetrieveResponse{}
		must(t, strings.Replace(answer, c.old, c.new, 1), &a)
		if found := intent.CheckAnswer(&r, &a, &d); len(found) != 1 || found[0].Pointer != c.pointer {
			t.Errorf("%s for %s: %v", c.new, c.old, found)
		}
	}
	var r intent.RetrieveRequest
	var a intent.RetrieveResponse
	must(t, request, &r)
	must(t, answer, &a)
	for change, pointer := range map[string]string{`"citations":true`: "/citations", `"chunks":true`: "/content"} {
		var d intent.Declaration
		must(t, strings.Replace(declaration, change, strings.Replace(change, "true", "false", 1), 1), &d)
		if found := intent.CheckAnswer(&r, &a, &d); len(found) != 1 || found[0].Pointer != pointer {
			t.Errorf("%s false: %v", change, found)
		}
	}
}

func must(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	declared := []string{"finance.markets", "finance.markets.bonds", "food", "news.real-estate"}
	for _, c := range []struct{ domain, subdomain, want string }{
		{"finance.markets", "", "finance.markets"},
		{"finance.markets.stocks", "", "finance.markets"},
		{"finance.markets.bonds.long", "", "finance.markets.bonds"},
		{"finance", "", ""}, // an ancestor
		{"finance.marketsplus", "", ""},
		{"foodstuff", "", ""},
		{"finance", "markets", "finance.markets"},
		{"finance", "finance.markets", "finance.markets"},
		{"finance", "markets.bonds", "finance.markets.bonds"},
		{"finance", "loans", ""},
		{"business", "finance.markets", ""}, // another tree does not grant
		{"food", "finance.markets", "food"}, // and does not deny
		{"food", "food", "food"},
		{"news", "real-estate", "news.real-estate"},
		{"", "", ""},
	} {
		if got, ok := intent.Scope(declared, c.domain, c.subdomain); got != c.want || ok != (c.want != "") {
			t.Errorf("%s + %s lies in %q, want %q", c.domain, c.subdomain, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // whatever is in scope lies below what is declared, in its words
		label := rapid.StringMatching(`[a-c]{1,2}(\.[a-c]{1,2}){0,3}`)
		declared, domain := rapid.SliceOfN(label, 1, 4).Draw(t, "declared"), label.Draw(t, "domain")
		matched, ok := intent.Scope(declared, domain, "")
		if ok != slices.ContainsFunc(declared, func(d string) bool { return strings.HasPrefix(domain+".", d+".") }) ||
			ok && !slices.Contains(declared, matched) {
			t.Fatalf("%v, %s: %q %v", declared, domain, matched, ok)
		}
	})
}

func TestTokensAreCharactersByFour(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "éèêë": 1, strings.Repeat("x", 69): 18,
		"日本語です": 2} {
		if got := intent.Tokens(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}

func TestADeclarationEndsWithItsLastDay(t *testing.T) {
	t.Parallel()
	var d intent.Declaration
	must(t, declaration, &d)
	for at, want := range map[string]bool{
		"2026-12-31T23:59:59Z": true, "2027-01-01T00:00:00Z": false, "2026-12-31T20:00:00-05:00": false,
		"2027-01-01T00:30:00+01:00": true,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if open, why := d.Open(now); open != want || open == (why != "") {
			t.Errorf("%s: open %v, %q", at, open, why)
		}
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for state, want := range map[string]bool{"": true, "active": true, "paused": false, "disabled": false,
		"other": false} {
		d.IntentAccess.State = state
		if open, _ := d.Open(now); open != want {
			t.Errorf("%q is open: %v", state, open)
		}
	}
	d.IntentAccess.State, d.IntentAccess.Enabled = "", false
	if open, _ := d.Open(now); open {
		t.Error("it is open though not enabled")
	}
	d.IntentAccess.Enabled, d.Compliance.Sunset = true, "soon"
	if open, _ := d.Open(now); open {
		t.Error("it is open though nobody can read until when")
	}
}

func TestAccessEventsHaveOneIDForEachRequest(t *testing.T) {
	t.Parallel()
	id := intent.AccessEventID("p", "q", "r")
	if id != intent.AccessEventID("p", "q", "r") || len(id) > 64 {
		t.Errorf("%q is not the same twice, or too long", id)
	}
	for _, other := range []string{intent.AccessEventID("pq", "", "r"), intent.AccessEventID("p", "qr", ""),
		intent.AccessEventID("p", "q", "r2"), intent.AccessEventID("p,1:q", "", "")} {
		if other == id {
			t.Errorf("two requests have the id %s", id)
		}
	}
}

// Names that have a forbidden word inside another, or mean something else, pass.
func TestHarmlessExtensionsPass(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"x.trace_id", "x.proffered", "x.adapter", "x.headers", "x.userAgent", "x.priceless",
		"x.transaction", "x.zip", "x.description", "x.shipment"} {
		text := strings.Replace(request, `"0.1"`, `"0.1","extensions":{"`+name+`":{"type":"Thing","loaded":true}}`, 1)
		if found := intent.Check(intent.KindRequest, []byte(text), intent.Options{}); !found.Valid() {
			t.Errorf("%s: %v", name, found)
		}
	}
	for _, name := range []string{"x.price", "x.unitPrice", "x.PRICE", "PriceSpecification", "x.ad", "x.adCampaign",
		"x.IPAddress", "x.user-id", "x.user.id", "x.cpm"} {
		text := strings.Replace(request, `"0.1"`, `"0.1","extensions":{"x.y":{"`+name+`":1}}`, 1)
		if found := intent.Check(intent.KindRequest, []byte(text), intent.Options{}); found.Valid() {
			t.Errorf("%s passes", name)
		}
	}
}

func BenchmarkReadRequest(b *testing.B) {
	for b.Loop() {
		if r, found := intent.ReadRequest([]byte(request), intent.Options{}); r == nil {
			b.Fatal(found)
		}
	}
}

// FuzzCheck feeds anything: nothing panics, schema and types agree, and what was read is written
// right.
func FuzzCheck(f *testing.F) {
	for i, text := range []string{declaration, request, answer, citation, denied, failed, access, `{"extensions":{"a":1e999999999}}`, `{"turn_index":1e-999999999}`, `[]`, `null`} {
		f.Add(uint8(i), []byte(text))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		k := intent.Kinds[int(which)%len(intent.Kinds)]
		found := intent.Check(k, text, intent.Options{})
		for _, finding := range found {
			if finding.Rule == "" || finding.Detail == "" || finding.Mend == "" {
				t.Fatalf("%+v says too little", finding)
			}
		}
		document := read(k, text)
		first := found.First()
		if (document != nil) != (first == nil || k == intent.KindRequest && first.Rule == intent.RuleForbidden) {
			t.Fatalf("validator and reader disagree about %s", text)
		}
		if document == nil || first != nil {
			return
		}
		again, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if found := intent.Check(k, again, intent.Options{}); !found.Valid() {
			t.Fatalf("%s is written as %s: %v", text, again, found)
		}
		var loose strictjson.Value
		if err := strictjson.Decode(text, &loose); err != nil {
			t.Fatalf("%s is valid and no JSON: %v", text, err)
		}
	})
}
