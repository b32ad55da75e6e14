package client

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Purchase is one purchase of one offer, from before it is made to its report: what a program
// writes down to go on after it was stopped (Fetching.Before, [Client.Finish]), and the receipt
// that stays. It is JSON that holds an address which opens what was bought to whoever has it, for
// some minutes.
type Purchase struct {
	Exchange string // its address; of what a Broker buys, its domain
	ID       string // of the request to buy; the same buys once
	URI      string // of what is bought
	Offer    *rampv1.Offer
	// Broker is the address of the Broker through which it is bought; empty where it is bought at
	// the Exchange. Fee is what the Broker takes on top of the Exchange's price, and Uses what it
	// was told that the content is for.
	Broker string
	Fee    Price
	Uses   []string
	// Result is the Exchange's answer, with transaction, billing and cost; nil where it is not
	// known whether it was bought.
	Result *rampv1.TransactionResultItem
	// Fetched is when it was delivered last, as which media type, and the SHA-256 (hex) of what
	// came; zero for not yet.
	Fetched time.Time
	Media   string
	Hash    string
	// Reported is the id of the report on its use; empty for none that was filed.
	Reported string

	// Passed is what the Broker did not take when it was asked last, and why. It is not written.
	Passed []PassedOver

	content *Content // that was delivered to this program, and found good
}

// Transaction is the id under which the Exchange has it; empty where it is not known to be bought.
func (p *Purchase) Transaction() string { return p.Result.GetTransactionId() }

// Cost is what the Exchange charged or held for it, without a Broker's fee; the zero Price where
// nothing was.
func (p *Purchase) Cost() Price {
	return Price{p.Result.GetCost().GetAmount(), p.Result.GetCost().GetCurrency()}
}

// Owes says whether its use must be reported: by the offer, or by what the Exchange answered.
func (p *Purchase) Owes() bool {
	return p.Reported == "" && (p.Offer.GetReporting().GetRequired() || p.Result.GetReportingObligation().GetRequired())
}

// MustSay are the members that the report on its use must have, as RAMP v1's required_fields names
// them.
func (p *Purchase) MustSay() []string {
	all := slices.Concat(p.Offer.GetReporting().GetRequiredFields(),
		p.Result.GetReportingObligation().GetRequiredFields())
	slices.Sort(all)
	return slices.Compact(all)
}

// bought is the purchase as Buy gives it.
func (p *Purchase) bought() *Bought { return &Bought{Offer: p.Offer, Result: p.Result} }

// came notes what was delivered.
func (p *Purchase) came(content *Content, at time.Time) {
	sum := sha256.Sum256(content.Body)
	p.Fetched, p.Media, p.Hash = at.UTC().Truncate(time.Second), content.Media, hex.EncodeToString(sum[:])
}

// writtenPurchase is a Purchase as JSON.
type writtenPurchase struct {
	Exchange string          `json:"exchange"`
	Broker   string          `json:"broker,omitempty"`
	Fee      *writtenPrice   `json:"broker_fee,omitempty"`
	Uses     []string        `json:"uses,omitempty"`
	ID       string          `json:"id,omitempty"`
	URI      string          `json:"uri,omitempty"`
	Offer    json.RawMessage `json:"offer"`
	Result   json.RawMessage `json:"result,omitempty"`
	Fetched  *time.Time      `json:"fetched_at,omitempty"`
	Media    string          `json:"media_type,omitempty"`
	Hash     string          `json:"sha256,omitempty"`
	Reported string          `json:"report_id,omitempty"`
}

type writtenPrice struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// MarshalJSON writes it, with the protocol's own messages in their JSON.
func (p *Purchase) MarshalJSON() ([]byte, error) {
	w := writtenPurchase{Exchange: p.Exchange, Broker: p.Broker, Uses: p.Uses, ID: p.ID, URI: p.URI, Media: p.Media,
		Hash: p.Hash, Reported: p.Reported}
	if p.Fee != (Price{}) {
		w.Fee = &writtenPrice{p.Fee.Amount, p.Fee.Currency}
	}
	var err error
	if w.Offer, err = ramp.Marshal(p.Offer); err != nil {
		return nil, err
	}
	if p.Result != nil {
		if w.Result, err = ramp.Marshal(p.Result); err != nil {
			return nil, err
		}
	}
	if !p.Fetched.IsZero() {
		w.Fetched = &p.Fetched
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Purchase) UnmarshalJSON(text []byte) error {
	var w writtenPurchase
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	read := Purchase{
		Exchange: w.Exchange, Broker: w.Broker, Uses: w.Uses, ID: w.ID, URI: w.URI, Media: w.Media, Hash: w.Hash,
		Reported: w.Reported, Offer: &rampv1.Offer{},
	}
	if w.Fee != nil {
		read.Fee = Price{w.Fee.Amount, w.Fee.Currency}
	}
	if len(w.Offer) == 0 || w.Exchange == "" {
		return errors.New("this is no purchase: it has no exchange or no offer")
	}
	if err := ramp.Unmarshal(w.Offer, read.Offer); err != nil {
		return fmt.Errorf("read the offer of a purchase: %w", err)
	}
	if len(w.Result) > 0 {
		read.Result = &rampv1.TransactionResultItem{}
		if err := ramp.Unmarshal(w.Result, read.Result); err != nil {
			return fmt.Errorf("read the answer to a purchase: %w", err)
		}
	}
	if w.Fetched != nil {
		read.Fetched = *w.Fetched
	}
	*p = read
	return nil
}

// Step is how far a purchase came.
type Step string

// The steps.
const (
	StepBuy    Step = "buy"    // whether it was bought is not known
	StepFetch  Step = "fetch"  // it was bought, and not delivered
	StepCheck  Step = "check"  // what was delivered or charged is not what was offered
	StepReport Step = "report" // it was bought and delivered, and its use is not reported
)

// Unfinished is a purchase that was begun and did not come to its end. [Client.Finish] goes on with
// it.
type Unfinished struct {
	Purchase *Purchase
	Step     Step // that failed
	Err      error
}

// Error says how far it came, under which id, and what to do.
func (e *Unfinished) Error() string {
	p := e.Purchase
	switch e.Step {
	case StepBuy:
		return fmt.Sprintf("whether purchase %s of %s was made is not known: %v; finish it, which buys nothing twice",
			p.ID, p.URI, e.Err)
	case StepFetch:
		until := ""
		if ends := p.Result.GetExpiresAt(); ends != nil {
			until = " until " + ends.AsTime().Format(time.RFC3339)
		}
		return fmt.Sprintf("transaction %s is bought, and could not be fetched: %v; "+
			"finish it%s, or dispute the transaction", p.Transaction(), e.Err, until)
	case StepCheck:
		return fmt.Sprintf("transaction %s: %v", p.Transaction(), e.Err)
	}
	return fmt.Sprintf("transaction %s is bought and fetched, and its use could not be reported: %v; report it, "+
		"or the Exchange may sell nothing more", p.Transaction(), e.Err)
}

// Unwrap is the cause.
func (e *Unfinished) Unwrap() error { return e.Err }
