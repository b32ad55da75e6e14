package query

import (
	"strings"

	"frontdesk/internal/content/facets"
)

// jaDetails are what Japanese questions for a detail of one item say behind its name and a particle. Where one is within
// another, the longer stands first.
var jaDetails = []struct {
	word string
	slot facets.Slot
}{
	{"何カロリー", facets.Calories}, {"カロリー", facets.Calories}, {"いくら", facets.Price}, {"値段", facets.Price}, {"価格", facets.Price}, {"料金", facets.Price},
	{"材料", facets.Ingredient}, {"原材料", facets.Ingredient}, {"何が入っています", facets.Ingredient}, {"何人分", facets.Yield}, {"何人前", facets.Yield},
	{"いつまで", facets.End}, {"いつ終わります", facets.End}, {"いつから", facets.Start}, {"いつ", facets.Start}, {"何時から", facets.Start}, {"何時", facets.Start}, {"日時", facets.Start},
	{"開催日", facets.Start}, {"どこで", facets.Location}, {"どこ", facets.Location}, {"場所", facets.Location}, {"会場", facets.Location},
	{"誰が書きました", facets.Author}, {"著者", facets.Author}, {"作者", facets.Author}, {"誰の作品", facets.Author}, {"評価", facets.Rating}, {"評判", facets.Rating},
	{"どのくらい時間がかかります", facets.TotalTime}, {"何分かかります", facets.TotalTime}, {"調理時間", facets.CookTime}, {"所要時間", facets.TotalTime},
	{"重さ", facets.Slot("weight")}, {"何色", facets.Color}, {"色", facets.Color}, {"ブランド", facets.Brand}, {"素材", facets.Material}, {"ページ数", facets.Slot("numberOfPages")},
	{"たんぱく質", facets.Protein}, {"脂質", facets.Fat}, {"給料", salary}, {"給与", salary}, {"主催者", facets.Slot("organizer")},
}

// jaEnds may follow what is asked.
var jaEnds = strings.NewReplacer("を教えてください", "", "を教えて", "", "は何ですか", "", "は誰ですか", "", "ですか", "", "ますか", "ます", "でしょうか", "", "か？", "", "？", "", "?", "", "。", "", "は ", "", " ", " ")

// readJapaneseDetail reads a question for a detail of one item: "Xの材料は？", "Xはいくらですか", "Xはグルテンフリーですか".
func (r *reader) readJapaneseDetail() bool {
	text := strings.TrimSpace(jaEnds.Replace(r.text))
	text = strings.TrimSuffix(text, "は")
	for _, d := range jaDetails {
		before, ok := strings.CutSuffix(text, d.word)
		if !ok {
			continue
		}
		if name, ok := particled(before); ok {
			return r.tell(name, d.slot, "")
		}
	}
	if !strings.Contains(r.text, "ですか") {
		return false
	}
	for _, d := range jaDiets {
		if before, ok := strings.CutSuffix(text, d.word); ok {
			if name, ok := particled(before); ok {
				return r.tell(name, facets.Diet, d.diet)
			}
		}
	}
	if before, ok := strings.CutSuffix(text, "無料"); ok {
		if name, ok := particled(before); ok {
			return r.tell(name, facets.Price, "free")
		}
	}
	return false
}

// particled is the name before a particle that leads to what is asked of it; what points back to another answer is none.
func particled(before string) (name string, ok bool) {
	for _, particle := range [...]string{"には", "は", "の"} {
		if name, ok = strings.CutSuffix(strings.TrimSpace(before), particle); ok {
			name = strings.TrimSpace(name)
			switch name {
			case "", "これ", "それ", "あれ", "ここ", "最初", "二番目", "一番":
				return "", false
			}
			return name, !strings.ContainsAny(name, "、，,")
		}
	}
	return "", false
}
