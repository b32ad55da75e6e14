package keyring

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/identity"
)

// Person is somebody who may come in to the owner's console.
type Person struct {
	ID       string     `json:"id" column:"1:ID"`
	Name     string     `json:"name" column:"2:NAME"`
	Role     string     `json:"role" column:"3:ROLE"`     // owner, operator, editor or viewer
	State    string     `json:"state" column:"4:STATE"`   // valid, suspended, expired or revoked
	Sessions int        `json:"sessions"`                 // that are open
	LastUsed string     `json:"last_used,omitempty"`      // the day, such as 2027-01-31
	From     string     `json:"from,omitempty"`           // the network they came from on that day
	Zone     string     `json:"time_zone,omitempty"`      // an IANA time zone
	Created  time.Time  `json:"created" column:"5:SINCE"` // when they came in
	Ends     *time.Time `json:"ends,omitempty"`
}

// Current says whether the person may come in, or can be let in again.
func (p Person) Current() bool { return p.State == "valid" || p.State == "suspended" }

// People are all who may come in to the console and fit a filter, whose kind does not count.
func (r *Ring) People(ctx context.Context, f Filter) ([]Person, error) {
	all := []Person{}
	if err := f.check(); err != nil || r.Logins == nil {
		return all, err
	}
	members, err := r.Logins.Members(ctx)
	if err != nil {
		return nil, err
	}
	uses, err := r.Uses.Read(ctx)
	for _, m := range members {
		if one := r.person(m, uses); f.State == "" || (f.State == Current) == one.Current() {
			if f.Search == "" || strings.Contains(strings.ToLower(one.ID+"\n"+one.Name), strings.ToLower(f.Search)) {
				all = append(all, one)
			}
		}
	}
	return all, err
}

// Person gives one of People. It is fail.NotFound where there is none.
func (r *Ring) Person(ctx context.Context, id string) (Person, error) {
	m, err := r.Logins.Member(ctx, id)
	if err != nil {
		return Person{}, err
	}
	uses, err := r.Uses.Read(ctx)
	return r.person(m, uses), err
}

func (r *Ring) person(m identity.Member, uses map[string]Use) Person {
	p := Person{
		ID: m.ID, Name: m.Name, Role: m.Role, State: m.State(r.Now()), Sessions: m.Sessions, Zone: m.Zone,
		Created: m.Created, Ends: at(m.Expires),
	}
	if use, ok := uses[usedAs(Console, m.ID)]; ok {
		p.LastUsed, p.From = use.Day.Format(time.DateOnly), use.From
	}
	return p
}

// Invitation is a link by which somebody comes in, while it is good and unused.
type Invitation struct {
	ID      string    `json:"id" column:"1:ID"` // by which it is withdrawn
	Name    string    `json:"name,omitempty" column:"2:FOR"`
	Role    string    `json:"role" column:"3:ROLE"`
	Created time.Time `json:"created"`
	Ends    time.Time `json:"ends" column:"4:ENDS"`
	Opened  bool      `json:"opened"` // in a browser, which alone can use it then
	// Code and Link are told once, of an invitation that was made just now. Whoever has them comes
	// in.
	Code string `json:"code,omitempty"`
	Link string `json:"link,omitempty"`
}

// BeginPath is the page of the console to which links lead, with the code in the fragment.
const BeginPath = "/console/begin"

func invitation(in identity.Invitation) Invitation {
	return Invitation{ID: in.ID, Name: in.Name, Role: in.Role, Created: in.Made, Ends: in.Until, Opened: in.Taken}
}

// Invitations are all, the newest first.
func (r *Ring) Invitations(ctx context.Context) ([]Invitation, error) {
	all, err := r.Logins.Invitations(ctx)
	return shown(all, invitation), err
}

// Invite makes a link by which somebody comes in with a role, once, for a span; 0 is
// identity.LinkTime.
func (r *Ring) Invite(ctx context.Context, name, role string, good time.Duration) (Invitation, error) {
	in := identity.Invitation{Name: name, Role: role}
	if good != 0 {
		in.Until = r.Now().Add(good)
	}
	code, made, err := r.Logins.Invite(ctx, in)
	if err != nil {
		return Invitation{}, err
	}
	out := invitation(made)
	out.Code = code
	if address := r.Address(ctx); address != "" {
		out.Link = address + BeginPath + "#" + code
	}
	return out, nil
}
