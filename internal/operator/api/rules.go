package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/strictjson"
)

// Where content rules are (RAMP v1, the manual source of the catalog): one at ContentRule.
const (
	ContentRules = "/admin/content-rules"
	ContentRule  = ContentRules + "/{id}"
)

// Rules is what the door needs to know to change content rules.
type Rules struct {
	Keeper *overrides.Store
	// Check says what of a rule does not fit the configuration.
	Check func(policy.Rule) error
	// Apply puts in force what was changed, if that can be done at once.
	Apply func(context.Context)
	// Warn says what of a rule in force works, and is probably not meant.
	Warn func(context.Context, overrides.Rule) []string
}

// contentRule is a content rule as a request has it, and as it is told: a rule of the terms, whose span is a text.
type contentRule struct {
	ID    string `json:"id"`
	Order *int64 `json:"order"`
	policy.Rule
	Reporting reporting `json:"reporting,omitzero"`
	Created   string    `json:"created,omitempty"`
	Changed   string    `json:"changed,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"` // what is probably not meant
}

type reporting struct {
	Window string `json:"window"`
}

// usualOrder is the place of a rule that names none.
const usualOrder = 100

// RulesHandler answers at ContentRules and at ContentRule: GET lists the rules, POST adds one, or puts it in the place of that with
// its id; of one, GET tells, and DELETE removes it.
func RulesHandler(c Rules) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		id := r.PathValue("id")
		if id == "" {
			return byMethod(w, r, methods{http.MethodGet: c.list, http.MethodPost: c.put})
		}
		return byMethod(w, r, methods{
			http.MethodGet: func(http.ResponseWriter, *http.Request) (int, any, error) { return c.show(r.Context(), id) },
			http.MethodDelete: func(http.ResponseWriter, *http.Request) (int, any, error) {
				if err := c.Keeper.Remove(r.Context(), id); err != nil {
					return 0, nil, err
				}
				c.Apply(r.Context())
				return http.StatusOK, map[string]string{"removed": id}, nil
			},
		})
	})
}

func (c Rules) list(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	book, err := c.Keeper.Read(r.Context())
	list := struct {
		Rules []contentRule `json:"rules"`
	}{[]contentRule{}}
	for _, rule := range book.Rules {
		list.Rules = append(list.Rules, toldRule(rule))
	}
	return http.StatusOK, list, err
}

func (c Rules) show(ctx context.Context, id string) (int, any, error) {
	book, err := c.Keeper.Read(ctx)
	for _, rule := range book.Rules {
		if rule.ID == id {
			return http.StatusOK, c.warned(ctx, rule), nil
		}
	}
	if err == nil {
		err = fail.New(fail.NotFound, "there is no content rule %.80s; GET %s lists those there are", id, ContentRules)
	}
	return 0, nil, err
}

func (c Rules) put(w http.ResponseWriter, r *http.Request) (int, any, error) {
	asked, err := askedRule(w, r)
	if err != nil {
		return 0, nil, err
	}
	if asked.Created != "" || asked.Changed != "" || asked.Warnings != nil {
		return 0, nil, fail.New(fail.Invalid, "when a rule was put in, and what is odd about it, is told here, and cannot be said; leave out created, changed and warnings")
	}
	rule := overrides.Rule{ID: asked.ID, Place: usualOrder, Rule: asked.Rule}
	if asked.Order != nil {
		rule.Place = *asked.Order
	}
	if text := asked.Reporting.Window; text != "" {
		if rule.Rule.Reporting.Window, err = time.ParseDuration(text); err != nil {
			return 0, nil, fail.New(fail.Invalid, "reporting.window: %.40q is no span; write it like 24h", text)
		}
	}
	if err := c.Check(rule.Rule); err != nil {
		return 0, nil, err
	}
	rule, fresh, err := c.Keeper.Put(r.Context(), rule)
	if err != nil {
		return 0, nil, err
	}
	c.Apply(r.Context())
	if fresh {
		return http.StatusCreated, c.warned(r.Context(), rule), nil
	}
	return http.StatusOK, c.warned(r.Context(), rule), nil
}

// warned is a rule as it is told, with what is probably not meant.
func (c Rules) warned(ctx context.Context, rule overrides.Rule) contentRule {
	told := toldRule(rule)
	told.Warnings = c.Warn(ctx, rule)
	return told
}

// askedRule reads the rule of a request. What it is for must be written down, were it that it is for everything; and nothing in it is
// null: what a program has no value for would be a condition, or a restriction, that is not there.
func askedRule(w http.ResponseWriter, r *http.Request) (asked contentRule, err error) {
	body, err := bodyOf(w, r)
	if err != nil {
		return asked, err
	}
	if err := decode(body, &asked); err != nil {
		return asked, err
	}
	if at, is := strictjson.Null(body); is {
		return asked, fail.New(fail.Invalid, "%.200s is null; leave out what is not asked for", cmp.Or(at, "the body"))
	}
	var has struct {
		Match *strictjson.Value `json:"match"`
	}
	if err := strictjson.DecodeTolerant(body, &has); err != nil {
		return asked, fail.New(fail.Malformed, "%v", err)
	}
	if has.Match == nil {
		return asked, fail.New(fail.Invalid, `match: say which items the rule is for; "match": {} is for everything`)
	}
	return asked, nil
}

func toldRule(r overrides.Rule) contentRule {
	out := contentRule{ID: r.ID, Order: &r.Place, Rule: r.Rule, Created: r.Created.Format(time.RFC3339Nano), Changed: r.Changed.Format(time.RFC3339Nano)}
	if window := r.Rule.Reporting.Window; window > 0 {
		out.Reporting.Window = window.String()
	}
	return out
}
