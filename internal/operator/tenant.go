package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// Tenants are providers for whom an Exchange sells beside the sites that it serves (RAMP v1,
// CatalogService).
const (
	tenantsPath    = "/admin/tenants"
	tenantPath     = tenantsPath + "/{id}"
	rejectionsPath = tenantPath + "/rejections"
	callersPath    = "/admin/callers"
	callerPath     = callersPath + "/{id}"
)

var tenantOperations = []Operation{
	Define[ListTenants]("tenants", "GET", tenantsPath, "List the providers for whom is sold beside the sites"),
	Define[PutTenant]("putTenant", "POST", tenantsPath, "Put a tenant in, or in the place of that with its id"),
	Define[ShowTenant]("tenant", "GET", tenantPath, "Read a tenant"),
	Define[RemoveTenant]("removeTenant", "DELETE", tenantPath, "Remove a tenant: nothing of it is sold any more"),
	Define[ListRejections]("rejections", "GET", rejectionsPath,
		"List the entries of a tenant that were refused last, and why (RAMP v1, PushResources)"),
	Command[Onboard](),
}

// Tenant is a tenant as a request has it, and as it is told.
type Tenant struct {
	TenantID string   `json:"tenant_id" required:"" column:"1:ID"` // small letters, digits and dashes
	Name     string   `json:"name,omitempty" column:"2:NAME"`      // what people call it
	Domains  []string `json:"domains" required:""`                 // each is one tenant's alone
	// Resources are how the URIs begin of what it sells that is no page of the web, such as duns:.
	// No two tenants have URIs in common.
	Resources  []string         `json:"resources,omitempty"`
	Price      policy.Price     `json:"price,omitzero"`
	Function   policy.Functions `json:"functions,omitzero"`
	Scopes     []string         `json:"scopes,omitempty"` // of which a requester must have one
	Reporting  Reporting        `json:"reporting,omitzero"`
	Blocked    bool             `json:"blocked,omitempty"`    // nothing of it is sold
	Mutability string           `json:"mutability,omitempty"` // static, dynamic or live
	Delivery   push.Delivery    `json:"delivery,omitzero"`
	Created    string           `json:"created,omitempty"` // told alone
	Changed    string           `json:"changed,omitempty"` // told alone
}

// Reporting is within which a use must be reported.
type Reporting struct {
	Window string `json:"window"` // a span, such as 24h
}

func (r Reporting) window() (time.Duration, error) {
	if r.Window == "" {
		return 0, nil
	}
	window, err := time.ParseDuration(r.Window)
	if err != nil {
		err = invalid("reporting.window: %.40q is no span; write it like 24h", r.Window)
	}
	return window, err
}

// Cells are what tables say of it beside its columns.
func (t Tenant) Cells() [][2]string {
	price, _ := t.Price.Money()
	told := ""
	if price != (policy.Money{}) {
		told = price.String()
	}
	return [][2]string{
		{"DOMAINS", strings.Join(slices.Concat(t.Domains, t.Resources), ",")}, {"PRICE", told},
		{"DELIVERED AT", t.Delivery.At}, {"FORM", t.Delivery.Form}, {"CREATED", minute(t.Created)},
	}
}

func showTenant(t *push.Tenant) Tenant {
	out := Tenant{
		TenantID: t.ID, Name: t.Name, Domains: t.Domains, Resources: t.Resources, Price: t.Rule.Price,
		Function: t.Rule.Functions, Scopes: t.Rule.Scopes, Blocked: t.Rule.Access == policy.Blocked,
		Mutability: t.Mutability, Delivery: t.Delivery,
		Created: t.Created.Format(time.RFC3339Nano), Changed: t.Changed.Format(time.RFC3339Nano),
	}
	if t.Window > 0 {
		out.Reporting.Window = t.Window.String()
	}
	return out
}

// ListTenants lists the tenants.
type ListTenants struct{}

// TenantList is all tenants.
type TenantList struct {
	Tenants []Tenant `json:"tenants"`
}

// Empty is what the command says where there are none.
func (ListTenants) Empty() string {
	return "There are no tenants. Put one in with `frontdesk ramp tenant add`; " +
		"the sites of the configuration need none."
}

func (ListTenants) Do(ctx context.Context, o *Operator) (list TenantList, err error) {
	if err := o.selling(); err != nil {
		return list, err
	}
	_, err = o.Tenants.Refresh(ctx)
	return TenantList{each(o.Tenants.List(), showTenant)}, err
}

// PutTenant puts a tenant in, or in the place of that with its id.
type PutTenant struct{ Tenant }

// PutInTenant is a tenant that was put in.
type PutInTenant struct {
	Tenant
	fresh bool
}

// Fresh says whether there was none of its id.
func (t PutInTenant) Fresh() bool { return t.fresh }

func (in PutTenant) Do(ctx context.Context, o *Operator) (PutInTenant, error) {
	t := push.Tenant{
		ID: in.TenantID, Name: in.Name, Domains: in.Domains, Resources: in.Resources, Mutability: in.Mutability,
		Delivery: in.Delivery,
		Rule:     policy.Rule{Access: policy.Licensed, Price: in.Price, Functions: in.Function, Scopes: in.Scopes},
	}
	if in.Blocked {
		t.Rule.Access = policy.Blocked
	}
	var err error
	if t.Rule.Reporting.Window, err = in.Reporting.window(); err != nil {
		return PutInTenant{}, err
	}
	if in.Created != "" || in.Changed != "" {
		return PutInTenant{}, invalid("when a tenant was put in is told here, and cannot be said; leave " +
			"out created and changed")
	}
	put, fresh, err := o.Tenants.Put(ctx, t)
	if err != nil {
		return PutInTenant{}, err
	}
	return PutInTenant{showTenant(put), fresh}, nil
}

// TenantID names a tenant.
type TenantID struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The tenant."`
}

// ShowTenant tells of a tenant.
type ShowTenant struct{ TenantID }

func noTenant(id string) error {
	return fail.New(fail.NotFound, "there is no tenant %.80s; GET %s lists those there are", id, tenantsPath)
}

func (in ShowTenant) Do(_ context.Context, o *Operator) (Tenant, error) {
	if t := o.Tenants.Get(in.ID); t != nil {
		return showTenant(t), nil
	}
	return Tenant{}, noTenant(in.ID)
}

// Removed names what was removed.
type Removed struct {
	Removed string `json:"removed"`
}

// RemoveTenant removes a tenant.
type RemoveTenant struct{ TenantID }

func (in RemoveTenant) Do(ctx context.Context, o *Operator) (Removed, error) {
	if err := o.selling(); err != nil {
		return Removed{}, err
	}
	return Removed{in.ID}, o.Tenants.Remove(ctx, in.ID)
}

// Say tells what becomes of it.
func (in RemoveTenant) Say(Removed) string {
	return "The tenant " + in.ID + " is removed. " +
		"What was pushed for it is deleted within hours, and its id is not used again."
}

// ListRejections lists the entries that were refused last, the last first.
type ListRejections struct {
	ID    string `path:"id" arg:"" name:"id" help:"The tenant, or a site of the configuration."`
	Limit int    `query:"limit" most:"1000" usual:"100" default:"50" help:"How many at most, up to 1000."`
}

// Check holds the limit of the command line.
func (in ListRejections) Check() error { return limited(in.Limit) }

func limited(limit int) error {
	if limit < 1 || limit > 1000 {
		return invalid("--limit has to be from 1 to 1000")
	}
	return nil
}

// RejectionList is entries that were refused.
type RejectionList struct {
	Rejections []Rejection `json:"rejections"`
}

// Rejection is an entry that was refused.
type Rejection struct {
	Time    string `json:"time" column:"1:TIME"`        // when it was pushed
	Caller  string `json:"caller_id" column:"2:CALLER"` // by whom
	Address string `json:"address" column:"4:ADDRESS"`  // its domain and path
	Reason  string `json:"reason" column:"3:REASON"`    // one word, such as UNKNOWN_VERIFIER
	Detail  string `json:"detail" column:"5:DETAIL"`    // a sentence
}

// Empty is what the command says where there are none.
func (ListRejections) Empty() string { return "Nothing was refused." }

func (in ListRejections) Do(ctx context.Context, o *Operator) (list RejectionList, err error) {
	if err := o.selling(); err != nil {
		return list, err
	}
	id, ok := o.Known(in.ID)
	if !ok {
		return list, noTenant(in.ID)
	}
	all, err := o.Shelves.Refused(ctx, id, in.Limit)
	list.Rejections = each(all, func(r push.Rejection) Rejection {
		return Rejection{r.At.Format(time.RFC3339Nano), r.Caller, r.Address, r.Reason, r.Detail}
	})
	return list, err
}

// OnboardDelivery is who delivers for a tenant, and how addresses are signed there.
type OnboardDelivery struct {
	At         string `placeholder:"URL" help:"Who delivers: scheme and host, such as https://cdn.acme.example." form:"at" label:"delivers" input:"url" example:"https://cdn.acme.example"`
	Form       string `placeholder:"FORM" help:"How addresses are signed there: hmac, cloudfront, akamai, fastly or ed25519." form:"cdn" label:"signed_as" choices:"hmac|cloudfront|akamai|fastly|ed25519"`
	Agent      string `enum:",requester,license" default:"" help:"What addresses are bound to there: requester (without it, too), who bought; or license, the licence that the buyer names and whoever fetches shows." form:"agent" label:"open_for" choices:"|license"`
	KeyPairID  string `name:"key-pair-id" placeholder:"ID" help:"For cloudfront: the id that CloudFront gave the public key."`
	SecretFile string `placeholder:"FILE" help:"Take the secret that signs addresses from a file, or from standard input with -, instead of making one."`
	Encoding   string `enum:",text,base64,hex" default:"" help:"How it is written in the file: text, base64 or hex."`

	secret []byte // of SecretFile
}

// Onboard puts a tenant in with a caller who may push for it, and a key that signs its addresses,
// or changes it. A caller that is there already is given the tenant by PutCaller: it is not taken
// over here.
type Onboard struct {
	ID         string        `arg:"" name:"id" help:"What it is called, such as acme: small letters, digits and dashes." form:"id" label:"tenant_id" max:"63" example:"acme"`
	Domain     []string      `required:"" placeholder:"HOST" help:"A domain of it, such as www.acme.example; may be repeated." form:"domains" label:"domains" example:"www.acme.example"`
	Resource   []string      `placeholder:"URI" help:"How the URIs begin of what it sells that is no web page, such as duns: or urn:acme:; may be repeated."`
	Name       string        `placeholder:"TEXT" help:"What people call it." form:"name" label:"name" max:"200"`
	Price      string        `placeholder:"AMOUNT" help:"What its content costs, such as 0.02." form:"rate" label:"rate" input:"decimal" example:"0.02"`
	Model      string        `default:"per_access" placeholder:"MODEL" help:"For what that is: per_access, per_token, per_fetch, free and so on, as in the terms." form:"model" label:"model" choices:"per_access|per_token|per_fetch|free|"`
	Currency   string        `placeholder:"CODE" help:"Such as USD." form:"currency" label:"currency" input:"currency"`
	Permit     []string      `placeholder:"FUNCTION" help:"The only uses that are allowed, such as ai-input; may be repeated."`
	Prohibit   []string      `placeholder:"FUNCTION" help:"A use that is not allowed, such as ai-train; may be repeated."`
	Report     time.Duration `placeholder:"SPAN" help:"Within which a use must be reported, such as 24h."`
	Mutability string        `placeholder:"WORD" help:"static, dynamic or live. Without it, static where an entry has a hash."`
	OnboardDelivery
	Caller string   `placeholder:"ID" help:"A caller who may push for it; its key is --key. One that is there already is given the tenant by frontdesk ramp caller add." form:"caller" label:"caller" max:"128" example:"acme-cms"`
	Key    []string `placeholder:"KEY" help:"The caller's Ed25519 public key, as frontdesk ramp caller add takes it; may be repeated." form:"key" label:"key" input:"key" max:"500"`
	// New refuses to change a tenant that is there.
	New bool `kong:"-"`

	caller requesters.PushClient
}

// Example is of the command.
func (Onboard) Example() string {
	return "What was said before and is not named now is no more; the keys that sign addresses stay. " +
		"Servers that run take it " +
		"within two seconds. Standard output has the secret that signs addresses, if one is made, for " +
		"whoever delivers.\n\n" +
		"Example:\n\n\tfrontdesk ramp tenant add acme --domain www.acme.example --price 0.02 --currency " +
		"USD --form hmac " +
		"--at https://cdn.acme.example --caller acme-cms --key @acme-pub.pem"
}

// Check refuses half of what belongs together.
func (in *Onboard) Check() error {
	switch {
	case (in.Caller == "") != (len(in.Key) == 0):
		return invalid("--caller and --key belong together")
	case (in.At == "") != (in.Form == ""):
		return invalid("--at and --form belong together")
	case in.Agent != "" && in.At == "":
		return invalid("--agent says what addresses at --at are bound to; name that, too")
	}
	return nil
}

// ReadFiles reads the caller's key, and the secret.
func (in *Onboard) ReadFiles(files Files) (err error) {
	if in.caller.Keys, err = keysIn(files, in.Key); err == nil && in.SecretFile != "" {
		in.secret, err = files.ReadFile(in.SecretFile)
	}
	return err
}

// Onboarded is a tenant that was put in, and the secret that signs its addresses where one was
// made.
type Onboarded struct {
	Tenant *push.Tenant
	Secret string
	Notes  []string
}

func (in Onboard) Do(ctx context.Context, o *Operator) (out Onboarded, err error) {
	if err := o.selling(); err != nil {
		return out, err
	}
	if in.New && o.Tenants.Get(in.ID) != nil {
		return out, invalid("There is a tenant of this id; choose another, or change it by frontdesk ramp " +
			"tenant add.")
	}
	t := push.Tenant{
		ID: in.ID, Name: in.Name, Domains: in.Domain, Resources: in.Resource, Mutability: in.Mutability,
		Delivery: push.Delivery{At: in.At, Form: in.Form, Agent: in.Agent},
		Rule: policy.Rule{
			Access: policy.Licensed, Functions: policy.Functions{Permit: in.Permit, Prohibit: in.Prohibit},
			Reporting: policy.Reporting{Window: in.Report},
		},
	}
	if in.Price != "" || in.Model == "free" {
		t.Rule.Price = policy.Price{Model: in.Model, Rate: in.Price, Currency: in.Currency}
	}
	one := in.caller
	one.ID, one.Tenants = in.Caller, []string{in.ID}
	if in.Caller != "" {
		before, err := o.Callers.Get(ctx, in.Caller)
		switch {
		case err == nil && before.Domain == "" && slices.Equal(before.Tenants, one.Tenants): // it is put in again
		case fail.From(err).Code != fail.NotFound || err == nil:
			return out, invalid("there is a caller %.80s; choose another, or give it the tenant by "+
				"`frontdesk ramp caller add`", in.Caller)
		}
	}
	put, fresh, err := o.Tenants.Put(ctx, t)
	if err != nil {
		return out, err
	}
	word := "changed"
	if fresh {
		word = "in"
	}
	out.Tenant = put
	out.Notes = append(out.Notes,
		fmt.Sprintf("The tenant %s is %s, with %s.", put.ID, word, strings.Join(put.Domains, ", ")))
	if in.Caller != "" {
		if _, err := o.Callers.Put(ctx, one); err != nil {
			return out, err
		}
		out.Notes = append(out.Notes, "The caller "+in.Caller+" may push for it.")
	}
	return out, in.signing(ctx, o, &out)
}

// signing gives a tenant a key that signs its addresses, if it has none.
func (in Onboard) signing(ctx context.Context, o *Operator, out *Onboarded) error {
	form, place := sign.URLForm(in.Form), out.Tenant.Place()
	if form == "" || form == sign.URLEd25519 {
		return nil
	}
	keys, err := o.Deliveries.Keys(ctx, place)
	if err != nil || in.SecretFile == "" &&
		slices.ContainsFunc(keys, func(k sign.URLKey) bool { return k.Form == form }) {
		return err
	}
	var secret []byte
	if in.SecretFile != "" {
		if secret, err = identity.ParseDeliverySecret(form, in.secret, in.Encoding); err != nil {
			return err
		}
	}
	made, shown, err := o.Deliveries.Issue(ctx, place, form, in.KeyPairID, secret)
	if err != nil {
		return err
	}
	out.Secret = shown
	if form == sign.URLCloudFront && in.KeyPairID == "" { // whose key waits for the id that CloudFront gives it
		out.Notes = append(out.Notes, fmt.Sprintf(
			"Give CloudFront this public key, and then run `frontdesk keys activate %s --key-pair-id ID`.", made.ID))
		return nil
	}
	if _, err := o.Deliveries.Activate(ctx, made.ID, "", identity.DeliveryKeyGrace); err != nil {
		return err
	}
	out.Notes = append(out.Notes, "The key "+made.ID+" signs its addresses from now on.")
	if shown != "" {
		out.Notes = append(out.Notes, "Its secret is shown this once; whoever delivers needs it:")
	}
	return nil
}

// Fresh says that it may be put in where there is nothing yet.
func (Onboarded) Fresh() bool { return true }

// Note tells what was done beside the secret.
func (out Onboarded) Note() []string { return out.Notes }

// Say is the secret.
func (Onboard) Say(out Onboarded) string { return out.Secret }
