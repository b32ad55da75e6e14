package owner

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/practical"
)

// clinic is a site in English, mercato one in Italian, gasthof and hof are ones in German.
var (
	clinic = []Page{
		{Site: "c", URL: "https://vet.example/", Type: "VeterinaryCare", Name: "Elm Road Vets", Language: "en", Object: []byte(`{"@type":"VeterinaryCare","name":"Elm Road Vets",
			"telephone":"+44 20 5550 199","address":{"@type":"PostalAddress","streetAddress":"5 Elm Road","addressLocality":"Lydford"},
			"openingHoursSpecification":[{"dayOfWeek":["Monday","Tuesday","Wednesday","Thursday","Friday"],"opens":"08:00","closes":"18:30"}]}`)},
		{Site: "c", URL: "https://vet.example/fees", Type: "WebPage", Name: "Our fees", Language: "en", Texts: []string{
			"A consultation costs £42, for rabbits £30. Pensioners pay £35. Vaccination is £55."}},
		{Site: "c", URL: "https://vet.example/pay", Type: "WebPage", Name: "Payment", Language: "en", Texts: []string{
			"We take cards and cash on the day. We do not take cheques."}},
		{Site: "c", URL: "https://vet.example/find", Type: "WebPage", Name: "Getting here and parking", Language: "en",
			Texts: []string{
				"The practice is behind the church. There are six parking spaces in the yard."}},
		{Site: "c", URL: "https://vet.example/team/ada", Type: "Person", Name: "Ada Finn", Language: "en",
			Texts:  []string{"Runs the cattery."},
			Object: []byte(`{"@type":"Person","name":"Ada Finn","jobTitle":"Head nurse","telephone":"+44 20 5550 123"}`)},
	}
	mercato = []Page{
		{Site: "m", URL: "https://olio.example/", Type: "Store", Name: "Frantoio Bea", Language: "it",
			Object: []byte(`{"@type":"Store","name":"Frantoio Bea"}`)},
		{Site: "m", URL: "https://olio.example/consegna", Type: "WebPage", Name: "Consegna", Language: "it",
			Texts: []string{
				"In Italia 6 euro, gratis da 80 euro. In Germania e Austria 14 euro. " +
					"Nel resto del mondo non spediamo."}},
	}
	inn = []Page{ // whose property says that there is a car park, and a page how high
		{Site: "i", URL: "https://inn.example/", Type: "Hotel", Name: "Harbour Inn", Language: "en", Object: []byte(`{"@type":"Hotel","name":"Harbour Inn",
			"amenityFeature":[{"@type":"LocationFeatureSpecification","name":"Parking","value":true}]}`)},
		{Site: "i", URL: "https://inn.example/parking", Type: "WebPage", Name: "Parking", Language: "en",
			Texts: []string{
				"The yard has nine bays. Height limit 2.1 metres. Bicycles go into the shed."}},
	}
	farm = []Page{ // of which a page tells what it is not called by
		{Site: "f", URL: "https://farm.example/here", Type: "WebPage", Name: "Getting here", Language: "en",
			Texts: []string{
				"The 12 bus stops at the gate. Dogs are welcome in the yard. The path is steep."}},
	}
	posta = []Page{
		{Site: "p", URL: "https://tea.example/delivery", Type: "WebPage", Name: "Delivery", Language: "en",
			Texts: []string{
				"Parcels take three days. We send to Ireland and France for £9. Opened tea is not taken back."}},
	}
	app = []Page{ // two answered questions that are called by what is asked
		{Site: "a", URL: "https://app.example/faq#1", Type: "Question", Name: "How do I reset my password?",
			Language: "en",
			Texts:    []string{"Follow the link below the form in which you sign in."}},
		{Site: "a", URL: "https://app.example/faq#2", Type: "Question", Name: "How do I delete my account?",
			Language: "en",
			Texts:    []string{"In the settings, at the bottom."}},
	}
	gasthof = []Page{ // a hotel without hours, whose restaurant has some
		{Site: "g", URL: "https://loewen.example/", Type: "Hotel", Name: "Hotel Löwen", Language: "de",
			Object: []byte(`{"@type":"Hotel","name":"Hotel Löwen"}`)},
		{Site: "g", URL: "https://loewen.example/stube", Type: "Restaurant", Name: "Zum Löwen", Language: "de", Object: []byte(`{"@type":"Restaurant","name":"Zum Löwen",
			"openingHoursSpecification":[{"dayOfWeek":["Saturday","Sunday"],"opens":"11:00","closes":"22:00"},
			{"validFrom":"2027-12-24","validThrough":"2027-12-24","opens":"00:00","closes":"00:00"}]}`)},
		{Site: "g", URL: "https://loewen.example/faq#1", Type: "Question", Name: "Wo kann ich den Kinderwagen parken?",
			Language: "de", Texts: []string{
				"Im Flur neben der Treppe."}},
		{Site: "g", URL: "https://loewen.example/anreise", Type: "WebPage", Name: "Anreise", Language: "de",
			Texts: []string{
				"Der Bus 4 hält vor der Tür. Parken können Sie kostenlos hinter dem Haus."}},
	}
	hof = []Page{
		{Site: "h", URL: "https://hof.example/", Type: "LocalBusiness", Name: "Birkenhof", Language: "de", Object: []byte(`{"@type":"LocalBusiness","name":"Birkenhof",
			"openingHoursSpecification":[{"dayOfWeek":["Friday"],"opens":"14:00","closes":"18:00"}]}`)},
		{Site: "h", URL: "https://hof.example/faq#1", Type: "Question", Name: "Dürfen Hunde mit auf den Hof?",
			Language: "de", Texts: []string{
				"Nein, wegen der Hühner leider nicht."}},
	}
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		site                   []Page
		language, text         string
		first, says, saysNever string // an empty first is no answer
	}{
		{clinic, "en", "what time do you close on friday", "Elm Road Vets", "6:30 pm", ""},
		{clinic, "en", "are you open on sunday", "Elm Road Vets", "closed", ""},
		{clinic, "de", "Wann habt ihr montags geöffnet?", "Elm Road Vets", "18:30", ""},
		{clinic, "en", "do you accept cheques", "Payment", "do not take cheques", ""},
		{clinic, "en", "what do you charge pensioners", "Our fees", "£35", "£42"},
		{clinic, "en", "are you open on wednesday afternoon", "Elm Road Vets", "Yes, ", ""},
		{clinic, "en", "are you open at 7pm on wednesday", "Elm Road Vets", "No, ", ""},
		{clinic, "en", "when are you open", "Elm Road Vets", "Monday", "No"},
		{gasthof, "de", "habt ihr samstags offen", "Zum Löwen", "Ja", ""},
		{gasthof, "de", "kann man am Heiligabend bei euch essen", "Zum Löwen", "Nein", ""},
		{gasthof, "en", "opening hours", "Zum Löwen", "Saturday", ""},
		{gasthof, "de", "wo kann ich parken", "Anreise", "hinter dem Haus", "Kinderwagen"},
		{clinic, "fr", "y a-t-il un parking pour les clients", "Getting here and parking", "six parking spaces", ""},
		{clinic, "en", "phone number of the head nurse", "Ada Finn", "5550 123", ""},
		{clinic, "en", "when is the museum open on friday", "", "", ""},
		{clinic, "en", "when is the bakery closed", "", "", ""},
		{mercato, "en", "how much is delivery to Austria", "Consegna", "14 euro", ""},
		{mercato, "it", "spedite in Giappone?", "Consegna", "non spediamo", ""},
		{mercato, "en", "do you ship to Brazil", "Consegna", "Nel resto del mondo non spediamo", ""},
		{hof, "en", "do you ship to Brazil", "", "", ""},
		{clinic, "en", "do you ship to Brazil", "", "", ""},
		{posta, "en", "do you ship to Brazil", "Delivery", "Ireland and France", "three days"},
		{mercato, "es", "¿hacéis envíos a Alemania?", "Consegna", "14 euro", ""},
		{mercato, "it", "quando siete aperti", "", "", ""},
		{hof, "de", "kann ich meinen dackel mitbringen", "Dürfen Hunde mit auf den Hof?", "Nein", ""},
		{hof, "en", "are dogs allowed", "Dürfen Hunde mit auf den Hof?", "Nein", ""},
		{inn, "en", "height limit of your car park", "Harbour Inn", "2.1 metres", "Bicycles"},
		{inn, "en", "do you have parking", "Parking", "Yes, ", "metres"},
		{farm, "en", "are dogs allowed", "Getting here", "Dogs are welcome", ""},
		{farm, "en", "may I take photographs", "", "", ""},
		{app, "en", "delete my account", "How do I delete my account?", "In the settings", ""},
		{app, "en", "reset my password", "How do I reset my password?", "Follow the link", ""},
		{hof, "it", "a che ora chiudete il venerdì", "Birkenhof", "18:00", ""},
	} {
		d := New(row.site)
		got, ok := d.Answer(Question{Text: row.text, Asked: practical.Read(row.text, row.language, now),
			Language: row.language, Now: now})
		first := ""
		if ok {
			first = row.site[got.Items[0]].Name
		}
		if first != row.first || !strings.Contains(got.Text, row.says) ||
			row.saysNever != "" && strings.Contains(got.Text, row.saysNever) {
			t.Errorf("%q: %q first, said %q", row.text, first, got.Text)
		}
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	questions, items := New(clinic).Examples(
		Question{Language: "de", Now: time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)}, 3)
	if len(questions) != 3 || len(items) == 0 || !strings.HasSuffix(questions[0], "?") {
		t.Errorf("got %q of %v", questions, items)
	}
}
