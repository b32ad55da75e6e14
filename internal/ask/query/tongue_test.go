package query

import (
	"testing"

	"frontdesk/internal/content/facets"
)

func TestWhoSpeaksALanguageIsACondition(t *testing.T) {
	t.Parallel()
	at := asking()
	at.Lexicon = facets.NewLexicon(facets.Taught{
		Items: 10, Types: map[string]int{"Physician": 10}, Slots: []facets.Known{{Slot: facets.Spoken, Count: 8}},
	})
	for _, row := range []struct{ question, want string }{
		{"a doctor who speaks Spanish", "a doctor; language: spanish"},
		{"Spanish-speaking doctor", "doctor; language: spanish"},
		{"médecin qui parle chinois", "médecin; language: chinese"},
		{"arabischsprachiger Arzt", "Arzt; language: arabic"},
		{"Arzt, der Türkisch spricht", "Arzt; language: turkish"},
		{"médico que hable inglés o francés", "médico; language: english or french"},
		{"guida che parla inglese e tedesco", "guida; language: english; language: german"},
		{"um médico que fale polaco", "um médico; language: polish"},
		{"スペイン語を話す医者", "医者; language: spanish"},
		{"history of the Spanish language", "history of the Spanish language"},
	} {
		if got := read(row.question, at); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}
