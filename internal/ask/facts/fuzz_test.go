package facts

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzOpeningHoursText holds that any text gives hours within their bounds, and soon.
func FuzzOpeningHoursText(f *testing.F) {
	for _, seed := range []string{
		"Mo-Fr 09:00-18:00", "Mo,We 10:00-12:00,14:00-16:00", "24/7", "Sa-Mo 9am-5 p.m.; Su off", "PH 10-12",
		"Mo -", "\xff 9", "ſa 9-10", "Mo 9:00–",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		began := time.Now()
		rules, _ := readOpeningHours(written)
		if spent := time.Since(began); spent > time.Second {
			t.Fatalf("%d bytes took %s", len(written), spent)
		}
		if len(rules) > maxRules {
			t.Fatalf("%d rules", len(rules))
		}
		for _, r := range rules {
			for _, hours := range r.spans {
				if hours.from < 0 || hours.from >= dayMinutes || hours.to <= hours.from || hours.to > 2*dayMinutes ||
					r.days == 0 {
					t.Fatalf("%q: %+v", written, r)
				}
			}
		}
	})
}

// FuzzObjects holds that any object gives an answer with a sentence and its evidence, or none, for
// every intent, and soon.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		`{"name":"X","openingHoursSpecification":[{"dayOfWeek":["Monday"],"opens":"10:00","closes":"02:00"}],
			"telephone":["1",{"name":"2"}]}`,
		`{"offers":[{"price":"1e999"},{"lowPrice":3,"highPrice":2,"priceCurrency":7}],
			"weight":{"minValue":1,"maxValue":3,"unitCode":"KGM"}}`,
		`{"additionalProperty":[{"name":"Vegan","value":"ja"},{"name":{},"value":[]},"Wi-Fi"],
			"suitableForDiet":{"@id":"https://schema.org/VeganDiet"}}`,
		`{"offers":{"shippingDetails":{"shippingRate":{"value":3},
			"shippingDestination":[{"addressCountry":["DE","XX"]},"IT"],"deliveryTime":{"transitTime":{"maxValue":3}}}}}`,
		`[[[{"mainEntity":[{"startDate":"2026-01-01","endDate":"2025"}]}]]]`,
		`{"aggregateRating":{"ratingValue":"4"},"address":{"addressLocality":"{name}"}}`, `{"name":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, written []byte) {
		began := time.Now()
		object := Read(written)
		now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
		for name := range intents() {
			full := Question{Language: "ja", Country: "DE", Supposed: "milk", Variant: "M", Property: "vegan", Now: now}
			for _, q := range []Question{{}, full} {
				q.Intent = name
				answer, ok := q.Answer(object)
				if ok && (len(answer.Properties) == 0 || strings.TrimSpace(answer.Text) == "" ||
					!utf8.ValidString(answer.Text)) {
					t.Fatalf("%s of %q: %+v", name, written, answer)
				}
			}
		}
		if spent := time.Since(began); spent > 5*time.Second+time.Duration(len(written))*time.Millisecond {
			t.Fatalf("%d bytes took %s", len(written), spent)
		}
	})
}

func BenchmarkHoursAndPrice(b *testing.B) {
	written := []byte(`{"@type":"Museum","name":"Town Museum","telephone":"+44 1632 960 155",
		"address":{"streetAddress":"Mill Lane 1","addressLocality":"Leeds","postalCode":"LS1 1AA","addressCountry":"GB"},
		"openingHoursSpecification":[
			{"dayOfWeek":["Tuesday","Wednesday","Thursday","Friday"],"opens":"10:00","closes":"17:00"},
			{"dayOfWeek":["Saturday","Sunday"],"opens":"10:00","closes":"18:00"}],
		"specialOpeningHoursSpecification":{
			"opens":"00:00","closes":"00:00","validFrom":"2026-12-25","validThrough":"2026-12-26"},
		"offers":[{"name":"Adults","price":6,"priceCurrency":"GBP"},{"name":"Reduced","price":3,"priceCurrency":"GBP"}]}`)
	object := Read(written)
	hours := Question{Intent: "hours", Now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)}
	for _, bench := range []struct {
		name string
		run  func() (Answer, bool)
	}{
		{"read", func() (Answer, bool) { return Answer{}, len(Read(written).things) == 1 }},
		{"hours", func() (Answer, bool) { return hours.Answer(object) }},
		{"price", func() (Answer, bool) { return Question{Intent: "price"}.Answer(object) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := bench.run(); !ok {
					b.Fatal("no answer")
				}
			}
		})
	}
}
