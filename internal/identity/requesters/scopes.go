package requesters

import (
	"slices"
	"strings"
)

// ScopeCovers says whether a granted scope covers a required one: segment by segment between
// colons, each of which is equal or "*" in the granted one; a final "*" covers all that remain, at
// least one. Case counts, and no scope covers another for beginning with the same letters. An empty
// scope covers nothing and is covered by nothing.
func ScopeCovers(granted, required string) bool {
	if granted == "" || required == "" {
		return false
	}
	for {
		g, moreGranted, gs := strings.Cut(granted, ":")
		r, moreRequired, rs := strings.Cut(required, ":")
		switch {
		case g == "*" && !gs:
			return true
		case g != "*" && g != r:
			return false
		case !gs || !rs:
			return gs == rs
		}
		granted, required = moreGranted, moreRequired
	}
}

// NormalScopes are scopes without empty and repeated ones, sorted by their bytes.
func NormalScopes(scopes []string) []string {
	normal := slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == "" })
	slices.Sort(normal)
	return slices.Compact(normal)
}

// Holds says whether the requester may use what a scope is required for: the operator granted a
// scope that covers it, and, where the requester says which scopes it asks for, one of those covers
// it too. A claim alone unlocks nothing.
func (r Requester) Holds(required string) bool {
	covers := func(scope string) bool { return ScopeCovers(scope, required) }
	return slices.ContainsFunc(r.Granted, covers) &&
		(!slices.ContainsFunc(r.Claimed, notEmpty) || slices.ContainsFunc(r.Claimed, covers))
}

func notEmpty(s string) bool { return s != "" }
