package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
)

func TestIdentifiersAreReadFromMarkup(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]Identity{
		`{"identifier":"https://doi.org/10.1234/ab.c"}`:                                                                             {DOI: "10.1234/ab.c"},
		`{"identifier":["x","doi:10.1234/Ab"]}`:                                                                                     {DOI: "10.1234/Ab"},
		`{"identifier":{"@type":"PropertyValue","propertyID":"DOI","value":"10.1234/x"}}`:                                           {DOI: "10.1234/x"},
		`{"identifier":{"@type":"PropertyValue","propertyID":"https://registry.identifiers.org/registry/doi","value":"10.1234/x"}}`: {DOI: "10.1234/x"},
		`{"sameAs":["https://dx.doi.org/10.1234/x","https://en.wikipedia.org/wiki/X"]}`:                                             {DOI: "10.1234/x"},
		`{"@id":"https://doi.org/10.1234/x"}`:                                                                                       {DOI: "10.1234/x"},
		// which says nowhere what it is
		`{"identifier":"10.1234/x"}`:                         {},
		`{"identifier":"doi:10.12/x"}`:                       {},
		`{"isbn":"3-16-148410-X"}`:                           {ISBN: "9783161484100"},
		`{"isbn":["978-3-16-148410-1","978-3-16-148410-0"]}`: {ISBN: "9783161484100"},
		`{"identifier":"urn:isbn:9783161484100"}`:            {ISBN: "9783161484100"},
		`{"isbn":"978-3-16-148410-1"}`:                       {},
		`{"author":{"@type":"Person","name":"A","sameAs":"https://isni.org/isni/0000000121032683"}}`:                          {ISNI: "0000000121032683"},
		`{"publisher":{"identifier":{"propertyID":"ISNI","value":"0000 0001 2103 2683"}}}`:                                    {ISNI: "0000000121032683"},
		`{"publisher":{"sameAs":"https://isni.org/isni/0000000121032683"},"author":[{"identifier":"isni:000000012146438X"}]}`: {ISNI: "000000012146438X"},
		`{"identifier":"isni:0000000121032684"}`:                                                                              {},
		`{"identifier":"urn:newsml:example.com:20260101:one"}`:                                                                {IPTC: "urn:newsml:example.com:20260101:one"},
		`{"identifier":{"propertyID":"iptc:guid","value":"tag:example.com,2026:one"}}`:                                        {IPTC: "tag:example.com,2026:one"},
		`{"identifier":"tag:example.com,2026:one"}`:                                                                           {},
		`{"identifier":{"propertyID":"c2pa","value":"https://a.example/m.c2pa"}}`:                                             {C2PA: "https://a.example/m.c2pa"},
		`{"associatedMedia":[{"encodingFormat":"application/c2pa","contentUrl":"https://a.example/m"}]}`:                      {C2PA: "https://a.example/m"},
		`{"identifier":{"propertyID":"c2pa","value":"m.c2pa"}}`:                                                               {},
		`{"identifier":7,"sameAs":{},"isbn":null,"author":[[]],"@id":""}`:                                                     {},
	} {
		if diff := cmp.Diff(want, readMarkup([]byte(object), false).identity); diff != "" {
			t.Errorf("%s (-want +got):\n%s", object, diff)
		}
	}
}

func TestFiguresAuthorsAndCategoriesAreReadFromMarkup(t *testing.T) {
	t.Parallel()
	m := readMarkup([]byte(`{"numberOfPages":"12","duration":"PT1H2M3.5S","numberOfItems":7,
		"author":[{"name":"A  B"},"C",{"name":"C"},{"@type":"Person"}],"creator":{"name":"D"},
		"about":[{"@type":"DefinedTerm","termCode":"483","inDefinedTermSet":"https://iabtechlab.com/iab-content-taxonomy"},{"termCode":"x","inDefinedTermSet":"other"}],
		"genre":{"termCode":"484","inDefinedTermSet":{"name":"IAB Content Taxonomy 3.1"}},
		"publication":{"@type":"BroadcastEvent","isLiveBroadcast":true}}`), false)
	want := markup{
		authors: []string{"A B", "C", "D"}, figures: Figures{Pages: 12, Seconds: 3724, Records: 7},
		categories: []string{"483", "484"}, live: true, mixed: true,
	}
	if diff := cmp.Diff(want, m, cmp.AllowUnexported(markup{})); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]int{
		"PT90S": 90, "PT1M": 60, "P1DT1H": 90000, "P1W": 604800, "pt0,5m": 30, "P1Y": 0, "P1M": 0, "90": 0, "PT": 0,
		"P": 0, "PT1": 0, "PT1H1D": 0, "P1H": 0, "PTT1S": 0,
	} {
		if got := seconds(text); got != want {
			t.Errorf("%s is %d seconds, want %d", text, got, want)
		}
	}
}

// Whatever markup says, a record has it again as it was read.
func FuzzMarkup(f *testing.F) {
	f.Add(`{"identifier":[{"propertyID":"doi","value":"10.1234/x"}],"author":["A"],"duration":"PT1S","isbn":"3-16-148410-X"}`, "Article\nThing", "https://a.example/x")
	f.Add(`{"about":{"termCode":"1","inDefinedTermSet":{"url":"iab"}},"license":"https://creativecommons.org/licenses/by-nc/4.0/"}`, "", "http://b.example:1/y?z")
	f.Fuzz(func(t *testing.T, object, types, address string) {
		item := content.Entry{Item: content.Item{URL: address, Types: strings.Split(types, "\n"),
			Object: []byte(object), Name: object, Publisher: types}}
		item.ID = content.ItemID("site", "source", address)
		id, _ := content.PackID(item.ID)
		table := newTable()
		reading, ok := readEntry(&item, true)
		if !ok {
			return
		}
		table.put(id, reading.record(&table.words))
		canonical, _ := CanonicalURI(address)
		found := 0
		table.at(canonical, func(row row, r record) {
			found++
			e := table.entry(row.id, r)
			read := readMarkup(item.Object, false)
			if e.URL != address || e.ID != item.ID || e.Identity != read.identity || e.Figures != read.figures ||
				!cmp.Equal(e.Categories, read.categories) || !cmp.Equal(e.Authors, read.authors) {
				t.Fatalf("%+v of %+v", e, read)
			}
		})
		if found != 1 {
			t.Fatalf("%d entries at %q", found, canonical)
		}
	})
}

func TestMixedItemsHoldWhatTheTermsMayDecideOtherwise(t *testing.T) {
	t.Parallel()
	deep := `{"a":` + strings.Repeat(`[{"b":`, 40) + `1` + strings.Repeat(`}]`, 40) + `}`
	for object, want := range map[string][2]bool{ // as an object, as a text
		`{"@type":"Article","url":"https://a.example/x","description":"long"}`: {false, false},
		`{"author":{"@type":"Person","name":"A"},"publisher":[{"name":"B"}]}`:  {false, false},
		`{"author":{"@type":"Person","name":"A","url":"/a"}}`:                  {true, false},
		`{"author":{"@type":"Person","name":"A","description":"long"}}`:        {true, false},
		`{"articleBody":[{"@type":"Comment","text":"long"}]}`:                  {true, true},
		// a part of the item
		`{"nutrition":{"calories":"1"}}`:                                                 {false, false},
		`{"nutrition":{"@type":"NutritionInformation","calories":"1"}}`:                  {true, false},
		`{"itemListElement":[{"item":{"@id":"https://a.example/r","recipeYield":"2"}}]}`: {true, false},
		deep: {true, false},
	} {
		if got := [2]bool{readMarkup([]byte(object), false).mixed, readMarkup([]byte(object), true).mixed}; got !=
			want {
			t.Errorf("%s is mixed: %v", object, got)
		}
	}
}

func TestDeliveredBytesAreTheTextOrTheObject(t *testing.T) {
	t.Parallel()
	passages := []content.Passage{{ID: "1", Text: "One two."}, {ID: "2", Text: "Three \"four\"."}}
	for name, one := range map[string]struct {
		item  content.Item
		media string
		body  string
		words int
	}{
		"an article": {content.Item{Types: []string{"NewsArticle"},
			Object: []byte(`{"@type":"NewsArticle"}`), Passages: passages}, released.PlainText, "One two.\n\nThree \"four\".", 4},
		"a thing with a text": {content.Item{Types: []string{"Recipe"}, Object: []byte(`{"@type":"Recipe"}`),
			Passages: passages}, released.LinkedObject, `{"@type":"Recipe","text":"One two.\n\nThree \"four\"."}`, 10},
		"a thing with its own": {content.Item{Types: []string{"Recipe"}, Object: []byte(`{"text":"x"}`),
			Passages: passages}, released.LinkedObject, `{"text":"x"}`, 2},
		"a text deeper within": {content.Item{Types: []string{"Product"}, Object: []byte(`{"a":{"text":"x"}}`),
			Passages: passages[:1]}, released.LinkedObject, `{"a":{"text":"x"},"text":"One two."}`, 7},
		"a thing without": {content.Item{Types: []string{"Product"}, Object: []byte(` {"@type":"Product"} `)},
			released.LinkedObject, `{"@type":"Product"}`, 3},
		"an article without": {content.Item{Types: []string{"Article"}, Object: []byte(`{}`)},
			released.LinkedObject, `{}`, 0},
		"an empty object": {content.Item{Types: []string{"Recipe"}, Object: []byte(`{}`),
			Passages: passages[:1]}, released.LinkedObject, `{"text":"One two."}`, 3},
		"what is nothing at all": {content.Item{Types: []string{"Thing"}}, released.PlainText, "", 0},
	} {
		media, body := released.RenderDefault(&one.item)
		told, words := deliveredOf(&one.item, false)
		if media != one.media || string(body) != one.body || words != one.words || told.Media != media {
			t.Errorf("%s: %s %s, %d words", name, media, body, words)
		}
		if media == released.LinkedObject && !json.Valid(body) {
			t.Errorf("%s: %s is no JSON", name, body)
		}
	}
}

func TestWordsAreCountedInEveryScript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "  \n": 0, "one": 1, "One, two - three!": 3, "don't re-do": 2, "3.5 kg": 2, "naïve café\u00a0au lait": 4,
		"日本語を話す": 3, "日本": 1, "東京。": 1,
		"hello 世界": 2, "สวัสดีครับ": 2, "— … !": 0, "Привет, мир": 2, "السلام عليكم": 2,
	} {
		if got := countWords([]byte(text)); got != want {
			t.Errorf("%q has %d words, want %d", text, got, want)
		}
	}
	e := Entry{Description: Description{Words: 1000}}
	for tag, want := range map[string]int{"": 1320, "en-gb": 1320, "de": 1450, "de-at": 1450, "ja": 2500,
		"zh-hant": 2500, "ar": 1500} {
		if e.factor = factorOf(nil, tag); e.Tokens() != want {
			t.Errorf("a thousand words of %q are %d tokens, want %d", tag, e.Tokens(), want)
		}
	}
	if own := map[string]float64{"de": 2, "": 1.1}; factorOf(own, "de-ch") != 2 || factorOf(own, "fr") != 1.1 ||
		factorOf(own, "ja") != 2.5 {
		t.Error("the owner's factors do not count")
	}
}

func TestTypesSayWhatChanges(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]Mutability{
		"NewsArticle": Static, "Book": Static, "ScholarlyArticle": Static, "Recipe": Static, "VideoObject": Static,
		"LiveBlogPosting": Dynamic, "WebSite": Dynamic,
		"Dataset": Dynamic, "Product": Dynamic, "Event": Dynamic, "JobPosting": Dynamic, "ItemList": Dynamic,
		"BroadcastEvent": Live, "Thing": Dynamic, "Odd": Dynamic,
	} {
		if got := usualMutability([]string{typ}, false); got != want {
			t.Errorf("%s is %s, want %s", typ, got, want)
		}
	}
	if usualMutability([]string{"VideoObject"}, true) != Live {
		t.Error("a broadcast is not live")
	}
}
