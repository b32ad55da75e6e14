package licence

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// maxPlaces is how many places one document may name.
const maxPlaces = 20

// FromLink gives the addresses of RSL documents that the values of headers `Link` name (RFC 8288):
// those of the relation "license" and of RSL's media type. They are as written, and may be relative
// to the address of what has the headers.
func FromLink(values []string) (all []string) {
	for _, line := range values {
		for line != "" && len(all) < maxPlaces {
			begin := strings.IndexByte(line, '<')
			if begin < 0 {
				break
			}
			end := strings.IndexByte(line[begin:], '>')
			if end < 0 {
				break
			}
			address := strings.TrimSpace(line[begin+1 : begin+end])
			parameters, rest := upTo(line[begin+end+1:], ',')
			line = rest
			if isLicense(parameter(parameters, "rel"), parameter(parameters, "type")) && address != "" {
				all = append(all, address)
			}
		}
	}
	return all
}

// isLicense says whether a link is to an RSL document.
func isLicense(rel, media string) bool {
	media, _, _ = strings.Cut(media, ";")
	if !strings.EqualFold(strings.TrimSpace(media), Media) {
		return false
	}
	for one := range strings.FieldsSeq(rel) {
		if strings.EqualFold(one, "license") {
			return true
		}
	}
	return false
}

// upTo cuts a text at a separator that stands outside of quotes.
func upTo(text string, separator byte) (part, rest string) {
	quoted := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			quoted = !quoted
		case c == separator && !quoted:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// parameter is a parameter of a link; the first of several.
func parameter(text, name string) string {
	for text != "" {
		var one string
		one, text = upTo(text, ';')
		key, value, found := strings.Cut(one, "=")
		if found && strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

// OnPage is what a page of HTML has of licences.
type OnPage struct {
	// the addresses of RSL documents that its elements <link rel="license"> name, as written, and
	// of scripts of RSL's media type
	Links     []string
	Documents [][]byte // the documents that stand in its elements <script type="application/rsl+xml">
	Feeds     []string // the addresses of feeds, which may carry RSL
}

// FromPage gives what a page of HTML has of licences.
func FromPage(page []byte) (on OnPage) {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(MaxBytes)
	for len(on.Links)+len(on.Documents)+len(on.Feeds) < maxPlaces {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		tag := string(name)
		if tag != "link" && tag != "script" {
			continue
		}
		at := map[string]string{}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			if _, twice := at[string(key)]; !twice {
				at[string(key)] = string(value)
			}
		}
		switch href := strings.TrimSpace(at["href"]); {
		case tag == "link" && href != "" && isLicense(at["rel"], at["type"]):
			on.Links = append(on.Links, href)
		case tag == "link" && href != "" && strings.Contains(strings.ToLower(at["rel"]), "alternate") &&
			isFeed(at["type"]):
			on.Feeds = append(on.Feeds, href)
		case tag == "script" && isLicense("license", at["type"]) && strings.TrimSpace(at["src"]) != "":
			on.Links = append(on.Links, strings.TrimSpace(at["src"]))
		case tag == "script" && isLicense("license", at["type"]) && kind == html.StartTagToken:
			if z.Next() == html.TextToken {
				on.Documents = append(on.Documents, bytes.Clone(bytes.TrimSpace(z.Raw())))
			}
		}
	}
	return on
}

func isFeed(media string) bool {
	media = strings.ToLower(strings.TrimSpace(media))
	return media == "application/rss+xml" || media == "application/atom+xml"
}
