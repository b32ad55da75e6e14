package ramp

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/event"
)

// DeliverID is the part of the path of [Deliver] that is the id of a transaction.
const DeliverID = "transaction"

// Deliver hands out what was bought at the address that the purchase gave (RAMP v1, delivery method DIRECT). fetchAt is
// as in Config. Every answer with content is recorded first.
func Deliver(d *desk.Desk, fetchAt func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue(DeliverID)
		if r.URL.RawPath != "" {
			id = r.URL.RawPath // an address has one spelling, and none of ours has anything escaped
		}
		fetched, err := d.Fetch(r.Context(), fetchAt(r), id, r.URL.RawQuery)
		if err != nil {
			WriteError(w, r, failed(r.Context(), err))
			return
		}
		event.From(r.Context()).Set("delivered", len(fetched.Body))
		media := fetched.Media
		if strings.HasPrefix(media, "text/") && !strings.Contains(media, "charset") {
			media += "; charset=utf-8"
		}
		header := w.Header()
		header.Set("Content-Type", media)
		header.Set("Content-Length", strconv.Itoa(len(fetched.Body)))
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Link", "<"+fetched.URI+`>; rel="canonical"`)
		header.Set("Cache-Control", "private, no-store") // whoever asks again is to be recorded again
		header.Set("ETag", `"`+hex.EncodeToString(fetched.Hash[:])+`"`)
		header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(fetched.Hash[:])+":") // RFC 9530
		_, _ = w.Write(fetched.Body)                                                                  // whoever is gone by now has been recorded
	})
}
