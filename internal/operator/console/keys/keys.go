// Package keys are the pages of the owner's console on keys of every kind, and on the people who
// come in to it. What they show and do are operations of package access.
package keys

import (
	"cmp"
	"context"
	"embed"
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

//go:embed *.html
var embedded embed.FS

//go:embed words.txt
var words string

// Pages are the pages of this package.
func Pages(o *operator.Operator) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, o}
		return frame.Pages{
			Templates: embedded, Words: words,
			Finders: []frame.Finder{{Path: "keys", All: "keys?state=all&q=", Find: p.find}},
			Rows: slices.Concat(f.List("keys", "keys", p.list), f.List("keys/people", "people", p.people), []frame.Page{
				{Pattern: "GET keys/new", Right: identity.Operate, Serve: f.Draw("key-new", p.form)},
				{Pattern: "POST keys/new", Right: identity.Operate, Serve: p.issue},
				{Pattern: "GET keys/{kind}/{id...}", Right: identity.See, Serve: f.Draw("key", p.one)},
				{Pattern: "POST keys/{kind}/{id...}", Right: identity.Operate, Serve: p.change},
				{Pattern: "POST keys/people", Right: identity.Own, Serve: p.invite},
				{Pattern: "GET keys/people/{id}", Right: identity.See, Serve: f.Draw("person", p.person)},
				{Pattern: "POST keys/people/{id}", Right: identity.Own, Serve: f.Act(p.changePerson)},
				{Pattern: "POST keys/people/invitations/{id}", Right: identity.Own, Serve: f.Act(p.withdraw)},
			}),
		}
	}
}

type pages struct {
	*frame.Frame
	operator *operator.Operator
}

// Option is what can be chosen in a form.
type Option struct {
	Name, Text string
	Here       bool
}

// List is what the page with all keys shows.
type List struct {
	Search   string
	Kinds    []Option
	States   []Option
	Filtered bool
	Rows     []Row
	More     int // keys that fit and are not shown
	None     bool

	over *frame.Range
}

// Row is a key of a list.
type Row struct {
	keyring.Key
	Href      string // of its page, below the console's
	Title     string
	KindText  string
	StateText string
	For       string    // the protocols
	Soon      bool      // it ends within two weeks
	Used      time.Time // of the day of its last use, at noon; zero for never
	Signs     bool      // nobody sends it: it signs, and no use of it is kept
}

// maxRows is how many keys a page shows.
const maxRows = 200

// soon is how long before it ends a key is marked.
const soon = 14 * 24 * time.Hour

// pathOf is the page of a key.
func pathOf(k keyring.Key) string {
	if k.Kind == keyring.Console {
		return personPath(k.ID)
	}
	parts := strings.Split(k.ID, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return "keys/" + k.Kind + "/" + strings.Join(parts, "/")
}

// protocolNames are what protocols are called, whatever the language.
var protocolNames = map[string]string{
	"nlweb": "NLWeb", "mcp": "MCP", "intake": "Agent Intake", "intent": "Agentic Intent", "ramp": "RAMP",
	"web-bot-auth": "Web Bot Auth",
}

// stateWords are the keys of the words for states, by the states of registries.
var stateWords = map[string]string{
	"valid": "keys.is_good", "active": "keys.is_good", "suspended": "keys.is_suspended", "revoked": "keys.is_revoked",
	"expired": "keys.is_expired", "retired": "keys.is_expired", "not yet valid": "keys.is_early",
	"waiting": "keys.is_waiting", "signing": "keys.is_signing", "overlapping": "keys.is_overlapping",
}

func (p *pages) row(v *frame.Visit, k keyring.Key) Row {
	r := Row{Key: k, Href: pathOf(k), KindText: v.Say("keys.kind_" + k.Kind), StateText: v.Say(stateWords[k.State])}
	r.Title = cmp.Or(k.Holder(), v.Say("keys.this_desk"))
	var names []string
	for _, name := range k.Protocols {
		if known := protocolNames[name]; known != "" {
			name = known
		} else {
			name = v.Say("keys.protocol_" + name)
		}
		names = append(names, name)
	}
	r.For = strings.Join(names, ", ")
	r.Soon = k.Current() && k.Ends != nil && k.Ends.Before(p.Now().Add(soon))
	if !v.May(identity.Operate) {
		r.From = ""
	}
	signs := []string{keyring.Delivery, keyring.Site, keyring.Agent, keyring.Verifier, keyring.Bot}
	r.Used, r.Signs = noon(k.LastUsed), slices.Contains(signs, k.Kind)
	return r
}

// noon is a time of a day that is the same day nearly everywhere; zero for no day.
func noon(day string) time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}
	}
	return t.Add(12 * time.Hour)
}

// asking is what the address of the list says. Keys that are over are shown where it says so.
func asking(r *http.Request) access.ListKeys {
	q := r.URL.Query()
	in := access.ListKeys{Kind: q.Get("kind"), State: q.Get("state"), Search: strings.TrimSpace(q.Get("q"))}
	switch in.State {
	case "all":
		in.State = ""
	case keyring.Ended:
	default:
		in.State = keyring.Current
	}
	return in
}

// read gives the keys that an address asks for, without people, who have a list of their own.
func (p *pages) read(ctx context.Context, in access.ListKeys) ([]keyring.Key, error) {
	all, err := in.Do(ctx, p.operator)
	return slices.DeleteFunc(all.Keys, func(k keyring.Key) bool { return k.Kind == keyring.Console }), err
}

// list reads the list.
func (p *pages) list(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	in := asking(r)
	all, err := p.read(ctx, access.ListKeys{})
	if err != nil {
		return "", nil, err
	}
	body := List{Search: in.Search, Filtered: in.Search != "" || in.Kind != "" || in.State != keyring.Current}
	body.Kinds = []Option{{Name: "", Text: v.Say("keys.every_kind")}}
	for _, kind := range keyring.Kinds() {
		if slices.ContainsFunc(all, func(k keyring.Key) bool { return k.Kind == kind }) {
			body.Kinds = append(body.Kinds, Option{kind, v.Say("keys.kind_" + kind), kind == in.Kind})
		}
	}
	body.States = states(v, "keys.show_", in.State)
	body.None = !slices.ContainsFunc(all, func(k keyring.Key) bool {
		return k.Right() != identity.Own || len(k.Doors) > 0 // another's
	})
	found, err := p.read(ctx, in)
	if err != nil {
		return "", nil, err
	}
	found, body.over = frame.Sift(r, p.Now(), found, func(k keyring.Key) time.Time { return k.Created }, nil)
	body.Filtered = body.Filtered || body.over.Days > 0
	body.More = max(0, len(found)-frame.PerPage(ctx, maxRows, len(found)))
	for _, k := range found[:len(found)-body.More] {
		body.Rows = append(body.Rows, p.row(v, k))
	}
	return v.Say("keys.title"), body, nil
}

// states are those that can be chosen, and the one that is: of the words that begin with a key.
func states(v *frame.Visit, key, chosen string) (all []Option) {
	for _, state := range []string{keyring.Current, keyring.Ended, "all"} {
		here := state == chosen || state == "all" && chosen == ""
		all = append(all, Option{state, v.Say(key + state), here})
	}
	return all
}

// Table is the list as a file.
func (l List) Table() frame.Table {
	columns := "kind id holder protocols doors roles sites state created ends last_used from"
	t := frame.TableOf(columns, l.Rows, func(k Row) []any {
		return []any{
			k.Kind, k.ID, k.Holder(), k.Protocols, k.Doors, k.Roles, k.Sites, k.State, day(&k.Created), day(k.Ends),
			k.LastUsed, k.From,
		}
	}).Goes("", l.over)
	t.Finds = true
	return t
}

// day is a day in a file; empty for none.
func day(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// find finds keys and people by their ids and names. Buyers are found where they are registered.
func (p *pages) find(ctx context.Context, text string) (found []frame.Found, err error) {
	all, err := access.ListKeys{Search: text}.Do(ctx, p.operator)
	for _, k := range all.Keys {
		if k.Kind == keyring.Requester {
			continue
		}
		found = append(found, frame.Found{
			Text: cmp.Or(k.Holder(), k.ID), Note: k.ID, Path: pathOf(k),
			Exact: k.ID == text || strings.EqualFold(k.Holder(), text),
		})
		if len(found) > frame.MaxFound {
			break
		}
	}
	return found, err
}

// One is what the page of a key shows.
type One struct {
	Row
	Why      string // why nothing else can be done with it
	May      bool   // the visitor may change it
	Overlaps []Option
}

// overlaps are for how long an old key can stay good beside the one that follows it.
var overlaps = []struct{ span, word string }{
	{"0s", "keys.overlap_none"}, {"1h", "keys.overlap_hour"}, {"24h", "keys.overlap_day"},
	{"168h", "keys.overlap_week"}, {"720h", "keys.overlap_month"},
}

// named is the key that the address of a request names. The token of a person leads to the person.
func (p *pages) named(r *http.Request) (keyring.Key, error) {
	k, err := access.ShowKey{KeyName: access.KeyName{Kind: r.PathValue("kind"), ID: r.PathValue("id")}}.
		Do(r.Context(), p.operator)
	if err == nil && k.Kind == keyring.Console {
		err = frame.Elsewhere(personPath(k.ID))
	}
	return k, err
}

func (p *pages) one(_ context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	k, err := p.named(r)
	if err != nil {
		return "", nil, err
	}
	body := One{Row: p.row(v, k), May: v.May(k.Right()), Why: v.Say("keys.why_" + k.Kind)}
	for _, o := range overlaps {
		body.Overlaps = append(body.Overlaps, Option{o.span, v.Say(o.word), o.span == "168h"})
	}
	return body.Title, body, nil
}

// may refuses what only an owner does.
func may(v *frame.Visit, right identity.Right) error {
	if v.May(right) {
		return nil
	}
	return frame.Fail(fail.Forbidden, "keys.owner_alone")
}

// change rolls, suspends, resumes or revokes a key.
func (p *pages) change(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	k, err := p.named(r)
	if err != nil {
		return err
	}
	if err := may(v, k.Right()); err != nil {
		return err
	}
	ctx, name := operator.WithActor(r.Context(), v.Actor()), access.KeyName{Kind: k.Kind, ID: k.ID}
	switch do := r.PostForm.Get("do"); do {
	case keyring.Roll:
		made, err := access.RollKey{KeyName: name, Overlap: r.PostForm.Get("overlap")}.Do(ctx, p.operator)
		if err != nil {
			return err
		}
		p.Note(r, v.In, "rolled the key "+k.ID)
		return p.made(w, r, v, made.Key, k.ID)
	case keyring.Suspend:
		_, err = access.ChangeKey{KeyName: name, State: "suspended"}.Do(ctx, p.operator)
	case keyring.Resume:
		_, err = access.ChangeKey{KeyName: name, State: "active"}.Do(ctx, p.operator)
	case keyring.Revoke:
		_, err = access.RevokeKey{KeyName: name}.Do(ctx, p.operator)
	default:
		err = frame.Fail(fail.Invalid, "keys.unknown_deed")
	}
	if err != nil {
		return err
	}
	p.Note(r, v.In, r.PostForm.Get("do")+" the key "+k.ID)
	if k.Kind == keyring.Requester && r.PostForm.Get("do") == keyring.Revoke { // it is gone
		return frame.Elsewhere("keys")
	}
	return frame.Elsewhere(pathOf(k))
}

// Made is what the page shows on which a secret is told.
type Made struct {
	Row
	Old   string // the id of the key that it follows; empty for none
	Usage string // what to do with the secret
}

// made shows a key that was made just now, with its secret. Keys with which this front desk signs
// have none that leaves it.
func (p *pages) made(w http.ResponseWriter, r *http.Request, v *frame.Visit, k keyring.Key, old string) error {
	if k.Secret == "" {
		return frame.Elsewhere(pathOf(k))
	}
	body := Made{Row: p.row(v, k), Old: old, Usage: v.Say("keys.usage_" + k.Kind)}
	sheet := v.Sheet(v.Say("keys.made"), "key-made", body)
	sheet.Script = "copy.js"
	p.Show(w, r, http.StatusOK, sheet)
	return nil
}
