// Package identity says who asks. It verifies the credentials that a request carries, API keys and
// bearer tokens of an OAuth 2.0 authorization server, and names the party behind them; handlers
// read the party from the context. Whether a party may enter is decided by whoever calls it.
//
// It owns the API keys, which the owner gave out, as hashes, in a table of its own ([Keys]), and
// all other keys: the site's own ([SiteKeys]), those of platforms, edges and CDNs, and the folder
// of secrets. It also looks at what domains prove and publish of themselves. Secrets are compared
// in constant time, and neither they nor what a token says of a person appears in an error.
//
// Who asks in RAMP is told by identity/requesters, which stands on this package. It must know
// neither that one nor any service; below it are store and fetch. Enter by [New] and
// [Verifier.Verify].
package identity

import "context"

// Party is who asks, as verified.
type Party struct {
	ID     string   // unique among all parties of this front desk: "key:ID", or "token:ISSUER SUBJECT"
	Name   string   // what the owner calls it; empty for the subject of a token
	Kind   string   // KindKey or KindToken
	Scopes []string // doors that a key opens, none for all of them; or the scopes of a token
	Rate   string   // how often the party may ask, as limit.ParseRate reads it; empty for what is configured
}

// The kinds of parties.
const (
	KindKey   = "key"   // holds an API key of this front desk
	KindToken = "token" // holds a token of the authorization server
)

type partyKey struct{}

// With gives a context that names the party.
func With(ctx context.Context, party Party) context.Context {
	return context.WithValue(ctx, partyKey{}, party)
}

// From gives the party that a context names; ok is false for a stranger.
func From(ctx context.Context) (party Party, ok bool) {
	party, ok = ctx.Value(partyKey{}).(Party)
	return party, ok
}
