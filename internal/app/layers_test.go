package app

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/app/config"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// write puts a file into a folder of the test and gives its path.
func write(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// findings loads a configuration and gives its mistakes without the file's folder.
func findings(t *testing.T, text string, env ...string) string {
	t.Helper()
	folder := t.TempDir()
	loaded, err := Load(Layers{File: write(t, folder, "frontdesk.yaml", text), Env: env})
	var all []string
	if err != nil {
		all = append(all, err.Error())
	}
	for _, w := range loaded.Warnings {
		all = append(all, "warning: "+w.Error())
	}
	return strings.NewReplacer(folder+string(filepath.Separator), "", folder, ".").Replace(strings.Join(all, "\n"))
}

func TestMistakesNameFileLineColumnKeyAndWhatWouldBeRight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"unknown keys at every level", "lisen: :80\nlimits:\n  bodys: 1MiB\nsources:\n  - paht: x\nterms:\n  - match: {paths: /a}\n    acces: open\n", `
frontdesk.yaml:1:1: lisen: unknown key; did you mean listen?
frontdesk.yaml:3:3: limits.bodys: unknown key; did you mean body?
frontdesk.yaml:5:5: sources[0].paht: unknown key; did you mean path?
frontdesk.yaml:5:5: sources[0].path: name a file or a folder, or write an address as url
frontdesk.yaml:7:5: terms[0].access: the key is missing
frontdesk.yaml:7:13: terms[0].match.paths: unknown key; did you mean path?
frontdesk.yaml:8:5: terms[0].acces: unknown key; did you mean access?`},
		{"values", "listen: 8080\nurl: example.com\nstore: mysql://a\nask: {limit: 0, min_score: 101}\nlimits: {read_timeout: 0s}\nlog: {level: loud}\ncors: {origins: [https://a.example/x]}\n", `
frontdesk.yaml:1:1: listen: "8080" is no address to listen on; write host:port, like 127.0.0.1:8080
frontdesk.yaml:2:1: url: "example.com" is no web address; write it like https://www.example.com
frontdesk.yaml:3:1: store: mysql:// is no database that frontdesk knows; write sqlite:PATH or postgres://user:password@host:5432/database
frontdesk.yaml:4:7: ask.limit: 0 is not between 1 and 1000
frontdesk.yaml:4:17: ask.min_score: 101 is not between 0 and 100
frontdesk.yaml:5:10: limits.read_timeout: 0s is not between 10ms and 1h
frontdesk.yaml:6:7: log.level: "loud" is none of debug, info, warn, error
frontdesk.yaml:7:18: cors.origins[0]: "https://a.example/x" is no origin as browsers send it; write it like https://www.example.com, in lower case, without a path or the usual port, or *`},
		{"times that do not fit", "ask: {timeout: 1m}\n", `
frontdesk.yaml:1:7: ask.timeout: 1m is not less than limits.write_timeout, 30s: an answer that came in time could not be sent`},
		{"sites", "sites:\n  - id: A\n  - id: b\n  - id: b\nsite: {id: c}\nsources:\n  - path: .\n  - {path: ., site: x}\n", `
frontdesk.yaml:2:5: sites[0].id: "A" is no id; use up to 64 lower-case letters, digits, dots and dashes, beginning with a letter or digit
frontdesk.yaml:4:5: sites[2].id: the id b is given to two sites
frontdesk.yaml:5:1: site: there are site and sites; move the one site into the list, or remove the list
frontdesk.yaml:7:5: sources[0].site: there are several sites, so say which one this content belongs to: A, b, b
frontdesk.yaml:8:15: sources[1].site: there is no site x; there are A, b, b`},
		{"sources of one name", "sources:\n  - {path: ., name: a}\n  - {path: ., name: a}\n  - {path: nowhere}\n", `
frontdesk.yaml:3:15: sources[1].name: "a" is the name of another source too (.); give each its own name
warning: frontdesk.yaml:4:6: sources[2].path: there is no nowhere; what is in the catalog already stays`},
		{"terms", "terms:\n  - match: {path: [/a, b], site: shop, source: x, type: Recipy}\n    access: public\n", `
frontdesk.yaml:2:24: terms[0].match.path[1]: "b": a path pattern begins with a slash, like /premium/**
frontdesk.yaml:2:28: terms[0].match.site[0]: there is no site shop; there are local
frontdesk.yaml:3:5: terms[0].access: "public" is none of open, licensed, blocked
warning: frontdesk.yaml:2:40: terms[0].match.source[0]: no source named x is configured
warning: frontdesk.yaml:2:51: terms[0].match.type[0]: schema.org has no type Recipy; only items that are marked so will match`},
		{"terms without a last rule", "terms:\n  - match: {path: /a}\n    access: open\n", `
warning: frontdesk.yaml:2:5: terms[0]: items that no rule matches are blocked; end the list with a rule for everything else, ` + "`match: {}`" + `, to say so or to open them`},
		{"unreachable rule", "terms:\n  - match: {}\n    access: open\n  - match: {path: /a}\n    access: blocked\n", `
warning: frontdesk.yaml:4:5: terms[1]: no item gets here: rule 1 (line 2) before it matches everything; move that one to the end`},
		{"no terms under the key", "terms:\n", `
frontdesk.yaml:1:1: terms: the list is empty; write a rule, such as one with match: {} and access: open, which opens everything`},
		{"prices", "terms:\n  - match: {}\n    access: open\n    price: {model: per_access, rate: 0.000000001, currency: usd}\n", `
frontdesk.yaml:4:32: terms[0].price.rate: "0.000000001" is no amount; write a number with at most eight decimals, like "0.02"
frontdesk.yaml:4:51: terms[0].price.currency: "usd" is no currency; write its ISO 4217 code, like USD`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), findings(t, c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	t.Parallel()
	_, err := Load(Layers{File: "nowhere.yaml"})
	if err == nil ||
		err.Error() != "nowhere.yaml: there is no such file; `frontdesk config init` writes one to start from" {
		t.Errorf("got %v", err)
	}
}

func TestFlagsOutweighEnvironmentOutweighsFileOutweighsDefaults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := write(t, folder, "frontdesk.yaml",
		"listen: 127.0.0.1:1\nurl: https://file.example\nask: {limit: 5}\ndata: d\nsources:\n  - path: c\n")
	loaded, err := Load(Layers{
		File: file,
		Env: []string{"FRONTDESK_URL=https://env.example", "FRONTDESK_LISTEN=127.0.0.1:2",
			"FRONTDESK_CORS_ORIGINS=https://a.example, https://b.example", "HOME=/"},
		Flags: map[string]string{"listen": "127.0.0.1:3"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := loaded.Config
	if c.Listen != "127.0.0.1:3" || c.URL != "https://env.example" || c.Ask.Limit != 5 ||
		c.Ask.Timeout != 10*time.Second {
		t.Errorf("got %s %s %d %s", c.Listen, c.URL, c.Ask.Limit, c.Ask.Timeout)
	}
	if !slices.Equal(c.CORS.Origins, []string{"https://a.example", "https://b.example"}) {
		t.Errorf("origins: %q", c.CORS.Origins)
	}
	if c.Data != filepath.Join(folder, "d") || c.Sources[0].Path != filepath.Join(folder, "c") ||
		c.DSN() != "sqlite:"+filepath.Join(folder, "d", "frontdesk.db") {
		t.Errorf("paths do not start from the file's folder: %s, %s, %s", c.Data, c.Sources[0].Path, c.DSN())
	}
	var out bytes.Buffer
	if err := loaded.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# flag --listen", "# environment FRONTDESK_URL", "limit: 5                               # " + file + ":3",
		"timeout: 10s                           # default",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the printed configuration does not say %q:\n%s", want, out.String())
		}
	}
}

func TestEnvironmentIsCheckedLikeTheFile(t *testing.T) {
	t.Parallel()
	got := findings(t, "", "FRONTDESK_LISTN=a", "FRONTDESK_ASK_LIMIT=many", "FRONTDESK_LOG_LEVEL=loud",
		"FRONTDESK_SERVICE_HOST=10.0.0.1")
	want := `FRONTDESK_ASK_LIMIT: "many" should be a whole number
FRONTDESK_LOG_LEVEL: "loud" is none of debug, info, warn, error
warning: FRONTDESK_LISTN: this variable sets nothing; did you mean FRONTDESK_LISTEN?`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryKeyHasItsOwnVariableAndFlag(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, path := range config.Settable(Default()) {
		for _, name := range []string{config.EnvName(path), config.FlagName(path)} {
			if other, twice := seen[name]; twice {
				t.Errorf("%s means %s and %s", name, path, other)
			}
			seen[name] = path
		}
	}
	if seen["FRONTDESK_METRICS_LISTEN"] != "metrics.listen" || seen["FRONTDESK_TERMS"] != "" {
		t.Errorf("names: %v", seen)
	}
}

func TestPrintedConfigurationReadsAsItself(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := `data: /var/lib/frontdesk
sites: [{id: a, name: "A: the first", url: https://a.example}, {id: b, hosts: [b.example]}]
sources: [{site: a, path: /content/a, allow_shrink: true}, {site: b, path: "/content/b c", name: x}]
terms:
  - match: {path: [/a, "/b/**"]}
    access: licensed
    excerpt: {words: 20}
    functions: {prohibit: [ai-train]}
  - match: {}
    access: open
console: {title: "Ask \"us\"", examples: ["what: is?"]}
cors: {origins: []}
`
	first, err := Load(Layers{File: write(t, folder, "a.yaml", text)})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := first.Print(&out); err != nil {
		t.Fatal(err)
	}
	second, err := Load(Layers{File: write(t, folder, "b.yaml", out.String())})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	first.Config.Store = first.Config.DSN()
	for i := range second.Config.Terms {
		second.Config.Terms[i].Line = first.Config.Terms[i].Line
	}
	if diff := cmp.Diff(first.Config, second.Config); diff != "" {
		t.Errorf("%s\n%s", diff, out.String())
	}
}

func TestPasswordsAreNotPrinted(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		`postgres://me:secret@db.example:5432/x?sslmode=disable`: "postgres://me:xxxxx@db.example:5432/x?sslmode=disable",
		"postgres://db.example/x?user=me&password=secret": "postgres://db.example/x?password=xxxxx&" +
			"user=me",
		"postgres://db.example/x?user=me&sslpassword=secret&PASSword=": "postgres://db.example/x?PASSword=xxxxx&" +
			"sslpassword=xxxxx&user=me",
		"postgres://me:se%cret@db.example/x": "postgres://…",
		"sqlite:/var/lib/frontdesk.db":       "sqlite:/var/lib/frontdesk.db",
	} {
		if got := store.Redact(dsn); got != want {
			t.Errorf("%s is shown as %s, want %s", dsn, got, want)
		}
		loaded, err := Load(Layers{Env: []string{"FRONTDESK_STORE=" + dsn}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := loaded.Print(&out); err != nil || strings.Contains(out.String(), "secret") {
			t.Errorf("printed: %s, %v", out.String(), err)
		}
	}
}

func TestStarterFileHasNoMistakesAndSetsDefaults(t *testing.T) {
	t.Parallel()
	loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", Starter)})
	if err != nil || len(loaded.Warnings) > 0 {
		t.Fatalf("%v, %v", err, loaded.Warnings)
	}
	want, got := Default(), loaded.Config
	want.Site, want.Terms = got.Site, got.Terms
	want.Data = got.Data // which starts from the file's folder
	want.Sources = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(got.Terms) != 1 || got.Terms[0].Access != policy.Open {
		t.Errorf("terms: %+v", got.Terms)
	}
	// What is commented out is meant to be uncommented, and must then be right as well.
	var all strings.Builder
	for line := range strings.Lines(Starter) {
		for _, mark := range []string{
			"#  - match", "#    access", "#    excerpt", "#    functions", "#  - path", "#  - name", "#    path",
			"#    base", "  # title", "  # examples", "# store", "#    name", "#    type", "#    description",
			"#    http",
		} {
			if strings.HasPrefix(line, mark) {
				line = strings.Replace(strings.Replace(line, "# store", "store", 1), "#", "", 1)
				line = strings.Replace(line, "   title", "  title", 1)
				line = strings.Replace(line, "   examples", "  examples", 1)
			}
		}
		all.WriteString(line)
	}
	loaded, err = Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", all.String())})
	if err != nil || len(loaded.Config.Terms) != 2 || len(loaded.Config.Sources) != 2 ||
		len(loaded.Config.Actions) != 1 || loaded.Config.Console.Title == "" {
		t.Errorf("%v in\n%s", err, all.String())
	}
}

func TestSourceNamesAreMadeOfPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"content/My Recipes.jsonl.gz": "my-recipes", "/a/b/": "b", "/": "content", "/a/.hidden": "hidden",
		"/x/Été 2026": "été-2026",
	} {
		if got := ingest.SourceName(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestPathsOfTheCommandLineJoinTheSourcesOfTheFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"content", "2025/content", "2026/content"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := write(t, folder, "frontdesk.yaml", "sources: [{path: content, language: en}]\n")
	var given []ingest.SourceSettings
	for _, name := range []string{"content", "2025/content", "2026/content"} {
		given = append(given, ingest.SourceSettings{Path: filepath.Join(folder, name)})
	}
	loaded, err := Load(Layers{File: file, Sources: given})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, source := range loaded.Given() {
		names = append(names, source.Name+" "+source.Language)
	}
	if want := []string{"content en", "2025-content ", "2026-content "}; !slices.Equal(names, want) {
		t.Errorf("sources %q, want %q", names, want)
	}
	if n := len(loaded.Config.Sources); n != 3 {
		t.Errorf("%d sources", n)
	}
	_, err = Load(Layers{File: file, Sources: []ingest.SourceSettings{{Path: "nowhere", Name: "content"}}})
	if want := `nowhere: "content" is the name of another source too (` + filepath.Join(folder, "content") + `); give each its own name`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSitesHandDownToTheirSources(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Site = Site{URL: "https://www.example.com", Language: "en", Publisher: "P", Hosts: []string{"example.org"}}
	c.Sources = []ingest.SourceSettings{{Path: "/a"}, {Path: "/b", Language: "de", Base: "https://b.example/"}}
	want := []ingest.SourceSettings{
		{Site: "local", Name: "a", Path: "/a", Base: "https://www.example.com", Language: "en", Publisher: "P"},
		{Site: "local", Name: "b", Path: "/b", Base: "https://b.example/", Language: "de", Publisher: "P"},
	}
	if diff := cmp.Diff(want, c.AllSources()); diff != "" {
		t.Error(diff)
	}
	if hosts := c.AllSites()[0].Hosts; !slices.Equal(hosts, []string{"www.example.com", "example.org"}) {
		t.Errorf("hosts: %q", hosts)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(Starter)
	f.Add("sites: [{id: a}]\nterms:\n  - match: {path: [/a, b], host: '*.x'}\n    access: licensed\n" +
		"store: postgres://a:b@c\n")
	file := filepath.Join(f.TempDir(), "frontdesk.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(Layers{File: file})
		if err != nil && err.Error() == "" {
			t.Error("an error that says nothing")
		}
		var out bytes.Buffer
		if err := loaded.Print(&out); err != nil {
			t.Error(err)
		}
	})
}
