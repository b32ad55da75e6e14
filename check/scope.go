package check

import (
	"context"
	"net/http"
	"strings"

	"frontdesk/wire/intent"
)

const signedOpen = signedKey | open

// scopeProbes look at what is decided, and in which order.
var scopeProbes = []probe{
	{"scope.outside", "what lies outside the editorial domains is denied", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			return p.denial(ctx, intent.ReasonOutOfScope, about("zqunlisted.check", ""))
		}},
	{"scope.boundary", "a domain that only begins like a declared one is denied", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			for _, label := range p.declaration.EditorialDomains {
				if _, declared := intent.Scope(p.declaration.EditorialDomains, label+"zq", ""); !declared {
					return p.denial(ctx, intent.ReasonOutOfScope, about(label+"zq", ""))
				}
			}
			return verdict{outcome: Skipped, detail: "what begins like a declared domain lies in another one"}
		}},
	{"scope.ancestor", "a domain above a declared one is denied", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			for _, label := range p.declaration.EditorialDomains {
				above, _, ok := strings.Cut(label, ".")
				if _, declared := intent.Scope(p.declaration.EditorialDomains, above, ""); ok && !declared {
					return p.denial(ctx, intent.ReasonOutOfScope, about(above, ""))
				}
			}
			return verdict{outcome: Skipped, detail: "no declared domain has an ancestor that is not declared"}
		}},
	{"scope.descendant", "a domain below a declared one is in scope", signedOpen,
		func(ctx context.Context, p *prober) verdict { return p.inScope(ctx, about(p.label()+".zq", "")) }},
	{"scope.subdomain", "a domain and a subdomain that together are a declared one are in scope", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			above, below, ok := strings.Cut(p.label(), ".")
			if !ok {
				return verdict{outcome: Skipped, detail: "the domain has one label alone"}
			}
			if first, _, _ := strings.Cut(below, "."); strings.Contains(first, "-") {
				below = p.label() // a subdomain begins with no such label; written whole it does not
			}
			return orDoubt(p.inScope(ctx, about(above, below)))
		}},
	{"scope.foreign-subdomain", "a subdomain from elsewhere neither grants nor denies", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			return orDoubt(p.denial(ctx, intent.ReasonOutOfScope, about("zqunlisted", p.label())))
		}},
	{"closed.denies", "what is not in force denies with access_disabled, in scope or not", signedKey | closed,
		func(ctx context.Context, p *prober) verdict {
			if v := p.denial(ctx, intent.ReasonAccessDisabled); v.outcome != Passed {
				return v
			}
			return p.denial(ctx, intent.ReasonAccessDisabled, about("zqunlisted", ""))
		}},
	{"closed.chunks", "a publisher without passages denies as unsupported", signedOpen | nothing,
		func(ctx context.Context, p *prober) verdict { return p.denial(ctx, intent.ReasonUnsupported) }},
}

// about asks about a domain.
func about(domain, subdomain string) func(*intent.RetrieveRequest) {
	return func(r *intent.RetrieveRequest) { r.Intent.Domain, r.Intent.Subdomain = domain, subdomain }
}

// denial asks for what must be denied.
func (p *prober) denial(ctx context.Context, reason string, change ...func(*intent.RetrieveRequest)) verdict {
	got, err := p.ask(ctx, change...)
	if err != nil {
		return noAnswer(err)
	}
	mend := "answer status denied and denial.reason " + reason
	told := got.answer.loose()
	switch {
	case told.Content != nil && told.Status != intent.StatusOK:
		return wrong("a denial has content", "give nothing")
	case told.Denial == nil || told.Status != intent.StatusDenied || told.Denial.Reason != reason:
		return wrong("it answers "+got.answer.said(), mend)
	}
	if _, found := got.answer.document(p.options.reading()); !found.Valid() {
		return wrong(found.First().String(), mend+", in a valid answer")
	}
	if got.answer.status != http.StatusOK {
		return doubt("it answers "+got.answer.said(), "answer denials with status 200: 401 and 403 mean that it is "+
			"unknown who asks")
	}
	return passed()
}

// inScope asks for what must not be out of scope.
func (p *prober) inScope(ctx context.Context, change ...func(*intent.RetrieveRequest)) verdict {
	got, err := p.ask(ctx, change...)
	if err != nil {
		return noAnswer(err)
	}
	if told := got.answer.loose(); told.Denial != nil && told.Denial.Reason == intent.ReasonOutOfScope {
		return wrong("it answers "+got.answer.said(), "take a domain for in scope that is a declared one or lies "+
			"below one at a dot")
	}
	return passed()
}
