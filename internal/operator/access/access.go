// Package access has the operations on keys of every kind, and on the people at the owner's
// console. What they do is done by package keyring.
package access

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
)

const (
	keysPath        = "/admin/keys"
	keyPath         = keysPath + "/{kind}/{id...}"
	peoplePath      = "/admin/people"
	personPath      = peoplePath + "/{id}"
	invitationsPath = "/admin/invitations"
)

// Operations are all of this package.
var Operations = []operator.Operation{
	operator.Define[ListKeys]("keys", "GET", keysPath, "List the keys of every kind, without their secrets"),
	operator.Define[IssueKey]("issueKey", "POST", keysPath, "Make a key, whose secret is told this once"),
	operator.Define[ShowKey]("key", "GET", keyPath, "Read a key, without its secret"),
	operator.Define[RollKey]("rollKey", "POST", keyPath,
		"Make a key that follows another, which stays good for a while"),
	operator.Define[ChangeKey]("changeKey", "PATCH", keyPath, "Suspend a key, or resume it"),
	operator.Define[RevokeKey]("revokeKey", "DELETE", keyPath, "End a key for good"),
	operator.Define[ListPeople]("people", "GET", peoplePath, "List who may come in to the console"),
	operator.Define[ShowPerson]("person", "GET", personPath, "Read who may come in to the console"),
	operator.Define[ChangePerson]("changePerson", "PATCH", personPath,
		"Change a person's role, or suspend or resume them"),
	operator.Define[RemovePerson]("removePerson", "DELETE", personPath, "Let a person in to the console no more"),
	operator.Define[SignOutPerson]("signOutPerson", "DELETE", personPath+"/sessions", "End all sessions of a person"),
	operator.Define[ListInvitations]("invitations", "GET", invitationsPath,
		"List the links by which people can come in"),
	operator.Define[InvitePerson]("invitePerson", "POST", invitationsPath,
		"Make a link that lets a person in, once"),
	operator.Define[WithdrawInvitation]("withdrawInvitation", "DELETE", invitationsPath+"/{id}",
		"Make a link worth nothing"),
}

// ListKeys lists keys.
type ListKeys struct {
	Kind   string `query:"kind" placeholder:"KIND" help:"Those of one kind alone, such as api or platform."`
	State  string `query:"state" enum:"current,ended," default:"" placeholder:"STATE" help:"current for those that are good or can become so, ended for the others; without it, all."`
	Search string `query:"q" placeholder:"TEXT" help:"What the id or the holder's name has in it."`
	operator.Printed
}

// KeyList is keys.
type KeyList struct {
	Keys []keyring.Key `json:"keys"`
}

func (in ListKeys) Do(ctx context.Context, o *operator.Operator) (out KeyList, err error) {
	out.Keys, err = o.Keys.List(ctx, keyring.Filter{Kind: in.Kind, State: in.State, Search: in.Search})
	return out, err
}

// IssueKey makes a key.
type IssueKey struct {
	Kind  string   `json:"kind" required:"" enum:"api,platform,edge"`
	Name  string   `json:"name" required:""` // of the holder of an API key; the id of a platform; the name of an edge
	Doors []string `json:"doors"`            // of an API key, such as ask; without them, all but the operator's
	Roles []string `json:"roles"`            // of a platform's key: retrieve, event; without them, both
	Sites []string `json:"sites"`            // of an edge; without them, all of the configuration
	Rate  string   `json:"rate"`             // its own limit, such as 600/1m
	Ends  string   `json:"ends" kong:"-"`    // RFC 3339, or a day; without it, until it is revoked
}

// IssuedAnyKey is a key that was made, with its secret.
type IssuedAnyKey struct{ keyring.Key }

// Fresh says that it was made.
func (IssuedAnyKey) Fresh() bool { return true }

func (in IssueKey) Do(ctx context.Context, o *operator.Operator) (out IssuedAnyKey, err error) {
	var ends operator.Time
	if in.Ends != "" {
		if err := ends.UnmarshalText([]byte(in.Ends)); err != nil {
			return out, invalid("ends: %v", err)
		}
	}
	out.Key, err = o.Keys.Issue(ctx, keyring.Wanted{
		Kind: in.Kind, Name: in.Name, Doors: in.Doors, Roles: in.Roles, Sites: in.Sites, Rate: in.Rate, Ends: ends.Time,
	})
	return out, err
}

// KeyName names a key.
type KeyName struct {
	ID   string `json:"-" path:"id" arg:"" name:"id" help:"The key's id, as frontdesk keys list shows it."`
	Kind string `json:"-" path:"kind" name:"kind" placeholder:"KIND" help:"The key's kind, where keys of several kinds have the id."`
}

// ShowKey tells of a key.
type ShowKey struct{ KeyName }

func (in ShowKey) Do(ctx context.Context, o *operator.Operator) (keyring.Key, error) {
	return o.Keys.Find(ctx, in.Kind, in.ID)
}

// defaultOverlap is how long a key that is followed by another stays good.
const defaultOverlap = 7 * 24 * time.Hour

// RollKey makes a key that follows another.
type RollKey struct {
	KeyName
	Overlap string `json:"overlap"` // how long the old key stays good, such as 24h; without it 168h, and 0s ends it at once
}

// Bodiless says that a request may say nothing.
func (RollKey) Bodiless() {}

func (in RollKey) Do(ctx context.Context, o *operator.Operator) (out IssuedAnyKey, err error) {
	overlap := defaultOverlap
	if in.Overlap != "" {
		if overlap, err = time.ParseDuration(in.Overlap); err != nil {
			return out, invalid("overlap: %.40q is no span; write it like 24h", in.Overlap)
		}
	}
	out.Key, err = o.Keys.Rotate(ctx, in.Kind, in.ID, overlap)
	return out, err
}

func invalid(format string, args ...any) error { return fail.New(fail.Invalid, format, args...) }

// suspendedBy says what a state that a request names means.
func suspendedBy(state, active string) (bool, error) {
	if state != active && state != "suspended" {
		return false, invalid("state has to be %s or suspended; send DELETE to end it for good", active)
	}
	return state == "suspended", nil
}

// ChangeKey suspends or resumes a key.
type ChangeKey struct {
	KeyName
	State string `json:"state" required:"" enum:"active,suspended"`
}

func (in ChangeKey) Do(ctx context.Context, o *operator.Operator) (keyring.Key, error) {
	suspended, err := suspendedBy(in.State, "active")
	if err != nil {
		return keyring.Key{}, err
	}
	return o.Keys.SetSuspended(ctx, in.Kind, in.ID, suspended)
}

// RevokeKey ends a key for good.
type RevokeKey struct{ KeyName }

func (in RevokeKey) Do(ctx context.Context, o *operator.Operator) (keyring.Key, error) {
	return o.Keys.Revoke(ctx, in.Kind, in.ID)
}

// Say tells that it is over.
func (RevokeKey) Say(k keyring.Key) string {
	return "The key " + k.ID + " opens nothing any more; servers that run know it within a second."
}

// ListPeople lists who may come in to the console.
type ListPeople struct {
	State  string `query:"state" enum:"current,ended," default:"" placeholder:"STATE" help:"current for those who may come in or can be let in again, ended for the others; without it, all."`
	Search string `query:"q" placeholder:"TEXT" help:"What the id or the name has in it."`
	operator.Printed
}

// Empty is what the command says where there is nobody.
func (ListPeople) Empty() string {
	return "Nobody came in to the console yet. Make a link with `frontdesk console link`."
}

// PeopleList is people.
type PeopleList struct {
	People []keyring.Person `json:"people"`
}

func (in ListPeople) Do(ctx context.Context, o *operator.Operator) (out PeopleList, err error) {
	out.People, err = o.Keys.People(ctx, keyring.Filter{State: in.State, Search: in.Search})
	return out, err
}

// PersonID names a person.
type PersonID struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The person's id, as frontdesk console people shows it."`
}

// done gives the person after something was done.
func (in PersonID) done(ctx context.Context, o *operator.Operator, err error) (keyring.Person, error) {
	if err != nil {
		return keyring.Person{}, err
	}
	return o.Keys.Person(ctx, in.ID)
}

// ShowPerson tells of a person.
type ShowPerson struct{ PersonID }

func (in ShowPerson) Do(ctx context.Context, o *operator.Operator) (keyring.Person, error) {
	return in.done(ctx, o, nil)
}

// ChangePerson changes a person. What is left out stays as it is.
type ChangePerson struct {
	PersonID
	Role  string `json:"role" enum:"owner,operator,editor,viewer," default:"" placeholder:"ROLE" help:"What they may do from now on: owner, operator, editor or viewer."`
	State string `json:"state" enum:"valid,suspended," default:"" placeholder:"STATE" help:"suspended lets them in no longer, valid does so again."`
}

func (in ChangePerson) Do(ctx context.Context, o *operator.Operator) (keyring.Person, error) {
	if (in.Role == "") == (in.State == "") {
		return keyring.Person{}, invalid("send role or state: one of them at a time")
	}
	if in.Role != "" {
		return in.done(ctx, o, o.Keys.Logins.SetRole(ctx, in.ID, in.Role))
	}
	suspended, err := suspendedBy(in.State, "valid")
	if err == nil {
		err = o.Keys.Logins.Suspend(ctx, in.ID, suspended)
	}
	return in.done(ctx, o, err)
}

// Say tells what holds.
func (ChangePerson) Say(p keyring.Person) string {
	return fmt.Sprintf("%s is %s now (%s).", p.Name, p.Role, p.State)
}

// RemovePerson lets a person in no more.
type RemovePerson struct{ PersonID }

func (in RemovePerson) Do(ctx context.Context, o *operator.Operator) (keyring.Person, error) {
	return in.done(ctx, o, o.Keys.Logins.Remove(ctx, in.ID))
}

// Say tells that it is over.
func (RemovePerson) Say(p keyring.Person) string {
	return p.Name + " cannot come in any more, and is signed out everywhere."
}

// SignOutPerson ends all sessions of a person.
type SignOutPerson struct{ PersonID }

func (in SignOutPerson) Do(ctx context.Context, o *operator.Operator) (keyring.Person, error) {
	return in.done(ctx, o, o.Keys.Logins.SignOut(ctx, in.ID))
}

// Say tells what stays.
func (SignOutPerson) Say(p keyring.Person) string {
	return p.Name + " is signed out everywhere, and may log in again with the token."
}

// ListInvitations lists links.
type ListInvitations struct{ operator.Printed }

// Empty is what the command says where there are none.
func (ListInvitations) Empty() string { return "No link waits for somebody." }

// InvitationList is links that are good and unused.
type InvitationList struct {
	Invitations []keyring.Invitation `json:"invitations"`
}

func (ListInvitations) Do(ctx context.Context, o *operator.Operator) (out InvitationList, err error) {
	out.Invitations, err = o.Keys.Invitations(ctx)
	return out, err
}

// InvitePerson makes a link by which a person comes in.
type InvitePerson struct {
	Name string `json:"name" arg:"" help:"Whom the link is for. They can change the name when they come in."`
	Role string `json:"role" required:"" enum:"owner,operator,editor,viewer" help:"What they may do: everything as owner, the daily work as operator, questions and content as editor, nothing but looking as viewer."`
	Good string `json:"good" placeholder:"SPAN" help:"How long the link is good, such as 24h, up to 168h. Without it, 30 minutes."`
}

// MadeInvitation is a link that was made.
type MadeInvitation struct{ keyring.Invitation }

// Fresh says that it was made.
func (MadeInvitation) Fresh() bool { return true }

func (in InvitePerson) Do(ctx context.Context, o *operator.Operator) (out MadeInvitation, err error) {
	var good time.Duration
	if in.Good != "" {
		if good, err = time.ParseDuration(in.Good); err != nil || good <= 0 {
			return out, invalid("good: %.40q is no span; write it like 24h", in.Good)
		}
	}
	out.Invitation, err = o.Keys.Invite(ctx, in.Name, in.Role, good)
	return out, err
}

// Say is the link.
func (in InvitePerson) Say(out MadeInvitation) string { return out.Link }

// WithdrawInvitation makes a link worth nothing.
type WithdrawInvitation struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The invitation's id, as frontdesk console invitations shows it."`
}

func (in WithdrawInvitation) Do(ctx context.Context, o *operator.Operator) (InvitationList, error) {
	if err := o.Keys.Logins.Withdraw(ctx, in.ID); err != nil {
		return InvitationList{}, err
	}
	return ListInvitations{}.Do(ctx, o)
}

// Say tells that it is over.
func (WithdrawInvitation) Say(InvitationList) string { return "The link is worth nothing any more." }
