package search

import "testing"

// No table says what these words mean; the directions of words do.
func TestWordsStandForThoseInTheirDirection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, question, finds string
		texts                     []string // a title, a text, a title, ...
	}{
		{"de", "darf man rauchen", "Hausordnung", []string{
			"Hausordnung", "Im ganzen Haus wird nicht geraucht.", "Sauna", "Die Sauna ist täglich geöffnet.", "Anreise",
			"Vom Bahnhof fährt ein Bus.",
		}},
		{"fr", "dermatologue", "Dr Lenormand", []string{
			"Dr Lenormand", "Maladies de la peau", "Dr Tavares", "Ophtalmologie", "Venir au centre",
			"Le parking est gratuit.",
		}},
		{"en", "cancellazione", "Cancelling", []string{
			"Cancelling", "You can cancel until noon.", "Breakfast", "Served from eight.", "Towels",
			"They are in the bathroom.",
		}},
		{"pt", "cancellation", "Reservas", []string{
			"Reservas", "O cancelamento é livre até à véspera.", "Pequeno-almoço", "Servido às oito.", "Toalhas",
			"Estão no quarto.",
		}},
	} {
		var docs []Document
		for i := 0; i < len(c.texts); i += 2 {
			docs = append(docs, Document{Ref: c.texts[i], Key: c.texts[i], Language: c.language, Title: c.texts[i],
				Passages: []string{c.texts[i+1]}})
		}
		s := newSite(docs)
		if hits := s.Search(Query{Text: c.question}).Hits; len(hits) == 0 || hits[0].Ref != c.finds {
			t.Errorf("%q finds %v, not %q first", c.question, hits, c.finds)
		}
		if hits := s.Search(Query{Text: c.question, Literal: true}).Hits; len(hits) > 0 {
			t.Errorf("%q, taken literally, finds %v", c.question, hits)
		}
	}
}
