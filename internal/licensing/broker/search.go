package broker

import (
	"context"
	"slices"

	rampv1 "frontdesk/wire/ramp/v1"
)

// SearchHit is an address that a search found.
type SearchHit struct {
	URI   string  `json:"uri"`
	Title string  `json:"title,omitempty"`
	Score float64 `json:"score,omitempty"` // from 0 to 100
}

// Finder answers searches over everything that the Broker knows: a text, features by their names,
// at most so many results, the best first.
type Finder func(ctx context.Context, text string, filters map[string]any, most int) ([]SearchHit, error)

// MaxHits is how many addresses of a search are asked for.
const MaxHits = 20

// search puts in for which addresses something is chosen: those that the request names, and those
// that a search finds. A requester's signature covers the addresses that it names; what was found
// besides is asked for in the requester's name where it has not signed, in the Broker's own where
// its operator wants that, and is else only told.
func (b *Broker) search(ctx context.Context, a Request, f *found) error {
	var named []string
	for _, uri := range a.GetRequester().GetUris() {
		if !slices.Contains(named, uri) {
			named = append(named, uri)
			f.choices = append(f.choices, &choice{uri: uri})
		}
	}
	if a.GetQuery() == "" && len(a.GetSearchFilters().GetFields()) == 0 {
		return nil
	}
	if b.Find == nil {
		return refuse("failed_precondition", "this Broker does not search; name the addresses in requester.uris")
	}
	results, err := b.Find(ctx, a.GetQuery(), a.GetSearchFilters().AsMap(), MaxHits)
	if err != nil {
		return err
	}
	results = slices.DeleteFunc(results, func(r SearchHit) bool { return r.URI == "" || slices.Contains(named, r.URI) })
	results = results[:min(len(results), MaxHits, MaxURIs-len(named))]
	if len(results) == 0 {
		return nil
	}
	switch {
	case a.GetRequester().GetSignature() == "":
		f.requester = withURIs(a.GetRequester(), named, results)
	case b.Own && len(named) == 0:
		buyer, err := b.buyer()
		if err != nil {
			return err
		}
		f.own = true
		f.requester = withURIs(&rampv1.Requester{
			Id: b.ID, Domain: b.Domain, Type: rampv1.RequesterType_REQUESTER_TYPE_AGENT,
			IntendedUse: a.GetRequester().GetIntendedUse(), Ext: a.GetRequester().GetExt(),
		}, nil, results)
		if err := buyer.Sign(f.requester); err != nil {
			return err
		}
	default:
		f.listed = results
		return nil
	}
	for i := range results {
		f.choices = append(f.choices, &choice{uri: results[i].URI, found: &results[i]})
	}
	return nil
}

// withURIs is a requester that asks for what was found, too.
func withURIs(r *rampv1.Requester, named []string, results []SearchHit) *rampv1.Requester {
	out := &rampv1.Requester{
		Id: r.GetId(), Domain: r.GetDomain(), Type: r.GetType(), Name: r.Name, Uris: slices.Clone(named),
		IntendedUse: r.GetIntendedUse(), LicenseId: r.LicenseId, Scopes: r.GetScopes(),
		Delegation: r.GetDelegation(), Ext: r.GetExt(), ExtCritical: r.GetExtCritical(),
	}
	for _, one := range results {
		out.Uris = append(out.Uris, one.URI)
	}
	return out
}
