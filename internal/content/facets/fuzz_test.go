package facets_test

import (
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
)

// FuzzReaders holds that readers of values never take more than there is, never end within a
// character, and that folding twice is folding once.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{"$1,299.00", "an hour and a half", "3. Juni 2026", "12 fl oz", "PT1H20M", "1½",
		"２０２６年", "1 1/2", "Crème", "h'x", "\xf3ȍ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		check := func(name string, n int) {
			if n < 0 || n > len(s) || utf8.ValidString(s) && !utf8.ValidString(s[:n]) {
				t.Fatalf("%s takes %d bytes of %q", name, n, s)
			}
		}
		value, n := facets.ReadNumber(s)
		check("ReadNumber", n)
		if value < 0 || value != value {
			t.Fatalf("ReadNumber(%q) = %v", s, value)
		}
		_, n = facets.ReadMoney(s)
		check("ReadMoney", n)
		_, n = facets.ReadMinutes(s)
		check("ReadMinutes", n)
		_, n = facets.ReadQuantity(s)
		check("ReadQuantity", n)
		from, to, n := facets.ReadDay(s, time.UTC)
		check("ReadDay", n)
		if to.Before(from) {
			t.Fatalf("ReadDay(%q) ends at %s before it begins at %s", s, to, from)
		}
		_, _, n = facets.ReadDayOf(s, 2026, time.UTC)
		check("ReadDayOf", n)
		if once := facets.Fold(s); facets.Fold(once) != once {
			t.Fatalf("Fold(%q) = %q, which folds to %q", s, once, facets.Fold(once))
		}
	})
}

// FuzzRead holds that any object, however broken, gives facts within the bounds: finite figures
// whose ranges are no inside out, short words that are UTF-8, and the same ones each time.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		product, recipe, `{"offers":{"@type":"AggregateOffer","lowPrice":1e400,"highPrice":"-3","offers":[{"price":"€ 1.299,00"}]}}`,
		`{"aggregateRating":{"ratingValue":"NaN","bestRating":0}}`, `{"totalTime":"PT99999999999H","startDate":"2026-02-30"}`, `{"suitableForDiet":[[["VeganDiet"]]]}`,
		`{"additionalProperty":[{"name":"Allergens","value":"nuts, milk"},{"name":"offers","value":3}]}`, `{"a":`, `[]`, "{\"color\":\"\xff\"}", `{"geo":{"latitude":"91","longitude":0}}`,
		`{"baseSalary":{"currency":"EUR","value":{"minValue":40000,"maxValue":"50000"}}}`, `{"allergens":"none","name":"vegan cake"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		read := facets.Read(object)
		if len(read.Figures) > 64 || len(read.Words) > 160 {
			t.Fatalf("%d figures and %d words of %q", len(read.Figures), len(read.Words), object)
		}
		for _, figure := range read.Figures {
			if !(figure.Low <= figure.High) || figure.High-figure.High != 0 || figure.Slot == "" {
				t.Fatalf("%+v of %q", figure, object)
			}
		}
		for _, word := range read.Words {
			if word.Text == "" || word.Slot == "" || utf8.RuneCountInString(word.Text) > 80 ||
				!utf8.ValidString(word.Text) {
				t.Fatalf("%+v of %q", word, object)
			}
		}
		if again := facets.Read(object); !reflect.DeepEqual(again, read) {
			t.Fatalf("%q reads as %+v, and then as %+v", object, read, again)
		}
	})
}
