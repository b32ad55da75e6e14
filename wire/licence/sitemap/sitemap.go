// Package sitemap reads the lists of a site's addresses: sitemaps and sitemap indexes (sitemaps.org
// 0.9), and schema maps, which a line `schemamap:` of robots.txt names and which list feeds of
// structured data. It reads them as streams, and leniently: a list counts by its addresses.
//
// It fetches nothing and knows no items: content/ingest and policy/imported do.
package sitemap

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"

	"frontdesk/wire/licence"
)

// Entry is one address of a list.
type Entry struct {
	// URL is as the list has it, without blanks around it; it may be relative.
	URL string
	// Modified is the time of the last change, as the list has it.
	Modified string
	// Type is the media type or kind that a schema map gives, such as "structuredData/schema.org".
	Type string
	// List says that the address is that of another list.
	List bool
	// Alternates are the addresses of the same page in other languages.
	Alternates []string
	// Stated is what the RAMP extension says of the address; nil where it says nothing.
	Stated *licence.Stated
}

// Kind is what a list turned out to be.
type Kind int

// The kinds.
const (
	None      Kind = iota // no list
	Sitemap               // a list of pages
	Index                 // a list of sitemaps
	SchemaMap             // a list of feeds
	Text                  // one address a line
)

// Bounds of what is read.
const (
	maxDepth = 32
	maxURL   = 8 << 10
)

// roots are the elements that make a list.
var roots = map[string]Kind{"urlset": Sitemap, "sitemapindex": Index, "schemamap": SchemaMap,
	"schemamapindex": SchemaMap, "schemamaps": SchemaMap}

// KindOf tells by its beginning what a document is; None where it is no list in XML.
func KindOf(head []byte) Kind { return roots[strings.ToLower(Root(head))] }

// Root is the name of the root element of a document in XML, without its prefix; empty where there
// is none in what is given.
func Root(head []byte) string {
	d := decoder(bytes.NewReader(head))
	for range 64 {
		token, err := d.RawToken()
		if err != nil {
			return ""
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local
		}
	}
	return ""
}

func decoder(from io.Reader) *xml.Decoder {
	d := xml.NewDecoder(from)
	d.Strict, d.AutoClose, d.Entity = false, nil, xml.HTMLEntity
	d.CharsetReader = func(label string, from io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return from, nil // whoever could read that label has decoded it
		}
		if decoded, err := charset.NewReaderLabel(label, from); err == nil {
			return decoded, nil
		}
		return from, nil
	}
	return d
}

// errDamaged is how a list ends that cannot be read to its end.
var errDamaged = errors.New("the list cannot be read to its end")

// Read calls fn with the entries of a list in XML, as they come, and tells what it is. An error of
// fn ends it and is returned. A list that breaks off gives what was read of it, and an error.
func Read(from io.Reader, fn func(Entry) error) (Kind, error) {
	r := reader{decoder: decoder(skipBlank(from)), fn: fn}
	for {
		token, err := r.decoder.RawToken()
		switch {
		case err == io.EOF && r.depth == 0 && r.kind != None:
			return r.kind, nil
		case err == io.EOF && r.kind == None:
			return None, fmt.Errorf("it is no sitemap and no schema map")
		case err != nil:
			return r.kind, fmt.Errorf("%w: %w", errDamaged, err)
		}
		if err := r.take(token); err != nil {
			return r.kind, err
		}
	}
}

// skipBlank passes by what may stand before a document, which encoding/xml does not like there.
func skipBlank(from io.Reader) io.Reader {
	buffered := bufio.NewReader(from)
	for label, mark := range map[string]string{"utf-16le": "\xff\xfe", "utf-16be": "\xfe\xff"} {
		if begins, _ := buffered.Peek(2); string(begins) != mark {
			continue
		}
		buffered.Discard(2)
		if decoded, err := charset.NewReaderLabel(label, buffered); err == nil {
			buffered = bufio.NewReader(decoded)
		}
		break
	}
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		buffered.Discard(3)
	}
	for {
		next, err := buffered.Peek(1)
		if err != nil || !strings.ContainsRune(" \t\r\n", rune(next[0])) {
			return buffered
		}
		buffered.Discard(1)
	}
}

// reader is a list being read.
type reader struct {
	decoder *xml.Decoder
	fn      func(Entry) error
	kind    Kind
	depth   int
	entry   Entry
	inside  string // the element whose text is wanted
	text    []byte

	prefixes map[string]string // of namespaces, as the document declares them
	stated   int               // the depth of the RAMP extension that is open; 0 for none
	ramp     string            // its prefix
	currency string            // of the rate whose text is wanted
}

func (r *reader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.start(t)
	case xml.EndElement:
		return r.end(strings.ToLower(t.Name.Local))
	case xml.CharData:
		if r.inside != "" && len(r.text) <= maxURL {
			r.text = append(r.text, t...)
		}
	}
	return nil
}

func (r *reader) start(t xml.StartElement) error {
	name := strings.ToLower(t.Name.Local)
	if r.depth++; r.depth > maxDepth {
		return fmt.Errorf("%w: its elements are nested deeper than %d", errDamaged, maxDepth)
	}
	r.declare(t)
	if r.depth == 1 {
		if r.kind = roots[name]; r.kind == None {
			return fmt.Errorf("it is no sitemap and no schema map, but an XML document <%s>", clip(t.Name.Local))
		}
		return nil
	}
	if r.depth == 2 {
		r.entry = Entry{List: name == "sitemap" || name == "schemamap", Type: attr(t, "contentType", "type"),
			URL: attr(t, "loc", "href", "url")}
	}
	switch {
	case r.stated > 0:
		if r.depth == r.stated+1 && (t.Name.Space == r.ramp || r.ramp == "") {
			r.inside, r.text, r.currency = name, r.text[:0], attr(t, "currency")
		}
	case r.depth == 3 && licence.IsContent(t.Name, r.prefixes):
		r.entry.Stated, r.stated, r.ramp = &licence.Stated{}, r.depth, t.Name.Space
		for _, a := range t.Attr {
			r.entry.Stated.Set(strings.ToLower(a.Name.Local), a.Value, attr(t, "currency"))
		}
	case name == "loc" && r.depth == 3, name == "lastmod", name == "contenttype", name == "url" && r.depth == 3:
		r.inside, r.text = name, r.text[:0]
	case name == "link" && r.depth == 3 && strings.EqualFold(attr(t, "rel"), "alternate") && attr(t, "hreflang") != "":
		if alternate := attr(t, "href"); alternate != "" && len(r.entry.Alternates) < 200 {
			r.entry.Alternates = append(r.entry.Alternates, alternate)
		}
	}
	return nil
}

// maxPrefixes is how many namespaces a list may declare that are looked at.
const maxPrefixes = 100

// declare notes the prefixes of namespaces that an element declares.
func (r *reader) declare(t xml.StartElement) {
	for _, a := range t.Attr {
		prefix := a.Name.Local
		if a.Name.Space == "" && prefix == "xmlns" {
			prefix = ""
		} else if a.Name.Space != "xmlns" {
			continue
		}
		if r.prefixes == nil {
			r.prefixes = map[string]string{}
		}
		if len(r.prefixes) < maxPrefixes {
			r.prefixes[prefix] = a.Value
		}
	}
}

func (r *reader) end(name string) error {
	if r.depth--; r.depth < 0 {
		r.depth = 0
	}
	if r.inside == name && (r.stated == 0 || r.depth == r.stated) {
		text := strings.TrimSpace(string(r.text))
		if r.stated > 0 {
			r.entry.Stated.Set(name, text, r.currency)
			name = ""
		}
		switch name {
		case "loc", "url":
			r.entry.URL = text
		case "lastmod":
			r.entry.Modified = text
		case "contenttype":
			r.entry.Type = text
		}
		r.inside = ""
	}
	if r.depth < r.stated {
		r.stated = 0
	}
	if r.depth != 1 || r.entry.URL == "" || len(r.entry.URL) > maxURL {
		return nil
	}
	entry := r.entry
	r.entry = Entry{}
	if entry.Type != "" && r.kind == Sitemap && strings.Contains(strings.ToLower(entry.Type), "structureddata") {
		r.kind = SchemaMap // written with the elements of a sitemap
	}
	return r.fn(entry)
}

func attr(t xml.StartElement, names ...string) string {
	for _, name := range names {
		for _, a := range t.Attr {
			if strings.EqualFold(a.Name.Local, name) {
				return strings.TrimSpace(a.Value)
			}
		}
	}
	return ""
}

func clip(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// ReadText reads a list in the form of one address a line. It is None if any line is something
// else.
func ReadText(text string, fn func(Entry) error) (Kind, error) {
	kind := None
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if scheme := strings.ToLower(line[:min(8, len(line))]); !strings.HasPrefix(scheme, "http://") &&
			scheme != "https://" || strings.ContainsAny(line, " \t") {
			return None, fmt.Errorf("it is no list of addresses")
		}
		kind = Text
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(line) <= maxURL {
			if err := fn(Entry{URL: line}); err != nil {
				return kind, err
			}
		}
	}
	return kind, nil
}
