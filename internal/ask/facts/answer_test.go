package facts_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/ask/facts"
)

// Invented objects.
const (
	shop = `{"@type":"Store","name":"Fern & Finch","telephone":"+44 20 5550 0100","email":"hi@fern.example",
		"address":{"@type":"PostalAddress","streetAddress":"3 Mill Row","addressLocality":"Leeds","postalCode":"LS1 1AA","addressCountry":"GB"},
		"paymentAccepted":"Cash, Visa, Mastercard","currenciesAccepted":"GBP","priceRange":"££","foundingDate":"1987",
		"founder":{"@type":"Person","name":"Ada Finch"},
		"amenityFeature":[{"name":"Wheelchair accessible","value":true},{"name":"Wi-Fi","value":"no"},{"name":"Reading corner"}],
		"contactPoint":{"@type":"ContactPoint","contactType":"press","name":"Bo Lee","email":"press@fern.example"},
		"hasMerchantReturnPolicy":{"returnPolicyCategory":"https://schema.org/MerchantReturnFiniteReturnWindow","merchantReturnDays":30,
			"returnFees":"https://schema.org/FreeReturn","returnMethod":["https://schema.org/ReturnByMail","https://schema.org/ReturnInStore"]},
		"openingHoursSpecification":[
			{"dayOfWeek":["https://schema.org/Tuesday","Wednesday","Thursday","Fri"],"opens":"10:00","closes":"17:00"},
			{"dayOfWeek":["Saturday","http://schema.org/Sunday"],"opens":"10:00:00","closes":"18:00:00"},
			{"opens":"10:00","closes":"15:00","validFrom":"2026-12-24","validThrough":"2026-12-24"}],
		"specialOpeningHoursSpecification":{"opens":"00:00","closes":"00:00","validFrom":"2026-12-25","validThrough":"2026-12-26"}}`
	bistro = `{"@type":"Restaurant","name":"Chez Ondine","openingHours":["Mo,We 10:00-12:00,14:00-16:00","Fr-Sa 18:00-02:00"],
		"petsAllowed":"Yes"}`
	pool = `{"name":"Lido","openingHoursSpecification":[
		{"dayOfWeek":"Monday","opens":"06:30","closes":"20:00","validFrom":"2027-05-01","validThrough":"2027-09-30"}]}`
	mug = `{"@type":"Product","name":"Moss Mug","weight":{"value":320,"unitCode":"GRM"},"color":["green","grey"],"material":"stoneware",
		"brand":{"@type":"Brand","name":"Kilnhouse"},"size":["S","M"],
		"additionalProperty":[{"name":"Dishwasher safe","value":"no"},{"name":"Mikrowellengeeignet","value":"ja"},
			{"name":"Capacity","value":350,"unitText":"ml"},{"name":"Glaze","value":"celadon"}],
		"aggregateRating":{"ratingValue":4.6,"reviewCount":32},
		"offers":{"price":"18.50","priceCurrency":"EUR","availability":"https://schema.org/OutOfStock",
			"shippingDetails":[
				{"shippingRate":{"value":4.9,"currency":"EUR"},"shippingDestination":{"addressCountry":["DE","AT"]},
				 "deliveryTime":{"handlingTime":{"minValue":0,"maxValue":1,"unitCode":"DAY"},"transitTime":{"minValue":2,"maxValue":3,"unitCode":"DAY"}}},
				{"shippingRate":{"value":0,"currency":"EUR"},"shippingDestination":{"addressCountry":"IT"}},
				{"doesNotShip":true,"shippingDestination":{"addressCountry":"US"}}],
			"warranty":{"durationOfWarranty":{"value":2,"unitCode":"ANN"}}}}`
	praline = `{"name":"Haselnusstaler","additionalProperty":[{"name":"Zutaten","value":"Zucker, Haselnüsse, Butter"},{"name":"Vegano","value":"no"}],
		"suitableForDiet":"https://schema.org/VegetarianDiet"}`
	recital = `{"@type":"MusicEvent","name":"Lute Night","startDate":"2027-05-09T19:30:00+02:00","endDate":"2027-05-09T22:00:00+02:00",
		"location":{"@type":"Place","name":"Old Barn","address":"Mill Lane 1"},"maximumAttendeeCapacity":120,
		"performer":{"name":"Ines Vale"},"offers":[{"name":"Adults","price":12,"priceCurrency":"GBP"},{"name":"Students","price":8,"priceCurrency":"GBP"}]}`
	barista  = `{"@type":"JobPosting","title":"Barista","baseSalary":{"currency":"GBP","value":{"minValue":13.2,"maxValue":14,"unitText":"HOUR"}}}`
	flat     = `{"@type":"Apartment","name":"Hayloft","checkinTime":"15:00","checkoutTime":"T10:30:00","petsAllowed":false,"numberOfRooms":3,"occupancy":{"maxValue":4},"floorSize":{"value":62.5,"unitCode":"MTK"}}`
	novel    = `{"@type":"Book","name":"Salt Roads","author":[{"name":"Mira Olsen"},{"name":"Jo Bell"}],"numberOfPages":1312,"inLanguage":"de","datePublished":"2026-03-01"}`
	variants = `{"@type":"ProductGroup","name":"Trail Tee","hasVariant":[
		{"color":"Red","size":"M","offers":{"price":20,"priceCurrency":"USD","availability":"InStock"}},
		{"color":"Blue","size":"M","offers":{"price":25,"priceCurrency":"USD","availability":"SoldOut"}}]}`
)

// noon is a Thursday.
var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func day(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC)
}

func TestAnswersAsAPersonWould(t *testing.T) {
	t.Parallel()
	type q = facts.Question
	for _, c := range []struct {
		object string
		q      facts.Question
		want   string
	}{
		{shop, q{Intent: "hours"}, "Fern & Finch is open Tuesday to Friday 10 am to 5 pm, Saturday and Sunday 10 am to 6 pm; closed on Monday."},
		{shop, q{Intent: "hours", Language: "de-AT"}, "Fern & Finch hat geöffnet: Dienstag bis Freitag 10:00 bis 17:00 Uhr, Samstag und Sonntag 10:00 bis 18:00 Uhr; montags geschlossen."},
		{shop, q{Intent: "hours", Language: "fr"}, "Fern & Finch ouvre du mardi au vendredi de 10:00 à 17:00, samedi et dimanche de 10:00 à 18:00 ; fermeture le lundi."},
		{shop, q{Intent: "hours", Language: "it"}, "Fern & Finch apre dal martedì al venerdì dalle 10:00 alle 17:00, sabato e domenica dalle 10:00 alle 18:00; chiusura il lunedì."},
		{shop, q{Intent: "hours", Language: "es"}, "Fern & Finch abre de martes a viernes de 10:00 a 17:00, sábado y domingo de 10:00 a 18:00; cierra los lunes."},
		{shop, q{Intent: "hours", Language: "pt"}, "Fern & Finch abre de terça-feira a sexta-feira das 10:00 às 17:00, sábado e domingo das 10:00 às 18:00; não abre às segundas-feiras."},
		{shop, q{Intent: "hours", Language: "ja"}, "Fern & Finchの営業時間は火曜日から金曜日 10:00～17:00、土曜日と日曜日 10:00～18:00です。月曜日は休みです。"},
		{shop, q{Intent: "hours", Now: day(12, 20)}, "Fern & Finch is open Tuesday to Friday 10 am to 5 pm, Saturday and Sunday 10 am to 6 pm; closed on Monday; " +
			"on Thursday, 24 December 2026 open from 10 am to 3 pm; closed on Friday, 25 December 2026; closed on Saturday, 26 December 2026."},
		{shop, q{Intent: "hours", When: facts.Every(time.Monday)}, "Fern & Finch is closed on Monday."},
		{shop, q{Intent: "open", When: facts.Every(time.Monday), Language: "it"}, "No, Fern & Finch non apre il lunedì (giorno di chiusura)."},
		{shop, q{Intent: "open", When: facts.Every(time.Sunday), Language: "de"}, "Ja, Fern & Finch hat sonntags von 10:00 bis 18:00 Uhr geöffnet."},
		{shop, q{Intent: "closes", When: facts.On(day(12, 24))}, "Fern & Finch closes on Thursday, 24 December 2026 at 3 pm."},
		{shop, q{Intent: "hours", When: facts.OnHoliday(day(12, 25)), Language: "fr"}, "Fern & Finch n’ouvre pas vendredi 25 décembre 2026 (jour de fermeture)."},
		{shop, q{Intent: "open", Now: noon}, "Yes, Fern & Finch is open now, until 5 pm."},
		{shop, q{Intent: "open", Now: noon.Add(-4 * time.Hour), Language: "es"}, "No, Fern & Finch no atiende ahora y abre hoy a las 10:00."},
		{shop, q{Intent: "open", Now: noon.Add(6 * time.Hour), Language: "de"}, "Nein, Fern & Finch hat jetzt geschlossen und öffnet morgen um 10:00 Uhr."},
		{shop, q{Intent: "open", Now: day(11, 30).Add(9 * time.Hour)}, "No, Fern & Finch is closed now and opens tomorrow at 10 am."},
		{shop, q{Intent: "open", Now: noon, When: facts.At(day(11, 27).Add(18 * time.Hour))}, "No, Fern & Finch is open tomorrow from 10 am to 5 pm."},
		{shop, q{Intent: "closes", Now: noon}, "Fern & Finch closes today at 5 pm."},
		{shop, q{Intent: "opens", Now: noon, Language: "pt"}, "Fern & Finch abre hoje às 10:00."},
		{bistro, q{Intent: "hours"}, "Chez Ondine is open Monday and Wednesday 10 am to noon and 2 pm to 4 pm, Friday and Saturday 6 pm to 2 am; closed on Tuesday, Thursday and Sunday."},
		{bistro, q{Intent: "open", Now: day(11, 28).Add(90 * time.Minute)}, "Yes, Chez Ondine is open now, until 2 am."},
		{bistro, q{Intent: "open", Now: day(11, 28).Add(3 * time.Hour), Language: "ja"}, "いいえ、Chez Ondineは現在営業時間外で、今日の18:00に開きます。"},
		{pool, q{Intent: "hours", Now: noon}, "Lido is open from 1 May 2027 to 30 September 2027: Monday 6:30 am to 8 pm; " +
			"closed on Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday."},
		{`{"name":"Kiosk","openingHours":"24/7"}`, q{Intent: "open", Now: noon}, "Yes, Kiosk is open now around the clock."},
		{`{"name":"Kiosk","openingHours":"24/7"}`, q{Intent: "hours", Language: "fr"}, "Kiosk ouvre tous les jours 24 heures sur 24."},

		{shop, q{Intent: "phone"}, "The phone number of Fern & Finch is +44 20 5550 0100."},
		{shop, q{Intent: "address"}, "Fern & Finch is at 3 Mill Row, Leeds LS1 1AA, United Kingdom."},
		{shop, q{Intent: "payment", Supposed: "visa"}, "Yes, Fern & Finch takes Cash, Visa, Mastercard."},
		{shop, q{Intent: "payment", Supposed: "Amex", Language: "it"}, "Fern & Finch non menziona Amex; menziona Cash, Visa, Mastercard."},
		{shop, q{Intent: "founder"}, "Fern & Finch was founded by Ada Finch."},
		{shop, q{Intent: "founded", Language: "fr"}, "La fondation de Fern & Finch date de 1987."},
		{shop, q{Intent: "access", Language: "it"}, "Sì, Fern & Finch è accessibile in sedia a rotelle."},
		{shop, q{Intent: "wifi"}, "No, Fern & Finch has no wifi."},
		{shop, q{Intent: "amenities"}, "Fern & Finch has Wheelchair accessible and Reading corner."},
		{shop, q{Intent: "contact-person"}, "The contact for Fern & Finch is Bo Lee (press@fern.example)."},
		{shop, q{Intent: "returns"}, "Fern & Finch: returns are accepted within 30 days; a return is free; return by post and in the shop."},
		{shop, q{Intent: "price-range", Language: "de"}, "Die Preisklasse von Fern & Finch ist ££."},
		{bistro, q{Intent: "pets", Language: "de"}, "Ja, Haustiere sind bei Chez Ondine erlaubt."},
		{flat, q{Intent: "pets", Language: "es"}, "No, no se admiten mascotas en Hayloft."},
		{flat, q{Intent: "check-in"}, "Check-in at Hayloft is from 3 pm."},
		{flat, q{Intent: "check-out", Language: "de"}, "Abreise bei Hayloft ist bis 10:30 Uhr."},
		{flat, q{Intent: "capacity"}, "Hayloft has room for up to 4."},
		{flat, q{Intent: "floor-size", Language: "fr"}, "La surface de Hayloft est de 62,5 m²."},

		{mug, q{Intent: "price"}, "Moss Mug costs €18.50."},
		{mug, q{Intent: "price", Language: "it"}, "Moss Mug costa 18,50 €."},
		{mug, q{Intent: "availability", Language: "it"}, "No, disponibilità di Moss Mug: non disponibile."},
		{mug, q{Intent: "dishwasher"}, "No, Moss Mug is not dishwasher safe."},
		{mug, q{Intent: "dishwasher", Language: "fr"}, "Non, Moss Mug ne passe pas au lave-vaisselle."},
		{mug, q{Intent: "property", Property: "microwave safe"}, "Yes, Moss Mug is microwave safe."},
		{mug, q{Intent: "property", Property: "glaze"}, "Moss Mug: Glaze – celadon."},
		{mug, q{Intent: "capacity"}, "Moss Mug has room for 350 ml."},
		{mug, q{Intent: "weight", Language: "ja"}, "Moss Mugの重さは320 gです。"},
		{mug, q{Intent: "colour", Supposed: "Green"}, "Yes, the colour of Moss Mug is green and grey."},
		{mug, q{Intent: "size", Supposed: "XS"}, "Moss Mug does not name XS; it names S and M."},
		{mug, q{Intent: "brand"}, "The brand of Moss Mug is Kilnhouse."},
		{mug, q{Intent: "rating"}, "Moss Mug is rated 4.6 out of 5 by 32 people."},
		{mug, q{Intent: "warranty", Language: "de"}, "Garantie auf Moss Mug: 2 Jahre."},
		{mug, q{Intent: "delivery-cost"}, "Delivery for Moss Mug costs €4.90 to Germany and Austria and free to Italy."},
		{mug, q{Intent: "delivery-cost", Country: "DE", Language: "de"}, "Der Versand nach Deutschland für Moss Mug kostet 4,90 €."},
		{mug, q{Intent: "delivery-cost", Country: "IT", Language: "fr"}, "La livraison en Italie pour Moss Mug est gratuite."},
		{mug, q{Intent: "delivery-time", Country: "AT"}, "Delivery to Austria for Moss Mug takes 2 to 4 days."},
		{mug, q{Intent: "delivery-countries", Country: "US", Language: "it"}, "No, per Moss Mug non è prevista la spedizione negli Stati Uniti."},
		{mug, q{Intent: "delivery-countries", Country: "AU"}, "The places of delivery for Moss Mug do not include Australia, but Germany, Austria and Italy."},
		{mug, q{Intent: "delivery-countries", Country: "IT"}, "Yes, delivery to Italy is offered for Moss Mug."},

		{praline, q{Intent: "allergens", Supposed: "hazelnuts"}, "Haselnusstaler lists Zucker, Haselnüsse, Butter."},
		{praline, q{Intent: "allergens", Supposed: "Butter", Language: "de"}, "Ja, Haselnusstaler nennt Butter."},
		{praline, q{Intent: "ingredients", Language: "de"}, "Zutaten von Haselnusstaler: Zucker, Haselnüsse, Butter."},
		{praline, q{Intent: "allergens", Supposed: "fish"}, "Haselnusstaler lists Zucker, Haselnüsse, Butter."},
		{praline, q{Intent: "vegan"}, "No, Haselnusstaler is not vegan."},
		{praline, q{Intent: "vegetarian", Language: "fr"}, "Oui, Haselnusstaler convient aux végétariens."},

		{recital, q{Intent: "date"}, "Lute Night takes place on 9 May 2027 at 7:30 pm until 10 pm."},
		{recital, q{Intent: "date", Language: "de"}, "Lute Night findet statt am 9. Mai 2027, 19:30 Uhr bis 22:00 Uhr."},
		{recital, q{Intent: "place"}, "Lute Night takes place at Old Barn, Mill Lane 1."},
		{recital, q{Intent: "price"}, "Lute Night costs £12 (Adults) and £8 (Students)."},
		{recital, q{Intent: "price", Variant: "students"}, "Lute Night costs £8."},
		{recital, q{Intent: "free"}, "No, Lute Night costs £12 (Adults) and £8 (Students)."},
		{`{"name":"Fair","isAccessibleForFree":true}`, q{Intent: "free", Language: "pt"}, "Sim, Fair é grátis."},
		{`{"name":"Fair","offers":{"price":0,"priceCurrency":"EUR"}}`, q{Intent: "price", Language: "de"}, "Fair ist kostenlos."},
		{mug, q{Intent: "material", Supposed: "Steingut", Language: "de"}, "Moss Mug besteht aus stoneware."},
		{recital, q{Intent: "capacity", Language: "es"}, "Capacidad de Lute Night: 120."},
		{barista, q{Intent: "jobs-pay"}, "Barista pays £13.20 to £14 per hour."},
		{novel, q{Intent: "author", Language: "de"}, "Salt Roads ist von Mira Olsen und Jo Bell."},
		{novel, q{Intent: "pages"}, "The number of pages of Salt Roads is 1,312."},
		{novel, q{Intent: "language", Language: "it"}, "Lingua di Salt Roads: tedesco."},
		{novel, q{Intent: "published", Language: "fr"}, "Salt Roads est paru le 1er mars 2026."},
		{variants, q{Intent: "price"}, "Trail Tee costs $20 (Red, M) and $25 (Blue, M)."},
		{variants, q{Intent: "availability", Variant: "blue"}, "No, Trail Tee is sold out."},
		{variants, q{Intent: "availability"}, "Yes, Trail Tee is in stock."},
	} {
		answer, ok := c.q.Answer(facts.Read([]byte(c.object)))
		if !ok || answer.Text != c.want {
			t.Errorf("%+v:\n got %q\nwant %q", c.q, answer.Text, c.want)
		}
		if ok && len(answer.Properties) == 0 {
			t.Errorf("%+v: %q has no evidence", c.q, answer.Text)
		}
	}
}

func TestSaysWhereAnAnswerIsFrom(t *testing.T) {
	t.Parallel()
	got, ok := facts.Question{Intent: "closes", When: facts.On(day(12, 24))}.Answer(facts.Read([]byte(mug)), facts.Read([]byte(shop)))
	want := facts.Answer{
		Text:   "Fern & Finch closes on Thursday, 24 December 2026 at 3 pm.",
		Values: []string{"3 pm"}, Properties: []string{"openingHoursSpecification", "specialOpeningHoursSpecification"}, Object: 1,
	}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Error(diff)
	}
	got, _ = facts.Question{Intent: "dishwasher"}.Answer(facts.Read([]byte(mug)))
	want = facts.Answer{
		Text: "No, Moss Mug is not dishwasher safe.", Values: []string{"no"}, Properties: []string{"additionalProperty"}, Verdict: facts.No,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSaysNothingThatIsNotStated(t *testing.T) {
	t.Parallel()
	type q = facts.Question
	for _, c := range []struct {
		object string
		q      facts.Question
	}{
		{mug, q{Intent: "hours"}},
		{mug, q{Intent: "author"}},
		{mug, q{Intent: "vegan"}},
		{mug, q{Intent: "allergens", Supposed: "milk"}},
		{mug, q{Intent: "property", Property: "voltage"}},
		{mug, q{Intent: "property"}},
		{mug, q{Intent: "delivery-time", Country: "IT"}},
		{mug, q{Intent: "unheard of"}},
		{shop, q{Intent: "check-in"}},
		{shop, q{Intent: "parking"}},
		{shop, q{Intent: "hours", When: facts.OnHoliday(day(4, 3))}}, // of usual weekdays nothing follows for a holiday
		{pool, q{Intent: "open", Now: noon}},                         // of other seasons neither
		{`{"name":"X","openingHours":"on weekends"}`, q{Intent: "hours"}},
		{`{"name":"X","openingHoursSpecification":[{"dayOfWeek":"Monday","opens":"10:00","closes":"12:00"},{"dayOfWeek":"weekends","opens":"10:00","closes":"12:00"}]}`,
			q{Intent: "open", When: facts.Every(time.Saturday)}}, // what could not be read may speak of it
		{`{"name":"X","offers":{"price":"ask us"}}`, q{Intent: "price"}},
		{`{"name":"X","offers":{}}`, q{Intent: "availability"}},
		{`{"name":"X"`, q{Intent: "price"}},
		{`"X"`, q{Intent: "price"}},
		{`{}`, q{Intent: "price"}},
	} {
		if answer, ok := c.q.Answer(facts.Read([]byte(c.object))); ok {
			t.Errorf("%s, %+v: %q", c.object, c.q, answer.Text)
		}
	}
	if answer, ok := (facts.Question{Intent: "price"}).Answer(facts.Object{}); ok {
		t.Errorf("the zero Object says %q", answer.Text)
	}
}
