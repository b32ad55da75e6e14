package licence

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// mostPlaces is how many places one document may name.
const mostPlaces = 20

// FromLink gives the addresses of RSL documents that the values of headers `Link` name (RFC 8288): those of the relation "license" and of RSL's
// media type. They are as written, and may be relative to the address of what has the headers.
func FromLink(values []string) (all []string) {
	for _, line := range values {
		for line != "" && len(all) < mostPlaces {
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
	for _, one := range strings.Fields(rel) {
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

// FromPage gives the addresses of RSL documents that a page of HTML names in elements <link rel="license" type="application/rsl+xml">, as written, and
// the documents that stand in its elements <script type="application/rsl+xml">.
func FromPage(page []byte) (links []string, documents [][]byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(MaxBytes)
	for len(links)+len(documents) < mostPlaces {
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
			links = append(links, href)
		case tag == "script" && isLicense("license", at["type"]) && strings.TrimSpace(at["src"]) != "":
			links = append(links, strings.TrimSpace(at["src"]))
		case tag == "script" && isLicense("license", at["type"]) && kind == html.StartTagToken:
			if z.Next() == html.TextToken {
				documents = append(documents, bytes.Clone(bytes.TrimSpace(z.Raw())))
			}
		}
	}
	return links, documents
}
