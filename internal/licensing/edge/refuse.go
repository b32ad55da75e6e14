package edge

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"frontdesk/wire/sign"
)

// refusal is why a request is not answered with what it asks for.
type refusal struct {
	status  int
	outcome string // of an agent's request; empty for what is no matter of licences
	detail  string
	after   time.Duration // when to come back; 0 for no such time
}

// The refusals of agents without a signature.
var (
	unlicensed = &refusal{status: http.StatusForbidden, outcome: outcomeRefused,
		detail: "AI agents need a licence for this content; ramp_json_url says through whom it is sold"}
	blocked = &refusal{status: http.StatusForbidden, outcome: outcomeBlocked,
		detail: "this content is not for AI agents, and no licence for it is sold"}
	unproven = &refusal{status: http.StatusUnauthorized, outcome: outcomeRefused,
		detail: "the owner of this site answers this agent only where it proves who it is: sign requests as Web Bot " +
			"Auth has it, send an API key, or get a licence"}
)

// The refusals of what would pass at another time.
var (
	busy = &refusal{status: http.StatusServiceUnavailable, detail: "too many requests for this site are in work",
		after: time.Second}
	unrecorded = &refusal{status: http.StatusServiceUnavailable,
		detail: "deliveries cannot be recorded at the moment, so that none are made; try again", after: 5 * time.Second}
)

// refused is a refusal that is no matter of licences.
func refused(status int, detail string) *refusal { return &refusal{status: status, detail: detail} }

func forbidden(outcome, detail string) *refusal {
	return &refusal{status: http.StatusForbidden, outcome: outcome, detail: detail}
}

func tooOften(after time.Duration, detail string) *refusal {
	return &refusal{status: http.StatusTooManyRequests, outcome: outcomeLimited,
		detail: detail + "; Retry-After says when to come back", after: max(after, time.Second)}
}

// signed says whether it is the refusal of a request that came with a signature.
func (r *refusal) signed() bool {
	return r.outcome == outcomeExpired || r.outcome == outcomeForeign || r.outcome == outcomeInvalid
}

// invalid is the refusal of an address that opens nothing. Fastly's own verification has a status
// of its own for what is over.
func invalid(set sign.URLKeys, err error) *refusal {
	r := forbidden(outcomeInvalid, err.Error())
	if errors.Is(err, sign.ErrURLExpired) {
		r.outcome, r.status = outcomeExpired, http.StatusGone
		for _, key := range set.Keys {
			if key.Form != sign.URLFastly {
				r.status = http.StatusForbidden
			}
		}
	}
	return r
}

// refuse answers with the document of the protocol (RAMP v1, edge gate).
func (g *Gate) refuse(w http.ResponseWriter, v verdict) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "application/json")
	document := struct {
		Error    string `json:"error"`
		Protocol string `json:"protocol"`
		Version  string `json:"version"`
		Info     string `json:"info_url,omitempty"`
		Manifest string `json:"ramp_json_url,omitempty"`
	}{Error: v.refusal.detail, Protocol: "RAMP", Version: "1.0"}
	if v.site != nil {
		document.Info, document.Manifest = g.config.InfoURL, v.site.URL+ManifestPath
		if g.config.InfoURL != "" {
			header.Set("X-Content-Rules", g.config.InfoURL)
		}
	}
	if v.refusal.after > 0 {
		header.Set("Retry-After", strconv.Itoa(int((v.refusal.after+time.Second-1)/time.Second)))
	}
	if v.refusal.status == http.StatusMethodNotAllowed {
		header.Set("Allow", "GET, HEAD")
	}
	w.WriteHeader(v.refusal.status)
	text, _ := json.Marshal(document) // texts alone
	_, _ = w.Write(append(text, '\n'))
}
