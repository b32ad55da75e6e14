package operator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/wire/ramp"
	"frontdesk/wire/strictjson"
)

// Requesters of RAMP (v1, enterprise sign-up) are who may ask for offers, with which keys.
const (
	requestersPath = "/admin/requesters"
	requesterPath  = requestersPath + "/{domain}/{id...}"
)

var requesterOperations = []Operation{
	Define[ListRequesters]("requesters", "GET", requestersPath, "List the requesters (RAMP v1)"),
	Define[AddRequester]("addRequester", "POST", requestersPath, "Put a requester in (RAMP v1, enterprise sign-up)"),
	Define[ShowRequester]("requester", "GET", requesterPath, "Read a requester"),
	Define[ChangeRequester]("changeRequester", "PATCH", requesterPath,
		"Change what is named of a requester, its state among it"),
	Define[RemoveRequester]("removeRequester", "DELETE", requesterPath, "Remove a requester"),
	Command[SuspendRequester](),
	Command[ResumeRequester](),
}

// Requester is a registration.
type Requester struct {
	RequesterID  string        `json:"requester_id" cli:"id" column:"2:ID"`
	Domain       string        `json:"domain" column:"1:DOMAIN"`
	Account      string        `json:"account" cli:"-"`
	SignUp       string        `json:"sign_up" column:"4:SIGN-UP"`
	State        string        `json:"state" column:"3:STATE"`
	Keys         requesterKeys `json:"keys" column:"5:KEYS"`
	Scopes       []string      `json:"granted_scopes" column:"6:SCOPES"`
	UserCategory string        `json:"user_category,omitempty" column:"7:USERS"`
	Country      string        `json:"country,omitempty" column:"8:COUNTRY"`
	Rate         string        `json:"rate,omitempty" column:"9:RATE"`
	Created      Instant       `json:"created" column:"a:CREATED"`
	Changed      Instant       `json:"changed"`
}

type requesterKeys []Key

// Cell counts the keys that the operator was given; without any, those count that the domain
// publishes.
func (k requesterKeys) Cell() string {
	if len(k) == 0 {
		return "published"
	}
	return fmt.Sprint(len(k))
}

func showRequester(g requesters.Registration) Requester {
	r := Requester{
		RequesterID: g.ID, Domain: g.Domain, Account: g.Account(), SignUp: g.SignUp, State: g.Status,
		Keys: showKeys(g.Keys), Scopes: append([]string{}, g.Scopes...), UserCategory: g.UserCategory,
		Country: g.Country, Rate: g.Rate, Created: Instant{g.Created}, Changed: Instant{g.Changed},
	}
	for i, name := range g.KeyNames() {
		r.Keys[i].Thumbprint = name
	}
	return r
}

// ListRequesters lists requesters by domain and id.
type ListRequesters struct {
	Domain string `query:"domain" placeholder:"DOMAIN" help:"Those of one domain alone."`
	Page
	Printed
}

// RequesterPage is a page of requesters.
type RequesterPage struct {
	Requesters []Requester `json:"requesters"`
	Next       string      `json:"next,omitempty"`
}

// Empty is what the command says where there are none.
func (ListRequesters) Empty() string {
	return "There are no requesters. Put one in with `frontdesk ramp requester add DOMAIN ID`, " +
		"or let them sign up by themselves."
}

func (in ListRequesters) Do(ctx context.Context, o *Operator) (page RequesterPage, err error) {
	all, err := o.Requesters.List(ctx, in.Domain)
	from, _ := slices.BinarySearchFunc(all, in.After, func(g requesters.Registration, after string) int {
		domain, id, _ := strings.Cut(after, "/")
		if cmp.Or(strings.Compare(g.Domain, domain), strings.Compare(g.ID, id)) > 0 {
			return 0
		}
		return -1
	})
	all, page.Next = part(in.Page, all[from:], requesters.Registration.Account)
	page.Requesters = each(all, showRequester)
	return page, err
}

// RequesterName names a requester.
type RequesterName struct {
	Domain string `json:"-" path:"domain" arg:"" help:"The requester's domain, such as agents.example.com."`
	ID     string `json:"-" path:"id" arg:"" name:"id" help:"What the domain calls it, or * for all of the domain that are not put in themselves."`
}

func (n RequesterName) setStatus(ctx context.Context, o *Operator, status string) (Requester, error) {
	g, err := o.Requesters.SetStatus(ctx, n.Domain, n.ID, status)
	return showRequester(g), err
}

// RequesterTerms are what holds for a requester. What is left out stays as it is.
type RequesterTerms struct {
	Key       []string  `json:"-" placeholder:"KEY" help:"An Ed25519 public key in base64 (32 bytes, or SubjectPublicKeyInfo), or @FILE with one or with a ramp-agent.json, or @- for standard input; may be repeated. Without one, the keys that the domain publishes count."`
	Scope     []string  `json:"-" placeholder:"SCOPE" help:"A scope that is granted, such as news:*; may be repeated."`
	Category  *string   `json:"user_category" placeholder:"WORD" help:"What its users are: commercial, non-commercial, education, government or personal."`
	Country   *string   `json:"country" placeholder:"CC" help:"Where its users are, such as FR."`
	Rate      *string   `json:"rate" placeholder:"RATE" help:"Its own limit, such as 20/1s, in place of ramp.requester_rate."`
	PublicKey *string   `json:"public_key" kong:"-"` // one Ed25519 key, in place of keys
	Keys      *[]Key    `json:"keys" kong:"-"`
	Scopes    *[]string `json:"granted_scopes" kong:"-"` // scopes that it holds
	State     *string   `json:"state" kong:"-" enum:"active,suspended"`
	// With is a subscription that it is put in with: as at /admin/subscriptions, or the id of one
	// that its whole domain has.
	With strictjson.Value `json:"subscription" kong:"-"`

	keys []ramp.Key // of Key
}

// ReadFiles reads the keys of the command line.
func (t *RequesterTerms) ReadFiles(files Files) (err error) {
	t.keys, err = keysIn(files, t.Key)
	return err
}

// keysIn reads keys of the command line.
func keysIn(files Files, texts []string) (keys []ramp.Key, err error) {
	for _, text := range texts {
		some, err := files.ReadKeys(text)
		if err != nil {
			return nil, &FieldError{"key", err.Error()}
		}
		keys = append(keys, some...)
	}
	if len(texts) > 0 && len(keys) == 0 {
		return nil, &FieldError{"key", "names a document without an Ed25519 key"}
	}
	return keys, nil
}

// Check refuses a rate that is none.
func (t RequesterTerms) Check() error {
	if t.Rate == nil {
		return nil
	}
	_, err := ratelimit.ParseRate(*t.Rate)
	return wrong("rate", err)
}

// apply takes over what is said.
func (t RequesterTerms) apply(g *requesters.Registration) (err error) {
	for _, text := range []struct{ from, into *string }{
		{t.Category, &g.UserCategory}, {t.Country, &g.Country}, {t.Rate, &g.Rate},
	} {
		if text.from != nil {
			*text.into = *text.from
		}
	}
	if t.Scopes != nil {
		g.Scopes = *t.Scopes
	}
	if len(t.Scope) > 0 {
		g.Scopes = t.Scope
	}
	switch {
	case len(t.keys) > 0:
		g.Keys = t.keys
	case t.PublicKey != nil && t.Keys != nil:
		return invalid("send public_key or keys, and not both")
	case t.PublicKey != nil:
		g.Keys, err = readKeys([]Key{{PublicKey: *t.PublicKey}})
	case t.Keys != nil:
		g.Keys, err = readKeys(*t.Keys)
	}
	return err
}

// AddRequester puts a requester in, or takes over one that signed up by itself.
type AddRequester struct {
	Domain string `json:"domain" arg:"" help:"The requester's domain, such as agents.example.com."`
	ID     string `json:"requester_id" arg:"" name:"id" help:"What the domain calls it, or * for all of the domain that are not put in themselves."`
	RequesterTerms
}

// AddedRequester is a requester with the subscription that it was put in with.
type AddedRequester struct {
	Requester
	Subscription *Grant `json:"subscription,omitempty"`
}

// Fresh says that it was made.
func (AddedRequester) Fresh() bool { return true }

// Example is of the command.
func (AddRequester) Example() string {
	return "A server that runs takes it within a second. What changes is written in the ledger.\n\n" +
		"Example:\n\n\tfrontdesk ramp requester add agents.example.com research-bot --scope news:* " +
		"--category education --country FR --rate 20/1s"
}

func (in AddRequester) Do(ctx context.Context, o *Operator) (out AddedRequester, err error) {
	g := requesters.Registration{Domain: in.Domain, ID: in.ID}
	if in.State != nil && *in.State != requesters.Active {
		return out, invalid("who is put in is active; change its state afterwards")
	}
	if err := in.apply(&g); err != nil {
		return out, err
	}
	var id string
	g, err = o.Requesters.AddWith(ctx, g, func(tx *store.Tx, g requesters.Registration) (err error) {
		id, err = o.subscribe(ctx, tx, g.Account(), in.With)
		return err
	})
	if err == nil && id != "" {
		var given Grant
		given, err = o.grant(ctx, id, accounts.GrantSubscription)
		out.Subscription = &given
	}
	out.Requester = showRequester(g)
	return out, err
}

// Say tells which keys count.
func (AddRequester) Say(out AddedRequester) string {
	keys := "the keys that its domain publishes at " + requesters.AgentPath
	if len(out.Keys) > 0 {
		keys = "the keys that you gave"
	}
	return fmt.Sprintf("The requester %s is in; %s count for it.", out.Account, keys)
}

// subscribe gives a buyer the subscription that it is put in with, and gives its id; empty for
// none. It is an object as it is posted for subscriptions, whose buyer is the requester where it
// names none; or the id of one that the requester has already, by its domain.
func (o *Operator) subscribe(
	ctx context.Context, tx *store.Tx, buyer string, value strictjson.Value,
) (id string, err error) {
	domain, _, _ := strings.Cut(buyer, "/")
	own := func(of string) bool { return of == buyer || of == domain+"/*" }
	switch value.Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		if err := strictjson.Decode(value, &id); err != nil {
			return "", err
		}
		s, err := o.Accounts.Subscription(ctx, tx, id)
		if err == nil && !own(s.Buyer) {
			err = invalid("subscription: %.60q is not one of this requester or of its whole domain; "+
				"send what it is to give, or that of %s/*", id, domain)
		}
		return id, err
	}
	var asked Grant
	if err := strictjson.Decode(value, &asked); err != nil {
		return "", fail.New(fail.Malformed, "subscription: %v; send an id, or what %s takes", err, subscriptionsPath)
	}
	if asked.Buyer = cmp.Or(asked.Buyer, buyer); !own(asked.Buyer) {
		return "", invalid("subscription: its buyer has to be this requester, or %s/*; leave it out", domain)
	}
	return asked.ID, o.give(ctx, tx, accounts.GrantSubscription, asked, o.moment())
}

// ShowRequester tells of a requester.
type ShowRequester struct{ RequesterName }

func (in ShowRequester) Do(ctx context.Context, o *Operator) (Requester, error) {
	g, err := o.Requesters.Get(ctx, in.Domain, in.ID)
	return showRequester(g), err
}

// ChangeRequester changes what holds for a requester.
type ChangeRequester struct {
	RequesterName
	RequesterTerms
	Published bool     `json:"-" help:"Let the keys count that the domain publishes, in place of those you gave."`
	No        []string `json:"-" enum:"scope,category,country,rate" placeholder:"WHAT" help:"Take back scope, category, country or rate; may be repeated."`
	// The name of a requester cannot be changed.
	NewDomain string `json:"domain" kong:"-"`
	NewID     string `json:"requester_id" kong:"-"`
}

// Example is of the command.
func (ChangeRequester) Example() string {
	return "What is not named stays as it is; scopes and keys that are named stand in place of those " +
		"before.\n\n" +
		"Example:\n\n\tfrontdesk ramp requester change agents.example.com research-bot " +
		"--scope news:* --scope sport:read --no rate"
}

// Check refuses what cannot be changed.
func (in ChangeRequester) Check() error {
	switch {
	case in.Published && len(in.Key) > 0:
		return invalid("--published and --key are each other's opposite")
	case len(in.With) > 0:
		return invalid("a requester that is there is given a subscription at %s", subscriptionsPath)
	case in.NewDomain != "" || in.NewID != "":
		return invalid("domain and requester_id are the name of a requester and cannot be changed; " +
			"put another in, and remove this one")
	}
	return in.RequesterTerms.Check()
}

func (in ChangeRequester) Do(ctx context.Context, o *Operator) (Requester, error) {
	g, err := o.Requesters.Change(ctx, in.Domain, in.ID, func(g *requesters.Registration) error {
		if in.State != nil {
			if g.Status = *in.State; g.Status == requesters.Removed {
				return invalid("send DELETE to remove a requester")
			}
		}
		if in.Published {
			g.Keys = nil
		}
		for _, what := range in.No {
			switch what {
			case "scope":
				g.Scopes = nil
			case "category":
				g.UserCategory = ""
			case "country":
				g.Country = ""
			case "rate":
				g.Rate = ""
			}
		}
		return in.apply(g)
	})
	return showRequester(g), err
}

// Say tells that it holds.
func (ChangeRequester) Say(out Requester) string {
	return "The requester " + out.Account + " is changed; servers that run know it within a second."
}

// SuspendRequester lets a requester in no longer, until it is resumed.
type SuspendRequester struct{ RequesterName }

func (in SuspendRequester) Do(ctx context.Context, o *Operator) (Requester, error) {
	return in.setStatus(ctx, o, requesters.Suspended)
}

// Say tells until when.
func (SuspendRequester) Say(out Requester) string {
	return "The requester " + out.Account + " is let in no longer until it is resumed; " +
		"servers that run know it within a second."
}

// ResumeRequester lets a requester in again.
type ResumeRequester struct{ RequesterName }

func (in ResumeRequester) Do(ctx context.Context, o *Operator) (Requester, error) {
	return in.setStatus(ctx, o, requesters.Active)
}

// Say tells that it may.
func (ResumeRequester) Say(out Requester) string {
	return "The requester " + out.Account + " is let in again; servers that run know it within a second."
}

// RemoveRequester removes a requester, who may sign up again.
type RemoveRequester struct{ RequesterName }

func (in RemoveRequester) Do(ctx context.Context, o *Operator) (Requester, error) {
	return in.setStatus(ctx, o, requesters.Removed)
}

// Say tells that it is gone.
func (RemoveRequester) Say(out Requester) string {
	return "The requester " + out.Account + " is removed; servers that run know it within a second."
}
