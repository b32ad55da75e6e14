package catalog

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/content"
)

// markup is what an item's schema.org members say that an offer tells.
type markup struct {
	authors    []string
	identity   Identity
	figures    Figures
	categories []string
	live       bool
	mixed      bool
}

// readMarkup reads an item's object. What cannot be read says nothing. Of an item that is delivered
// as a text only that text counts for what else it holds.
func readMarkup(object []byte, textual bool) (m markup) {
	var isni, publisher string // of the authors, and of the publisher
	eachMember(object, func(name string, value jsontext.Value) {
		m.mixed = m.mixed || (!textual || content.GivesText(name)) && holdsThing(value, 0)
		switch name {
		case "identifier", "sameAs", "@id", "url", "isbn", "doi":
			each(value, func(v jsontext.Value) { m.identity.learn(name, v) })
		case "author", "creator":
			each(value, func(v jsontext.Value) {
				by := readThing(v)
				first(&isni, by.identity.ISNI)
				if by.name = line(by.name); by.name != "" && len(m.authors) < maxAuthors &&
					!slices.Contains(m.authors, by.name) {
					m.authors = append(m.authors, by.name)
				}
			})
		case "publisher":
			each(value, func(v jsontext.Value) { first(&publisher, readThing(v).identity.ISNI) })
		case "about", "genre", "keywords", "articleSection":
			each(value, func(v jsontext.Value) {
				term := readThing(v)
				if term.code != "" && strings.Contains(strings.ToLower(term.set), "iab") &&
					len(m.categories) < maxCodes && !slices.Contains(m.categories, term.code) {
					m.categories = append(m.categories, term.code)
				}
			})
		case "encoding", "associatedMedia":
			each(value, func(v jsontext.Value) {
				file := readThing(v)
				if strings.HasPrefix(file.format, "application/c2pa") ||
					strings.HasPrefix(file.format, "application/x-c2pa") {
					first(&m.identity.C2PA, web(file.content))
				}
			})
		case "numberOfPages":
			m.figures.Pages = whole(value)
		case "numberOfItems":
			m.figures.Records = whole(value)
		case "duration":
			m.figures.Seconds = seconds(text(value))
		case "isLiveBroadcast":
			m.live = m.live || yes(value)
		case "publication":
			each(value, func(v jsontext.Value) { m.live = m.live || readThing(v).live })
		}
	})
	first(&m.identity.ISNI, isni)
	first(&m.identity.ISNI, publisher)
	return m
}

// maxNested is how deep things within things are looked at; deeper ones count as things of their
// own.
const maxNested = 32

// holdsThing says whether a value has a thing in it that has an address, or of which it tells more
// than its name.
func holdsThing(v jsontext.Value, depth int) (holds bool) {
	switch {
	case depth == maxNested:
		return true
	case v.Kind() == '[' && bytes.IndexByte(v, '{') >= 0:
		each(v, func(element jsontext.Value) { holds = holds || holdsThing(element, depth+1) })
	case v.Kind() == '{':
		typed, more := false, false
		eachMember(v, func(name string, value jsontext.Value) {
			switch name {
			case "@id", "url", "mainEntityOfPage":
				holds = true
			case "@type", "additionalType":
				typed = true
			case "name", "sameAs", "identifier", "propertyID", "value", "termCode", "inDefinedTermSet":
			default:
				more = true
			}
			holds = holds || holdsThing(value, depth+1)
		})
		holds = holds || typed && more
	}
	return holds
}

// inner is what counts of a thing within an item.
type inner struct {
	name, code, set, format, content string
	identity                         Identity
	live                             bool
}

// readThing reads a thing within an item; a text is its name.
func readThing(v jsontext.Value) (i inner) {
	if v.Kind() == '"' {
		i.name = text(v)
		return i
	}
	eachMember(v, func(name string, value jsontext.Value) {
		switch name {
		case "name":
			i.name = text(value)
		case "termCode":
			i.code = clip(text(value), maxAuthor)
		case "inDefinedTermSet":
			if i.set = text(value); value.Kind() == '{' {
				set := readThing(value)
				i.set = set.name + " " + set.content
			}
		case "encodingFormat":
			i.format = text(value)
		case "contentUrl", "url":
			i.content = text(value)
			i.identity.learn(name, value)
		case "isLiveBroadcast":
			i.live = yes(value)
		case "identifier", "sameAs", "@id":
			each(value, func(v jsontext.Value) { i.identity.learn(name, v) })
		}
	})
	return i
}

// learn takes in an identifier: a text that says itself what it is, or a PropertyValue, whose
// propertyID says it.
func (i *Identity) learn(member string, v jsontext.Value) {
	kind, value := member, text(v)
	if v.Kind() == '{' {
		kind = ""
		eachMember(v, func(name string, of jsontext.Value) {
			switch name {
			case "propertyID", "name":
				if kind == "" || name == "propertyID" {
					kind = text(of)
				}
			case "value", "@id", "url":
				if value == "" || name == "value" {
					value = text(of)
				}
			}
		})
	}
	kind = strings.ToLower(kind[strings.LastIndexAny(kind, "/:#")+1:])
	lower := strings.ToLower(value)
	says := func(word string) bool { return strings.Contains(kind, word) || strings.Contains(lower, word) }
	if says("doi") {
		first(&i.DOI, doi(kind, value))
	}
	if says("isni") {
		first(&i.ISNI, isni(kind, value))
	}
	if says("isbn") || says("gtin13") {
		first(&i.ISBN, isbn(kind, value))
	}
	if says("newsml") || strings.HasPrefix(lower, "tag:") {
		first(&i.IPTC, iptc(kind, value))
	}
	if strings.Contains(kind, "c2pa") {
		first(&i.C2PA, web(value))
	}
}

// eachMember calls fn with the members of an object, in order. It stops where the object cannot be
// read.
func eachMember(object []byte, fn func(name string, value jsontext.Value)) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return
	}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		fn(name, value)
	}
}

// each calls fn with a value, or with the elements of an array.
func each(v jsontext.Value, fn func(jsontext.Value)) {
	if v.Kind() != '[' {
		fn(v)
		return
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true))
	dec.ReadToken()
	for dec.PeekKind() != ']' {
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		fn(value)
	}
}

// text is a string, or a number as it is written.
func text(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		if plain, err := jsontext.AppendUnquote(nil, v); err == nil {
			return strings.TrimSpace(string(plain))
		}
	case '0':
		return string(v)
	}
	return ""
}

// line is a name in one line of bounded length.
func line(name string) string { return clip(strings.Join(strings.Fields(name), " "), maxAuthor) }

// web is an address of the web, or nothing.
func web(address string) string {
	if _, err := Canonical(address); err != nil || len(address) > 2048 {
		return ""
	}
	return address
}

func yes(v jsontext.Value) bool {
	return v.Kind() == 't' ||
		strings.EqualFold(strings.TrimPrefix(strings.TrimPrefix(text(v), "https://schema.org/"), "http://schema.org/"),
			"true")
}

// whole is a number of things, 0 where there is none.
func whole(v jsontext.Value) int {
	n, err := strconv.Atoi(text(v))
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}

// seconds reads a duration in the form of ISO 8601 ("PT1H30M"), 0 for none. It has no months: their
// length is not known.
func seconds(text string) int {
	rest, ok := strings.CutPrefix(strings.ToUpper(text), "P")
	if !ok {
		return 0
	}
	total, number, inTime := 0.0, "", false
	for _, r := range rest {
		size := map[rune]float64{'D': 86400, 'W': 7 * 86400, 'H': 3600, 'M': 60, 'S': 1}[r]
		switch {
		case r >= '0' && r <= '9' || r == '.' || r == ',':
			number += strings.ReplaceAll(string(r), ",", ".")
			continue
		case r == 'T' && !inTime && number == "":
			inTime = true
			continue
		case size == 0, inTime == (r == 'D' || r == 'W'):
			return 0
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return 0
		}
		total += n * size
		number = ""
	}
	if number != "" || total > 1<<30 {
		return 0
	}
	return int(total + 0.5)
}

// The parts of a record that few items have: a letter and a text each, up to the end.
const (
	partDOI, partIPTC, partISNI, partISBN, partC2PA = 'd', 'i', 'n', 'b', 'c'
	partPages, partSeconds, partRecords             = 'p', 's', 'r'
	partCategories, partMixed, partSimilarity       = 'k', 'm', 'z'
)

func (m *markup) write(w *writer) {
	part := func(letter byte, text string) {
		if text != "" {
			w.b = append(w.b, letter)
			w.text(text)
		}
	}
	number := func(letter byte, n int) {
		if n > 0 {
			part(letter, strconv.Itoa(n))
		}
	}
	part(partDOI, m.identity.DOI)
	part(partIPTC, m.identity.IPTC)
	part(partISNI, m.identity.ISNI)
	part(partISBN, m.identity.ISBN)
	part(partC2PA, m.identity.C2PA)
	number(partPages, m.figures.Pages)
	number(partSeconds, m.figures.Seconds)
	number(partRecords, m.figures.Records)
	part(partCategories, strings.Join(m.categories, "\n"))
	if m.mixed {
		part(partMixed, "1")
	}
}

func (e *Entry) read(in *reader) {
	for in.b != "" {
		letter := in.cut(1)[0]
		text := in.text()
		n, _ := strconv.Atoi(text)
		switch letter {
		case partDOI:
			e.Identity.DOI = text
		case partIPTC:
			e.Identity.IPTC = text
		case partISNI:
			e.Identity.ISNI = text
		case partISBN:
			e.Identity.ISBN = text
		case partC2PA:
			e.Identity.C2PA = text
		case partPages:
			e.Figures.Pages = n
		case partSeconds:
			e.Figures.Seconds = n
		case partRecords:
			e.Figures.Records = n
		case partCategories:
			e.Categories = strings.Split(text, "\n")
		case partMixed:
			e.Mixed = true
		case partSimilarity:
			e.Similar, e.Similarity = true, binary.BigEndian.Uint64([]byte(text))
		default:
			e.readPushed(letter, text, n)
		}
	}
}
