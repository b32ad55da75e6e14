package check_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/check"
	"frontdesk/internal/testkit/publisher"
	"frontdesk/wire/intent"
)

func options() check.Options {
	return check.Options{
		Key: &check.Credentials{Platform: publisher.Platform, KeyID: publisher.KeyID,
			Secret: []byte(publisher.Secret)},
		Other: &check.Credentials{Platform: publisher.OtherPlatform, KeyID: publisher.OtherKeyID,
			Secret: []byte(publisher.OtherSecret)},
		Burst: 12,
	}
}

// localDoubts are what a publisher on this machine cannot help.
func localDoubts(r check.Result) bool {
	return r.Outcome == check.Doubtful && (r.Probe == "wellknown.https" || strings.HasSuffix(r.Pointer, "/url"))
}

func look(t *testing.T, p *publisher.Publisher, o check.Options) []check.Result {
	t.Helper()
	address := strings.Replace(p.URL, "127.0.0.1", "localhost", 1)
	report, err := check.Publisher(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(report.Results, localDoubts)
}

func TestAPublisherThatKeepsTheProtocolPasses(t *testing.T) {
	t.Parallel()
	results := look(t, publisher.Start(t), options())
	for _, r := range results {
		if r.Outcome != check.Passed && r.Probe != "closed.denies" && r.Probe != "closed.chunks" {
			t.Errorf("%+v", r)
		}
	}
	if len(results) < 60 {
		t.Errorf("there are only %d results", len(results))
	}
}

// TestEveryProbeCanFail has the publisher break the protocol in the way that each probe looks for:
// the probe must see it.
func TestEveryProbeCanFail(t *testing.T) {
	// Lies that other probes than the one of their name see.
	seenBy := map[string]string{
		"content.too-many": "content.answer", "content.token-sum": "content.answer",
		"content.denial-too": "content.answer", "content.unknown-citation": "content.answer",
		"content.price": "content.answer", "content.empty": "content.answer", "content.echo": "content.answer",
		"content.status":   "content.answer",
		"content.unsigned": "content.signature", "content.signature-path": "content.signature",
		"content.signature-body":  "content.signature",
		"content.signature-stale": "content.signature", "content.signature-key": "content.signature",
	}
	honest := publisher.Start(t)
	for _, r := range look(t, honest, options()) {
		if _, ok := seenBy[r.Probe]; !ok && r.Probe != "content.answer" {
			seenBy[r.Probe] = r.Probe
		}
	}
	for i, lie := range slices.Sorted(maps.Keys(seenBy)) {
		probe := seenBy[lie]
		if testing.Short() && i%4 != 0 { // the race detector finds no more in all of them
			continue
		}
		t.Run(lie, func(t *testing.T) {
			t.Parallel()
			p := publisher.Start(t)
			p.Lie(lie)
			switch lie {
			case "closed.denies":
				p.Declare(func(d *intent.Declaration) { d.IntentAccess.State = intent.StatePaused })
			case "wellknown.host":
				p.Declare(func(d *intent.Declaration) { d.Publisher.Domain = "example.org" })
			case "closed.chunks":
				p.Declare(func(d *intent.Declaration) { d.Retrieval.Supports.Chunks = false })
			}
			seen := false
			for _, r := range look(t, p, options()) {
				if r.Outcome == check.Passed || r.Outcome == check.Skipped {
					continue
				}
				seen = seen || r.Probe == probe
				if r.Detail == "" || r.Mend == "" {
					t.Errorf("a finding explains too little: %+v", r)
				}
			}
			if !seen {
				t.Errorf("nobody sees it")
			}
		})
	}
}

func TestTheVersionIsThatOfTheDeclaration(t *testing.T) {
	t.Parallel()
	p := publisher.Start(t)
	p.Declare(func(d *intent.Declaration) { d.Version = intent.Version10 })
	o := options()
	for _, r := range look(t, p, o) {
		if r.Probe == "document" && r.Outcome == check.Wrong && r.Pointer != "/aip_version" ||
			strings.HasPrefix(r.Probe, "auth.") && r.Outcome != check.Skipped {
			t.Errorf("1.0 is no version unless it is called one: %+v", r)
		}
	}
	o.Versions = []string{intent.Version01, intent.Version10}
	for _, r := range look(t, p, o) {
		if r.Outcome == check.Wrong || r.Outcome == check.Doubtful {
			t.Errorf("%+v", r)
		}
	}
}

func TestADeclarationThatIsNotInForceDenies(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*intent.Declaration){
		"disabled":    func(d *intent.Declaration) { d.IntentAccess.Enabled = false },
		"paused":      func(d *intent.Declaration) { d.IntentAccess.State = intent.StatePaused },
		"ended":       func(d *intent.Declaration) { d.Compliance.Sunset = "2020-01-01" },
		"no passages": func(d *intent.Declaration) { d.Retrieval.Supports.Chunks = false },
	} {
		p := publisher.Start(t)
		p.Declare(edit)
		tried := false
		for _, r := range look(t, p, options()) {
			tried = tried || (r.Probe == "closed.denies" || r.Probe == "closed.chunks") && r.Outcome == check.Passed
			if r.Outcome == check.Wrong {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if !tried {
			t.Errorf("%s: nobody looks whether it denies", name)
		}
	}
}

func TestWithoutAKeyTheDeclarationAloneIsLookedAt(t *testing.T) {
	t.Parallel()
	p := publisher.Start(t)
	for _, r := range look(t, p, check.Options{}) {
		if !strings.HasPrefix(r.Probe, "wellknown.") && !strings.HasPrefix(r.Probe, "capabilities.") &&
			r.Probe != "document" {
			t.Errorf("%+v", r)
		}
	}
	if len(p.Requests) != 0 {
		t.Error("it was asked for passages")
	}
}

func TestNoEventsReportsNone(t *testing.T) {
	t.Parallel()
	p := publisher.Start(t)
	o := options()
	o.NoEvents = true
	look(t, p, o)
	if len(p.Received) != 0 {
		t.Errorf("events were reported: %+v", p.Received)
	}
}

// TestADeclarationLeadsNowhereHidden has a declaration name an address that is on this machine,
// although it was found by another.
func TestADeclarationLeadsNowhereHidden(t *testing.T) {
	t.Parallel()
	p := publisher.Start(t)
	p.Declare(func(d *intent.Declaration) { d.Endpoints.Retrieve.URL = "http://10.255.255.1/retrieve" })
	o := options()
	for _, r := range look(t, p, o) {
		if r.Probe == "auth.accepted" && (r.Outcome != check.Wrong || !strings.Contains(r.Detail, "not public")) {
			t.Errorf("%+v", r)
		}
	}
}

func TestADocumentIsLookedAtWherever(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/aip.json")
	if err != nil {
		t.Fatal(err)
	}
	report, err := check.File("aip.json", intent.KindDeclaration, strings.NewReader("\ufeff"+string(text)),
		check.Options{Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }})
	if err != nil || report.Count(check.Wrong) != 0 || report.Count(check.Doubtful) != 0 ||
		report.Count(check.Passed) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	null := strings.Replace(string(text), `"revocable"`, `"revocation_reason": null, "revocable"`, 1)
	report, err = check.File("aip.json", intent.KindDeclaration, strings.NewReader(null),
		check.Options{Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }})
	if err != nil || report.Count(check.Wrong) != 0 || report.Count(check.Doubtful) != 1 ||
		report.Results[len(report.Results)-1].Pointer != "/compliance/revocation_reason" {
		t.Errorf("a reason of null, as the protocol's example has it: %+v, %v", report, err)
	}
	report, err = check.File("aip.json", intent.KindDeclaration,
		strings.NewReader(strings.Replace(string(text), `"none"`, `"all"`, 1)), check.Options{})
	if err != nil || report.Count(check.Wrong) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := check.File("x", intent.KindDeclaration, strings.NewReader(strings.Repeat(" ", 5<<20)),
		check.Options{}); err == nil {
		t.Error("five megabytes are a document")
	}
}

func TestNobodyThereIsAnError(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"not an address", "ftp://example.com", "http://127.0.0.1:1"} {
		if report, err := check.Publisher(t.Context(), address, check.Options{}); err == nil {
			t.Errorf("%s: %+v", address, report)
		}
	}
}

// A server that is no publisher at all is told in one line.
func TestAServerWithoutDeclaration(t *testing.T) {
	t.Parallel()
	p := publisher.Start(t)
	p.Lie("wellknown.served")
	results := look(t, p, options())
	if results[0].Probe != "wellknown.served" || results[0].Outcome != check.Wrong ||
		!strings.Contains(results[0].Detail, fmt.Sprint(http.StatusNotFound)) {
		t.Errorf("%+v", results[0])
	}
	for _, r := range results[1:] {
		if r.Outcome == check.Wrong {
			t.Errorf("%+v", r)
		}
	}
}
