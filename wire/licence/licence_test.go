package licence

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// TestPaymentsAreModelsOfPrices has every row of the table of RSL's payments (RAMP v1, Ingestion),
// and what has no row.
func TestPaymentsAreModelsOfPrices(t *testing.T) {
	t.Parallel()
	rows := map[string]string{
		"crawl": "per_fetch", "purchase": "per_access", "subscription": "subscription", "free": "free",
		"attribution":  "attribution",
		"contribution": "contribution", "training": "training", "use": "per_token", "inference": "per_token",
		"Crawl": "per_fetch",
		"none":  "", "": "", "barter": "",
	}
	for payment, model := range rows {
		if got, known := ModelOf(payment); got != model || known != (model != "") {
			t.Errorf("%s is %q, %t, and not %q", payment, got, known, model)
		}
	}
	if len(models) != 9 {
		t.Errorf("there are %d payments", len(models))
	}
	for model, payment := range map[string]string{
		"per_access": "purchase", "flat": "purchase", "per_fetch": "crawl", "per_token": "use",
		"subscription": "subscription",
		"training":     "training", "free": "free", "attribution": "attribution", "contribution": "contribution",
		"per_page": "", "per_minute": "", "per_record": "", "revenue_share": "", "": "",
	} {
		if got, known := PaymentOf(model); got != payment || known != (payment != "") {
			t.Errorf("%s is %q, %t, and not %q", model, got, known, payment)
		}
	}
}

// TestModelsOfSitemapsAreModelsOfPrices has every row of the models that RAMP sitemaps name.
func TestModelsOfSitemapsAreModelsOfPrices(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]string{
		"per_article": "per_access", "per_token": "per_token", "per_crawl": "per_fetch", "subscription": "subscription",
		"free":        "free",
		"attribution": "attribution", "contribution": "contribution", "training": "training",
	} {
		for _, spelt := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, "_", "-")} {
			if got, known := SitemapModel(spelt); got != model || !known {
				t.Errorf("%s is %q, %t, and not %q", spelt, got, known, model)
			}
		}
		if got, known := SitemapName(model); got != name || !known {
			t.Errorf("%s is written %q, %t, and not %q", model, got, known, name)
		}
	}
	for _, none := range []string{"", "per_page", "none", "purchase"} {
		if got, known := SitemapModel(none); known {
			t.Errorf("%q is %q", none, got)
		}
	}
	if got, _ := SitemapName("flat"); got != "per_article" {
		t.Errorf("flat is written %q", got)
	}
	if got, known := SitemapName("per_minute"); known {
		t.Errorf("per_minute is written %q", got)
	}
}

func TestUsagesAreFunctions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"all": "all", "ai-all": "ai-all", "ai-train": "ai-train", "ai-input": "ai-input", "ai-index": "ai-index",
		"search":   "search",
		"AI-Train": "ai-train", "train-ai": "ai-train", "Telepathy": "telepathy",
	} {
		if got := Function(name); got != want {
			t.Errorf("%s is %s, and not %s", name, got, want)
		}
	}
}

const whole = `<?xml version="1.0" encoding="UTF-8"?>
<!-- as the wild has it -->
<r:rsl xmlns:r="https://rslstandard.org/rsl" xmlns:x="https://example.com/x" max-age="7">
  <r:content url="/a/*" server="https://licences.example" encrypted="true" lastmod="2026-01-02">
    <x:more><x:license>no licence</x:license></x:more>
    <r:schema>https://a.example/schema</r:schema>
    <r:alternate type="text/markdown">https://a.example/a.md</r:alternate>
    <r:copyright type="organization" contactEmail="a@a.example" contactUrl="https://a.example/who">A &amp; B</r:copyright>
    <r:terms>https://a.example/terms</r:terms>
    <r:license>
      <r:permits type="usage">Train-AI, search</r:permits>
      <r:permits type="geo">de  fr</r:permits>
      <r:prohibits type="user">Commercial</r:prohibits>
      <r:prohibits type="weather">rain</r:prohibits>
      <r:payment type="Purchase"><r:standard>https://a.example/std</r:standard><r:custom>https://a.example/buy</r:custom><r:amount currency="eur">0.05</r:amount></r:payment>
      <r:reporting>monthly</r:reporting>
    </r:license>
    <r:license><r:permits></r:permits><r:payment type="barter"/></r:license>
  </r:content>
  <r:content url=" https://a.example/b$ "/>
</r:rsl>`

var wholeRead = &Document{Contents: []Content{
	{
		URL: "/a/*", Server: "https://licences.example", Encrypted: true, Modified: "2026-01-02",
		Terms:  "https://a.example/terms",
		Schema: "https://a.example/schema", Alternate: []string{"https://a.example/a.md"},
		Copyright: Copyright{"A & B", "a@a.example", "https://a.example/who"},
		Licenses: []License{
			{
				Permits:   Lists{Usage: []string{"ai-train", "search"}, Geo: []string{"DE", "FR"}},
				Prohibits: Lists{User: []string{"commercial"}}, Reporting: "monthly", Unread: `<prohibits type="weather">`,
				Payments: []Payment{{Type: "purchase", Amount: "0.05", Currency: "EUR",
					Standard: "https://a.example/std", Custom: "https://a.example/buy"}},
			},
			{Permits: Lists{Usage: []string{}}, Payments: []Payment{{Type: "barter"}}},
		},
	},
	{URL: "https://a.example/b$"},
}}

func utf16Of(text string, big bool) []byte {
	out := []byte{0xff, 0xfe}
	if big {
		out = []byte{0xfe, 0xff}
	}
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func TestDocumentsAreReadAsTheyAreFound(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{
		"as written": []byte(whole), "with a mark": []byte("\ufeff" + whole),
		"after blank lines":     []byte("\n\n" + whole),
		"without a namespace":   []byte(strings.NewReplacer("r:", "", "xmlns:r=", "a=").Replace(whole)),
		"in another":            []byte(strings.ReplaceAll(whole, `"https://rslstandard.org/rsl"`, `"https://rslcollective.org/rsl"`)),
		"UTF-16":                utf16Of(strings.Replace(whole, "UTF-8", "UTF-16", 1), false),
		"UTF-16, the other way": utf16Of(whole, true),
		"Latin 1":               []byte(strings.Replace(whole, "UTF-8", "ISO-8859-1", 1)),
	} {
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(wholeRead, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestDocumentsThatCouldDoHarmAreRefused(t *testing.T) {
	t.Parallel()
	many := func(n int, text string) string { return strings.Repeat(text, n) }
	for name, text := range map[string]string{
		"nothing": "", "no XML": "hello", "a page": "<!doctype html><html><body>404</body></html>",
		"another document":  "<urlset></urlset>",
		"cut":               whole[:len(whole)-20],
		"an entity":         `<!DOCTYPE rsl [<!ENTITY a SYSTEM "file:///etc/passwd">]><rsl><content url="/"><terms>&a;</terms></content></rsl>`,
		"a bomb":            `<!DOCTYPE rsl [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><rsl><content url="&b;"/></rsl>`,
		"an unknown entity": `<rsl><content url="/"><terms>&a;</terms></content></rsl>`,
		"an encoding":       `<?xml version="1.0" encoding="x-klingon"?><rsl></rsl>`,
		"depth":             "<rsl>" + many(100_000, "<a>"),
		"contents":          "<rsl>" + many(MaxContents+1, `<content url="/"/>`) + "</rsl>",
		"licences":          `<rsl><content url="/">` + many(maxLicenses+1, "<license/>") + "</content></rsl>",
		"words":             `<rsl><content url="/"><license><permits>` + many(maxTokens+1, "a") + "</permits></license></content></rsl>",
		"text":              `<rsl><content url="/"><terms>` + many(maxText+1, "a") + "</terms></content></rsl>",
		"an address":        `<rsl><content url="/` + many(maxURL, "a") + `"/></rsl>`,
		"two roots":         `<rsl></rsl><rsl></rsl>`,
		"size":              "<rsl>" + many(MaxBytes, " ") + "</rsl>",
	} {
		if name == "words" {
			var b strings.Builder
			for i := range maxTokens + 1 {
				b.WriteString(" w" + strings.Repeat("x", i%40) + string(rune('a'+i%26)) + strings.Repeat("y", i/40))
			}
			text = `<rsl><content url="/"><license><permits>` + b.String() + "</permits></license></content></rsl>"
		}
		if d, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s is read: %+v", name, d)
		}
	}
}

func TestFeedsCarryLicencesInRSLsNamespaceAlone(t *testing.T) {
	t.Parallel()
	rss := `<rss version="2.0" xmlns:rsl="https://rslstandard.org/rsl"><channel><link>https://a.example/</link>
		<rsl:content url="/all/"><rsl:license><rsl:payment type="free"/></rsl:license></rsl:content>
		<item><title>x</title><content>no</content><rsl:license><rsl:permits>search</rsl:permits></rsl:license><rsl:license/><link>https://a.example/1</link></item>
		<item><link>https://a.example/2</link><rsl:content><rsl:license/></rsl:content></item>
		<item><link>https://a.example/3</link><license>MIT</license></item>
	</channel></rss>`
	atom := `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:l="https://rslstandard.org/rsl"><entry><link rel="self" href="https://a.example/self"/>
		<link href="https://a.example/1"/><content type="html">no</content><l:content><l:license><l:payment type="use"/></l:license></l:content></entry></feed>`
	for text, want := range map[string][]Content{
		rss: {
			{URL: "/all/", Licenses: []License{{Payments: []Payment{{Type: "free"}}}}},
			{URL: "https://a.example/1", Licenses: []License{{Permits: Lists{Usage: []string{"search"}}}, {}}},
			{URL: "https://a.example/2", Licenses: []License{{}}},
		},
		atom: {{URL: "https://a.example/1", Licenses: []License{{Payments: []Payment{{Type: "use"}}}}}},
	} {
		got, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Contents); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDocumentsAreFoundWhereTheyAreNamed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`<https://a.example/l.xml>; rel="license"; type="application/rsl+xml"`:                       {"https://a.example/l.xml"},
		`</a>; rel=next, </l.xml>; type=application/rsl+xml; rel="copyright LICENSE", <b>; rel=last`: {"/l.xml"},
		`</l.xml>; title="a, <b>; rel=\"license\""; rel="license"; type="application/rsl+xml"`:       {"/l.xml"},
		`</l.xml>; rel="license"; type="text/html"`:                                                  nil,
		`</l.xml>; rel="license"`:                               nil,
		`</l.xml>; rel="nolicense"; type="application/rsl+xml"`: nil,
		`<`: nil, `</l.xml`: nil, ``: nil,
	} {
		if got := FromLink([]string{line}); !cmp.Equal(got, want) {
			t.Errorf("%s: %q", line, got)
		}
	}
	page := `<!doctype html><head><LINK REL="license" TYPE="application/rsl+xml" HREF=" /l.xml "><link rel=license href=/mit.txt>
		<link rel="stylesheet" type="application/rsl+xml" href="/no.css"><!-- <link rel="license" type="application/rsl+xml" href="/comment"> -->
		<script type="application/rsl+xml"> <rsl><content url="/"/></rsl> </script><script>"<rsl/>"</script>
		<script type="application/rsl+xml" src="/s.xml"></script>`
	on := FromPage([]byte(page + `<link rel="alternate" type="application/rss+xml" href="/feed"><link rel="alternate" hreflang="de" href="/de">`))
	documents := on.Documents
	if diff := cmp.Diff([]string{"/feed"}, on.Feeds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/l.xml", "/s.xml"}, on.Links); diff != "" {
		t.Error(diff)
	}
	if len(documents) != 1 || string(documents[0]) != `<rsl><content url="/"/></rsl>` {
		t.Errorf("documents: %q", documents)
	}
}

func TestWhatASitemapStatesIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	s := Stated{}
	for _, one := range [][3]string{
		{"tokens", " 1,200 "}, {"wordcount", "900"}, {"content-id", "a-1"}, {"pricing-model", "per_article"},
		{"rate", "0.05", "eur"},
		{"permits", "ai-input, search"}, {"prohibits", "train-ai"}, {"content-type", "Text"},
		{"author", "A. One, B. Two ,"}, {"source-type", "human"}, {"more", "x"},
	} {
		s.Set(one[0], one[1], one[2])
	}
	want := Stated{
		Tokens: 1200, Words: 900, ContentID: "a-1", Model: "per_access", Rate: "0.05", Currency: "EUR",
		Permits:   []string{"ai-input", "search"},
		Prohibits: []string{"ai-train"}, ContentType: "text", Authors: []string{"A. One", "B. Two"},
		SourceType: "human", Priced: true,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	const text = `<ramp:content><ramp:tokens>1200</ramp:tokens><ramp:content-id>a-1</ramp:content-id><ramp:wordcount>900</ramp:wordcount><ramp:pricing-model>per_article</ramp:pricing-model>` +
		`<ramp:rate currency="EUR">0.05</ramp:rate><ramp:permits>ai-input search</ramp:permits><ramp:prohibits>ai-train</ramp:prohibits><ramp:content-type>text</ramp:content-type>` +
		`<ramp:author>A. One, B. Two</ramp:author><ramp:source-type>human</ramp:source-type></ramp:content>`
	if got := s.XML(); got != text {
		t.Errorf("it is written\n%s\nand not\n%s", got, text)
	}
	var none Stated
	for _, one := range [][2]string{{"tokens", "many"}, {"wordcount", "-1"}, {"tokens", "99999999999999999999"},
		{"pricing-model", ""}} {
		none.Set(one[0], one[1], "")
	}
	if !cmp.Equal(none, Stated{}) || none.XML() != "<ramp:content></ramp:content>" {
		t.Errorf("%+v %s", none, none.XML())
	}
	none.Set("pricing-model", "by_weight", "")
	none.Set("permits", " ", "")
	if !none.Priced || none.Model != "" || none.Permits == nil {
		t.Errorf("a price of a model that is not known is none: %+v", none)
	}
}

func TestTheExtensionIsKnownByItsNamespace(t *testing.T) {
	t.Parallel()
	declared := map[string]string{"r": "https://ramp.dev/sitemap/1.0/", "ramp": "https://example.com/other"}
	for _, one := range []struct {
		prefix, local string
		prefixes      map[string]string
		is            bool
	}{{"r", "content", declared, true}, {"ramp", "content", declared, false}, {"ramp", "content", nil, true},
		{"", "content", nil, false}, {"r", "tokens", declared, false}} {
		if got := IsContent(xml.Name{Space: one.prefix, Local: one.local}, one.prefixes); got != one.is {
			t.Errorf("%+v: %t", one, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add(utf16Of(whole, true))
	f.Add([]byte(`<rss xmlns:rsl="https://rslstandard.org/rsl"><item><rsl:license/><link>/a</link></item></rss>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		FromPage(text)
		FromLink([]string{string(text)})
		if err != nil {
			return
		}
		if len(d.Contents) > MaxContents {
			t.Errorf("%d contents", len(d.Contents))
		}
		for _, c := range d.Contents {
			if len(c.Licenses) > maxLicenses || len(c.URL) > maxURL {
				t.Errorf("%d licences of an address of %d bytes", len(c.Licenses), len(c.URL))
			}
			for _, l := range c.Licenses {
				for _, function := range l.Permits.Usage {
					if function == "" || Function(function) != function {
						t.Errorf("the function %q", function)
					}
				}
			}
		}
	})
}

// TestTextIsThatOfEitherOrder holds what is read of UTF-16 against what was written, and finds what
// is damaged.
func TestTextIsThatOfEitherOrder(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"<rsl>", "<a>ö€😀</a>", "[1]"} {
		for _, big := range []bool{false, true} {
			marked := utf16Of(text, big)
			for name, document := range map[string][]byte{"marked": marked, "bare": marked[2:]} {
				if got, err := Text(document); err != nil || string(got) != text {
					t.Errorf("%s %q, big %t: %q, %v", name, text, big, got, err)
				}
				if got, err := Text(document[:len(document)-1]); err == nil ||
					!strings.Contains(err.Error(), "breaks off") {
					t.Errorf("%s %q, big %t, cut: %q, %v", name, text, big, got, err)
				}
				lone := append(bytes.Clone(document), map[bool][]byte{true: {0xdc, 0x00}, false: {0x00, 0xdc}}[big]...)
				if got, err := Text(lone); err == nil ||
					!strings.Contains(err.Error(), fmt.Sprintf("at byte %d", len(document))) ||
					string(got) != text+"\ufffd" {
					t.Errorf("%s %q, big %t, half a pair: %q, %v", name, text, big, got, err)
				}
			}
		}
	}
	for _, same := range []string{"", "<", "<rsl>", "\ufeff<rsl>", "ö", "\x00\x00", "\xff"} {
		if got, err := Text([]byte(same)); err != nil || string(got) != same {
			t.Errorf("%q became %q, %v", same, got, err)
		}
	}
}
