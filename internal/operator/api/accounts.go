package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
	"frontdesk/wire/strictjson"
)

// Accounts is where the accounts are from which buyers pay.
const Accounts = "/admin/accounts"

// Books are the accounts, licences and subscriptions that the door keeps for the operator.
type Books struct {
	Book   *accounts.Ledger
	Reader *accounts.Reader
	// Change runs fn in a transaction, from which the ledger learns of each change.
	Change func(ctx context.Context, fn func(tx *store.Tx) error) error
	Now    func() time.Time
}

// balance is an account as it is told. Amounts are decimal numbers.
type balance struct {
	Buyer     string  `json:"buyer"`
	Currency  string  `json:"currency"`
	Available string  `json:"available"`
	Held      string  `json:"held"`
	Earned    string  `json:"earned"`
	Limit     *string `json:"limit"` // null for as far as ramp.accounts.credit says
	State     string  `json:"state"`
	Created   string  `json:"created"`
}

// line is a movement as it is told.
type line struct {
	Number    int64  `json:"number"`
	Time      string `json:"time"`
	Kind      string `json:"kind"`
	Reference string `json:"reference,omitempty"`
	Site      string `json:"site,omitempty"`
	Available string `json:"available"`
	Held      string `json:"held"`
	Earned    string `json:"earned"`
	After     string `json:"after"`
}

// AccountsHandler answers at Accounts and below: GET lists accounts page by page, or those of one buyer with ?buyer=; POST opens one. Below, at
// /CURRENCY/DOMAIN/ID, GET tells of one, with its newest movements; POST books a payment; PATCH sets its limit and its state.
func AccountsHandler(books Books) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		currency, buyer, below := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, Accounts), "/"), "/")
		if currency == "" {
			return byMethod(w, r, methods{http.MethodGet: books.list, http.MethodPost: books.open})
		}
		if !below || buyer == "" {
			return 0, nil, fail.New(fail.NotFound, "there is nothing at this address; an account is at %s/CURRENCY/DOMAIN/ID", Accounts)
		}
		of := accountOf{books, buyer, currency}
		return byMethod(w, r, methods{http.MethodGet: of.show, http.MethodPost: of.pay, http.MethodPatch: of.change})
	})
}

func (b Books) now() time.Time { return b.Now().UTC().Truncate(time.Microsecond) }

func (b Books) list(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	page, said, err := listed(r, "buyer")
	if err != nil {
		return 0, nil, err
	}
	list := struct {
		Accounts []balance `json:"accounts"`
		Next     string    `json:"next,omitempty"`
	}{Accounts: []balance{}}
	var all []accounts.Balance
	if buyer := said["buyer"]; buyer != "" {
		all, err = b.Reader.Balances(r.Context(), buyer) // one in each currency
	} else {
		after := accounts.AccountFilter{Limit: page.limit + 1}
		after.Listed, after.Buyer, _ = strings.Cut(page.after, "/")
		all, err = b.Reader.Accounts(r.Context(), after)
	}
	all, list.Next = part(page, all, func(b accounts.Balance) string { return b.Currency + "/" + b.Buyer })
	for _, one := range all {
		list.Accounts = append(list.Accounts, toldBalance(one))
	}
	return http.StatusOK, list, err
}

func (b Books) open(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked struct {
		Buyer    string           `json:"buyer"`
		Currency string           `json:"currency"`
		Limit    strictjson.Value `json:"limit"`
	}
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	limit, err := limitOf(asked.Limit)
	if err != nil {
		return 0, nil, err
	}
	if err := b.Change(r.Context(), func(tx *store.Tx) error {
		return b.Book.Open(r.Context(), tx, asked.Buyer, asked.Currency, limit, b.now())
	}); err != nil {
		return 0, nil, err
	}
	told, err := accountOf{b, asked.Buyer, asked.Currency}.told(r.Context())
	return http.StatusCreated, told, err
}

// limitOf reads a limit; null and nothing are as far as is configured.
func limitOf(value strictjson.Value) (int64, error) {
	if len(value) == 0 || value.Kind() == 'n' {
		return -1, nil
	}
	var text string
	if err := strictjson.Decode(value, &text); err != nil {
		return 0, fail.New(fail.Invalid, `limit: write it as a text, like "500"`)
	}
	limit, err := policy.ParseAmount(text)
	if err != nil {
		return 0, fail.New(fail.Invalid, "limit: %v", err)
	}
	return limit, nil
}

// accountOf is one account.
type accountOf struct {
	Books
	buyer, currency string
}

// told is the account as it is now.
func (a accountOf) told(ctx context.Context) (balance, error) {
	all, err := a.Reader.Balances(ctx, a.buyer)
	for _, one := range all {
		if one.Currency == a.currency {
			return toldBalance(one), err
		}
	}
	if err == nil {
		err = fail.New(fail.NotFound, "%.60s has no account in %.3s; GET %s lists those there are", a.buyer, a.currency, Accounts)
	}
	return balance{}, err
}

// How many movements are told at once.
const (
	usualLines = 20
	mostLines  = 1000
)

func (a accountOf) show(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	before, limit := int64(0), usualLines
	for name, into := range map[string]func(int64){"before": func(n int64) { before = n }, "lines": func(n int64) { limit = int(n) }} {
		text := r.URL.Query().Get(name)
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case text == "":
		case err != nil || n < 1 || name == "lines" && n > mostLines:
			return 0, nil, fail.New(fail.Invalid, "%s has to be a number from 1, and lines at most %d", name, mostLines)
		default:
			into(n)
		}
	}
	out := struct {
		balance
		Lines []line `json:"lines"` // the newest first
	}{Lines: []line{}}
	var err error
	if out.balance, err = a.told(r.Context()); err != nil {
		return 0, nil, err
	}
	all, err := a.Reader.Statement(r.Context(), a.buyer, a.currency, before, limit)
	for _, l := range all {
		out.Lines = append(out.Lines, line{
			l.Number, l.At.Format(time.RFC3339Nano), l.Kind, l.Reference, l.Site, policy.Amount(l.Available), policy.Amount(l.Held), policy.Amount(l.Earned), policy.Amount(l.After),
		})
	}
	return http.StatusOK, out, err
}

// paid is what a payment moved.
type paid struct {
	Moved string `json:"moved"`
	// Again says that the payment was booked before, under its reference, and is not booked twice.
	Again   bool    `json:"again"`
	Account balance `json:"account"`
}

func (a accountOf) pay(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked struct {
		Kind      string `json:"kind"`
		Amount    string `json:"amount"`
		Reference string `json:"reference"`
	}
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	if asked.Kind != accounts.Credit && asked.Kind != accounts.Debit && asked.Kind != accounts.Lapse {
		return 0, nil, fail.New(fail.Invalid, "kind has to be %s, %s or %s", accounts.Credit, accounts.Debit, accounts.Lapse)
	}
	amount, err := policy.ParseAmount(asked.Amount)
	if err != nil {
		return 0, nil, fail.New(fail.Invalid, "amount: %v", err)
	}
	var out paid
	ctx := r.Context()
	if err := a.Change(ctx, func(tx *store.Tx) error {
		before, known, err := a.Book.LastPayment(ctx, tx, asked.Kind, a.buyer, a.currency, asked.Reference)
		switch {
		case err != nil:
			return err
		case known && (before == amount || asked.Kind == accounts.Lapse && before < amount):
			out.Moved, out.Again = policy.Amount(before), true
			return nil
		case known:
			return fail.New(fail.Invalid, "a %s of %s was booked under this reference before; use another reference for another payment", asked.Kind, policy.Amount(before))
		}
		moved, err := a.Book.Pay(ctx, tx, asked.Kind, a.buyer, a.currency, amount, asked.Reference, a.now())
		out.Moved, out.Again = policy.Amount(moved), false
		return err
	}); err != nil {
		return 0, nil, err
	}
	out.Account, err = a.told(ctx)
	return http.StatusOK, out, err
}

func (a accountOf) change(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked struct {
		Limit strictjson.Value `json:"limit"`
		State *string          `json:"state"`
	}
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	ctx := r.Context()
	if err := a.Change(ctx, func(tx *store.Tx) error {
		if len(asked.Limit) > 0 {
			limit, err := limitOf(asked.Limit)
			if err == nil {
				err = a.Book.SetLimit(ctx, tx, a.buyer, a.currency, limit, a.now())
			}
			if err != nil {
				return err
			}
		}
		if asked.State == nil {
			return nil
		}
		return a.Book.SetAccountStatus(ctx, tx, a.buyer, a.currency, *asked.State, a.now())
	}); err != nil {
		return 0, nil, err
	}
	told, err := a.told(ctx)
	return http.StatusOK, told, err
}

func toldBalance(b accounts.Balance) balance {
	out := balance{
		Buyer: b.Buyer, Currency: b.Currency, Available: policy.Amount(b.Available), Held: policy.Amount(b.Held), Earned: policy.Amount(b.Earned), State: b.Status,
		Created: b.Created.Format(time.RFC3339),
	}
	if b.Limit >= 0 {
		limit := policy.Amount(b.Limit)
		out.Limit = &limit
	}
	return out
}
