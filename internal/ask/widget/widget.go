// Package widget serves <frontdesk-ask>, the element that lets people ask on the owner's other
// pages: its scripts, made of the modules in clients/widget, and its words. It knows nothing of
// content, terms or search: the element asks over NLWeb, as any other client.
//
// Enter with Handler. clients/widget/build.sh makes what is embedded here. Scripts are at
// /widget/v1/NAME, where they may change with each version of the program, and at
// /widget/VERSION/NAME, where they never do.
package widget

//go:generate ../../../clients/widget/build.sh

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/ask/i18n"
)

//go:embed dist
var dist embed.FS

// Names of the scripts: Loader is what a page loads, and rest what it brings when it is needed.
const (
	Loader = "frontdesk-ask.js"
	rest   = "main.js"
	core   = "core.js"
)

// Current is the folder of the scripts that every version of the program has.
const Current = "/widget/v1/"

// Config is what the element shows beside its words.
type Config struct {
	Examples []string // questions to begin with
	Contact  string   // where people turn who find nothing; empty for nowhere
}

// Version is the folder of the scripts as they are now: it changes with each byte of them.
var Version = version()

func version() string {
	sum := sha256.New()
	for _, name := range []string{Loader, rest, core} {
		sum.Write(script(name))
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

func script(name string) []byte {
	text, err := dist.ReadFile("dist/" + name)
	if err != nil {
		panic(err) // it is embedded above: only a build without it could fail
	}
	return text
}

// served is a script as it goes out: the loader knows the folder of its version, so that versions
// never mix.
func served(name string) []byte {
	return bytes.ReplaceAll(script(name), []byte("{folder}"), []byte(Version))
}

// Integrity is what a page writes in the attribute of that name to take one version of the loader
// and no other.
func Integrity() string {
	sum := sha512.Sum384(served(Loader))
	return "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
}

// file is one file, and the same for those who take gzip.
type file struct {
	plain, small []byte
	tag          string
}

func newFile(text []byte) file {
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	sum := sha256.Sum256(text)
	return file{text, small.Bytes(), `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// Handler serves everything below /widget/. Who may use it is said by the server's cors.origins, as
// for /ask: scripts that a page takes as modules are only had from a server that allows the page's
// origin.
func Handler(config Config) http.Handler {
	h := &handler{scripts: map[string]file{}, words: map[string]file{}}
	for _, name := range []string{Loader, rest, core} {
		h.scripts[name] = newFile(served(name))
	}
	for _, language := range i18n.Languages {
		h.words[language] = newFile(words(config, language))
	}
	return h
}

type handler struct{ scripts, words map[string]file }

const (
	forGood  = "public, max-age=31536000, immutable"
	forNow   = "public, max-age=300"
	noLonger = "no-cache" // of another version than is asked for
)

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	folder, name, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/widget/"), "/")
	one, there := h.scripts[name]
	keep := map[string]string{Version: forGood, "v1": forNow}[folder]
	if keep == "" {
		keep = noLonger // a page from before an upgrade gets its script all the same
	}
	if language, is := strings.CutPrefix(name, "words-"); is && strings.HasSuffix(language, ".js") {
		speaker := i18n.For(strings.TrimSuffix(language, ".js"))
		one, there = h.words[speaker.Language()]
		keep = forNow // the configuration changes them, too
	}
	if !ok || !there || len(name) > maxName {
		http.NotFound(w, r)
		return
	}
	one.send(w, r, keep)
}

// maxName is the longest name of a file: that of words in a language with a long tag.
const maxName = 64

func (f file) send(w http.ResponseWriter, r *http.Request, keep string) {
	header := w.Header()
	header.Set("Content-Type", "text/javascript; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Cache-Control", keep)
	header.Add("Vary", "Accept-Encoding")
	header.Set("ETag", f.tag)
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(known), "W/") == f.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body := f.plain
	if takesGzip(r) {
		header.Set("Content-Encoding", "gzip")
		body = f.small
	}
	_, _ = w.Write(body)
}

// takesGzip says whether the answer may be compressed. Who refuses it with q=0 gets it plain.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) == "gzip" {
			return !slices.Contains([]string{"q=0", "q=0.0", "q=0.00", "q=0.000"}, strings.TrimSpace(weight))
		}
	}
	return false
}

// said are the names of the texts that the scripts say.
var said = strings.Fields(`abstractive again answers ask asked_back asking busy cancel cancelled close closest contact
	count_one count_other cut days examples failed few_left foot follow free headline hint_date hint_newest
	hint_price hint_rating hint_stock hint_time hours in_advance in_stock in_store incomplete instead left licensed long
	minutes more_known no no_name no_preference none none_try online pass placeholder presale
	back_order to_order sold_out discontinued progress promised question quoted rated read_as relaxed reply seconds slow
	source status still take_away then understood unreachable unready wait_one wait_other yes`)

// The words go out without their names, which would be a third of what is sent: each stands at a
// place that is made of its name. Another factor, here and in clients/widget/src/main.js, keeps two
// words from having one place.
const (
	places  = 347
	factor  = 324
	between = "|"
)

func place(name string) (n int) {
	for _, c := range []byte(name) {
		n = (n*factor + int(c)) % places
	}
	return n
}

// words is the module of the words in one language.
func words(config Config, language string) []byte {
	speaker := i18n.For(language)
	all, say := speaker.Widget(), make([]string, places)
	for _, name := range said {
		say[place(name)] = all[name]
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	text.WriteString("export default ")
	err := encoder.Encode(struct {
		Language string   `json:"language"`
		Say      string   `json:"say"`
		Examples []string `json:"examples,omitempty"`
		Contact  string   `json:"contact,omitempty"`
	}{language, strings.Join(say, between), config.Examples, config.Contact})
	if err != nil {
		panic(err) // it is of texts alone
	}
	return text.Bytes()
}
