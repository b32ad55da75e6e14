package content

import "slices"

// BodyProperties are the schema.org properties that hold a thing's running text, in the order in
// which a reader would want it. Of them and of its description an item's passages are made, also of
// the texts of things that stand in them.
var BodyProperties = []string{
	"abstract", "articleBody", "text", "reviewBody", "mainContentOfPage", "acceptedAnswer", "suggestedAnswer",
	"recipeInstructions",
	"step", "instructions", "responsibilities", "qualifications", "skills", "educationRequirements",
	"experienceRequirements",
	"jobBenefits", "featureList", "releaseNotes", "lyrics", "liveBlogUpdate", "transcript",
}

// GivesText says whether an item's description and passages may be made of a property of its
// object.
func GivesText(property string) bool {
	switch property {
	case "description", "disambiguatingDescription", "summary":
		return true
	}
	return slices.Contains(BodyProperties, property)
}
