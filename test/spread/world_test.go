package spread

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	"frontdesk/wire/nlweb"
)

func TestMain(m *testing.M) { process.Main(m) }

// world are three invented sites in three languages: the shop on one node, the paper and the
// kitchen on another, a front before both, and one node that holds all of them.
type world struct {
	t          testing.TB
	folder     string
	config     string // of the nodes and the front
	one, two   *process.Server
	front, all *process.Server
	addressTwo string
}

// item is one of a site, as schema.org has it.
type item map[string]any

// sites are the items of each site.
func sites() map[string][]item {
	made := map[string][]item{}
	for i, kind := range []string{"green tea", "black tea", "white tea", "kettle", "teapot", "whisk", "tin",
		"strainer", "cup", "tray"} {
		for k, place := range []string{"Misty Ridge", "Copper Lane", "Three Herons", "Old Ferry", "Salt Meadow"} {
			made["shop"] = append(made["shop"], item{
				"@type": "Product", "name": place + " " + kind, "url": fmt.Sprintf("https://shop.example/%d/%d", i, k),
				"description": "A " + kind + " from " + place + ", packed by hand in Kesselhafen.",
				"offers":      item{"@type": "Offer", "price": 5 + 3*i + k, "priceCurrency": "EUR"},
			})
		}
	}
	for i, what := range []string{"Hafenfest", "Museum", "Fähre", "Markt", "Rathaus", "Leuchtturm", "Bücherei",
		"Schwimmbad"} {
		for k, news := range []string{"öffnet wieder im Frühling", "sucht freiwillige Helfer", "feiert hundert Jahre",
			"bleibt im Winter geschlossen"} {
			made["zeitung"] = append(made["zeitung"], item{
				"@type": "NewsArticle", "name": what + " " + news, "url": fmt.Sprintf("https://zeitung.example/%d/%d",
					i, k), "inLanguage": "de",
				"description": "Wie die Stadt mitteilt: " + what + " " + news +
					". Kesselhafen freut sich, es gibt Tee und Kuchen.",
			})
		}
	}
	for i, plat := range []string{"Soupe", "Tarte", "Salade", "Gratin", "Omelette"} {
		for k, with := range []string{"aux poireaux", "aux champignons", "au thé vert", "au fromage de chèvre",
			"aux pommes"} {
			made["cuisine"] = append(made["cuisine"], item{
				"@type": "Recipe", "name": plat + " " + with, "url": fmt.Sprintf("https://cuisine.example/%d/%d", i,
					k), "inLanguage": "fr",
				"description": "Une recette simple : " + plat + " " + with +
					", prête en une demi-heure, de Kesselhafen.",
			})
		}
	}
	return made
}

// newWorld starts the nodes, the front and the node that holds everything.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, folder: t.TempDir(), addressTwo: process.FreeAddress(t)}
	for site, items := range sites() {
		folder := filepath.Join(w.folder, "content", site)
		text, err := json.Marshal(items)
		if err == nil {
			err = os.MkdirAll(folder, 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "items.json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const shared = `
sites:
  - {id: shop, name: Tea House, url: "https://shop.example"}
  - {id: zeitung, name: Hafenblatt, url: "https://zeitung.example", language: de}
  - {id: cuisine, name: Cuisine du port, url: "https://cuisine.example", language: fr}
sources:
  - {site: shop, path: content/shop}
  - {site: zeitung, path: content/zeitung}
  - {site: cuisine, path: content/cuisine}
metrics: {listen: "off"}
limits: {rate: {address: 100000/1m}}
`
	all := w.write("all.yaml", shared)
	addressOne := process.FreeAddress(t)
	w.config = w.write("spread.yaml", shared+`
proxies: [127.0.0.1]
spread:
  timeout: 2s
  nodes:
    - {url: "http://`+addressOne+`", name: one, sites: [shop]}
    - {url: "http://`+w.addressTwo+`", name: two, sites: [zeitung, cuisine]}
`)
	w.one = w.serve(w.config, "one", addressOne, "--sites", "shop")
	w.two = w.serve(w.config, "two", w.addressTwo, "--sites", "zeitung,cuisine")
	w.front = w.serve(w.config, "front", "127.0.0.1:0")
	w.all = w.serve(all, "all", "127.0.0.1:0")
	await(t, w.one, 50)
	await(t, w.two, 57)
	await(t, w.all, 107)
	return w
}

func (w *world) write(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// serve runs a server until the end of the test that the world is for.
func (w *world) serve(config, name, address string, more ...string) *process.Server {
	w.t.Helper()
	return process.Start(w.t, append([]string{
		"serve", "--config", config, "--data", filepath.Join(w.folder, "data-"+name), "--listen", address,
	}, more...)...)
}

// await waits until a server has as many items as it is to have.
func await(t testing.TB, s *process.Server, items int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var ready struct{ Items int }
	for began := time.Now(); time.Since(began) < 30*time.Second; <-tick.C {
		if body, status := send(t, http.MethodGet, s.URL+"/readyz", nil); status == 200 && json.Unmarshal(body,
			&ready) == nil && ready.Items == items {
			return
		}
	}
	t.Fatalf("%d items, want %d:\n%s", ready.Items, items, s.Log())
}

// send makes a request and gives the body and the status of what comes.
func send(t testing.TB, method, address string, body any, header ...string) ([]byte, int) {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if request.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			request.Host = header[i+1]
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return got.Bytes(), response.StatusCode
}

// found is an item of an answer.
type found struct {
	Type  string  `json:"@type"`
	Name  string  `json:"name"`
	URL   string  `json:"url"`
	Site  string  `json:"site"`
	Score float64 `json:"score"`
}

// answer is what is read of an answer.
type answer struct {
	Meta    nlweb.Meta     `json:"_meta"`
	Results []found        `json:"results"`
	Error   *nlweb.Failure `json:"error"`
	status  int
}

type object = map[string]any

// ask asks a server.
func ask(t testing.TB, at string, body object) (a answer) {
	t.Helper()
	text, status := send(t, http.MethodPost, at+"/ask", body)
	decode(t, text, &a)
	a.status = status
	return a
}

func decode(t testing.TB, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// question is a question of a text alone.
func question(text string) object { return object{"query": object{"text": text}} }

// names are the names of items.
func names(all []found) string {
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	return strings.Join(names, "; ")
}
