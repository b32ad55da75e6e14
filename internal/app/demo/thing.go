package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/yuin/goldmark"
)

// A thing is one item of the sample content, as the pages need it. It has the members of schema.org
// that the content uses and no others, so that a misspelt one is found when the content is read.
type thing struct {
	Site   Site           `json:"-"`
	Slug   string         `json:"-"` // the last segment of the address
	Object map[string]any `json:"-"` // the whole object, for the page's JSON-LD
	Body   template.HTML  `json:"-"` // an article's text
	File   string         `json:"-"` // where in Content it was read

	Type          string   `json:"@type"`
	URL           string   `json:"url"`
	Name          string   `json:"name"`
	Headline      string   `json:"headline"`
	Description   string   `json:"description"`
	Image         string   `json:"image"`
	Keywords      string   `json:"keywords"`
	Section       string   `json:"articleSection"`
	Published     string   `json:"datePublished"`
	Author        party    `json:"author"`
	Organizer     party    `json:"organizer"`
	Performer     party    `json:"performer"`
	Brand         party    `json:"brand"`
	Category      string   `json:"category"`
	Color         string   `json:"color"`
	Material      string   `json:"material"`
	SKU           string   `json:"sku"`
	Sizes         []string `json:"size"`
	Course        string   `json:"recipeCategory"`
	Prep          string   `json:"prepTime"`
	Cook          string   `json:"cookTime"`
	Total         string   `json:"totalTime"`
	Yield         string   `json:"recipeYield"`
	Diets         []string `json:"suitableForDiet"`
	Ingredients   []string `json:"recipeIngredient"`
	Steps         []step   `json:"recipeInstructions"`
	Nutrition     facts    `json:"nutrition"`
	Allergens     property `json:"additionalProperty"`
	Rating        rating   `json:"aggregateRating"`
	Offer         offer    `json:"offers"`
	Start         string   `json:"startDate"`
	End           string   `json:"endDate"`
	Place         place    `json:"location"`
	AccessForFree *bool    `json:"isAccessibleForFree"`
}

type (
	party    struct{ Name string }
	step     struct{ Text string }
	property struct{ Value string }
	facts    struct {
		Calories string `json:"calories"`
		Protein  string `json:"proteinContent"`
		Carbs    string `json:"carbohydrateContent"`
		Fat      string `json:"fatContent"`
	}
	rating struct {
		Value   float64 `json:"ratingValue"`
		Count   int     `json:"ratingCount"`
		Reviews int     `json:"reviewCount"`
	}
	offer struct {
		Price        string `json:"price"`
		Currency     string `json:"priceCurrency"`
		Availability string `json:"availability"`
	}
	place struct {
		Name    string
		Address struct {
			Street string `json:"streetAddress"`
			Town   string `json:"addressLocality"`
			Code   string `json:"postalCode"`
		} `json:"address"`
	}
)

// Title is the name, or an article's headline.
func (t *thing) Title() string {
	if t.Headline != "" {
		return t.Headline
	}
	return t.Name
}

// Draft tells whether the thing is not for publication, so that it has no page.
func (t *thing) Draft() bool { return strings.Contains(t.URL, "/drafts/") }

// Premium tells whether the thing is for subscribers, so that its page shows the beginning alone.
func (t *thing) Premium() bool { return strings.Contains(t.URL, "/premium/") }

// things reads the whole content, site by site and in the order of the files.
func things() ([]*thing, error) {
	var all []*thing
	for _, site := range Sites {
		err := fs.WalkDir(Content, site.ID, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			found, err := read(name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, t := range found {
				t.Site, t.File, t.Slug = site, name, path.Base(t.URL)
			}
			all = append(all, found...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func read(name string) ([]*thing, error) {
	text, err := fs.ReadFile(Content, name)
	if err != nil {
		return nil, err
	}
	switch path.Ext(name) {
	case ".jsonl":
		return readLines(text)
	case ".json":
		return readDocument(text)
	case ".md":
		return readMarkdown(text)
	case ".html":
		return readHTML(text)
	}
	return nil, fmt.Errorf("no reader for this kind of file")
}

func readLines(text []byte) ([]*thing, error) {
	var all []*thing
	for line := range bytes.Lines(text) {
		found, err := readDocument(line)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// readDocument reads one object, or the events of a graph with the places that they refer to put
// in.
func readDocument(text []byte) ([]*thing, error) {
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	graph, ok := object["@graph"].([]any)
	if !ok {
		t, err := fromObject(object)
		return []*thing{t}, err
	}
	nodes := map[string]any{}
	for _, node := range graph {
		node := node.(map[string]any)
		nodes[node["@id"].(string)] = node
	}
	var all []*thing
	for _, node := range graph {
		node := node.(map[string]any)
		if node["startDate"] == nil {
			continue // the site itself, its publisher and the places
		}
		for _, member := range []string{"location", "publisher"} {
			node[member] = without(nodes[node[member].(map[string]any)["@id"].(string)], "@id")
		}
		t, err := fromObject(without(node, "@id"))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func without(node any, member string) map[string]any {
	rest := map[string]any{}
	for key, value := range node.(map[string]any) {
		if key != member {
			rest[key] = value
		}
	}
	return rest
}

func fromObject(object map[string]any) (*thing, error) {
	object["@context"] = "https://schema.org"
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	t := &thing{Object: object}
	return t, json.Unmarshal(text, t)
}

// readMarkdown reads an article with front matter between two lines of dashes.
func readMarkdown(text []byte) ([]*thing, error) {
	parts := strings.SplitN(string(text), "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		return nil, fmt.Errorf("no front matter")
	}
	var front struct {
		Type, Title, Description, Author, Date, Section, Image, URL, Publisher, Language string
		Keywords                                                                         []string
	}
	if err := yaml.UnmarshalWithOptions([]byte(parts[1]), &front, yaml.DisallowUnknownField()); err != nil {
		return nil, err
	}
	t, err := fromObject(map[string]any{
		"@type": front.Type, "url": front.URL, "headline": front.Title, "description": front.Description,
		"author":        map[string]any{"@type": "Person", "name": front.Author},
		"publisher":     map[string]any{"@type": "Organization", "name": front.Publisher},
		"datePublished": front.Date, "articleSection": front.Section, "image": front.Image,
		"inLanguage": front.Language, "keywords": strings.Join(front.Keywords, ", "),
	})
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := goldmark.Convert([]byte(parts[2]), &body); err != nil {
		return nil, err
	}
	t.Body = template.HTML(body.String()) // our own text, and goldmark lets no markup of the source through
	return []*thing{t}, nil
}

// readHTML reads an article that carries its object as JSON-LD and its text in an <article>.
func readHTML(text []byte) ([]*thing, error) {
	data, ok := between(string(text), `<script type="application/ld+json">`, "</script>")
	if !ok {
		return nil, fmt.Errorf("no JSON-LD")
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(data), &object); err != nil {
		return nil, err
	}
	body, ok := between(string(text), "</h1>", "</article>")
	if !ok {
		return nil, fmt.Errorf("no <article> that begins with an <h1>")
	}
	t, err := fromObject(object)
	if err != nil {
		return nil, err
	}
	t.Body = template.HTML(body) // embedded with the program, so as trustworthy as the templates
	return []*thing{t}, nil
}

func between(text, before, after string) (string, bool) {
	_, rest, ok := strings.Cut(text, before)
	if !ok {
		return "", false
	}
	inner, _, ok := strings.Cut(rest, after)
	return inner, ok
}
