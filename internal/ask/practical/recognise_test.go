package practical

import (
	"slices"
	"strings"
	"testing"
	"time"
)

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

func TestRead(t *testing.T) {
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

		// As people say it, in each language.
		"is there a summer job for my daughter with you": "jobs",
		"hättet ihr einen ferialjob für meine nichte":    "jobs",
		"tenéis algún trabajo de verano para mi hija":    "jobs",
		"vous auriez un job d'été pour ma fille":         "jobs",
		"avete un lavoretto estivo per mia figlia":       "jobs",
		"há trabalho de verão para a minha filha":        "jobs",
		"娘の夏休みのバイトはありますか":                                "jobs",
		"do you open on the eve of christmas":            "hours",
		"habts ihr am heiligabend offen":                 "hours",
		"abrís la tarde de nochebuena":                   "hours",
		"vous ouvrez la veille de noël":                  "hours",
		"siete aperti alla vigilia":                      "hours",
		"abrem à tarde na véspera de natal":              "hours",
		"クリスマスイブも営業していますか":                               "hours",
		"can we come in with a pram":                     "children",
		"dürfen wir mit dem kinderwagen hinein":          "children",
		"podemos entrar con el carrito del bebé":         "children",
		"on peut venir avec une poussette":               "children",
		"possiamo entrare con il passeggino":             "children",
		"posso levar o carrinho de bebé lá dentro":       "children",
		"ベビーカーのまま入れますか":                                  "children",
		"blue cotton jumper for a boy":                   None,
		"which tent is the lightest":                     None,
		"Romane ohne Liebesgeschichte":                   None,
		"recette de soupe aux poireaux":                  None,
		"zapatos negros de cuero":                        None,
		"livros de história até 20 euros":                None,
		"giacca senza piume da uomo":                     None,
		"一番軽いテントはどれですか":                                  None,
		"bonsai":        None, // no "bonsoir"
		"öfnungszeiten": "hours",
		"contatto":      "contact",
	} {
		got := Read(question, "en", time.Time{})
		if want == None && got.Practical >= Sure || want != None && (got.Intent != want || got.Sure() < Sure) {
			t.Errorf("%q is %s (%.2f of %.2f), want %s", question, got.Intent, got.Sure(), got.Practical, want)
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

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		Read("how much is delivery to ireland if i order two of them?", "en", time.Time{})
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"and on saturday?", "12月25日は営業していますか", strings.Repeat("x", 5000), "\xff\xfe 3 June", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := Read(text, "en", time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
		if a.Practical < 0 || a.Practical > 1 {
			t.Errorf("%q is practical by %g", text, a.Practical)
		}
		a.Onward(text, a)
	})
}

func TestOnward(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC) // a Tuesday
	for _, row := range []struct {
		before, text, intent string
		onward               bool
	}{
		{"when are you open on monday", "and on saturday?", "hours", true},
		{"how much is delivery to ireland", "what about france?", "delivery-cost", true},
		{"wann habt ihr geöffnet", "und sonntags?", "hours", true},
		{"quanto custa o bilhete", "e para crianças?", "price", true},
		{"a che ora aprite il sabato", "e la domenica?", "hours", true},
		{"cuánto cuesta el envío a francia", "¿y a portugal?", "delivery-cost", true},
		{"when are you open on monday", "is there a car park", "parking", false},
	} {
		got, onward := Read(row.before, "en", now).Onward(row.text, Read(row.text, "en", now))
		if got.Intent != row.intent || onward != row.onward {
			t.Errorf("%q after %q is %s, %v", row.text, row.before, got.Intent, onward)
		}
	}
}

// TestATextHasTheSameFeatures reads each phrase many times: the training and the program have to
// see the same.
func TestATextHasTheSameFeatures(t *testing.T) {
	t.Parallel()
	for _, language := range Languages {
		phrases, err := Phrases(language)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range phrases {
			first := Features(p.Text)
			for range 8 {
				if again := Features(p.Text); !slices.Equal(first, again) {
					t.Fatalf("%q has other features when it is read again", p.Text)
				}
			}
		}
	}
}
