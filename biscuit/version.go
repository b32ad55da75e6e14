package biscuit

import "fmt"

// Block versions: Datalog 3.0 to 3.3.
const (
	minVersion      = 3
	scopesVersion   = 4 // check all, trusting
	externalVersion = 5 // blocks of third parties
	maxVersion      = 6 // reject if, null
)

// version is the lowest block version in which the statements can be said. The official libraries
// ask no version of their own for arrays, maps and get, and so neither do we.
func (s *statements) version() int {
	needs := minVersion
	if len(s.trusting) > 0 {
		needs = scopesVersion
	}
	for i := range s.facts {
		needs = max(needs, s.facts[i].version())
	}
	for i := range s.rules {
		needs = max(needs, s.rules[i].version())
	}
	for i := range s.checks {
		switch s.checks[i].kind {
		case checkAll:
			needs = max(needs, scopesVersion)
		case rejectIf:
			needs = max(needs, maxVersion)
		}
		for j := range s.checks[i].queries {
			needs = max(needs, s.checks[i].queries[j].version())
		}
	}
	return needs
}

func (p *predicate) version() int {
	needs := minVersion
	for i := range p.terms {
		needs = max(needs, p.terms[i].version())
	}
	return needs
}

func (r *rule) version() int {
	needs := r.head.version()
	if len(r.trusting) > 0 {
		needs = max(needs, scopesVersion)
	}
	for i := range r.body {
		needs = max(needs, r.body[i].version())
	}
	for _, e := range r.expressions {
		needs = max(needs, e.version())
	}
	return needs
}

func (e *node) version() int {
	if e == nil {
		return minVersion
	}
	return max(minVersion, operations[e.op].version, e.value.version(), e.left.version(), e.right.version())
}

func (t *term) version() int {
	switch {
	case t.kind == kindNull, t.kind == kindSet && len(t.list) > 0 && t.list[0].kind == kindNull:
		return maxVersion
	}
	return minVersion
}

// allowed refuses statements of a block that says it is of a version that does not have them.
func (s *statements) allowed(version int) error {
	if needs := s.version(); needs > version {
		return fmt.Errorf("%w: a block of version %d has a form of version %d", ErrVersion, version, needs)
	}
	return nil
}
