package vocabulary

// Kind is the role of a thing in a document.
type Kind int

// The kinds, the weightiest last.
const (
	PageChrome Kind = iota // what pages are made of: never an item
	Webpage                // the page itself: an item if it has text of its own
	Support                // a thing that mostly tells of another: an item where nothing else is one
	Subject                // what pages and files are about
)

// furnitureClasses, supportClasses and pageClasses say by class what a thing mostly is; all others
// are subjects.
var (
	furnitureClasses = []string{
		"WebSite", "WebPageElement", "BreadcrumbList", "Action", "ListItem", "EntryPoint", "StructuredValue", "Rating",
		"SpeakableSpecification", "PropertyValueSpecification", "DataDownload", "Language",
	}
	supportClasses = []string{
		"Organization", "Person", "Place", "Brand", "ImageObject", "Offer", "Demand", "Comment", "HowToStep",
		"HowToSection",
		"HowToDirection", "HowToTip", "HowToItem", "Role", "DefinedTermSet",
	}
	pageClasses = []string{"WebPage", "Blog"}
)

// KindOf judges by the types: the weightiest counts.
func KindOf(types []string) Kind {
	if len(types) == 0 {
		return Subject
	}
	weightiest := PageChrome
	for _, t := range types {
		weightiest = max(weightiest, kindOfType(t))
	}
	return weightiest
}

func kindOfType(t string) Kind {
	switch t {
	case "Product", "Recipe", "Article", "NewsArticle", "BlogPosting", "Event", "ScholarlyArticle", "Book", "Movie",
		"JobPosting":
		return Subject // the usual ones, told quickly
	}
	for _, classes := range []struct {
		names []string
		kind  Kind
	}{{pageClasses, Webpage}, {furnitureClasses, PageChrome}, {supportClasses, Support}} {
		for _, class := range classes.names {
			if IsA([]string{t}, class) {
				return classes.kind
			}
		}
	}
	return Subject
}

// besideClasses are things that mostly stand beside another on its page: what people say of it, a
// film of it.
var besideClasses = []string{"Review", "Comment", "MediaObject", "Question", "Claim"}

// Specificity ranks types by how much they say of a thing, for the order of Types and for the
// choice between two items of one page.
func Specificity(t string) int {
	switch kind := kindOfType(t); {
	case t == "Thing" || t == "CreativeWork" || t == "WebContent" || t == "Intangible":
		return 0
	case kind == Webpage:
		return PageRank
	case IsA([]string{t}, "Question"): // a Comment in schema.org's tree, and much more on pages
		return BesideRank
	case kind == Support:
		return 2
	case IsA([]string{t}, "Article"):
		return ArticleRank
	}
	for _, class := range besideClasses {
		if IsA([]string{t}, class) {
			return BesideRank
		}
	}
	return 5
}

// How telling a page is; an article, more than its page and less than a thing that it is about; and
// what stands beside such a thing.
const (
	PageRank    = 1
	ArticleRank = 3
	BesideRank  = 4
)
