package saletest

import (
	"context"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/wire/sign"
)

// DeliverAt is what the addresses begin with from which is fetched what was bought.
const DeliverAt = "https://site.example/deliver/"

// Delivers fetches what an address opens in its first form, with all that is recorded of it.
func (s *Shop) Delivers(ctx context.Context, at, transaction, query string) (string, *delivery.Rendition, error) {
	fetched, err := s.Delivery.Fetch(ctx, at, transaction, query)
	if err != nil {
		return "", nil, err
	}
	r := fetched.In(fetched.Media[0])
	sending, err := r.Begin(ctx, 200, r.Size)
	if err != nil {
		return "", nil, err
	}
	return string(sending.Body), r, sending.End(ctx, r.Size)
}

// Opens says what an address gives, which the shop signs for a transaction and an agent; the
// error's code where it gives nothing.
func (s *Shop) Opens(t testing.TB, transaction, agent string) string {
	t.Helper()
	now := s.Clock.Now()
	grant := sign.URLGrant{Expires: now.Add(time.Minute).Truncate(time.Second), Agent: agent, Transaction: transaction}
	keys := exchange.Addresses(DeliverAt, []sign.URLKey{AddressKey("new")})
	signed, err := keys.Sign(DeliverAt+transaction, grant, now)
	if err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(signed, "?")
	got, _, err := s.Delivers(t.Context(), DeliverAt, transaction, query)
	if err != nil {
		return string(fail.From(err).Code)
	}
	return got
}

// Rendition opens what was bought, in a form.
func (s *Shop) Rendition(t testing.TB, item exchange.ItemResult, form string) *delivery.Rendition {
	t.Helper()
	_, query, _ := strings.Cut(item.URL, "?")
	fetched, err := s.Delivery.Fetch(context.Background(), DeliverAt, item.Transaction.ID, query)
	if err != nil {
		t.Fatal(err)
	}
	return fetched.In(form)
}
