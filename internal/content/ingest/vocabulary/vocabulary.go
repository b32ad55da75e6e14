// Package vocabulary reads the names of schema.org as documents in the wild write them (with
// prefixes, in any case, languages in words), and judges by them: KindOf says which part a thing
// plays in a document, Specificity how much a type says of it, HoldsURL what a property holds.
//
// The tree of classes itself is content's. The package knows names alone, and not the things that
// have them.
package vocabulary

import (
	"strings"

	"frontdesk/internal/content"
)

// vocabularyPrefixes are what stands before the names of schema.org in the wild.
var vocabularyPrefixes = []string{
	"http://schema.org/", "https://schema.org/", "http://www.schema.org/", "https://www.schema.org/", "schema:", "sdo:",
	"http://schema.org#", "https://schema.org#", "//schema.org/", "schema.org/",
}

// Term takes schema.org's prefix off a name.
func Term(name string) string {
	if strings.IndexByte(name, ':') < 0 && strings.IndexByte(name, '/') < 0 {
		return name
	}
	for _, prefix := range vocabularyPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}

// TypeName gives a type its canonical spelling.
func TypeName(name string) string {
	name = strings.TrimSpace(Term(strings.TrimSpace(name)))
	if canonical, ok := content.KnownType(name); ok {
		return canonical
	}
	return name
}

// IsA says whether one of the types is class or a descendant.
func IsA(types []string, class string) bool {
	for _, t := range types {
		if content.IsA(t, class) {
			return true
		}
	}
	return false
}

// addressProperties hold URLs, which may be relative.
var addressProperties = Set(`@id url image thumbnailUrl thumbnail contentUrl embedUrl logo photo sameAs mainEntityOfPage hasMap
	menu hasMenu installUrl downloadUrl target urlTemplate codeRepository license trailer publishingPrinciples discussionUrl
	relatedLink significantLink additionalType isPartOf hasPart`)

// HoldsURL says whether a property of schema.org holds URLs.
func HoldsURL(property string) bool { return addressProperties[property] }

// Set returns a set of words that are separated by blanks.
func Set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
