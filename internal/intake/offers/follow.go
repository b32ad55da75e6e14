package offers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"frontdesk/wire/strictjson"
)

// The bounds of what rules compute.
const (
	maxLetList = 10_000  // elements of a list or map that has a name
	maxLetText = anyText // bytes of a text that has one
	maxPiece   = 500     // characters of a text of somebody else's within one of the owner's
	maxQuery   = 1_000   // bytes of what is looked for
	followFor  = time.Second
)

// Offer follows the rules.
func (b *ruleSet) Offer(ctx context.Context, q Request) (Outcome, error) {
	f := &following{ruleSet: b, ctx: ctx, question: q, known: map[string]ref.Val{}}
	outcome, err := f.answer()
	if err == nil {
		err = outcome.Check(q.Now)
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("the rules of intake %s: %w", q.Intake, err)
	}
	return outcome, nil
}

// following is rules in the course of being followed for one question.
type following struct {
	*ruleSet
	ctx      context.Context
	question Request
	data     any
	known    map[string]ref.Val // names that were computed
}

// answer goes through the rules in their order.
func (f *following) answer() (Outcome, error) {
	var err error
	if f.data, err = f.ruleSet.data.read(f.question.Data); err != nil {
		var unfit *UnusableData
		if errors.As(err, &unfit) {
			return Outcome{}, unfit
		}
		return Outcome{}, &ruleError{"data", asFault(err)}
	}
	for _, r := range f.decline {
		holds, err := f.holds(r.when)
		if err != nil {
			return Outcome{}, err
		}
		if holds {
			return f.declined(r.reason)
		}
	}
	for _, p := range f.offers {
		holds, err := f.holds(p.when)
		if err != nil {
			return Outcome{}, err
		}
		if holds {
			return f.offered(p)
		}
	}
	return f.declined(f.otherwise)
}

func (f *following) declined(reason *template) (Outcome, error) {
	text, err := f.write(reason, MaxSummary)
	return Outcome{Status: Declined, Reason: text}, err
}

func (f *following) offered(p compiledOffer) (o Outcome, err error) {
	o = Outcome{Status: Offered, BindRequires: p.requires, TermsURL: p.terms}
	if p.expires > 0 {
		o.Expires = f.question.Now.Add(p.expires)
	}
	if o.Summary, err = f.write(p.summary, MaxSummary); err != nil || p.details == nil {
		return o, err
	}
	w := &writer{most: MaxDetails}
	if err = f.fill(w, p.details); err == nil {
		o.Details = strictjson.Value(w.dst)
	}
	return o, err
}

func (f *following) holds(e *expression) (bool, error) {
	if e == nil {
		return true, nil
	}
	v, err := f.eval(e)
	if err != nil {
		return false, err
	}
	truth, is := v.(types.Bool)
	if !is {
		return false, &ruleError{e.where, "it is neither true nor false"}
	}
	return bool(truth), nil
}

// eval evaluates an expression.
func (f *following) eval(e *expression) (ref.Val, error) {
	v, _, err := e.program.ContextEval(f.ctx, f)
	if err != nil {
		return nil, explain(e.where, err)
	}
	return v, nil
}

// Parent is part of cel.Activation: there is none.
func (f *following) Parent() cel.Activation { return nil }

// ResolveName gives what a name in an expression stands for. What costs something is computed when
// it is first asked for.
func (f *following) ResolveName(name string) (any, bool) {
	q := f.question
	switch name {
	case "data":
		return f.data, true
	case "tables":
		return f.tables, true
	case "agent":
		scopes := make([]string, len(q.Agent.ConsentScope))
		for i, s := range q.Agent.ConsentScope {
			scopes[i] = string(s)
		}
		return map[string]any{"id": q.Agent.ID, "platform": q.Agent.Platform, "name": q.Agent.Name,
			"scopes": scopes}, true
	case "locale":
		return q.Locale, true
	case "timezone":
		return zone(q.Timezone), true
	case "now":
		return types.Timestamp{Time: q.Now.UTC()}, true
	case "items":
		if f.match != nil {
			return f.once(name, f.items), true
		}
	}
	if e := f.lets[name]; e != nil {
		return f.once(name, func() (ref.Val, error) { return f.let(e) }), true
	}
	return nil, false
}

// zone is a time zone that exists; the world's where the agent's does not.
func zone(name string) string {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return "UTC"
	}
	return name
}

// once computes what a name stands for, if that was not done already. A failure fails each
// expression that needs it.
func (f *following) once(name string, compute func() (ref.Val, error)) ref.Val {
	if v, done := f.known[name]; done {
		return v
	}
	v, err := compute()
	if err != nil {
		v = types.WrapErr(err)
	}
	f.known[name] = v
	return v
}

func (f *following) let(e *expression) (ref.Val, error) {
	v, err := f.eval(e)
	if err != nil {
		return nil, err
	}
	switch n := v.(type) {
	case types.Double:
		if !isFinite(float64(n)) {
			return nil, &ruleError{e.where, errInfinite}
		}
	case types.String:
		if len(n) > maxLetText {
			return nil, &ruleError{e.where, errLong}
		}
	case traits.Sizer:
		if size, is := n.Size().(types.Int); !is || size > maxLetList {
			return nil, &ruleError{e.where, "a list gets too long"}
		}
	}
	return v, nil
}

// items looks up what the rules match.
func (f *following) items() (ref.Val, error) {
	query, err := f.write(f.match.query, maxQuery)
	if err != nil {
		return nil, err
	}
	var found []Item
	if f.question.Lookup != nil {
		l := f.match.lookup
		l.Query = query
		if found, err = f.question.Lookup(f.ctx, l); err != nil {
			return nil, err
		}
	}
	values := make([]any, 0, len(found))
	for _, item := range found[:min(len(found), f.match.lookup.Limit)] {
		object, err := anything().read(item.Object)
		if err != nil { // an item of which nothing is released but its notice
			object = map[string]any{}
		}
		values = append(values, map[string]any{
			"url": item.URL, "name": item.Name, "type": item.Type, "site": item.Site, "description": item.Description,
			"score": item.Score, "object": object,
		})
	}
	return types.DefaultTypeAdapter.NativeToValue(values), nil
}

// write writes a text with what its expressions give. What is longer than so many bytes is cut.
func (f *following) write(t *template, most int) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expression == nil {
			b.WriteString(p.literal)
			continue
		}
		v, err := f.eval(p.expression)
		if err != nil {
			return "", err
		}
		text, ok := plain(v)
		if !ok {
			return "", &ruleError{t.where, "an expression gives what is no text, or no number"}
		}
		b.WriteString(text)
	}
	return cut(b.String(), most), nil
}

// cut cuts a text that is too long, at a letter.
func cut(text string, most int) string {
	const more = " …"
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(more)], "") + more
}

// plain writes a value within a text. Texts of others are cut, and what would move a cursor is left
// out.
func plain(v ref.Val) (string, bool) {
	switch n := v.(type) {
	case types.String:
		text := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(string(n), "\ufffd"))
		if r := []rune(text); len(r) > maxPiece {
			text = string(r[:maxPiece]) + "…"
		}
		return text, true
	case types.Double:
		return number(float64(n)), isFinite(float64(n))
	case types.Int, types.Uint, types.Bool, types.Timestamp, types.Duration:
		text, ok := v.ConvertToType(types.StringType).(types.String)
		return string(text), ok
	}
	return "", false
}
