package widget

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/ask/i18n"
)

// The budget, in bytes as gzip sends them.
const (
	maxLoader = 2 << 10  // what a page with a launcher loads
	maxRest   = 12 << 10 // all else: what asking needs, and the words of a language
	maxCore   = 5 << 10
)

var sample = Config{Examples: []string{"</script> tea?"}, Contact: "mailto:us@lamps.example"}

func get(path string, headers ...string) *http.Response {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler(sample).ServeHTTP(w, r)
	return w.Result()
}

func TestScriptsStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	size := func(text []byte) int { return len(newFile(text).small) }
	loader, rest, core := size(served(Loader)), size(served(rest)), size(served(core))
	longest := 0
	for _, language := range i18n.Languages {
		longest = max(longest, size(words(Config{}, language)))
	}
	t.Logf("gzipped: loader %d, rest %d, words at most %d, these two %d, core %d",
		loader, rest, longest, rest+longest, core)
	if loader > maxLoader {
		t.Errorf("the loader has %d bytes, more than %d", loader, maxLoader)
	}
	if all := rest + longest; all > maxRest {
		t.Errorf("the rest and its words have %d bytes, more than %d", all, maxRest)
	}
	if core > maxCore {
		t.Errorf("the core has %d bytes, more than %d", core, maxCore)
	}
}

func TestHeadersLetOtherSitesUseTheScripts(t *testing.T) {
	t.Parallel()
	for path, cache := range map[string]string{
		Current + Loader: forNow, Current + core: forNow,
		Current + "words-de-AT.js":          forNow,
		"/widget/" + Version + "/" + Loader: forGood, "/widget/" + Version + "/" + rest: forGood,
		"/widget/" + Version + "/words-de.js": forNow, "/widget/0000000000000000/" + rest: noLonger,
	} {
		answer := get(path)
		for header, want := range map[string]string{
			"Cache-Control": cache, "Content-Type": "text/javascript; charset=utf-8",
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin",
			"Vary": "Accept-Encoding", "Content-Encoding": "",
		} {
			if got := answer.Header.Get(header); answer.StatusCode != http.StatusOK || got != want {
				t.Errorf("GET %s: %s, %s %q, want %q", path, answer.Status, header, got, want)
			}
		}
		if again := get(path, "If-None-Match", `"x", W/`+answer.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("GET %s again: %s, want 304", path, again.Status)
		}
	}
	for _, path := range []string{
		"/widget/", "/widget/v1", "/widget/v1/", "/widget/v1/index.js", "/widget/v1/a/main.js", "/widget/v1/words-.txt",
		"/widget/v1/../main.js", "/widget/v1/words-" + strings.Repeat("a", 99) + ".js",
	} {
		if answer := get(path); answer.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: %s, want 404", path, answer.Status)
		}
	}
}

func TestScriptsComeCompressedToWhoTakesThat(t *testing.T) {
	t.Parallel()
	plain, _ := io.ReadAll(get(Current + rest).Body)
	answer := get(Current+rest, "Accept-Encoding", "br, gzip;q=0.5")
	unpacked, err := gzip.NewReader(answer.Body)
	if err != nil || answer.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal(answer.Header, err)
	}
	if text, _ := io.ReadAll(unpacked); !bytes.Equal(text, plain) {
		t.Error("compressed it is another text")
	}
	for _, refused := range []string{"gzip;q=0", "br", "x-gzip-not"} {
		if got := get(Current+rest, "Accept-Encoding", refused).Header.Get("Content-Encoding"); got != "" {
			t.Errorf("for %q it is sent as %q", refused, got)
		}
	}
}

func TestTheLoaderBringsFilesOfItsOwnVersion(t *testing.T) {
	t.Parallel()
	loader := served(Loader)
	if !bytes.Contains(loader, []byte(Version)) || bytes.Contains(loader, []byte("{folder}")) {
		t.Errorf("the loader does not name %s", Version)
	}
	if !strings.HasPrefix(Integrity(), "sha384-") || len(Integrity()) != len("sha384-")+64 {
		t.Errorf("integrity %q", Integrity())
	}
}

func TestWordsAreOfTheLanguageThatFitsBest(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"de-AT": "de", "pt-BR": "pt", "ja": "ja", "sv": "en", "%22%3E": "en", "": "en",
	} {
		text, _ := io.ReadAll(get(Current + "words-" + tag + ".js").Body)
		var of struct {
			Language, Contact string
			Say               string
			Examples          []string
		}
		body, ok := strings.CutPrefix(string(text), "export default ")
		if err := json.Unmarshal([]byte(body), &of); err != nil || !ok || of.Language != want {
			t.Errorf("words for %q: %v, language %q, want %q", tag, err, of.Language, want)
		}
		if of.Contact != sample.Contact || len(of.Examples) != 1 || of.Examples[0] != sample.Examples[0] {
			t.Errorf("for %q: %+v", tag, of)
		}
		say := strings.Split(of.Say, between)
		for _, name := range said {
			if got, all := say[place(name)], i18n.For(want).Widget(); got == "" || got != all[name] {
				t.Errorf("in %s %q is said for %q", want, got, name)
			}
		}
	}
}

var (
	saying = regexp.MustCompile(`\bsay\((?:[\w.]+ \? |\w+\[\w+\] \|\| )?"([a-z_]+)"(?: : "([a-z_]+)")?|` +
		`\b[A-Z]\w+: "([a-z_]+)"`)
	counting = regexp.MustCompile(`\bcount\([^()]+, "([a-z_]+)"\)`)
	// bundled are those of the ask page.
	bundled = []string{"elicit.js", "hints.js", "understood.js", "words.js", "stream.js"}
	// unsaid are texts of functions that the element does not use.
	unsaid = strings.Fields("sort sort_fit sort_low sort_high sort_rating sort_time sort_soon sort_newest")
)

func TestEveryTextOfTheElementIsThereAndIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	files, err := filepath.Glob("../../../clients/widget/src/*.js")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range bundled {
		files = append(files, filepath.Join("../page/assets", name))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range saying.FindAllStringSubmatch(string(text), -1) {
			for _, key := range found[1:] {
				used[key] = true
			}
		}
		for _, found := range counting.FindAllStringSubmatch(string(text), -1) {
			used[found[1]+"_one"], used[found[1]+"_other"] = true, true
		}
	}
	delete(used, "")
	for _, name := range unsaid {
		delete(used, name)
	}
	there := map[string]bool{}
	for _, name := range said {
		there[name] = true
		if i18n.For("en").Widget()[name] == "" {
			t.Errorf("%q is no text", name)
		}
		if !used[name] {
			t.Errorf("the text %q is said nowhere", name)
		}
	}
	for name := range used {
		if !there[name] {
			t.Errorf("the element says %q, which is not among its words", name)
		}
	}
}

// sinks are what reads text as markup or as a script.
var sinks = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|` +
	`DOMParser|createContextualFragment|srcdoc|cssText|https?://`)

func TestScriptsNeverWriteMarkupAndNameNoOtherHost(t *testing.T) {
	t.Parallel()
	for _, name := range []string{Loader, rest, core} {
		if found := sinks.Find(served(name)); found != nil {
			t.Errorf("%s has %q", name, found)
		}
	}
}
