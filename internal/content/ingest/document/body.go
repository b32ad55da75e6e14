package document

import (
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"
)

// listedBodies are those of them that hold steps or points rather than paragraphs.
var listedBodies = vocabulary.Set("recipeInstructions step instructions skills featureList qualifications")

// otherText is the length from which a text in any other property counts as running text.
const otherText = 200

// bodyOf gathers a thing's running text but for its description.
func bodyOf(n *jsonrepair.Node) []passage.Block {
	var blocks []passage.Block
	for _, property := range content.BodyProperties {
		if value := n.Get(property); value != nil && !(property == "text" && text(value) == nameOf(n)) {
			blocks = appendBody(blocks, value, listedBodies[property])
			passage.EndParagraph(blocks)
		}
	}
	for _, m := range n.Members {
		if m.Value.Kind == jsonrepair.String && len(m.Value.Text) >= otherText && !isKnownText(m.Name) {
			blocks = append(blocks, passage.Blocks(m.Value.Text)...)
			passage.EndParagraph(blocks)
		}
	}
	return blocks
}

// isKnownText says whether the texts of a property are dealt with elsewhere, or are no text.
func isKnownText(property string) bool {
	return otherTexts[property] || keyProperties[property] || nameProperties[property] ||
		vocabulary.HoldsURL(property) ||
		content.GivesText(property)
}

// otherTexts are properties that are dealt with one by one.
var otherTexts = vocabulary.Set("name headline title @type @id caption")

// appendBody adds the text of a value: strings, steps, sections of steps, answers, parts.
func appendBody(blocks []passage.Block, n *jsonrepair.Node, points bool) []passage.Block {
	switch n.Kind {
	case jsonrepair.String:
		blocks = append(blocks, passage.Blocks(n.Text)...)
		if len(blocks) > 0 {
			blocks[len(blocks)-1].Tight = points
		}
	case jsonrepair.Array:
		for _, item := range n.Items {
			blocks = appendBody(blocks, item, points)
		}
	case jsonrepair.Object:
		blocks = appendPart(blocks, n, points)
	}
	return blocks
}

// appendPart adds a nested thing's text: its name leads what it holds, or stands for it.
func appendPart(blocks []passage.Block, n *jsonrepair.Node, points bool) []passage.Block {
	name := text(n.Get("name"))
	if name == "" {
		name = text(n.Get("headline"))
	}
	for _, property := range []string{"text", "articleBody", "description"} {
		if value := n.Get(property); text(value) != "" {
			if name != "" && !isPrefix(name, text(value)) && !vocabulary.IsA(typesOf(n), "Answer") {
				blocks = append(blocks, passage.Block{Text: name, Leads: true})
			}
			return appendBody(blocks, value, points)
		}
	}
	if inner := n.Get("itemListElement"); inner != nil {
		if name != "" {
			blocks = append(blocks, passage.Block{Text: name, Leads: true})
		}
		blocks = appendBody(blocks, inner, true)
		passage.EndParagraph(blocks)
		return blocks
	}
	if name != "" {
		blocks = append(blocks, passage.Block{Text: name, Tight: points})
	}
	return blocks
}

// withoutTitle leaves out a heading at the beginning that only repeats the name.
func withoutTitle(blocks []passage.Block, name string) []passage.Block {
	for i, b := range blocks[:min(len(blocks), 3)] {
		if b.Leads && strings.EqualFold(markup.CollapseSpace(b.Text), name) {
			return append(append([]passage.Block(nil), blocks[:i]...), blocks[i+1:]...)
		}
	}
	return blocks
}

// isPrefix says whether text begins with a name, as a step's text does whose name is a short form
// of it.
func isPrefix(name, text string) bool { return len(text) >= len(name) && text[:len(name)] == name }
