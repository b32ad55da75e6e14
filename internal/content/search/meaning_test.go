package search

import (
	"slices"
	"testing"
)

func TestWordsFindWhatStandsForTheirMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language string
		titles   []string
		question string
		finds    []string // in order
	}{
		{"en", []string{"Gift card", "Card reader", "Gift box"}, "voucher", []string{"Gift card"}},
		{"en", []string{"Voucher", "Playing cards"}, "gift card", []string{"Voucher", "Playing cards"}},
		{"en", []string{"Stoneware mug", "Cast iron teapot", "Tea strainer"}, "crockery",
			[]string{"Stoneware mug", "Cast iron teapot"}},
		{"en", []string{"Penne rigate", "Olive oil"}, "pasta", []string{"Penne rigate"}},
		{"en", []string{"Fresh pasta", "Olive oil"}, "penne", nil}, // not from a thing to its kind
		{"en", []string{"Penne rigate", "Fresh pasta"}, "pasta", []string{"Fresh pasta", "Penne rigate"}},
		{"en", []string{"Glass teapot", "Glass vase", "Steel kettle"}, "Teekanne aus Glas",
			[]string{"Glass teapot", "Glass vase"}},
		{"it", []string{"Scarponi da trekking donna", "Giacca da sci"}, "hiking boots",
			[]string{"Scarponi da trekking donna"}},
		{"de", []string{"Damenwanderschuhe", "Hausschuhe"}, "chaussures de randonnée", []string{"Damenwanderschuhe"}},
		{"ja", []string{"ガラスのティーポット", "南部鉄器のやかん"}, "teapot", []string{"ガラスのティーポット"}},
		{"en", []string{"Glass teapot", "Glass vase"}, "ガラスのティーポット", []string{"Glass teapot"}},
		{"en", []string{"Rain jacket", "Umbrella"}, "Regenjacke", []string{"Rain jacket"}},
	} {
		var docs []Document
		for _, title := range c.titles {
			docs = append(docs,
				Document{Ref: title, Key: title, Language: c.language, Title: title, Passages: []string{title}})
		}
		s := newSite(docs)
		got := refs(Result{Hits: s.answers(Query{Text: c.question})})
		if !slices.Equal(got, c.finds) && !(len(c.finds) == 0 && len(got) == 0) {
			t.Errorf("%q finds %q, not %q", c.question, got, c.finds)
		}
		if c.finds != nil && !slices.Contains(got, c.question) {
			if got := refs(Result{Hits: s.answers(Query{Text: c.question, Literal: true})}); slices.Equal(got,
				c.finds) {
				t.Errorf("%q, taken literally, finds %q", c.question, got)
			}
		}
	}
}
