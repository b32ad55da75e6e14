package policy

import (
	"strings"
	"testing"
)

const rslText = `<?xml version="1.0"?>
<rsl xmlns="https://rslstandard.org/rsl">
  <content url="/">
    <license><permits type="usage">search</permits></license>
  </content>
  <content url="/open/*">
    <license><permits type="usage">all</permits><payment type="attribution"/></license>
  </content>
  <content url="/paid/">
    <license><permits type="usage">search</permits></license>
    <license><permits type="usage">ai-all</permits><payment type="purchase"><amount currency="USD">5</amount></payment></license>
  </content>
  <content url="https://shop.example/study/*.html$">
    <license>
      <permits type="usage">ai-input, search</permits><prohibits type="usage">ai-train</prohibits>
      <permits type="user">education</permits><prohibits type="geo">us</prohibits>
    </license>
  </content>
  <content url="/open/closed"><license><permits type="usage"></permits></license></content>
  <content url="/silent"></content>
</rsl>`

func TestRSLDocumentsNarrowWhatTheRulesAllow(t *testing.T) {
	t.Parallel()
	document, err := ParseRSL("rsl.xml", []byte(rslText))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Options{RSL: []*RSL{document}}.New([]Rule{{Match: Match{Path: []string{"/mine/**"}}, Access: Open,
		Imported: "ignore"}, {Access: Open}})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		url  string
		use  Use
		want Refusal
	}{
		{"https://a.example/x", Use{Function: "search"}, Permitted},
		{"https://a.example/x", Use{Function: "ai-input"}, OwnTermsRefuse},
		{"https://a.example", Use{Function: "ai-input"}, OwnTermsRefuse},
		{"https://a.example/mine/x", Use{Function: "ai-input"}, Permitted},
		{"https://a.example/open/x", Use{Function: "ai-train"}, Permitted},
		{"https://a.example/open", Use{Function: "ai-train"}, Permitted}, // which is the folder itself
		{"https://a.example/open/closed", Use{Function: "search"}, OwnTermsRefuse},
		{"https://a.example/open/%63losed/", Use{Function: "search"}, OwnTermsRefuse},
		{"https://a.example/paid/x", Use{Function: "search"}, Permitted},
		{"https://a.example/paid/x", Use{Function: "ai-input"}, OwnTermsRefuse},
		{"https://shop.example/study/x.html", Use{Function: "ai-input", User: "education"}, Permitted},
		{"https://shop.example/study/x.html#c", Use{Function: "ai-input", User: "education", Country: "DE"}, Permitted},
		// the pattern ends before the query
		{"https://shop.example/study/x.html?a=b#c", Use{Function: "ai-input", User: "education", Country: "DE"},
			OwnTermsRefuse},
		{"https://shop.example/study/x.html", Use{Function: "ai-input"}, OwnTermsRefuse},
		{"https://shop.example/study/x.html", Use{Function: "ai-input", User: "education", Country: "US"},
			OwnTermsRefuse},
		{"https://shop.example/study/x.html", Use{Function: "ai-train", User: "education"}, OwnTermsRefuse},
		// the pattern ends
		{"https://shop.example/study/x.pdf", Use{Function: "search"}, Permitted},
		// another host's
		{"https://other.example/study/x.html", Use{Function: "ai-input", User: "education"}, OwnTermsRefuse},
		// nobody can say what is permitted
		{"https://a.example/silent", Use{Function: "ai-train"}, OwnTermsRefuse},
	} {
		if got := rules.Decide(page(one.url)).Permits(one.use); got != one.want {
			t.Errorf("%s for %+v: %q, want %q", one.url, one.use, got, one.want)
		}
	}
	unclear, err := Options{RSL: []*RSL{document}}.New([]Rule{{Access: Open}})
	if err != nil {
		t.Fatal(err)
	}
	if got := unclear.Decide(page("not an address")).Permits(Use{Function: "search"}); got != OwnTermsRefuse {
		t.Errorf("an address that cannot be read: %q", got)
	}
	if plain := mustNew(t, Rule{Access: Open}); plain.Version() == rules.Version() || !plain.OpensAll() ||
		rules.OpensAll() {
		t.Error("the documents make no difference to what the terms are")
	}
	e := rules.Explain(page("https://a.example/paid/x"))
	if len(e.Imported) != 1 ||
		!strings.Contains(e.Imported[0].String(), "functions only search; or price per_access 5 USD, functions only "+
			"ai-all (rsl.xml, /paid/)") {
		t.Errorf("the explanation says %v", e.Imported)
	}
}

func TestRSLDocumentsThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":                                         "no XML",
		"<rsl>":                                    "no XML",
		"<urlset></urlset>":                        "root is <urlset>",
		`<rsl><content/></rsl>`:                    "write an address",
		`<rsl><content url="a"/></rsl>`:            "write an address",
		`<rsl><content url="/a#b"/></rsl>`:         "hash sign",
		`<rsl><content url="https:///a"/></rsl>`:   "host",
		strings.Repeat(" ", maxRSL+1):              "more than",
		`<rsl><content url="https://a b/"/></rsl>`: "address",
	} {
		if _, err := ParseRSL("rsl.xml", []byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: %v, want %q", text, err, says)
		}
	}
}

func TestMarkupSaysWhatAnItemIsFor(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ typ, members, want string }{
		{"Article", `"name":"x"`, ""},
		{"Article", `"isAccessibleForFree":true`, ""},
		{"NewsArticle", `"isAccessibleForFree":false`, "not free to read (isAccessibleForFree)"},
		{"Article", `"isAccessibleForFree":"False"`, "not free to read (isAccessibleForFree)"},
		{"Article", `"isAccessibleForFree":"https://schema.org/False"`, "not free to read (isAccessibleForFree)"},
		{"Article", `"isAccessibleForFree":"perhaps"`, ""},
		{"Recipe", `"isAccessibleForFree":false`, ""}, // neither an article nor a page
		{"Article", `"license":"https://creativecommons.org/licenses/by/4.0/"`, ""},
		{"Recipe", `"license":"https://creativecommons.org/licenses/by-nc-sa/4.0/"`, "users not commercial (license https://creativecommons.org/licenses/by-nc-sa/4.0/)"},
		{"Recipe", `"license":{"@type":"CreativeWork","url":"http://www.creativecommons.org/licenses/BY-NC/3.0"}`, "users not commercial (license http://www.creativecommons.org/licenses/BY-NC/3.0)"},
		{"Recipe", `"license":[{"@id":"https://creativecommons.org/licenses/by-nc/4.0/"}]`, "users not commercial (license https://creativecommons.org/licenses/by-nc/4.0/)"},
		{"Recipe", `"license":"https://example.com/licenses/by-nc/4.0/"`, ""},
		{"Recipe", `"license":"by-nc"`, ""},
		{"Recipe", `"license":7`, ""},
	} {
		own, got := Markup([]string{one.typ}, []byte(`{"@type":"x",`+one.members+`}`), isA), ""
		if own != nil {
			got = own.String()
		}
		if got != one.want {
			t.Errorf("a %s with %s: %q, want %q", one.typ, one.members, got, one.want)
		}
	}
}

func FuzzRSL(f *testing.F) {
	f.Add(rslText, "https://a.example/open/x")
	f.Add(`<rsl><content url="/**a*b*$"><license/></content></rsl>`, "https://a.example/aab")
	f.Fuzz(func(t *testing.T, text, address string) {
		document, err := ParseRSL("x", []byte(text))
		if err != nil {
			return
		}
		loose, _ := New([]Rule{{Access: Open}})
		narrow, err := Options{RSL: []*RSL{document}}.New([]Rule{{Access: Open}})
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range plainFunctions {
			use := Use{Function: function, User: "education", Country: "DE"}
			if narrow.Decide(page(address)).Permits(use) == Permitted &&
				loose.Decide(page(address)).Permits(use) != Permitted {
				t.Fatalf("a document widens what the rules allow: %s", function)
			}
		}
	})
}

func TestPatternsOfRSLMatchAsThoseOfRobots(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		pattern, path string
		want          bool
	}{
		{"/", "/", true}, {"/", "/a", true}, {"/a", "/ab", true}, {"/a$", "/ab", false}, {"/a$", "/a", true},
		{"/a/", "/a", true}, {"/a/", "/ab", false},
		{"/*.pdf$", "/x/y.pdf", true}, {"/*.pdf$", "/x/y.pdfx", false}, {"/*.pdf", "/x/y.pdfx", true},
		{"*/b", "/a/b/c", true}, {"/a*b*c$", "/aXbYbZc", true},
		{"/a*b*c$", "/aXbYbZ", false}, {"/**", "/", true}, {"/%61", "/a", true}, {"/A", "/a", false},
		{"/a*$", "/abc", true},
		{"/a?", "/a?b=c", true}, {"/a?", "/a", false}, {"/a?b=*", "/a?b=c", true}, {"/a$", "/a?b", false},
		{"/a?b$", "/a?b", true}, {"/*?b=", "/x/y?b=1", true}, {"/*b=", "/x/y?b=1", true},
	} {
		document, err := ParseRSL("x", []byte(`<rsl><content url="`+one.pattern+`"><license/></content></rsl>`))
		if err != nil {
			t.Fatal(err)
		}
		if got := document.own(&subject{Facts: page("https://a.example" + one.path)}) != nil; got != one.want {
			t.Errorf("%s on %s: %t", one.pattern, one.path, got)
		}
	}
}

func FuzzMarkup(f *testing.F) {
	f.Add(`{"isAccessibleForFree":false,"license":"https://creativecommons.org/licenses/by-nc/4.0/"}`)
	f.Add(`{"isAccessibleForFree":["False"],"license":[{"@id":"x"}]}`)
	f.Add(`{"license":[[[[[[]]]]]]}`)
	f.Fuzz(func(t *testing.T, object string) {
		own := Markup([]string{"Article"}, []byte(object), isA)
		facts := page("https://example.com/")
		facts.Own = own
		loose, narrow := mustNew(t, Rule{Access: Open}).Decide(page("https://example.com/")),
			mustNew(t, Rule{Access: Open}).Decide(facts)
		for _, user := range append(users, "") {
			use := Use{Function: "search", User: user}
			if narrow.Permits(use) == Permitted && loose.Permits(use) != Permitted || own != nil && own.String() == "" {
				t.Fatalf("%s widens what the rules allow, or says nothing: %v", object, own)
			}
		}
	})
}

// TestContentWithoutALicenceIsReadAsFarAsItCan has payments and permissions that stand in no
// <license>, as documents in the wild have them: contents of one pattern are alternatives. Whatever
// cannot be read so permits nothing, and is told.
func TestContentWithoutALicenceIsReadAsFarAsItCan(t *testing.T) {
	t.Parallel()
	document, err := ParseRSL("rsl.xml", []byte(`<rsl xmlns="https://rslstandard.org/rsl">
  <content url="/premium/*">
    <permits type="usage">search</permits>
    <prohibits type="usage">ai-train ai-index</prohibits>
    <payment type="free"/>
  </content>
  <content url="/premium/*">
    <permits type="usage">ai-train</permits>
    <prohibits type="usage"></prohibits>
    <payment type="purchase" currency="EUR" amount="0.30"/>
  </content>
  <content url="/cited/"><payment type="attribution"><standard>https://a.example/terms</standard></payment></content>
  <content url="/empty/"><terms>https://a.example/terms</terms></content>
  <content url="/prohibits-nothing/"><prohibits type="usage"></prohibits></content>
  <content url="/asks/" server="https://licences.example"/>
  <content url="/deep/"><licence><permits type="usage">all</permits><payment type="free"/></licence></content>
  <content url="/beside/"><license><payment type="free"/></license><prohibits type="usage">ai-train</prohibits></content>
</rsl>`))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Options{RSL: []*RSL{document}}.New([]Rule{{Access: Open}})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		path, function string
		want           Refusal
	}{
		{"/premium/x", "search", Permitted},
		{"/premium/x", "ai-train", OwnTermsRefuse}, // which costs something
		{"/premium/x", "ai-index", OwnTermsRefuse},
		{"/cited/x", "ai-train", Permitted},
		{"/empty/x", "search", OwnTermsRefuse},
		{"/prohibits-nothing/x", "search", OwnTermsRefuse},
		{"/asks/x", "search", OwnTermsRefuse},
		{"/deep/x", "search", OwnTermsRefuse},
		{"/beside/x", "search", OwnTermsRefuse},
		{"/else", "ai-train", Permitted},
	} {
		if got := rules.Decide(page("https://a.example" + one.path)).Permits(Use{Function: one.function}); got !=
			one.want {
			t.Errorf("%s for %s: %q, want %q", one.path, one.function, got, one.want)
		}
	}
	decision := rules.Decide(page("https://a.example/premium/x"))
	if len(decision.Own) != 1 || len(decision.Own[0].Paid) != 1 ||
		decision.Own[0].Paid[0].Price.String() != "per_access 0.3 EUR" {
		t.Errorf("the price: %+v", decision.Own)
	}
	told := strings.Join(document.Unread(), "\n")
	for _, path := range []string{"/empty/", "/prohibits-nothing/", "/asks/", "/deep/", "/beside/"} {
		if strings.Count(told, `"`+path+`"`) != 1 {
			t.Errorf("of %s is told:\n%s", path, told)
		}
	}
	if len(document.Unread()) != 5 || !strings.Contains(told, "https://licences.example") {
		t.Errorf("it is told:\n%s", told)
	}
}

func TestALicenceThatCannotBeReadPermitsNothing(t *testing.T) {
	t.Parallel()
	document, err := ParseRSL("rsl.xml", []byte(`<rsl xmlns="https://rslstandard.org/rsl" xmlns:x="https://x.example/">
  <content url="/type/"><license><permits type="use">search</permits></license></content>
  <content url="/prohibits/"><license><prohibits type="uses">ai-train</prohibits></license></content>
  <content url="/slip/"><license><permit type="usage">search</permit></license></content>
  <content url="/direct/"><prohibits type="uses">ai-train</prohibits></content>
  <content url="/two/">
    <license><permits type="use">ai-train</permits></license>
    <license><permits type="usage">search</permits></license>
  </content>
  <content url="/empty/"><license/></content>
  <content url="/others/"><license><x:note>hello</x:note><legal type="warranty">none</legal></license></content>
</rsl>`))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Options{RSL: []*RSL{document}}.New([]Rule{{Access: Open}})
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(document.Unread(), "\n")
	for _, one := range []struct {
		path             string
		searches, trains bool
		told             string
	}{
		{"/type/", false, false, `its licence has <permits type="use">, which RSL does not know`},
		{"/prohibits/", false, false, `its licence has <prohibits type="uses">`},
		{"/slip/", false, false, "its licence has <permit>"},
		{"/direct/", false, false, `its licence has <prohibits type="uses">`},
		{"/two/", true, false, `a licence of the content "/two/" in rsl.xml permits nothing: it has <permits type="use">`},
		{"/empty/", true, true, ""},
		{"/others/", true, true, ""},
	} {
		decision := rules.Decide(page("https://a.example" + one.path + "x"))
		searches, trains := decision.Permits(Use{Function: "search"}) == Permitted,
			decision.Permits(Use{Function: "ai-train"}) == Permitted
		if searches != one.searches || trains != one.trains {
			t.Errorf("%s: search %v, training %v", one.path, searches, trains)
		}
		if strings.Contains(told, `"`+one.path+`"`) != (one.told != "") || !strings.Contains(told, one.told) {
			t.Errorf("of %s is told:\n%s", one.path, told)
		}
	}
}

func TestWhatCannotBeReadOfManyContentsIsToldInShort(t *testing.T) {
	t.Parallel()
	document, err := ParseRSL("rsl.xml", []byte("<rsl>"+strings.Repeat(`<content url="/a"/>`, 3)+strings.Repeat(`<content url="/b"/>`, 30)+"</rsl>"))
	if err != nil {
		t.Fatal(err)
	}
	if told := document.Unread(); len(told) != maxUnread+1 || told[maxUnread] != "so do 23 more" {
		t.Errorf("%q", told)
	}
}
