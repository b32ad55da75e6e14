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
	"path/filepath"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// answerPattern is where this front desk answers challenges of its domains (RAMP v1, domain verification).
const answerPattern = edge.ChallengePath + "{token}"

// answerRoutes answer challenges of this front desk's domains, and let the operator's programs say with what.
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
		Pattern: answerPattern, Name: answerPattern, Methods: apphttp.ReadMethods, Refuse: rampapi.WriteError, Handler: challenge,
	})
}

// answersAt says whether this front desk answers at a domain: the host of url, one of a site's, or one behind the gate.
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

// tokensFile is where tokens of a site behind the gate lie that `frontdesk ramp verify-domain` puts there, and keysFolder where its keys do.
func (c Config) tokensFile(domain string) string {
	return filepath.Join(c.Data, "edge", "answers", domain+".txt")
}

func (c Config) keysFolder(domain string) string {
	return filepath.Join(c.Data, "edge", "keys", domain)
}

// answering has a site behind the gate answer further challenges: those whose tokens were put into the data folder, and those of the database, where there
// is one.
func (g *gateBuilder) answering(site edge.SiteSettings, tokens *edge.Tokens) {
	tokens.AddSource(edge.NewTokens(nil, g.config.tokensFile(site.Domain), g.now, g.log).Has)
	if g.Answers != nil {
		tokens.AddSource(func(token string) bool { return g.Answers.Has(context.Background(), site.Domain, token) })
	}
}

// withStored has a site behind the gate verify addresses by the keys that were registered elsewhere for it, too.
func (g *gateBuilder) withStored(site edge.SiteSettings, made *edge.Site) {
	folder, keys := edge.NewKeyFolder(g.config.keysFolder(site.Domain), g.now, g.log), made.Keys
	made.Keys = func(ctx context.Context) ([]sign.URLKey, error) {
		all, err := keys(ctx)
		return append(all[:len(all):len(all)], folder.Keys()...), err
	}
}

// errNotServed is of a domain that a configuration does not serve.
func errNotServed(domain string) error {
	return fmt.Errorf("neither a site of the configuration nor one behind its gate has the domain %s; name the configuration with --config, or say with --webroot, --tokens-file or --desk who answers there", domain)
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
		a.Keys = config.keysFolder(a.Domain)
	}
	if config.Edge.Exchange != "" {
		if at < 0 {
			return nil, errNotServed(domain)
		}
		a.File = config.tokensFile(a.Domain)
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
