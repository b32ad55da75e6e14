package app

import (
	"strings"
	"testing"
)

const intentConfig = `
site: {name: Example, url: "https://www.example.com"}
terms: [{match: {}, access: open, labels: [LABEL]}]
intent:
  enabled: true
  publisher: {id: house}
  compliance: {last_updated: "2026-11-01"}
`

// TestWhatCannotBeDeclaredIsFoundBeforehand: a server would refuse to start, or a file that is read
// while one runs would take the declaration away.
func TestWhatCannotBeDeclaredIsFoundBeforehand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ label, line, says string }{
		"right":                           {"news.real-estate", "", ""},
		"a label with capitals":           {"News", "", `terms[0].labels[0]: "News" is no editorial domain`},
		"a label with a wildcard":         {"news.*", "", `terms[0].labels[0]: "news.*" is no editorial domain`},
		"a label that begins with a dash": {"real-estate", "", `terms[0].labels[0]: "real-estate" is no editorial domain`},
		"a label beside declared domains": {"News", "domains: [news]", ""},
		"a domain with capitals":          {"news", "domains: [News]", `intent.domains[0]: "News" is no editorial domain`},
		"a country of three letters":      {"news", "refuse: {countries: [fra]}", `intent.refuse.countries[0]: "fra" is no country`},
		"a country of none":               {"news", `refuse: {countries: [""]}`, `intent.refuse.countries[0]: "" is no country`},
		"countries and languages":         {"news", "refuse: {countries: [fr, DE], languages: [fr, zh-Hant-TW]}", ""},
		"a language that is none":         {"news", `refuse: {languages: ["fr_FR"]}`, `intent.refuse.languages[0]: "fr_FR" is no language`},
		"a password in a sink's address": {"news", `sinks: [{name: a, url: "https://u:p@sink.example/"}]`,
			"intent.sinks[0].url: an address must not hold a user or a password"},
		"a sink's secret that is not set": {
			"news", `sinks: [{name: a, url: "https://sink.example/", secret_env: NO_SUCH_VARIABLE}]`, "intent.sinks[0].secret_env: the environment has no NO_SUCH_VARIABLE",
		},
		"a sink's secret that is none": {"news", `sinks: [{name: a, url: "https://sink.example/", secret_env: PATH}]`, "intent.sinks[0].secret_env: "},
	} {
		text := strings.Replace(intentConfig, "LABEL", `"`+c.label+`"`, 1)
		if c.line != "" {
			text += "  " + c.line + "\n"
		}
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// TestASiteOfWhichPlatformsGetNothingIsWarnedOf: its items lie at no address of the publisher's.
func TestASiteOfWhichPlatformsGetNothingIsWarnedOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ more, says string }{
		"its own address": {"", ""},
		"another domain": {"publisher: {id: house, domain: papers.example}",
			"its items are at www.example.com, and the publisher's domain is papers.example"},
		"another domain's host": {"publisher: {id: house, domain: papers.example}\n  hosts: [www.example.com]", ""},
	} {
		text := strings.Replace(intentConfig, "LABEL", "news", 1)
		if c.more != "" {
			text = strings.Replace(text, "publisher: {id: house}", c.more, 1)
		}
		loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if err != nil {
			t.Fatal(err)
		}
		if told := loaded.Warnings.Error(); strings.Contains(told, "intent.hosts") != (c.says != "") ||
			!strings.Contains(told, c.says) {
			t.Errorf("%s: warned of %q, want %q", name, told, c.says)
		}
	}
}

// TestAHostNameOfTheSiteIsDeclaredInASCII is of a publisher who writes its address as people do.
func TestAHostNameOfTheSiteIsDeclaredInASCII(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("LABEL", "news", "www.example.com", "www.Bücher.example").Replace(intentConfig)
	loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded.Config.publisher().Domain; got != "xn--bcher-kva.example" {
		t.Errorf("the domain is %s", got)
	}
}
