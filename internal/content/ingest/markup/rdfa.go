package markup

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/vocabulary"
)

// rdfa gives the things of a page that are written into its elements in RDFa Lite (W3C
// recommendation, second edition): vocab, typeof, property, resource and prefix, as objects in
// schema.org's terms. Things of other vocabularies are left out, and so are properties of them.
func rdfa(page *html.Node) []*jsonrepair.Node {
	var r rdfaReader
	r.walk(page, rdfaScope{}, 0)
	return r.things
}

// rdfaScope is what holds for an element by those around it.
type rdfaScope struct {
	schema   bool     // names without a prefix are schema.org's
	prefixes []string // that stand for schema.org, with their colons
	// to which properties belong; nil where they belong to none, or to one of another vocabulary
	thing *microdataItem
}

type rdfaReader struct {
	things []*jsonrepair.Node
	done   int // elements that were looked at
}

// walk looks at the elements below n.
func (r *rdfaReader) walk(n *html.Node, scope rdfaScope, depth int) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			r.element(child, scope, depth)
		}
	}
}

// element adds what an element says of the thing around it, or begins one.
func (r *rdfaReader) element(n *html.Node, scope rdfaScope, depth int) {
	if r.done++; r.done > maxMicrodata {
		return
	}
	scope.declare(n)
	properties := scope.names(attr(n, "property"))
	if !hasAttr(n, "typeof") {
		if len(properties) > 0 && scope.thing != nil {
			value := jsonrepair.NewString(cmp.Or(attr(n, "resource"), elementValue(n, properties[0])))
			for _, property := range properties {
				scope.thing.add(property, value)
			}
		}
		r.walk(n, scope, depth)
		return
	}
	around := scope.thing
	scope.thing = nil
	if types := scope.names(attr(n, "typeof")); len(types) > 0 && depth < deepestThing {
		scope.thing = newMicrodataItem()
		for _, t := range types {
			scope.thing.add("@type", jsonrepair.NewString(t))
		}
		if id := cmp.Or(attr(n, "resource"), attr(n, "about")); id != "" {
			scope.thing.add("@id", jsonrepair.NewString(id))
		}
		if around != nil && len(properties) > 0 {
			for _, property := range properties {
				around.add(property, scope.thing.object)
			}
		} else {
			r.things = append(r.things, scope.thing.object)
		}
	}
	r.walk(n, scope, depth+1)
}

// declare takes the vocabulary and the prefixes that an element sets for itself and what is in it.
func (s *rdfaScope) declare(n *html.Node) {
	if hasAttr(n, "vocab") {
		s.schema = isVocabulary(attr(n, "vocab"))
	}
	fields := strings.Fields(attr(n, "prefix"))
	for i := 0; i+1 < len(fields); i += 2 {
		if isVocabulary(fields[i+1]) && strings.HasSuffix(fields[i], ":") {
			s.prefixes = append(s.prefixes[:len(s.prefixes):len(s.prefixes)], fields[i])
		}
	}
}

// isVocabulary says whether a URL is schema.org's.
func isVocabulary(address string) bool {
	return vocabulary.Term(strings.TrimRight(strings.TrimSpace(address), "/#")+"/x") == "x"
}

// names gives those of an attribute's terms that are schema.org's, without their prefix. "schema:"
// is known without a declaration.
func (s *rdfaScope) names(written string) []string {
	var names []string
	for name := range strings.FieldsSeq(written) {
		short := vocabulary.Term(name)
		for _, prefix := range s.prefixes {
			short = strings.TrimPrefix(short, prefix)
		}
		if short != name || s.schema && !strings.ContainsAny(name, ":/") {
			names = append(names, short)
		}
	}
	return names
}
