package i18n

import (
	"sync"

	tables "frontdesk/internal/infra/language"
)

// What is said when a question is asked back.
var (
	// Choose begins an elicitation after a search; its place is how many items fit. ChooseOne is
	// for one.
	Choose = in("elicit_choose")

	ChooseOne = in("elicit_choose_one")

	AskDiet     = in("ask_diet")
	AskTime     = in("ask_time")
	AskPrice    = in("ask_price")
	AskCategory = in("ask_category")
	AskCuisine  = in("ask_cuisine")
	AskBrand    = in("ask_brand")
	AskColor    = in("ask_color")
	AskMaterial = in("ask_material")
	AskSize     = in("ask_size")
	AskAudience = in("ask_audience")
	AskPlace    = in("ask_place")
	AskAuthor   = in("ask_author")
	AskType     = in("ask_type")

	// Ranges of a figure; the places are figures with their units.
	UpTo    = in("range_up_to")
	Between = in("range_between")
	From    = in("range_from")
	Minutes = in("figure_minutes")

	Yes = in("yes")
	No  = in("no")
)

// Diets are diets by the words under which items are found.
var Diets = Names{
	"vegan":         in("diet_vegan"),
	"vegetarian":    in("diet_vegetarian"),
	"glutenfree":    in("diet_glutenfree"),
	"lowlactose":    in("diet_lowlactose"),
	"dairyfree":     in("diet_dairyfree"),
	"nutsfree":      in("diet_nutfree"),
	"eggsfree":      in("diet_eggfree"),
	"soyfree":       in("diet_soyfree"),
	"sesamefree":    in("diet_sesamefree"),
	"sugarfree":     in("diet_sugarfree"),
	"peanutsfree":   in("diet_peanutsfree"),
	"alcoholfree":   in("diet_alcoholfree"),
	"fishfree":      in("diet_fishfree"),
	"shellfishfree": in("diet_shellfishfree"),
	"porkfree":      in("diet_porkfree"),
	"meatfree":      in("diet_meatfree"),
	"pescatarian":   in("diet_pescatarian"),
	"lowcarb":       in("diet_lowcarb"),
	"highprotein":   in("diet_highprotein"),
	"keto":          in("diet_keto"),
	"paleo":         in("diet_paleo"),
	"lowcalorie":    in("diet_lowcalorie"),
	"lowfat":        in("diet_lowfat"),
	"lowsalt":       in("diet_lowsalt"),
	"diabetic":      in("diet_diabetic"),
	"halal":         in("diet_halal"),
	"kosher":        in("diet_kosher"),
	"hindu":         in("diet_hindu"),
}

// IsNoPreference says whether an answer means that anything will do, in any language.
func IsNoPreference(said string) bool { return noPreference()[fold(said)] }

var noPreference = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{"": true, "-": true, "null": true}
	for tongue := range Languages {
		words[fold(Speaker{tongue}.Say(NoPreference))] = true
	}
	for list := range tables.Each("any") {
		for _, said := range list.Phrases {
			words[fold(said)] = true
		}
	}
	return words
})
