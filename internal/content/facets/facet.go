// Package facets knows what can be said of an item in figures and words: what it costs, how long it
// takes, when it begins, what it is made of. It reads such facts from schema.org objects, and the
// same values from the words of questions and attributes, so that both are understood alike.
//
// What is wanted of items is said in its words too: Constraint and Sort, and the Lexicon that the
// catalog teaches. It is a leaf: ask/query reads questions into them, content/index keeps the facts
// of items in columns. It has no I/O and no clock.
package facets

// Slot names one thing that can be said of an item. It is the schema.org property where there is
// one, and the name under which an attribute of a question filters.
type Slot string

// The slots that questions speak of in their own words. Any other property that items have is a
// slot by its own name.
const (
	Price     Slot = "price"         // in a currency
	Rating    Slot = "ratingValue"   // 0 to 5, whatever scale the item used
	Ratings   Slot = "ratingCount"   // how many rated
	TotalTime Slot = "totalTime"     // minutes
	PrepTime  Slot = "prepTime"      // minutes
	CookTime  Slot = "cookTime"      // minutes
	Duration  Slot = "duration"      // minutes, of an event, a course, a film
	Published Slot = "datePublished" // days
	Modified  Slot = "dateModified"  // days
	Start     Slot = "startDate"     // days
	End       Slot = "endDate"       // days
	Location  Slot = "location"      // place names
	Latitude  Slot = "latitude"      // degrees
	Longitude Slot = "longitude"     // degrees
	Brand     Slot = "brand"
	Color     Slot = "color"
	Category  Slot = "category"
	Author    Slot = "author"
	Material  Slot = "material"
	Size      Slot = "size"
	Audience  Slot = "audience"
	Cuisine   Slot = "recipeCuisine"
	// schema.org's names without "Diet", in lower case: "vegan", "glutenfree"; and "nutfree" and
	// the like
	Diet         Slot = "suitableForDiet"
	Ingredient   Slot = "recipeIngredient" // words
	Yield        Slot = "recipeYield"      // servings
	Calories     Slot = "calories"         // kcal a serving
	Protein      Slot = "proteinContent"   // grams a serving, like those that follow
	Fat          Slot = "fatContent"
	Carbohydrate Slot = "carbohydrateContent"
	Sugar        Slot = "sugarContent"
	Fiber        Slot = "fiberContent"
	Sodium       Slot = "sodiumContent" // milligrams a serving
	Language     Slot = "inLanguage"
	Availability Slot = "availability"
	// any word in title, keys or text: what "without leather" is about when no other slot fits
	Mention Slot = "mention"
)

// Kind is what the values of a slot are.
type Kind uint8

// The kinds.
const (
	Words   Kind = iota // words, compared folded
	Figures             // numbers in one unit
	Times               // moments or spans of time
)

// String names the kind.
func (k Kind) String() string { return [...]string{"words", "figures", "times"}[k] }
