package operator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
)

// Disputes are what buyers say is wrong with what they bought (RAMP v1, dispute resolution).
const (
	disputesPath = "/admin/disputes"
	disputePath  = disputesPath + "/{id}"
)

var disputeOperations = []Operation{
	Define[ListDisputes]("disputes", "GET", disputesPath, "List disputes, the newest first"),
	Define[ShowDispute]("dispute", "GET", disputePath,
		"Read a dispute with its steps, by its id or that of its transaction"),
	Define[DecideDispute]("decideDispute", "POST", disputePath+"/decide", "Decide a dispute that is not decided"),
	Define[EraseDispute]("eraseDispute", "DELETE", disputePath+"/description",
		"Forget what the buyer wrote of a dispute"),
}

// Dispute is a dispute, and where it stands.
type Dispute struct {
	ID          string        `json:"dispute_id" column:"1:DISPUTE"`              // its id
	Transaction string        `json:"transaction_id" column:"8:TRANSACTION"`      // what is disputed
	Billing     string        `json:"billing_id"`                                 // its id on the bill
	Report      string        `json:"report_id"`                                  // the report on it
	Buyer       string        `json:"buyer" column:"3:BUYER"`                     // who disputes
	Site        string        `json:"site"`                                       // whose the resource is
	Reason      string        `json:"reason" column:"4:REASON"`                   // why, in the protocol's words
	Hash        string        `json:"received_sha256,omitempty"`                  // of what came
	Similarity  string        `json:"received_simhash,omitempty"`                 // simhash-v1 of what came
	Description string        `json:"description,omitempty"`                      // what the buyer wrote
	Level       int           `json:"attestation_level"`                          // 0, 1 or 2
	Mutability  string        `json:"mutability,omitempty"`                       // static, dynamic or live
	Status      string        `json:"status" column:"5:STATUS"`                   // in the protocol's words
	Resolution  string        `json:"resolution,omitempty" column:"6:RESOLUTION"` // how it was decided
	Rule        string        `json:"rule,omitempty" column:"7:RULE"`             // that decided it, or why none did
	Explanation string        `json:"explanation,omitempty"`                      // the rule in a sentence
	Tier        int           `json:"tier,omitempty"`                             // 1, 2 or 3
	Credit      string        `json:"credit,omitempty"`                           // how much was given back
	Currency    string        `json:"currency,omitempty"`                         // of the credit
	Appeals     int           `json:"appeals,omitempty"`                          // how often it was appealed
	Filed       Second        `json:"filed" column:"2:FILED"`                     // when
	Changed     Second        `json:"changed"`                                    // when it got its status
	Due         Second        `json:"due,omitzero"`                               // when time moves it on
	Steps       []DisputeStep `json:"steps,omitempty"`                            // how it came there
}

// DisputeStep is a step of a dispute.
type DisputeStep struct {
	At         Second              `json:"at"`
	Status     string              `json:"status"` // after it
	By         string              `json:"by"`     // who moved it
	Resolution string              `json:"resolution,omitempty"`
	Rule       string              `json:"rule,omitempty"`
	Consulted  []disputes.Evidence `json:"consulted,omitempty"` // what was looked at
	Entry      string              `json:"entry"`               // of the ledger
	Note       string              `json:"note,omitempty"`      // why, for people
}

func showDispute(c disputes.Case, steps ...disputes.Step) Dispute {
	out := Dispute{
		ID: c.ID, Transaction: c.Transaction, Billing: c.Billing, Report: c.Report, Buyer: c.Buyer, Site: c.Site,
		Reason: string(c.Reason), Hash: c.Hash, Description: c.Description, Level: c.Level, Mutability: c.Mutability,
		Status: string(c.Status), Resolution: string(c.Resolution), Rule: c.Rule, Explanation: disputes.Explain(c.Rule),
		Tier: c.Tier, Appeals: c.Appeals, Filed: Second{c.Filed}, Changed: Second{c.Changed}, Due: Second{c.Due},
	}
	if c.Method == string(contenthash.SimHash) {
		out.Hash, out.Similarity = "", c.Hash
	}
	if c.Resolution == disputes.Credit && c.Currency != "" {
		out.Credit, out.Currency = policy.Amount(c.Credit), c.Currency
	}
	for _, s := range steps {
		out.Steps = append(out.Steps, DisputeStep{
			Second{s.At}, string(s.To), s.By, string(s.Resolution), s.Rule, s.Evidence, s.Entry, s.Note,
		})
	}
	return out
}

// ListDisputes lists disputes, the newest first.
type ListDisputes struct {
	Buyer      string `query:"buyer" placeholder:"DOMAIN/ID" help:"Only what this requester disputes."`
	Site       string `query:"site" placeholder:"ID" help:"Only of this site."`
	Reason     string `query:"reason" placeholder:"REASON" help:"Only with this reason, such as delivery_failed."`
	Status     string `query:"status" placeholder:"STATUS" help:"Only in this status, such as escalated."`
	Resolution string `query:"resolution" placeholder:"WORD" help:"Only decided so, such as credit."`
	Open       bool   `query:"open" help:"Only those that are not decided."`
	Since      Time   `query:"since" placeholder:"TIME" help:"Only those filed at this time (RFC 3339) or day, or later."`
	Until      Time   `query:"until" placeholder:"TIME" help:"Only those filed before this time or day."`
	Before     string `query:"before" placeholder:"ID" help:"Only those older than this dispute."`
	// Limit is how many a page has.
	Limit int  `query:"limit" most:"1000" usual:"100" default:"50" placeholder:"NUMBER" help:"How many at most (${default})."`
	JSON  bool `name:"json" json:"-" help:"As lines of JSON."`
}

// AsJSON says whether JSON is asked for.
func (in ListDisputes) AsJSON() bool { return in.JSON }

// Lines says that each stands in a line of its own.
func (ListDisputes) Lines() bool { return true }

// DisputePage is a page of disputes.
type DisputePage struct {
	Disputes []Dispute `json:"disputes"`
	Next     string    `json:"next,omitempty"` // the last of the page, before which there may be more
}

// Empty is what the command says where there are none.
func (ListDisputes) Empty() string { return "There are no such disputes." }

// Example is of the command.
func (ListDisputes) Example() string {
	return "Example:\n\n\tfrontdesk ramp disputes list --status escalated"
}

// Check refuses words that no dispute has.
func (in ListDisputes) Check() error {
	if err := among("reason", disputes.Reason(in.Reason), disputes.Reasons); err != nil {
		return err
	}
	if err := among("status", disputes.Status(in.Status), disputes.Statuses); err != nil {
		return err
	}
	return among("resolution", disputes.Resolution(in.Resolution), disputes.Resolutions)
}

// among refuses a word that is not one of all; none is no mistake.
func among[T ~string](name string, said T, all []T) error {
	if said == "" || slices.Contains(all, said) {
		return nil
	}
	return invalid("%s %.60q is not one of %s", name, string(said),
		strings.Join(each(all, func(one T) string { return string(one) }), ", "))
}

func (in ListDisputes) Do(ctx context.Context, o *Operator) (page DisputePage, err error) {
	all, err := o.Cases.Reader.Disputes(ctx, disputes.Filter{
		Buyer: in.Buyer, Site: in.Site, Reason: disputes.Reason(in.Reason), Status: disputes.Status(in.Status),
		Resolution: disputes.Resolution(in.Resolution), Open: in.Open, Since: in.Since.Time, Until: in.Until.Time,
		Before: in.Before, Limit: in.Limit,
	})
	page.Disputes = each(all, func(c disputes.Case) Dispute { return showDispute(c) })
	if len(all) > 0 && len(all) == in.Limit {
		page.Next = all[len(all)-1].ID
	}
	return page, err
}

// DisputeID names a dispute.
type DisputeID struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The id of the dispute."`
}

// ShowDispute tells of a dispute.
type ShowDispute struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The id of the dispute, or of its transaction."`
}

func (in ShowDispute) Do(ctx context.Context, o *Operator) (Dispute, error) {
	c, steps, ok, err := o.Cases.Reader.Dispute(ctx, in.ID)
	if err == nil && !ok {
		err = fail.New(fail.NotFound, "there is no dispute %.60q", in.ID)
	}
	return showDispute(c, steps...), err
}

// DecideDispute decides a dispute.
type DecideDispute struct {
	DisputeID
	Resolution string `json:"resolution" arg:"" enum:"credit,redelivery,rejected,investigation" help:"credit, redelivery, rejected, or investigation to look into it further."`
	Amount     string `json:"amount" placeholder:"AMOUNT" help:"Of a credit: how much is given back, like 0.05. Without it, all that was charged."`
	By         string `json:"-" default:"operator" placeholder:"NAME" help:"Who decides, as the ledger tells it (${default})."`
	Note       string `json:"note" placeholder:"TEXT" help:"Why, for people here: it is shown with the dispute, and is not in the ledger."`
}

// Example is of the command.
func (DecideDispute) Example() string {
	return "What is given back is on the buyer's account at once; where it is all of it, nothing is fetched any more " +
		"under the transaction. A decision is made once, and stands.\n\n" +
		"Examples:\n\n\tfrontdesk ramp disputes decide dsp-01HZY3 rejected\n" +
		"\tfrontdesk ramp disputes decide dsp-01HZY3 credit --amount 0.05"
}

func (in DecideDispute) Do(ctx context.Context, o *Operator) (Dispute, error) {
	var amount int64
	if in.Amount != "" {
		var err error
		if amount, err = policy.ParseAmount(in.Amount); err != nil || amount <= 0 {
			return Dispute{}, invalid("amount is more than 0, like 0.05; " +
				"leave it out to give back all that was charged")
		}
	}
	c, err := o.Cases.DecideDispute(ctx, exchange.Decision{
		Dispute: in.ID, Resolution: disputes.Resolution(in.Resolution), Amount: amount,
		By: cmp.Or(in.By, Actor(ctx), "admin"), Note: in.Note,
	})
	return showDispute(c), err
}

// Say tells what it came to.
func (DecideDispute) Say(out Dispute) string {
	credit := ""
	if out.Credit != "" {
		credit = fmt.Sprintf(" of %s %s", out.Credit, out.Currency)
	}
	return fmt.Sprintf("%s is %s: %s%s.", out.ID, out.Status, out.Resolution, credit)
}

// EraseDispute forgets what the buyer wrote of a dispute.
type EraseDispute struct{ DisputeID }

// Erased says no more than that something is forgotten.
type Erased struct{}

func (in EraseDispute) Do(ctx context.Context, o *Operator) (Erased, error) {
	return Erased{}, o.Cases.EraseDispute(ctx, in.ID)
}

// Say tells what is forgotten.
func (in EraseDispute) Say(Erased) string { return "What was written of " + in.ID + " is forgotten." }

// Cases are the disputes, as the operator reads and decides them.
type Cases struct {
	*exchange.Cases
	Reader *disputes.Reader
}
