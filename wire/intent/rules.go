package intent

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/document"
	"frontdesk/wire/sign"
)

// This file has what the protocol's prose asks for and a schema cannot say.

// rules judges a declaration.
func (d *Declaration) rules(o Options) (found Findings) {
	found = append(found, spoken(d.Version, o)...)
	found = append(found, d.accessRules(o)...)
	for i, label := range d.EditorialDomains {
		if slices.Index(d.EditorialDomains, label) < i {
			found = append(found, doubt(fmt.Sprintf("/editorial_domains/%d", i), "declaration editorial_domains",
				fmt.Sprintf("%q stands there twice", label), "remove one"))
		}
	}
	found = append(found, d.endpointRules()...)
	found = append(found, namespaced(d.Extensions)...)
	if at, phrase := forbidden(d.Extensions, commercial); phrase != "" {
		found = append(found,
			doubt(at, RuleForbidden, fmt.Sprintf("speaks of %q, and a declaration is neither offer nor price list",
				phrase), "remove it"))
	}
	return found
}

// accessRules finds permissions that contradict themselves or have ended.
func (d *Declaration) accessRules(o Options) (found Findings) {
	access := d.IntentAccess
	if !access.Enabled && access.State == StateActive {
		found = append(found, doubt("/intent_access/state", "declaration intent_access.state",
			"says active although enabled is false, which wins", "remove state, or enable access"))
	}
	if access.Enabled && !d.Retrieval.Supports.Chunks {
		found = append(found, doubt("/retrieval/supports/chunks", "declaration retrieval.supports.chunks",
			"is false, so that every request is denied as unsupported",
			"set it to true, or enabled to false"))
	}
	if o.Now.IsZero() {
		return found
	}
	if d.Expired(o.Now) {
		found = append(found, doubt("/compliance/sunset", "declaration compliance.sunset",
			"has passed: "+d.Compliance.Sunset, "renew the declaration, or take it away"))
	}
	if updated, err := time.Parse(time.DateOnly, d.Compliance.LastUpdated); err == nil &&
		updated.After(o.Now.Add(24*time.Hour)) {
		found = append(found, doubt("/compliance/last_updated", "declaration compliance.last_updated",
			"lies in the future", "write the day of the last change"))
	}
	return found
}

// endpointRules finds endpoints that cannot be what they should.
func (d *Declaration) endpointRules() (found Findings) {
	if d.Endpoints == nil || d.Endpoints.Retrieve == nil {
		if d.IntentAccess.Enabled {
			found = append(found,
				doubt("", "declaration endpoints.retrieve", "access is enabled, and nothing says where to ask",
					"add endpoints.retrieve"))
		}
	}
	if d.Endpoints == nil {
		return found
	}
	e := d.Endpoints
	if e.Capabilities != nil {
		found = append(found, secured("/endpoints/capabilities/url", "declaration endpoints.capabilities.url",
			e.Capabilities.URL)...)
	}
	if e.Retrieve != nil {
		found = append(found, secured("/endpoints/retrieve/url", "declaration endpoints.retrieve.url",
			e.Retrieve.URL)...)
		if ref := e.Retrieve.CapabilitiesRef; ref != "" && ref != CapabilityRef {
			found = append(found, doubt("/endpoints/retrieve/capabilities_ref",
				"declaration endpoints.retrieve.capabilities_ref", fmt.Sprintf("%q names no block that is known", ref),
				`write "retrieval", or leave it out`))
		}
	}
	if e.Event != nil {
		found = append(found, secured("/endpoints/event/url", "declaration endpoints.event.url", e.Event.URL)...)
	}
	return found
}

// secured doubts addresses that are not https, hold a password or a fragment, or have no host.
func secured(at, rule, address string) Findings {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil // the schema has found it
	case u.Scheme != "https":
		return Findings{doubt(at, rule, "is not https, which the protocol takes for granted", "serve it by https")}
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return Findings{doubt(at, rule, "has no host, or has a password or a fragment",
			"write an address like https://www.example.com/intent/retrieve")}
	}
	return nil
}

// rules judges a request. (That its timestamp is fresh, and its subject permitted, are decisions
// and not its form.)
func (r *RetrieveRequest) rules(o Options) (found Findings) {
	found = append(found, spoken(r.Version, o)...)
	if sub := r.Intent.Subdomain; sub != "" && sub != r.Intent.Domain && !Within(sub, r.Intent.Domain) &&
		strings.Contains(sub, ".") {
		found = append(found, doubt("/intent/subdomain", "request intent.subdomain",
			fmt.Sprintf("%q does not lie in the domain %q, so that the domain alone decides", sub, r.Intent.Domain),
			"write the subdomain of the domain, or leave it out"))
	}
	found = append(found, namespaced(r.Extensions)...)
	return append(found, clean(r.Extensions, "a request carries no prices, advertising, embeddings, scores or persons",
		commercial, identity, operator)...)
}

// rules judges an answer by itself. What it must have in common with its request is in
// [CheckAnswer].
func (r *RetrieveResponse) rules(o Options) (found Findings) {
	found = append(found, spoken(r.Version, o)...)
	found = append(found, r.statusRules()...)
	if r.Content != nil {
		found = append(found, r.chunkRules()...)
	}
	found = append(found, r.citationRules()...)
	found = append(found, namespaced(r.Extensions)...)
	return append(found, clean(r.Extensions, "an answer carries no prices, offers, licences, actions or advertising",
		commercial)...)
}

// statusRules wants exactly the one part that goes with the status.
func (r *RetrieveResponse) statusRules() (found Findings) {
	for _, part := range []struct {
		name, status string
		there        bool
	}{
		{"content", StatusOK, r.Content != nil}, {"denial", StatusDenied, r.Denial != nil},
		{"error", StatusError, r.Error != nil},
	} {
		switch {
		case part.there && part.status != r.Status:
			found = append(found,
				wrong("/"+part.name, "response one-part", fmt.Sprintf("is there although the status is %q", r.Status),
					fmt.Sprintf("remove it, or make the status %q", part.status)))
		case !part.there && part.status == r.Status:
			found = append(found,
				wrong("", "response one-part", fmt.Sprintf("the status is %q and there is no %s", r.Status, part.name),
					"add "+part.name))
		}
	}
	if r.Status == StatusOK {
		return found
	}
	if r.Citations != nil {
		found = append(found, wrong("/citations", "response citations", "there is no content to cite", "remove it"))
	}
	if r.LimitsApplied != nil {
		found = append(found, doubt("/limits_applied", "response limits_applied",
			"there is no content that limits applied to", "remove it"))
	}
	return found
}

// chunkRules counts passages and tokens.
func (r *RetrieveResponse) chunkRules() (found Findings) {
	seen, tokens := map[string]bool{}, 0
	for i, chunk := range r.Content.Chunks {
		at := fmt.Sprintf("/content/chunks/%d", i)
		if seen[chunk.ID] {
			found = append(found,
				doubt(at+"/id", "response content.chunks.id",
					fmt.Sprintf("%q stands there twice, so that nobody can say which is cited", chunk.ID),
					"give each passage its own id"))
		}
		if strings.TrimSpace(chunk.Text) == "" {
			found = append(found,
				doubt(at+"/text", "response content.chunks.text", "is empty", "leave the passage out"))
		}
		seen[chunk.ID] = true
		if chunk.TokenCount != nil {
			tokens += *chunk.TokenCount
		}
	}
	limits := r.LimitsApplied
	if limits == nil {
		return found
	}
	if limits.MaxChunks > 0 && len(r.Content.Chunks) > limits.MaxChunks {
		found = append(found,
			wrong("/content/chunks", "response max_chunks", fmt.Sprintf("has %d passages, and %d was the limit",
				len(r.Content.Chunks), limits.MaxChunks), "give fewer"))
	}
	if limits.MaxTokens > 0 && tokens > limits.MaxTokens {
		found = append(found, wrong("/content/chunks", "response max_tokens",
			fmt.Sprintf("has %d tokens, and %d was the limit", tokens, limits.MaxTokens), "give less"))
	}
	return found
}

// citationRules wants citations of what is there, one for each source.
func (r *RetrieveResponse) citationRules() (found Findings) {
	sources := map[string]bool{}
	for i, citation := range r.Citations {
		at := fmt.Sprintf("/citations/%d", i)
		if sources[citation.SourceURL] {
			found = append(found, doubt(at+"/source_url", "response citations.source_url", "is cited twice",
				"make one citation of each source"))
		}
		sources[citation.SourceURL] = true
		found = append(found, web(at+"/source_url", "response citations.source_url", citation.SourceURL)...)
		if len(citation.ChunkIDs) == 0 {
			found = append(found,
				doubt(at, "response citations.chunk_ids", "names no passage, and citations must refer to passages",
					"add chunk_ids"))
		}
		for j, id := range citation.ChunkIDs {
			if r.Content == nil || !slices.ContainsFunc(r.Content.Chunks, func(c Chunk) bool { return c.ID == id }) {
				found = append(found, wrong(fmt.Sprintf("%s/chunk_ids/%d", at, j), "response citations.chunk_ids",
					fmt.Sprintf("%q is none of the passages", id), "cite what is there alone"))
			}
		}
	}
	return found
}

// rules judges an event.
func (e *Event) rules(o Options) (found Findings) {
	found = append(found, spoken(e.Version, o)...)
	if !o.WeakEvents {
		found = append(found, e.partRules()...)
	}
	if e.Citation != nil && e.Citation.SourceURL != "" {
		found = append(found, web("/citation/source_url", "event citation.source_url", e.Citation.SourceURL)...)
	}
	found = append(found, namespaced(e.Extensions)...)
	return append(found, clean(e.Extensions, "events carry no prices, advertising, measures of attention or persons",
		commercial, identity, engagement)...)
}

// partRules wants the one part that goes with the type. (Whether it is complete is seen in
// [completeEvent], since zeros and what is missing look alike here.)
func (e *Event) partRules() (found Findings) {
	for _, id := range []struct{ name, value string }{{"event_id", e.EventID}, {"request_id", e.RequestID}} {
		if !visibleID(id.value) {
			found = append(found,
				wrong("/"+id.name, "event "+id.name, "is empty, longer than 256 characters, or has some that are not "+
					"visible", "write 1 to 256 visible characters"))
		}
	}
	for _, part := range []struct {
		name  string
		there bool
	}{{EventAccess, e.Access != nil}, {EventCitation, e.Citation != nil}} {
		switch {
		case part.there && part.name != e.Type:
			found = append(found,
				wrong("/"+part.name, "event one-part", fmt.Sprintf("is there although event_type is %q", e.Type),
					"remove it"))
		case !part.there && part.name == e.Type:
			found = append(found,
				wrong("", "event one-part", fmt.Sprintf("event_type is %q and there is no %s", e.Type, part.name),
					"add "+part.name))
		}
	}
	return found
}

// CheckAnswer judges what an answer must have in common with its request, and with the publisher's
// declaration where that is known (it may be nil). Each document is valid by itself.
func CheckAnswer(request *RetrieveRequest, answer *RetrieveResponse, declaration *Declaration) (found Findings) {
	if answer.Version != request.Version {
		found = append(found,
			wrong("/aip_version", RuleVersion, fmt.Sprintf("is %q, and the request's is %q", answer.Version,
				request.Version), "answer in the request's version"))
	}
	if answer.RequestID != request.RequestID {
		found = append(found,
			wrong("/request_id", "answer request_id", fmt.Sprintf("is %q, and the request's is %q", answer.RequestID,
				request.RequestID), "echo the request's"))
	}
	asked, askedErr := sign.ParseTime(request.Timestamp)
	answered, answeredErr := sign.ParseTime(answer.Timestamp)
	if askedErr == nil && answeredErr == nil && !sign.Fresh(asked, answered) {
		found = append(found,
			doubt("/timestamp", "answer timestamp", "is more than five minutes away from the request's",
				"write when the answer was made; look at the clock"))
	}
	if declaration == nil || answer.Status != StatusOK || answer.Content == nil {
		return found
	}
	return append(found, againstDeclaration(answer, declaration)...)
}

// againstDeclaration holds content against what the publisher declared.
func againstDeclaration(answer *RetrieveResponse, declaration *Declaration) (found Findings) {
	chunks, declared := answer.Content.Chunks, declaration.Retrieval
	if declared.MaxChunks > 0 && len(chunks) > declared.MaxChunks {
		found = append(found,
			wrong("/content/chunks", "answer max_chunks",
				fmt.Sprintf("has %d passages, and aip.json declares at most %d", len(chunks), declared.MaxChunks),
				"give fewer"))
	}
	tokens := 0
	for _, chunk := range chunks {
		if chunk.TokenCount != nil {
			tokens += *chunk.TokenCount
		}
	}
	if declared.MaxTokens > 0 && tokens > declared.MaxTokens {
		found = append(found, wrong("/content/chunks", "answer max_tokens",
			fmt.Sprintf("has %d tokens, and aip.json declares at most %d", tokens, declared.MaxTokens), "give less"))
	}
	if limits := answer.LimitsApplied; limits != nil &&
		(declared.MaxChunks > 0 && limits.MaxChunks > declared.MaxChunks || declared.MaxTokens > 0 &&
			limits.MaxTokens > declared.MaxTokens) {
		found = append(found, wrong("/limits_applied", "answer limits_applied", "is wider than aip.json declares",
			"apply the declared limits or tighter ones"))
	}
	if !declared.Supports.Chunks {
		found = append(found,
			wrong("/content", "answer supports.chunks",
				"is there although aip.json declares that no passages are given", "deny as unsupported"))
	}
	if !declared.Supports.Citations && len(answer.Citations) > 0 {
		found = append(found, wrong("/citations", "answer supports.citations",
			"is there although aip.json declares that sources are not named", "leave it out"))
	}
	for i, citation := range answer.Citations {
		if u, err := url.Parse(citation.SourceURL); err == nil && !belongs(u.Hostname(), declaration.Publisher.Domain) {
			found = append(found, doubt(fmt.Sprintf("/citations/%d/source_url", i), "answer citations.source_url",
				fmt.Sprintf("lies on %s, and the publisher's domain is %s", u.Hostname(), declaration.Publisher.Domain),
				"cite the canonical address on the publisher's own domain"))
		}
	}
	return found
}

// belongs says whether a host is a domain or below it.
func belongs(host, domain string) bool {
	host, domain = strings.ToLower(strings.TrimSuffix(host, ".")), strings.ToLower(strings.TrimSuffix(domain, "."))
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// spoken wants a version that is spoken. (One that the schema does not know it has found itself.)
func spoken(version string, o Options) Findings {
	if o.speaks(version) || version != Version01 && version != Version10 {
		return nil
	}
	return Findings{wrong("/aip_version", RuleVersion, fmt.Sprintf("is %q, which is not spoken here", version),
		"write "+strings.Join(versionsOf(o), " or "))}
}

func versionsOf(o Options) []string {
	if o.Versions == nil {
		return []string{`"0.1"`}
	}
	quoted := make([]string, len(o.Versions))
	for i, version := range o.Versions {
		quoted[i] = `"` + version + `"`
	}
	return quoted
}

// namespaced doubts extensions without a dot in their names.
func namespaced(extensions Extensions) (found Findings) {
	for _, name := range slices.Sorted(maps.Keys(extensions)) {
		if !strings.Contains(name, ".") {
			found = append(found, doubt("/extensions/"+document.Escape(name), "extensions-namespaced",
				fmt.Sprintf("%q belongs to nobody", name), "write it vendor."+name))
		}
	}
	return found
}

// clean wants extensions without what their document may not carry.
func clean(extensions Extensions, why string, phrases ...[]string) Findings {
	if at, phrase := forbidden(extensions, phrases...); phrase != "" {
		return Findings{wrong(at, RuleForbidden, fmt.Sprintf("speaks of %q: %s", phrase, why), "remove it")}
	}
	return nil
}

// web doubts sources that nobody can open.
func web(at, rule, address string) Findings {
	if u, err := url.Parse(address); err == nil && (u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		return Findings{doubt(at, rule, "is no web address", "write the page's canonical address")}
	}
	return nil
}

func wrong(at, rule, detail, mend string) Finding {
	return Finding{Pointer: at, Rule: rule, Detail: detail, Mend: mend, Severity: Wrong}
}

func doubt(at, rule, detail, mend string) Finding {
	return Finding{Pointer: at, Rule: rule, Detail: detail, Mend: mend, Severity: Doubtful}
}
