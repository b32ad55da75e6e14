package check

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"frontdesk/wire/strictjson"
)

// probes are all of them, in the order in which they are made.
var probes = slices.Concat(servedProbes, authProbes, scopeProbes, formProbes, contentProbes, eventProbes, lastProbes)

// servedProbes look at how the declaration is served. They need no key.
var servedProbes = []probe{
	{"wellknown.https", "the declaration is served by https", 0, func(_ context.Context, p *prober) verdict {
		if p.wellKnown.Scheme != "https" {
			return doubt("it is served without", "serve it by https: whoever stands in between could permit anything")
		}
		return passed()
	}},
	{"wellknown.type", "the declaration is application/json", 0, func(_ context.Context, p *prober) verdict {
		if kind, _, _ := mime.ParseMediaType(p.served.header.Get("Content-Type")); kind != "application/json" {
			return doubt(fmt.Sprintf("its Content-Type is %q", p.served.header.Get("Content-Type")),
				"answer Content-Type: application/json")
		}
		return passed()
	}},
	{"wellknown.head", "HEAD works", 0, headWorks},
	{"wellknown.conditional", "a conditional GET answers 304", 0, conditionalWorks},
	{"wellknown.max-age", "the declaration is kept for a short time", 0, func(_ context.Context, p *prober) verdict {
		if age, ok := maxAge(p.served.header.Get("Cache-Control")); !ok || age > 3600 {
			return doubt(fmt.Sprintf("Cache-Control is %q", p.served.header.Get("Cache-Control")),
				"answer Cache-Control: max-age=300, so that what you take back is known soon")
		}
		return passed()
	}},
	{"wellknown.cors", "scripts of any site may read the declaration", 0, func(_ context.Context, p *prober) verdict {
		if p.served.header.Get("Access-Control-Allow-Origin") != "*" {
			return doubt("there is no Access-Control-Allow-Origin: *", "add that header: the declaration is public")
		}
		return passed()
	}},
	{"wellknown.host", "the declaration is served by the domain that it governs", declared,
		func(_ context.Context, p *prober) verdict {
			host, domain := strings.ToLower(p.wellKnown.Hostname()), strings.ToLower(p.declaration.Publisher.Domain)
			if host != domain && host != "www."+domain {
				return doubt(fmt.Sprintf("it is served by %s and governs %s", host, domain),
					"serve it by "+domain+", or name the domain that serves it")
			}
			return passed()
		}},
	{"capabilities.answer", "the capabilities endpoint answers JSON, to everybody the same", capabilities,
		capabilitiesAnswer},
}

func headWorks(ctx context.Context, p *prober) verdict {
	got, err := p.get(ctx, http.MethodHead, p.wellKnown, nil)
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status != http.StatusOK || len(got.body) > 0:
		return doubt(fmt.Sprintf("HEAD answers %d", got.status), "answer HEAD like GET, without the body")
	}
	return passed()
}

func conditionalWorks(ctx context.Context, p *prober) verdict {
	tag := p.served.header.Get("ETag")
	if tag == "" {
		return doubt("there is no ETag", "answer an ETag, and 304 to If-None-Match, so that readers can look again "+
			"cheaply")
	}
	got, err := p.get(ctx, http.MethodGet, p.wellKnown, http.Header{"If-None-Match": {tag}})
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status != http.StatusNotModified:
		return doubt(fmt.Sprintf("If-None-Match with its own ETag answers %d", got.status),
			"answer 304 where nothing changed")
	}
	return passed()
}

// maxAge reads the max-age of a Cache-Control; no-cache is 0.
func maxAge(control string) (seconds int, ok bool) {
	for part := range strings.SplitSeq(control, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch strings.ToLower(name) {
		case "no-cache", "no-store":
			return 0, true
		case "max-age":
			seconds, err := strconv.Atoi(value)
			return seconds, err == nil
		}
	}
	return 0, false
}

func capabilitiesAnswer(ctx context.Context, p *prober) verdict {
	e := p.declaration.Endpoints.Capabilities
	u, err := url.Parse(e.URL)
	if err != nil {
		return noAnswer(err)
	}
	first, err := p.get(ctx, e.Method, u, nil)
	if err != nil {
		return noAnswer(err)
	}
	if first.status != http.StatusOK {
		return wrong(fmt.Sprintf("it answers %d", first.status), "answer 200, without asking who it is")
	}
	var value strictjson.Value
	if err := strictjson.Decode(first.body, &value); err != nil || value.Kind() != '{' {
		return doubt("it answers no JSON object", "answer the version, publisher, editorial_domains and retrieval of "+
			"aip.json")
	}
	second, err := p.get(ctx, e.Method, u, http.Header{"Authorization": {"Bearer x"}, "X-Aip-Key-Id": {"plat_x"},
		"Accept-Language": {"de"}, "Cookie": {"a=b"}})
	switch {
	case err != nil:
		return noAnswer(err)
	case !bytes.Equal(first.body, second.body):
		return wrong("it answers one caller otherwise than another", "answer everybody the same")
	}
	return passed()
}
