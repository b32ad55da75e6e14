package intent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/process"
)

// harbour is an English site of articles, kueche a German one of recipes.
const (
	harbour = "harbour.example"
	kueche  = "kueche.example"
)

func articles() (items []object, bodies map[string]string) {
	bodies = map[string]string{}
	subjects := []string{"cranes", "tugboats", "lighthouses", "ferries", "containers", "pilots"}
	for i := range 12 {
		subject := subjects[i%len(subjects)]
		var parts []string
		for part := range 6 {
			var sentences []string
			for n := range 7 {
				sentences = append(sentences,
					fmt.Sprintf("In section %d of story %d the harbour tells of %s number %d, "+
						"and of the tide that lifts them.", part, i, subject, n+part*7))
			}
			parts = append(parts, strings.Join(sentences, " "))
		}
		folder := "port"
		if i%4 == 3 {
			folder = "sea"
			parts[0] += " A kraken was seen."
		}
		address := fmt.Sprintf("https://%s/%s/%d", harbour, folder, i)
		bodies[address] = strings.Join(parts, "\n\n")
		items = append(items, object{
			"@type": "NewsArticle", "url": address,
			"headline": fmt.Sprintf("The %s of the harbour, story %d", subject, i), "inLanguage": "en",
			"articleBody": bodies[address], "datePublished": fmt.Sprintf("2026-03-%02dT08:00:00Z", i+1),
			"publisher": object{"@type": "Organization", "name": "Harbour News"},
		})
	}
	return items, bodies
}

func rezepte() (items []object, bodies map[string]string) {
	bodies = map[string]string{}
	sorts := []string{"Roggenbrot", "Apfelkuchen", "Kartoffelsuppe", "Linseneintopf", "Nudelauflauf"}
	for i := range 10 {
		var steps []string
		for n := range 30 {
			steps = append(steps,
				fmt.Sprintf("Schritt %d: Für das Rezept %d wird der Teig von %s noch einmal gut "+
					"geknetet, gefaltet und ruhen gelassen.", n+1, i, sorts[i%len(sorts)]))
		}
		folder := "backen"
		if i%5 == 4 {
			folder = "geheim"
			steps[0] += " Hier liegt der Trüffel."
		}
		address := fmt.Sprintf("https://%s/%s/%d", kueche, folder, i)
		bodies[address] = strings.Join(steps, "\n")
		items = append(items, object{
			"@type": "Recipe", "url": address, "name": fmt.Sprintf("%s Nummer %d", sorts[i%len(sorts)], i),
			"inLanguage": "de", "description": "Ein Rezept aus der Küche.", "recipeInstructions": bodies[address],
			"recipeIngredient": []string{"Mehl", "Wasser", "Salz"},
		})
	}
	return items, bodies
}

const harbourTerms = `
site: {name: Harbour News, url: "https://` + harbour + `"}
sources: [{path: harbour}]
terms:
  - match: {path: "/sea/**"}
    access: licensed
    labels: [news.sea]
  - match: {path: "/port/**"}
    access: licensed
    labels: [news.port]
  - match: {}
    access: open
`

const kuecheTerms = `
site: {name: Die Küche, url: "https://` + kueche + `"}
sources: [{path: kueche}]
terms:
  - match: {path: "/geheim/**"}
    access: blocked
  - match: {}
    access: open
    labels: [kochen.backen-und-braten]
`

// usual is the section for platforms, without what a server changes.
const usual = `
  enabled: true
  publisher: {id: house}
  max_chunks: 3
  max_tokens: 300
  share: 0.5
`

// served is a server that a test has started.
type served struct {
	*process.Server
	config, data string
}

// serve serves one of the sites with further keys for platforms, each a line.
func serve(t *testing.T, dir, name, site string, lines ...string) served {
	t.Helper()
	s := configured(t, dir, name, site, lines...)
	s.furnish(t)
	s.Server = process.Start(t, "serve", "--config", s.config)
	return s
}

// configured is a server of a folder that was not started yet.
func configured(t *testing.T, dir, name, site string, lines ...string) served {
	t.Helper()
	s := served{config: filepath.Join(dir, name+".yaml"), data: filepath.Join(dir, name)}
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "compliance:") }) {
		lines = append(lines, `compliance: {last_updated: "2026-11-01"}`)
	}
	config := fmt.Sprintf("listen: 127.0.0.1:0\ndata: %s\nmetrics: {listen: \"off\"}\n"+
		"limits: {rate: {failures: 100000/1m}}\n%s\nintent:%s  %s\n", name, site, usual,
		strings.Join(append([]string{"languages: strict"}, lines...), "\n  "))
	if err := os.WriteFile(s.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// furnish reads the content of a server, and gives it the keys that every server has.
func (s served) furnish(t *testing.T) {
	t.Helper()
	process.MustRun(t, "ingest", "--config", s.config)
	for _, k := range []key{mine, second, theirs, revoked} {
		secret := filepath.Join(filepath.Dir(s.config), k.id)
		if err := os.WriteFile(secret, []byte(k.secret), 0o600); err != nil {
			t.Fatal(err)
		}
		process.MustRun(t, "keys", "issue", "platform", k.platform, "--id", k.id, "--secret-file", secret,
			"--config", s.config)
	}
	process.MustRun(t, "keys", "revoke", revoked.id, "--config", s.config)
}

// entries reads the ledger of a server, by the program.
func (s served) entries(t *testing.T, request string) (all []object) {
	t.Helper()
	out := process.MustRun(t, "ledger", "show", "--request", request, "--json", "--config", s.config)
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Entry object }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Entry["request"] == request {
			all = append(all, line.Entry)
		}
	}
	return all
}

// written writes the content of the sites to a folder.
func written(t *testing.T, dir string) (stories, instructions map[string]string) {
	t.Helper()
	news, stories := articles()
	recipes, instructions := rezepte()
	for name, items := range map[string][]object{"harbour": news, "kueche": recipes} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "items.json"), text(items), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return stories, instructions
}

// theHarbour is the first site, where it is served.
func theHarbour(base string, stories map[string]string) site {
	return site{
		base: base, domain: "news.port", language: "en-US", bodies: stories, elsewhere: "news.sea", words: "kraken",
		nobody: "zeppelin",
		questions: []string{"cranes of the harbour", "tide", "what lifts tugboats", "lighthouses section 3",
			"ferries number 12"},
	}
}

func startServers(t *testing.T) servers {
	t.Helper()
	dir := t.TempDir()
	stories, instructions := written(t, dir)
	free := []string{`rate: ""`, `sessions: ""`}
	with := func(lines ...string) []string { return append(lines, free...) }
	sites := []served{serve(t, dir, "first", harbourTerms, free...), serve(t, dir, "second", kuecheTerms, free...)}
	at := servers{
		sites: []site{
			theHarbour(sites[0].URL, stories),
			{
				base: sites[1].URL, domain: "kochen.backen-und-braten", language: "de-DE", bodies: instructions,
				words: "Trüffel", nobody: "Raumschiff",
				questions: []string{"Roggenbrot", "Teig", "Apfelkuchen", "Linseneintopf", "Kartoffelsuppe"},
			},
		},
		disabled: serve(t, dir, "disabled", harbourTerms, with("state: disabled")...).URL,
		paused:   serve(t, dir, "paused", harbourTerms, with("state: paused")...).URL,
		ended: serve(t, dir, "ended", harbourTerms,
			with("compliance: {last_updated: \"2025-01-01\", sunset: \"2025-12-31\"}")...).URL,
		chunkless: serve(t, dir, "chunkless", harbourTerms, with("supports: {chunks: false}")...).URL,
		citeless:  serve(t, dir, "citeless", harbourTerms, with("supports: {citations: false}")...).URL,
		limited:   serve(t, dir, "limited", harbourTerms, "rate: 5/1h", `sessions: ""`).URL,
		entries:   func(site int, request string) []object { return sites[site].entries(t, request) },
	}
	at.stateless = at.sites[0].base
	documents := 0
	at.check = func(document string) (bool, string) {
		documents++
		file := filepath.Join(dir, fmt.Sprintf("declaration-%d.json", documents))
		if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, err := process.Run(t, "check", file, "--as", "declaration")
		return err == nil, stdout + stderr
	}
	kills := 0
	at.killed = func(first, second func(string), entries func(func(string) []object)) {
		kills++
		s := serve(t, dir, fmt.Sprintf("killed-%d", kills), harbourTerms, free...)
		first(s.URL)
		s.Kill()
		s.Server = process.Start(t, "serve", "--config", s.config)
		second(s.URL)
		entries(func(request string) []object { return s.entries(t, request) })
	}
	at.tampered = func(changed bool) (bool, string) {
		kills++
		s := serve(t, dir, fmt.Sprintf("tampered-%d", kills), harbourTerms, free...)
		p := &probe{}
		p.given(p.send(retrieval(s.URL, question(at.sites[0]))))
		s.End(t)
		if changed {
			tamper(t, filepath.Join(s.data, "frontdesk.db"))
		}
		stdout, stderr, err := process.Run(t, "ledger", "audit", "--config", s.config)
		return err == nil, stdout + stderr
	}
	return at
}

// tamper changes the count in the access event that a database holds.
func tamper(t *testing.T, path string) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(t.Context(), func(tx *store.Tx) error {
		var place int64
		var leaf []byte
		if err := tx.QueryRow(t.Context(), `SELECT place, leaf FROM ledger_entry WHERE CAST(leaf AS TEXT) LIKE '%"kind":"access"%'`).Scan(&place, &leaf); err != nil {
			return err
		}
		changed := bytes.Replace(leaf, []byte(`"chunks_returned":`), []byte(`"chunks_returned":1`), 1)
		_, err := tx.Exec(t.Context(), `UPDATE ledger_entry SET leaf = $1 WHERE place = $2`, changed, place)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
