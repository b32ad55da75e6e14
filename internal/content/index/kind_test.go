package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWhatIsOfAKindComesFirst holds that the name of a kind, courtesies apart, finds what is of it
// before what is only called by it, whatever type it has.
func TestWhatIsOfAKindComesFirst(t *testing.T) {
	t.Parallel()
	v := stockedIn(t, "en",
		thing("Service", "Boot resoling", ""), thing("Product", "Haystack Leather Walking Boot", "Footwear"),
		thing("Product", "Pebble Children's Walking Boot", "Footwear"),
		thing("Product", "Shoe Polish", "Care"), thing("Course", "Weaving Workshop", ""),
		thing("Event", "Talk on workshops", ""),
	)
	for _, row := range []struct {
		text, first string
		types       []string
	}{
		{"boots", " Boot", nil}, {"do you have boots", " Boot", nil}, {"boot resoling", "Boot resoling", nil},
		{"workshops", "Weaving Workshop", []string{"Event"}},
	} {
		found := v.Find(Question{Text: row.text, Types: row.types, Guessed: true, Limit: 5, Within: v.everything})
		if len(found.Hits) == 0 || !strings.HasSuffix(nameAt(found.Hits[0].URL), row.first) {
			t.Errorf("%q finds %v, want %q first", row.text, found.Hits, row.first)
		}
	}
}

// thing is an item of a kind test: its type, name and category.
func thing(typ, name, category string) string {
	return fmt.Sprintf(`{"@type":%q,"name":%q,"category":%q}`, typ, name, category)
}

// nameAt is the name of the item at an address.
func nameAt(url string) string {
	return strings.ReplaceAll(strings.TrimPrefix(url, "https://site.example/"), "-", " ")
}

// whichAre gives the names of the items that are what words name, in order.
func whichAre(v *View, words string) []string {
	var names []string
	kind := v.Kind(words)
	if kind == nil {
		return nil
	}
	for _, ref := range kind.All() {
		names = append(names, nameAt(ref.(*Doc).URL))
	}
	slices.Sort(names)
	return names
}

func TestKindIsWhatTheHeadSays(t *testing.T) {
	t.Parallel()
	for language, site := range map[string]struct {
		items []string
		kinds map[string]string // words to the names that are of the kind
	}{
		"en": {
			items: []string{
				thing("Product", "Descaler for Kettles", "Care"),
				thing("Product", "Kettle 1.7 litre", "Kettles"),
				thing("Product", "Hob Kettle Sage Green", "Kettles"),
				thing("Product", "Stoneware Teapot Slate Blue 0.9 litre", "Teaware > Teapots"),
				thing("Product", "Stoneware Mug Slate Blue", "Cups and mugs"),
				thing("Product", "Glass Cups, pair", "Cups and mugs"),
				thing("Product", "Sencha Bags", "Tea > Green tea"),
				thing("Product", "Assam Loose Leaf", "Tea > Black tea"),
				thing("Product", "Ceremonial Matcha Uji tin", "Tea > Matcha"),
				thing("Product", "Matcha Bowl Moss", "Tools"),
				thing("Product", "Drill Machine Torro", "Power"),
				thing("Product", "Sanding Machine Vento", "Power"),
				thing("Article", "Choosing a kettle", ""),
				thing("Product", "Corrie 2 Tent", "Tents"), thing("Product", "Pop-Up 2", "Tents"),
				thing("Service", "Wetsuit mending", ""), thing("Product", "Glove liners", ""),
				thing("Product", "Winter Glove", ""), thing("Product", "Summer Glove", ""),
				thing("Product", "Otter 1 Wetsuit", ""), thing("Product", "Otter 3 Wetsuit", ""),
				thing("Product", "Otter 3 Hood", ""), thing("Product", "Jigsaw Harbour 500 pieces", ""),
				thing("Product", "Jigsaw Forest 1000 pieces", ""), thing("MusicEvent", "Jazz on the Bridge", ""),
			},
			kinds: map[string]string{
				"kettle": "Hob Kettle Sage Green|Kettle 1.7 litre", "kettles": "Hob Kettle Sage Green|Kettle 1.7 litre",
				"descaler": "Descaler for Kettles", "teapot": "Stoneware Teapot Slate Blue 0.9 litre",
				"mugs": "Stoneware Mug Slate Blue", "cup": "Glass Cups, pair", "green tea": "Sencha Bags",
				"tea":    "Assam Loose Leaf|Ceremonial Matcha Uji tin|Sencha Bags",
				"matcha": "Ceremonial Matcha Uji tin",
				"tent":   "Corrie 2 Tent|Pop Up 2", "wetsuits": "Otter 1 Wetsuit|Otter 3 Wetsuit", "pieces": "",
				"gloves": "Summer Glove|Winter Glove", "jigsaw": "Jigsaw Forest 1000 pieces|Jigsaw Harbour 500 pieces",
				"machine": "Drill Machine Torro|Sanding Machine Vento", "sanding machines": "Sanding Machine Vento",
				"events": "Jazz on the Bridge", "music event": "Jazz on the Bridge", "article": "Choosing a kettle",
				"bridge": "", "lawnmower": "",
			},
		},
		"it": {
			items: []string{
				thing("Product", "Casco da bici Tornante", "Ciclismo"),
				thing("Product", "Zaino Sentiero 18 litri", "Zaini e accessori"),
				thing("Product", "Racchetta da tennis Primo", "Tennis"),
				thing("Product", "Borsone per racchette", "Tennis"),
				thing("Product", "Guanti da sci", "Zaini e accessori"),
			},
			kinds: map[string]string{
				"caschi": "Casco da bici Tornante", "zaino": "Zaino Sentiero 18 litri",
				"racchette": "Racchetta da tennis Primo", "casco da bici": "Casco da bici Tornante",
			},
		},
		"fr": {
			items: []string{
				thing("Product", "Crêpe ivoire", "Tissus au mètre"),
				thing("Product", "Drap moutarde", "Tissus au mètre"), thing("Product", "Aiguilles", "Mercerie"),
			},
			kinds: map[string]string{"tissu": "Crêpe ivoire|Drap moutarde"},
		},
		"de": {
			items: []string{
				thing("Product", "Regenjacke Wolke rot", "Kleidung"), thing("Product", "Winterjacke Nord", "Kleidung"),
				thing("Product", "Jackenbügel aus Holz", "Zubehör"),
				thing("Product", "Entkalker für Wasserkocher", "Pflege"),
				thing("Product", "Paddel Carbon 215 cm", "Ausrüstung > Kajak"),
				thing("Product", "Paddel Glas 220 cm", "Ausrüstung > Kajak"),
				thing("Product", "Packsack 10 l", "Ausrüstung > Kajak"),
				thing("Product", "Trockenanzug Tordalk", "Ausrüstung > Kajak"),
				thing("Product", "Fjell 2 Kuppelzelt", "Zelte"), thing("Product", "Fjell 4 Kuppelzelt", "Zelte"),
				thing("Product", "Puzzle Alm 500 Teile", "Spiele"), thing("Product", "Puzzle See 1000 Teile", "Spiele"),
			},
			kinds: map[string]string{
				"Paddel": "Paddel Carbon 215 cm|Paddel Glas 220 cm",
				"Jacken": "Regenjacke Wolke rot|Winterjacke Nord", "Regenjacke": "Regenjacke Wolke rot",
				"Entkalker": "Entkalker für Wasserkocher", "Zelte": "Fjell 2 Kuppelzelt|Fjell 4 Kuppelzelt",
				"Puzzles": "Puzzle Alm 500 Teile|Puzzle See 1000 Teile",
			},
		},
		"ja": {
			items: []string{
				thing("Product", "電気ケトル 1.7L", ""), thing("Product", "抹茶 30g", "お茶"),
				thing("Product", "ミニブーケ", "花束・リース"), thing("Product", "ひまわりの花束", "花束・リース"),
				thing("Product", "ドライのリース", "花束・リース"), thing("Product", "パキラ 5号", "鉢植え・観葉植物"),
			},
			kinds: map[string]string{
				"ケトル": "電気ケトル 1.7L", "抹茶": "抹茶 30g", "花束": "ひまわりの花束|ミニブーケ",
				"リース": "ドライのリース", "鉢植え": "パキラ 5号",
			},
		},
	} {
		v := stockedIn(t, language, site.items...)
		for words, want := range site.kinds {
			if got := strings.Join(whichAre(v, words), "|"); got != want {
				t.Errorf("%s: %s are %q, want %q", language, words, got, want)
			}
		}
	}
}
