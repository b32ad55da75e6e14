// Package owner answers practical questions from what sites say of their owners: from the
// properties of an organisation, a place or a person, or else from the sentence of a page that
// tells it.
//
// Enter at Directory.Answer. A Directory holds the pages, answered questions, services, places and
// people of the sites, as far as they were released; package practical recognises what is asked,
// and package facts reads properties. The sentence of a page is found by the question's words, by
// how its page is called, by the values that it has, and by the country, day or people that the
// question names.
//
// It is pure.
package owner

import (
	"math"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/practical"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/vector/words"
)

// Page is an item, as far as it was released.
type Page struct {
	Site, URL, Type, Name, Language string
	Texts                           []string
	Object                          []byte // JSON
}

// The bounds of what is kept of a page.
const (
	maxSentences = 60
)

// Of what kind a page is.
type role int

const (
	other role = iota
	organisation
	place
	person
	job
)

// concerning are the types that tell of a site's owner, and unconcerning those below them that do
// not.
var (
	concerning   = []string{"WebPage", "Question", "Service", "JobPosting", "Place", "Organization", "Person"}
	unconcerning = []string{"Accommodation", "ItemPage", "CollectionPage", "SearchResultsPage", "ProfilePage"}
)

// Concerns says whether an item of a type may answer a practical question.
func Concerns(typ string) bool {
	isA := func(ancestor string) bool { return content.IsA(typ, ancestor) }
	return slices.ContainsFunc(concerning, isA) && !slices.ContainsFunc(unconcerning, isA)
}

// Rank orders items where there are too many to read all: the least first.
func Rank(typ, url string) int {
	if content.IsA(typ, "Question") {
		return 0
	}
	return len(url)
}

func roleOf(typ string) role {
	switch {
	case content.IsA(typ, "Organization"):
		return organisation
	case content.IsA(typ, "Place"):
		return place
	case content.IsA(typ, "Person"):
		return person
	case content.IsA(typ, "JobPosting"):
		return job
	}
	return other
}

// Directory is what sites say of their owners. It never changes.
type Directory struct {
	pages     []page
	languages []string
	postings  map[string][]posting // by language and word
	units     int                  // names and sentences
}

type page struct {
	Page
	role      role
	title     map[string]float64 // how it is called, by intents
	sentences []sentence
	object    func() facts.Object
	places    func() []practical.Place // kinds of places that it is called by
	meaning   func() words.Vector      // of its name
}

type sentence struct {
	text string
	// What is known of it, made when it is asked for.
	names     func() []string // of [words]
	countries func() []string
	values    func() []string // kinds
	weights   func() map[string]float64
	meaning   func() words.Vector
}

func newSentence(text string) sentence {
	return sentence{
		text:      text,
		names:     sync.OnceValue(func() []string { return practical.NamesOf(facets.Fold(text)) }),
		countries: sync.OnceValue(func() []string { return facts.CountriesIn(text) }),
		values:    sync.OnceValue(func() []string { return valuesIn(text) }),
		weights:   sync.OnceValue(func() map[string]float64 { return practical.Weigh(text) }),
		meaning:   meaningOf(text),
	}
}

// posting is where a word stands: in a sentence of a page, or in its name.
type posting struct {
	page, sentence int32 // inName for its name
}

const inName = -1

var analyzer = sync.OnceValue(analysis.NewAnalyzer)

// New makes a directory of pages. Their order is kept by Answer.Items.
func New(pages []Page) *Directory {
	d := &Directory{postings: map[string][]posting{}}
	unknown := guess(pages)
	for _, p := range pages {
		if p.Language == "" {
			p.Language = unknown[p.Site]
		}
		d.add(p)
	}
	return d
}

// guess names the languages of sites by all that they say, for pages that are too short to tell.
func guess(pages []Page) map[string]string {
	texts, languages := map[string]*strings.Builder{}, map[string]string{}
	for _, p := range pages {
		if texts[p.Site] == nil {
			texts[p.Site] = &strings.Builder{}
		}
		if b := texts[p.Site]; b.Len() < 1<<15 {
			b.WriteString(p.Name + ". " + strings.Join(p.Texts, " ") + "\n")
		}
	}
	for site, text := range texts {
		languages[site] = analyzer().Guess(text.String())
	}
	return languages
}

func (d *Directory) add(from Page) {
	p := page{Page: from, role: roleOf(from.Type), title: titleOf(from)}
	p.object = sync.OnceValue(func() facts.Object { return facts.Read(from.Object) })
	p.places = sync.OnceValue(func() []practical.Place { return practical.Places(facets.Fold(from.Name)) })
	p.meaning = meaningOf(from.Name)
	at := int32(len(d.pages))
	if !slices.Contains(d.languages, p.Language) {
		d.languages = append(d.languages, p.Language)
	}
	known := membersOf(p.Object)
	d.post(p.Language, strings.Join(append([]string{p.Name}, known.names...), " "), at, inName)
	for _, text := range append(p.Texts, known.texts...) {
		for one := range split(text) {
			if len(p.sentences) == maxSentences {
				break
			}
			if slices.ContainsFunc(p.sentences, func(s sentence) bool { return s.text == one }) {
				continue
			}
			d.post(p.Language, one, at, int32(len(p.sentences)))
			p.sentences = append(p.sentences, newSentence(one))
		}
	}
	d.pages = append(d.pages, p)
}

// meaningOf gives the direction of a text when it is asked for; nil where it has none.
func meaningOf(text string) func() words.Vector {
	return sync.OnceValue(func() words.Vector {
		direction, _ := words.Builtin().Embed(text)
		return direction
	})
}

// members are what an object says beside its name: what a person is or a thing is also called, and
// its texts.
type members struct{ names, texts []string }

func membersOf(object []byte) (m members) {
	var root map[string]jsontext.Value
	if json.Unmarshal(object, &root, jsontext.AllowDuplicateNames(true)) != nil {
		return m
	}
	text := func(value jsontext.Value) (said string) {
		if json.Unmarshal(value, &said) != nil {
			return ""
		}
		return said
	}
	for _, name := range []string{"jobTitle", "alternateName", "serviceType"} {
		if said := text(root[name]); said != "" {
			m.names = append(m.names, said)
		}
	}
	for _, name := range []string{"description", "text", "articleBody"} {
		if said := text(root[name]); said != "" {
			m.texts = append(m.texts, said)
		}
	}
	var answer struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(root["acceptedAnswer"], &answer) == nil && answer.Text != "" {
		m.texts = append(m.texts, answer.Text)
	}
	return m
}

func (d *Directory) post(language, text string, page, sentence int32) {
	d.units++
	seen := map[string]bool{}
	for word := range analyzer().Words(text, language) {
		if key := language + " " + word.Term; !seen[key] {
			seen[key] = true
			d.postings[key] = append(d.postings[key], posting{page, sentence})
		}
	}
}

// split gives the sentences of a text.
func split(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for end := range index.SentenceEnds(text) {
			if s := strings.Join(strings.Fields(text[start:end]), " "); s != "" && !yield(s) {
				return
			}
			start = end
		}
	}
}

// titleOf weighs what a page is called: its name, the last part of its address, and its type where
// that says it.
func titleOf(p Page) map[string]float64 {
	const bySlug, byType, mostNone = 0.35, 0.7, 0.7
	title := practical.Weigh(p.Name)
	if slug := slugOf(p.URL); slug != "" {
		for intent, weight := range practical.Weigh(slug) {
			title[intent] = (1-bySlug)*title[intent] + bySlug*weight
		}
	}
	// which people ask the owner anyway
	if none := min(title[practical.None], mostNone); content.IsA(p.Type, "Question") {
		for intent := range title {
			title[intent] /= 1 - none
		}
	}
	for typ, intent := range map[string]string{"ContactPage": "contact", "AboutPage": "about", "JobPosting": "jobs"} {
		if content.IsA(p.Type, typ) {
			title[intent] = max(title[intent], byType)
		}
	}
	return title
}

// slugOf is the last part of an address in words; empty for the root and for parts that are no
// words.
func slugOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Fragment != "" {
		return ""
	}
	slug := strings.TrimSuffix(path.Base(u.Path), path.Ext(u.Path))
	if slug == "/" || slug == "." || strings.ContainsAny(slug, "0123456789") {
		return ""
	}
	return strings.NewReplacer("-", " ", "_", " ").Replace(slug)
}

// isRoot says whether an address is that of a site's front page.
func isRoot(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
}

// weight is how much a word counts that stands in so many names and sentences.
func (d *Directory) weight(found int) float64 {
	return math.Log(1 + float64(d.units+1)/(float64(found)+0.5))
}
