package query

import (
	"strings"

	"frontdesk/internal/content/facets"
)

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
			return r.tell(name, facets.Slot(d.argument), "")
		}
	}
	if !strings.Contains(r.text, "ですか") {
		return false
	}
	for _, d := range jaDiets {
		if before, ok := strings.CutSuffix(text, d.word); ok {
			if name, ok := particled(before); ok {
				return r.tell(name, facets.Diet, d.argument)
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
