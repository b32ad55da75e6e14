package discovery

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// more is how many items the desk has besides those that the terms are about: enough for several
// parts.
const more = 1100

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// publisher serves lamps, one of them licensed, one blocked and one that is found and not given
// away.
func publisher(t *testing.T) (base, config string) {
	t.Helper()
	dir := t.TempDir()
	var lines strings.Builder
	add := func(path, name, text string) {
		fmt.Fprintf(&lines, `{"@context":"https://schema.org","@type":"Product","url":"https://lamps.example%s","name":%q,"description":%q,"sku":"S-%s"}`+"\n", path, name, text, path)
	}
	add("/brass", "Brass lighthouse", "A brass lighthouse for the desk.")
	add("/premium/history", "Chandelier chronicle", "Before glass there was clay. Whale oil ruined three harbours.")
	add("/drafts/laser", "Laser beacon", "Unannounced: the zirconium beacon.")
	add("/listed/old", "Tungsten candelabra", "For questions alone.")
	for i := range more {
		add(fmt.Sprintf("/more/%d", i), fmt.Sprintf("Lamp number %d", i), "One of many.")
	}
	write(t, filepath.Join(dir, "lamps.jsonl"), lines.String())
	config = write(t, filepath.Join(dir, "frontdesk.yaml"), `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: lamps, name: Lamps, url: "https://lamps.example"}
sources: [{path: lamps.jsonl}]
terms:
  - {match: {path: "/premium/**"}, access: licensed, excerpt: {words: 5}}
  - {match: {path: "/drafts/**"}, access: blocked}
  - {match: {path: "/listed/**"}, access: open, functions: {prohibit: [ai-input]}}
  - {match: {}, access: open}
`)
	process.MustRun(t, "ingest", "--config", config)
	return process.Start(t, "serve", "--config", config).URL, config
}

func ask(t *testing.T, base, question string) string {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"query": map[string]any{"text": question, "limit": 3}})
	response, err := http.Post(base+"/ask", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOneFrontDeskReadsAnotherByWhatItsRobotsFileTells(t *testing.T) {
	t.Parallel()
	base, _ := publisher(t)
	reader := write(t, filepath.Join(t.TempDir(), "frontdesk.yaml"), `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
site: {id: reader}
sources: [{name: lamps, url: "`+base+`/"}]
fetch: {interval: 0s}
`)
	told := process.MustRun(t, "ingest", "--config", reader)
	if want := fmt.Sprint(more + 3); !strings.Contains(told, want) {
		t.Errorf("reading took not %s items, the page at / among them:\n%s", want, told)
	}
	second := process.Start(t, "serve", "--config", reader).URL
	for question, want := range map[string]string{
		"brass lighthouse":     `"sku":"S-/brass"`,
		"lamp number 1099":     `"name":"Lamp number 1099"`,
		"chandelier chronicle": `"isAccessibleForFree":false`,
	} {
		if got := ask(t, second, question); !strings.Contains(got, want) {
			t.Errorf("%s: %.600s, want %s", question, got, want)
		}
	}
	for question, secret := range map[string]string{
		"whale oil harbours": "Whale oil", "laser beacon": "zirconium", "tungsten candelabra": "For questions alone",
	} {
		if got := ask(t, second, question); strings.Contains(got, secret) {
			t.Errorf("%s was given away: %.600s", secret, got)
		}
	}
	// On the publisher itself the last of them is found: it is the feed alone that has it not.
	if got := ask(t, base, "tungsten candelabra"); !strings.Contains(got, "For questions alone") {
		t.Errorf("the publisher does not find its own item: %.600s", got)
	}
}
