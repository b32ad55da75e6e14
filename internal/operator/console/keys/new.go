package keys

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/access"
	"frontdesk/internal/operator/console/frame"
)

// Form is what the page shows on which a key is made.
type Form struct {
	Kind  string // api, platform or edge
	Kinds []Option
	Doors []Option
	Roles []Option
	Sites []Option
	Name  string
	Rate  string
	Ends  string
}

// form asks for what a key of a kind needs.
func (p *pages) form(_ context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	return v.Say("keys.issue"), p.blank(v, r.URL.Query().Get("kind")), nil
}

func (p *pages) blank(v *frame.Visit, kind string) Form {
	f := Form{Kind: kind}
	if !slices.Contains(keyring.Issued, kind) {
		f.Kind = keyring.API
	}
	for _, kind := range keyring.Issued {
		f.Kinds = append(f.Kinds, Option{kind, v.Say("keys.kind_" + kind), kind == f.Kind})
	}
	for _, door := range p.operator.Keys.Doors {
		if (keyring.Key{Doors: []string{door}}).Right() == identity.Own && !v.May(identity.Own) {
			continue
		}
		f.Doors = append(f.Doors, Option{Name: door, Text: v.Say("keys.door_" + door)})
	}
	for _, role := range identity.Roles {
		f.Roles = append(f.Roles, Option{role, v.Say("keys.role_" + role), true})
	}
	for _, site := range p.operator.Keys.Sites() {
		f.Sites = append(f.Sites, Option{site, site, true})
	}
	return f
}

// issue makes a key, and tells its secret this once.
func (p *pages) issue(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	in := access.IssueKey{
		Kind: r.PostForm.Get("kind"), Name: strings.TrimSpace(r.PostForm.Get("name")), Doors: r.PostForm["door"],
		Roles: r.PostForm["role"], Sites: r.PostForm["site"], Rate: strings.TrimSpace(r.PostForm.Get("rate")),
		Ends: r.PostForm.Get("ends"),
	}
	if err := may(v, keyring.Key{Kind: in.Kind, Doors: in.Doors}.Right()); err != nil {
		return err
	}
	made, err := in.Do(operator.WithActor(r.Context(), v.Actor()), p.operator)
	if err != nil {
		return err
	}
	p.Note(r, v.In, "issued the key "+made.ID)
	return p.made(w, r, v, made.Key, "")
}
