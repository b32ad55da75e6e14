package check

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"frontdesk/wire/intake"
	"frontdesk/wire/sign"
)

// shortLived is how long an offer may hold at most for its end to be waited for.
const shortLived = 90 * time.Second

// bindSteps bind offers: first in ways that must be refused, then three really (Agent Intake
// Protocol 0.1.0, Stage 5).
var bindSteps = []step{
	{"bind.options", "OPTIONS of the bind endpoint works", data | bindable,
		func(ctx context.Context, v *visit) verdict {
			return v.preflight(ctx, v.offer.offer.BindEndpoint, http.MethodPost)
		}},
	{"bind.host", "offers are bound at the business's own host", data | bindable,
		func(_ context.Context, v *visit) verdict {
			if at, own := hostOf(v.offer.offer.BindEndpoint), hostOf(v.intake.Endpoint); at != own &&
				at != hostOf(v.wellKnown.String()) {
				return doubt(fmt.Sprintf("it is %s, and the intake's %s", at, own),
					"bind at the intake's host: careful agents send personal data nowhere else")
			}
			return passed()
		}},
	refusedBind("bind.unknown-offer", "an unknown offer is not found", http.StatusNotFound, intake.CodeOfferNotFound,
		func(o object) { o["offer_id"] = "none-" + random() }),
	refusedBind("bind.session", "another session's offer is not found", http.StatusNotFound, intake.CodeOfferNotFound,
		func(o object) { o["session_id"] = newSession() }),
	doubted(refusedBind("bind.agent", "another agent's offer is not found", http.StatusNotFound,
		intake.CodeOfferNotFound, func(o object) { o["agent"].(object)["id"] = "other-" + random() })),
	refusedBind("bind.consent", "a consent_scope without bind is refused", http.StatusBadRequest,
		intake.CodeInvalidInput, scopes("intake", "offer")),
	refusedBind("bind.without-data", "a bind without bind_data is refused", http.StatusBadRequest,
		intake.CodeBindIncomplete, func(o object) { delete(o, "bind_data") }),
	refusedField("bind.missing", "a bind without a required field is refused", nil, true),
	refusedField("bind.empty", "a required field that is empty is refused", "", false),
	refusedField("bind.null", "a required field that is null is refused", nil, false),
	refusedBind("bind.email", "an e-mail address that is none is refused", http.StatusBadRequest,
		intake.CodeInvalidInput, func(o object) { o["bind_data"].(object)["email"] = "nobody" }),
	doubted(refusedBind("bind.version", "a bind with aip_version, which it has no place for, is refused",
		http.StatusBadRequest, intake.CodeInvalidInput, func(o object) { o["aip_version"] = intake.Version })),
	doubted(refusedBind("bind.platform", "a bind with agent.platform, which it has no place for, is refused",
		http.StatusBadRequest, intake.CodeInvalidInput, func(o object) { o["agent"].(object)["platform"] = "x" })),
	refusedBind("bind.unknown-member", "an unknown member is refused", http.StatusBadRequest, intake.CodeInvalidInput,
		func(o object) { o["intake_id"] = "x" }),
	{"bind.valid", "the offer is bound, and the same bind again answers the same", data | binding, bindValid},
	{"bind.other-data", "a bound offer is not bound by other data", data | binding,
		func(ctx context.Context, v *visit) verdict {
			return orDoubt(v.refuses(ctx, v.bind(v.offer, func(o object) {
				fields := o["bind_data"].(object)
				for _, name := range v.required() {
					if text, ok := fields[name].(string); ok {
						fields[name] = "x" + text
					}
				}
			}), http.StatusConflict, intake.CodeOfferAlreadyBound))
		}},
	{"bind.extra", "fields that are not required are let pass", data | binding,
		func(ctx context.Context, v *visit) verdict {
			of, err := v.make(ctx)
			if err != nil {
				return noAnswer(err)
			}
			return v.takes(ctx, v.bind(of, func(o object) { o["bind_data"].(object)["frontdesk_check"] = "x" }),
				"leave bind_data open, and do not store what is not required")
		}},
	{"bind.at-once", "two binds at once answer the same, or one of them a conflict", data | binding, bindAtOnce},
	{"bind.expired", "an offer that has ended is gone", data | binding, bindExpired},
}

// refusedBind is a step with a bind that must be refused.
func refusedBind(id, about string, status int, code string, change func(object)) step {
	return step{id, about, data | binding, func(ctx context.Context, v *visit) verdict {
		return v.refuses(ctx, v.bind(v.offer, change), status, code)
	}}
}

// refusedField is a step with a bind one of whose required fields is not there, or holds nothing.
func refusedField(id, about string, value any, missing bool) step {
	return step{id, about, data | binding, func(ctx context.Context, v *visit) verdict {
		names := v.required()
		if len(names) == 0 {
			return verdict{outcome: Skipped, detail: "the offer requires nothing"}
		}
		l := v.bind(v.offer, func(o object) {
			fields := o["bind_data"].(object)
			if fields[names[0]] = value; missing {
				delete(fields, names[0])
			}
		})
		result := v.refuses(ctx, l, http.StatusBadRequest, intake.CodeBindIncomplete)
		if last := v.refused; result.outcome == Passed && missing && len(last) > 0 &&
			!strings.Contains(last[len(last)-1].told().Error.Message, names[0]) {
			return doubt("the message does not name the field", "name the fields that are missing, and no values")
		}
		return result
	}}
}

// required are the names that the offer requires.
func (v *visit) required() []string {
	if v.offer.offer.BindRequires == nil {
		return nil
	}
	return *v.offer.offer.BindRequires
}

func bindValid(ctx context.Context, v *visit) verdict {
	l := v.bind(v.offer)
	first, err := v.send(ctx, l)
	if err != nil {
		return noAnswer(err)
	}
	if first.status != http.StatusOK || first.told().Status == string(intake.StatusError) {
		return wrong("it answers "+first.answered(), "answer 200, or see that the sample has all that the offer "+
			"requires")
	}
	if typed := jsonTyped(first); typed.outcome != Passed {
		return typed
	}
	second, err := v.send(ctx, l)
	switch {
	case err != nil:
		return noAnswer(err)
	case second.status != http.StatusOK || !same(first, second):
		return doubt("the second time it answers "+second.answered(),
			"answer the same to the same bind: an answer can be lost on its way")
	}
	return passed()
}

func bindAtOnce(ctx context.Context, v *visit) verdict {
	of, err := v.make(ctx)
	if err != nil {
		return noAnswer(err)
	}
	l := v.bind(of)
	others := *v // which keeps what it gets for itself
	others.business = new(*v.business)
	others.asker, others.answers, others.refused = new(*v.asker), nil, nil
	type outcome struct {
		got *reply
		err error
	}
	second := make(chan outcome, 1)
	go func() {
		got, err := others.send(ctx, l)
		second <- outcome{got, err}
	}()
	a, err := v.send(ctx, l)
	b := <-second
	switch {
	case err != nil:
		return noAnswer(err)
	case b.err != nil:
		return noAnswer(b.err)
	case a.status == http.StatusOK && b.got.status == http.StatusOK && same(a, b.got):
		return passed()
	case a.status+b.got.status == http.StatusOK+http.StatusConflict:
		return passed()
	}
	return doubt(fmt.Sprintf("they answer %s and %s", a.answered(), b.got.answered()),
		"bind once, and answer the second what the first was answered")
}

func bindExpired(ctx context.Context, v *visit) verdict {
	end, err := sign.ParseTime(v.offer.offer.Expires)
	if v.offer.offer.Expires == "" || err != nil || end.Sub(v.options.Now()) > shortLived {
		return verdict{outcome: Skipped, detail: "offers hold for too long to wait for their end"}
	}
	of, err := v.make(ctx)
	if err != nil {
		return noAnswer(err)
	}
	end, err = sign.ParseTime(of.offer.Expires)
	if err != nil {
		return wrong("expires is no time", "write a time of RFC 3339")
	}
	if err := sleep(ctx, min(shortLived, end.Sub(v.options.Now().Add(v.offset))+time.Second)); err != nil {
		return noAnswer(err)
	}
	return v.refuses(ctx, v.bind(of), http.StatusGone, intake.CodeOfferExpired)
}
