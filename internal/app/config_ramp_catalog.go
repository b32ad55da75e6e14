package app

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
)

// RAMPItem is what offers say of some items beside what those say of themselves. Of several entries that match an item, the
// first that has a key counts for that key.
type RAMPItem struct {
	// Match says which items the entry is for, as in `terms`; `{}` matches everything.
	Match policy.Match `yaml:"match,required"`
	// Mutability is `static` for what stays as it is, `dynamic` for what is another tomorrow, `live` for what is made while
	// it is delivered. Without it texts are static; lists, data and things that texts are about are dynamic; broadcasts are
	// live.
	Mutability string `yaml:"mutability" check:"optional,oneof=static dynamic live"`
	// Categories are codes of the IAB Content Taxonomy, such as `"483"`; they stand instead of the item's own.
	Categories []string `yaml:"categories"`
	// DOI is the Digital Object Identifier of an item that states none, such as `10.1234/abc`.
	DOI string `yaml:"doi"`
	// ISBN is the International Standard Book Number of an item that states none.
	ISBN string `yaml:"isbn"`
	// IPTC is the NewsML-G2 identifier of an item that states none, such as `urn:newsml:example.com:20260101:1`.
	IPTC string `yaml:"iptc"`
	// ISNI is the International Standard Name Identifier of the author or publisher of an item that states none: 16 digits.
	ISNI string `yaml:"isni"`
	// C2PA is the address of the C2PA manifest of an item that states none.
	C2PA string `yaml:"c2pa"`
	// Pages is how many pages an item has that does not say so.
	Pages int `yaml:"pages" check:"0..1000000"`
	// Records is how many records an item has that does not say so.
	Records int `yaml:"records" check:"0..1000000000"`
	// Duration is how long an item plays that does not say so.
	Duration time.Duration `yaml:"duration" check:"0..1000h"`
}

// RAMPAlias is an address under which an item is sold beside its own, such as that of its chapters.
type RAMPAlias struct {
	// Pattern is an address of the web, or another URI such as `duns:80*`. One that ends in a slash or in a star stands for all addresses that begin so, and a
	// star elsewhere for any run of characters: `https://www.example.com/book/`.
	Pattern string `yaml:"pattern,required"`
	// Item is the address of the item.
	Item string `yaml:"item,required"`
}

// RAMPTokens is how many tokens a word makes.
type RAMPTokens struct {
	// Language is a language by its code, such as `de`; without it, those that have no entry.
	Language string `yaml:"language"`
	// PerWord is how many tokens one of its words makes on average, such as `1.45`. Two letters of Chinese or Japanese count
	// as a word.
	PerWord float64 `yaml:"per_word,required" check:"0.1..20"`
}

var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// The most that there may be of entries.
const (
	maxRAMPItems   = 1000
	maxRAMPAliases = 1000
)

// catalogConfig is what the catalog of what can be sold needs to know.
func (c Config) catalogConfig(of *content.Catalog, log *slog.Logger) (catalog.Config, error) {
	made := catalog.Config{Content: of, Factors: map[string]float64{}, Snapshot: filepath.Join(c.Data, "catalog.snapshot"), Log: log}
	made.Similar = c.RAMP.Enabled && c.RAMP.HashMethod == string(contenthash.SimHash)
	for i, item := range c.RAMP.Items {
		match := item.Match
		match.Type = canonicalTypes(match.Type)
		matcher, err := policy.Options{IsA: content.IsA}.Matcher(match)
		if err != nil {
			return made, fmt.Errorf("ramp.items[%d]: %w", i, err)
		}
		identity, wrong := item.identity()
		if wrong != "" {
			return made, fmt.Errorf("ramp.items[%d].%s cannot be read", i, wrong)
		}
		made.Statements = append(made.Statements, catalog.Statement{
			Match: matcher, Mutability: catalog.Mutability(item.Mutability), Categories: item.Categories, Identity: identity,
			Figures: catalog.Figures{Pages: item.Pages, Records: item.Records, Seconds: int(item.Duration / time.Second)},
		})
	}
	for _, alias := range c.RAMP.Aliases {
		made.Aliases = append(made.Aliases, catalog.Alias(alias))
	}
	for _, of := range c.RAMP.Tokens {
		made.Factors[of.Language] = of.PerWord
	}
	return made, nil
}

// identity reads the numbers of an entry; wrong is the key of the first that is none.
func (i RAMPItem) identity() (identity catalog.Identity, wrong string) {
	for _, one := range []struct {
		key, text string
		to        *string
		read      func(string) (string, bool)
	}{
		{"doi", i.DOI, &identity.DOI, catalog.ReadDOI},
		{"isbn", i.ISBN, &identity.ISBN, catalog.ReadISBN},
		{"iptc", i.IPTC, &identity.IPTC, catalog.ReadIPTC},
		{"isni", i.ISNI, &identity.ISNI, catalog.ReadISNI},
		{"c2pa", i.C2PA, &identity.C2PA, func(s string) (string, bool) { _, err := catalog.Canonical(s); return s, err == nil }},
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
func (a RAMPAlias) Check(r *yamlconf.Report) {
	if _, err := catalog.New(catalog.Config{Aliases: []catalog.Alias{catalog.Alias(a)}}); err != nil {
		r.Problem("", "%v", err)
	}
}

// Check looks at the language.
func (t RAMPTokens) Check(r *yamlconf.Report) {
	if t.Language != "" && !languageCode.MatchString(t.Language) {
		r.Problem("language", "%q is no code of a language; write it like de", t.Language)
	}
}

// Check looks at the conditions and at the numbers.
func (i RAMPItem) Check(r *yamlconf.Report) {
	checkMatch(r, i.Match)
	r.MatchAll("categories", i.Categories, func(code string) bool {
		return code != "" && len(code) <= 64 && !strings.ContainsFunc(code, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	}, "is no code of a category; write it like \"483\"")
	if _, wrong := i.identity(); wrong != "" {
		r.Problem(wrong, "it cannot be read, or its digits do not fit together; look at it again")
	}
}

// checkMatch looks at the key match of a section.
func checkMatch(r *yamlconf.Report, match policy.Match) {
	match.Type = canonicalTypes(match.Type)
	_, err := policy.Options{IsA: content.IsA}.Matcher(match)
	for _, e := range yamlconf.Unjoin(err) {
		var found *policy.RuleError
		if errors.As(e, &found) {
			r.Problem(found.Field, "%s", found.Detail)
		}
	}
}
