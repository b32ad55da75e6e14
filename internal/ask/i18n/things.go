package i18n

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	tables "frontdesk/internal/infra/language"
)

// thingOf is before the keys of the words for types of the vocabulary that are met often, as people
// call them: one and several.
const thingOf = "thing."

// thing has the words for a type: one and several, which may be the same.
func (s Speaker) thing(typ string) (one, several string, known bool) {
	said, known := s.table().Texts[thingOf+typ]
	one, several, both := strings.Cut(said, " | ")
	if !both {
		several = one
	}
	return one, several, known
}

// Kind names a type of the vocabulary beside what is of it. In English that is the type's own name;
// so it is for types for which there is no word.
func (s Speaker) Kind(typ string) string {
	if one, _, ok := s.thing(typ); ok && s.tongue > 0 {
		return one
	}
	return typ
}

// Kinds is Kind for several types.
func (s Speaker) Kinds(types []string) []string {
	names := make([]string, len(types))
	for i, typ := range types {
		names[i] = s.Kind(typ)
	}
	return names
}

// TypesCalled gives the types of the vocabulary that people call so, in any language: "dishes" is
// MenuItem.
func TypesCalled(words string) []string { return typesCalled()[facets.Fold(words)] }

var typesCalled = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for tongue := range Languages {
		for key := range tables.Tables()[tongue].Texts {
			typ, is := strings.CutPrefix(key, thingOf)
			one, several, known := Speaker{tongue}.thing(typ)
			if !is || !known {
				continue
			}
			for _, word := range []string{facets.Fold(one), facets.Fold(several)} {
				if !slices.Contains(all[word], typ) {
					all[word] = append(all[word], typ)
				}
			}
		}
	}
	return all
})

// Things are what is of a type, in general: "recipes".
func (s Speaker) Things(typ string) string {
	if _, several, ok := s.thing(typ); ok {
		return several
	}
	if s.tongue > 0 {
		return typ
	}
	return plural(strings.ToLower(tables.SplitWords(typ)))
}

// Several counts what is of a type: "4 recipes".
func (s Speaker) Several(n int, typ string) string {
	if _, _, known := s.thing(typ); typ == "" || s.tongue > 0 && !known {
		if typ != "" {
			return s.Say(so, strconv.Itoa(n), typ)
		}
		typ = "Thing"
	}
	word := s.Things(typ)
	if n == 1 {
		word = strings.ToLower(tables.SplitWords(typ))
		if one, _, ok := s.thing(typ); ok {
			word = one
		}
	}
	return s.Say(so, strconv.Itoa(n), word)
}

// so is a number of things.
var so = in("so_many_things")

// dietTypes are the diets of the vocabulary.
var dietTypes = map[string]Text{
	"VeganDiet": Diets["vegan"], "VegetarianDiet": Diets["vegetarian"], "GlutenFreeDiet": Diets["glutenfree"],
	"LowLactoseDiet": Diets["lowlactose"], "LowCalorieDiet": Diets["lowcalorie"], "LowFatDiet": Diets["lowfat"],
	"LowSaltDiet": Diets["lowsalt"], "DiabeticDiet": Diets["diabetic"], "HalalDiet": Diets["halal"],
	"KosherDiet": Diets["kosher"], "HinduDiet": Diets["hindu"],
}

// types gives the words for all types that have one, for the page, the diets among them.
func (s Speaker) types() map[string]string {
	words := map[string]string{}
	for key := range s.table().Texts {
		if typ, ok := strings.CutPrefix(key, thingOf); ok {
			words[typ], _, _ = s.thing(typ)
		}
	}
	for typ, text := range dietTypes {
		words[typ] = s.Say(text)
	}
	return words
}

// plural is that of an English word.
func plural(word string) string {
	switch {
	case strings.HasSuffix(word, "series"):
		return word
	case len(word) > 1 && strings.HasSuffix(word, "y") && !strings.ContainsAny(word[len(word)-2:len(word)-1], "aeiou"):
		return word[:len(word)-1] + "ies"
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "ch"),
		strings.HasSuffix(word, "sh"):
		return word + "es"
	}
	return word + "s"
}

// Names are words for values of an attribute, by the words under which items are found.
type Names map[string]Text

// In names a value in a language; a value that has no word stays as it is.
func (n Names) In(s Speaker, value string) string {
	if text, ok := n[value]; ok {
		return s.Say(text)
	}
	return value
}

// Stocks are availabilities of the vocabulary: "InStock" is "In stock".
var Stocks = Names{
	"InStock": {page + "in_stock"}, "InStoreOnly": {page + "in_store"}, "OnlineOnly": {page + "online"},
	"LimitedAvailability": {page + "few_left"}, "PreOrder": {page + "in_advance"},
	"PreSale": {page + "presale"}, "BackOrder": {page + "back_order"}, "MadeToOrder": {page + "to_order"},
	"OutOfStock": {page + "sold_out"}, "SoldOut": {page + "sold_out"}, "Discontinued": {page + "discontinued"},
}
