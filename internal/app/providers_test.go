package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/policy"
)

const providerConfig = `site: {name: Example, url: "http://www.example.com:8080"}
terms:
  - match: {type: Recipe}
    access: blocked
  - match: {type: Review}
    access: open
    functions: {permit: [search]}
  - match: {path: /premium/**}
    access: licensed
    price: {model: per_access, rate: "0.02", currency: USD}
  - match: {path: /hidden/**}
    access: open
  - match: {}
    access: open
ramp: {enabled: true}
`

// TestWhatAnExchangeMakesOfAProvidersTerms holds the documents for edges and for those who read
// licences.
func TestWhatAnExchangeMakesOfAProvidersTerms(t *testing.T) {
	t.Parallel()
	m := openMarket(t, providerConfig)
	item := func(path, kind string) content.Item {
		at := "http://www.example.com:8080" + path
		return content.Item{URL: at, Types: []string{kind}, Name: "It", Object: []byte(fmt.Sprintf(`{"@type":%q,"name":"It","url":%q}`, kind, at))}
	}
	fill(t, m.App, item("/premium/a", "Article"), item("/premium/b", "Review"), item("/hidden/soup", "Recipe"),
		item("/news/b", "Review"))
	get := func(path string) (int, string, string) {
		w := send(m, posted("GET", path, ""))
		return w.Code, w.Body.String(), w.Header().Get("Content-Type")
	}
	const licensed = `<license><permits type="usage">all</permits><payment type="purchase"><custom>` + marketURL + `/.well-known/ramp-exchange.json</custom><amount currency="USD">0.02</amount></payment></license>`
	const review = `<license><permits type="usage">search</permits><payment type="free"/></license>`
	const free = `<license><permits type="usage">all</permits><payment type="free"/></license>`
	line := func(path, license string) string {
		return `  <content url="http://www.example.com:8080` + path + `">` + license + "</content>\n"
	}
	status, text, kind := get("/desk/provider/www.example.com/rsl.txt")
	for _, want := range []string{
		line("/premium/", licensed), line("/premium/b$", review), line("/news/b$", review),
		line("/hidden/", policy.RSLNothing), line("/", free),
	} {
		if status != 200 || kind != "application/rsl+xml" || !strings.Contains(text, want) {
			t.Errorf("%d %s: %s is not in\n%s", status, kind, want, text)
		}
	}
	if strings.Contains(text, "soup") {
		t.Errorf("what may not be found is told:\n%s", text)
	}
	if _, own, _ := get("/desk/rsl.txt"); own != text {
		t.Errorf("of the host that was asked:\n%s", own)
	}
	fill(t, m.App, item("/premium/a", "Article"), item("/elsewhere/soup", "Recipe"))
	m.clock.Advance(2 * time.Minute)
	if _, text, _ := get("/desk/rsl.txt"); strings.Contains(text, line("/", free)) || strings.Contains(text, "soup") {
		t.Errorf("more is said than is so:\n%s", text)
	}
	if status, text, _ := get("/desk/provider/www.example.com/ramp.json"); status != 200 || !strings.Contains(text, `"provider": "www.example.com"`) {
		t.Errorf("%d %s", status, text)
	}
	for _, path := range []string{
		"/desk/provider/other.example/ramp.json", "/desk/provider/other.example/rsl.txt",
		"/desk/provider/a*b/ramp.json",
	} {
		if status, text, _ := get(path); status != 404 || !strings.Contains(text, "not_found") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}
