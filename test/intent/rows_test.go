package intent

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// declaration fetches the declaration of the first site.
func (p *probe) declaration(header map[string]string) reply {
	return p.send(message{base: p.first().base, method: "GET", path: "/.well-known/aip.json", header: header})
}

// invalid is a row about a declaration of which one thing is changed: nobody may take it for valid.
func invalid(number int, name string, changes ...func(object)) row {
	return row{number, name, func(p *probe) {
		for _, change := range changes {
			var d object
			p.must(json.Unmarshal(p.declaration(nil).raw, &d) == nil, "the declaration is no JSON")
			valid, told := p.at.check(string(text(d)))
			p.must(valid, "the declaration itself is not valid: %s", told)
			change(d)
			valid, told = p.at.check(string(text(d)))
			p.expect(!valid && told != "", "it is taken for valid: %s", text(d))
		}
	}}
}

var declarationRows = []row{
	{1, "the declaration is there", func(p *probe) {
		r := p.declaration(nil)
		p.must(r.status == 200 && r.body != nil, "status %d: %s", r.status, clip(r.raw))
		p.expect(strings.HasPrefix(r.header.Get("Content-Type"), "application/json"), "Content-Type %q",
			r.header.Get("Content-Type"))
		p.expect(r.header.Get("Access-Control-Allow-Origin") == "*", "CORS %q",
			r.header.Get("Access-Control-Allow-Origin"))
		p.expect(strings.Contains(r.header.Get("Cache-Control"), "max-age=300"), "Cache-Control %q",
			r.header.Get("Cache-Control"))
		p.expect(r.body["aip_version"] == "0.1", "aip_version %v", r.body["aip_version"])
		valid, told := p.at.check(string(r.raw))
		p.expect(valid, "it is not valid: %s", told)
		endpoints, _ := r.body["endpoints"].(object)
		for _, name := range []string{"capabilities", "retrieve", "event"} {
			at, _ := endpoints[name].(object)
			address, _ := at["url"].(string)
			p.expect(strings.HasPrefix(address, "http"), "endpoints.%s is %v", name, at)
		}
		_, there := endpoints["event"].(object)["required"].(bool)
		p.expect(there, "the event endpoint has no required")
	}},
	invalid(2, "without editorial domains", set("editorial_domains", nil), set("editorial_domains", []string{})),
	invalid(3, "domains in another form", set("editorial_domains", []string{"news.*"}),
		set("editorial_domains", []string{"News"}), set("editorial_domains", []string{"real-estate"})),
	invalid(4, "a member that nobody knows", set("price", "0.02")),
	invalid(5, "an event endpoint without required", set("endpoints.event.required", nil)),
	invalid(6, "no chunks at most", set("retrieval.max_chunks", 0)),
	invalid(7, "a scheme in the host name", set("publisher.domain", "https://harbour.example")),
	invalid(8, "a time for a day", set("compliance.last_updated", "2026-11-01T00:00:00Z")),
	{9, "a reason of null", func(p *probe) { // which the protocol's own example has
		var d object
		p.must(json.Unmarshal(p.declaration(nil).raw, &d) == nil, "the declaration is no JSON")
		_, there := d["compliance"].(object)["revocation_reason"]
		p.expect(!there, "the declaration itself has a revocation_reason")
		d["compliance"].(object)["revocation_reason"] = nil
		valid, told := p.at.check(string(text(d)))
		p.expect(valid && strings.Contains(told, "revocation_reason") && strings.Contains(told, "warning"),
			"nobody is warned of it: %s", told)
	}},
	{10, "HEAD and conditional requests", func(p *probe) {
		r := p.declaration(nil)
		tag := r.header.Get("ETag")
		p.must(tag != "", "there is no ETag")
		same := p.declaration(map[string]string{"If-None-Match": tag})
		p.expect(same.status == http.StatusNotModified && len(same.raw) == 0, "status %d with the tag", same.status)
		other := p.declaration(map[string]string{"If-None-Match": `"other"`})
		p.expect(other.status == 200 && len(other.raw) > 0, "status %d with another tag", other.status)
		head := p.send(message{base: p.first().base, method: "HEAD", path: "/.well-known/aip.json"})
		p.expect(head.status == 200 && len(head.raw) == 0 && head.header.Get("ETag") == tag,
			"HEAD: status %d, %d bytes", head.status, len(head.raw))
	}},
}

// good is a good message to the first site, changed.
func (p *probe) good(changes ...func(*message)) message {
	m := retrieval(p.first().base, question(p.first()))
	for _, change := range changes {
		change(&m)
	}
	return m
}

// stranger is a row about a message from nobody known.
func stranger(number int, name string, changes ...func(*message)) row {
	return row{number, name, func(p *probe) {
		for _, change := range changes {
			p.unauthenticated(p.ask(p.good(change)))
		}
	}}
}

func without(headers ...string) func(*message) {
	return func(m *message) {
		m.header = map[string]string{}
		for _, name := range headers {
			m.header[name] = ""
		}
	}
}

var authRows = []row{
	stranger(11, "no headers",
		without("X-AIP-Version", "X-AIP-Key-Id", "X-AIP-Timestamp", "X-AIP-Nonce", "X-AIP-Signature")),
	stranger(12, "each header missing", without("X-AIP-Version"), without("X-AIP-Key-Id"), without("X-AIP-Timestamp"),
		without("X-AIP-Nonce"), without("X-AIP-Signature")),
	stranger(13, "an unknown key", func(m *message) { m.key.id = "plat_unknown" }),
	stranger(14, "a wrong secret", func(m *message) { m.key.secret = theirs.secret }),
	stranger(15, "a byte of the body changed", func(m *message) {
		m.sent = append(slices.Clone(m.body[:len(m.body)-1]), ' ', '}')
	}),
	stranger(16, "another path", func(m *message) { m.signedPath = "/intent/other" }, func(m *message) {
		m.path += "?x=1"
		m.signedPath = retrievePath
	}),
	stranger(17, "another method", func(m *message) { m.signedFirst = "GET" }),
	stranger(18, "301 seconds old", func(m *message) { m.stamp = stamp(301 * time.Second) }),
	{19, "300 seconds old", func(p *probe) {
		// A real clock goes on while the message is under way; the boundary itself is held by a
		// test with a clock that stands.
		p.given(p.ask(p.good(func(m *message) { m.stamp = stamp(296 * time.Second) })))
		p.given(p.ask(p.good(func(m *message) { m.stamp = stamp(-296 * time.Second) })))
	}},
	stranger(20, "301 seconds ahead", func(m *message) { m.stamp = stamp(-310 * time.Second) }),
	{21, "a nonce again", func(p *probe) {
		m := p.good()
		p.given(p.ask(m))
		p.unauthenticated(p.ask(m))
		other := p.good(func(o *message) { o.nonce = m.nonce })
		p.unauthenticated(p.ask(other))
	}},
	{22, "a nonce under another key", func(p *probe) {
		m := p.good()
		p.given(p.ask(m))
		p.given(p.ask(p.good(func(o *message) { o.nonce, o.key = m.nonce, second })))
	}},
	{23, "a failed signature leaves the nonce", func(p *probe) {
		m := p.good()
		wrong := m
		wrong.key.secret = theirs.secret
		p.unauthenticated(p.ask(wrong))
		p.given(p.ask(m))
	}},
	{24, "a version that nobody speaks", func(p *probe) {
		p.failed(p.ask(p.good(func(m *message) { m.version = "9.9" })), 400, "unsupported_version")
	}},
	{25, "two versions", func(p *probe) {
		r := p.ask(retrieval(p.first().base, question(p.first(), set("aip_version", "1.0"))))
		fault, _ := r.body["error"].(object)
		p.expect(r.status == 400 && (fault["code"] == "invalid_request" || fault["code"] == "unsupported_version"),
			"status %d: %s", r.status, clip(r.raw))
	}},
	{26, "another platform's name", func(p *probe) {
		p.failed(p.ask(retrieval(p.first().base, question(p.first(), set("platform.id", theirs.platform)))), 403,
			"auth_failed")
	}},
	stranger(27, "a revoked key", func(m *message) { m.key = revoked }),
	{28, "no hint of what was wrong", func(p *probe) {
		body := question(p.first(), set("request_id", "same for all"))
		var told []string
		for _, change := range []func(*message){
			func(m *message) { m.key.id = "plat_unknown" }, func(m *message) { m.key.secret = theirs.secret },
			func(m *message) { m.stamp = stamp(time.Hour) }, func(m *message) { m.key = revoked },
			without("X-AIP-Nonce"),
		} {
			m := retrieval(p.first().base, body)
			change(&m)
			r := p.ask(m)
			p.unauthenticated(r)
			p.expect(r.body["content"] == nil, "a failure has content")
			delete(r.body, "timestamp")
			told = append(told, string(text(r.body)))
		}
		p.expect(len(slices.Compact(told)) == 1, "failures can be told apart: %q", told)
	}},
	{29, "answers are signed", func(p *probe) {
		m := p.good(func(m *message) { m.path += "?a=b%20c" })
		for _, r := range []reply{p.ask(m), p.ask(p.good(func(m *message) { m.version = "9.9" }))} {
			h := r.header
			want := signature(mine.secret, map[int]string{200: "200", 400: "400"}[r.status], r.to.path, r.raw,
				h.Get("X-AIP-Timestamp"), h.Get("X-AIP-Nonce"))
			p.expect(h.Get("X-AIP-Signature") == want && h.Get("X-AIP-Key-Id") == mine.id,
				"the signature is %q, want %q", h.Get("X-AIP-Signature"), want)
			p.expect(h.Get("X-AIP-Version") == "0.1", "the version is %q", h.Get("X-AIP-Version"))
			at, err := time.Parse(time.RFC3339, h.Get("X-AIP-Timestamp"))
			p.expect(err == nil && time.Since(at).Abs() < 300*time.Second && h.Get("X-AIP-Nonce") != r.to.nonce &&
				len(h.Get("X-AIP-Nonce")) >= 22, "time %q, nonce %q",
				h.Get("X-AIP-Timestamp"), h.Get("X-AIP-Nonce"))
		}
	}},
}

// malformed is a row about a signed body that is not as it must be.
func malformed(number int, name string, bodies ...func(site) []byte) row {
	return row{number, name, func(p *probe) {
		for _, body := range bodies {
			m := p.good()
			m.body = body(p.first())
			p.failed(p.ask(m), 400, "invalid_request")
		}
	}}
}

func changed(changes ...func(object)) func(site) []byte {
	return func(s site) []byte { return text(question(s, changes...)) }
}

// inScope asks the first site in a domain.
func inScope(p *probe, domain, subdomain string) reply {
	body := question(p.first(), set("intent.domain", domain))
	if subdomain != "" {
		set("intent.subdomain", subdomain)(body)
	}
	return p.ask(retrieval(p.first().base, body))
}

var orderRows = []row{
	{30, "unsigned and disabled", func(p *probe) {
		m := retrieval(p.at.disabled, question(p.first(), set("intent.domain", "sports")))
		without("X-AIP-Signature")(&m)
		p.unauthenticated(p.ask(m))
	}},
	{31, "disabled and out of scope", func(p *probe) {
		p.denied(p.ask(retrieval(p.at.disabled, question(p.first(), set("intent.domain", "sports")))), 200,
			"access_disabled")
	}},
	{32, "paused", func(p *probe) {
		p.denied(p.ask(retrieval(p.at.paused, question(p.first()))), 200, "access_disabled")
	}},
	{33, "no state is active", func(p *probe) { p.given(p.ask(retrieval(p.at.stateless, question(p.first())))) }},
	{34, "ended", func(p *probe) {
		p.denied(p.ask(retrieval(p.at.ended, question(p.first()))), 200, "access_disabled")
	}},
	{35, "out of scope", func(p *probe) { p.denied(inScope(p, "sports", ""), 200, "out_of_scope") }},
	{36, "a domain below", func(p *probe) {
		p.given(inScope(p, "news.port.cranes", ""))
		p.given(inScope(p, "news", "port"))
		p.given(inScope(p, "news", "news.port.ships"))
		p.given(inScope(p, "news.port", "sports.ball"))
	}},
	{37, "a domain above", func(p *probe) { p.denied(inScope(p, "news", ""), 200, "out_of_scope") }},
	{38, "half a label", func(p *probe) {
		p.denied(inScope(p, "news.portside", ""), 200, "out_of_scope")
		p.denied(inScope(p, "news.por", ""), 200, "out_of_scope")
		p.denied(inScope(p, "sports", "news.port"), 200, "out_of_scope")
	}},
	malformed(39, "no JSON", func(site) []byte { return []byte(`{"aip_version": "0.1",`) },
		func(site) []byte { return []byte("[]") }, func(site) []byte { return nil }),
	malformed(40, "a member for bids", changed(set("bid", object{"price": 1})), changed(set("intent.bid", 1)),
		changed(set("runtime.user_id", "u"))),
	malformed(41, "a language without country", changed(set("context.language", "en"))),
	malformed(42, "a turn below zero", changed(set("runtime.turn_index", -1)), changed(set("runtime.turn_index", 0.5))),
	malformed(43, "too much confidence", changed(set("intent.confidence", 1.01)),
		changed(set("intent.confidence", -0.1))),
	{44, "no passages", func(p *probe) {
		p.denied(p.ask(retrieval(p.at.chunkless, question(p.first()))), 200, "unsupported")
	}},
	{45, "a burst", func(p *probe) {
		for range 20 {
			r := p.ask(retrieval(p.at.limited, question(p.first())))
			if r.status == 200 {
				continue
			}
			p.denied(r, http.StatusTooManyRequests, "rate_limited")
			p.expect(r.header.Get("Retry-After") != "" && r.header.Get("Retry-After") != "0", "Retry-After is %q",
				r.header.Get("Retry-After"))
			return
		}
		p.expect(false, "20 at once are let in")
	}},
}

// eachAnswer asks every question of both sites, each in a session of its own.
func (p *probe) eachAnswer(hold func(s site, r reply, chunks []object)) {
	for _, s := range p.at.sites {
		for _, q := range append([]string{""}, s.questions...) {
			body := question(s, set("runtime.query_text", q))
			if q == "" {
				set("runtime.query_text", nil)(body)
			}
			r := p.ask(retrieval(s.base, body))
			hold(s, r, p.given(r))
		}
	}
}

func tokensOf(chunks []object) (sum int) {
	for _, c := range chunks {
		body, _ := c["text"].(string)
		sum += (utf8.RuneCountInString(body) + 3) / 4
	}
	return sum
}

var contentRows = []row{
	{46, "never too many chunks", func(p *probe) {
		p.eachAnswer(func(_ site, r reply, chunks []object) {
			limits, _ := r.body["limits_applied"].(object)
			p.expect(len(chunks) >= 1 && len(chunks) <= 3 && limits["max_chunks"] == 3.0, "%d chunks, limits %v",
				len(chunks), limits)
		})
	}},
	{47, "never too many tokens", func(p *probe) {
		p.eachAnswer(func(_ site, r reply, chunks []object) {
			limits, _ := r.body["limits_applied"].(object)
			told := 0
			for _, c := range chunks {
				n, ok := c["token_count"].(float64)
				p.expect(ok && int(n) == tokensOf([]object{c}), "a chunk is counted as %v, and has %d",
					c["token_count"], tokensOf([]object{c}))
				told += int(n)
			}
			most, _ := limits["max_tokens"].(float64) // less where the platform has seen much of an article today
			p.expect(most <= 300 && told <= int(most) && tokensOf(chunks) <= int(most), "%d tokens, limits %v",
				tokensOf(chunks), limits)
		})
	}},
	{48, "no session covers an article", func(p *probe) {
		for _, s := range p.at.sites {
			seen := map[string]map[string]bool{}
			session := "session_" + random()
			for turn := range 60 {
				r := p.ask(retrieval(s.base, question(s, set("runtime.session_id", session),
					set("runtime.turn_index", turn), set("runtime.query_text", s.questions[turn%len(s.questions)]))))
				if r.body["status"] == "denied" {
					p.denied(r, 200, "policy_violation")
					continue
				}
				p.given(r)
				texts := map[string]string{}
				for _, c := range objects(r.body["content"].(object)["chunks"]) {
					texts[c["id"].(string)], _ = c["text"].(string)
				}
				for _, c := range objects(r.body["citations"]) {
					address, _ := c["source_url"].(string)
					if seen[address] == nil {
						seen[address] = map[string]bool{}
					}
					for _, id := range c["chunk_ids"].([]any) {
						seen[address][texts[id.(string)]] = true
					}
				}
			}
			p.expect(len(seen) > 0, "nothing was seen")
			for address, texts := range seen {
				whole, sum := s.bodies[address], 0
				p.must(whole != "", "%s is cited, and no article", address)
				for part := range texts {
					contained := slices.ContainsFunc(slices.Collect(func(yield func(string) bool) {
						for other := range texts {
							if other != part && strings.HasPrefix(other, part) && !yield(other) {
								return
							}
						}
					}), func(string) bool { return true })
					if !contained {
						sum += len(part)
					}
				}
				p.expect(sum <= len(whole)*55/100, "a session saw %d of %d bytes of %s", sum, len(whole), address)
			}
		}
	}},
	{49, "citations are of the chunks", func(p *probe) {
		p.eachAnswer(func(s site, r reply, chunks []object) {
			given := map[string]int{}
			for _, c := range chunks {
				id, _ := c["id"].(string)
				given[id] = 0
			}
			p.expect(len(given) == len(chunks), "two chunks have one id")
			citations := objects(r.body["citations"])
			p.expect(len(citations) > 0, "there are no citations: %s", clip(r.raw))
			for _, c := range citations {
				ids, _ := c["chunk_ids"].([]any)
				p.expect(len(ids) > 0, "a citation of nothing")
				address, _ := c["source_url"].(string)
				p.expect(s.bodies[address] != "", "%q is none of the site's articles", address)
				for _, id := range ids {
					name, _ := id.(string)
					_, there := given[name]
					p.expect(there, "chunk %v is cited, and was not given", id)
					given[name]++
				}
			}
			for id, n := range given {
				p.expect(n == 1, "chunk %s is cited %d times", id, n)
			}
		})
	}},
	{50, "no citations where they are not supported", func(p *probe) {
		r := p.ask(retrieval(p.at.citeless, question(p.first())))
		p.given(r)
		_, there := r.body["citations"]
		p.expect(!there, "there are citations")
	}},
	{51, "content or denial", func(p *probe) {
		for _, m := range p.variety() {
			r := p.ask(m)
			n := 0
			for _, name := range []string{"content", "denial", "error"} {
				if r.body[name] != nil {
					n++
				}
			}
			p.expect(n == 1, "there are %d of content, denial and error: %s", n, clip(r.raw))
		}
	}},
	{52, "the request's id comes back", func(p *probe) {
		for _, m := range p.variety() {
			var asked object
			json.Unmarshal(m.body, &asked)
			r := p.ask(m)
			p.expect(r.body["request_id"] == asked["request_id"], "request_id is %v, want %v", r.body["request_id"],
				asked["request_id"])
		}
	}},
	{53, "nothing fits", func(p *probe) {
		for _, s := range p.at.sites {
			// what no article has, and what only one outside the domain has
			for _, q := range []string{s.nobody, s.words} {
				p.failed(p.ask(retrieval(s.base, question(s, set("runtime.query_text", q)))), 200, "no_content")
			}
			if s.elsewhere != "" { // in its own domain it is found
				p.given(p.ask(retrieval(s.base,
					question(s, set("runtime.query_text", s.words), set("intent.domain", s.elsewhere)))))
			}
		}
	}},
	{54, "every answer is valid", func(p *probe) {
		for _, m := range p.variety() {
			p.ask(m) // which holds it
		}
		for _, m := range []message{
			p.good(func(m *message) { m.method = "GET" }),
			p.good(func(m *message) { m.header = map[string]string{"Content-Type": "text/plain"} }),
			p.good(func(m *message) { m.body = []byte(strings.Repeat(" ", 70_000)) }),
		} {
			r := p.ask(m)
			p.expect(r.status == map[string]int{"GET": 405}[m.method] || r.status == 415 || r.status == 413,
				"status %d", r.status)
			p.expect(r.status != 405 || r.header.Get("Allow") == "POST", "Allow is %q", r.header.Get("Allow"))
		}
	}},
	{55, "nothing is stored on the way", func(p *probe) {
		for _, m := range p.variety() {
			r := p.send(m)
			p.expect(r.header.Get("Cache-Control") == "no-store", "Cache-Control is %q with status %d",
				r.header.Get("Cache-Control"), r.status)
		}
	}},
}

// variety are messages that are answered in all ways.
func (p *probe) variety() []message {
	s := p.first()
	return []message{
		p.good(), retrieval(p.at.sites[1].base, question(p.at.sites[1])),
		retrieval(s.base, question(s, set("intent.domain", "sports"))),
		retrieval(s.base, question(s, set("runtime.query_text", s.nobody))), retrieval(p.at.paused, question(s)),
		retrieval(p.at.chunkless, question(s)), retrieval(s.base, question(s, set("timestamp", stamp(time.Hour)))),
		retrieval(s.base, question(s, set("runtime.turn_index", -1))),
		p.good(func(m *message) { m.key.secret = "wrong" }),
		retrieval(s.base, question(s, set("platform.id", "somebody"))), retrieval(p.at.citeless, question(s)),
	}
}

// event is an event about an answer, changed.
func event(r reply, kind string, changes ...func(object)) object {
	e := object{
		"aip_version": "0.1", "event_id": "evt_" + random(), "event_type": kind, "timestamp": stamp(0),
		"request_id": r.body["request_id"], "publisher": object{"id": "house", "domain": harbour},
		"platform": object{"id": mine.platform},
	}
	if citations := objects(r.body["citations"]); kind == "citation" && len(citations) > 0 {
		e["citation"] = object{"source_url": citations[0]["source_url"], "chunk_ids": citations[0]["chunk_ids"],
			"display_surface": "footnote"}
	}
	if content, _ := r.body["content"].(object); kind == "access" {
		chunks := objects(content["chunks"])
		e["access"] = object{"chunks_returned": len(chunks), "token_count": tokensOf(chunks),
			"retrieval_mode": "chunks"}
	}
	for _, change := range changes {
		change(e)
	}
	return e
}

func reported(base string, e object) message {
	return message{base: base, method: "POST", path: eventsPath, body: text(e), key: mine, version: "0.1",
		stamp: stamp(0), nonce: random()}
}

// report reports an event, and holds its status.
func (p *probe) report(m message, status int) reply {
	r := p.send(m)
	p.expect(r.status == status && r.body != nil, "status %d, want %d: %s", r.status, status, clip(r.raw))
	p.expect(r.header.Get("Cache-Control") == "no-store", "Cache-Control is %q", r.header.Get("Cache-Control"))
	return r
}

// answered is an answer of the first site.
func (p *probe) answered() reply {
	r := p.ask(p.good())
	p.given(r)
	return r
}

var eventRows = []row{
	{56, "one access event for each answer", func(p *probe) {
		s := p.first()
		m := p.good()
		first := p.ask(m)
		p.given(first)
		m.nonce, m.stamp = random(), stamp(0)
		again := p.ask(m)
		p.given(again)
		p.expect(string(text(first.body["content"])) == string(text(again.body["content"])),
			"the repetition gives something else")
		count := func(m message) int {
			var body object
			json.Unmarshal(m.body, &body)
			n := 0
			for _, e := range p.at.entries(0, body["request_id"].(string)) {
				if e["kind"] == "access" {
					n++
				}
			}
			return n
		}
		p.expect(count(m) == 1, "an answer and its repetition have %d access events", count(m))
		for _, other := range []message{
			retrieval(s.base, question(s, set("intent.domain", "sports"))),
			retrieval(s.base, question(s, set("runtime.query_text", s.nobody))),
			retrieval(s.base, question(s, set("runtime.turn_index", -1))),
		} {
			p.expect(p.ask(other).body["status"] != "ok", "it was given something")
			p.expect(count(other) == 0, "what got nothing has %d access events", count(other))
		}
		changed := m
		changed.body, changed.nonce = append(slices.Clone(m.body), ' '), random()
		p.failed(p.ask(changed), 409, "request_conflict")
	}},
	{57, "the access event counts what was given", func(p *probe) {
		for i, s := range p.at.sites {
			r := p.ask(retrieval(s.base, question(s)))
			chunks := p.given(r)
			entries := p.at.entries(i, r.body["request_id"].(string))
			p.must(len(entries) == 1, "there are %d entries", len(entries))
			body, _ := entries[0]["body"].(object)
			p.expect(body["chunks_returned"] == float64(len(chunks)) &&
				body["token_count"] == float64(tokensOf(chunks)), "the event says %v", body)
			p.expect(!strings.Contains(string(text(entries[0])), "session_") &&
				!strings.Contains(string(text(entries[0])), s.questions[0]),
				"the event holds what it must not: %v", entries[0])
		}
	}},
	{58, "a citation", func(p *probe) {
		r := p.answered()
		p.report(reported(p.first().base, event(r, "citation")), 202)
		p.report(reported(p.first().base, event(r, "access")), 202)
	}},
	{59, "a citation again", func(p *probe) {
		e := event(p.answered(), "citation")
		p.report(reported(p.first().base, e), 202)
		m := reported(p.first().base, e)
		m.body = append([]byte(" "), m.body...) // the same value, in other bytes
		p.report(m, 200)
	}},
	{60, "another citation under its id", func(p *probe) {
		e := event(p.answered(), "citation")
		p.report(reported(p.first().base, e), 202)
		set("citation.display_surface", "answer")(e)
		p.report(reported(p.first().base, e), 409)
	}},
	{61, "an unknown request", func(p *probe) {
		p.report(reported(p.first().base, event(p.answered(), "citation", set("request_id", "req_unknown"))), 422)
		denied := p.ask(retrieval(p.first().base, question(p.first(), set("intent.domain", "sports"))))
		p.report(reported(p.first().base,
			event(p.answered(), "citation", set("request_id", denied.body["request_id"]))), 422)
		p.report(reported(p.first().base, event(p.answered(), "citation", set("publisher.id", "somebody"))), 422)
	}},
	{62, "a chunk that was not given", func(p *probe) {
		r := p.answered()
		p.report(reported(p.first().base, event(r, "citation", set("citation.chunk_ids", []string{"c_other"}))), 422)
		p.report(reported(p.first().base,
			event(r, "citation", set("citation.source_url", "https://harbour.example/sea/3"))), 422)
	}},
	{63, "another platform's key", func(p *probe) {
		m := reported(p.first().base, event(p.answered(), "citation"))
		m.key = theirs
		p.report(m, 403)
		unsigned := reported(p.first().base, event(p.answered(), "citation"))
		without("X-AIP-Version", "X-AIP-Key-Id", "X-AIP-Timestamp", "X-AIP-Nonce", "X-AIP-Signature")(&unsigned)
		p.report(unsigned, 401)
	}},
	{64, "a user in an event", func(p *probe) {
		r := p.answered()
		p.report(reported(p.first().base, event(r, "citation", set("user_id", "u1"))), 400)
		p.report(reported(p.first().base, event(r, "citation", set("citation.session_id", "s1"))), 400)
		p.report(reported(p.first().base, event(r, "citation", set("event_type", "accounting"))), 400)
		p.report(reported(p.first().base, event(r, "citation", set("citation", nil))), 400)
	}},
	{65, "the ledger survives", func(p *probe) {
		var m message
		var first, again reply
		cited := object{}
		p.at.killed(func(base string) {
			m = retrieval(base, question(p.first()))
			first = p.ask(m)
			p.given(first)
			cited = event(first, "citation")
			p.report(reported(base, cited), 202)
		}, func(base string) {
			p.unauthenticated(
				p.ask(message{base, m.method, m.path, m.body, m.key, m.version, m.stamp, m.nonce, "", "", nil, nil}))
			m.base, m.nonce, m.stamp = base, random(), stamp(0)
			again = p.ask(m)
			p.given(again)
			p.report(reported(base, cited), 200)
		}, func(find func(string) []object) {
			p.expect(string(text(first.body["content"])) == string(text(again.body["content"])),
				"what was given is forgotten")
			kinds := map[any]int{}
			for _, e := range find(first.body["request_id"].(string)) {
				kinds[e["kind"]]++
			}
			p.expect(kinds["access"] == 1 && kinds["citation"] == 1, "the ledger has %v", kinds)
		})
	}},
	{66, "tampering is found", func(p *probe) {
		sound, told := p.at.tampered(false)
		p.expect(sound, "an untouched ledger is blamed: %s", told)
		sound, told = p.at.tampered(true)
		p.expect(!sound && told != "", "nobody finds what was changed: %s", told)
	}},
}
