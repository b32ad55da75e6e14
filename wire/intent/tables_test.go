package intent_test

import (
	"strings"
	"testing"

	"frontdesk/internal/testkit/tables"
	"frontdesk/wire/document"
	"frontdesk/wire/intent"
)

// row is a row of a table: the member, whether it is required, values that are right, values that
// are wrong, its kind.
type row struct {
	Member          string
	Required        bool
	Good, Bad, Kind string
}

// The longest that some members may be.
var (
	name128 = `"` + strings.Repeat("é", 128) + `"`
	name129 = `"` + strings.Repeat("é", 129) + `"`
	id64    = `"` + strings.Repeat("a", 64) + `"`
	id65    = `"` + strings.Repeat("a", 65) + `"`
	id256   = `"` + strings.Repeat("a", 256) + `"`
	id257   = `"` + strings.Repeat("a", 257) + `"`
)

const (
	goodLabels = `"finance.markets" "finance" "a" "0" "news.real-estate" "a.-" "a.b.c.d"`
	badLabels  = `"" "*" "finance.*" "Finance" "finance.Markets" "real-estate" "finance_markets" "news.real_estate" ".finance" "finance." "a..b" "finance/markets" "é"`
	goodTimes  = `"2025-11-14T18:22:01Z" "2025-11-14T18:22:01.123+01:00"`
	badTimes   = `"" "2025-11-14" "2025-11-14T18:22:01" "18:22:01Z" "yesterday" "2025-13-14T18:22:01Z" "1763144521"`
	goodDays   = `"2025-11-14" "2024-02-29"`
	badDays    = `"" "2025-11-14T00:00:00Z" "2025-02-29" "14.11.2025" "2025-1-4"`
	goodURIs   = `"https://example.com/a" "https://example.com/a%20b?c=d" "http://127.0.0.1:1/"`
	badURIs    = `"" "/a" "example.com/a" "https://example.com/a b" "//example.com/a" "https://exämple.com/"`
	goodHosts  = `"example.com" "www.example.co.uk" "xn--bcher-kva.example" "localhost"`
	badHosts   = `"" "https://example.com" "example.com/" "example.com:443" "exa mple.com" "-a.com" "a_b.com" "*.example.com" "bücher.example"`
	counts     = `5 1 5.0 1e3 9007199254740991`
	badCounts  = `0 -1 1.5 0.0 "5" 1e400 9007199254740993`
	sizes      = `5 0 5.0 1e3`
	badSizes   = `-1 1.5 "5" 1e400 9007199254740993`
	anyText    = `"x" "a b" "é\n" "<b>"`
)

func versionRow() row {
	return row{"aip_version", true, `"0.1"`, `"" "0.2" "1" "0.1 " "v0.1" "1.0"`, "s"}
}

var extensionsRow = row{"extensions", false, `{"vendor.name":[1,{"a":null}]} {}`, ``, "o+"}

var rows = map[intent.Kind][]row{
	intent.KindDeclaration: {
		{"$schema", false, goodURIs, badURIs, "s"},
		versionRow(),
		{"publisher", true, ``, ``, "o"},
		{"publisher.id", true, `"forbes" "a_" "a-b_0" ` + id64, `"" "a" "Forbes" "a.b" "a b" "é12" ` + id65, "s"},
		{"publisher.name", true, anyText + " " + name128, `"" ` + name129, "s"},
		{"publisher.domain", true, goodHosts, badHosts, "s"},
		{"intent_access", true, ``, ``, "o"},
		{"intent_access.enabled", true, `true false`, ``, "b"},
		{"intent_access.state", false, `"active" "paused" "disabled"`, `"" "Active" "on"`, "s"},
		{"intent_access.mode", true, `"live_only"`, `"" "live" "batch"`, "s"},
		{"intent_access.training_use", true, `false true`, ``, "b"},
		{"intent_access.storage_rights", true, `"none"`, `"" "all" "None"`, "s"},
		{"intent_access.cache_policy", false, `"no_store"`, `"" "no-store" "store"`, "s"},
		{"editorial_domains", true, `["finance.markets","news.real-estate"] ["a"] ["a","a"]`, `[] [null] [1] ["a",["b"]]`, "a"},
		{"editorial_domains[]", true, goodLabels, badLabels, "s"},
		{"endpoints", false, `{}`, ``, "o"},
		{"endpoints.capabilities", false, ``, ``, "o"},
		{"endpoints.capabilities.method", true, `"GET" "POST"`, `"" "get" "PUT"`, "s"},
		{"endpoints.capabilities.url", true, goodURIs, badURIs, "s"},
		{"endpoints.retrieve", false, ``, ``, "o"},
		{"endpoints.retrieve.method", true, `"POST"`, `"" "GET" "post"`, "s"},
		{"endpoints.retrieve.url", true, goodURIs, badURIs, "s"},
		{"endpoints.retrieve.capabilities_ref", false, `"retrieval" "other" ""`, ``, "s"},
		{"endpoints.event", false, ``, ``, "o"},
		{"endpoints.event.method", true, `"POST"`, `"" "GET" "post"`, "s"},
		{"endpoints.event.url", true, goodURIs, badURIs, "s"},
		{"endpoints.event.required", true, `true false`, ``, "b"},
		{"retrieval", true, ``, ``, "o"},
		{"retrieval.supports", true, ``, ``, "o"},
		{"retrieval.supports.chunks", true, `true false`, ``, "b"},
		{"retrieval.supports.citations", true, `true false`, ``, "b"},
		{"retrieval.supports.full_article", true, `false true`, ``, "b"},
		{"retrieval.max_chunks", false, counts, badCounts, "i"},
		{"retrieval.max_tokens", false, counts, badCounts, "i"},
		{"compliance", true, ``, ``, "o"},
		{"compliance.revocable", true, `true false`, ``, "b"},
		{"compliance.notice_required", true, `true false`, ``, "b"},
		{"compliance.revocation_reason", false, `"legal" "policy" "technical"`, `"" "other" null`, "s"},
		{"compliance.sunset", false, goodDays + ` null`, badDays, "s0"},
		{"compliance.last_updated", true, goodDays, badDays, "s"},
		extensionsRow,
	},
	intent.KindRequest: {
		versionRow(),
		{"request_id", true, `"req_92fA1" "x" "é" ` + id256, `"" "a b" "a\n" "\u200b" ` + id257, "s"},
		{"timestamp", true, goodTimes, badTimes, "s"},
		{"platform", true, ``, ``, "o"},
		{"platform.id", true, anyText, ``, "s"},
		{"platform.software", false, anyText, ``, "s"},
		{"platform.software_version", false, anyText, ``, "s"},
		{"intent", true, ``, ``, "o"},
		{"intent.domain", true, goodLabels, badLabels, "s"},
		{"intent.subdomain", false, goodLabels, badLabels, "s"},
		{"intent.confidence", false, `0.5 0 1 1.0 0.999 1e-300`, `1.01 -0.01 -1 2 1e400`, "n"},
		{"context", true, ``, ``, "o"},
		{"context.language", true, `"en-US" "de-AT"`, `"" "en" "es-419" "zh-Hant-TW" "EN-us" "en_US" "eng-US" "en-USA"`, "s"},
		{"context.geography", false, `{}`, ``, "o"},
		{"context.geography.country", false, `"US" "AT"`, `"" "us" "USA" "U"`, "s"},
		{"context.placement", false, anyText, ``, "s"},
		{"runtime", true, ``, ``, "o"},
		{"runtime.session_id", true, anyText, ``, "s"},
		{"runtime.turn_index", true, sizes, badSizes, "i"},
		{"runtime.query_text", false, anyText, ``, "s"},
		{"runtime.latency_budget_ms", false, sizes, badSizes, "i"},
		extensionsRow,
	},
	intent.KindResponse: {
		versionRow(),
		{"request_id", true, anyText + ` ""`, ``, "s"},
		{"timestamp", true, goodTimes, badTimes, "s"},
		{"status", true, `"ok"`, `"" "OK" "partial"`, "s"},
		{"content", true, ``, ``, "o"}, // by the prose, since the status is ok
		{"content.chunks", true, ``, `[] [null] ["text"]`, "a"},
		{"content.chunks[]", true, ``, ``, "o"},
		{"content.chunks[].id", true, `"c1"`, ``, "s"},
		{"content.chunks[].text", true, anyText, ``, "s"},
		{"content.chunks[].token_count", false, sizes, badSizes, "i"},
		{"citations", false, `[]`, `[null] ["https://example.com/"]`, "a"},
		{"citations[]", false, ``, ``, "o"},
		{"citations[].source_url", true, goodURIs, badURIs, "s"},
		{"citations[].title", false, anyText, ``, "s"},
		{"citations[].publisher", false, anyText, ``, "s"},
		{"citations[].chunk_ids", false, `["c1"] []`, `[null] [1] ["c1",null] ["c2"]`, "a"},
		{"limits_applied", false, `{}`, ``, "o"},
		{"limits_applied.max_chunks", false, `5 1 9007199254740991`, badCounts, "i"},
		{"limits_applied.max_tokens", false, `1000 9007199254740991`, badCounts, "i"},
		extensionsRow,
	},
	intent.KindEvent: {
		versionRow(),
		{"event_id", true, anyID, badID, "s"},
		{"event_type", true, `"citation"`, `"" "click" "Access" "access"`, "s"},
		{"timestamp", true, goodTimes, badTimes, "s"},
		{"request_id", true, anyID, badID, "s"},
		{"publisher", true, ``, ``, "o"},
		{"publisher.id", true, anyText, ``, "s"},
		{"publisher.domain", true, goodHosts, badHosts, "s"},
		{"platform", true, ``, ``, "o"},
		{"platform.id", true, anyText, ``, "s"},
		{"citation", true, ``, ``, "o"},
		{"citation.source_url", true, goodURIs, badURIs, "s"},
		{"citation.chunk_ids", true, `["c1"] ["c1","c2"]`, `[] [null] [1] ["c1",null]`, "a"},
		{"citation.display_surface", false, `"answer" "footnote" "hover" "anywhere" ""`, ``, "s"},
		extensionsRow,
	},
}

const (
	anyID = `"evt_1" "x" "é"`
	badID = `"" "a b" "a\n"`
)

// protocol is what is held against the tables, which are written out of our readings of the
// protocol.
func protocol() tables.Protocol {
	return tables.Protocol{
		Tables: forms(),
		Check: func(k string, text []byte) document.Findings {
			return intent.Check(intent.Kind(k), text, intent.Options{})
		},
		Read:   func(k string, text []byte) any { return read(intent.Kind(k), text) },
		Schema: func(k string) []byte { return intent.Schema(intent.Kind(k)) },
		With:   func(k string, schema []byte, do func()) error { return intent.WithSchema(intent.Kind(k), schema, do) },
	}
}

func forms() (all []tables.Table) {
	add := func(k intent.Kind, name string, rows []tables.Row) {
		all = append(all, tables.Table{Kind: string(k), Name: name, Rows: rows})
	}
	swap := func(rows []tables.Row, without string, with ...row) []tables.Row {
		return tables.Swap(rows, without, tables.Rows(with)...)
	}
	for _, k := range intent.Kinds {
		add(k, string(k), tables.Rows(rows[k]))
	}
	bare := swap(swap(swap(tables.Rows(rows[intent.KindResponse]), "content"), "citations"), "limits_applied")
	add(intent.KindResponse, "response denied", swap(bare, "", row{"status", true, `"denied"`, `"ok" "error" ""`, "s"},
		row{"denial", true, ``, ``, "o"},
		row{"denial.reason", true, `"out_of_scope" "access_disabled" "policy_violation" "rate_limited" "unsupported"`, `"" "other" "Out_of_scope"`, "s"},
		row{"denial.message", false, anyText, ``, "s"}))
	add(intent.KindResponse, "response error", swap(bare, "", row{"status", true, `"error"`, `"ok" "denied" ""`, "s"}, row{"error", true, ``, ``, "o"},
		row{"error.code", true, anyText, ``, "s"}, row{"error.message", false, anyText, ``, "s"}))
	add(intent.KindEvent, "event access", swap(tables.Rows(rows[intent.KindEvent]), "citation",
		row{"event_type", true, `"access"`, `"citation" ""`, "s"}, row{"access", true, ``, ``, "o"},
		row{"access.chunks_returned", true, sizes, badSizes, "i"},
		row{"access.token_count", true, sizes, badSizes, "i"},
		row{"access.retrieval_mode", true, `"chunks"`, `"" "full" "Chunks"`, "s"}))
	return all
}

func read(k intent.Kind, text []byte) any {
	var document any
	var nothing bool
	switch k {
	case intent.KindDeclaration:
		d, _ := intent.ReadDeclaration(text, intent.Options{})
		document, nothing = d, d == nil
	case intent.KindRequest:
		d, _ := intent.ReadRequest(text, intent.Options{})
		document, nothing = d, d == nil
	case intent.KindResponse:
		d, _ := intent.ReadResponse(text, intent.Options{})
		document, nothing = d, d == nil
	case intent.KindEvent:
		d, _ := intent.ReadEvent(text, intent.Options{})
		document, nothing = d, d == nil
	}
	if nothing {
		return nil
	}
	return document
}

func TestTheValidatorAgreesWithTheTables(t *testing.T) {
	t.Parallel()
	protocol().Agree(t)
}

// Not parallel: it puts other schemas in the place of the package's.
func TestEveryConstraintOfTheSchemasIsHeld(t *testing.T) {
	protocol().Constrain(t)
}

func TestAnyGoodValuesTogetherAreRight(t *testing.T) {
	t.Parallel()
	protocol().Combine(t)
}

func TestTheSchemasHaveJustTheMembersOfTheTables(t *testing.T) {
	t.Parallel()
	protocol().Members(t)
}
