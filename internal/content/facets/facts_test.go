package facets_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/content/facets"
)

// says writes the facts of one slot: "3..40 USD" and words, joined by "; ".
func says(f facets.Facts, slot facets.Slot) string {
	var parts []string
	for _, figure := range f.Figures {
		if figure.Slot != slot {
			continue
		}
		text := fmt.Sprintf("%.9g", figure.Low)
		if figure.Kind == facets.Times {
			text = f.Time(slot).Format("2006-01-02T15:04")
		} else if figure.High != figure.Low {
			text += fmt.Sprintf("..%.9g", figure.High)
		}
		parts = append(parts, strings.TrimSpace(text+" "+figure.Unit))
	}
	return strings.Join(append(parts, f.Values(slot)...), "; ")
}

func TestFactsAreReadInTheFormsOfTheWild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		object string
		slot   facets.Slot
		want   string
	}{
		{`{"offers":{"price":"19.90","priceCurrency":"EUR"}}`, facets.Price, "19.9 EUR"},
		{`{"offers":{"price":"€ 1.299,00"}}`, facets.Price, "1299 EUR"},
		{`{"offers":[{"lowPrice":3,"priceCurrency":"USD"},{"price":1,"priceCurrency":"usd"}]}`, facets.Price, "3 USD; 1 USD"},
		{`{"offers":{"@type":"AggregateOffer","lowPrice":"3","highPrice":"40.50","priceCurrency":"USD","offers":[{"price":99}]}}`, facets.Price, "3..40.5 USD"},
		{`{"offers":{"priceSpecification":[{"price":12,"priceCurrency":"GBP"}]}}`, facets.Price, "12 GBP"},
		{`{"offers":{"@type":"AggregateOffer","priceCurrency":"CHF","offers":[{"price":"7"},{"price":"9"}]}}`, facets.Price, "7 CHF; 9 CHF"},
		{`{"offers":"free"}`, facets.Price, "0"},
		{`{"isAccessibleForFree":true,"startDate":"2027-01-01"}`, facets.Price, "0"},
		{`{"isAccessibleForFree":true}`, facets.Price, ""}, // an article: nobody asks what it costs
		{`{"offers":{"price":-3}}`, facets.Price, ""},
		{`{"offers":{"price":"on request"}}`, facets.Price, ""},
		{`{"offers":{"price":"$10 - $20"}}`, facets.Price, "10..20 USD"},
		{`{"offers":{"availability":"https://schema.org/InStock","price":1}}`, facets.Availability, "InStock"},
		{`{"baseSalary":{"@type":"MonetaryAmount","currency":"EUR","value":{"minValue":40000,"maxValue":"50000"}}}`, "baseSalary", "40000..50000 EUR"},
		{`{"aggregateRating":{"ratingValue":"4.5","reviewCount":"12"}}`, facets.Rating, "4.5"},
		{`{"aggregateRating":{"ratingValue":"4.5","reviewCount":"12"}}`, facets.Ratings, "12"},
		{`{"aggregateRating":{"ratingValue":9,"bestRating":10}}`, facets.Rating, "4.5"},
		{`{"aggregateRating":{"ratingValue":"4,5"}}`, facets.Rating, "4.5"},
		{`{"aggregateRating":{"ratingValue":90}}`, facets.Rating, "4.5"},
		{`{"aggregateRating":{"ratingValue":7,"bestRating":5}}`, facets.Rating, ""},
		{`{"prepTime":"PT10M","cookTime":"PT1H"}`, facets.TotalTime, "70"},
		{`{"totalTime":"1 hour 20 minutes"}`, facets.TotalTime, "80"},
		{`{"totalTime":30}`, facets.TotalTime, ""},
		{`{"timeRequired":"PT5H30M"}`, facets.TotalTime, "330"},
		{`{"duration":"PT90M","totalTime":"PT2H"}`, facets.TotalTime, "120"},
		{`{"startDate":"2026-12-05T19:30:00+01:00"}`, facets.Start, "2026-12-05T19:30"},
		{`{"startDate":"soon"}`, facets.Start, ""},
		{`{"uploadDate":"2026-05-04"}`, facets.Published, "2026-05-04T00:00"},
		{`{"datePublished":"1999"}`, facets.Published, "1999-01-01T00:00"},
		{`{"copyrightYear":1999}`, "copyrightYear", "1999"},
		{`{"nutrition":{"calories":"188 calories","proteinContent":"10 g","sodiumContent":"0.5 g","fatContent":12}}`, facets.Sodium, "500"},
		{`{"nutrition":{"calories":"about 1000 kJ"}}`, facets.Calories, "239.005736"},
		{`{"recipeYield":["4","4 servings"]}`, facets.Yield, "4; 4"},
		{`{"recipeYield":"Serves 4-6"}`, facets.Yield, "4..6"},
		{`{"recipeYield":"24 cookies"}`, facets.Yield, ""},
		{
			`{"suitableForDiet":["https://schema.org/VeganDiet","http://schema.org/GlutenFreeDiet"]}`, facets.Diet,
			"vegan; glutenfree; vegetarian; meatfree; fishfree; shellfishfree; porkfree; " +
				"dairyfree; lowlactose; eggsfree",
		},
		{`{"keywords":"soup, gluten-free, quick"}`, facets.Diet, "glutenfree"},
		{`{"name":"Vegane Linsensuppe","recipeIngredient":["200 g Linsen"]}`, facets.Contains, ""},
		{`{"recipeIngredient":["200 g dark chocolate","3 tbsp peanut butter","400 ml coconut milk"]}`, facets.Contains, "peanuts"},
		{`{"recipeIngredient":["½ butternut squash","1 eggplant","nutmeg","1 tsp cream of tartar","2 tins butter beans"]}`, facets.Contains, ""},
		{`{"recipeIngredient":["150 g smoked bacon, diced"]}`, facets.Ingredient, "smoked bacon"},
		{`{"recipeIngredient":["卵 2個","牛乳 200ml"]}`, facets.Contains, "eggs; dairy"},
		{`{"additionalProperty":{"name":"Allergens","value":"nuts, milk"}}`, facets.Contains, "nuts; dairy"},
		{`{"allergens":"none"}`, facets.Allergens, ""},
		{`{"brand":{"@type":"Brand","name":"Nord"}}`, facets.Brand, "Nord"},
		{`{"manufacturer":"Süd"}`, facets.Brand, "Süd"},
		{`{"category":"Home > Lamps"}`, facets.Category, "Home; Lamps"},
		{`{"recipeCategory":["Soup","Starter"]}`, facets.Category, "Soup; Starter"},
		{`{"author":[{"name":"Ann"},"Bob"]}`, facets.Author, "Ann; Bob"},
		{`{"location":{"name":"Mission Hall","address":{"addressLocality":"Berlin","addressCountry":{"name":"DE"}}}}`, facets.Location, "Mission Hall; Berlin; DE"},
		{`{"address":"1 High Street, York"}`, facets.Location, "1 High Street; York"},
		{`{"inLanguage":{"name":"German","alternateName":"de_AT"}}`, facets.Language, "de-at"},
		{`{"audience":{"suggestedGender":"female"}}`, facets.Audience, "female"},
		{`{"weight":{"@type":"QuantitativeValue","value":"1.5","unitCode":"KGM"}}`, "weight", "1500 g"},
		{`{"weight":"5 lb"}`, "weight", "2267.96185 g; 5 lb"},
		{`{"additionalProperty":[{"name":"Battery life","value":10,"unitText":"hours"}]}`, "batteryLife", "600 min"},
		{`{"numberOfPages":312}`, "numberOfPages", "312"},
		{`{"eventStatus":"https://schema.org/EventScheduled"}`, "eventStatus", "EventScheduled"},
		{`{"hasCourseInstance":{"courseMode":"online","startDate":"2027-01-10"}}`, facets.Start, "2027-01-10T00:00"},
		{`{"hasCourseInstance":{"instructor":{"name":"Marta Ruiz"}}}`, "instructor", "Marta Ruiz"},
		{`{"@type":"Course","about":"Pottery"}`, facets.Category, "Pottery"},
		{`{"@type":"Article","about":"Pottery"}`, facets.Category, ""},
		{`{"additionalProperty":[{"name":"Hardiness","value":"down to -18 °C"}]}`, "hardiness", "-18 °C; down to -18 °C"},
		{`{"additionalProperty":[{"name":"Comfort temperature","value":"minus 4 °C"}]}`, "comfortTemperature", "-4 °C; minus 4 °C"},
		{`{"url":"https://x.example/","description":"five"}`, "url", ""},
		{`{"color":"Red","color":"Blue"}`, facets.Color, "Red; Blue"},
		{`{"color":"Red","offers":{"price":`, facets.Color, "Red"},
		{`not json`, facets.Price, ""},
	} {
		if got := says(facets.Read([]byte(c.object)), c.slot); got != c.want {
			t.Errorf("%s of %s is %q, want %q", c.slot, c.object, got, c.want)
		}
	}
}

func TestDietsAndClassesAreKnownInOurLanguages(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"vegan": "vegan", "GlutenFreeDiet": "glutenfree", "gluten free": "glutenfree", "glutenfrei": "glutenfree",
		"sans gluten": "glutenfree", "sin gluten": "glutenfree", "sem gluten": "glutenfree",
		"グルテンフリー": "glutenfree", "nut free": "nutsfree", "nutfree": "nutsfree", "Plant-Based": "vegan",
		"halal": "halal", "Low lactose": "lowlactose",
	} {
		if got, ok := facets.DietOf(said); !ok || got != want {
			t.Errorf("%q is the diet %q, want %q", said, got, want)
		}
	}
	if got, ok := facets.DietOf("mediterranean"); ok {
		t.Errorf("mediterranean is the diet %q", got)
	}
	if _, ok := facets.WithoutOf("glutenfree"); ok {
		t.Error("that nothing with gluten is named is taken to mean that there is none")
	}
}

func TestWhatLastsIsOnAllTheWhile(t *testing.T) {
	t.Parallel()
	for object, days := range map[string]float64{
		`{"startDate":"2026-10-01","endDate":"2027-01-31"}`: 123,
		`{"startDate":"2026-10-01","endDate":"2026-09-01"}`: 1,
		`{"startDate":"2026-10-01","endDate":"2036-09-01"}`: 1,
		`{"startDate":"2026-10-01"}`:                        1,
	} {
		f, ok := facets.Read([]byte(object)).Figure(facets.Start)
		if !ok || (f.High-f.Low)/86400 != days {
			t.Errorf("%s is on for %v days, want %v", object, (f.High-f.Low)/86400, days)
		}
	}
}

func TestTheGreatestFigureOfAUnitIsKept(t *testing.T) {
	t.Parallel()
	for stated, want := range map[string]facets.Figure{
		"110 x 75 cm":      {Slot: facets.Measured("cm"), Low: 110},
		"0,6 × 1,2 m":      {Slot: facets.Measured("cm"), Low: 120},
		"30 cm × 20 cm":    {Slot: facets.Measured("cm"), Low: 30},
		"95 °C":            {Slot: facets.Measured("°C"), Low: 95},
		"32 Grad":          {Slot: facets.Measured("°C"), Low: 32},
		"16 GB":            {Slot: facets.Measured("GB"), Low: 16},
		"5 x 4 components": {Slot: facets.Measured("cm")},
	} {
		f := facets.Describe([]byte(`{"@type":"Product","name":"Thing","additionalProperty":{"name":"Data","value":"`+stated+`"}}`),
			"de")
		if got, _ := f.Figure(want.Slot); got.Low != want.Low {
			t.Errorf("%q measures %v, want %v", stated, got, want)
		}
	}
}
