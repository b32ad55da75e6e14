package document

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/vocabulary"
)

// keyProperties are the properties by whose names a person looks for a thing, beside its name and
// its text.
var keyProperties = vocabulary.Set(`
	keywords category brand manufacturer model mpn sku gtin gtin8 gtin12 gtin13 gtin14 isbn productID identifier color material pattern size
	alternateName alternativeHeadline legalName additionalType audience award genre articleSection about mentions
	author creator contributor editor director actor performer organizer byArtist composer lyricist illustrator translator
	recipeIngredient ingredients recipeCategory recipeCuisine suitableForDiet cookingMethod tool supply
	location address areaServed servesCuisine amenityFeature foodEstablishment department parentOrganization containedInPlace
	contentLocation spatialCoverage spatial temporalCoverage
	jobTitle hiringOrganization jobLocation employmentType industry occupationalCategory skills knowsAbout knowsLanguage worksFor
	memberOf affiliation alumniOf homeLocation nationality
	educationalLevel teaches learningResourceType coursePrerequisites courseCode
	programmingLanguage operatingSystem applicationCategory applicationSubCategory runtimePlatform
	isPartOf partOfSeries partOfSeason inAlbum itemReviewed superEvent subEvent workFeatured workPerformed
	additionalProperty bodyType vehicleModelDate fuelType countryOfOrigin scent flavor
	activeIngredient drugClass signOrSymptom possibleTreatment associatedAnatomy medicineSystem
	tourBookingPage touristType provider publisher seller tag tags
`)

// silentProperties hold words by which nobody looks for the thing: what is said of other things,
// and what only programs read.
var silentProperties = vocabulary.Set(`
	@context type gender inLanguage availableLanguage currenciesAccepted priceCurrency priceRange version email telephone faxNumber encodingFormat
	review reviews comment offers aggregateRating potentialAction interactionStatistic openingHours openingHoursSpecification
	specialOpeningHoursSpecification hasOfferCatalog makesOffer contactPoint mainEntity itemListElement breadcrumb speakable
	isRelatedTo isSimilarTo isAccessoryOrSparePartFor isConsumableFor isVariantOf isBasedOn citation subjectOf workTranslation
	translationOfWork hasPart video audio associatedMedia encoding copyrightHolder copyrightNotice creditText sourceOrganization
	sdPublisher usageInfo conditionsOfAccess eventStatus eventAttendanceMode availability itemCondition
`)

// isWords says whether a label is words, and neither a number, a date, a code or an address nor
// running text.
func isWords(label string) bool {
	if scheme, _, ok := strings.Cut(label, ":"); ok && !strings.Contains(scheme, " ") {
		return false
	}
	letters := 0
	for _, r := range label {
		if unicode.IsLower(r) || unicode.Is(unicode.Lo, r) {
			letters++
		}
	}
	return len(label) < otherText && 2*letters > utf8.RuneCountInString(label)
}

// keysOf gathers the words beside name and text by which an item may be found, a label a line.
func keysOf(n *jsonrepair.Node) string {
	k := keys{seen: map[string]bool{}}
	for _, m := range n.Members {
		switch {
		case m.Name == "isPartOf" && vocabulary.KindOf(typesOf(m.Value)) < vocabulary.Support:
			continue // the site or page says nothing of the item
		case keyProperties[m.Name]:
			k.add(labels(m.Value)...)
		case m.Name == "hasVariant":
			for _, variant := range m.Value.List() {
				for _, property := range []string{"color", "size", "sku", "gtin13", "material", "pattern"} {
					k.add(labels(variant.Get(property))...)
				}
			}
		case m.Name == "hasMenu" || m.Name == "hasMenuSection" || m.Name == "hasMenuItem":
			k.menu(m.Value, 3)
		case m.Name == "hasOfferCatalog" || m.Name == "makesOffer":
			k.menu(m.Value, 3)
		case !silentProperties[m.Name] && !isKnownText(m.Name):
			k.add(slices.DeleteFunc(labels(m.Value), func(label string) bool { return !isWords(label) })...)
		}
	}
	return k.out.String()
}

// keys collects labels, each once.
type keys struct {
	out  strings.Builder
	seen map[string]bool
}

func (k *keys) add(labels ...string) {
	for _, label := range labels {
		label = markup.CollapseSpace(label)
		if label == "" || k.seen[label] || k.out.Len()+len(label) > longestKeys {
			continue
		}
		k.seen[label] = true
		if k.out.Len() > 0 {
			k.out.WriteByte('\n')
		}
		k.out.WriteString(label)
	}
}

// menu adds the names of what a menu or a catalogue of offers holds.
func (k *keys) menu(n *jsonrepair.Node, depth int) {
	for _, value := range n.List() {
		k.add(text(value.Get("name")))
		for _, property := range []string{"hasMenuSection", "hasMenuItem", "itemListElement", "itemOffered"} {
			if inner := value.Get(property); inner != nil && depth > 0 {
				k.menu(inner, depth-1)
			}
		}
	}
}
