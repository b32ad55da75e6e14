package terms

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// RSL is an RSL document (Really Simple Licensing 1.0): what a site's licences say of addresses.
type RSL struct {
	parts []rslPart // the most telling pattern first
	text  []byte
}

// rslPart is what is said of the addresses of a pattern.
type rslPart struct {
	host string // empty for every host
	glob string // as in robots.txt (RFC 9309 §2.2.2), in canonical form
	end  bool   // the pattern ends the path
	own  *Own
}

// maxRSL bounds an RSL document, and maxRSLParts the patterns in it.
const (
	maxRSL      = 4 << 20
	maxRSLParts = 1000
)

// rslDocument is the document's XML. Names are matched whatever their namespace.
type rslDocument struct {
	XMLName  xml.Name
	Contents []struct {
		URL      string `xml:"url,attr"`
		Licenses []struct {
			Permits   []rslTokens `xml:"permits"`
			Prohibits []rslTokens `xml:"prohibits"`
			Payments  []struct {
				Type string `xml:"type,attr"`
			} `xml:"payment"`
		} `xml:"license"`
	} `xml:"content"`
}

type rslTokens struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// ParseRSL reads an RSL document; name says where it stands, for explanations. The error says what is wrong with it.
func ParseRSL(name string, text []byte) (*RSL, error) {
	if len(text) > maxRSL {
		return nil, fmt.Errorf("it has more than %d bytes", maxRSL)
	}
	var document rslDocument
	decoder := xml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("it is no XML that can be read: %w", err)
	}
	if document.XMLName.Local != "rsl" {
		return nil, fmt.Errorf("its root is <%s>, and that of an RSL document is <rsl>", document.XMLName.Local)
	}
	if len(document.Contents) > maxRSLParts {
		return nil, fmt.Errorf("it has more than %d patterns", maxRSLParts)
	}
	r := &RSL{text: text}
	for _, content := range document.Contents {
		part, err := rslPattern(content.URL)
		if err != nil {
			return nil, fmt.Errorf("the content %q: %w", content.URL, err)
		}
		own := r.at(part, name)
		for _, license := range content.Licenses {
			own.Said = true
			paid := slices.ContainsFunc(license.Payments, func(p struct {
				Type string `xml:"type,attr"`
			}) bool {
				return p.Type != "" && p.Type != "free" && p.Type != "attribution"
			})
			option := rslOption(license.Permits, license.Prohibits)
			if paid {
				own.Paid = append(own.Paid, option)
			} else {
				own.Options = append(own.Options, option)
			}
		}
	}
	slices.SortStableFunc(r.parts, func(a, b rslPart) int {
		return cmp.Or(cmp.Compare(len(b.glob), len(a.glob)), cmp.Compare(len(b.host), len(a.host)))
	})
	return r, nil
}

// at gives the terms of a pattern, which several elements may state.
func (r *RSL) at(part rslPart, name string) *Own {
	for _, known := range r.parts {
		if known.host == part.host && known.glob == part.glob && known.end == part.end {
			return known.own
		}
	}
	part.own = &Own{From: []string{name + ", " + part.host + part.glob}}
	r.parts = append(r.parts, part)
	return part.own
}

// rslPattern reads the address or path that a content element is for.
func rslPattern(text string) (rslPart, error) {
	var p rslPart
	path := text
	if u, err := url.Parse(strings.NewReplacer("*", "", "$", "").Replace(text)); err == nil && u.IsAbs() {
		host, _, err := splitAddress(u.String())
		if err != nil {
			return p, err
		}
		_, rest, _ := strings.Cut(text, "://")
		p.host = host
		if _, path, _ = strings.Cut(rest, "/"); true {
			path = "/" + path
		}
	}
	if path == "" || path[0] != '/' && path[0] != '*' {
		return p, errors.New("write an address, or a path that begins with a slash")
	}
	if strings.ContainsAny(path, "?#") {
		return p, errors.New("patterns with a question mark or a hash sign are not read")
	}
	p.glob, p.end = strings.CutSuffix(path, "$")
	p.glob = decode(p.glob)
	return p, nil
}

// rslOption is what a licence permits.
func rslOption(permits, prohibits []rslTokens) Option {
	var o Option
	o.Functions.Permit, o.Users.Permit, o.Countries.Permit = sorted(permits)
	o.Functions.Prohibit, o.Users.Prohibit, o.Countries.Prohibit = sorted(prohibits)
	return o
}

// sorted divides tokens by what they are of. A list that is there and empty names what nothing is called.
func sorted(all []rslTokens) (usage, user, geo []string) {
	for _, tokens := range all {
		names := strings.FieldsFunc(tokens.Text, func(r rune) bool { return r == ',' || r <= ' ' })
		if len(names) == 0 {
			names = []string{"nothing"}
		}
		switch tokens.Type {
		case "usage", "":
			usage = append(usage, names...)
		case "user":
			user = append(user, names...)
		case "geo":
			for i := range names {
				names[i] = strings.ToUpper(names[i])
			}
			geo = append(geo, names...)
		}
	}
	return usage, user, geo
}

// own gives what the document says of an address, nil for nothing. The longest pattern counts.
func (r *RSL) own(s *subject) *Own {
	if len(r.parts) == 0 {
		return nil
	}
	if !s.address() {
		return &Own{Said: true, From: r.parts[0].own.From} // nobody can say whether the licences are meant for it
	}
	folder := strings.TrimSuffix(s.path, "/") + "/" // canonical paths have no slash at their end, and patterns may ask for it
	for i := range r.parts {
		if p := &r.parts[i]; (p.host == "" || p.host == s.host) && (rslMatch(p, s.path) || rslMatch(p, folder)) {
			return p.own
		}
	}
	return nil
}

// rslMatch says whether a path fits a pattern: a beginning of it, in which * is anything, or all of it where the
// pattern has an end. It takes time in proportion to both lengths at the worst.
func rslMatch(p *rslPart, path string) bool {
	glob, star, again := p.glob, -1, 0
	g, at := 0, 0
	for at < len(path) {
		switch {
		case g == len(glob) && !p.end:
			return true
		case g < len(glob) && glob[g] == '*':
			star, again = g, at
			g++
		case g < len(glob) && glob[g] == path[at]:
			g++
			at++
		case star >= 0:
			again++
			g, at = star+1, again
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}
