package operator

import (
	"context"
	"strings"

	"frontdesk/internal/identity/requesters"
	"frontdesk/wire/ramp"
)

// Callers are who may push into the catalogs of tenants, with which keys.
var callerOperations = []Operation{
	Define[ListCallers]("callers", "GET", callersPath, "List who may push into the catalogs of tenants"),
	Define[PutCaller]("putCaller", "POST", callersPath, "Put a caller in, or in the place of that with its id"),
	Define[ShowCaller]("caller", "GET", callerPath, "Read a caller"),
	Define[RevokeCaller]("revokeCaller", "DELETE", callerPath, "End the keys of a caller"),
}

// Caller is a caller.
type Caller struct {
	CallerID string   `json:"caller_id" column:"1:ID"`            // the keyid of its signatures
	Domain   string   `json:"domain,omitempty" column:"3:DOMAIN"` // whose it is, where it is not the tenant's own
	Tenants  []string `json:"tenants" column:"4:TENANTS"`         // for which it may push
	Keys     []Key    `json:"keys" column:"5:KEYS"`
	State    string   `json:"state,omitempty" column:"2:STATE"` // active or revoked
	Created  string   `json:"created,omitempty"`
	Changed  string   `json:"changed,omitempty"`
}

// Cells are what tables say of it beside its columns.
func (c Caller) Cells() [][2]string { return [][2]string{{"CREATED", minute(c.Created)}} }

func showCaller(c requesters.PushClient) Caller {
	return Caller{c.ID, c.Domain, c.Tenants, showKeys(c.Keys), c.State(), second(c.Created), second(c.Changed)}
}

// ListCallers lists the callers.
type ListCallers struct{}

// CallerList is all callers.
type CallerList struct {
	Callers []Caller `json:"callers"`
}

// Empty is what the command says where there are none.
func (ListCallers) Empty() string {
	return "There are no callers. Put one in with `frontdesk ramp caller add`."
}

func (ListCallers) Do(ctx context.Context, o *Operator) (list CallerList, err error) {
	if err := o.selling(); err != nil {
		return list, err
	}
	all, err := o.Callers.List(ctx)
	return CallerList{each(all, showCaller)}, err
}

// PutCaller puts a caller in, or in the place of that with its id.
type PutCaller struct {
	CallerID string   `json:"caller_id" arg:"" name:"id" help:"What it is called, such as acme-cms: it is the keyid of its signatures."`
	Tenants  []string `json:"tenants" name:"tenant" required:"" placeholder:"ID" help:"A tenant, or a site of the configuration, for which it may push; may be repeated."`
	Key      []string `json:"-" required:"" placeholder:"KEY" help:"Its Ed25519 public key in base64, or @FILE with one, which may be PEM, or @- for standard input; may be repeated."`
	Domain   string   `json:"domain" placeholder:"HOST" help:"Whose it is, where it is not the tenant's own: providers have to name it in the catalog_contributors of their ramp.json."`
	Keys     []Key    `json:"keys" required:"" kong:"-"`
	State    string   `json:"state" kong:"-"`   // told alone
	Created  string   `json:"created" kong:"-"` // told alone
	Changed  string   `json:"changed" kong:"-"` // told alone

	keys []ramp.Key // of Key
}

// PutInCaller is a caller that was put in.
type PutInCaller struct {
	Caller
	fresh bool
}

// Fresh says whether there was none of its id.
func (c PutInCaller) Fresh() bool { return c.fresh }

// Example is of the command.
func (PutCaller) Example() string {
	return "Servers that run take it within a second. What was said before and is not named now is no more.\n\n" +
		"Examples:\n\n\tfrontdesk ramp caller add acme-cms --tenant acme --key @acme-pub.pem\n" +
		"\tfrontdesk ramp caller add verifier --tenant acme --domain verifier.example.com --key " +
		"MCowBQYDK2VwAyEA..."
}

// ReadFiles reads the keys of the command line.
func (in *PutCaller) ReadFiles(files Files) (err error) {
	in.keys, err = keysIn(files, in.Key)
	return err
}

func (in PutCaller) Do(ctx context.Context, o *Operator) (out PutInCaller, err error) {
	if err := o.selling(); err != nil {
		return out, err
	}
	one := requesters.PushClient{ID: in.CallerID, Domain: in.Domain, Keys: in.keys}
	if in.State != "" || in.Created != "" || in.Changed != "" {
		return out, invalid("state, created and changed are told here, and cannot be said; leave them out")
	}
	if one.Keys == nil {
		if one.Keys, err = readKeys(in.Keys); err != nil {
			return out, err
		}
	}
	for i, name := range in.Tenants {
		id, ok := o.Known(name)
		if !ok {
			return out, invalid("tenants[%d]: there is no tenant %.80s; GET %s lists those there are",
				i, name, tenantsPath)
		}
		one.Tenants = append(one.Tenants, id)
	}
	if out.fresh, err = o.Callers.Put(ctx, one); err != nil {
		return out, err
	}
	one, err = o.Callers.Get(ctx, one.ID)
	out.Caller = showCaller(one)
	return out, err
}

// Say tells for whom it may push.
func (PutCaller) Say(out PutInCaller) string {
	return "The caller " + out.CallerID + " may push for " + strings.Join(out.Tenants, ", ") + "."
}

// CallerID names a caller.
type CallerID struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The caller."`
}

// ShowCaller tells of a caller.
type ShowCaller struct{ CallerID }

func (in ShowCaller) Do(ctx context.Context, o *Operator) (Caller, error) {
	one, err := o.Callers.Get(ctx, in.ID)
	return showCaller(one), err
}

// RevokeCaller ends the keys of a caller.
type RevokeCaller struct{ CallerID }

func (in RevokeCaller) Do(ctx context.Context, o *Operator) (Caller, error) {
	if err := o.selling(); err != nil {
		return Caller{}, err
	}
	one, err := o.Callers.Revoke(ctx, in.ID)
	return showCaller(one), err
}

// Say tells what stays.
func (in RevokeCaller) Say(Caller) string {
	return "The caller " + in.ID + " is revoked; what it pushed stays."
}
