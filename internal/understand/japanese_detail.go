package understand

import (
	"strings"

	"frontdesk/internal/facet"
)

// jaDetails are what Japanese questions for a detail of one item say behind its name and a particle. Where one is within
// another, the longer stands first.
var jaDetails = []struct {
	word string
	slot facet.Slot
}{
	{"何カロリー", facet.Calories}, {"カロリー", facet.Calories}, {"いくら", facet.Price}, {"値段", facet.Price}, {"価格", facet.Price}, {"料金", facet.Price},
	{"材料", facet.Ingredient}, {"原材料", facet.Ingredient}, {"何が入っています", facet.Ingredient}, {"何人分", facet.Yield}, {"何人前", facet.Yield},
	{"いつまで", facet.End}, {"いつ終わります", facet.End}, {"いつから", facet.Start}, {"いつ", facet.Start}, {"何時から", facet.Start}, {"何時", facet.Start}, {"日時", facet.Start},
	{"開催日", facet.Start}, {"どこで", facet.Location}, {"どこ", facet.Location}, {"場所", facet.Location}, {"会場", facet.Location},
	{"誰が書きました", facet.Author}, {"著者", facet.Author}, {"作者", facet.Author}, {"誰の作品", facet.Author}, {"評価", facet.Rating}, {"評判", facet.Rating},
	{"どのくらい時間がかかります", facet.TotalTime}, {"何分かかります", facet.TotalTime}, {"調理時間", facet.CookTime}, {"所要時間", facet.TotalTime},
	{"重さ", facet.Slot("weight")}, {"何色", facet.Color}, {"色", facet.Color}, {"ブランド", facet.Brand}, {"素材", facet.Material}, {"ページ数", facet.Slot("numberOfPages")},
	{"たんぱく質", facet.Protein}, {"脂質", facet.Fat}, {"給料", salary}, {"給与", salary}, {"主催者", facet.Slot("organizer")},
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
				return r.tell(name, facet.Diet, d.diet)
			}
		}
	}
	if before, ok := strings.CutSuffix(text, "無料"); ok {
		if name, ok := particled(before); ok {
			return r.tell(name, facet.Price, "free")
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
