package api

import (
	"net/http"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/policy"
)

// ProviderTransactions is where a provider reads what was sold of its addresses (RAMP v1, provider
// audit view).
const ProviderTransactions = "/provider/{domain}/transactions"

// DoorProvider begins the name of the door of a provider, which its host ends: a key that names it
// opens nothing else.
const DoorProvider = "provider:"

// ProviderDoor is the door of the provider that a request names; ok is false where it names none.
func ProviderDoor(r *http.Request) (door string, ok bool) {
	host, ok := policy.Host("https://" + r.PathValue("domain") + "/")
	return DoorProvider + host, ok
}

// TransactionsHandler answers at ProviderTransactions: GET gives the transactions of the time from
// ≤ time < to as pages of JSON, the oldest first, which go on after the one that next names; or, as
// lines of JSON, all of them, sent as they are read.
func TransactionsHandler(books reports.Reporter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _ := policy.Host("https://" + r.PathValue("domain") + "/") // whose door the key has opened
		want, limit, err := wantedTransactions(r)
		switch {
		case err != nil:
			WriteError(w, r, err)
		case want.Form == reports.Lines:
			out := &stream{w: w, r: r, form: want.Form}
			out.finish(books.WriteAudit(r.Context(), out, want, host))
		default:
			rows, next, err := books.Audit(r.Context(), want, host, limit)
			if rows == nil {
				rows = []map[string]any{}
			}
			if err == nil {
				err = answer(w, http.StatusOK, struct {
					Provider     string           `json:"provider"`
					Transactions []map[string]any `json:"transactions"`
					Next         string           `json:"next,omitempty"`
				}{host, rows, next})
			}
			if err != nil {
				WriteError(w, r, err)
			}
		}
	})
}

// wantedTransactions reads which transactions a request asks for.
func wantedTransactions(r *http.Request) (want reports.Request, limit int, err error) {
	page, q, err := listed(r, "from", "to", "format")
	if err != nil {
		return want, 0, err
	}
	if want.Form, err = formOf(r, q["format"], reports.JSON, reports.Lines); err != nil {
		return want, 0, err
	}
	if want.After = page.after; want.After != "" && !strings.HasPrefix(want.After, "txn-") {
		return want, 0, fail.New(fail.Invalid, "after: %.60q is no id of a transaction; take it from next", want.After)
	}
	if want.Since, err = instant("from", q["from"]); err == nil {
		want.Until, err = instant("to", q["to"])
	}
	if err == nil && !want.Until.IsZero() && !want.Since.Before(want.Until) {
		err = fail.New(fail.Invalid, "from has to be before to")
	}
	return want, page.limit, err
}
