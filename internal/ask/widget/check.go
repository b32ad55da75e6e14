package widget

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Checked is what a page needs so that the element works on it.
type Checked struct {
	Script  bool // the page loads the element's script from the desk
	Element bool // it has the element
	// Policy says that the page has a Content Security Policy, and Missing which entries it lacks,
	// as "script-src https://desk.example.com".
	Policy  bool
	Missing []string
}

// Fits says that nothing has to be added.
func (c Checked) Fits() bool { return c.Script && c.Element && len(c.Missing) == 0 }

// Check reads a page, and says whether the element of the desk at an address works on it. What a
// script of the page adds later is not seen.
func Check(page *url.URL, header http.Header, body []byte, desk *url.URL) Checked {
	var c Checked
	policies := header.Values("Content-Security-Policy")
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		return c
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			at, err := page.Parse(attribute(n, "src"))
			c.Script = c.Script || err == nil && originOf(at) == originOf(desk) && isLoader(at.Path, desk.Path)
		case "frontdesk-ask":
			c.Element = true
		case "meta":
			if strings.EqualFold(attribute(n, "http-equiv"), "Content-Security-Policy") {
				policies = append(policies, attribute(n, "content"))
			}
		}
	}
	for _, header := range policies {
		for policy := range strings.SplitSeq(header, ",") { // each holds
			c.Policy = c.Policy || strings.TrimSpace(policy) != ""
			for _, directive := range []string{"script-src", "connect-src"} {
				missing := directive + " " + originOf(desk)
				if !allows(policy, directive, page, desk) && !slices.Contains(c.Missing, missing) {
					c.Missing = append(c.Missing, missing)
				}
			}
		}
	}
	return c
}

// isLoader says whether a path is that of the loader, of any version, below the desk's.
func isLoader(path, desk string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(desk, "/")+"/widget/") && strings.HasSuffix(path, "/"+Loader)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// allows says whether a policy lets a page load from the desk (CSP 3, section 6.7.2). Where the
// policy goes by nonces, the script that the page names carries its own, but what that script
// brings does not.
func allows(policy, directive string, page, desk *url.URL) bool {
	sources, there := sourcesOf(policy, directive)
	if !there {
		return true
	}
	if directive == "script-src" && slices.Contains(sources, "'strict-dynamic'") {
		return true // a trusted script may bring more; that it is trusted is the page's to say
	}
	return slices.ContainsFunc(sources, func(source string) bool { return matches(source, page, desk) })
}

// sourcesOf are those of the directive that holds: the finer one, the one itself, or default-src.
func sourcesOf(policy, directive string) (sources []string, there bool) {
	given := map[string][]string{}
	for part := range strings.SplitSeq(policy, ";") {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			continue
		}
		if name := strings.ToLower(fields[0]); given[name] == nil { // the first of a name counts
			given[name] = append([]string{}, fields[1:]...)
		}
	}
	names := []string{directive, "default-src"}
	if directive == "script-src" {
		names = append([]string{"script-src-elem"}, names...)
	}
	for _, name := range names {
		if sources, there = given[name]; there {
			return sources, true
		}
	}
	return nil, false
}

// matches says whether a source of a policy covers the desk. Paths are passed over: whoever writes
// one writes the folder.
func matches(source string, page, desk *url.URL) bool {
	source = strings.ToLower(source)
	switch source {
	case "*":
		return true
	case "'self'":
		return originOf(page) == originOf(desk)
	case desk.Scheme + ":":
		return true
	}
	scheme, rest, ok := strings.Cut(source, "://")
	if !ok {
		scheme, rest = page.Scheme, source
	}
	host, _, _ := strings.Cut(rest, "/")
	if scheme != desk.Scheme && !(scheme == "http" && desk.Scheme == "https") {
		return false
	}
	name, port, _ := strings.Cut(host, ":")
	if port == "" {
		port = usualPort(desk)
	}
	if port != "*" && port != portOf(desk) {
		return false
	}
	if below, ok := strings.CutPrefix(name, "*"); ok {
		return strings.HasPrefix(below, ".") && strings.HasSuffix(desk.Hostname(), below)
	}
	return name == desk.Hostname()
}

func portOf(u *url.URL) string {
	if u.Port() != "" {
		return u.Port()
	}
	return usualPort(u)
}

func usualPort(u *url.URL) string { return map[string]string{"https": "443", "http": "80"}[u.Scheme] }
