package app

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"frontdesk/internal/licensing/edge/proof"

	apphttp "frontdesk/internal/app/http"

	"context"
	"net/http"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
)

// answerPattern is where this front desk answers challenges of its domains (RAMP v1, domain
// verification).
const answerPattern = edge.ChallengePath + "{token}"

// answerRoutes answer challenges of this front desk's domains, and let the operator's programs say
// with what.
func (s *seller) answerRoutes() []apphttp.Route {
	challenge := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.PathValue("token")
		for _, at := range []string{"https://" + s.outside.Host(r) + "/", s.outside.PublicURL(r)} {
			if host, ok := policy.Host(at); ok && s.Answers.Has(r.Context(), host, token) {
				edge.AnswerChallenge(w, token)
				return
			}
		}
		rampapi.WriteError(w, r, fail.New(fail.NotFound, "this is no token with which a challenge is answered now"))
	})
	return append(s.operatorRoutes("/admin/answers"), apphttp.Route{
		Pattern: answerPattern, Name: answerPattern, Methods: apphttp.ReadMethods, Refuse: rampapi.WriteError,
		Handler: challenge,
	})
}

// answersAt says whether this front desk answers at a domain: the host of url, one of a site's, or
// one behind the gate.
func (c Config) answersAt(domain string) (host string, ok bool) {
	host, ok = policy.Host("https://" + domain + "/")
	if !ok {
		return "", false
	}
	if own, _ := policy.Host(c.URL); own == host {
		return host, true
	}
	for _, site := range c.Edge.Sites {
		for _, one := range site.AllHosts() {
			if one == host {
				return site.Domain, true
			}
		}
	}
	_, ok = c.siteAt(host)
	return host, ok
}

// errNotServed is of a domain that a configuration does not serve.
func errNotServed(domain string) error {
	return fmt.Errorf("neither a site of the configuration nor one behind its gate has the domain %s; name the "+
		"configuration with --config, or say with --webroot, --tokens-file or --desk who answers there", domain)
}

// OpenAnswering opens a domain of a configuration.
func OpenAnswering(ctx context.Context, loaded *Loaded, log *slog.Logger, domain string) (*proof.Answering, error) {
	config := loaded.Config
	a := &proof.Answering{Domain: domain, Now: time.Now}
	host, _ := policy.Host("https://" + domain + "/")
	at := slices.IndexFunc(config.Edge.Sites, func(s edge.SiteSettings) bool {
		return slices.Contains(s.AllHosts(), domain) || slices.Contains(s.AllHosts(), host)
	})
	if at >= 0 {
		a.Domain = config.Edge.Sites[at].Domain
		a.Keys = edge.KeysFolder(config.Data, a.Domain)
	}
	if config.Edge.Exchange != "" {
		if at < 0 {
			return nil, errNotServed(domain)
		}
		a.File = edge.TokensFile(config.Data, a.Domain)
		return a, nil
	}
	own, ok := config.answersAt(domain)
	if !config.RAMP.Enabled || !ok {
		return nil, errNotServed(domain)
	}
	desk, err := Build(ctx, Options{Loaded: loaded, Log: log, Records: true})
	if err != nil {
		return nil, err
	}
	a.Domain, a.Responses, a.Done = own, desk.Answers, desk.Close
	return a, nil
}

// Watch asks a domain by the settings of a configuration.
func Watch(config Config) *proof.Watched {
	return &proof.Watched{Fetcher: config.domainFetcher(identity.ChallengeTimeout)}
}
