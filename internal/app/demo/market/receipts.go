package market

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/ledger"
	"frontdesk/wire/receipt"
)

// Fact is an entry of somebody's ledger, for a list.
type Fact struct {
	Place   string `json:"place"`
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Party   string `json:"party,omitempty"`
	Subject string `json:"subject,omitempty"`
	Time    string `json:"time"`
}

// listedKinds are the kinds of entries that a list has: what passed between two sides, and not how
// each set itself up.
var listedKinds = []string{"access", "citation", "intake", "offer", "bind", "transaction", "delivery", "usage",
	"dispute"}

// maxFacts is how many entries of each ledger are looked through for a list.
const maxFacts = 200

// Facts lists the ledger entries of all participants, newest first.
func (m *Market) Facts(ctx context.Context) ([]Fact, error) {
	all := []Fact{}
	for _, id := range order {
		s := m.servers[id]
		if s == nil {
			continue
		}
		for record, err := range s.Ledger.Read(ctx, ledger.Filter{Newest: true, Limit: maxFacts}) {
			if err != nil {
				return nil, fmt.Errorf("the ledger of %s: %w", id, err)
			}
			if e := record.Entry; slices.Contains(listedKinds, e.Kind) {
				all = append(all, Fact{id, e.ID, e.Kind, e.Party, e.Subject, e.Time.UTC().Format(time.RFC3339Nano)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Fact) int { return -cmp.Compare(a.ID, b.ID) }) // of version 7: by time
	return all, nil
}

// Receipt is the receipt of an entry of a place's ledger.
func (m *Market) Receipt(ctx context.Context, place, id string) (receipt.Receipt, error) {
	s := m.servers[place]
	if s == nil {
		return receipt.Receipt{}, fail.New(fail.NotFound, "%.40q keeps no ledger in this market", place)
	}
	return s.Ledger.Receipt(ctx, id)
}

// Verify says whether a receipt is true, by nothing but the keys that its place publishes, read
// over the network. keys is where they stand.
func (m *Market) Verify(
	ctx context.Context, place string, text []byte,
) (about receipt.Checkpoint, keys string, err error) {
	if m.servers[place] == nil {
		return about, "", fail.New(fail.NotFound, "%.40q keeps no ledger in this market", place)
	}
	keys = m.address(place) + "/.well-known/jwks.json"
	r, err := receipt.Parse(text)
	if err != nil {
		return about, keys, err
	}
	got, err := m.fetcher.Get(ctx, fetch.Request{URL: keys})
	if err != nil {
		return about, keys, err
	}
	known, err := receipt.ParseKeys(got.Body)
	if err != nil {
		return about, keys, errors.Join(fmt.Errorf("the keys at %s cannot be read", keys), err)
	}
	about, err = receipt.Verify(r, known)
	return about, keys, err
}
