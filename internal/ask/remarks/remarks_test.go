package remarks_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/ask/remarks"
)

func TestWhatIsKnownOfAPersonIsReadAsConditionsAndLikings(t *testing.T) {
	t.Parallel()
	condition := func(text string) remarks.Remark { return remarks.Remark{Text: text} }
	liking := func(text string) remarks.Remark { return remarks.Remark{Text: text, Likes: true} }
	dislike := func(text string) remarks.Remark { return remarks.Remark{Text: text, Dislikes: true} }
	for text, want := range map[string][]remarks.Remark{
		"vegetarian, has a sweet tooth":       {condition("vegetarian"), condition("has a sweet tooth")},
		"I'm allergic to nuts and shellfish.": {condition("without nuts"), condition("without shellfish")},
		"vegetarian, allergic to peanuts":     {condition("vegetarian"), condition("without peanuts")},
		"I'm vegetarian and can't eat eggs":   {condition("vegetarian"), condition("without eggs")},
		"vegan and allergic to nuts":          {condition("vegan"), condition("without nuts")},
		"a vegetarian who loves Thai food":    {condition("vegetarian"), liking("Thai food")},
		"my son is allergic to nuts":          {condition("without nuts")},
		"not vegan and hates olives":          {dislike("without olives")},
		"not vegan but hates olives":          {condition("not vegan"), dislike("without olives")},
		"peanut allergy":                      {condition("without peanut")},
		"I have a dairy intolerance":          {condition("without dairy")},
		"nut-free":                            {condition("nut-free")},
		"loves Thai food but hates cilantro and olives": {
			liking("Thai food"), dislike("without cilantro"), dislike("without olives"),
		},
		"does not eat pork; prefers quick meals": {condition("without pork"), liking("quick meals")},
		"allergisch gegen Nüsse und Soja":        {condition("without Nüsse"), condition("without Soja")},
		"allergique aux noix":                    {condition("without noix")},
		"alérgica a los cacahuetes":              {condition("without cacahuetes")},
		"no como cerdo ni huevos":                {condition("without cerdo"), condition("without huevos")},
		"no tolero la lactosa":                   {condition("without lactosa")},
		"je ne mange pas de porc":                {condition("without porc")},
		"ich esse kein Fleisch":                  {condition("without Fleisch")},
		"sono allergica alle noci e al sesamo":   {condition("without noci"), condition("without sesamo")},
		"non mangio carne ma adoro i dolci":      {condition("without carne"), liking("dolci")},
		"non mi piacciono le olive":              {dislike("without olive")},
		"não como carne":                         {condition("without carne")},
		"":                                       nil,
	} {
		if diff := cmp.Diff(want, remarks.Read(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func FuzzRemarks(f *testing.F) {
	f.Add("allergic to nuts, eggs and , ; loves, hates the")
	f.Fuzz(func(t *testing.T, text string) {
		if got := remarks.Read(text); len(got) > 24 {
			t.Fatalf("%d remarks", len(got))
		}
	})
}
