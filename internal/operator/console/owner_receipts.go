package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/ledger"
	"frontdesk/internal/ledger/sharing"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/plot"
	"frontdesk/internal/operator/receipts"
	"frontdesk/wire/receipt"
)

// patience is how long a page may take to be read: a filter that hardly anything fits reads the
// whole ledger.
const patience = 10 * time.Second

// receiptsBody is the first page.
type receiptsBody struct {
	listed
	Head      ledger.Head
	Plot      *plot.Platforms
	Kinds     []string
	Platforms []string
	Rows      []row
	Wrong     template.HTML // what could not be read
	Whole     receipts.Verification
}

// receipts shows who took what, and what became of requests over time.
func (o *owner) receipts(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := receiptsBody{listed: o.choose(r, "receipts"), Kinds: kinds}
	var err error
	if body.Head, err = o.config.Head(ctx); err != nil {
		return "", nil, err
	}
	if body.Whole, err = (receipts.VerifiedLedger{}).Do(ctx, o.config.Access); err != nil {
		return "", nil, err
	}
	tallies, platforms, err := o.lately(ctx)
	if err != nil {
		return "", nil, err
	}
	body.Platforms = platforms
	body.Plot = plotOf(v, tallies, o.Now())
	filter := ledger.Filter{Kind: body.Asked("kind"), Since: body.since, Until: body.until, Newest: true}
	if platform := body.Asked("platform"); platform != "" {
		filter.Party = platformParty + platform
	}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[row]{
		Cells: row.cells,
		Read: func(ctx context.Context, place string, limit int) (all []row, next string, err error) {
			filter.Before, _ = strconv.ParseInt(place, 10, 64)
			filter.Limit = limit + 1
			for record, err := range o.config.Entries(ctx, filter) {
				if err != nil {
					return all, "", err
				}
				all = append(all, newRow(record, v))
			}
			all, next = cut(all, limit, func(r row) string { return strconv.FormatInt(r.Index, 10) })
			return all, next, nil
		},
	})
	if err != nil {
		body.Wrong = v.Why(frame.Unread(err))
	}
	return v.Say("frame.receipts"), body, nil
}

// plotOf draws what platforms asked for, with its words.
func plotOf(v *frame.Visit, tallies []grants.DayCount, now time.Time) *plot.Platforms {
	p := plot.OfPlatforms(tallies, now)
	if p == nil {
		return nil
	}
	p.Name, p.Says = v.Say("receipts.plot"), v.Say("receipts.plot_says", p.Given, p.Refused, p.Max)
	for i := range p.Days {
		day := &p.Days[i]
		day.Says = v.Say("receipts.plot_day", v.Day(day.Day), day.Given, day.Not)
	}
	return p
}

// lately counts what platforms did in the days of the plot, and names all that there are.
func (o *owner) lately(ctx context.Context) ([]grants.DayCount, []string, error) {
	tallies, err := o.config.Tallies(ctx, plot.FirstDay(o.Now()))
	if err != nil {
		return nil, nil, err
	}
	keys, err := o.config.Platforms(ctx)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, t := range tallies {
		names = append(names, t.Platform)
	}
	for _, k := range keys {
		names = append(names, k.Platform)
	}
	slices.Sort(names)
	return tallies, slices.Compact(names), nil
}

// receiptBody is the page of one receipt.
type receiptBody struct {
	row
	Request, Site, Version string
	Inbox                  string // the id of the submission that the entry is about, where there is an inbox
	Text                   string // the receipt; empty while there is none
	Early                  bool   // the entry has no place yet
	Verdict                *verdict
	Share                  string // the link by which strangers get the receipt; empty for an entry of somebody else
}

// verdict is what came of verifying a receipt.
type verdict struct {
	True    bool
	Problem template.HTML // what is wrong
	Ours    bool          // of the receipt as it is stored here, and not as a text
	Index   int64
	Size    int64 // of the ledger that is signed
	Origin  string
	Hashes  int
	Differs []difference // what of the entry is otherwise in our ledger
}

// bodyFor is the page of a receipt.
func bodyFor(given receipt.Receipt, v *frame.Visit) receiptBody {
	e := given.Entry
	var b bodies
	json.Unmarshal(e.Body, &b) // what cannot be read is not shown
	body := receiptBody{row: newRow(ledger.Record{Index: given.Index, Entry: e}, v), Request: e.Request, Site: e.Site,
		Version: b.Terms, Inbox: b.Asked}
	if e.Kind == "intake" {
		body.Inbox = e.ID
	}
	return body
}

// stored gives the receipt of an id with its page. Of an entry that has no place yet there is no
// receipt, and the page says so.
func (o *owner) stored(ctx context.Context, v *frame.Visit, id string) (receiptBody, receipt.Receipt, error) {
	given, err := o.config.Receipt(ctx, id)
	switch {
	case err == nil:
		body := bodyFor(given, v)
		text, err := json.MarshalIndent(given, "", "  ")
		body.Text = string(text)
		return body, given, err
	case fail.From(err).Code == fail.Unavailable && given.Entry.ID != "":
		body := bodyFor(given, v)
		body.Early = true
		return body, given, nil
	}
	return receiptBody{}, given, err
}

// receipt shows one receipt.
func (o *owner) receipt(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body, given, err := o.stored(ctx, v, r.PathValue("id"))
	if err == nil && !body.Early && sharing.Owned(given.Entry) {
		var link receipts.SharedReceipt
		link, err = receipts.ShareReceipt{ID: body.ID}.Do(ctx, o.config.Access)
		body.Share = o.PublicURL(r) + link.Path
	}
	return v.Say("receipts.title", body.ID), body, broken(err)
}

// broken is the error of a receipt that cannot be made: it is not there, or the ledger does not fit
// together.
func broken(err error) error {
	switch {
	case err == nil:
		return nil
	case fail.From(err).Code == fail.NotFound:
		return frame.Fail(fail.NotFound, "fault.entry")
	case fail.From(err).Code == fail.Internal:
		return frame.Fail(fail.Invalid, "fault.ledger", told(err))
	}
	return err
}

// download gives a receipt as a file, which `frontdesk verify` takes.
func (o *owner) download(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	body, _, err := o.stored(r.Context(), v, r.PathValue("id"))
	switch {
	case err != nil:
		return broken(err)
	case body.Early:
		return frame.Fail(fail.Unavailable, "receipts.early")
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Disposition", `attachment; filename="receipt-`+body.ID+`.json"`)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	fmt.Fprintln(w, body.Text)
	return nil
}

// verifyAll verifies the whole ledger. Of a large one, the page says that it goes on.
func (o *owner) verifyAll(r *http.Request, v *frame.Visit) (did, to string, err error) {
	_, err = receipts.VerifyLedger{}.Do(operator.WithActor(r.Context(), v.Actor()), o.config.Access)
	return "verified the whole ledger", "receipts", err
}

// verify derives the proof of a receipt anew: of the one of an id as it is stored, or of one that
// is given as a text.
func (o *owner) verify(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	if text := r.PostForm.Get("receipt"); text != "" {
		return v.Say("receipts.title_verified"), o.verifyText(ctx, v, text), nil
	}
	body, err := o.verifyStored(ctx, v, r.PostForm.Get("id"))
	return v.Say("receipts.title_verified"), body, broken(err)
}

// verifyStored verifies the receipt of an entry as it is stored here.
func (o *owner) verifyStored(ctx context.Context, v *frame.Visit, id string) (receiptBody, error) {
	body, given, err := o.stored(ctx, v, id)
	switch {
	case err != nil && fail.From(err).Code == fail.Internal:
		body.row = row{ID: id}
		problem := v.Why(frame.Fail(fail.Internal, "receipts.false_unmade", told(err)))
		body.Verdict = &verdict{Ours: true, Problem: problem}
		return body, nil
	case err == nil && !body.Early:
		body.Verdict = o.judge(v, given)
		body.Verdict.Ours = true
	}
	return body, err
}

// verifyText verifies a receipt that is given as a text, and says what of its entry is otherwise in
// our ledger.
func (o *owner) verifyText(ctx context.Context, v *frame.Visit, text string) receiptBody {
	given, err := receipt.Parse([]byte(text))
	if err != nil {
		return receiptBody{Text: text, Verdict: &verdict{Problem: v.Cause("receipt", sentence(err.Error()))}}
	}
	body := bodyFor(given, v)
	body.Text, body.Verdict = text, o.judge(v, given)
	if body.Verdict.True {
		return body
	}
	if _, ours, err := o.stored(ctx, v, given.Entry.ID); err == nil {
		body.Verdict.Differs = differences(given.Entry, ours.Entry)
	}
	return body
}

// judge verifies a receipt by the site's own public keys, as anybody can.
func (o *owner) judge(v *frame.Visit, given receipt.Receipt) *verdict {
	c, err := receipt.Verify(given, o.config.Keys())
	out := &verdict{True: err == nil, Index: given.Index, Hashes: len(given.Proof), Origin: c.Origin, Size: c.Size}
	if err != nil {
		out.Problem = v.Cause("receipt", sentence(err.Error()))
	}
	return out
}

// difference is a member of an entry that is another in a text than in our ledger.
type difference struct{ Member, Text, Ledger string }

// differences compares an entry of a text with the one of its id that we have.
func differences(text, ours receipt.Entry) (all []difference) {
	members := func(e receipt.Entry) map[string]string {
		out := map[string]string{
			"time": e.Time.UTC().Format(time.RFC3339Nano), "site": e.Site, "kind": e.Kind, "party": e.Party,
			"subject": e.Subject, "request": e.Request,
		}
		var body map[string]json.RawMessage
		json.Unmarshal(e.Body, &body) // it was read as an object already
		for name, value := range body {
			out["body."+name] = string(value)
		}
		return out
	}
	a, b := members(text), members(ours)
	for name := range b {
		if _, there := a[name]; !there {
			a[name] = ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != b[name] {
			all = append(all, difference{name, a[name], b[name]})
		}
	}
	return all
}

// told is what an error says to the owner, who may know its cause.
func told(err error) string {
	var known *fail.Error
	if errors.As(err, &known) {
		return known.Detail
	}
	return err.Error()
}

// sentence makes a sentence of an error.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if first, size := utf8.DecodeRuneInString(text); size > 0 {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	return strings.TrimSuffix(text, ".") + "."
}

// reasons are the outcomes of requests that got nothing.
var reasons = strings.Fields("out_of_scope access_disabled policy_violation rate_limited unsupported no_content")

// denialsBody is the page of requests that got nothing.
type denialsBody struct {
	listed
	Reasons   []string
	Platforms []string
	Counts    []reasonCount // of the days of the plot
	Days      int
	Rows      []grants.Request
}

type reasonCount struct {
	Reason string
	N      int
}

// denials shows the requests that got nothing, and why.
func (o *owner) denials(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := denialsBody{listed: o.choose(r, "denials"), Days: plot.Days}
	tallies, platforms, err := o.lately(ctx)
	if err != nil {
		return "", nil, err
	}
	body.Platforms = platforms
	body.count(tallies)
	wanted := grants.RefusalFilter{
		Platform: body.Asked("platform"), Outcome: body.Asked("reason"), Since: body.since, Until: body.until,
	}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[grants.Request]{
		Cells: func(r grants.Request) []any { return append(denialCells(r), v.Term("denials.is", r.Outcome)) },
		Read: func(ctx context.Context, place string, limit int) ([]grants.Request, string, error) {
			wanted.Before, wanted.Limit = denialAt(place), limit+1
			all, err := o.config.Refused(ctx, wanted)
			all, next := cut(all, limit, placeOfDenial)
			return all, next, err
		},
	})
	return v.Say("receipts.refused"), body, err
}

// placeOfDenial is where a list goes on behind a request, and denialAt the request of a place.
func placeOfDenial(r grants.Request) string {
	return strings.Join([]string{strconv.FormatInt(r.At.UnixMicro(), 10), r.Platform, r.ID}, " ")
}

func denialAt(place string) (r grants.Request) {
	at, rest, _ := strings.Cut(place, " ")
	if micros, err := strconv.ParseInt(at, 10, 64); err == nil && micros > 0 {
		r.At = time.UnixMicro(micros)
		r.Platform, r.ID, _ = strings.Cut(rest, " ")
	}
	return r
}

// count says how often each reason was given, the most frequent first.
func (b *denialsBody) count(tallies []grants.DayCount) {
	counts := map[string]int{}
	for _, t := range tallies {
		for reason, n := range t.Refused {
			counts[reason] += n
		}
	}
	b.Reasons = slices.Clone(reasons)
	for reason, n := range counts {
		b.Counts = append(b.Counts, reasonCount{reason, n})
		b.Reasons = append(b.Reasons, reason)
	}
	slices.Sort(b.Reasons)
	b.Reasons = slices.Compact(b.Reasons)
	slices.SortFunc(b.Counts, func(x, y reasonCount) int {
		if x.N != y.N {
			return y.N - x.N
		}
		return strings.Compare(x.Reason, y.Reason)
	})
}
