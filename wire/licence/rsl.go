package licence

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
)

// The namespaces of RSL documents, and of the extension of sitemaps.
const (
	Namespace        = "https://rslstandard.org/rsl"
	SitemapNamespace = "https://ramp.dev/sitemap/1.0"
)

// Mark stands in documents that a front desk makes of its own terms, so that it does not take them
// for what a site says beside them.
const Mark = "<!-- made by Frontdesk of the terms of its owner -->"

// Media is the media type of RSL documents.
const Media = "application/rsl+xml"

// The bounds of a document. One beyond them is refused whole: what is left out of it might be what
// restricts the rest.
const (
	MaxBytes    = 16 << 20
	MaxContents = 20_000
	maxDepth    = 32
	maxLicenses = 32   // of one content
	maxTokens   = 1000 // of one list
	maxText     = 64 << 10
	maxURL      = 8 << 10
)

// Document is an RSL document.
type Document struct {
	Contents []Content
}

// Content is what a document says of some addresses.
type Content struct {
	URL       string // an address or a path, as a pattern of RFC 9309; as written, without blanks around it
	Server    string // of the licences, if there is one
	Encrypted bool
	Modified  string // lastmod, as written
	// Licenses are alternatives. Payments, permissions and prohibitions that stand right in the
	// content, in no licence, are read as one; beside licences they are not, and the content has
	// none then.
	Licenses  []License
	Direct    bool // something stands right in the content that belongs in a licence
	Copyright Copyright
	Terms     string // the address of terms in words
	Schema    string
	Alternate []string // other forms of the content
}

// Unread says why a content has no licence, in words for its owner; empty for one that has. It
// permits nothing.
func (c *Content) Unread() string {
	switch {
	case slices.ContainsFunc(c.Licenses, func(l License) bool { return l.Unread == "" }):
		return ""
	case len(c.Licenses) > 0:
		return "its licence has " + c.Licenses[0].Unread + ", which RSL does not know"
	case c.Direct:
		return "it has a licence, and payments or permissions that stand in none beside it, so nobody can say which " +
			"of them count"
	case c.Server != "":
		return "its licence has to be asked for at " + c.Server
	}
	return "it has no licence, and no payment or permission that can be read as one"
}

// Copyright says whose content it is.
type Copyright struct{ Name, ContactEmail, ContactURL string }

// License is one of the licences of a content, which are alternatives.
type License struct {
	Permits, Prohibits Lists
	Payments           []Payment
	Reporting          string // what is to be reported, as written
	// Unread names the first thing in it that RSL does not have, such as a list of another type. It
	// may be what restricts the rest, so that the licence permits nothing. Empty for none.
	Unread string
}

// Lists are what a licence permits, or prohibits. A list that is nil says nothing, and one that is
// empty names nothing.
type Lists struct {
	Usage []string // as Function has them
	User  []string // small letters
	Geo   []string // capital letters
}

// Payment is what a licence costs.
type Payment struct {
	Type     string // small letters, as written; empty where there is none
	Amount   string // as written; empty where there is none
	Currency string // capital letters; empty where there is none
	Standard string // the address of standard terms
	Custom   string // the address at which it is bought
}

// roots are the documents that RSL stands in: its own, and feeds that carry it as a module.
var roots = map[string]bool{"rsl": false, "rss": true, "RDF": true, "feed": true}

// Parse reads a document of RSL, or what a feed (RSS, Atom) says in its module. It is strict about
// what could do harm: a document that is not whole, too large, too deep, in an encoding that is not
// known, or that defines entities is refused. Elements are known by their names in RSL's namespace,
// or that of the document. Those that are not known are passed over, but for those of a licence:
// see [License.Unread].
func Parse(text []byte) (*Document, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("it has more than %d bytes", MaxBytes)
	}
	text, err := Text(text)
	if err != nil {
		return nil, err
	}
	p := parser{decoder: newDecoder(text)}
	for {
		token, err := p.decoder.Token()
		if errors.Is(err, io.EOF) && p.rooted && p.depth == 0 {
			return &p.document, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is no XML that can be read: %w", err)
		}
		if err := p.take(token); err != nil {
			return nil, err
		}
	}
}

// newDecoder reads XML in any encoding that is known by its name, or as Text does. No entity is
// read from anywhere, and none that a document defines is replaced.
func newDecoder(text []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n")))
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(label string, from io.Reader) (io.Reader, error) {
		// whoever could read that label has decoded it
		if label = strings.ToLower(label); label == "utf-8" || strings.HasPrefix(label, "utf-16") {
			return from, nil
		}
		return charset.NewReaderLabel(label, from)
	}
	return d
}

// parser is a document being read.
type parser struct {
	decoder  *xml.Decoder
	document Document
	rooted   bool
	feed     bool
	space    string // of the root
	depth    int
	passing  int // how many elements are open that are not RSL\'s

	content *Content // the one that is open
	at      int      // its depth
	own     bool     // it is an entry of a feed, and not an element
	entered int      // the depth of the entry of the feed that is open; 0 for none
	first   int      // the first content of it
	link    string   // its address
	license *License
	within  int     // its depth
	direct  License // what stands right in the content that is open
	payment *Payment
	paying  int // its depth

	element string // whose text is wanted
	opened  int    // its depth
	kind    string // its type
	prefix  string // what it says beside its text
	text    strings.Builder
}

func (p *parser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		if bytes.Contains(bytes.ToUpper(t), []byte("ENTITY")) {
			return errors.New("it defines entities, which no such document needs")
		}
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		return p.end()
	case xml.CharData:
		if p.element == "" || p.passing > 0 {
			return nil
		}
		if p.text.Len()+len(t) > maxText {
			return fmt.Errorf("an element <%s> has more than %d bytes", p.element, maxText)
		}
		p.text.Write(t)
	}
	return nil
}

func (p *parser) start(t xml.StartElement) error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("its elements are nested deeper than %d", maxDepth)
	}
	name := t.Name.Local
	if p.depth == 1 {
		feed, known := roots[name]
		if !known || p.rooted {
			return fmt.Errorf("its root is <%.40s>, and that of an RSL document is <rsl>", name)
		}
		p.rooted, p.feed, p.space = true, feed, t.Name.Space
		return nil
	}
	if p.passing > 0 || !p.feed && t.Name.Space != "" && t.Name.Space != p.space && !isRSL(t.Name.Space) {
		p.passing++ // somebody else's, with all that is in it
		return nil
	}
	if p.feed && !isRSL(t.Name.Space) {
		p.entry(t)
		return nil
	}
	switch {
	case name == "content" && (p.content == nil || p.own):
		return p.open(t)
	case p.content == nil && p.entered > 0 && name == "license": // right in the entry
		if err := p.add(Content{}); err != nil {
			return err
		}
		p.own = true
		fallthrough
	case name == "license" && p.content != nil && p.license == nil:
		if len(p.content.Licenses) == maxLicenses {
			return fmt.Errorf("the content %.200q has more than %d licences", p.content.URL, maxLicenses)
		}
		p.content.Licenses = append(p.content.Licenses, License{})
		p.license, p.within = &p.content.Licenses[len(p.content.Licenses)-1], p.depth
	case p.payment != nil, p.license != nil:
		p.inLicense(name, t)
	case p.content != nil:
		p.inContent(name, t)
	}
	return nil
}

// isRSL says whether a namespace is RSL's, in the forms of the wild, or the prefix that is usual
// where none is declared.
func isRSL(space string) bool {
	return space == "rsl" || strings.Contains(strings.ToLower(space), "rslstandard.org")
}

// entry looks at an element of a feed that is none of RSL's: where an entry begins, and what
// address it has.
func (p *parser) entry(t xml.StartElement) {
	switch t.Name.Local {
	case "item", "entry":
		p.content, p.own, p.link = nil, false, attr(t, "about")
		p.entered, p.first = p.depth, len(p.document.Contents)
	case "link":
		if p.entered == 0 || p.depth != p.entered+1 {
			return
		}
		if href := attr(t, "href"); href != "" && (attr(t, "rel") == "" || attr(t, "rel") == "alternate") {
			p.link = href
		} else if href == "" && t.Name.Space != "http://www.w3.org/2005/Atom" {
			p.listen("link", t)
		}
	}
}

// add puts a content in.
func (p *parser) add(c Content) error {
	if len(p.document.Contents) == MaxContents {
		return fmt.Errorf("it has more than %d contents", MaxContents)
	}
	if len(c.URL) > maxURL {
		return fmt.Errorf("the address of a content has more than %d bytes", maxURL)
	}
	p.document.Contents = append(p.document.Contents, c)
	p.content, p.at = &p.document.Contents[len(p.document.Contents)-1], p.depth
	return nil
}

func (p *parser) open(t xml.StartElement) error {
	encrypted := attr(t, "encrypted")
	c := Content{URL: attr(t, "url"), Server: attr(t, "server"), Encrypted: encrypted == "true" || encrypted == "1",
		Modified: attr(t, "lastmod")}
	p.own, p.direct = false, License{}
	return p.add(c)
}

// close ends the content that is open, with what stands right in it.
func (p *parser) close() {
	if p.direct.states() {
		p.content.Direct = true
		if len(p.content.Licenses) == 0 {
			p.content.Licenses = []License{p.direct}
		} else {
			p.content.Licenses = nil
		}
	}
	p.content = nil
}

// states says whether a licence that nothing encloses says anything. To prohibit nothing permits
// nothing.
func (l *License) states() bool {
	return l.Unread != "" || len(l.Payments) > 0 || l.Permits.Usage != nil || l.Permits.User != nil ||
		l.Permits.Geo != nil ||
		len(l.Prohibits.Usage)+len(l.Prohibits.User)+len(l.Prohibits.Geo) > 0
}

// stated is the licence that an element belongs to: that which is open, or what stands right in the
// content.
func (p *parser) stated() *License {
	if p.license != nil {
		return p.license
	}
	return &p.direct
}

// inLicense opens an element of a licence.
func (p *parser) inLicense(name string, t xml.StartElement) {
	switch name {
	case "permits", "prohibits", "reporting":
		p.listen(name, t)
	case "payment":
		if p.payment == nil {
			l := p.stated()
			l.Payments = append(l.Payments, Payment{Type: strings.ToLower(attr(t, "type")), Amount: attr(t, "amount"),
				Currency: strings.ToUpper(attr(t, "currency"))})
			p.payment, p.paying = &l.Payments[len(l.Payments)-1], p.depth
		}
	case "amount", "standard", "custom":
		if p.payment != nil {
			p.listen(name, t)
		}
	case "legal", "copyright", "terms", "schema", "alternate":
	default:
		if p.payment == nil && p.element == "" {
			p.stated().lacks(fmt.Sprintf("<%.40s>", name))
		}
	}
}

// lacks notes that something of a licence cannot be read.
func (l *License) lacks(what string) {
	if l.Unread == "" {
		l.Unread = what
	}
}

// inContent opens an element of a content that is no licence.
func (p *parser) inContent(name string, t xml.StartElement) {
	switch name {
	case "copyright":
		p.content.Copyright.ContactEmail, p.content.Copyright.ContactURL = attr(t, "contactEmail"),
			attr(t, "contactUrl")
		p.listen(name, t)
	case "terms", "schema", "alternate":
		p.listen(name, t)
	case "permits", "prohibits", "payment":
		if p.depth == p.at+1 && !p.own {
			p.inLicense(name, t)
		}
	}
}

// listen wants the text of an element.
func (p *parser) listen(name string, t xml.StartElement) {
	if p.element != "" {
		return // which is within another
	}
	p.element, p.opened, p.kind, p.prefix = name, p.depth, strings.ToLower(attr(t, "type")), attr(t, "currency")
	p.text.Reset()
}

func (p *parser) end() error {
	p.depth--
	if p.passing > 0 {
		p.passing--
		return nil
	}
	var err error
	if p.element != "" && p.depth < p.opened {
		err = p.heard(strings.TrimSpace(p.text.String()))
		p.element = ""
	}
	if p.payment != nil && p.depth < p.paying {
		p.payment = nil
	}
	if p.license != nil && p.depth < p.within {
		p.license = nil
	}
	if p.content != nil && p.depth < p.at && !p.own {
		p.close()
	}
	if p.entered > 0 && p.depth < p.entered {
		for i := p.first; i < len(p.document.Contents); i++ {
			if p.document.Contents[i].URL == "" {
				p.document.Contents[i].URL = p.link
			}
		}
		p.entered, p.content, p.own = 0, nil, false
	}
	return err
}

// heard takes the text of an element.
func (p *parser) heard(text string) error {
	switch p.element {
	case "link":
		p.link = text
	case "permits":
		return p.list(p.stated(), &p.stated().Permits, text)
	case "prohibits":
		return p.list(p.stated(), &p.stated().Prohibits, text)
	case "reporting":
		p.stated().Reporting = text
	case "amount":
		p.payment.Amount, p.payment.Currency = text, strings.ToUpper(p.prefix)
	case "standard":
		p.payment.Standard = text
	case "custom":
		p.payment.Custom = text
	case "copyright":
		p.content.Copyright.Name = text
	case "terms":
		p.content.Terms = text
	case "schema":
		p.content.Schema = text
	case "alternate":
		if len(p.content.Alternate) < maxLicenses {
			p.content.Alternate = append(p.content.Alternate, text)
		}
	}
	return nil
}

// list takes a list of what a licence permits or prohibits. One without a type is of uses.
func (p *parser) list(of *License, into *Lists, text string) error {
	to, form := &into.Usage, Function
	switch p.kind {
	case "", "usage":
	case "user":
		to, form = &into.User, strings.ToLower
	case "geo":
		to, form = &into.Geo, strings.ToUpper
	default:
		of.lacks(fmt.Sprintf("<%s type=%.40q>", p.element, p.kind))
		return nil
	}
	if *to == nil {
		*to = []string{}
	}
	for _, token := range Tokens(text) {
		if len(*to) == maxTokens {
			return fmt.Errorf("a list has more than %d words", maxTokens)
		}
		*to = append(*to, form(token))
	}
	return nil
}

// attr is the value of an attribute by its name, whatever its namespace and case.
func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}
