package ask

import (
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

func TestAComparisonSaysWhichIsLowestOfWhatBothState(t *testing.T) {
	t.Parallel()
	item := func(name, object string) source { return source{Name: name, Facts: facets.Read([]byte(object))} }
	a := item("A", `{"offers":{"price":20,"priceCurrency":"EUR"},"aggregateRating":{"ratingValue":4.5,"ratingCount":3},"weight":"2 kg"}`)
	b := item("B", `{"offers":{"price":15.5,"priceCurrency":"EUR"},"aggregateRating":{"ratingValue":4.5,"ratingCount":9}}`)
	c := item("C", `{"offers":{"price":15.5,"priceCurrency":"USD"}}`)
	en := i18n.For("en")
	if got, want := compare(en, []source{a, b}, ""),
		"price: A €20, B €15.50; lowest: B. rating: A 4.5, B 4.5."; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got, want := compare(i18n.For("de"), []source{a, b}, facets.Price),
		"Preis: A 20 €, B 15,50 €; am niedrigsten: B."; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := compare(en, []source{a, c}, facets.Price); got != "" {
		t.Errorf("prices in two currencies are compared: %s", got)
	}
}
