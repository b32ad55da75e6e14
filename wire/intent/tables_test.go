package intent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// row is one member of a document, written out of the tables of our readings of the protocol: independent of the
// schemas and of the types.
type row struct {
	member   string // "a.b"; a part that ends in "[]" is an array, whose first element is meant
	required bool   // where its object is there
	good     string // JSON values that are right, with blanks between; the first stands in the full document
	bad      string // JSON values that are wrong; those of other types are added by themselves
	kind     string // s string, i integer, n number, b boolean, o object, a array; a "0" behind: null is right, too
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

var extensionsRow = row{"extensions", false, `{"vendor.name":[1,{"a":null}]} {}`, ``, "o"}

var tables = map[intent.Kind][]row{
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

// variant is a table of a document in another form of it.
type variant struct {
	kind intent.Kind
	name string
	rows []row
}

func variants() []variant {
	all := []variant{}
	for _, k := range intent.Kinds {
		all = append(all, variant{k, string(k), tables[k]})
	}
	// swap takes a member out, with all below it, and puts rows in, in place of those of the same name.
	swap := func(rows []row, without string, with ...row) []row {
		return append(slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
			return r.member == without || strings.HasPrefix(r.member, without+".") || strings.HasPrefix(r.member, without+"[") ||
				slices.ContainsFunc(with, func(w row) bool { return w.member == r.member })
		}), with...)
	}
	bare := swap(swap(swap(tables[intent.KindResponse], "content"), "citations"), "limits_applied")
	denied := swap(bare, "", row{"status", true, `"denied"`, `"ok" "error" ""`, "s"}, row{"denial", true, ``, ``, "o"},
		row{"denial.reason", true, `"out_of_scope" "access_disabled" "policy_violation" "rate_limited" "unsupported"`, `"" "other" "Out_of_scope"`, "s"},
		row{"denial.message", false, anyText, ``, "s"})
	failed := swap(bare, "", row{"status", true, `"error"`, `"ok" "denied" ""`, "s"}, row{"error", true, ``, ``, "o"},
		row{"error.code", true, anyText, ``, "s"}, row{"error.message", false, anyText, ``, "s"})
	access := swap(tables[intent.KindEvent], "citation", row{"event_type", true, `"access"`, `"citation" ""`, "s"}, row{"access", true, ``, ``, "o"},
		row{"access.chunks_returned", true, sizes, badSizes, "i"}, row{"access.token_count", true, sizes, badSizes, "i"},
		row{"access.retrieval_mode", true, `"chunks"`, `"" "full" "Chunks"`, "s"})
	return append(all, variant{intent.KindResponse, "response denied", denied}, variant{intent.KindResponse, "response error", failed},
		variant{intent.KindEvent, "event access", access})
}

// values splits JSON values with blanks between.
func values(text string) (all []json.RawMessage) {
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var v json.RawMessage
		if err := decoder.Decode(&v); err != nil {
			panic(text + ": " + err.Error())
		}
		all = append(all, v)
	}
	return all
}

// ofOtherTypes are values that a member of a kind may not have.
func ofOtherTypes(kind string) (all []json.RawMessage) {
	for k, v := range map[string]string{"s": `"x"`, "i": `7`, "b": `true`, "o": `{"x":1}`, "a": `["x"]`, "0": `null`} {
		if !strings.Contains(kind, k) && (kind != "n" || k != "i") {
			all = append(all, json.RawMessage(v))
		}
	}
	return all
}

// object is a document that can be changed by paths.
type object map[string]any

// full is the document with every member of the table, each with its first good value.
func full(rows []row) object {
	document := object{}
	for _, r := range rows {
		var value any
		if good := values(r.good); len(good) > 0 && !strings.HasPrefix(string(good[0]), "{}") && string(good[0]) != "[]" {
			value = good[0]
		} else if strings.HasPrefix(r.kind, "o") {
			value = object{}
		} else {
			value = []any{}
		}
		document.set(r.member, value)
	}
	return document
}

// set puts a value at a path; objects and arrays on the way are made as needed.
func (o object) set(path string, value any) { o.change(path, value, false) }

// remove takes away what is at a path.
func (o object) remove(path string) { o.change(path, nil, true) }

func (o object) change(path string, value any, remove bool) {
	name, rest, deeper := strings.Cut(path, ".")
	if array, ok := strings.CutSuffix(name, "[]"); ok {
		elements, _ := open(o[array]).([]any)
		if deeper {
			elements[0].(object).change(rest, value, remove)
		} else if remove {
			elements = elements[1:]
		} else {
			elements = append([]any{value}, elements[min(1, len(elements)):]...)
		}
		o[array] = elements
		return
	}
	switch {
	case deeper:
		below, ok := o[name].(object)
		if !ok {
			below = object{}
		}
		o[name] = below
		below.change(rest, value, remove)
	case remove:
		delete(o, name)
	default:
		o[name] = value
	}
}

// open makes an array of raw JSON one that can be changed.
func open(value any) any {
	raw, ok := value.(json.RawMessage)
	if !ok {
		return value
	}
	var elements []any
	if json.Unmarshal(raw, &elements) != nil {
		return value
	}
	return elements
}

func (o object) text(t interface{ Fatal(...any) }) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// judge checks a document against what the table says, and the types against the schema.
func judge(t interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}, k intent.Kind, what string, text []byte, valid bool,
) {
	t.Helper()
	findings := intent.Check(k, text, intent.Options{})
	if findings.Valid() != valid {
		t.Errorf("%s: valid is %v, the readings say %v\n%s\n%v", what, findings.Valid(), valid, text, findings)
		return
	}
	if _, err := sign.Canonical(text); err == nil && slices.Contains(intent.Rules(findings), intent.RuleJSON) {
		t.Errorf("%s: the types refuse what the schema takes:\n%s\n%v", what, text, findings)
	}
	for _, f := range findings {
		if f.Rule == "" || f.Detail == "" || f.Mend == "" {
			t.Errorf("%s: a finding says too little: %+v", what, f)
		}
	}
	document := read(k, text)
	if (document != nil) != valid {
		t.Errorf("%s: the types and the validator disagree about\n%s", what, text)
	}
	if document == nil {
		return
	}
	again, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if f := intent.Check(k, again, intent.Options{}); !f.Valid() {
		t.Errorf("%s: what was read is written wrong:\n%s\n%v", what, again, f)
	}
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

// made is a document, and what the table says of it.
type made struct {
	what  string
	text  []byte
	valid bool
}

// documents makes, for each row of a table, documents that are right and wrong in just that row.
func documents(t *testing.T, v variant) (all []made) {
	add := func(what string, o object, valid bool) {
		all = append(all, made{v.name + " " + what, o.text(t), valid})
	}
	add("in full", full(v.rows), true)
	for _, r := range v.rows {
		if r.member != "citations[]" && r.member != "content.chunks[]" { // an array's rows say whether it may be empty
			without := full(v.rows)
			without.remove(r.member)
			if r.member == "editorial_domains[]" { // of which there are two
				without.set("editorial_domains", []any{})
			}
			add(r.member+" left out", without, !r.required)
		}
		for _, value := range values(r.good) {
			document := full(v.rows)
			document.set(r.member, value)
			add(fmt.Sprintf("%s = %s", r.member, value), document, true)
		}
		for _, value := range append(values(r.bad), ofOtherTypes(r.kind)...) {
			document := full(v.rows)
			document.set(r.member, value)
			add(fmt.Sprintf("%s = %s", r.member, value), document, false)
		}
		if r.kind == "o" && r.member != "extensions" {
			for _, unknown := range []string{"bid", "x.y", strings.ToUpper(r.member)} {
				document := full(v.rows)
				document.setNamed(r.member, unknown)
				add(r.member+" with "+unknown, document, false)
			}
		}
	}
	for _, unknown := range []string{"bid", "vendor.name", "Aip_version"} {
		document := full(v.rows)
		document[unknown] = 1
		add("with "+unknown, document, false)
	}
	return all
}

func TestTheValidatorAgreesWithTheTables(t *testing.T) {
	count := 0
	for _, v := range variants() {
		for _, m := range documents(t, v) {
			judge(t, v.kind, m.what, m.text, m.valid)
			count++
		}
		if text := full(v.rows).text(t); !sign.Same(text, roundTrip(t, v.kind, text)) {
			t.Errorf("%s in full is not written as it was read:\n%s\n%s", v.name, text, roundTrip(t, v.kind, text))
		}
	}
	if count < 1000 {
		t.Errorf("only %d documents were made", count)
	}
}

// TestEveryConstraintOfTheSchemasIsHeld takes each constraint out of the schemas, one at a time: what is found in the
// documents that the tables call wrong must be another then.
func TestEveryConstraintOfTheSchemasIsHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("short: judges many documents by many schemas")
	}
	for _, k := range intent.Kinds {
		var all []made
		for _, v := range variants() {
			if v.kind == k {
				all = append(all, documents(t, v)...)
			}
		}
		before := map[string]intent.Findings{} // of the documents that must be wrong
		for _, m := range all {
			before[m.what] = intent.Check(k, m.text, intent.Options{})
		}
		all = slices.DeleteFunc(all, func(m made) bool { return m.valid })
		weaker(t, intent.Schema(k), func(what string, schema []byte) {
			told := false
			err := intent.WithSchema(k, schema, func() {
				told = slices.ContainsFunc(all, func(m made) bool { return !slices.Equal(intent.Check(k, m.text, intent.Options{}), before[m.what]) })
			})
			if err != nil {
				t.Fatalf("%s without %s: %v", k, what, err)
			}
			if !told {
				t.Errorf("%s without %s: no document tells", k, what)
			}
		})
	}
}

// weaker calls a function with each schema that lacks one constraint of a schema.
func weaker(t *testing.T, text []byte, try func(what string, schema []byte)) {
	t.Helper()
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(at string, node any)
	attempt := func(what string) {
		schema, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		try(what, schema)
	}
	walk = func(at string, node any) {
		schema, ok := node.(map[string]any)
		if !ok {
			return
		}
		for _, keyword := range []string{"type", "enum", "pattern", "format", "minimum", "maximum", "minLength", "maxLength", "minItems", "additionalProperties"} {
			if value, there := schema[keyword]; there && !(at == "" && keyword == "type") && !alone(schema, keyword) {
				delete(schema, keyword)
				attempt(at + " " + keyword)
				schema[keyword] = value
			}
		}
		if required, ok := schema["required"].([]any); ok {
			for i := range required {
				schema["required"] = slices.Concat([]any{}, required[:i], required[i+1:])
				if len(required) == 1 {
					schema["required"] = []any{}
				}
				attempt(fmt.Sprintf("%s required %s", at, required[i]))
			}
			schema["required"] = required
		}
		walk(at+"[]", schema["items"])
		properties, _ := schema["properties"].(map[string]any)
		for name, below := range properties {
			walk(at+"."+name, below)
		}
	}
	walk("", root)
}

// alone says whether a keyword has no effect beside another of its schema: a type beside an enum of strings, the least
// length of what has to be a domain name.
func alone(schema map[string]any, keyword string) bool {
	return keyword == "type" && schema["enum"] != nil || keyword == "minLength" && schema["format"] == "hostname"
}

// setNamed gives the object at a path a member whose name may have dots.
func (o object) setNamed(path, name string) {
	at := o
	for part := range strings.SplitSeq(path, ".") {
		if array, ok := strings.CutSuffix(part, "[]"); ok {
			at = at[array].([]any)[0].(object)
		} else {
			at = at[part].(object)
		}
	}
	at[name] = 1
}

func roundTrip(t *testing.T, k intent.Kind, text []byte) []byte {
	t.Helper()
	document := read(k, text)
	if document == nil {
		return nil
	}
	again, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// Whatever good values come together, the document is right; one bad value among them, and it is wrong.
func TestAnyGoodValuesTogetherAreRight(t *testing.T) {
	for _, v := range variants() {
		rapid.Check(t, func(t *rapid.T) {
			document := full(v.rows)
			for _, r := range v.rows {
				if good := values(r.good); len(good) > 0 && strings.Count(r.good, "{}")+strings.Count(r.good, "[]") == 0 && !strings.HasSuffix(r.member, "[]") {
					document.set(r.member, rapid.SampledFrom(good).Draw(t, r.member))
				}
			}
			judge(t, v.kind, v.name, document.text(t), true)
			r := rapid.SampledFrom(v.rows).Filter(func(r row) bool { return r.member != "extensions" }).Draw(t, "row")
			document.set(r.member, rapid.SampledFrom(append(values(r.bad), ofOtherTypes(r.kind)...)).Draw(t, "bad"))
			judge(t, v.kind, v.name+" "+r.member, document.text(t), false)
		})
	}
}

// TestTheSchemasHaveJustTheMembersOfTheTables looks for members that only one of the two knows.
func TestTheSchemasHaveJustTheMembersOfTheTables(t *testing.T) {
	inTables := map[intent.Kind]map[string]bool{}
	for _, v := range variants() {
		if inTables[v.kind] == nil {
			inTables[v.kind] = map[string]bool{}
		}
		for _, r := range v.rows {
			inTables[v.kind][r.member] = true
		}
	}
	for _, k := range intent.Kinds {
		var schema map[string]any
		if err := json.Unmarshal(intent.Schema(k), &schema); err != nil {
			t.Fatal(err)
		}
		inSchema := map[string]bool{}
		members(schema, "", inSchema)
		for member := range inSchema {
			if !inTables[k][member] {
				t.Errorf("%s: %s is in the schema alone", k, member)
			}
		}
		for member := range inTables[k] {
			if !inSchema[member] && member != "editorial_domains[]" {
				t.Errorf("%s: %s is in the table alone", k, member)
			}
		}
	}
}

func members(schema map[string]any, at string, all map[string]bool) {
	if items, ok := schema["items"].(map[string]any); ok && items["type"] == "object" {
		all[at+"[]"] = true
		members(items, at+"[]", all)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, below := range properties {
		path := strings.TrimPrefix(at+"."+name, ".")
		all[path] = true
		members(below.(map[string]any), path, all)
	}
}
