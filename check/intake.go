package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Sample is what may be submitted to one intake to see how it behaves. All of it is really
// submitted.
type Sample struct {
	// Data is intake_data that gets an offer.
	Data strictjson.Value
	// Declined is intake_data that the business declines; nil is not tried.
	Declined strictjson.Value
	// Bind is bind_data with all that an offer requires. Three offers are really bound with it; nil
	// binds none.
	Bind strictjson.Value
}

// IntakeDocument looks at the text of one message of the Agent Intake Protocol, wherever it came
// from.
func IntakeDocument(name string, kind intake.Kind, text []byte, o Options) *Report {
	o.fill()
	report := &Report{Target: name}
	report.message("document", intake.Check(kind, text, intake.Options{Now: o.Now()}), "the "+string(kind)+" is valid")
	return report
}

// IntakeFile looks at a file: a manifest, or another message where kind says so.
func IntakeFile(name string, kind intake.Kind, r io.Reader, o Options) (*Report, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBody {
		return nil, errors.New("the file is too large for a message of this protocol")
	}
	return IntakeDocument(name, kind, bytes.TrimPrefix(text, []byte("\ufeff")), o), nil
}

// Intakes looks at the business at a site's address, or at that of its manifest: the manifest, how
// it is served, and, where there is a sample, how the intake behaves. The error says that nothing
// could be looked at; all else is in the report.
func Intakes(ctx context.Context, address string, o Options) (*Report, error) {
	o.fill()
	u, err := located(address, intake.WellKnown)
	if err != nil {
		return nil, err
	}
	b := &business{asker: &asker{options: o, web: newWeb(u, o), wellKnown: u, report: &Report{Target: u.String()}}}
	defer b.web.CloseIdleConnections()
	if b.served, err = b.get(ctx, http.MethodGet, u, http.Header{"Accept": {"application/json"}}); err != nil {
		return nil, err
	}
	if b.served.status != http.StatusOK {
		b.add("intake.wellknown.served", "the manifest is public",
			wrong(fmt.Sprintf("%s answers %d", u, b.served.status), "answer 200 with the manifest"))
		return b.report, nil
	}
	b.add("intake.wellknown.served", "the manifest is public", passed())
	b.report.message("intake.document", intake.Check(intake.KindManifest, b.served.body, intake.Options{Now: o.Now()}),
		"the manifest is valid")
	b.manifest, _ = intake.ReadManifest(b.served.body, intake.Options{})
	for _, each := range manifestProbes {
		b.add(each.id, each.about, each.run(ctx, b))
	}
	if b.manifest == nil {
		return b.report, nil
	}
	for name := range o.Samples {
		if b.find(name) == nil {
			return nil, fmt.Errorf("there is a sample for the intake %q, which the manifest does not have", name)
		}
	}
	for i := range b.manifest.Intakes {
		b.visit(ctx, &b.manifest.Intakes[i])
		if ctx.Err() != nil {
			return b.report, context.Cause(ctx)
		}
	}
	return b.report, nil
}

// Site looks at what there is at an address: declaration, manifests, or several of them. At the
// address of one document, that alone is looked at, and where the options are for one kind of
// server, too.
func Site(ctx context.Context, address string, o Options) (*Report, error) {
	o.fill()
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no web address; write it like https://www.example.com", address)
	}
	switch base := path.Base(u.Path); {
	case base == "agent-intake.json" || len(o.Samples) > 0:
		return Intakes(ctx, address, o)
	case base == "ramp-exchange.json" || o.Buyer != nil:
		return Exchange(ctx, address, o)
	case base == "ramp.json":
		return Provider(ctx, address, o)
	case base == "ramp-agent.json", base == "ramp-verifier.json", strings.HasSuffix(base, ".xml"),
		strings.HasSuffix(base, ".txt"):
		return Served(ctx, address, o)
	case strings.HasSuffix(base, ".json") || o.Key != nil:
		return Publisher(ctx, address, o)
	}
	whole := &Report{Target: address}
	var first *Report
	var serving int
	var absent []Result
	var documents []string
	for _, each := range protocols {
		report, err := each.look(ctx, address, o)
		if err != nil {
			return nil, err
		}
		switch {
		case report.serves():
			if serving++; serving == 1 {
				whole.Target = report.Target
			}
			whole.Results = append(whole.Results, report.Results...)
		case report.absent():
			documents = append(documents, report.Target)
			absent = append(absent, Result{Probe: each.probe, Outcome: Skipped, About: each.name + " is off",
				Detail: report.Results[0].Detail})
		case first == nil:
			first = report
		}
	}
	switch {
	case len(absent) == len(protocols):
		whole.Results = []Result{{Probe: "site.documents", Outcome: Wrong, About: "there is something to look at",
			Detail: "these answer 404: " + strings.Join(documents, ", "),
			Mend:   "switch on a protocol that has one of them; a site that only answers questions has none"}}
	case serving == 0:
		return first, nil
	case serving > 1:
		whole.Target = address
	}
	whole.Results = append(whole.Results, absent...)
	return whole, nil
}

// protocols are those that have a document at a site, and how each is looked at.
var protocols = []struct {
	probe, name string
	look        func(context.Context, string, Options) (*Report, error)
}{
	{"site.intent", "the Agentic Intent Protocol", Publisher},
	{"site.intake", "the Agent Intake Protocol", Intakes},
	{"site.provider", "RAMP, as a provider,", Provider},
	{"site.exchange", "RAMP, as an Exchange,", Exchange},
}

// absent says that there is no document, and so that its protocol is off.
func (r *Report) absent() bool {
	return len(r.Results) > 0 && r.Results[0].Outcome == Wrong && strings.HasSuffix(r.Results[0].Detail, " answers 404")
}

// serves says whether there was a document.
func (r *Report) serves() bool { return len(r.Results) > 0 && r.Results[0].Outcome == Passed }

// located is the address of a well-known document of a site.
func located(address, path string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no web address; write it like https://www.example.com", address)
	}
	if !strings.HasSuffix(u.Path, ".json") {
		u = u.JoinPath(path)
	}
	u.Fragment = ""
	return u, nil
}

// message adds the validator's findings.
func (r *Report) message(probe string, found intake.Findings, about string) {
	if found.Valid() {
		r.Results = append(r.Results, Result{Probe: probe, Outcome: Passed, About: about})
	}
	for _, f := range found {
		outcome := Wrong
		if f.Severity == intake.Doubtful {
			outcome = Doubtful
		}
		r.Results = append(r.Results, Result{Probe: probe, Outcome: outcome, About: f.Rule, Pointer: f.Pointer,
			Detail: f.Detail, Mend: f.Mend})
	}
}

// business is one that is looked at.
type business struct {
	*asker
	manifest *intake.Manifest // nil where it cannot be read
}

func (b *business) find(id string) *intake.Intake {
	for i := range b.manifest.Intakes {
		if b.manifest.Intakes[i].ID == id {
			return &b.manifest.Intakes[i]
		}
	}
	return nil
}

// manifestProbes look at how the manifest is served (Agent Intake Protocol 0.1.0, Stage 1 and
// Transport Requirements).
var manifestProbes = []struct {
	id, about string
	run       func(context.Context, *business) verdict
}{
	{"intake.wellknown.https", "the manifest is served by https", func(_ context.Context, b *business) verdict {
		switch {
		case b.wellKnown.Scheme == "https":
			return passed()
		case intake.Loopback(b.wellKnown.Hostname()):
			return doubt("it is served without", "serve it by https once others can reach it")
		}
		return wrong("it is served without", "serve it by https")
	}},
	{"intake.wellknown.type", "the manifest is application/json", func(_ context.Context, b *business) verdict {
		return jsonTyped(b.served)
	}},
	{"intake.wellknown.cors", "scripts of any site may read the manifest",
		func(_ context.Context, b *business) verdict { return readable(b.served) }},
	{"intake.wellknown.head", "HEAD works", func(ctx context.Context, b *business) verdict {
		got, err := b.get(ctx, http.MethodHead, b.wellKnown, nil)
		switch {
		case err != nil:
			return noAnswer(err)
		case got.status != http.StatusOK || len(got.body) > 0:
			return doubt(fmt.Sprintf("HEAD answers %d", got.status), "answer HEAD like GET, without the body")
		}
		return passed()
	}},
	{"intake.wellknown.options", "OPTIONS works", func(ctx context.Context, b *business) verdict {
		return b.preflight(ctx, b.wellKnown.String(), http.MethodGet)
	}},
	{"intake.wellknown.post", "POST is refused", func(ctx context.Context, b *business) verdict {
		got, err := b.get(ctx, http.MethodPost, b.wellKnown, http.Header{"Content-Type": {"application/json"}})
		switch {
		case err != nil:
			return noAnswer(err)
		case got.status < 400 || got.status >= 500:
			return wrong(fmt.Sprintf("POST answers %d", got.status), "answer 405 with Allow: GET, HEAD, OPTIONS")
		case got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "":
			return doubt(fmt.Sprintf("POST answers %d, Allow: %s", got.status, got.header.Get("Allow")),
				"answer 405 with Allow: GET, HEAD, OPTIONS")
		}
		return passed()
	}},
}

// jsonTyped wants the type of JSON.
func jsonTyped(got *reply) verdict {
	if kind, _, _ := mime.ParseMediaType(got.header.Get("Content-Type")); kind != "application/json" {
		return wrong(fmt.Sprintf("its Content-Type is %q", got.header.Get("Content-Type")),
			"answer Content-Type: application/json")
	}
	return passed()
}

// readable wants what everybody's scripts may read.
func readable(got *reply) verdict {
	if got.header.Get("Access-Control-Allow-Origin") != "*" {
		return doubt("there is no Access-Control-Allow-Origin: *", "add that header: agents run in browsers, too")
	}
	return passed()
}

// preflight asks as a browser does before it sends JSON.
func (b *business) preflight(ctx context.Context, address, method string) verdict {
	u, err := url.Parse(address)
	if err != nil {
		return noAnswer(err)
	}
	got, err := b.get(ctx, http.MethodOptions, u, http.Header{
		"Origin": {"https://agent.example"}, "Access-Control-Request-Method": {method},
		"Access-Control-Request-Headers": {"content-type"},
	})
	if err != nil {
		return noAnswer(err)
	}
	mend := "answer OPTIONS with 204, Access-Control-Allow-Origin: *, Access-Control-Allow-Methods with " + method +
		" and Access-Control-Allow-Headers: Content-Type"
	methods, headers := strings.ToUpper(got.header.Get("Access-Control-Allow-Methods")),
		strings.ToLower(got.header.Get("Access-Control-Allow-Headers"))
	switch {
	case got.status != http.StatusOK && got.status != http.StatusNoContent:
		return doubt(fmt.Sprintf("OPTIONS answers %d", got.status), mend)
	case got.header.Get("Access-Control-Allow-Origin") != "*":
		return doubt("OPTIONS does not allow every site", mend)
	case method != http.MethodGet && !strings.Contains(methods, method) && methods != "*":
		return doubt("OPTIONS does not allow "+method, mend)
	case method != http.MethodGet && !strings.Contains(headers, "content-type") && headers != "*":
		return doubt("OPTIONS does not allow Content-Type", mend)
	}
	return passed()
}

// slow is how long an answer may take.
const slow = 10 * time.Second
