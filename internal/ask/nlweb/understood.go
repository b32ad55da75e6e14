package nlweb

import (
	"strings"
	"time"

	"frontdesk/internal/ask"
	wire "frontdesk/wire/nlweb"
)

// tell says in _meta what was understood, and which attributes have no effect. There may be no
// reply.
func (x *exchange) tell(reply *ask.Reply) {
	if reply == nil {
		return
	}
	for _, ignored := range reply.Understood.Ignored {
		if pointer := ignored.Name; strings.HasPrefix(pointer, "/") {
			x.ignore(valid(pointer), ignored.Reason)
		} else {
			x.ignore("/query/"+clip(pointer), ignored.Reason)
		}
	}
	if reply.Unread != "" {
		x.ignore("/prefer/fresh", valid(reply.Unread))
	}
	x.meta.Understood = understood(reply.Understood)
	for _, item := range reply.Closest {
		x.meta.Closest = append(x.meta.Closest, item.AppendJSON(nil))
	}
	x.model(reply.Model())
}

// understood is what was understood as it goes over the wire; nil when there is nothing to tell.
func understood(u ask.Understanding) *wire.Understood {
	if u.Empty() {
		return nil
	}
	told := &wire.Understood{
		Query: valid(u.Query), Text: valid(u.Text), Count: u.Count, Intent: u.Intent, Answer: valid(u.Answer),
	}
	for _, f := range u.Filters {
		told.Filters = append(told.Filters, wire.Filter{
			Name: valid(f.Name), Text: valid(f.Text), Min: f.Min, Max: f.Max, Above: f.Above, Below: f.Below,
			Unit: valid(f.Unit), Start: moment(f.From), End: moment(f.To), Values: validAll(f.Values), Not: f.Not,
			Soft: f.Soft, From: f.Source,
		})
	}
	if s := u.Sort; s != nil {
		told.Sort = &wire.Order{By: s.By, Order: "ascending", Text: s.Text}
		if s.Descending {
			told.Sort.Order = "descending"
		}
	}
	for _, c := range u.Corrected {
		told.Corrected = append(told.Corrected, wire.Corrected{From: valid(c.From), To: valid(c.To)})
	}
	for _, r := range u.Relaxed {
		told.Relaxed = append(told.Relaxed, wire.Relaxation{Name: valid(r.Name), Text: valid(r.Text)})
	}
	return told
}

// moment writes a time; empty for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

func validAll(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = valid(text)
	}
	return clean
}
