package content

import (
	"errors"
	"slices"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// CanonicalTypes writes types as schema.org does, where it has them.
func CanonicalTypes(names []string) []string {
	names = slices.Clone(names)
	for n, name := range names {
		if canonical, known := KnownType(policy.BareType(name)); known {
			names[n] = canonical
		}
	}
	return names
}

// CompileMatch makes conditions on items ready, whatever the case of their types.
func CompileMatch(match policy.Match) (*policy.Matcher, error) {
	match.Type = CanonicalTypes(match.Type)
	return policy.Options{IsA: IsA}.Matcher(match)
}

// CheckMatch reports what is wrong with the key match of a section.
func CheckMatch(r *yamlconf.Report, match policy.Match) {
	_, err := CompileMatch(match)
	for _, e := range yamlconf.Unjoin(err) {
		var found *policy.RuleError
		if errors.As(e, &found) {
			r.Problem(found.Field, "%s", found.Detail)
		}
	}
}
