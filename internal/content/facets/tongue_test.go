package facets

import (
	"slices"
	"testing"
)

func TestLanguagesThatAreSpokenAreReadByTheirCodes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		object string
		want   []string
	}{
		{`{"@type":"Physician","name":"Dr A","knowsLanguage":["français","arabe"]}`, []string{"fr", "ar"}},
		{`{"@type":"TouristTrip","name":"A walk","availableLanguage":[{"@type":"Language","name":"Spanish"},"de"]}`, []string{"es", "de"}},
		{`{"@type":"Person","name":"B","additionalProperty":{"@type":"PropertyValue","name":"Sprachen","value":"Deutsch, Türkisch"}}`, []string{"de", "tr"}},
		{`{"@type":"Person","name":"C","description":"Parla inglese e tedesco, insegna danza."}`, []string{"en", "de"}},
		{`{"@type":"Dentist","name":"D","additionalProperty":{"@type":"PropertyValue","name":"対応言語","value":"日本語、英語"}}`, []string{"ja", "en"}},
		// A book of German poems speaks no language, and neither does the German wife of a doctor.
		{`{"@type":"Book","name":"Poems","description":"Speaks German to the heart."}`, nil},
		{`{"@type":"Person","name":"E","description":"Married to a German violinist."}`, nil},
	} {
		facts := Describe([]byte(row.object), "")
		if got := facts.Values(Spoken); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.object, got, row.want)
		}
	}
}
