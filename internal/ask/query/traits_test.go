package query

import (
	"strings"
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/wording"
	"frontdesk/internal/content/facets"
)

// outfitter is a shop whose items state attributes.
func outfitter() Asking {
	known := []facets.Known{{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 9}}
	for _, slot := range []facets.Slot{
		facets.Color, facets.Material, facets.Audience, facets.Size, "waterproof", "powerSource", "roast", "organic",
		"dishwasherSafe", "caffeine", "dogs", "toxic", "wheelchair", "condition",
	} {
		known = append(known, facets.Known{Slot: facets.Stated(slot), Count: 9})
	}
	return town(map[string]int{"Product": 30}, known...)
}

func TestAttributesAreReadAsConcepts(t *testing.T) {
	t.Parallel()
	at := outfitter()
	for _, test := range []struct{ question, want string }{
		{"navy jacket", "jacket; colour: navy"},
		{"red or blue mugs", "mugs; colour: red or blue"},
		{"rote Jacke", "Jacke; colour: red"},
		{"gonne rosse", "gonne; colour: red"},
		{"camisetas azules", "camisetas; colour: blue"},
		{"robe verte en lin", "robe; colour: green; material: linen"},
		{"waterproof shoes for children", "shoes; waterproof; audience: children"},
		{"giacche impermeabili da donna", "giacche; waterproof; audience: women"},
		{"wasserdichte Herrenjacke", "Herrenjacke; waterproof; audience: men"},
		{"flauta para el colegio", "flauta para el colegio"}, // and not: para él
		{"size 42 boots", "boots; size: 42"},
		{"scarponi numero 44", "scarponi; size: 44"},
		{"Hemd Größe XL", "Hemd; size: XL"},
		{"shirts in XXL", "shirts; size: 2XL"},
		{"electric kettles", "kettles; power source: electric"},
		{"hand cranked coffee grinder", "coffee grinder; power source: manual"},
		{"light roast beans", "beans; roast: light roast"},
		{"café décaféiné en grains", "café en grains; caffeine: decaf"},
		{"organic tea towels", "tea towels; organic"},
		{"dishwasher safe bowls", "bowls; dishwasher safe"},
		{"places where dogs are not allowed", "places where; dogs not allowed"},
		{"golden retriever calendar", "golden retriever calendar"},
		{"black tea", "black tea"},
	} {
		if got := read(test.question, at); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.question, got, test.want)
		}
	}
}

// TestWhatIsNotToBeIsReadInEachLanguage holds the ways in which people say that something must not
// harm their animals, that no animal is to be there, and that there are to be no stairs.
func TestWhatIsNotToBeIsReadInEachLanguage(t *testing.T) {
	t.Parallel()
	at := outfitter()
	for want, questions := range map[string][]string{
		"not poisonous": {
			"plants that won't poison the cat", "a fern, nothing poisonous", "nontoxic plants", "plants safe for dogs",
			"Pflanzen, die nicht giftig sind", "ungiftige Pflanzen", "etwas, woran die Katze gefahrlos knabbern kann",
			"je cherche des plantes non toxiques", "une plante sans danger pour les chats", "rien de toxique",
			"plantas no tóxicas", "plantas que no sean venenosas", "plantas seguras para gatos",
			"piante non velenose", "una pianta innocua per gatti", "niente di velenoso",
			"plantas que não sejam tóxicas", "plantas seguras para cães", "nada venenoso", "無毒の植物", "猫に安全な植物",
		},
		"dogs not allowed": {
			"a room, I am allergic to dogs", "pet free cottage", "flat without pets",
			"Zimmer, ich habe eine Hundeallergie", "Wohnung ohne Haustiere", "chambre, je suis allergique aux chiens",
			"gîte sans animaux", "habitación, soy alérgica a los perros", "casa sin mascotas",
			"camera, sono allergico ai cani", "appartamento senza animali", "quarto, tenho alergia a cães",
		},
		"wheelchair accessible": {
			"a room without stairs", "step free room", "Zimmer ohne Treppen", "chambre sans escaliers",
			"habitación sin escaleras", "camera senza scale", "quarto sem degraus",
		},
		"condition: not used": {"phones but not second hand", "Handys, aber nichts Gebrauchtes"},
	} {
		for _, question := range questions {
			if got := read(question, at); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", question, got, want)
			}
		}
	}
}

func TestWhatIsDeniedIsNoWishForIt(t *testing.T) {
	t.Parallel()
	at := outfitter()
	for _, question := range []string{
		"a jumper that is not red", "giacca da uomo tranne nera", "Pullover ohne Wolle", "a hat, wool makes me itch",
		"berretto, la lana mi dà allergia", "sin algodón", "plastic free brush", "chaussettes sauf les noires",
	} {
		for _, c := range Read(question, at).Constraints {
			if !c.Not && (c.Slot == facets.Color || c.Slot == facets.Material) {
				t.Errorf("%s: %s is wished for", question, c.Values)
			}
		}
	}
}

func TestAttributesThatNothingStatesAreWords(t *testing.T) {
	t.Parallel()
	at := town(map[string]int{"Event": 30})
	if got := read("red wine tasting for women", at); got != "red wine tasting for women" {
		t.Error(got)
	}
}

func TestAttributesThatFewOfManyDeclareStayWords(t *testing.T) {
	t.Parallel()
	at := asking()
	at.Lexicon = facets.NewLexicon(
		facets.Taught{Items: 5000, Types: map[string]int{"Product": 5000}, Slots: []facets.Known{
			{Slot: facets.Stated(facets.Color), Count: 3000}, {Slot: "farbe", Count: 2800},
			{Slot: facets.Stated(facets.Audience), Count: 2000},
			{Slot: facets.Stated(facets.Material), Count: 900}, {Slot: facets.Material, Count: 90},
			{Slot: facets.Stated("waterproof"), Count: 200},
		}})
	for _, test := range []struct{ question, want, soft string }{
		{"red slippers for women", "slippers for women; colour: red", "women"},
		{"paper lamps", "paper lamps", "paper"},
		{"blaue Jacke aus Leinen", "Jacke aus Leinen; colour: blue", "linen"},
		{"camisetas rojas de hombre", "camisetas de hombre; colour: red", "men"},
		{"wasserdichte Schuhe", "wasserdichte Schuhe", "yes"},
		{"shoes that are not waterproof", "shoes; not waterproof", ""},
	} {
		u := Read(test.question, at)
		text, soft := u.Text, ""
		for _, c := range u.Constraints {
			if c.Soft {
				soft = c.Values[0]
			} else {
				text += "; " + wording.Constraint(i18n.For("en"), &c)
			}
		}
		if text != test.want || soft != test.soft {
			t.Errorf("%s\n got %s, softly %q\nwant %s, softly %q", test.question, text, soft, test.want, test.soft)
		}
	}
}
