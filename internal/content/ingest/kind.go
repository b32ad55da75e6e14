package ingest

// kind is the part that a thing plays in a document.
type kind int

const (
	furniture kind = iota // what pages are made of: never an item
	webpage               // the page itself: an item if it has text of its own
	support               // a thing that mostly tells of another: an item where nothing else is one
	subject               // what pages and files are about
)

// furnitureClasses, supportClasses and pageClasses say by class what a thing mostly is; all others are subjects.
var (
	furnitureClasses = []string{
		"WebSite", "WebPageElement", "BreadcrumbList", "Action", "ListItem", "EntryPoint", "StructuredValue", "Rating",
		"SpeakableSpecification", "PropertyValueSpecification", "DataDownload", "Language",
	}
	supportClasses = []string{
		"Organization", "Person", "Place", "Brand", "ImageObject", "Offer", "Demand", "Comment", "HowToStep", "HowToSection",
		"HowToDirection", "HowToTip", "HowToItem", "Role", "DefinedTermSet",
	}
	pageClasses = []string{"WebPage", "Blog"}
)

// kindOf judges by the types: the weightiest counts.
func kindOf(types []string) kind {
	if len(types) == 0 {
		return subject
	}
	weightiest := furniture
	for _, t := range types {
		weightiest = max(weightiest, kindOfType(t))
	}
	return weightiest
}

func kindOfType(t string) kind {
	switch t {
	case "Product", "Recipe", "Article", "NewsArticle", "BlogPosting", "Event", "ScholarlyArticle", "Book", "Movie", "JobPosting":
		return subject // the usual ones, told quickly
	}
	for _, classes := range []struct {
		names []string
		kind  kind
	}{{pageClasses, webpage}, {furnitureClasses, furniture}, {supportClasses, support}} {
		for _, class := range classes.names {
			if isA([]string{t}, class) {
				return classes.kind
			}
		}
	}
	return subject
}

// besideClasses are things that mostly stand beside another on its page: what people say of it, a film of it.
var besideClasses = []string{"Review", "Comment", "MediaObject", "Question", "Claim"}

// telling ranks types by how much they say of a thing, for the order of Types and for the choice between two items
// of one page.
func telling(t string) int {
	switch kind := kindOfType(t); {
	case t == "Thing" || t == "CreativeWork" || t == "WebContent" || t == "Intangible":
		return 0
	case kind == webpage:
		return pageRank
	case isA([]string{t}, "Question"): // a Comment in schema.org's tree, and much more on pages
		return besideRank
	case kind == support:
		return 2
	case isA([]string{t}, "Article"):
		return articleRank
	}
	for _, class := range besideClasses {
		if isA([]string{t}, class) {
			return besideRank
		}
	}
	return 5
}

// How telling a page is; an article, more than its page and less than a thing that it is about; and what stands beside
// such a thing.
const (
	pageRank    = 1
	articleRank = 3
	besideRank  = 4
)
