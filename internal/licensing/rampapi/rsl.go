package rampapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/published"
)

// The paths of what the Exchange makes of a provider's terms, beside AccessPolicy, for edges that
// keep it: its manifest, and an RSL document, which is also at OwnRSL, of the host that was asked.
const (
	ProviderDocument = "/provider/{domain}/ramp.json"
	ProviderVerifier = "/provider/{domain}/ramp-verifier.json"
	ProviderRSL      = "/provider/{domain}/rsl.txt"
	OwnRSL           = "/rsl.txt"
	ProviderSitemap  = "/provider/{domain}/ramp-sitemap.xml"
	OwnSitemap       = "/ramp-sitemap.xml"
)

// rslMedia is the media type of RSL documents.
const rslMedia = "application/rsl+xml"

// ServeRSL serves the RSL document of the provider that of gives for a request, whose addresses
// begin with origin; how is where is said how what costs something is bought.
func ServeRSL(s *published.Service, of func(*http.Request) (domain, origin, how string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), policyTime)
		defer cancel()
		domain, origin, how := of(r)
		text, err := s.RSL(ctx, domain, origin, how)
		if err != nil {
			WriteError(w, r, err)
			return
		}
		serveText(w, r, rslMedia, text)
	})
}

// ServeSitemap serves the RAMP sitemap of the provider that of gives for a request; at is the
// address of the sitemap. Its pages are asked for as `page`.
func ServeSitemap(s *published.Service, of func(*http.Request) (domain, at string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), policyTime)
		defer cancel()
		page := 0
		if text := r.URL.Query().Get("page"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				WriteError(w, r, fail.New(fail.NotFound, "%.20q is no page; pages count from 1", text))
				return
			}
			page = n
		}
		domain, at := of(r)
		text, err := s.Sitemap(ctx, domain, at, page)
		if err != nil {
			WriteError(w, r, err)
			return
		}
		serveText(w, r, "application/xml", text)
	})
}

// serveText serves a document that is made anew when what it tells changes.
func serveText(w http.ResponseWriter, r *http.Request, media string, text []byte) {
	sum := sha256.Sum256(text)
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Cache-Control", policyCacheControl)
	header.Set("Etag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
