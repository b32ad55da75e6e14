package check

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// How long a directory of keys should be kept: less costs the agent's operator requests, and a key
// that was removed verifies for as long as others keep the directory.
const (
	leastDirectoryAge = time.Minute
	mostDirectoryAge  = 24 * time.Hour
)

// Agent looks at the directory of keys of an agent that signs its requests (Web Bot Auth,
// draft-ietf-webbotauth-httpsig-protocol-01), at the agent's origin or at the address of the
// directory itself. The error says that nothing could be looked at; all else is in the report.
func Agent(ctx context.Context, address string, o Options) (*Report, error) {
	o.fill()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, fmt.Errorf("%q is no address of an agent; write its origin, like https://bots.example.com", address)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path, u.RawPath = botauth.DirectoryPath, ""
	}
	u.Fragment = ""
	p := &asker{options: o, web: newWeb(u, o), wellKnown: u, report: &Report{Target: u.String()}}
	defer p.web.CloseIdleConnections()
	p.web.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if p.served, err = p.get(ctx, http.MethodGet, u, http.Header{"Accept": {botauth.MediaType}}); err != nil {
		return nil, err
	}
	p.add("agent.https", "the directory is served by https", p.agentHTTPS())
	switch status := p.served.status; {
	case isRedirect(status):
		p.add("agent.served", "it is public, without a redirect",
			wrong(fmt.Sprintf("%s answers %d, to %q", u, status, p.served.header.Get("Location")),
				"answer 200 there, or name the other address in Signature-Agent: nobody follows"))
		return p.report, nil
	case status != http.StatusOK:
		p.add("agent.served", "it is public, without a redirect", wrong(fmt.Sprintf("%s answers %d", u, status),
			"answer 200 to everybody, also to who does not sign"))
		return p.report, nil
	}
	p.add("agent.served", "it is public, without a redirect", passed())
	p.add("agent.type", "its media type is that of a directory", p.agentType())
	p.add("agent.max-age", "it is kept for a while, and not for too long", p.agentMaxAge())
	d, err := botauth.ReadDirectory(p.served.body, true)
	if err != nil {
		p.add("agent.document", "it is a set of keys", wrong(err.Error(),
			`serve a JSON Web Key Set: {"keys":[{"kty":"OKP","crv":"Ed25519","kid":"THUMBPRINT","x":"..."}]}`))
		return p.report, nil
	}
	p.add("agent.document", "it is a set of keys", passed())
	p.agentKeys(d)
	p.add("agent.possession", "its response is signed by each of its keys", p.agentProof(d))
	return p.report, context.Cause(ctx)
}

func isRedirect(status int) bool {
	return status >= 300 && status < 400 && status != http.StatusNotModified
}

func (p *asker) agentHTTPS() verdict {
	if p.wellKnown.Scheme != "https" {
		return wrong("the directory is served by http", "serve it by https: others read no directory by http")
	}
	return passed()
}

// atWellKnown says whether the directory is at the path that is reserved for it.
func (p *asker) atWellKnown() bool { return p.wellKnown.Path == botauth.DirectoryPath }

func (p *asker) agentType() verdict {
	kind, _, _ := mime.ParseMediaType(p.served.header.Get("Content-Type"))
	switch {
	case kind == botauth.MediaType:
		return passed()
	case p.atWellKnown():
		return wrong(fmt.Sprintf("its Content-Type is %q", p.served.header.Get("Content-Type")),
			"answer Content-Type: "+botauth.MediaType)
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return passed()
	}
	return doubt(fmt.Sprintf("its Content-Type is %q", p.served.header.Get("Content-Type")),
		"answer one of JSON, best "+botauth.MediaType)
}

func (p *asker) agentMaxAge() verdict {
	seconds, ok := maxAge(p.served.header.Get("Cache-Control"))
	age := time.Duration(seconds) * time.Second
	if ok && age >= leastDirectoryAge && age <= mostDirectoryAge {
		return passed()
	}
	said := "there is no Cache-Control, so others choose how long they keep the directory"
	if control := p.served.header.Get("Cache-Control"); control != "" {
		said = fmt.Sprintf("Cache-Control is %.200q", control)
	}
	return doubt(said, "answer Cache-Control: max-age=3600, or another time from a minute to a day; a key that you "+
		"remove goes on verifying for that long")
}

// agentKeys looks at each key.
func (p *asker) agentKeys(d *botauth.Directory) {
	const about = "others can verify by its keys"
	for _, why := range d.Passed {
		p.add("agent.key", about, wrong(why, "publish public keys of your own alone: Ed25519 (OKP), RSA of 2,048 to "+
			"4,096 bits, or P-256 (EC)"))
	}
	now := p.options.Now()
	usable := 0
	for i, k := range d.Keys {
		at := fmt.Sprintf("/keys/%d", i)
		tell := func(v verdict) {
			v.pointer = at
			p.add("agent.key", about, v)
		}
		if p.atWellKnown() && k.Named != "" && k.Named != k.ID {
			tell(wrong(fmt.Sprintf("the kid %.80q is not the thumbprint %s of the key", k.Named, k.ID),
				"set kid to the thumbprint (RFC 7638, RFC 8037), or leave it out"))
		}
		if !k.Until.IsZero() && !now.Before(k.Until) {
			tell(doubt("the key ended at "+k.Until.Format(time.RFC3339), "remove keys that have ended (exp)"))
			continue
		}
		if slices.ContainsFunc(d.Keys[:i], func(other botauth.Key) bool { return other.ID == k.ID }) {
			tell(doubt("the key "+k.ID+" is there twice", "publish each key once"))
			continue
		}
		if _, err := d.Key(k.ID, now); err == nil {
			usable++
		}
	}
	if usable == 0 {
		p.add("agent.key", about,
			wrong("the directory has no key that can be used now",
				"publish the public half of the key that you sign with, and wait for its nbf before you do"))
		return
	}
	p.add("agent.key", about, passed())
}

// agentProof looks at the signatures of the response, which are recommended (appendix B.1).
func (p *asker) agentProof(d *botauth.Directory) verdict {
	const mend = `sign the response with each key, over "@authority";req and "content-digest", with created, expires, keyid ` +
		`and the tag ` + botauth.DirectoryTag
	ids, err := botauth.Proven(d, p.served.body, sign.Response{Header: p.served.header,
		Request: sign.Request{Method: http.MethodGet, Target: p.wellKnown.String()}}, p.options.Now())
	switch {
	case !sign.HasHTTPSignature(p.served.header):
		return doubt("the response is not signed, so nothing shows that whoever serves it holds the keys; it may be a "+
			"copy of another's directory", mend)
	case err != nil:
		return wrong(err.Error(), mend)
	}
	for _, k := range d.Keys {
		if !slices.Contains(ids, k.ID) {
			return doubt("the response is not signed by the key "+k.ID, mend)
		}
	}
	return passed()
}
