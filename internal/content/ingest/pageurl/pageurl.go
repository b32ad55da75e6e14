// Package pageurl reads the addresses of pages as people and programs write them, and gives each
// its one normal form: by that form items are known, rules on paths match, and a crawl tells
// whether it has seen a page.
//
// Enter at Parse for an address in a document, FromLink for one to be visited, FromFile for that of
// a file. The package is pure; it knows neither documents nor what is worth a visit.
package pageurl

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
)

// longestAddress bounds what is taken for a URL, in bytes.
const longestAddress = 8 << 10

// Absolute makes a URL absolute against base and gives it in its normal form: scheme and host in
// lower case, no default port, no user, no parameters that only track a visitor, a path of at least
// "/". A fragment stays, for it may be all that sets two items of a page apart. What is no http or
// https URL gives an empty string.
func Absolute(raw string, base *url.URL) string {
	u := Parse(raw, base)
	if u == nil {
		return ""
	}
	address := u.String()
	if len(address) > longestAddress { // escaping has made it longer
		return ""
	}
	return address
}

// Parse reads an http or https URL, made absolute against base, in the form that Absolute
// describes; nil where it is none.
func Parse(raw string, base *url.URL) *url.URL {
	raw = strings.TrimSpace(raw)
	if raw == "" || len(raw) > longestAddress {
		return nil
	}
	raw = strings.Map(DropControl, raw)
	if LacksHost(raw) {
		return nil
	}
	if strings.HasPrefix(raw, "www.") {
		raw = "https://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil
	}
	if u.Host = normalHost(u.Scheme, u.Host); u.Host == "" {
		return nil
	}
	u.User = nil
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery, u.ForceQuery = withoutTracking(u.RawQuery), false
	if strings.Contains(u.Host, ":") { // a port, or what only looks like one where the scheme was left out
		if _, err := url.Parse(u.String()); err != nil {
			return nil
		}
	}
	return u
}

// Resource is the URI of something that is no page of the web, where its scheme is one of those
// that a source may have.
func Resource(raw, schemes string) *url.URL {
	raw = strings.TrimSpace(raw)
	scheme, rest, found := strings.Cut(raw, ":")
	if !found || rest == "" || len(raw) > longestAddress ||
		!slices.Contains(strings.Fields(schemes), strings.ToLower(scheme)) ||
		strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil
	}
	return &url.URL{Scheme: strings.ToLower(scheme), Opaque: rest}
}

// LacksHost says whether a text reads as a relative URL and was not meant as one: a host stands in
// its path.
func LacksHost(raw string) bool {
	lower := strings.ToLower(raw[:min(len(raw), len("https//"))])
	return strings.HasPrefix(raw, "///") || strings.HasPrefix(lower, "http//") || lower == "https//"
}

// LooksLikePage says whether a text that may be any name is meant as the address of a page.
func LooksLikePage(s string) bool {
	scheme, _, found := strings.Cut(strings.ToLower(s), ":")
	return found && (scheme == "http" || scheme == "https")
}

// otherSchemes are those of URLs that never name a page; "_" is that of JSON-LD's blank nodes.
var otherSchemes = strings.Fields("_ mailto tel sms urn tag javascript data about doi isbn")

// NamesNoPage says whether a URL is one of a kind that names something else than a page.
func NamesNoPage(s string) bool {
	scheme, _, found := strings.Cut(strings.ToLower(strings.TrimSpace(s)), ":")
	return found && slices.Contains(otherSchemes, scheme)
}

// DropControl removes line ends and other control characters, as browsers do.
func DropControl(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

func normalHost(scheme, host string) string {
	port := ":80"
	if scheme == "https" {
		port = ":443"
	}
	return strings.TrimRight(strings.TrimSuffix(strings.ToLower(host), port), ":")
}

// tracking are parameters that never tell one page from another.
var tracking = map[string]bool{
	"gclid": true, "gbraid": true, "wbraid": true, "fbclid": true, "msclkid": true, "yclid": true, "mc_cid": true,
	"mc_eid": true, "igshid": true,
}

// withoutTracking drops tracking parameters and keeps the others as they are, in their order.
func withoutTracking(query string) string {
	if query == "" {
		return ""
	}
	var kept []string
	for parameter := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(parameter, "=")
		if name = strings.ToLower(name); !tracking[name] && !strings.HasPrefix(name, "utm_") {
			kept = append(kept, parameter)
		}
	}
	return escapeQuery(strings.Join(kept, "&"))
}

// escapeQuery escapes what no URL may hold, and leaves the rest as it is.
func escapeQuery(query string) string {
	const hex = "0123456789ABCDEF"
	var out []byte
	for i := range len(query) {
		c := query[i]
		if c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '`' {
			out = append(out, c)
			continue
		}
		out = append(out, '%', hex[c>>4], hex[c&15])
	}
	return string(out)
}

// AsFolder makes base a URL that relative ones are below.
func AsFolder(base string) (*url.URL, bool) {
	if !strings.Contains(base, "://") {
		base = "https://" + base
	}
	u := Parse(base, nil)
	if u == nil || strings.Contains(base, "@") {
		return nil, false
	}
	u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	if !strings.HasSuffix(u.Path, "/") {
		u = u.JoinPath("/")
	}
	return u, true
}

// FromFile is the URL of the page that a file makes below base: without the ending of Markdown, and
// without the name of a folder's index.
func FromFile(base *url.URL, name string) *url.URL {
	name = strings.TrimSuffix(name, ".gz")
	if ending := path.Ext(name); ending == ".md" || ending == ".markdown" {
		name = strings.TrimSuffix(name, ending)
	}
	dir, file := path.Split(name)
	if stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(file, ".xhtml"), ".html"), ".htm"); stem ==
		"index" || stem == "_index" {
		name = dir
	}
	return base.ResolveReference(&url.URL{Path: "./" + name})
}

// Slug makes a text fit for the fragment or path of a URL: its letters and digits in lower case,
// joined by hyphens.
func Slug(text string) string {
	const most = 80
	var out strings.Builder
	gap := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = out.Len() > 0
			continue
		}
		if gap {
			out.WriteByte('-')
			gap = false
		}
		if out.Len() >= most {
			break
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimSuffix(out.String(), "-")
}

// Words are the words of a URL's path and fragment, for the search.
func Words(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	words := strings.FieldsFunc(u.Path+" "+u.Fragment, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	kept := words[:0]
	for _, w := range words {
		if !pathNoise[strings.ToLower(w)] && len(w) > 1 && len(w) <= 40 && !(len(w) == 2 && w[0] <= '9') {
			kept = append(kept, w)
		}
	}
	return kept
}

// pathNoise are parts of paths that say nothing of the item.
var pathNoise = map[string]bool{
	"html": true, "htm": true, "php": true, "aspx": true, "jsp": true, "index": true, "www": true, "json": true,
	"jsonl": true, "ndjson": true, "jsonld": true, "amp": true, "id": true,
}

// IsFrontPage says whether u is the front page of another page's host.
func IsFrontPage(u, page *url.URL) bool {
	return u.Path == "/" && u.RawQuery == "" && u.Fragment == "" && u.Host == page.Host && page.Path != "/"
}

// FromLink makes an address of a link: absolute, without fragment and session; nil for any that is
// no page.
func FromLink(raw string, base *url.URL) *url.URL {
	u := Parse(raw, base)
	if u == nil {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	withoutSession(u)
	return u
}

// sessions are parameters that name a visitor's session, and no page.
var sessions = strings.Fields(`phpsessid jsessionid sessionid session_id sid aspsessionid asp.net_sessionid cfid cftoken
	zenid oscsid s_id sess sessid osessionid`)

// withoutSession takes out of an address what names the visitor's session: parameters of known
// names, and what Java servers hang on the path. It changes u.
func withoutSession(u *url.URL) {
	if at := strings.Index(strings.ToLower(u.Path), ";jsessionid="); at >= 0 {
		u.Path, u.RawPath = u.Path[:at], ""
	}
	if u.RawQuery == "" {
		return
	}
	var kept []string
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		name = strings.ToLower(name)
		if !slices.Contains(sessions, name) && !strings.HasPrefix(name, "aspsessionid") &&
			!(name == "s" && isDigest(value)) {
			kept = append(kept, parameter)
		}
	}
	u.RawQuery = strings.Join(kept, "&")
}

// isDigest says whether a value looks like a session's number: 32 or more hexadecimal digits.
func isDigest(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return len(s) >= 32
}
