package facets_test

import (
	"testing"

	"frontdesk/internal/content/facets"
)

func BenchmarkRead(b *testing.B) {
	for name, object := range map[string]string{"product": product, "recipe": recipe} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				facets.Read([]byte(object))
			}
		})
	}
}

const product = `{"@context":"https://schema.org","@type":"Product","url":"https://shop.example/p/1","sku":"B00322FNPK",
"name":"Multivitamin for Women 50 & Over, 240 Capsules with Vitamins A, B, C and Probiotics","description":"Made from nutritious whole foods, formulated to meet the needs of women over 50, providing the nourishment the body craves",
"brand":{"@type":"Brand","name":"Garden of Life"},"color":"Stone Grey","category":"Health & Household > Vitamins & Supplements > Multivitamins","image":"https://shop.example/i/1.jpg",
"aggregateRating":{"@type":"AggregateRating","ratingValue":4.5,"ratingCount":764},"offers":{"@type":"Offer","price":"23.95","priceCurrency":"USD","availability":"https://schema.org/InStock"}}`

const recipe = `{"@type":"Recipe","name":"Pea and Mint Soup","author":{"@type":"Person","name":"Wren Okafor"},"datePublished":"2026-03-15","inLanguage":"en","recipeCategory":"Soup","recipeCuisine":"Everyday",
"keywords":"soup, peas, mint, quick, spring, lunch, budget","prepTime":"PT5M","cookTime":"PT12M","totalTime":"PT17M","recipeYield":"4 servings","suitableForDiet":["https://schema.org/VeganDiet","https://schema.org/GlutenFreeDiet"],
"nutrition":{"@type":"NutritionInformation","calories":"188 calories","proteinContent":"10 g","carbohydrateContent":"24 g","fatContent":"5 g"},"aggregateRating":{"@type":"AggregateRating","ratingValue":4.5,"ratingCount":265,"bestRating":5},
"recipeIngredient":["700 g frozen peas","1 onion","1 medium potato","900 ml vegetable stock","1 large bunch mint","1 lemon","2 tbsp olive oil"],
"recipeInstructions":[{"@type":"HowToStep","text":"Soften the chopped onion in the oil."},{"@type":"HowToStep","text":"Blend."}]}`
