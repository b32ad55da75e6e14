package check_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/check"
	"frontdesk/internal/testkit/provider"
	"frontdesk/internal/testkit/publisher"
	"frontdesk/wire/intake"
)

// samples are those of the test's business.
func samples() check.Options {
	return check.Options{
		Samples: map[string]check.Sample{
			provider.Quote: {Data: []byte(provider.QuoteData), Declined: []byte(provider.DeclinedData),
				Bind: []byte(provider.BindData)},
			provider.Keyed: {Data: []byte(provider.SumData)},
		},
		Token: provider.Token,
	}
}

// visited looks at a business on this machine, and leaves out what it cannot help: that it has no
// https.
func visited(t *testing.T, p *provider.Provider, o check.Options) []check.Result {
	t.Helper()
	p.URL = strings.Replace(p.URL, "127.0.0.1", "localhost", 1)
	report, err := check.Intakes(t.Context(), p.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(report.Results, func(r check.Result) bool {
		return r.Probe == "intake.wellknown.https" &&
			r.Outcome == check.Doubtful
	})
}

func TestABusinessThatKeepsTheProtocolPasses(t *testing.T) {
	t.Parallel()
	p := provider.Start(t)
	results := visited(t, p, samples())
	passed := map[string]int{}
	for _, r := range results {
		if r.Outcome == check.Passed {
			passed[r.Probe]++
			continue
		}
		if quote := strings.HasPrefix(r.About, provider.Quote); r.Outcome != check.Skipped || quote &&
			!slices.Contains([]string{"intake.submit.keyless", "intake.submit.burst", "intake.bind.expired"}, r.Probe) {
			t.Errorf("%+v", r)
		}
	}
	if len(passed) < 60 || passed["intake.submit.options"] != 3 || passed["intake.submit.malformed"] != 2 {
		t.Errorf("%d probes passed: %v", len(passed), passed)
	}
	if len(p.Seen().Bound) != 3 {
		t.Errorf("%d offers were bound, and the documentation says three", len(p.Seen().Bound))
	}
}

// TestEveryIntakeProbeCanFail has the business break the protocol in the way that each probe looks
// for: that probe sees it, and no other does but those that look at the same thing.
func TestEveryIntakeProbeCanFail(t *testing.T) {
	// Lies that other probes than the one of their name see, and those that more than one sees.
	seenBy := map[string][]string{
		"intake.submit.session":          {"intake.submit.valid"},
		"intake.submit.offer-expired":    {"intake.submit.valid", "intake.bind.expired"},
		"intake.submit.no-bind-endpoint": {"intake.submit.valid"}, "intake.submit.no-summary": {"intake.submit.valid"},
		"intake.submit.type-html": {"intake.submit.valid"},
		// the ids of offers are no longer known
		"intake.submit.repeat":       {"intake.submit.repeat", "intake.bind.*"},
		"intake.submit.error-status": {"intake.submit.error-status", "intake.submit.*"},
		"intake.submit.errors":       {"intake.submit.errors", "intake.submit.*"},
		"intake.submit.get":          {"intake.submit.get", "intake.submit.error-status"},
		"intake.bind.host":           {"intake.bind.host"},
	}
	probes := map[string]bool{}
	for _, r := range visited(t, provider.Start(t), samples()) {
		if probes[r.Probe] = true; seenBy[r.Probe] == nil {
			seenBy[r.Probe] = []string{r.Probe}
		}
	}
	delete(seenBy, "intake.submit.time") // which would take ten seconds
	for i, lie := range slices.Sorted(maps.Keys(seenBy)) {
		if testing.Short() && i%6 != 0 { // the race detector finds no more in all of them
			continue
		}
		t.Run(lie, func(t *testing.T) {
			t.Parallel()
			p, o := provider.Start(t), samples()
			p.Lie(lie)
			switch lie {
			case "intake.submit.burst":
				p.Declare(func(m *intake.Manifest) { m.Intakes[0].RateLimit.RequestsPerMinute = 80 })
				o.Burst = 90
			case "intake.bind.expired":
				p.ValidFor(time.Second)
			}
			seen := false
			for _, r := range visited(t, p, o) {
				if r.Outcome == check.Passed || r.Outcome == check.Skipped {
					continue
				}
				seen = seen || r.Probe == seenBy[lie][0]
				if !slices.ContainsFunc(seenBy[lie], func(probe string) bool { return matches(probe, r.Probe) }) &&
					lie != "intake.bind.expired" {
					t.Errorf("another probe sees it: %+v", r)
				}
				if r.Detail == "" || r.Mend == "" || r.About == "" {
					t.Errorf("a finding explains too little: %+v", r)
				}
			}
			if !seen {
				t.Errorf("nobody sees it")
			}
		})
	}
}

// matches says whether a name is one, or begins like one that ends in a star.
func matches(pattern, name string) bool {
	stem, any := strings.CutSuffix(pattern, "*")
	return name == pattern || any && strings.HasPrefix(name, stem)
}

func TestDeclaredLimitsAreThoseThatHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit    func(*intake.Manifest)
		burst   int
		outcome check.Outcome
	}{
		"throttled as declared": {func(m *intake.Manifest) { m.Intakes[0].RateLimit.RequestsPerMinute = 100 }, 110,
			check.Passed},
		"more is declared": {nil, 5, check.Skipped},
	} {
		p, o := provider.Start(t), samples()
		delete(o.Samples, provider.Keyed)
		p.Declare(c.edit)
		o.Burst = c.burst
		for _, r := range visited(t, p, o) {
			if r.Probe == "intake.submit.burst" && r.Outcome != c.outcome {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// Without samples nothing is posted to a business, and nothing is bound without a sample to bind
// with.
func TestWithoutASampleNothingIsSubmitted(t *testing.T) {
	t.Parallel()
	p := provider.Start(t)
	for _, r := range visited(t, p, check.Options{}) {
		if r.Outcome != check.Passed {
			t.Errorf("%+v", r)
		}
	}
	for _, path := range []string{"/intake/quote", "/intake/sum", "/intake/keyed"} {
		if len(p.Seen().Bodies[path]) != 0 {
			t.Errorf("%s was posted to", path)
		}
	}
	o := samples()
	o.Samples = map[string]check.Sample{provider.Quote: {Data: []byte(provider.QuoteData)}}
	visited(t, p, o)
	if len(p.Seen().Bodies["/intake/quote/bind"]) != 0 || len(p.Seen().Bodies["/intake/sum"]) != 0 ||
		len(p.Seen().Asked) == 0 {
		t.Error("more was posted than there are samples for")
	}
	o.Samples = map[string]check.Sample{"none": {Data: []byte(`{}`)}}
	if _, err := check.Intakes(t.Context(), p.URL, o); err == nil {
		t.Error("a sample of no intake")
	}
}

// A site is looked at for what it has.
func TestASiteIsLookedAtForWhatItHas(t *testing.T) {
	t.Parallel()
	business, desk := provider.Start(t), publisher.Start(t)
	both := http.NewServeMux()
	both.Handle("/.well-known/aip.json", desk)
	both.Handle("/", business)
	off := map[string][]string{}
	probes := func(address string) (publisher, business int) {
		report, err := check.Site(t.Context(), address, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			switch {
			case strings.HasPrefix(r.Probe, "site."):
				off[address] = append(off[address], r.Probe)
			case strings.HasPrefix(r.Probe, "intake."):
				business++
			default:
				publisher++
			}
		}
		return publisher, business
	}
	for address, want := range map[string][2]bool{
		business.URL: {false, true}, desk.URL: {true, false}, business.URL + intake.WellKnown: {false, true},
		serve(t, both): {true, true},
	} {
		if p, b := probes(address); (p > 0) != want[0] || (b > 0) != want[1] {
			t.Errorf("%s: %d, %d", address, p, b)
		}
	}
	if got := off[business.URL]; !slices.Equal(got, []string{"site.intent", "site.provider", "site.exchange"}) {
		t.Errorf("at the business these are off: %v", got)
	}
	bare := serve(t, http.NotFoundHandler())
	report, err := check.Site(t.Context(), bare, check.Options{})
	if err != nil || report.Count(check.Wrong) != 1 || report.Results[0].Probe != "site.documents" ||
		report.Count(check.Skipped) != 4 {
		t.Errorf("at a site without any document: %+v, %v", report, err)
	}
	broken := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	report, err = check.Site(t.Context(), broken, check.Options{})
	if err != nil || report.Results[0].Probe != "wellknown.served" {
		t.Errorf("at a site that fails: %+v, %v", report, err)
	}
}

func TestAnIntakeDocumentIsLookedAtWherever(t *testing.T) {
	t.Parallel()
	p := provider.Start(t)
	_ = p
	good := `{"offer_id":"o1","session_id":"7f2c1f3e-90b1-4c55-8d0c-3e6f0a1d2b4c","bind_data":{},"agent":{"id":"a","consent_scope":["bind"]}}`
	report, err := check.IntakeFile("x", intake.KindBind, strings.NewReader("\ufeff"+good), check.Options{})
	if err != nil || report.Count(check.Wrong) != 0 || report.Count(check.Passed) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	report, err = check.IntakeFile("x", intake.KindBind,
		strings.NewReader(strings.Replace(good, "bind\"]", "offer\"]", 1)), check.Options{})
	if err != nil || report.Count(check.Wrong) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
