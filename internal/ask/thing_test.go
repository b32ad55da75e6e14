package ask

import (
	"bytes"
	"strings"
	"testing"

	"frontdesk/internal/content"
)

// TestDetailsAreToldFromPropertiesOrSentences holds that one sentence answers, and none of another item.
func TestDetailsAreToldFromPropertiesOrSentences(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	saying := func(text string, i content.Item) content.Item {
		i.Description, i.Passages = text, []content.Passage{{Text: text}}
		i.Object = bytes.Replace(i.Object, []byte("A lamp for reading."), []byte(text), 1)
		return i
	}
	property := func(name, value string) map[string]any {
		return map[string]any{"additionalProperty": []map[string]any{{"@type": "PropertyValue", "name": name, "value": value}}}
	}
	b.fill(t, "mag", "shop",
		saying("It holds the heat.", stating("moss", "Moss mug", property("Dishwasher safe", "no"))),
		saying("Its glaze is fired at 1200 degrees.", stating("fern", "Fern mug", property("Origin", "Stoke"))),
		saying("Four hundred lumens, charged in three hours.", stating("lamp", "Firefly lamp", map[string]any{"size": []string{"XS", "XL"}})),
	)
	for question, want := range map[string]string{
		"can the moss mug go in the dishwasher?":     "No, Moss mug is not dishwasher safe.",
		"where does the fern mug come from":          "Fern mug comes from Stoke.",
		"at what temperature is the fern mug glazed": "1200 degrees",
		"how many lumens has the firefly lamp":       "Four hundred lumens",
		"does the firefly lamp come in L?":           "L",
		"where does the moss mug come from":          "",
		"how many lumens has the fern mug":           "",
	} {
		reply, err := b.Ask(t.Context(), Question{Text: question})
		got := ""
		if err == nil {
			got = reply.Understood.Answer
		}
		if want == "" && strings.Contains(got, "Stoke") || want == "" && strings.Contains(got, "lumens") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}
