package understand

import (
	"strings"

	"frontdesk/internal/facet"
)

// fields are the folded words of a list.
func fields(words string) []string {
	list := strings.Fields(words)
	for i, word := range list {
		list[i] = facet.Fold(word)
	}
	return list
}

// classes are kinds of food that some people must not eat, with the words for them; an underscore stands for a blank.
// Who does not want one wants none of what it comes in: the diet, not the word.
var classes = func() map[string]string {
	list := map[string]string{}
	for diet, words := range map[string]string{
		"glutenfree":    "gluten glúten",
		"dairyfree":     "dairy dairies dairy_products milk_products lactose milchprodukte laktose produits_laitiers lácteos laticínios lactosa",
		"nutfree":       "nut nuts tree_nuts tree_nut nüsse nuss noix fruits_à_coque frutos_secos nueces nozes nüssen",
		"peanutfree":    "peanut peanuts erdnuss erdnüsse cacahuètes cacahuetes amendoim arachides",
		"eggfree":       "egg eggs ei eier oeuf oeufs huevo huevos ovo ovos",
		"soyfree":       "soy soya soja soybeans",
		"fishfree":      "fish fisch poisson pescado peixe",
		"shellfishfree": "shellfish seafood crustaceans schalentiere fruits_de_mer crustacés mariscos crustáceos marisco meeresfrüchte",
		"sesamefree":    "sesame sesam sésame sésamo gergelim",
		"vegetarian":    "meat meats fleisch viande viandes carne carnes",
	} {
		for _, word := range fields(words) {
			list[word] = diet
		}
	}
	return list
}()

// classOf gives the diet of those who do not eat what a folded phrase names; empty when it is no such class.
func classOf(phrase string) string { return classes[phrase] }
