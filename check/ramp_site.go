package check

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/licence"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Buyer is who asks an Exchange.
type Buyer struct {
	ID, Domain string
	Key        ed25519.PrivateKey
	KeyID      string // what the domain's document calls the key; empty where it has one
}

// site is a provider that is looked at.
type site struct {
	*asker
	manifest *rampv1.ProviderManifest // nil where it cannot be read
}

// Provider looks at the provider at a site's address, or at that of its ramp.json: the manifest,
// the Exchanges that it lists, its keys, and its licences and sitemap. The error says that nothing
// could be looked at; all else is in the report.
func Provider(ctx context.Context, address string, o Options) (*Report, error) {
	o.fill()
	u, err := located(address, rampWellKnown)
	if err != nil {
		return nil, err
	}
	s := &site{asker: &asker{options: o, web: newWeb(u, o), wellKnown: u, report: &Report{Target: u.String()}}}
	defer s.web.CloseIdleConnections()
	if s.served, err = s.get(ctx, http.MethodGet, u, http.Header{"Accept": {"application/json"}}); err != nil {
		return nil, err
	}
	if s.served.status != http.StatusOK {
		s.add("ramp.wellknown.served", "the provider's manifest is public",
			wrong(fmt.Sprintf("%s answers %d", u, s.served.status), "answer 200 with ramp.json"))
		return s.report, nil
	}
	s.add("ramp.wellknown.served", "the provider's manifest is public", passed())
	s.judge("ramp.document", "ramp.json is valid", KindProvider, s.served.body)
	s.manifest, _ = ramp.ReadProviderManifest(s.served.body)
	s.delivered("ramp.wellknown", s.served, time.Hour, "Exchanges look again hourly")
	if s.manifest != nil {
		s.add("ramp.wellknown.host", "it is served by the domain that it is about", sameHost(u, s.manifest.Provider))
		for _, x := range s.manifest.Exchanges {
			if ctx.Err() != nil {
				return s.report, context.Cause(ctx)
			}
			s.listed(ctx, x)
		}
	}
	s.optional(ctx, "ramp.agent", agentKnown, KindAgent)
	s.optional(ctx, "ramp.verifier", verifierKnown, KindVerifier)
	s.licences(ctx)
	return s.report, context.Cause(ctx)
}

// delivered looks at how a document was served.
func (p *asker) delivered(id string, got *reply, most time.Duration, why string) {
	p.add(id+".https", "it is served by https", func() verdict {
		switch {
		case p.wellKnown.Scheme == "https":
			return passed()
		case onThisMachine(p.wellKnown.Hostname()):
			return doubt("it is served without", "serve it by https once others can reach it")
		}
		return wrong("it is served without", "serve it by https: whoever stands in between could name other sellers")
	}())
	p.add(id+".type", "it is application/json", jsonTyped(got))
	p.add(id+".cors", "scripts of any site may read it", readable(got))
	p.add(id+".max-age", "it is kept for a short time", func() verdict {
		if age, ok := maxAge(got.header.Get("Cache-Control")); !ok || time.Duration(age)*time.Second > most {
			return doubt(fmt.Sprintf("Cache-Control is %q", got.header.Get("Cache-Control")),
				fmt.Sprintf("answer Cache-Control: max-age=%d or less: %s", int(most.Seconds()), why))
		}
		return passed()
	}())
}

func sameHost(u *url.URL, domain string) verdict {
	host, domain := strings.ToLower(u.Host), strings.ToLower(domain)
	if host != domain && host != "www."+domain && u.Hostname() != domain {
		return doubt(fmt.Sprintf("it is served by %s and about %s", host, domain),
			"serve it by "+domain+", or name the domain that serves it")
	}
	return passed()
}

// listed looks at an Exchange that the provider lists.
func (s *site) listed(ctx context.Context, x *rampv1.AuthorizedExchange) {
	about := "the Exchange " + x.Domain + ", which is listed, "
	u := &url.URL{Scheme: "https", Host: x.Domain, Path: exchangeKnown}
	if listed, err := url.Parse(x.Endpoint); err == nil && onThisMachine(u.Hostname()) &&
		listed.Hostname() == x.Domain {
		u.Scheme, u.Host = listed.Scheme, listed.Host // a domain has no port
	}
	got, err := s.get(ctx, http.MethodGet, u, http.Header{"Accept": {"application/json"}})
	switch {
	case err != nil:
		s.add("ramp.exchange.served", about+"has a manifest",
			doubt(err.Error(), "take it off the list, or ask its operator"))
		return
	case got.status != http.StatusOK:
		s.add("ramp.exchange.served", about+"has a manifest",
			wrong(fmt.Sprintf("%s answers %d", u, got.status), "list the domain that serves ramp-exchange.json"))
		return
	}
	s.add("ramp.exchange.served", about+"has a manifest", passed())
	m, err := ramp.ReadExchangeManifest(got.body)
	if err != nil {
		s.add("ramp.exchange.document", about+"has a manifest that can be read", unread(err))
		return
	}
	s.add("ramp.exchange.endpoint", about+"is at the endpoint that is listed", func() verdict {
		if x.Endpoint != "" && strings.TrimSuffix(x.Endpoint, "/") != strings.TrimSuffix(m.ExchangeEndpoint, "/") {
			return doubt(fmt.Sprintf("ramp.json says %s, and the Exchange %s", x.Endpoint, m.ExchangeEndpoint),
				"write what the Exchange says")
		}
		return passed()
	}())
}

// optional looks at a document that a site may have.
func (s *site) optional(ctx context.Context, id, path string, kind Kind) {
	got, err := s.get(ctx, http.MethodGet, s.wellKnown.ResolveReference(&url.URL{Path: path}),
		http.Header{"Accept": {"application/json"}})
	if err != nil || got.status == http.StatusNotFound || got.status == http.StatusForbidden ||
		got.status == http.StatusGone {
		s.add(id+".document", path+" is valid", verdict{outcome: Skipped, detail: "there is none"})
		return
	}
	if got.status != http.StatusOK {
		s.add(id+".document", path+" is valid",
			doubt(fmt.Sprintf("it answers %d", got.status), "answer 200, or 404 where there is none"))
		return
	}
	s.judge(id+".document", path+" is valid", kind, got.body)
}

// licences looks at the RSL documents that a site leads to, and at its sitemap.
func (s *site) licences(ctx context.Context) {
	robots := ""
	if got, err := s.get(ctx, http.MethodGet, s.wellKnown.ResolveReference(&url.URL{Path: "/robots.txt"}), nil); err ==
		nil && got.status == http.StatusOK {
		robots = string(got.body)
	}
	named := lines(robots, "license")
	at := s.wellKnown.ResolveReference(&url.URL{Path: "/rsl.txt"})
	found := slices.Clone(named)
	if got, err := s.get(ctx, http.MethodGet, at, nil); err == nil && got.status == http.StatusOK {
		s.add("ramp.rsl.named", "robots.txt names the licences", func() verdict {
			if len(named) == 0 {
				return doubt("/rsl.txt is there, and robots.txt has no line `License:`",
					"add `License: "+at.String()+"`: most readers look there")
			}
			return passed()
		}())
		if !slices.Contains(found, at.String()) {
			found = append(found, at.String())
		}
	}
	if len(found) == 0 {
		s.add("ramp.rsl.document", "the licences are valid",
			verdict{outcome: Skipped, detail: "there is no /rsl.txt, and robots.txt names none"})
	}
	for _, address := range found[:min(len(found), maxDocuments)] {
		s.follow(ctx, "ramp.rsl", address, KindLicence, func(got *reply) verdict {
			if kind, _, _ := mime.ParseMediaType(got.header.Get("Content-Type")); kind != licence.Media &&
				!strings.HasSuffix(kind, "+xml") && kind != "text/xml" && kind != "application/xml" {
				return doubt(fmt.Sprintf("its Content-Type is %q", got.header.Get("Content-Type")),
					"answer Content-Type: "+licence.Media)
			}
			return passed()
		})
	}
	maps := lines(robots, "sitemap")
	for _, address := range maps[:min(len(maps), maxDocuments)] {
		u, err := s.wellKnown.Parse(address)
		if err != nil {
			continue
		}
		if got, err := s.get(ctx, http.MethodGet, u, nil); err == nil && got.status == http.StatusOK &&
			bytes.Contains(got.body, []byte("ramp.dev/sitemap")) {
			s.judge("ramp.sitemap.document", address+" is valid", KindSitemap, got.body)
		}
	}
}

// maxDocuments is how many documents of a kind are looked at.
const maxDocuments = 5

// follow looks at a document that another names.
func (s *site) follow(ctx context.Context, id, address string, kind Kind, typed func(*reply) verdict) {
	u, err := s.wellKnown.Parse(address)
	if err != nil {
		s.add(id+".served", address+" is there", wrong("it is no address", "write it whole"))
		return
	}
	got, err := s.get(ctx, http.MethodGet, u, nil)
	switch {
	case err != nil:
		s.add(id+".served", address+" is there", wrong(err.Error(), "serve it, or take its name away"))
		return
	case got.status != http.StatusOK:
		s.add(id+".served", address+" is there",
			wrong(fmt.Sprintf("it answers %d", got.status), "serve it, or take its name away"))
		return
	}
	s.add(id+".served", address+" is there", passed())
	s.add(id+".type", address+" says what it is", typed(got))
	s.judge(id+".document", address+" is valid", kind, got.body)
}

// lines are the values of a robots.txt's lines of a name.
func lines(robots, name string) (all []string) {
	for line := range strings.Lines(robots) {
		line, _, _ = strings.Cut(line, "#")
		if key, value, found := strings.Cut(line, ":"); found && strings.EqualFold(strings.TrimSpace(key), name) &&
			strings.TrimSpace(value) != "" {
			all = append(all, strings.TrimSpace(value))
		}
	}
	return all
}
