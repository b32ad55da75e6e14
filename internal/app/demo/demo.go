// Package demo holds the sample content that frontdesk serves when it has no other: four small
// sites of an invented harbour town. Larkspur Kitchen has recipes, Harbour & Pine is a shop, The
// Tidewater Review writes articles, some for subscribers, and Tidewater Events is a calendar. Every
// name and sentence was made up for it.
//
// The content lies in the forms that package ingest reads: a JSON-LD file for each recipe, the
// products as JSON lines, the events as one @graph, the articles as Markdown with front matter or
// HTML with JSON-LD. Enter at Write and Sources for the content, at Pages for the pages that the
// items' addresses lead to. It imports nothing of ours; package cli puts it to use.
package demo

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed content
var embedded embed.FS

// Content holds the sample content, a folder for each site.
var Content = content()

func content() fs.FS {
	sub, err := fs.Sub(embedded, "content")
	if err != nil {
		panic(err) // the folder is embedded above: only a build without it could fail
	}
	return sub
}

// Town is the name that the sample sites have in common, and Domain what theirs would lie below.
const (
	Town   = "Tidewater"
	Domain = "tidewater.example"
)

// Site is one of the sample sites.
type Site struct {
	ID    string // the key under which its items are kept, and the name of its folder in Content
	Name  string
	Host  string // the host name it would have in the world, under a top-level domain kept for examples
	About string // one line on what it offers
	Kind  string // the schema.org type of most of its items
}

// Sites are the sample sites, in the order in which the pages show them.
var Sites = []Site{
	{"kitchen", "Larkspur Kitchen", "kitchen.tidewater.example",
		"Recipes from a small coast, tested on large families.", "Recipe"},
	{"shop", "Harbour & Pine", "shop.tidewater.example", "Things for the house and the weather, made to be mended.",
		"Product"},
	{"review", "The Tidewater Review", "review.tidewater.example", "News, advice and long looks out of the window.",
		"Article"},
	{"events", "Tidewater Events", "events.tidewater.example", "What is on, from the first carol to the last regatta.",
		"Event"},
}

// Source says where the content of one site lies and how to read it; its fields are those of
// ingest's source.
type Source struct {
	Site      string // the site's ID
	Name      string // the source's name within the site
	Path      string // the folder
	Base      string // what relative addresses in the content are relative to
	Language  string
	Publisher string
}

// Sources returns a source for each site, for content written to dir by Write. Base is the address
// at which Pages answers, such as "http://127.0.0.1:8080".
func Sources(dir, base string) []Source {
	sources := make([]Source, 0, len(Sites))
	for _, site := range Sites {
		sources = append(sources, Source{
			Site: site.ID, Name: site.Kind, Path: filepath.Join(dir, site.ID),
			Base: base + "/sample/" + site.ID + "/", Language: "en", Publisher: site.Name,
		})
	}
	return sources
}

// Write copies the content to dir, which is made if need be. Files that lie there under other names
// stay. Prefix is the path of the address at which Pages answers, such as "/desk": the items' own
// addresses begin with it.
func Write(dir, prefix string) error {
	return fs.WalkDir(Content, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		text, err := fs.ReadFile(Content, name)
		if err != nil {
			return err
		}
		for _, before := range []string{`"`, ": "} { // in JSON and HTML, and in front matter
			text = bytes.ReplaceAll(text, []byte(before+"/sample/"), []byte(before+prefix+"/sample/"))
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return fmt.Errorf("writing the sample content: %w", err)
		}
		return nil
	})
}

// Terms are the rules of the sample sites, as the list under "terms:" in frontdesk.yaml. The
// Review's premium articles are shown as a notice with an excerpt, and sold to agents; its drafts
// are not shown at all. Labels say which editorial domain a platform gets passages of.
const Terms = `- match: {path: "/sample/*/drafts/**"}
  access: blocked
- match: {path: "/sample/review/premium/**"}
  access: licensed
  excerpt: {words: 60}
  functions: {permit: [search, ai-input], prohibit: [ai-train]}
  price: {model: per_access, rate: "0.02", currency: XTS}
  reporting: {window: 24h}
  labels: [news.local]
- match: {path: "/sample/review/**"}
  access: open
  labels: [news.local]
- match: {path: "/sample/kitchen/**"}
  access: open
  labels: [food]
- match: {}
  access: open
`

// Currency is that of the prices in Terms: XTS, which ISO 4217 keeps for tests, so that nothing
// costs anybody money.
const Currency = "XTS"

// The agent that buys from the demo, by its domain, which is nobody's, and what that calls it.
const (
	BuyerDomain = "reader.tidewater.example"
	BuyerID     = "reading-bot"
)

// The platform that is given passages, the id of its key, and what it asks in which domain.
const (
	Platform         = "sample_assistant"
	PlatformKey      = "sample_key"
	PlatformDomain   = "food"
	PlatformQuestion = "a quick vegan dinner with chickpeas"
)

// ForSale is the address of an article that is sold, without the front desk's own before it.
const ForSale = "/sample/review/premium/inside-the-dredging-contract"

// ForSaleQuestion finds it first of what is sold.
const ForSaleQuestion = "what is inside the dredging contract"

// Elicit says what is asked back of vague questions, as the section under "ask.elicit:" in
// frontdesk.yaml: for a meal the diet and the time, and for other things what those that fit differ
// in.
const Elicit = `mode: auto
more_than: 8
slots:
  - id: dietary_restrictions
    text: Do you have any dietary restrictions?
    kind: multi_select
    options: [vegetarian, vegan, gluten-free]
    filter: suitableForDiet
    types: [Recipe]
    when: {words: [dinner, supper, lunch, meal, eat, cook], more_than: 2}
    languages:
      - {language: de, text: Ist etwas bei der Ernährung zu beachten?, options: [vegetarisch, vegan, glutenfrei]}
      - {language: fr, text: Avez-vous un régime particulier ?, options: [végétarien, végan, sans gluten]}
      - {language: es, text: ¿Sigues alguna dieta?, options: [vegetariano, vegano, sin gluten]}
      - {language: pt, text: Segue alguma dieta?, options: [vegetariano, vegano, sem glúten]}
      - {language: ja, text: 食事の制限はありますか？, options: [ベジタリアン, ヴィーガン, グルテンフリー]}
  - id: cooking_time
    text: How much time do you have for cooking?
    kind: single_select
    options: [up to 20 minutes, 20 to 40 minutes, over 40 minutes]
    filter: totalTime
    types: [Recipe]
    when: {words: [dinner, supper, lunch, meal, eat, cook], more_than: 2}
    languages:
      - {language: de, text: Wie viel Zeit ist zum Kochen?, options: [bis 20 Minuten, 20 bis 40 Minuten, über 40 Minuten]}
      - {language: fr, text: De combien de temps disposez-vous ?, options: [jusqu’à 20 minutes, 20 à 40 minutes, plus de 40 minutes]}
      - {language: es, text: ¿Cuánto tiempo tienes para cocinar?, options: [hasta 20 minutos, de 20 a 40 minutos, más de 40 minutos]}
      - {language: pt, text: Quanto tempo tem para cozinhar?, options: [até 20 minutos, 20 a 40 minutos, mais de 40 minutos]}
      - {language: ja, text: 調理時間はどれくらいですか？, options: [20分まで, 20分から40分, 40分以上]}
`

// Intakes are what the sample sites take in from agents, as the section under "intakes:" in
// frontdesk.yaml: a health assessment, a search for fitting events, a trial and a calculator.
//
//go:embed intakes.yaml
var Intakes string

// Examples are questions to begin with, each with good answers in the content; the one for dinner
// is asked back first.
var Examples = []string{
	"a quick vegan dinner with chickpeas",
	"I need something for dinner",
	"vegetarian recipes under 30 minutes without nuts",
	"high protein breakfast with cinnamon",
	"a warm gift for winter",
	"how do I season a cast iron pan?",
	"free events for families",
	"why is the mud so expensive to dredge?",
}
