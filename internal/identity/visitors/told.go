package visitors

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
)

// Book is who comes, and what the owner says of them, as both are told to the owner.
type Book struct {
	Store      *Store
	Treatments *Treatments
}

// Told is who comes, with how often it did in a range of days.
type Told struct {
	Agent     string   `json:"agent" column:"1:AGENT"`
	Name      string   `json:"name"`
	Operator  string   `json:"operator,omitempty" column:"2:OPERATOR"`
	Origin    string   `json:"origin,omitempty"` // of the operator
	Kind      string   `json:"kind,omitempty" column:"3:KIND"`
	Known     []string `json:"known" column:"4:KNOWN BY"` // signed, key, address or word
	Asked     int64    `json:"asked" column:"5:ASKED"`
	Read      int64    `json:"read" column:"6:READ"`
	Paid      int64    `json:"paid" column:"7:PAID"`
	Denied    int64    `json:"denied" column:"8:DENIED"`
	Before    int64    `json:"visits_before"`      // in the range before
	Last      string   `json:"last_day,omitempty"` // on which it came
	Treatment string   `json:"treatment" column:"9:TREATMENT"`
	Rate      int      `json:"requests_a_minute,omitempty"` // where it is limited
	// TreatedAs is of whom the treatment is: the agent itself, or its operator; empty where the
	// owner said nothing.
	TreatedAs string `json:"treated_as,omitempty"`
}

// Visits are all in the range.
func (t Told) Visits() int64 { return t.Asked + t.Read + t.Paid + t.Denied }

func (b Book) tell(v Visitor) Told {
	out := Told{
		Agent: v.ID, Name: v.Name, Operator: v.Operator, Origin: v.Origin, Kind: v.Kind,
		Known: append([]string{}, v.Known...), Asked: v.Asked, Read: v.Read, Paid: v.Paid, Denied: v.Denied,
		Before: v.Before, Treatment: string(Allow),
	}
	if !v.Last.IsZero() {
		out.Last = v.Last.Format(time.DateOnly)
	}
	if said, ok := b.Treatments.Of(v.ID); ok {
		out.Treatment, out.Rate, out.TreatedAs = string(said.Action), said.Rate, said.Agent
	}
	return out
}

// days are the days of a range, which end with the present one: 7d, 30d or 90d, without it 30d.
func (b Book) days(of string) (since, until time.Time, err error) {
	days, ok := map[string]int{"7d": 7, "": 30, "30d": 30, "90d": 90}[of]
	if !ok {
		return since, until, fail.New(fail.Invalid, "the range is %.40q; it may be 7d, 30d or 90d", of)
	}
	until = b.Treatments.now().UTC().Truncate(day).Add(day)
	return until.AddDate(0, 0, -days), until, nil
}

// List tells who came in a range of days, those with the most visits first, and behind them those
// who are treated and did not come.
func (b Book) List(ctx context.Context, days, search string) ([]Told, error) {
	since, until, err := b.days(days)
	if err != nil {
		return nil, err
	}
	came, err := b.Store.List(ctx, Filter{Since: since, Until: until, Search: search})
	if err != nil {
		return nil, err
	}
	listed, all := map[string]bool{}, make([]Told, 0, len(came))
	for _, v := range came {
		listed[strings.ToLower(v.ID)] = true
		all = append(all, b.tell(v))
	}
	for _, one := range b.Treatments.All() {
		v := Visitor{ID: one.Agent, About: b.Store.About(one.Agent)}
		if !listed[strings.ToLower(one.Agent)] && v.Matches(search) {
			all = append(all, b.tell(v))
		}
	}
	return all, nil
}

// ToldDetails are what is told of one visitor.
type ToldDetails struct {
	Told
	Days     []ToldDay     `json:"days"`
	Channels []ToldChannel `json:"channels"`
}

// ToldDay is how often it came on a day.
type ToldDay struct {
	Day    string `json:"day"`
	Asked  int64  `json:"asked"`
	Read   int64  `json:"read"`
	Paid   int64  `json:"paid"`
	Denied int64  `json:"denied"`
}

// ToldChannel is over what it came, and how it was known there.
type ToldChannel struct {
	Channel string `json:"channel"`
	Known   string `json:"known,omitempty"`
	Asked   int64  `json:"asked"`
	Read    int64  `json:"read"`
	Paid    int64  `json:"paid"`
	Denied  int64  `json:"denied"`
}

// Get tells of a visitor in a range of days. The error is fail.NotFound for one that did not come,
// is not treated and is in no list.
func (b Book) Get(ctx context.Context, name, days string) (out ToldDetails, err error) {
	since, until, err := b.days(days)
	if err != nil {
		return out, err
	}
	id := name
	if subject, err := b.Store.Subject(id); err == nil {
		id = subject
	}
	d, err := b.Store.Get(ctx, id, since, until)
	if err != nil {
		return out, err
	}
	out = ToldDetails{Told: b.tell(d.Visitor), Days: []ToldDay{}, Channels: []ToldChannel{}}
	for _, p := range d.Days {
		out.Days = append(out.Days, ToldDay{p.Day.Format(time.DateOnly), p.Asked, p.Read, p.Paid, p.Denied})
	}
	for _, p := range d.Parts {
		out.Channels = append(out.Channels, ToldChannel{p.Channel, p.Known, p.Asked, p.Read, p.Paid, p.Denied})
	}
	if out.Visits()+out.Before == 0 && out.TreatedAs == "" && !b.Store.Knows(id) {
		return out, fail.New(fail.NotFound, "no agent %.80q came, and none is in the list", name)
	}
	return out, nil
}

// Treated is how an agent is treated.
type Treated struct {
	Agent     string `json:"agent"`
	Treatment string `json:"treatment"`
	Rate      int    `json:"requests_a_minute,omitempty"`
}

// Treat keeps what the owner says of an agent, and tells it.
func (b Book) Treat(ctx context.Context, said Treatment) (Treated, error) {
	said, err := b.Treatments.Set(ctx, said)
	return Treated{said.Agent, string(said.Action), said.Rate}, err
}
