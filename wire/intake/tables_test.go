package intake_test

import (
	"testing"

	"frontdesk/internal/testkit/tables"
	"frontdesk/wire/document"
	"frontdesk/wire/intake"
)

// row is a row of a table: the member, whether it is required, values that are right, values that
// are wrong, its kind. They are written out of the protocol's text and our readings of its schemas
// (B2), not out of ours.
type row struct {
	Member          string
	Required        bool
	Good, Bad, Kind string
}

const (
	anyText   = `"x" "a b" "é\n" "<b>" ""`
	goodURIs  = `"https://example.com/a" "https://example.com/a%20b?c=d" "http://127.0.0.1:1/" "urn:x:y"`
	badURIs   = `"" "/a" "example.com/a" "https://example.com/a b" "//example.com/a" "https://exämple.com/"`
	goodTimes = `"2026-11-22T10:00:00Z" "2026-11-22T10:00:00.123+01:00"`
	badTimes  = `"" "2026-11-22" "2026-11-22T10:00:00" "10:00:00Z" "tomorrow" "2026-13-22T10:00:00Z"`
	goodMails = `"a@example.com" "a.b+c@sub.example.co.uk"`
	badMails  = `"" "a" "a@" "@example.com" "a b@example.com" "a@exa mple.com"`
	goodIDs   = `"7f2c1f3e-90b1-4c55-8d0c-3e6f0a1d2b4c" "7F2C1F3E-90B1-4C55-9D0C-3E6F0A1D2B4C"`
	badIDs    = `"" "test-001" "7f2c1f3e90b14c558d0c3e6f0a1d2b4c" "{7f2c1f3e-90b1-4c55-8d0c-3e6f0a1d2b4c}" "7f2c1f3e-90b1-4c55-8d0c-3e6f0a1d2b4g"`
	// UUIDs that are not of version 4
	otherIDs    = `"00000000-0000-0000-0000-000000000000" "7f2c1f3e-90b1-1c55-8d0c-3e6f0a1d2b4c" "7f2c1f3e-90b1-4c55-cd0c-3e6f0a1d2b4c"`
	counts      = `1 10 5.0 1e3 9007199254740991`
	badCounts   = `0 -1 1.5 "5" 1e400 9007199254740993`
	goodVersion = `"0.1.0" "0.1.7" "0.1.12"`
	badVersion  = `"" "0.1" "0.2.0" "1.0.0" "0.1.0-beta" "v0.1.0" "0.1.0 "`
	anything    = `{"x":[1,{"a":null}]} {}`
)

var rows = map[intake.Kind][]row{
	intake.KindManifest: {
		{"aip_version", true, goodVersion, badVersion, "s"},
		{"provider", true, ``, ``, "o"},
		{"provider.name", true, `"x" "é"`, `""`, "s"},
		{"provider.url", true, goodURIs, badURIs, "s"},
		{"provider.description", false, anyText, ``, "s"},
		{"provider.logo", false, goodURIs, badURIs, "s"},
		{"provider.contact_email", false, goodMails, badMails, "s"},
		{"intakes", true, ``, `[] [null] ["x"]`, "a"},
		{"intakes[]", true, ``, ``, "o"},
		{"intakes[].id", true, `"health" "a-b-0" "-" "0"`, `"" "Health" "a_b" "a b" "a/b" "é"`, "s"},
		{"intakes[].name", true, anyText, ``, "s"},
		{"intakes[].description", true, anyText, ``, "s"},
		{"intakes[].endpoint", true, goodURIs, badURIs, "s"},
		{"intakes[].method", true, `"POST"`, `"" "GET" "post"`, "s"},
		{"intakes[].category", false, `"health/assessment" "service/matching" "b2b/vendor" "home-care/night_shift" "a/b-c" "a/_"`, `"" "health" "/x" "x/" "A/b" "a/b/c" "a b/c" "-a/b" "a/B"`, "s"},
		{"intakes[].input_schema", true, `{"type":"object"} {} {"type":"string"}`, ``, "o+"},
		{"intakes[].offer_type", true, anyText, ``, "s"},
		{"intakes[].binding_available", true, `true false`, ``, "b"},
		{"intakes[].requires_auth", false, `true false`, ``, "b"},
		{"intakes[].privacy", false, `{}`, ``, "o"},
		{"intakes[].privacy.data_retention", false, `"none" "session" "30_days" "1_year" "indefinite"`, `"" "forever" "30 days" "None"`, "s"},
		{"intakes[].privacy.pii_required", false, `true false`, ``, "b"},
		{"intakes[].privacy.redacted_acceptable", false, `true false`, ``, "b"},
		{"intakes[].rate_limit", false, `{}`, ``, "o"},
		{"intakes[].rate_limit.requests_per_minute", false, counts, badCounts, "i"},
		{"intakes[].rate_limit.requests_per_day", false, counts, badCounts, "i"},
		{"certification", false, `{}`, ``, "o"},
		{"certification.registry", false, goodURIs, badURIs, "s"},
		{"certification.certified", false, `true false`, ``, "b"},
		{"certification.cert_id", false, `"aip-cert-2026-00142"`, `"" "aip-cert-26-00142" "aip-cert-2026-142" "AIP-cert-2026-00142" "xaip-cert-2026-00142" "aip-cert-2026-001420"`, "s"},
		{"certification.expires", false, `"2027-02-27" "2028-02-29"`, `"" "2027-02-27T00:00:00Z" "2027-02-29" "27.02.2027"`, "s"},
	},
	intake.KindRequest: {
		{"aip_version", true, goodVersion, badVersion, "s"},
		{"agent", true, ``, ``, "o"},
		{"agent.id", true, `"a1" "é"`, `""`, "s"},
		{"agent.platform", false, anyText, ``, "s"},
		{"agent.name", false, anyText, ``, "s"},
		{"agent.consent_scope", true, `["intake"] ["offer","intake"] ["intake","offer","bind","account_creation","payment"]`,
			`[] ["offer"] ["intake","intake"] ["intake","all"] ["intake",null] ["Intake"] ["bind","payment"]`, "a"},
		{"intake_data", true, anything + ` {"a":1.50}`, ``, "o+"},
		{"session_id", true, goodIDs, badIDs + " " + otherIDs, "s"},
		{"metadata", false, anything, ``, "o+"},
		{"metadata.timestamp", false, goodTimes, badTimes, "s"},
		{"metadata.locale", false, `"en" "en-US" "de-AT"`, `"" "EN_us" "EN" "en-us" "en_US" "eng" "zh-Hant" "en-USA"`, "s"},
		{"metadata.timezone", false, anyText, ``, "s"},
	},
	intake.KindResponse: {
		{"aip_version", true, goodVersion, badVersion, "s"},
		{"session_id", true, goodIDs + " " + otherIDs, badIDs, "s"},
		{"status", true, `"offer" "pending"`, `"" "complete" "Offer" "bound"`, "s"},
		{"offer", true, ``, ``, "o"}, // since the status is offer
		{"offer.id", true, `"o1" "é"`, `""`, "s"},
		{"offer.summary", true, anyText, ``, "s"},
		{"offer.details", false, anything, ``, "o+"},
		{"offer.expires", false, goodTimes, badTimes, "s"},
		{"offer.bind_endpoint", false, `"https://example.com/a" "http://127.0.0.1:1/"`, badURIs, "s"},
		{"offer.bind_requires", false, `["email"] [] ["a","a"]`, `[null] [1] ["a",["b"]]`, "a"},
		{"offer.terms_url", false, goodURIs, badURIs, "s"},
		{"decline_reason", false, anyText, ``, "s"},
		{"metadata", false, anything, ``, "o+"},
		{"metadata.processing_time_ms", false, `0 -1 12.0 1e3`, `1e400 12.5`, "i"},
		{"metadata.provider_ref", false, anyText, ``, "s"},
	},
	intake.KindBind: {
		{"offer_id", true, `"o1" "x y"`, `""`, "s"},
		// its own being none of any offer's is another matter
		{"session_id", true, goodIDs + " " + otherIDs, badIDs, "s"},
		{"bind_data", true, `{} {"x":[1]} {"phone":"","company":""}`, ``, "o+"},
		{"bind_data.email", false, goodMails, badMails, "s"},
		{"bind_data.full_name", false, `"Jane Doe" "é"`, `""`, "s"},
		{"bind_data.phone", false, anyText, ``, "s"},
		{"bind_data.company", false, anyText, ``, "s"},
		{"bind_data.address", false, `{"x":1} {}`, ``, "o+"},
		{"bind_data.address.street", false, anyText, ``, "s"},
		{"bind_data.address.city", false, anyText, ``, "s"},
		{"bind_data.address.state", false, anyText, ``, "s"},
		{"bind_data.address.postal_code", false, anyText, ``, "s"},
		{"bind_data.address.country", false, anyText, ``, "s"},
		{"agent", true, ``, ``, "o"},
		{"agent.id", true, `"a1"`, `""`, "s"},
		{"agent.consent_scope", true, `["bind"] ["intake","offer","bind"] ["bind","account_creation"]`,
			`[] ["intake"] ["intake","offer"] ["bind","bind"] ["bind","all"] ["bind",null]`, "a"},
		{"metadata", false, anything, ``, "o+"},
		{"metadata.timestamp", false, goodTimes, badTimes, "s"},
		{"metadata.user_confirmed_at", false, goodTimes, badTimes, "s"},
	},
	intake.KindBound: {
		{"aip_version", true, goodVersion, badVersion, "s"},
		{"session_id", true, goodIDs + " " + otherIDs, badIDs, "s"},
		{"offer_id", true, `"o1"`, `""`, "s"},
		{"status", true, `"bound"`, `"" "offer" "Bound"`, "s"},
		{"message", false, anyText, ``, "s"},
		{"bound_at", true, goodTimes, badTimes, "s"},
		{"details", false, anything, ``, "o+"},
	},
}

// protocol is what is held against the tables.
func protocol() tables.Protocol {
	forms := []tables.Table{}
	for _, k := range intake.Kinds {
		forms = append(forms, tables.Table{Kind: string(k), Name: string(k), Rows: tables.Rows(rows[k])})
	}
	bare := tables.Swap(tables.Rows(rows[intake.KindResponse]), "offer")
	failed := tables.Swap(bare, "decline_reason", tables.Rows([]row{
		{"status", true, `"error"`, `"" "offer" "Error"`, "s"}, {"error", false, ``, ``, "o"},
		{"error.code", true, anyText, ``, "s"}, {"error.message", true, anyText, ``, "s"},
	})...)
	declined := tables.Swap(bare, "", tables.Rows([]row{{"status", true, `"declined" "pending"`, `"" "offer" "refused"`, "s"}})...)
	forms = append(forms, tables.Table{Kind: string(intake.KindResponse), Name: "response error", Rows: failed},
		tables.Table{Kind: string(intake.KindResponse), Name: "response declined", Rows: declined})
	return tables.Protocol{
		Tables: forms,
		Check: func(k string, text []byte) document.Findings {
			return intake.Form(intake.Kind(k), text, intake.Options{})
		},
		Read:   func(k string, text []byte) any { return read(intake.Kind(k), text) },
		Schema: func(k string) []byte { return intake.MessageSchema(intake.Kind(k)) },
		With:   func(k string, schema []byte, do func()) error { return intake.WithSchema(intake.Kind(k), schema, do) },
	}
}

// read reads a message as the doors and clients do; nil where they refuse it.
func read(k intake.Kind, text []byte) any {
	var message any
	var err error
	switch k {
	case intake.KindManifest:
		message, err = intake.ReadManifest(text, intake.Options{})
	case intake.KindRequest:
		message, err = intake.ReadRequest(text, intake.Options{})
	case intake.KindResponse:
		message, err = intake.ReadResponse(text, intake.Options{})
	case intake.KindBind:
		message, err = intake.ReadBind(text, intake.Options{})
	case intake.KindBound:
		message, err = intake.ReadBound(text, intake.Options{})
	}
	if err != nil {
		return nil
	}
	return message
}

func TestReadersAgreeWithTheTables(t *testing.T) {
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

// FuzzRead reads what others send, as every kind of message: nothing makes it fail or slow, what is
// refused is told with a code, what is read can be written and read again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{manifest, request, offer, declined, failed, bind, bound, `{"a":` + "\xff" + `}`, `[[[`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		intake.SessionOf(body)
		for _, k := range intake.Kinds {
			found := intake.Check(k, body, intake.Options{Now: now})
			message := read(k, body)
			if (message != nil) != intake.Form(k, body, intake.Options{}).Valid() || message == nil && found.Valid() {
				t.Errorf("%s: it is read and found wrong, or refused and found right: %v", k, found)
			}
		}
		if b, err := intake.ReadBind(body, intake.Options{Lenient: true}); err == nil {
			b.Missing([]string{"email", "x"})
		}
	})
}
