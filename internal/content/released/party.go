package released

import (
	"context"
	"slices"

	"frontdesk/internal/policy"
)

type partyKey struct{}

// WithParty gives a context that names who asks. Whoever verified that calls it; a context without
// a party is that of somebody of whom nothing is known.
func WithParty(ctx context.Context, party policy.Party) context.Context {
	return context.WithValue(ctx, partyKey{}, party)
}

// PartyOf is who asks.
func PartyOf(ctx context.Context) policy.Party {
	party, _ := ctx.Value(partyKey{}).(policy.Party)
	return party
}

// WithCredential gives a context whose party has shown a credential that this front desk gave out
// or takes, which was verified.
func WithCredential(ctx context.Context) context.Context {
	party := PartyOf(ctx)
	party.Proven.Classes = append(slices.Clip(party.Proven.Classes), policy.PartyKnown)
	return WithParty(ctx, party)
}

// CurrentFor is the present view for whoever asks; see Current.
func (c *Corpus) CurrentFor(ctx context.Context) *View { return c.Current().For(PartyOf(ctx)) }

// TermsFor are the rules in force for whoever asks.
func (c *Corpus) TermsFor(ctx context.Context) *policy.Terms { return c.Terms().For(PartyOf(ctx)) }

// For is the view for a party: itself where no rule asks who it is that asks. Parties whom the same
// rules admit share theirs.
func (v *View) For(party policy.Party) *View {
	rules := v.Terms.For(party)
	if rules == v.Terms {
		return v
	}
	view := func() *View {
		own := &View{Index: v.Index, Terms: rules, corpus: v.corpus}
		own.Permit = own.Index.Select(own.admits)
		return own
	}
	if rules.Passing() {
		return view()
	}
	return Memo(v, viewFor{rules}, view)
}

// viewFor finds the view under some terms.
type viewFor struct{ rules *policy.Terms }
