package practical

import "testing"

func TestWeightsAreMadeFromTheTables(t *testing.T) {
	t.Parallel()
	m, err := Unpack(weightFile)
	if err != nil {
		t.Fatal(err)
	}
	if m.Tables != TablesDigest() {
		t.Error("a table has changed since weights.bin was made; run go generate in internal/ask/practical")
	}
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{ // none stands in a table
		"what time does the surgery open on tuesdays?":      "hours",
		"do you post orders to Japan":                       "delivery-countries",
		"is there a step at the entrance for my wheelchair": "accessibility",
		"bis wann ist die Bücherei am Mittwoch offen":       "hours",
		"wie hoch sind die Versandkosten nach Belgien":      "delivery-cost",
		"quels moyens de paiement acceptez-vous":            "payment",
		"avez-vous un parking pour les clients":             "parking",
		"¿cuál es vuestro número de teléfono?":              "phone",
		"¿admitís mascotas?":                                "dogs",
		"quanto tempo tenho para devolver o produto":        "returns",
		"qual è l'indirizzo del negozio":                    "address",
		"a che ora chiudete la domenica":                    "hours",
		"日曜日は何時に閉まりますか":                                     "hours",
		"電話番号を教えてください":                                      "phone",

		"blue cotton jumper for a boy":    None,
		"which tent is the lightest":      None,
		"Romane ohne Liebesgeschichte":    None,
		"recette de soupe aux poireaux":   None,
		"zapatos negros de cuero":         None,
		"livros de história até 20 euros": None,
		"giacca senza piume da uomo":      None,
		"一番軽いテントはどれですか":                   None,
	} {
		if got := Recognise(question); got.Intent != want || got.Confidence < Sure {
			t.Errorf("%q is %s (%.2f), want %s", question, got.Intent, got.Confidence, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pool opening hours": "PublicSwimmingPool", "schwimmbad sonntag": "PublicSwimmingPool",
		"horaires de la bibliotheque": "Library", "図書館は何時まで": "Library", "the poolside": "",
	} {
		got := ""
		for _, place := range Places(text) {
			got = place.Type
		}
		if got != want {
			t.Errorf("%q names a %q, want %q", text, got, want)
		}
	}
}

func BenchmarkRecognise(b *testing.B) {
	for b.Loop() {
		Recognise("how much is delivery to ireland if i order two of them?")
	}
}
