package keys

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/access"
	"frontdesk/internal/operator/console/frame"
)

// People is what the page with all people shows.
type People struct {
	Search      string
	States      []Option
	Filtered    bool
	Rows        []Person
	Invitations []Invited
	Roles       []Option
	Spans       []Option

	over *frame.Range
}

// Person is somebody of a list.
type Person struct {
	keyring.Person
	Href      string
	RoleText  string
	StateText string
	You       bool
	Used      time.Time // of the day on which they were here last, at noon; zero for never
	Signs     bool      // never
}

// Invited is a link that waits for somebody.
type Invited struct {
	keyring.Invitation
	RoleText string
}

// personStates are the keys of the words for states.
var personStates = map[string]string{
	"valid": "keys.has_access", "suspended": "keys.is_suspended", "expired": "keys.is_expired",
	"revoked": "keys.was_removed",
}

func personPath(id string) string { return "keys/people/" + url.PathEscape(id) }

func (p *pages) personOf(v *frame.Visit, one keyring.Person) Person {
	out := Person{
		Person: one, Href: personPath(one.ID), RoleText: v.Say("frame.role_" + one.Role),
		StateText: v.Say(personStates[one.State]), You: one.ID == v.In.Key, Used: noon(one.LastUsed),
	}
	if !v.May(identity.Own) {
		out.From = ""
	}
	return out
}

// askingPeople is what the address of the list of people says.
func askingPeople(r *http.Request) access.ListPeople {
	keys := asking(r)
	return access.ListPeople{State: keys.State, Search: keys.Search}
}

// people reads the list of people.
func (p *pages) people(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	in := askingPeople(r)
	all, err := in.Do(ctx, p.operator)
	if err != nil {
		return "", nil, err
	}
	links, err := access.ListInvitations{}.Do(ctx, p.operator)
	if err != nil {
		return "", nil, err
	}
	body := People{Search: in.Search, States: states(v, "keys.people_", in.State), Roles: roles(v, identity.Editor)}
	found, over := frame.Sift(r, p.Now(), all.People, func(one keyring.Person) time.Time { return one.Created }, nil)
	body.over, body.Filtered = over, in.Search != "" || in.State != keyring.Current || over.Days > 0
	for _, one := range found {
		body.Rows = append(body.Rows, p.personOf(v, one))
	}
	for _, in := range links.Invitations {
		body.Invitations = append(body.Invitations, Invited{in, v.Say("frame.role_" + in.Role)})
	}
	for _, s := range spans {
		body.Spans = append(body.Spans, Option{s.span, v.Say(s.word), s.span == "24h"})
	}
	return v.Say("keys.people"), body, nil
}

// Table is the list as a file.
func (l People) Table() frame.Table {
	t := frame.TableOf("id name role state sessions since ends last_used from", l.Rows, func(one Person) []any {
		return []any{
			one.ID, one.Name, one.Role, one.State, one.Sessions, day(&one.Created), day(one.Ends), one.LastUsed,
			one.From,
		}
	}).Goes("", l.over)
	t.Finds = true
	return t
}

// spans are for how long a link can be good.
var spans = []struct{ span, word string }{
	{"30m", "keys.good_half_hour"}, {"24h", "keys.overlap_day"}, {"168h", "keys.overlap_week"},
}

// roles are those that can be chosen, with what each may do.
func roles(v *frame.Visit, here string) (all []Option) {
	for _, role := range identity.PersonRoles {
		all = append(all, Option{role, v.Say("keys.may_" + role), role == here})
	}
	return all
}

// Invitation is what the page shows on which a link is told.
type Invitation struct {
	Invited
	Address string // of the link
}

// invite makes a link, and tells it this once.
func (p *pages) invite(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	in := access.InvitePerson{
		Name: strings.TrimSpace(r.PostForm.Get("name")), Role: r.PostForm.Get("role"), Good: r.PostForm.Get("good"),
	}
	made, err := in.Do(operator.WithActor(r.Context(), v.Actor()), p.operator)
	if err != nil {
		return err
	}
	p.Note(r, v.In, "invited somebody as "+made.Role)
	body := Invitation{
		Invited: Invited{made.Invitation, v.Say("frame.role_" + made.Role)},
		Address: p.PublicURL(r) + keyring.BeginPath + "#" + made.Code,
	}
	sheet := v.Sheet(v.Say("keys.invited"), "invited", body)
	sheet.Script = "copy.js"
	p.Show(w, r, http.StatusOK, sheet)
	return nil
}

// OnePerson is what the page of a person shows.
type OnePerson struct {
	Person
	Last  bool // the last owner, who stays one
	May   bool // the visitor may change them
	Roles []Option
}

func (p *pages) person(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	one, err := access.ShowPerson{PersonID: access.PersonID{ID: r.PathValue("id")}}.Do(ctx, p.operator)
	if err != nil {
		return "", nil, err
	}
	all, err := access.ListPeople{}.Do(ctx, p.operator)
	others := func(o keyring.Person) bool { return o.ID != one.ID && o.Role == identity.Owner && o.State == "valid" }
	body := OnePerson{
		Person: p.personOf(v, one), May: v.May(identity.Own) && one.Current(), Roles: roles(v, one.Role),
		Last: one.Role == identity.Owner && one.State == "valid" && !slices.ContainsFunc(all.People, others),
	}
	return one.Name, body, err
}

// changePerson changes the role of a person, signs them out, suspends, resumes or removes them.
func (p *pages) changePerson(r *http.Request, v *frame.Visit) (did, to string, err error) {
	id := access.PersonID{ID: r.PathValue("id")}
	ctx := operator.WithActor(r.Context(), v.Actor())
	do := r.PostForm.Get("do")
	switch do {
	case "role":
		did = "gave the role " + r.PostForm.Get("role") + " to"
		_, err = access.ChangePerson{PersonID: id, Role: r.PostForm.Get("role")}.Do(ctx, p.operator)
	case keyring.Suspend:
		_, err = access.ChangePerson{PersonID: id, State: "suspended"}.Do(ctx, p.operator)
	case keyring.Resume:
		_, err = access.ChangePerson{PersonID: id, State: "valid"}.Do(ctx, p.operator)
	case "sign_out":
		did = "signed out"
		_, err = access.SignOutPerson{PersonID: id}.Do(ctx, p.operator)
	case "remove":
		_, err = access.RemovePerson{PersonID: id}.Do(ctx, p.operator)
	default:
		err = frame.Fail(fail.Invalid, "keys.unknown_deed")
	}
	if did == "" {
		did = do
	}
	return did + " the person " + id.ID, personPath(id.ID), err
}

// withdraw makes a link worth nothing.
func (p *pages) withdraw(r *http.Request, v *frame.Visit) (did, to string, err error) {
	in := access.WithdrawInvitation{ID: r.PathValue("id")}
	_, err = in.Do(operator.WithActor(r.Context(), v.Actor()), p.operator)
	return "withdrew the invitation " + in.ID, "keys/people", err
}
