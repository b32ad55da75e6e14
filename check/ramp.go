package check

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/wire/licence"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Kind is a kind of document of RAMP v1, and of what it reads besides.
type Kind string

// The kinds.
const (
	KindProvider Kind = "ramp-provider" // ramp.json
	KindExchange Kind = "ramp-exchange" // ramp-exchange.json
	KindAgent    Kind = "ramp-agent"    // ramp-agent.json
	KindVerifier Kind = "ramp-verifier" // ramp-verifier.json
	KindKeys     Kind = "ramp-keys"     // of an Exchange
	KindLicence  Kind = "rsl"           // an RSL document, or a feed with its module
	KindSitemap  Kind = "ramp-sitemap"  // a sitemap with RAMP's extension
)

// The addresses of RAMP's documents at a site.
const (
	rampWellKnown = "/.well-known/ramp.json"
	exchangeKnown = "/.well-known/ramp-exchange.json"
	agentKnown    = "/.well-known/ramp-agent.json"
	verifierKnown = "/.well-known/ramp-verifier.json"
)

// KindOf is the kind of a document by what stands in it; "" where it is none of RAMP's.
func KindOf(text []byte) Kind {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if bytes.HasPrefix(text, []byte("<")) {
		switch name, _ := root(text); name.Local {
		case "rsl", "rss", "feed", "RDF":
			return KindLicence
		case "urlset":
			return KindSitemap
		}
		return ""
	}
	members := members(text)
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { _, there := members[name]; return there })
	}
	switch {
	case has("exchange_endpoint", "exchangeEndpoint", "keys_uri", "keysUri"):
		return KindExchange
	case has("provider") && has("exchanges", "marketplaces"):
		return KindProvider
	case has("agent_id"):
		return KindAgent
	case has("verifier"):
		return KindVerifier
	case has("keys") && !has("intakes", "publisher"):
		return KindKeys
	}
	return ""
}

// root is the name of a document's outermost element.
func root(text []byte) (xml.Name, error) {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := decoder.Token()
		if err != nil {
			return xml.Name{}, err
		}
		if element, ok := token.(xml.StartElement); ok {
			return element.Name, nil
		}
	}
}

// RAMPDocument looks at the text of one document of RAMP, wherever it came from.
func RAMPDocument(name string, kind Kind, text []byte, o Options) *Report {
	o.fill()
	a := &asker{options: o, report: &Report{Target: name}}
	a.judge("ramp.document", "the document is valid", kind, bytes.TrimPrefix(text, []byte("\ufeff")))
	return a.report
}

// Served looks at one document of RAMP at its address. The error says that nothing could be looked
// at.
func Served(ctx context.Context, address string, o Options) (*Report, error) {
	o.fill()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no web address; write it like https://www.example.com/rsl.txt", address)
	}
	a := &asker{options: o, web: newWeb(u, o), wellKnown: u, report: &Report{Target: address}}
	defer a.web.CloseIdleConnections()
	got, err := a.get(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	kind := KindOf(got.body)
	switch {
	case got.status != http.StatusOK:
		a.add("ramp.served", "the document is public",
			wrong(fmt.Sprintf("%s answers %d", u, got.status), "answer 200 with the document"))
	case kind == "":
		a.add("ramp.document", "the document is one of RAMP's",
			wrong("it is neither JSON of RAMP, nor RSL, nor a sitemap", "serve what RAMP v1 has at this address"))
	default:
		a.judge("ramp.document", "the document is valid", kind, got.body)
	}
	return a.report, nil
}

// judge adds what is found in a document, or that nothing is.
func (p *asker) judge(id, about string, kind Kind, text []byte) {
	verdicts := judged(kind, text, p.options.Now())
	if !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.outcome == Wrong }) {
		verdicts = append([]verdict{passed()}, verdicts...)
	}
	for _, v := range verdicts {
		p.add(id, about, v)
	}
}

// judged is what is wrong with a document, and what is doubtful.
func judged(kind Kind, text []byte, now time.Time) []verdict {
	switch kind {
	case KindProvider:
		m, err := ramp.ReadProviderManifest(text)
		if err != nil {
			return []verdict{unread(err)}
		}
		return providerVerdicts(m)
	case KindExchange:
		m, err := ramp.ReadExchangeManifest(text)
		if err != nil {
			return []verdict{unread(err)}
		}
		return exchangeVerdicts(m)
	case KindAgent, KindVerifier, KindKeys:
		return keyVerdicts(kind, text, now)
	case KindLicence:
		return licenceVerdicts(text)
	}
	return sitemapVerdicts(text)
}

// unread is the verdict on what cannot be read.
func unread(err error) verdict {
	v := wrong(err.Error(), "write what RAMP v1 says there")
	if invalid := (*ramp.Invalid)(nil); errors.As(err, &invalid) {
		v.pointer = invalid.Path
	}
	return v
}

func at(v verdict, format string, args ...any) verdict {
	v.pointer = fmt.Sprintf(format, args...)
	return v
}

// secure says what is wrong with an address that others are to ask.
func secure(text string) (detail string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Sprintf("%q is no web address", text)
	case u.Scheme == "http" && !onThisMachine(u.Hostname()):
		return text + " has no https"
	}
	return ""
}

// onThisMachine says whether a host is this machine by its name, where https is not asked for.
func onThisMachine(host string) bool {
	return strings.EqualFold(host, "localhost") || host == "127.0.0.1" || host == "::1" ||
		strings.HasSuffix(strings.ToLower(host), ".localhost")
}

func providerVerdicts(m *rampv1.ProviderManifest) (all []verdict) {
	if len(m.Exchanges) == 0 {
		all = append(all,
			at(doubt("no Exchange is listed, so nobody may sell this content",
				"list the Exchanges that may, each with domain, endpoint and relationship"), "exchanges"))
	}
	seen := map[string]bool{}
	for i, x := range m.Exchanges {
		if seen[strings.ToLower(x.Domain)] {
			all = append(all, at(doubt("the Exchange "+x.Domain+" is listed twice", "list it once"),
				"exchanges[%d].domain", i))
		}
		seen[strings.ToLower(x.Domain)] = true
		if strings.ContainsAny(x.Domain, "/ ") {
			all = append(all,
				at(wrong(fmt.Sprintf("%q is no domain", x.Domain),
					"write the domain alone, without https:// and without a path"), "exchanges[%d].domain", i))
		}
		if why := secure(x.Endpoint); x.Endpoint != "" && why != "" {
			all = append(all, at(wrong(why, "write the whole address, with https"), "exchanges[%d].endpoint", i))
		}
		if x.Relationship == rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_UNSPECIFIED {
			all = append(all, at(doubt("the relationship is not said", "write DIRECT or RESELLER"),
				"exchanges[%d].relationship", i))
		}
	}
	if m.Contact == nil {
		all = append(all, at(doubt("there is no contact", "add one, for Exchanges and buyers who find something wrong"),
			"contact"))
	}
	return all
}

func exchangeVerdicts(m *rampv1.ExchangeManifest) (all []verdict) {
	for name, address := range map[string]string{"exchange_endpoint": m.ExchangeEndpoint, "keys_uri": m.KeysUri,
		"catalog_endpoint": m.GetCatalogEndpoint(), "health_endpoint": m.GetHealthEndpoint()} {
		if why := secure(address); address != "" && why != "" {
			all = append(all, at(wrong(why, "write the whole address, with https"), "%s", name))
		}
	}
	for i, model := range m.PricingModelsSupported {
		if _, known := rampv1.PricingModel_value["PRICING_MODEL_"+strings.ToUpper(model)]; !known {
			all = append(all,
				at(doubt(fmt.Sprintf("nobody knows the pricing model %q", model),
					"write one of the protocol's, such as per_access"), "pricing_models_supported[%d]", i))
		}
	}
	for i, method := range m.DeliveryMethodsSupported {
		if _, known := rampv1.DeliveryMethod_value["DELIVERY_METHOD_"+strings.ToUpper(method)]; !known {
			all = append(all,
				at(doubt(fmt.Sprintf("nobody knows the delivery method %q", method),
					"write direct, instructions or streaming"), "delivery_methods_supported[%d]", i))
		}
	}
	for name, empty := range map[string]bool{
		"protocol_versions_supported": len(m.ProtocolVersionsSupported) == 0,
		"pricing_models_supported":    len(m.PricingModelsSupported) == 0, "contact_email": m.GetContactEmail() == "",
		"terms_uri": m.GetTermsUri() == "", "base_currency": m.GetBaseCurrency() == "",
	} {
		if empty {
			all = append(all, at(doubt("it says nothing of this", "add it: buyers choose by it"), "%s", name))
		}
	}
	slices.SortFunc(all, func(a, b verdict) int { return strings.Compare(a.pointer, b.pointer) })
	return all
}

func keyVerdicts(kind Kind, text []byte, now time.Time) (all []verdict) {
	name, keys, err := ramp.ReadKeys(text)
	if err != nil {
		return []verdict{unread(err)}
	}
	for _, one := range ramp.UnreadKeys(text) {
		all = append(all, unread(one))
	}
	if name == "" && kind != KindKeys {
		member := map[Kind]string{KindAgent: "agent_id", KindVerifier: "verifier"}[kind]
		all = append(all, at(wrong("it does not say whose keys these are", "add "+member), "%s", member))
	}
	good := 0
	ids := map[string]bool{}
	for i, key := range keys {
		if key.Good(now) && (key.Active || kind != KindKeys) {
			good++
		}
		if key.ID == "" && (kind != KindAgent || len(keys) > 1) {
			all = append(all, at(wrong("the key has no id, by which signatures name it", "add kid"), "keys[%d]", i))
		}
		if key.ID != "" && ids[key.ID] {
			all = append(all,
				at(wrong(fmt.Sprintf("two keys go by the id %q", key.ID), "give each an id of its own, for good"),
					"keys[%d]", i))
		}
		ids[key.ID] = true
	}
	if good == 0 {
		all = append(all,
			at(wrong("no key is good now: what is signed cannot be verified",
				"publish a key that is active, and whose time has come and is not over"), "keys"))
	}
	return all
}

// usages are the uses that RSL knows, as wire/licence names them.
var usages = []string{"all", "ai-all", "ai-train", "ai-input", "ai-index", "search"}

func licenceVerdicts(text []byte) (all []verdict) {
	document, err := licence.Parse(text)
	if err != nil {
		return []verdict{wrong(err.Error(), "write a whole document of RSL 1.0: <rsl "+
			"xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>...")}
	}
	if len(document.Contents) == 0 {
		all = append(all, wrong("it names no content, so it says nothing", `add <content url="/">`))
	}
	for i, c := range document.Contents {
		here := fmt.Sprintf("content[%d]", i)
		if c.URL == "" {
			all = append(all, at(wrong("it does not say for which addresses", `add url, such as "/" for all`), "%s", here))
		} else if u, err := url.Parse(c.URL); err == nil && u.Host == "" && !strings.HasPrefix(c.URL, "/") &&
			!strings.HasPrefix(c.URL, "*") {
			all = append(all,
				at(doubt(fmt.Sprintf("%q is neither an address nor a path", c.URL), "begin it with / or https://"),
					"%s", here))
		}
		switch {
		case len(c.Licenses) == 0 && c.Direct:
			all = append(all, at(wrong(c.Unread()+": nothing is permitted", "put all of it into <license>"), "%s",
				here))
		case len(c.Licenses) == 0 && c.Server == "":
			all = append(all,
				at(doubt("it has no licence, and no server to ask for one: nothing is permitted",
					"add <license>, or the server"), "%s", here))
		case c.Direct:
			all = append(all,
				at(doubt("what it permits and costs stands in no licence: Frontdesk reads it as one, other readers "+
					"of RSL may pass it over", "put it into <license>"), "%s", here))
		}
		for j, l := range c.Licenses {
			all = append(all, licensed(l, fmt.Sprintf("%s.license[%d]", here, j))...)
		}
	}
	return all
}

func licensed(l licence.License, here string) (all []verdict) {
	if l.Unread != "" {
		all = append(all,
			at(wrong("RSL does not know "+l.Unread+": nobody can say what the licence permits",
				"write permits and prohibits of the types usage, user and geo"), "%s", here))
	}
	for name, list := range map[string][]string{"permits": l.Permits.Usage, "prohibits": l.Prohibits.Usage} {
		for _, usage := range list {
			if !slices.Contains(usages, usage) {
				all = append(all,
					at(doubt(fmt.Sprintf("RSL does not know the usage %q: no reader heeds it", usage),
						"write one of "+strings.Join(usages, ", ")), "%s.%s", here, name))
			}
			if name == "permits" && slices.Contains(l.Prohibits.Usage, usage) {
				all = append(all, at(wrong(fmt.Sprintf("%q is permitted and prohibited", usage), "say one of the two"),
					"%s", here))
			}
		}
	}
	for k, pay := range l.Payments {
		here := fmt.Sprintf("%s.payment[%d]", here, k)
		if _, known := licence.ModelOf(pay.Type); !known && pay.Type != "none" {
			all = append(all,
				at(doubt(fmt.Sprintf("RSL does not know the payment %q", pay.Type),
					"write crawl, purchase, subscription, free, attribution, contribution, training, use or inference"),
					"%s", here))
		}
		if pay.Amount != "" {
			if amount, err := strconv.ParseFloat(pay.Amount, 64); err != nil || amount < 0 {
				all = append(all,
					at(wrong(fmt.Sprintf("%q is no amount", pay.Amount),
						"write a decimal number with a point, such as 0.015"), "%s.amount", here))
			} else if amount > 0 && pay.Currency == "" {
				all = append(all, at(doubt("the amount has no currency; readers take US dollars", `add currency="EUR", or what is meant`), "%s.amount", here))
			} else if amount > 0 && pay.Type == "free" {
				all = append(all, at(wrong("it is free and has a price", "say one of the two"), "%s", here))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b verdict) int { return strings.Compare(a.pointer, b.pointer) })
	return all
}

// maxDepth is how deep a sitemap's elements may nest.
const maxDepth = 64

// sitemapVerdicts looks at a sitemap for what RAMP's extension says in it.
func sitemapVerdicts(text []byte) (all []verdict) {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var (
		location, in  string
		entry, stated = 0, 0
		now           *licence.Stated
	)
	here := func() string { return fmt.Sprintf("url[%d]", max(0, entry-1)) }
	take := func(name, text, currency string) {
		text = strings.TrimSpace(text)
		switch name {
		case "pricing-model":
			if _, known := licence.SitemapModel(text); !known {
				all = append(all,
					at(doubt(fmt.Sprintf("RAMP does not know the pricing-model %q", text),
						"write per_article, per_token, per_crawl, subscription, free, attribution, contribution or "+
							"training"), "%s", here()))
			}
		case "rate":
			if rate, err := strconv.ParseFloat(text, 64); err != nil || rate < 0 {
				all = append(all, at(wrong(fmt.Sprintf("%q is no rate", text), "write a decimal number with a point"),
					"%s", here()))
			} else if rate > 0 && currency == "" {
				all = append(all, at(doubt("the rate has no currency; readers take US dollars", `add currency="EUR", or what is meant`), "%s", here()))
			}
		case "tokens", "wordcount":
			if n, err := strconv.Atoi(text); err != nil || n < 0 {
				all = append(all, at(wrong(fmt.Sprintf("%q is no number of %s", text, name), "write a whole number"),
					"%s", here()))
			}
		case "permits", "prohibits":
			for _, usage := range licence.Tokens(text) {
				if !slices.Contains(usages, licence.Function(usage)) {
					all = append(all,
						at(doubt(fmt.Sprintf("RAMP does not know the function %q", usage),
							"write one of "+strings.Join(usages, ", ")), "%s.%s", here(), name))
				}
			}
		}
		now.Set(name, text, currency)
	}
	var currency string
	var written strings.Builder
	prefixes := map[string]string{}
	var open []string
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			break
		}
		if err != nil {
			return append(all, wrong("it is not well-formed: "+err.Error(), "write XML that is: readers drop the rest"))
		}
		switch t := token.(type) {
		case xml.Directive:
			if bytes.Contains(bytes.ToUpper(t), []byte("ENTITY")) {
				return append(all,
					wrong("it defines entities", "write the text itself: careful readers refuse entities"))
			}
		case xml.StartElement:
			written.Reset()
			if open = append(open, t.Name.Local); len(open) > maxDepth {
				return append(all, wrong("its elements nest too deep", "write urlset, url and what belongs into it"))
			}
			for _, a := range t.Attr {
				if a.Name.Space == "xmlns" {
					prefixes[a.Name.Local] = a.Value
				}
			}
			switch {
			case t.Name.Local == "url" && now == nil:
				entry, location = entry+1, ""
			case now == nil && licence.IsContent(t.Name, prefixes):
				now, stated = &licence.Stated{}, stated+1
				for _, a := range t.Attr {
					take(a.Name.Local, a.Value, attribute(t, "currency"))
				}
			case now != nil:
				in, currency = t.Name.Local, attribute(t, "currency")
			}
		case xml.CharData:
			written.Write(t)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != t.Name.Local {
				return append(all, wrong(fmt.Sprintf("</%s> ends what did not begin", t.Name.Local),
					"write XML that is well-formed: readers drop the rest"))
			}
			open = open[:len(open)-1]
			switch {
			case now != nil && in == t.Name.Local:
				take(in, written.String(), currency)
				in = ""
			case now != nil && licence.IsContent(t.Name, prefixes):
				now = nil
			case t.Name.Local == "loc" && now == nil:
				location = strings.TrimSpace(written.String())
			case t.Name.Local == "url":
				if u, err := url.Parse(location); err != nil || u.Host == "" {
					all = append(all,
						at(wrong(fmt.Sprintf("%q is no whole address", location),
							"write loc with https:// and the host"), "%s.loc", here()))
				}
			}
			written.Reset()
		}
	}
	switch {
	case entry == 0:
		all = append(all, wrong("it lists no address", "list them, each as <url><loc>"))
	case stated == 0:
		all = append(all, doubt("nothing in it is RAMP's", `add xmlns:ramp="https://ramp.dev/sitemap/1.0" and, to each url, <ramp:content>`))
	}
	return all
}

func attribute(element xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
