package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"frontdesk/wire/intake"
	"frontdesk/wire/sign"
)

// The lies below are seen by the probes of their names.
func init() {
	for name, lie := range map[string]func(*Provider, *message, *answer){
		"intake.document":         onText(`"method":"POST"`, `"verb":"POST"`),
		"intake.wellknown.served": onWellKnown("", func(a *answer) { a.status = http.StatusNotFound }),
		"intake.wellknown.type": onWellKnown(http.MethodGet, func(a *answer) {
			a.header.Set("Content-Type", "text/html")
		}),
		"intake.wellknown.cors": onWellKnown(http.MethodGet, func(a *answer) {
			a.header.Del("Access-Control-Allow-Origin")
		}),
		"intake.wellknown.head": onWellKnown(http.MethodHead, func(a *answer) {
			a.status = http.StatusMethodNotAllowed
		}),
		"intake.wellknown.options": onWellKnown(http.MethodOptions, func(a *answer) { a.status = http.StatusNotFound }),
		"intake.wellknown.post":    onWellKnown(http.MethodPost, func(a *answer) { a.status = http.StatusOK }),

		"intake.submit.options": onPosts(false, http.MethodOptions, func(a *answer) {
			a.header.Del("Access-Control-Allow-Headers")
		}),
		"intake.bind.options": onPosts(true, http.MethodOptions, func(a *answer) {
			a.header.Set("Access-Control-Allow-Methods", "GET")
		}),
		"intake.submit.cors": onPosts(false, http.MethodPost, func(a *answer) {
			a.header.Del("Access-Control-Allow-Origin")
		}),
		"intake.submit.get": onPosts(false, http.MethodGet, func(a *answer) {
			a.status = http.StatusOK
		}),

		"intake.submit.session":          onResponse(func(r *intake.Response) { r.SessionID = intake.Nil }),
		"intake.submit.offer-expired":    onOffer(func(o *intake.Offer) { o.Expires = "2020-01-01T00:00:00Z" }),
		"intake.submit.no-bind-endpoint": onOffer(func(o *intake.Offer) { o.BindEndpoint = "" }),
		"intake.submit.no-summary":       onText(`"summary":"We can do that."`, `"text":"We can do that."`),
		"intake.submit.valid":            onResponse(func(r *intake.Response) { r.Version = "2.0.0" }),
		"intake.submit.type-html": func(_ *Provider, m *message, a *answer) {
			if m.intake != nil && a.status == http.StatusOK && m.request.Method == http.MethodPost && !m.bind {
				a.header.Set("Content-Type", "text/html")
			}
		},
		"intake.submit.repeat":   onOffer(func(o *intake.Offer) { o.ID += "-" + fmt.Sprint(time.Now().UnixNano()) }),
		"intake.submit.declined": onResponse(func(r *intake.Response) { r.DeclineReason = "" }),
		"intake.submit.errors": onErrors(func(a *answer) {
			a.body = map[string]string{"error": a.body.(*intake.Response).Error.Message}
		}),
		"intake.submit.error-type": onErrors(func(a *answer) { a.header.Set("Content-Type", "text/plain") }),
		"intake.submit.burst":      onThrottled(func(a *answer) { a.header.Del("Retry-After") }),
		"intake.bind.host": onOffer(func(o *intake.Offer) {
			o.BindEndpoint = strings.Replace(o.BindEndpoint, "localhost", "127.0.0.1", 1)
		}),
		"intake.bind.valid": func(p *Provider, m *message, a *answer) {
			if b, ok := a.body.(*intake.Bound); ok && len(p.seen.Bound) == 1 {
				again := *b
				again.BoundAt = fmt.Sprint(time.Now().UnixNano())
				a.body = &again
			}
		},
		"intake.bind.other-data": onConflict(func(a *answer) {
			a.status, a.body = http.StatusOK, &intake.Bound{Status: intake.StatusBound}
		}),
		"intake.bind.at-once": func(p *Provider, m *message, a *answer) {
			if _, ok := a.body.(*intake.Bound); ok && len(p.seen.Bound) >= 3 { // the third is bound twice
				a.body = &intake.Bound{Status: intake.StatusBound, OfferID: fmt.Sprint(time.Now().UnixNano())}
			}
		},
		"intake.submit.error-status": func(_ *Provider, m *message, a *answer) {
			if m.submits() && a.status == http.StatusBadRequest {
				a.status = http.StatusOK
			}
		},
		"intake.bind.expired": onStatus(http.StatusGone, func(a *answer) {
			a.status, a.body = http.StatusOK, &intake.Bound{Status: intake.StatusBound}
		}),
	} {
		lies[name] = lie
	}
	for name, match := range wronglyAccepted {
		lies[name] = accepting(match)
	}
	for name, match := range wronglyRefused {
		lies[name] = refusing(match)
	}
}

// wronglyAccepted are requests and binds that must be refused.
var wronglyAccepted = map[string]func(*message) bool{
	"intake.submit.keyless": func(m *message) bool {
		return m.submits() && m.intake.RequiresAuth && m.request.Header.Get("Authorization") == ""
	},
	"intake.submit.malformed": func(m *message) bool {
		return m.submits() && len(m.body) > 0 && !json.Valid(m.body)
	},
	"intake.submit.empty": func(m *message) bool { return m.submits() && len(m.body) == 0 },
	"intake.submit.array": func(m *message) bool {
		return m.submits() && strings.HasPrefix(string(m.body), "[")
	},
	"intake.submit.without-aip-version": lacking("aip_version"),
	"intake.submit.without-agent":       lacking("agent"),
	"intake.submit.without-intake-data": lacking("intake_data"),
	"intake.submit.without-session-id":  lacking("session_id"),
	"intake.submit.session-format": func(m *message) bool {
		return m.submits() && m.root["session_id"] == "test-001"
	},
	"intake.submit.session-version": func(m *message) bool {
		id, _ := m.root["session_id"].(string)
		return m.submits() && len(id) == 36 && id[14] == '1'
	},
	"intake.submit.consent":              scoped("offer"),
	"intake.submit.scope-empty":          scoped(),
	"intake.submit.scope-twice":          scoped("intake", "intake"),
	"intake.submit.scope-unknown":        scoped("intake", "everything"),
	"intake.submit.agent-id":             func(m *message) bool { return m.submits() && m.agent["id"] == "" },
	"intake.submit.unknown-member":       func(m *message) bool { return m.submits() && m.root["intake_id"] != nil },
	"intake.submit.unknown-agent-member": func(m *message) bool { return m.submits() && m.agent["model"] != nil },
	"intake.submit.locale": func(m *message) bool {
		return m.submits() && m.metadata()["locale"] == "EN_us"
	},
	"intake.submit.version": func(m *message) bool {
		return m.submits() && m.root["aip_version"] == "0.2.0"
	},
	"intake.submit.content-type": func(m *message) bool {
		return m.submits() && m.request.Header.Get("Content-Type") == "text/plain"
	},
	"intake.submit.too-large": func(m *message) bool { return m.submits() && len(m.body) > 1<<20 },
	"intake.submit.required": func(m *message) bool {
		return m.submits() && m.intake.ID == Quote && m.data != nil && (m.data["trade"] == nil || m.data["size"] == nil)
	},
	"intake.submit.enum": func(m *message) bool { return m.submits() && m.data["trade"] == "zq-none" },
	"intake.submit.type": func(m *message) bool {
		_, text := m.data["note"].(string)
		return m.submits() && m.data["note"] != nil && !text
	},
	"intake.submit.minimum": func(m *message) bool { return m.submits() && m.data["size"] == 0.0 },
	"intake.submit.maximum": func(m *message) bool { return m.submits() && m.data["size"] == 101.0 },
	"intake.submit.max-length": func(m *message) bool {
		note, _ := m.data["note"].(string)
		return m.submits() && len(note) > 20
	},
	"intake.submit.pattern":  func(m *message) bool { return m.submits() && m.data["note"] == "~~" },
	"intake.submit.item":     func(m *message) bool { return m.submits() && strings.Contains(string(m.body), `["zq-none"]`) },
	"intake.submit.personal": func(m *message) bool { return m.submits() && m.data["email"] != nil },
	"intake.bind.session":    func(m *message) bool { return m.foreign && m.binds() },
	"intake.bind.unknown-offer": func(m *message) bool {
		id, _ := m.root["offer_id"].(string)
		return m.binds() && strings.HasPrefix(id, "none-")
	},
	"intake.bind.agent": func(m *message) bool {
		id, _ := m.agent["id"].(string)
		return m.binds() && strings.HasPrefix(id, "other-")
	},
	"intake.bind.consent": func(m *message) bool {
		return m.binds() && !strings.Contains(fmt.Sprint(m.agent["consent_scope"]), "bind")
	},
	"intake.bind.without-data": func(m *message) bool { return m.binds() && m.root["bind_data"] == nil },
	"intake.bind.missing": func(m *message) bool {
		_, there := m.data["email"]
		return m.binds() && m.data != nil && !there
	},
	"intake.bind.empty": func(m *message) bool { return m.binds() && m.data["email"] == "" },
	"intake.bind.null": func(m *message) bool {
		email, there := m.data["email"]
		return m.binds() && there && email == nil
	},
	"intake.bind.email":          func(m *message) bool { return m.binds() && m.data["email"] == "nobody" },
	"intake.bind.version":        func(m *message) bool { return m.binds() && m.root["aip_version"] != nil },
	"intake.bind.platform":       func(m *message) bool { return m.binds() && m.agent["platform"] != nil },
	"intake.bind.unknown-member": func(m *message) bool { return m.binds() && m.root["intake_id"] != nil },
}

// wronglyRefused are requests and binds that must be taken.
var wronglyRefused = map[string]func(*message) bool{
	"intake.submit.version-patch": func(m *message) bool { return m.submits() && m.root["aip_version"] == "0.1.7" },
	"intake.submit.metadata": func(m *message) bool {
		return m.submits() && m.metadata()["frontdesk_check"] != nil
	},
	"intake.submit.charset": func(m *message) bool {
		return m.submits() && strings.Contains(m.request.Header.Get("Content-Type"), "charset")
	},
	"intake.submit.size": func(m *message) bool { return m.submits() && len(m.body) == 65536 },
	"intake.submit.zero": func(m *message) bool { return m.submits() && m.data["urgent"] == false },
	"intake.bind.extra":  func(m *message) bool { return m.binds() && m.data["frontdesk_check"] != nil },
}

func (m *message) submits() bool {
	return m.intake != nil && !m.bind && m.request.Method == http.MethodPost
}

func (m *message) binds() bool {
	return m.intake != nil && m.bind && m.request.Method == http.MethodPost
}

func (m *message) metadata() map[string]any {
	metadata, _ := m.root["metadata"].(map[string]any)
	return metadata
}

func lacking(name string) func(*message) bool {
	return func(m *message) bool { return m.submits() && m.root != nil && m.root[name] == nil }
}

func scoped(names ...any) func(*message) bool {
	want := fmt.Sprint(append([]any{}, names...))
	return func(m *message) bool {
		return m.submits() && m.agent["consent_scope"] != nil && fmt.Sprint(m.agent["consent_scope"]) == want
	}
}

// accepting answers what should be refused with an offer, or binds it.
func accepting(match func(*message) bool) func(*Provider, *message, *answer) {
	return func(p *Provider, m *message, a *answer) {
		if !match(m) {
			return
		}
		a.status, a.header = http.StatusOK, jsonHeader()
		a.header.Set("Access-Control-Allow-Origin", "*")
		if m.bind {
			a.body = &intake.Bound{Version: intake.Version, SessionID: intake.SessionOf(m.body), OfferID: "x",
				Status: intake.StatusBound, BoundAt: sign.FormatTime(p.now())}
			return
		}
		a.body = &intake.Response{Version: intake.Version, SessionID: intake.SessionOf(m.body),
			Status: intake.StatusOffer, Offer: &intake.Offer{ID: "x", Summary: "Whatever."}}
	}
}

// refusing refuses what should be taken.
func refusing(match func(*message) bool) func(*Provider, *message, *answer) {
	return func(_ *Provider, m *message, a *answer) {
		if match(m) {
			refused := failing(m, http.StatusBadRequest, intake.CodeInvalidInput, "No.")
			a.status, a.body = refused.status, refused.body
		}
	}
}

// onWellKnown changes answers at the manifest's address, of one method or of all.
func onWellKnown(method string, change func(*answer)) func(*Provider, *message, *answer) {
	return func(_ *Provider, m *message, a *answer) {
		if m.request.URL.Path == intake.WellKnown && (method == "" || method == m.request.Method) {
			change(a)
		}
	}
}

// onPosts changes answers at the endpoints.
func onPosts(bind bool, method string, change func(*answer)) func(*Provider, *message, *answer) {
	return func(_ *Provider, m *message, a *answer) {
		if m.intake != nil && m.bind == bind && m.request.Method == method {
			change(a)
		}
	}
}

// onErrors changes answers that are errors of a submission.
func onErrors(change func(*answer)) func(*Provider, *message, *answer) {
	return func(_ *Provider, m *message, a *answer) {
		if m.submits() && a.status >= 400 {
			change(a)
		}
	}
}

func onThrottled(change func(*answer)) func(*Provider, *message, *answer) {
	return onStatus(http.StatusTooManyRequests, change)
}

func onConflict(change func(*answer)) func(*Provider, *message, *answer) {
	return onStatus(http.StatusConflict, change)
}

func onStatus(status int, change func(*answer)) func(*Provider, *message, *answer) {
	return func(_ *Provider, _ *message, a *answer) {
		if a.status == status {
			change(a)
		}
	}
}
