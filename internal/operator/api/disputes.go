package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
)

// Disputes is where the operator reads and decides disputes; an id stands behind it, and behind that decide.
const Disputes = "/admin/disputes"

// Bench is what DisputesHandler needs.
type Bench struct {
	Reader *disputes.Reader
	// Decide decides a dispute, as exchange.Cases.DecideDispute does: with an amount in units of 1e-8, 0 for all, and
	// a note, empty for none.
	Decide func(ctx context.Context, id string, resolution disputes.Resolution, amount int64, note string) (disputes.Case, error)
	// Erase forgets what the buyer wrote of a dispute.
	Erase func(ctx context.Context, id string) error
}

// DisputesHandler answers at Disputes and below: GET lists disputes, or gives one with its steps; POST to an id's /decide decides it,
// and DELETE of an id's /description forgets what the buyer wrote.
func DisputesHandler(of Bench) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		id, what, _ := strings.Cut(strings.Trim(strings.TrimPrefix(r.URL.Path, Disputes), "/"), "/")
		switch {
		case id == "":
			return byMethod(w, r, methods{http.MethodGet: of.list})
		case what == "":
			return byMethod(w, r, methods{http.MethodGet: func(_ http.ResponseWriter, r *http.Request) (int, any, error) { return of.show(r.Context(), id) }})
		case what == "decide":
			return byMethod(w, r, methods{http.MethodPost: func(w http.ResponseWriter, r *http.Request) (int, any, error) { return of.decide(w, r, id) }})
		case what == "description":
			return byMethod(w, r, methods{http.MethodDelete: func(_ http.ResponseWriter, r *http.Request) (int, any, error) {
				return http.StatusOK, struct{}{}, of.Erase(r.Context(), id)
			}})
		}
		return 0, nil, fail.New(fail.NotFound, "there is nothing at this address")
	})
}

// disputeShown is a dispute as it is told.
type disputeShown struct {
	ID          string      `json:"dispute_id"`
	Transaction string      `json:"transaction_id"`
	Billing     string      `json:"billing_id"`
	Report      string      `json:"report_id"`
	Buyer       string      `json:"buyer"`
	Site        string      `json:"site"`
	Reason      string      `json:"reason"`
	Hash        string      `json:"received_sha256,omitempty"`
	Similarity  string      `json:"received_simhash,omitempty"`
	Description string      `json:"description,omitempty"`
	Level       int         `json:"attestation_level"`
	Mutability  string      `json:"mutability,omitempty"`
	Status      string      `json:"status"`
	Resolution  string      `json:"resolution,omitempty"`
	Rule        string      `json:"rule,omitempty"`
	Explanation string      `json:"explanation,omitempty"`
	Tier        int         `json:"tier,omitempty"`
	Credit      string      `json:"credit,omitempty"`
	Currency    string      `json:"currency,omitempty"`
	Appeals     int         `json:"appeals,omitempty"`
	Filed       string      `json:"filed"`
	Changed     string      `json:"changed"`
	Due         string      `json:"due,omitempty"`
	Steps       []stepShown `json:"steps,omitempty"`
}

type stepShown struct {
	At         string              `json:"at"`
	Status     string              `json:"status"`
	By         string              `json:"by"`
	Resolution string              `json:"resolution,omitempty"`
	Rule       string              `json:"rule,omitempty"`
	Consulted  []disputes.Evidence `json:"consulted,omitempty"`
	Entry      string              `json:"entry"`
	Note       string              `json:"note,omitempty"`
}

// ShowDispute is a dispute as it is told in JSON.
func ShowDispute(c disputes.Case, steps []disputes.Step) any {
	out := disputeShown{
		ID: c.ID, Transaction: c.Transaction, Billing: c.Billing, Report: c.Report, Buyer: c.Buyer, Site: c.Site, Reason: string(c.Reason), Hash: c.Hash, Description: c.Description,
		Level: c.Level, Mutability: c.Mutability, Status: string(c.Status), Resolution: string(c.Resolution), Rule: c.Rule, Explanation: disputes.Explain(c.Rule), Tier: c.Tier,
		Appeals: c.Appeals, Filed: stamp(c.Filed), Changed: stamp(c.Changed), Due: stamp(c.Due),
	}
	if c.Method == string(contenthash.SimHash) {
		out.Hash, out.Similarity = "", c.Hash
	}
	if c.Resolution == disputes.Credit && c.Currency != "" {
		out.Credit, out.Currency = policy.Amount(c.Credit), c.Currency
	}
	for _, s := range steps {
		out.Steps = append(out.Steps, stepShown{stamp(s.At), string(s.To), s.By, string(s.Resolution), s.Rule, s.Evidence, s.Entry, s.Note})
	}
	return out
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// among says which parameter of a list of disputes has a value that none of them can have.
func among(q map[string]string) error {
	for name, all := range map[string][]string{"reason": names(disputes.Reasons), "status": names(disputes.Statuses), "resolution": names(disputes.Resolutions), "open": {"true", "false"}} {
		if q[name] != "" && !slices.Contains(all, q[name]) {
			return fail.New(fail.Invalid, "%s is one of %s", name, strings.Join(all, ", "))
		}
	}
	return nil
}

func names[T ~string](all []T) (out []string) {
	for _, one := range all {
		out = append(out, string(one))
	}
	return out
}

// list answers with a page, the newest first; next is the id of the last, after which there may be more.
func (of Bench) list(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	q, err := parameters(r, "buyer", "site", "reason", "status", "resolution", "open", "since", "until", "before", "limit")
	if err != nil {
		return 0, nil, err
	}
	want := disputes.Filter{
		Buyer: q["buyer"], Site: q["site"], Reason: disputes.Reason(q["reason"]), Status: disputes.Status(q["status"]), Resolution: disputes.Resolution(q["resolution"]),
		Open: q["open"] == "true", Before: q["before"], Limit: usualPage,
	}
	if err := among(q); err != nil {
		return 0, nil, err
	}
	if want.Since, err = instant("since", q["since"]); err != nil {
		return 0, nil, err
	}
	if want.Until, err = instant("until", q["until"]); err != nil {
		return 0, nil, err
	}
	if want.Limit, err = limited(q, want.Limit, mostPage); err != nil {
		return 0, nil, err
	}
	all, err := of.Reader.Disputes(r.Context(), want)
	if err != nil {
		return 0, nil, err
	}
	out := map[string]any{}
	shown := make([]any, len(all))
	for i, c := range all {
		shown[i] = ShowDispute(c, nil)
	}
	if out["disputes"] = shown; len(all) == want.Limit {
		out["next"] = all[len(all)-1].ID
	}
	return http.StatusOK, out, nil
}

func (of Bench) show(ctx context.Context, id string) (int, any, error) {
	c, steps, ok, err := of.Reader.Dispute(ctx, id)
	if err == nil && !ok {
		err = fail.New(fail.NotFound, "there is no dispute %.60q", id)
	}
	return http.StatusOK, ShowDispute(c, steps), err
}

func (of Bench) decide(w http.ResponseWriter, r *http.Request, id string) (int, any, error) {
	var asked struct {
		Resolution string `json:"resolution"`
		Amount     string `json:"amount"`
		Note       string `json:"note"`
	}
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	var amount int64
	if asked.Amount != "" {
		var err error
		if amount, err = policy.ParseAmount(asked.Amount); err != nil || amount <= 0 {
			return 0, nil, fail.New(fail.Invalid, "amount is more than 0, like 0.05; leave it out to give back all that was charged")
		}
	}
	c, err := of.Decide(r.Context(), id, disputes.Resolution(asked.Resolution), amount, asked.Note)
	return http.StatusOK, ShowDispute(c, nil), err
}
