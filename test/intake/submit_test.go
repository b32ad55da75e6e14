package intake

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// invalid is a row about requests that are refused with a code, and of which nothing is kept.
func invalid(number int, name, code string, changes ...func(object)) row {
	return row{number, name, func(p *probe) {
		var sessions []string
		for _, change := range changes {
			request := submission(change)
			p.refused(p.post("quote", request), 400, code)
			if session, ok := request["session_id"].(string); ok && session != "" {
				sessions = append(sessions, session)
			}
		}
		p.expect(len(p.at.ledger("intake", sessions...)) == 0, "the ledger has what was refused")
	}}
}

// fields changes intake_data.
func fields(name string, values ...any) (changes []func(object)) {
	for _, value := range values {
		changes = append(changes, set("intake_data."+name, value))
	}
	return changes
}

// malformed is a row about a body that is no request.
func malformed(number int, name string, bodies ...string) row {
	return row{number, name, func(p *probe) {
		for _, body := range bodies {
			p.refused(p.post("quote", []byte(body)), 400, "INVALID_INPUT")
			p.refused(p.post("quote/bind", []byte(body)), 400, "INVALID_INPUT")
		}
	}}
}

// padded is a good request of exactly a number of bytes.
func padded(size int) []byte {
	body := submission(set("metadata.pad", ""))
	body["metadata"].(object)["pad"] = strings.Repeat("x", size-len(text(body)))
	return text(body)
}

var submitRows = []row{
	{11, "an offer", func(p *probe) {
		request, offer := p.offer("quote", set("metadata",
			object{"locale": "de-DE", "timezone": "Europe/Berlin", "timestamp": "2026-03-01T10:00:00Z"}))
		p.expect(offer["summary"] == "We paint your boat of 12.5 m for 1250 EUR.", "the summary is %v",
			offer["summary"])
		details, _ := offer["details"].(object)
		p.expect(details["price"] == 1250.0 && details["currency"] == "EUR", "the details are %v", details)
		p.expect(offer["terms_url"] == "https://harbour.example/terms", "the terms are at %v", offer["terms_url"])
		upper := submission(func(o object) { o["session_id"] = strings.ToUpper(o["session_id"].(string)) })
		p.offered(p.post("quote", upper)) // and the session as it came, as wellFormed holds
		p.expect(len(p.at.ledger("intake", request["session_id"].(string))) == 1, "the ledger does not have it once")
	}},
	malformed(12, "malformed JSON", `{"aip_version": "0.1.0"`, `{"aip_version": "0.1.0",}`, `{"aip_version": "0.1.0", "aip_version": "0.1.0"}`, "{\"a\": \"\xff\"}", `nonsense`, `{} {}`),
	malformed(13, "an empty body", "", " \n"),
	malformed(14, "no object", `[]`, `[{"aip_version": "0.1.0"}]`, `"text"`, `null`, `1`),
	invalid(15, "a member missing", "INVALID_INPUT", set("aip_version", nil), set("agent", nil),
		set("intake_data", nil), set("session_id", nil), set("agent.id", nil), set("agent.consent_scope", nil)),
	invalid(16, "a session that is no UUID", "INVALID_INPUT", set("session_id", "test-001"), set("session_id", ""),
		set("session_id", 1)),
	invalid(17, "a session of version 1", "INVALID_INPUT", set("session_id", "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d"),
		set("session_id", "00000000-0000-0000-0000-000000000000")),
	invalid(18, "no consent to the intake", "INVALID_INPUT", set("agent.consent_scope", []any{"offer"})),
	invalid(19, "scopes that are none", "INVALID_INPUT", set("agent.consent_scope", []any{}), set("agent.consent_scope",
		[]any{"intake", "intake"}), set("agent.consent_scope", []any{"intake", "everything"})),
	invalid(20, "no agent", "INVALID_INPUT", set("agent.id", "")),
	invalid(21, "an unknown member", "INVALID_INPUT", set("intake_id", "quote")),
	invalid(22, "an unknown member of the agent", "INVALID_INPUT", set("agent.version", "1")),
	invalid(23, "a locale in another form", "INVALID_INPUT", set("metadata.locale", "EN_us"),
		set("metadata.locale", "zh-Hant"), set("metadata.timestamp", "yesterday")),
	{24, "a further member of the metadata", func(p *probe) {
		p.offered(p.submit(set("metadata", object{"example.note": object{"a": []any{1, nil}}})))
	}},
	invalid(25, "a field missing", "SCHEMA_MISMATCH", fields("hull", nil)...),
	invalid(26, "none of the values", "SCHEMA_MISMATCH", fields("hull", "concrete", "Wood", "")...),
	invalid(27, "another type", "SCHEMA_MISMATCH", append(fields("length_m", "12", nil, true, []any{12}),
		append(fields("crew", 1.5, "2"), fields("insured", "yes", 0)...)...)...),
	invalid(28, "out of range", "SCHEMA_MISMATCH",
		append(fields("length_m", 0.99, 60.01), fields("crew", -1, 21)...)...),
	invalid(29, "text that does not fit", "SCHEMA_MISMATCH",
		append(fields("note", strings.Repeat("x", 41), "no; no"), fields("since", "2026-02-30", "yesterday")...)...),
	invalid(30, "one of a list", "SCHEMA_MISMATCH",
		fields("jobs", []any{"paint", "magic"}, []any{"paint", "paint", "paint", "paint"}, "paint")...),
	{31, "personal data that nobody asks for", func(p *probe) {
		r := p.submit(set("intake_data.email", "kim.marker31@example.com"))
		p.refused(r, 400, "SCHEMA_MISMATCH")
		p.expect(!bytes.Contains(r.raw, []byte("marker31")), "the refusal shows the value: %s", clip(r.raw))
		p.refused(p.submit(set("intake_data.fullName", "Kim")), 400, "SCHEMA_MISMATCH")
		p.offered(p.submit(set("intake_data.hull_colour", "blue"))) // which looks like nobody's, and is not kept
	}},
	{32, "zero and false are values", func(p *probe) {
		p.offered(p.submit(set("intake_data.crew", 0), set("intake_data.insured", false), set("intake_data.note", ""),
			set("intake_data.jobs", []any{})))
	}},
	{33, "the size of a body", func(p *probe) {
		p.offered(p.post("quote", padded(65_536)))
		for _, size := range []int{65_537, 1 << 20} {
			r := p.post("quote", padded(size))
			p.refused(r, 413, "INVALID_INPUT")
		}
	}},
	{34, "another kind of body", func(p *probe) {
		for _, kind := range []string{
			"text/plain", "", "application/x-www-form-urlencoded", "application/json; charset=latin1",
		} {
			p.refused(p.post("quote", submission(), "Content-Type", kind), 415, "INVALID_INPUT")
			p.refused(p.post("quote/bind", submission(), "Content-Type", kind), 415, "INVALID_INPUT")
		}
	}},
	{35, "a charset", func(p *probe) {
		p.offered(p.post("quote", submission(), "Content-Type", "application/json; charset=utf-8"))
		p.offered(p.post("quote", submission(), "Content-Type", "Application/JSON;charset=UTF-8"))
	}},
	{36, "another method", func(p *probe) {
		for _, path := range []string{"/intake/quote", "/intake/quote/bind"} {
			for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "HEAD"} {
				r := p.send(message{method: method, url: p.at.base + path})
				p.expect(r.status == 405 && strings.Contains(r.header.Get("Allow"), "POST"), "%s: status %d, Allow %q",
					method, r.status, r.header.Get("Allow"))
				if method != "HEAD" {
					p.refused(r, 405, "INVALID_INPUT")
					p.wellFormed(r, nil)
				}
			}
		}
	}},
	{37, "versions", func(p *probe) {
		for _, version := range []any{"0.2.0", "1.0.0", "0.1", "0.1.0-beta", "", 0.1} {
			p.refused(p.submit(set("aip_version", version)), 400, "INVALID_INPUT")
		}
		r := p.submit(set("aip_version", "0.2.0"))
		fault, _ := r.body["error"].(object)
		p.expect(strings.Contains(fmt.Sprint(fault["message"]), "0.1"), "it does not say which version is spoken: %s",
			clip(r.raw))
		p.offered(p.submit(set("aip_version", "0.1.7")))
	}},
	{38, "declined", func(p *probe) {
		r := p.submit(set("intake_data.length_m", 41))
		p.expect(r.status == 200 && r.body["status"] == "declined" && r.body["decline_reason"] == "Our dock takes "+
			"boats of up to 40 metres.", "status %d: %s", r.status, clip(r.raw))
	}},
	{39, "what makes offers fails", func(p *probe) {
		r := p.post("failing", submission(set("intake_data", object{"parts": 0})))
		p.refused(r, 500, "INTERNAL_ERROR")
		for _, word := range []string{"zero", "data.parts", "CEL", "rule", ".go"} {
			p.expect(!bytes.Contains(r.raw, []byte(word)), "the answer tells of %q: %s", word, clip(r.raw))
		}
		p.offered(p.post("failing", submission(set("intake_data", object{"parts": 4}))))
	}},
	{40, "what makes offers is down", func(p *probe) {
		p.refused(p.post("busy", submission(set("intake_data", object{}))), 503, "SERVICE_UNAVAILABLE")
	}},
	{41, "too many at a time", func(p *probe) {
		var r reply
		for range 4 {
			r = p.post("limited", submission(set("intake_data", object{})))
			if r.status != 200 {
				break
			}
		}
		p.refused(r, 429, "RATE_LIMITED")
		wait, _ := strconv.Atoi(r.header.Get("Retry-After"))
		p.expect(wait >= 1 && wait <= 60, "Retry-After is %q, with three in any minute", r.header.Get("Retry-After"))
		p.offered(p.submit()) // another intake
	}},
	{42, "an intake that needs a key", func(p *probe) {
		p.expect(p.intakes()["members"]["requires_auth"] == true && p.intakes()["quote"]["requires_auth"] == false,
			"requires_auth is not declared")
		for _, credential := range [][]string{{}, {"Authorization", "Bearer wrong"}, {"Authorization",
			"Bearer " + p.at.key + "x"}, {"X-API-Key", "fd_aaaaaaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaa"}} {
			for _, path := range []string{"members", "members/bind"} {
				r := p.post(path, submission(set("intake_data", object{})), credential...)
				p.refused(r, 401, "UNAUTHORIZED")
				p.expect(strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer"), "WWW-Authenticate is %q",
					r.header.Get("WWW-Authenticate"))
			}
		}
		p.offered(p.post("members", submission(set("intake_data", object{})), "Authorization", "Bearer "+p.at.key))
		p.offered(p.post("members", submission(set("intake_data", object{})), "X-API-Key", p.at.key))
	}},
	{43, "how to accept", func(p *probe) {
		_, offer := p.offer("quote")
		requires, _ := offer["bind_requires"].([]any)
		p.expect(offer["bind_endpoint"] == p.at.base+"/intake/quote/bind" && len(requires) == 2 &&
			requires[0] == "email" && requires[1] == "full_name", "the offer is %v", offer)
		expires, _ := time.Parse(time.RFC3339, offer["expires"].(string))
		p.expect(time.Until(expires) > 167*time.Hour && time.Until(expires) < 169*time.Hour, "it expires at %v",
			offer["expires"])
		_, empty := p.offer("forgetful", set("intake_data", object{}))
		requires, there := empty["bind_requires"].([]any)
		p.expect(there && len(requires) == 0 && empty["bind_endpoint"] != nil,
			"an offer that requires nothing is %v", empty)
		_, only := p.offer("calculator", set("intake_data", object{"days": 3}))
		for _, name := range []string{"bind_endpoint", "bind_requires"} {
			_, there := only[name]
			p.expect(!there, "an offer that cannot be accepted has %s", name)
		}
		p.expect(p.intakes()["calculator"]["binding_available"] == false &&
			p.intakes()["quote"]["binding_available"] == true, "binding_available is wrong")
	}},
	{44, "the same request again", func(p *probe) {
		request, offer := p.offer("quote")
		again := p.offered(p.post("quote", request))
		p.expect(string(text(again)) == string(text(offer)), "the offer is another: %v, was %v", again, offer)
		other := p.offered(p.post("quote",
			submission(set("session_id", request["session_id"]), set("intake_data.length_m", 20))))
		p.expect(other["id"] != offer["id"], "a revision has the old offer")
		third := p.offered(p.submit())
		p.expect(third["id"] != offer["id"], "another session has the same offer")
	}},
	{45, "every error is valid", func(p *probe) {
		// wellFormed holds it of every answer of every row; these are those of addresses and
		// moments that have none.
		p.refused(p.post("nothing", submission()), 404, "INTAKE_NOT_FOUND")
		request, offer := p.offer("quote")
		p.refused(p.bind("nothing", request, offer), 404, "OFFER_NOT_FOUND")
		p.refused(p.post("quote", []byte(`{"session_id": "`+uuid()+`"}`)), 400, "INVALID_INPUT") // which echoes the session
		p.refused(p.post("quote", []byte(`{"session_id": "me"}`)), 400, "INVALID_INPUT")
	}},
	{46, "what is declared is what holds", func(p *probe) {
		for id, one := range p.intakes() {
			limits, _ := one["rate_limit"].(object)
			most, declared := limits["requests_per_minute"].(float64)
			if !declared || most > 10 {
				continue
			}
			got := p.within(id, int(most)+2)
			p.expect(got == int(most), "%s declares %v in a minute, and %d were let in", id, most, got)
		}
	}},
	{47, "an answer in time", func(p *probe) {
		r := p.post("slow", submission(set("intake_data", object{})))
		p.expect(r.took < 10*time.Second, "it took %s", r.took)
		p.refused(r, 503, "SERVICE_UNAVAILABLE")
	}},
}

// within is how many of so many requests at a time are let in by somebody who has not asked before:
// by another key of the configuration's own.
func (p *probe) within(intake string, tries int) (let int) {
	key := p.at.another()
	for range tries {
		r := p.post(intake, submission(set("intake_data", object{})), "Authorization", "Bearer "+key)
		if r.status == http.StatusOK {
			let++
		}
	}
	return let
}
