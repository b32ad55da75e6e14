package query

import (
	"strings"

	"frontdesk/internal/content/facets"
)

// Words of Japanese questions for what is over, on now, for nothing, for little, and for how and where one works. Where one is
// within another, the longer stands first.
var (
	jaGone  = []string{"過去の", "過去に開催された", "終了した", "終わった"}
	jaNow   = []string{"現在開催中", "開催中", "今やっている"}
	jaFree  = []string{"入場無料", "参加無料", "無料"}
	jaCheap = []string{"手頃な価格", "お手頃な", "お手頃", "手頃な", "手ごろな", "格安", "安価な", "安めの", "安くて", "安い", "リーズナブルな", "あまり高くない", "高すぎない"}
	jaWork  = []struct {
		word  string
		slot  facets.Slot
		value string
	}{
		{"リモートワーク", facets.Workplace, facets.Remote}, {"フルリモート", facets.Workplace, facets.Remote}, {"リモート", facets.Workplace, facets.Remote},
		{"在宅勤務", facets.Workplace, facets.Remote}, {"在宅", facets.Workplace, facets.Remote}, {"テレワーク", facets.Workplace, facets.Remote},
		{"フルタイム", facets.Employment, "FULL_TIME"}, {"正社員", facets.Employment, "FULL_TIME"}, {"パートタイム", facets.Employment, "PART_TIME"},
		{"アルバイト", facets.Employment, "PART_TIME"}, {"インターンシップ", facets.Employment, "INTERN"}, {"インターン", facets.Employment, "INTERN"},
		{"業務委託", facets.Employment, "CONTRACTOR"}, {"フリーランス", facets.Employment, "CONTRACTOR"}, {"契約社員", facets.Employment, "TEMPORARY"},
		{"ボランティア", facets.Employment, "VOLUNTEER"},
	}
)

// first is the first of some words that is left.
func (j *japanese) first(words []string) string {
	for _, word := range words {
		if strings.Contains(j.rest, word) {
			return word
		}
	}
	return ""
}

// times reads what is over and what is on.
func (j *japanese) times() {
	if !j.wanted("Event", "Course") || !j.known(facets.Start) {
		return
	}
	today := j.today()
	if word := j.first(jaGone); word != "" {
		j.take(word, facets.Constraint{Slot: facets.End, To: today})
		if j.out.Sort.By == "" {
			j.out.Sort = facets.Sort{By: facets.Start, Descending: true, Said: word}
		}
	} else if word := j.first(jaNow); word != "" {
		j.take(word, facets.Constraint{Slot: facets.Start, From: today, To: today.AddDate(0, 0, 1)})
	}
}

// prices reads what costs nothing, and what costs little.
func (j *japanese) prices() {
	if !j.known(facets.Price) {
		return
	}
	if word := j.first(jaFree); word != "" && !strings.Contains(j.rest, "送料"+word) {
		nothing := 0.0
		j.take(word, facets.Constraint{Slot: facets.Price, Max: &nothing})
		return
	}
	if word := j.first(jaCheap); word != "" && !j.wanted("JobPosting", "Article") && !strings.Contains(j.rest, "安くな") {
		j.take(word, facets.Constraint{Slot: facets.Price, Cheap: true, Soft: true})
	}
}

// work reads how and where one works, where jobs are wanted.
func (j *japanese) work() {
	if !j.wanted("JobPosting") {
		return
	}
	for _, w := range jaWork {
		if strings.Contains(j.rest, w.word) && j.known(w.slot) {
			for _, behind := range []string{"以外の", "以外", "ではない", ""} {
				if strings.Contains(j.rest, w.word+behind) {
					j.take(w.word+behind, facets.Constraint{Slot: w.slot, Values: []string{w.value}, Not: behind != ""})
					break
				}
			}
		}
	}
}
