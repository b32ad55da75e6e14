package exchange

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
)

// BuyerSummary is what a buyer has and owes here.
type BuyerSummary struct {
	// Accounts are those that its purchases are charged to: its own, and in other currencies those
	// of its whole domain.
	Accounts []accounts.Balance
	// Subscriptions are those that are good now, by id, with what is left of their quotas.
	Subscriptions []SubscriptionSummary
	// Owed are purchases whose use it has to report, those first that are too late, and at most
	// MostOwed; Overdue says that more of them are than may be, so that nothing is sold to it until
	// it reports.
	Owed    []transactions.Transaction
	Overdue bool
}

// SubscriptionSummary is a subscription as its holder sees it.
type SubscriptionSummary struct {
	ID     string
	Quotas []Quota
	Ends   time.Time // zero for never
}

// MaxOwed is how many reports that are owed are told at once.
const MaxOwed = 100

// BuyerSummary returns the accounts, subscriptions and owed reports of a requester, whose signature
// must be verified.
func (s *Service) BuyerSummary(ctx context.Context, r requesters.Requester) (*BuyerSummary, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	book, deals := accounts.NewReader(s.deps.DB), transactions.NewReader(s.deps.DB)
	out := &BuyerSummary{}
	own := map[string]bool{}
	for _, holder := range []string{r.Account(), r.Domain + "/*"} {
		balances, err := book.Balances(ctx, holder)
		if err != nil {
			return nil, err
		}
		for _, b := range balances {
			if !own[b.Currency] {
				out.Accounts = append(out.Accounts, b)
			}
			own[b.Currency] = own[b.Currency] || !strings.HasSuffix(b.Buyer, "/*")
		}
		subscriptions, err := book.Subscriptions(ctx, holder, now)
		if err != nil {
			return nil, err
		}
		for _, s := range subscriptions {
			if s.Status == accounts.Active && !now.Before(s.Begins) && (s.Ends.IsZero() || now.Before(s.Ends)) {
				out.Subscriptions = append(out.Subscriptions, SubscriptionSummary{s.ID, quotasOf(s.Quotas), s.Ends})
			}
		}
	}
	for _, state := range []transactions.Obligation{transactions.Expired, transactions.Pending} {
		owed, err := deals.Owed(ctx, transactions.ObligationFilter{State: state, Buyer: r.Account(),
			Limit: MaxOwed - len(out.Owed)})
		if err != nil {
			return nil, err
		}
		out.Owed = append(out.Owed, owed...)
		if len(out.Owed) == MaxOwed {
			break
		}
	}
	return out, s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		out.Overdue, err = s.overdue(ctx, tx, r.Account(), now)
		return err
	})
}
