package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// ItemSettings is what offers say of some items beside what those say of themselves. Of several
// entries that match an item, the first that has a key counts for that key.
type ItemSettings struct {
	// Match says which items the entry is for, as in `terms`; `{}` matches everything.
	Match policy.Match `yaml:"match,required"`
	// Mutability is `static` for content that does not change, `dynamic` for content that changes
	// over time, `live` for content that is made during delivery. Without it texts are static;
	// lists, data and the subjects of texts are dynamic; broadcasts are live.
	Mutability string `yaml:"mutability" check:"optional,oneof=static dynamic live"`
	// Categories are codes of the IAB Content Taxonomy, such as `"483"`. They replace the item's
	// own.
	Categories []string `yaml:"categories"`
	// DOI is the Digital Object Identifier of an item that states none, such as `10.1234/abc`.
	DOI string `yaml:"doi"`
	// ISBN is the International Standard Book Number of an item that states none.
	ISBN string `yaml:"isbn"`
	// IPTC is the NewsML-G2 identifier of an item that states none, such as
	// `urn:newsml:example.com:20260101:1`.
	IPTC string `yaml:"iptc"`
	// ISNI is the International Standard Name Identifier of the author or publisher of an item that
	// states none: 16 digits.
	ISNI string `yaml:"isni"`
	// C2PA is the address of the C2PA manifest of an item that states none.
	C2PA string `yaml:"c2pa"`
	// Pages is the number of pages of an item that states none.
	Pages int `yaml:"pages" check:"0..1000000"`
	// Records is the number of records of an item that states none.
	Records int `yaml:"records" check:"0..1000000000"`
	// Duration is the playing time of an item that states none.
	Duration time.Duration `yaml:"duration" check:"0..1000h"`
}

// TokenSettings is how many tokens a word makes.
type TokenSettings struct {
	// Language is a language by its code, such as `de`; without it, all languages without an entry.
	Language string `yaml:"language"`
	// PerWord is the average number of tokens of a word, such as `1.45`. Two letters of Chinese or
	// Japanese count as a word.
	PerWord float64 `yaml:"per_word,required" check:"0.1..20"`
}

var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// The most that there may be of entries.
const (
	MaxItems   = 1000
	MaxAliases = 1000
)

// Statements are the entries, ready to be asked.
func Statements(items []ItemSettings) ([]Statement, error) {
	var all []Statement
	for i, item := range items {
		matcher, err := content.CompileMatch(item.Match)
		if err != nil {
			return nil, fmt.Errorf("ramp.items[%d]: %w", i, err)
		}
		identity, wrong := item.identity()
		if wrong != "" {
			return nil, fmt.Errorf("ramp.items[%d].%s cannot be read", i, wrong)
		}
		all = append(all, Statement{
			Match: matcher, Mutability: Mutability(item.Mutability), Categories: item.Categories, Identity: identity,
			Figures: Figures{Pages: item.Pages, Records: item.Records, Seconds: int(item.Duration / time.Second)},
		})
	}
	return all, nil
}

// Factors are the entries by language.
func Factors(of []TokenSettings) map[string]float64 {
	all := map[string]float64{}
	for _, one := range of {
		all[one.Language] = one.PerWord
	}
	return all
}

// identity reads the numbers of an entry; wrong is the key of the first that is none.
func (i ItemSettings) identity() (identity Identity, wrong string) {
	for _, one := range []struct {
		key, text string
		to        *string
		read      func(string) (string, bool)
	}{
		{"doi", i.DOI, &identity.DOI, ReadDOI},
		{"isbn", i.ISBN, &identity.ISBN, ReadISBN},
		{"iptc", i.IPTC, &identity.IPTC, ReadIPTC},
		{"isni", i.ISNI, &identity.ISNI, ReadISNI},
		{"c2pa", i.C2PA, &identity.C2PA,
			func(s string) (string, bool) { _, err := Canonical(s); return s, err == nil }},
	} {
		if one.text == "" {
			continue
		}
		text, ok := one.read(one.text)
		if !ok {
			return identity, one.key
		}
		*one.to = text
	}
	return identity, ""
}

// Check looks at the address.
func (a Alias) Check(r *yamlconf.Report) {
	if _, err := New(Config{Aliases: []Alias{a}}); err != nil {
		r.Problem("", "%v", err)
	}
}

// Check looks at the language.
func (t TokenSettings) Check(r *yamlconf.Report) {
	if t.Language != "" && !languageCode.MatchString(t.Language) {
		r.Problem("language", "%q is no code of a language; write it like de", t.Language)
	}
}

// Check looks at the conditions and at the numbers.
func (i ItemSettings) Check(r *yamlconf.Report) {
	content.CheckMatch(r, i.Match)
	r.MatchAll("categories", i.Categories, func(code string) bool {
		return code != "" && len(code) <= 64 &&
			!strings.ContainsFunc(code, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	}, "is no code of a category; write it like \"483\"")
	if _, wrong := i.identity(); wrong != "" {
		r.Problem(wrong, "it cannot be read, or its digits do not fit together; look at it again")
	}
}
