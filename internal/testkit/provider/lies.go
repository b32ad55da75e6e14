package provider

import (
	"encoding/json"
	"net/http"
	"strings"

	"frontdesk/wire/intake"
)

// lies are the ways in which the business can break the protocol, each by changing an answer that
// keeps it. Those whose names begin like a probe's are seen by that probe; those of "client" are
// for whoever reads the answer.
var lies = map[string]func(*Provider, *message, *answer){
	"client.foreign-bind": onOffer(func(o *intake.Offer) { o.BindEndpoint = "https://elsewhere.example/bind" }),
	"client.commands": onOffer(func(o *intake.Offer) {
		o.BindRequires = &[]string{"email", "$(rm -rf ~)", "it's; reboot", "\x1b[8m`id`"}
	}),
	"client.large":        onOffer(func(o *intake.Offer) { o.Summary = strings.Repeat("x", 2<<20) }),
	"client.large-enough": onOffer(func(o *intake.Offer) { o.Summary = strings.Repeat("x", 100<<10) }),
	"client.no-json":      onAny(func(a *answer) { a.body = []byte("<html>") }),
	"client.empty":        onAny(func(a *answer) { a.body = nil }),
	"client.status-error": onAny(func(a *answer) {
		a.body = &intake.Response{Version: intake.Version, SessionID: intake.Nil, Status: intake.StatusError,
			Error: &intake.Error{Code: intake.CodeInternal, Message: "no"}}
	}),
	"client.offer-500":    onAny(func(a *answer) { a.status = http.StatusInternalServerError }),
	"client.bound-status": onResponse(func(r *intake.Response) { r.Status = intake.StatusBound }),
	"client.version":      onText(`"aip_version":"0.1.0"`, `"aip_version":"0.2.0"`),
	"client.redirect": onAny(func(a *answer) {
		a.status = http.StatusTemporaryRedirect
		a.header.Set("Location", "/elsewhere")
	}),
	"client.pending": onResponse(func(r *intake.Response) {
		r.Status, r.Offer, r.Metadata = intake.StatusPending, nil, []byte(`{"retry_after_seconds":30}`)
	}),
	"client.bind-own-form": onBound(func(a *answer) { a.body = []byte(`{"ok":true}`) }),
	"client.bind-other": onBound(func(a *answer) {
		a.body = &intake.Bound{Version: intake.Version, SessionID: intake.Nil, OfferID: "other",
			Status: intake.StatusBound, BoundAt: "2026-11-22T10:00:00Z"}
	}),
}

// onAny changes every answer of a status of success.
func onAny(change func(*answer)) func(*Provider, *message, *answer) {
	return func(_ *Provider, _ *message, a *answer) {
		if a.status == http.StatusOK {
			change(a)
		}
	}
}

// onText changes a text in every answer of a status of success.
func onText(old, new string) func(*Provider, *message, *answer) {
	return onAny(func(a *answer) {
		text, err := json.Marshal(a.body)
		if err != nil {
			panic(err)
		}
		a.body = []byte(strings.Replace(string(text), old, new, 1))
	})
}

// onResponse changes answers to submissions.
func onResponse(change func(*intake.Response)) func(*Provider, *message, *answer) {
	return func(_ *Provider, m *message, a *answer) {
		if r, ok := a.body.(*intake.Response); ok && !m.bind && a.status == http.StatusOK {
			change(r)
		}
	}
}

// onOffer changes offers.
func onOffer(change func(*intake.Offer)) func(*Provider, *message, *answer) {
	return onResponse(func(r *intake.Response) {
		if r.Offer != nil {
			change(r.Offer)
		}
	})
}

// onBound changes answers to binds that bound.
func onBound(change func(*answer)) func(*Provider, *message, *answer) {
	return func(_ *Provider, m *message, a *answer) {
		if m.bind && a.status == http.StatusOK {
			change(a)
		}
	}
}
