// Package retention looks at a front desk from outside, at its files, its logs and everything that
// it says, for what somebody told an agent: none of it is where it must not be, and nothing at all
// once it is erased.
package retention

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// desk is a running front desk with one intake, whose data goes when its offer is bound.
type desk struct {
	t            *testing.T
	folder       string
	config, data string
	server       *process.Server
	metrics      string
}

func start(t *testing.T, retention string) *desk {
	d := &desk{t: t, folder: t.TempDir()}
	d.config, d.data = filepath.Join(d.folder, "frontdesk.yaml"), filepath.Join(d.folder, "data")
	d.metrics = "127.0.0.1:" + process.FreePort(t)
	text := fmt.Sprintf(`
listen: 127.0.0.1:0
data: data
metrics: {listen: %q}
log: {level: debug}
site: {id: site, name: Site, url: "https://site.example"}
intakes:
  list:
    - id: visit
      name: Visit
      description: Somebody comes and looks at it.
      offer_type: appointment
      input_schema:
        type: object
        required: [trouble]
        properties:
          trouble: {type: string, maxLength: 2000}
          rooms: {type: integer, minimum: 1, maximum: 20}
          kind: {type: string, enum: [roof, pipes]}
      privacy: {data_retention: %s}
      binding: true
      rules:
        decline: [{when: "data.trouble.startsWith('none')", reason: There is nothing to look at.}]
        offers: [{summary: "We come on Monday for this: {data.trouble}", bind_requires: [email, full_name]}]
`, d.metrics, retention)
	if err := os.WriteFile(d.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d.server = process.Start(t, "serve", "--config", d.config)
	return d
}

// post sends a message, and gives status and answer.
func (d *desk) post(path, body string) (status int, answer string) {
	d.t.Helper()
	response, err := http.Post(d.server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

const session = "0f8fad5b-d9cb-469f-a165-70867728950e"

// agentID is more than an id: it says whose agent it is.
const agentID = "agent-of-jane@example.com"

// submit submits, and gives the offer's id.
func (d *desk) submit(data string) string {
	d.t.Helper()
	status, answer := d.post("/intake/visit", fmt.Sprintf(`{"aip_version":"0.1.0","agent":{"id":%q,"consent_scope":["intake","offer"]},"session_id":%q,"intake_data":%s}`, agentID, session, data))
	var offer struct{ Offer struct{ ID string } }
	if err := json.Unmarshal([]byte(answer), &offer); err != nil || status != http.StatusOK || offer.Offer.ID == "" {
		d.t.Fatalf("%d %s", status, answer)
	}
	return offer.Offer.ID
}

func (d *desk) bind(offer, data string) (status int, answer string) {
	return d.post("/intake/visit/bind", fmt.Sprintf(`{"offer_id":%q,"session_id":%q,"bind_data":%s,"agent":{"id":%q,"consent_scope":["intake","bind"]}}`, offer, session, data, agentID))
}

// exported is what the owner's command gives of the session.
func (d *desk) exported() string {
	d.t.Helper()
	return process.MustRun(d.t, "intake", "export", session, "--config", d.config)
}

// files looks for texts in every file below some folders, those within archives too, and says
// where.
func (d *desk) files(texts []string, folders ...string) (found []string) {
	d.t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || path == d.config {
				return err
			}
			content, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) { // SQLite's journal
				return nil
			}
			if strings.HasSuffix(path, ".backup") {
				content = unpacked(d.t, content)
			}
			found = append(found, holds(path, content, texts)...)
			return err
		})
		if err != nil {
			d.t.Fatal(err)
		}
	}
	return found
}

func holds(where string, content []byte, texts []string) (found []string) {
	for _, text := range texts {
		if bytes.Contains(content, []byte(text)) {
			found = append(found, text+" in "+where)
		}
	}
	return found
}

// unpacked is all that a backup holds.
func unpacked(t *testing.T, packed []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for in := tar.NewReader(reader); ; {
		head, err := in.Next()
		if err == io.EOF {
			return all.Bytes()
		}
		if err == nil {
			all.WriteString(head.Name + "\n")
			_, err = io.Copy(&all, in)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// eventually waits for what the server does in its own time.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); <-time.After(50 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("never: " + what)
		}
	}
}

// TestWhatIsErasedIsNowhere follows a datum from an agent through its life: it can be read by the
// owner before its offer is bound, and by nobody after, not in any file, and not from a backup that
// was made before and is put back.
func TestWhatIsErasedIsNowhere(t *testing.T) {
	t.Parallel()
	d := start(t, "session")
	const secret = "a leak above the blue piano"
	data := fmt.Sprintf(`{"trouble":%q}`, secret)
	offer := d.submit(data)
	if text := d.exported(); !strings.Contains(text, secret) || !strings.Contains(text, agentID) {
		t.Fatal("the owner cannot read what was submitted")
	}
	backup := filepath.Join(d.folder, "before.backup")
	if told := process.MustRun(t, "backup", backup, "--config", d.config); !strings.Contains(told,
		"does not hold the vault") || !strings.Contains(told, "vault.db") {
		t.Errorf("the backup does not name the vault: %s", told)
	}
	if status, answer := d.bind(offer, `{"email":"jane@example.com","full_name":"Jane Doe"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	eventually(t, "the datum is erased", func() bool { return !strings.Contains(d.exported(), `"intake_data": {`) })
	if text := d.exported(); !strings.Contains(text, secret) { // in the offer, which stands until it expires
		t.Errorf("the offer is gone: %s", text)
	}
	process.MustRun(t, "intake", "erase", offer, "--yes", "--config", d.config)
	texts := []string{secret, "blue piano", "jane@example.com", "Jane Doe"}
	for _, text := range texts {
		if strings.Contains(d.exported(), text) {
			t.Errorf("the owner still reads %q", text)
		}
	}
	if found := d.files(texts, d.folder); len(found) > 0 {
		t.Errorf("there is %s", found)
	}
	d.server.End(t)
	if told := process.MustRun(t, "restore", backup, "--replace", "--config", d.config); !strings.Contains(told,
		"vault.db, which no backup holds") {
		t.Errorf("the restore does not name the vault: %s", told)
	}
	process.MustRun(t, "ledger", "resume", "--config", d.config)
	text := d.exported()
	if strings.Contains(text, secret) || strings.Contains(text, `"intake_data": {`) || !strings.Contains(text, `"state": "offered"`) {
		t.Errorf("the backup brought back %s", text)
	}
	if found := d.files(texts, d.folder); len(found) > 0 {
		t.Errorf("after the restore there is %s", found)
	}
	d.server = process.Start(t, "serve", "--config", d.config)
	if status, answer := d.bind(offer, `{"email":"jane@example.com","full_name":"Jane Doe"}`); status != http.StatusGone {
		t.Errorf("an offer that nobody can read is bound: %d %s", status, answer)
	}
}

// TestMarkersAreNowhere plants markers in all that an agent can send, lets most of it be refused
// for every reason that there is, and looks for them in answers, logs, metrics, ledger, backups and
// files.
func TestMarkersAreNowhere(t *testing.T) {
	t.Parallel()
	d := start(t, "indefinite")
	const data, bound, agent, other = "MARKERdata", "MARKERbind", "MARKERagent", "MARKERother"
	markers := []string{"MARKER"}
	message := func(change string) string {
		return strings.NewReplacer("CHANGE", change).Replace(fmt.Sprintf(`{"aip_version":"0.1.0","agent":{"id":"%s the agent of","platform":"%s and","name":"%s","consent_scope":["intake","offer"]},
			"session_id":%q,"intake_data":{"trouble":"%s leaks"CHANGE},"metadata":{"locale":"en-US","note":"%s"}}`, agent, agent, agent, session, data, other))
	}
	status, answer := d.post("/intake/visit", message(""))
	var offer struct{ Offer struct{ ID string } }
	if err := json.Unmarshal([]byte(answer), &offer); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	accept := func(change string) string {
		return fmt.Sprintf(`{"offer_id":%q,"session_id":%q,"bind_data":{"email":"%s@example.com"%s},"agent":{"id":"%s the agent of","consent_scope":["intake","bind"]}}`, offer.Offer.ID, session, bound, change, agent)
	}
	refused := 0
	for _, c := range []struct {
		path, body string
	}{
		{"/intake/visit", message(`,"kind":"MARKER"`)},
		{"/intake/visit", message(`,"rooms":"MARKER"`)},
		{"/intake/visit", message(`,"email":"MARKER@example.com"`)},
		{"/intake/visit", message(`,"MARKER@example.com":1`)},
		{"/intake/visit", message(`,"own":"MARKER@example.com"`)},
		{"/intake/visit", message(`,"trouble":"MARKER"`)}, // twice
		{"/intake/visit", `{"MARKER":1}`},
		{"/intake/visit", `"MARKER"`},
		{"/intake/visit", `MARKER`},
		{"/intake/visit", message("") + "MARKER"},
		{"/intake/visit", strings.Replace(message(""), session, "MARKER", 1)},
		{"/intake/visit", strings.Replace(message(""), `"0.1.0"`, `"MARKER"`, 1)},
		{"/intake/visit", strings.Replace(message(""), `"offer"]`, `"MARKER"]`, 1)},
		{"/intake/visit", strings.Replace(message(""), "en-US", "MARKER", 1)},
		{"/intake/visit/bind", accept("")},
		{"/intake/visit/bind", accept(`,"full_name":" "`)},
		{"/intake/visit/bind", strings.Replace(accept(`,"full_name":"MARKER"`), "@example.com", "", 1)},
		{"/intake/visit/bind", strings.Replace(accept(`,"full_name":"MARKER"`), offer.Offer.ID, "MARKER", 1)},
		{"/intake/visit/bind", strings.Replace(accept(`,"full_name":"MARKER"`), session, "MARKER", 1)},
		{"/intake/visit/bind", strings.Replace(accept(`,"full_name":"MARKER"`), "the agent of", "another", 1)},
		{"/intake/visit/bind", strings.Replace(accept(`,"full_name":"MARKER"`), `"bind"]`, `"MARKER"]`, 1)},
	} {
		status, answer := d.post(c.path, c.body)
		if status < 400 || status >= 500 {
			t.Errorf("%s is answered with %d %s", c.body, status, answer)
		}
		if found := holds("the answer "+answer, []byte(answer), markers); len(found) > 0 &&
			!strings.Contains(c.body, `"session_id":"MARKER"`) {
			t.Errorf("to %s: %s", c.body, found)
		}
		refused++
	}
	if status, answer := d.post("/intake/visit/bind", accept(`,"full_name":"MARKER Doe"`)); status != http.StatusOK ||
		strings.Contains(answer, "MARKER") {
		t.Fatalf("%d %s", status, answer)
	}
	if status, answer := d.post("/intake/visit/bind",
		accept(`,"full_name":"MARKER Roe"`)); status != http.StatusConflict || strings.Contains(answer, "MARKER") {
		t.Errorf("%d %s", status, answer)
	}
	if text := d.exported(); !strings.Contains(text, data) || !strings.Contains(text, bound) ||
		!strings.Contains(text, agent) {
		t.Fatal("the owner cannot read what was taken in: nothing was tested")
	}
	process.MustRun(t, "backup", filepath.Join(d.folder, "now.backup"), "--config", d.config)
	ledger := process.MustRun(t, "ledger", "show", "--json", "--limit", "0", "--config", d.config)
	if !strings.Contains(ledger, `"kind":"bind"`) {
		t.Errorf("the ledger has no bind: %s", ledger)
	}
	metrics, err := http.Get("http://" + d.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer metrics.Body.Close()
	figures, err := io.ReadAll(metrics.Body)
	if err != nil || !bytes.Contains(figures, []byte("frontdesk_")) {
		t.Fatalf("%v: %.200s", err, figures)
	}
	found := append(holds("the ledger", []byte(ledger), markers), holds("the metrics", figures, markers)...)
	found = append(found, d.files([]string{data, bound, agent, other, "MARKER Doe"}, d.folder)...)
	d.server.End(t)
	if log := d.server.Log(); !strings.Contains(log, "/intake/visit") {
		t.Errorf("the log tells nothing: %s", log)
	} else {
		found = append(found, holds("the log", []byte(log), markers)...)
	}
	for _, f := range found {
		t.Error(f)
	}
	t.Logf("%d messages were refused", refused)
}
