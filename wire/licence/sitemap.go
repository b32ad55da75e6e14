package licence

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// Stated is what the RAMP extension of a sitemap says of one address (RAMP v1, Ingestion). What is
// empty it does not say.
type Stated struct {
	Tokens, Words      int
	ContentID          string
	Model              string   // of its price, as the owner's terms name it
	Rate               string   // as written, a decimal number
	Currency           string   // capital letters
	Permits, Prohibits []string // as Function has them; empty and not nil where what is named is nothing
	ContentType        string   // text, video, image or audio
	Authors            []string
	SourceType         string // human, ai or hybrid
	// Priced says that a price was stated, which may be one of a model that is not known.
	Priced bool
}

// IsContent says whether an element of a sitemap is the extension's, by its name as written: under
// a prefix that the document declares for it, or the one that is usual where it declares none.
func IsContent(name xml.Name, prefixes map[string]string) bool {
	if name.Local != "content" {
		return false
	}
	space, declared := prefixes[name.Space]
	if declared {
		return strings.EqualFold(strings.TrimRight(space, "/"), SitemapNamespace)
	}
	return name.Space == "ramp"
}

// Set takes what a member of the extension says: an element within `content`, or an attribute of
// it; currency is the attribute of a rate. What cannot be read is as if it were not there, but for
// what restricts: a price of a model that is not known has to be asked for.
func (s *Stated) Set(member, text, currency string) {
	const maxName, maxAuthors = 512, 32
	text = strings.TrimSpace(text)
	clip := func(text string) string {
		if len(text) > maxName {
			return strings.ToValidUTF8(text[:maxName], "")
		}
		return text
	}
	count := func() int {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "", " ", "").Replace(text))
		if err != nil || n < 0 || n > 1_000_000_000 {
			return 0
		}
		return n
	}
	switch member {
	case "tokens":
		s.Tokens = count()
	case "wordcount", "word-count":
		s.Words = count()
	case "content-id":
		s.ContentID = clip(text)
	case "pricing-model":
		s.Model, _ = SitemapModel(text)
		s.Priced = s.Priced || text != ""
	case "rate":
		s.Rate = clip(text)
		if currency = strings.ToUpper(strings.TrimSpace(currency)); currency != "" {
			s.Currency = clip(currency)
		}
	case "currency":
		s.Currency = strings.ToUpper(clip(text))
	case "permits":
		s.Permits = functionsOf(text)
	case "prohibits":
		s.Prohibits = functionsOf(text)
	case "content-type":
		s.ContentType = strings.ToLower(clip(text))
	case "author":
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" && len(s.Authors) < maxAuthors {
				s.Authors = append(s.Authors, clip(name))
			}
		}
	case "source-type":
		s.SourceType = strings.ToLower(clip(text))
	}
}

func functionsOf(text string) []string {
	all := []string{}
	for _, token := range Tokens(text) {
		if len(all) < maxTokens {
			all = append(all, Function(token))
		}
	}
	return all
}

// XML writes what is stated as the element `content` of the extension, under the prefix ramp.
func (s *Stated) XML() string {
	var b strings.Builder
	b.WriteString("<ramp:content>")
	member := func(name, text, attributes string) {
		if text == "" {
			return
		}
		b.WriteString("<ramp:" + name + attributes + ">")
		_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
		b.WriteString("</ramp:" + name + ">")
	}
	number := func(name string, n int) {
		if n > 0 {
			member(name, strconv.Itoa(n), "")
		}
	}
	number("tokens", s.Tokens)
	member("content-id", s.ContentID, "")
	number("wordcount", s.Words)
	if name, ok := SitemapName(s.Model); ok {
		member("pricing-model", name, "")
	}
	currency := ""
	if s.Currency != "" {
		currency = ` currency="` + Escape(s.Currency) + `"`
	}
	member("rate", s.Rate, currency)
	for _, list := range []struct {
		name  string
		names []string
	}{{"permits", s.Permits}, {"prohibits", s.Prohibits}} {
		if list.names != nil {
			b.WriteString("<ramp:" + list.name + ">" + Escape(strings.Join(list.names, " ")) + "</ramp:" +
				list.name + ">")
		}
	}
	member("content-type", s.ContentType, "")
	var authors []string
	for _, name := range s.Authors {
		authors = append(authors, strings.ReplaceAll(name, ",", "")) // which would part it
	}
	member("author", strings.Join(authors, ", "), "")
	member("source-type", s.SourceType, "")
	b.WriteString("</ramp:content>")
	return b.String()
}

// Escape writes a text as it stands in XML, in an attribute or an element.
func Escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
