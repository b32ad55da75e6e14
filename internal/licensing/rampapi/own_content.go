package rampapi

import (
	"bytes"
	"net/http"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/wire/sign"
)

// OwnContent returns a handler with this front desk's own content at the addresses of a site behind
// its gate, including purchases.
func OwnContent(open *exchange.Assortment, d *delivery.Service) func(w http.ResponseWriter, r *http.Request,
	address string, grant *sign.URLGrant) {
	return func(w http.ResponseWriter, r *http.Request, address string, grant *sign.URLGrant) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Add("Vary", "Accept")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			WriteError(w, r, fail.New(fail.Method, "this address takes GET and HEAD"))
			return
		}
		if grant != nil {
			fetched, err := d.FetchBought(r.Context(), address, *grant)
			if err != nil {
				WriteError(w, r, failed(r.Context(), err))
				return
			}
			hand(w, r, fetched)
			return
		}
		shown, err := open.OpenItemAt(r.Context(), address)
		if err != nil {
			header.Set("Cache-Control", "no-store")
			WriteError(w, r, failed(r.Context(), err))
			return
		}
		if media, ok := accepted(w, r, shown.Media); ok {
			header.Set("Content-Type", media)
			header.Set("Cache-Control", "no-cache") // the terms may change
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(shown.In(media)))
		}
	}
}
