package conformance

import (
	"strconv"
	"strings"
)

// top is how many items of an answer must meet what the question asks for.
const top = 5

// constraintRows are about what items must be: by an attribute, or by the words of the question.
var constraintRows = []row{
	{32, "a price as an attribute in words", func(p *probe) {
		p.priced(p.ask(query("kitchen", "price", "less than $20", "limit", 40)), 20)
	}},
	{33, "a price as a structured attribute", func(p *probe) {
		p.priced(p.ask(query("kitchen", "price", object{"max": 20}, "limit", 40)), 20)
	}},
	{34, "a price in the words of the question", func(p *probe) {
		p.priced(p.ask(query("kitchen knife under $20", "itemType", "Product")), 20)
	}},
	{35, "a time in the words of the question", func(p *probe) {
		items := p.answer(p.ask(query("supper recipes under 20 minutes")))
		for _, item := range items[:min(top, len(items))] {
			minutes, err := strconv.Atoi(strings.Trim(str(item["cookTime"]), "PTM"))
			p.expect(err == nil && minutes <= 20, "%v takes %v, asked for under 20 minutes", item["url"],
				item["cookTime"])
		}
	}},
	{36, "an ingredient that is not wanted", func(p *probe) {
		for _, question := range []string{"soup without lentil", "soup, no lentil please", "lentil-free soup recipes"} {
			items := p.answer(p.ask(query(question, "itemType", "Recipe")))
			for _, item := range items[:min(top, len(items))] {
				p.expect(!strings.Contains(text(item["recipeIngredient"]), "lentil"), "%q: %v has the ingredients %v",
					question, item["url"], item["recipeIngredient"])
			}
		}
	}},
}

// priced expects of an answer that what has a price costs less than a limit, and that nothing
// without one stands before it.
func (p *probe) priced(r reply, limit float64) {
	unpriced := false
	for _, item := range p.answer(r) {
		offer, ok := item["offers"].(object)
		if !ok {
			unpriced = true
			continue
		}
		price, err := strconv.ParseFloat(str(offer["price"]), 64)
		p.expect(err == nil && price < limit+1e-9, "%v costs %v, asked for less than %v", item["url"],
			offer["price"], limit)
		p.expect(!unpriced, "%v, which meets the price, stands behind an item without one", item["url"])
	}
}
