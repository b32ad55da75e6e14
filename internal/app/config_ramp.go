package app

import (
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
)

// RAMP sells licensed content under RAMP v1, as an Exchange for the sites that are served here.
type RAMP struct {
	// Enabled says whether the protocol is served.
	Enabled bool `yaml:"enabled"`
	// Domain is the domain by which the Exchange is known, such as `exchange.example.com`; without it, the host of `url`.
	Domain string `yaml:"domain"`
	// Name is what people call the Exchange; without it, the name of the site.
	Name string `yaml:"name"`
	// Operator is who runs the Exchange; without it, its name.
	Operator string `yaml:"operator"`
	// OperatorDomain is the operator's domain, if it is another than `domain`.
	OperatorDomain string `yaml:"operator_domain"`
	// Contact is an e-mail address for questions about the Exchange and the content.
	Contact string `yaml:"contact" check:"email"`
	// TermsURL is the address of the terms under which the Exchange works.
	TermsURL string `yaml:"terms_url" check:"url"`
	// PrivacyURL is the address of what it says of privacy.
	PrivacyURL string `yaml:"privacy_url" check:"url"`
	// Currency is the currency, such as `EUR`, in which costs of one unit are told, so that they can be compared. It is also
	// that of offers that cost nothing, which is USD without it.
	Currency string `yaml:"currency" check:"optional,currency"`
	// Deadline is how long a query may take that does not say.
	Deadline time.Duration `yaml:"deadline" check:"1ms..1m"`
	// MaxDeadline is the longest that a query may allow itself, and that any other request may take.
	MaxDeadline time.Duration `yaml:"max_deadline" check:"10ms..1m"`
	// Signatures says how requesters show who they are when they ask for offers. `required`: every request is signed over
	// HTTP (RFC 9421). `body`: the signature within the requester is enough, which everybody who sees it can send again.
	// `none`: nothing has to be signed. A wrong signature is always refused. It holds for purchases and reports, too, where
	// `purchases` asks for less.
	Signatures string `yaml:"signatures" check:"oneof=required body none"`
	// Purchases says how requesters sign what spends their money: purchases, reports on use, and requests to a Broker.
	// `required`: over HTTP (RFC 9421), for this address, and each signature counts once. A purchase may also come from a
	// Broker that signs it so, with the requester's signature over the addresses. `body`: the signature within the
	// requester is enough, so everybody who sees it can spend the requester's money; reports need none. `none`: nothing
	// has to be signed, for trials alone. A file that has `signatures` and not `purchases` has its value for both.
	Purchases string `yaml:"purchases" check:"oneof=required body none"`
	// Reports says when buyers that owe reports may buy no more.
	Reports reports.Settings `yaml:"reports"`
	// Disputes sets how disputes are taken up and decided.
	Disputes disputes.Settings `yaml:"disputes"`
	// RequesterRate is how often each requester may ask, such as `600/1m`; empty for no limit. One that has a rate of its own
	// (`frontdesk ramp requester add --rate`) has that. Where nobody has to sign, who did not is counted by its address.
	RequesterRate string `yaml:"requester_rate" check:"rate"`
	// Measures says from when on something is done about buyers that dispute too much, and sites whose buyers are too often right.
	Measures enforcement.Settings `yaml:"measures"`
	// Evidence sets what is kept of logs of deliveries.
	Evidence accesslog.Settings `yaml:"evidence"`
	// Requesters sets who may ask.
	Requesters requesters.Settings `yaml:"requesters"`
	// Delegation sets what holds for requesters that act for somebody else.
	Delegation requesters.DelegationSettings `yaml:"delegation"`
	// Agent publishes keys of an agent of yours.
	Agent requesters.AgentSettings `yaml:"agent"`
	// Accounts sets how buyers pay.
	Accounts accounts.Settings `yaml:"accounts"`
	// Offers sets how offers are made.
	Offers RAMPOffers `yaml:"offers"`
	// Attest has offers attest hash, length, language, title and categories of what is offered, in the name of its own host and under a
	// key that `/.well-known/ramp-verifier.json` publishes. A buyer who got something else than was attested has its money back.
	Attest bool `yaml:"attest"`
	// HashMethod is how what is offered is hashed in offers and in what is attested. `sha256`: a buyer can tell that it got these very
	// bytes. `simhash-v1`: it can tell that it got nearly these words, for sites whose pages are never twice the same to the byte.
	// A change counts when the front desk starts again.
	HashMethod string `yaml:"hash_method" check:"oneof=sha256 simhash-v1"`
	// Delivery lists who else, such as a CDN, delivers what was bought, at addresses that are signed for it. What none of them
	// delivers is fetched here, at `/deliver/`.
	Delivery []RAMPDelivery `yaml:"delivery" check:"count=0..100"`
	// Verifiers are the domains of those who are trusted to attest other people's content, such as `verifier.example.com`: what is
	// pushed with an attestation by anybody else than its provider is refused. `ramp-exchange.json` names them.
	Verifiers []string `yaml:"verifiers"`
	// Exchanges are further Exchanges through which the sites sell; `ramp.json` names them beside this one.
	Exchanges []RAMPExchange `yaml:"exchanges" check:"count=0..50"`
	// VerifiedOnly sells what is pushed for tenants at those of their domains alone that are verified
	// (`frontdesk ramp verify-domain`), and no more once a verification has lapsed.
	VerifiedOnly bool `yaml:"verified_only"`
	// Items are what offers say of items beside what those say of themselves.
	Items []RAMPItem `yaml:"items"`
	// Aliases are addresses under which items are sold beside their own.
	Aliases []RAMPAlias `yaml:"aliases"`
	// Tokens are how many tokens a word makes, by language. Without an entry it is 1.32, of German 1.45, of Arabic and Hebrew
	// 1.5, of Chinese and Japanese 2.5.
	Tokens []RAMPTokens `yaml:"tokens"`
}

func defaultRAMP() RAMP {
	return RAMP{
		Deadline: 500 * time.Millisecond, MaxDeadline: 10 * time.Second, Signatures: signedBody, Purchases: signedRequired,
		RequesterRate: "600/1m", Requesters: requesters.DefaultSettings(), Delegation: requesters.DefaultDelegationSettings(),
		Accounts: accounts.DefaultSettings(), Reports: reports.DefaultSettings(), Evidence: accesslog.DefaultSettings(), Measures: enforcement.DefaultSettings(),
		Offers: defaultRAMPOffers(), Disputes: disputes.DefaultSettings(), Attest: true, HashMethod: string(contenthash.SHA256),
	}
}

// The values of ramp.signatures and ramp.purchases.
const (
	signedRequired = requesters.SignaturesRequired
	signedBody     = requesters.SignaturesBody
	signedNone     = requesters.SignaturesNone
)

// Check looks at domains.
func (x RAMP) Check(r *yamlconf.Report) {
	for key, host := range map[string]string{"domain": x.Domain, "operator_domain": x.OperatorDomain} {
		if host != "" && (!yamlconf.IsHostName(host) || len(host) > 253) {
			r.Problem(key, "%q is no host name; write it like exchange.example.com, in lower case and ASCII", host)
		}
	}
	r.MatchAll("verifiers", x.Verifiers, func(domain string) bool {
		_, err := identity.ParseDomain(domain)
		return err == nil && domain == strings.ToLower(domain)
	}, "is no domain; write it like verifier.example.com, in lower case")
	if len(x.Items) > maxRAMPItems {
		r.Problem("items", "there are %d entries; at most %d are read", len(x.Items), maxRAMPItems)
	}
	if len(x.Aliases) > maxRAMPAliases {
		r.Problem("aliases", "there are %d entries; at most %d are read", len(x.Aliases), maxRAMPAliases)
	}
	languages, names := map[string]bool{}, map[string]bool{}
	for i, of := range x.Tokens {
		if languages[of.Language] {
			r.Problem(yamlconf.Index("tokens", i)+".language", "there is another entry for %q", of.Language)
		}
		languages[of.Language] = true
	}
	for i, d := range x.Delivery {
		if names[d.Name] {
			r.Problem(yamlconf.Index("delivery", i)+".name", "there is another entry %q", d.Name)
		}
		names[d.Name] = true
	}
}

// ramp checks what the section ramp says of the sites, and what an Exchange and a Broker cannot do without.
func (c *checks) ramp() {
	r := c.Config.RAMP
	for i, item := range r.Items {
		c.matchNames(yamlconf.Index("ramp.items", i)+".match", item.Match)
	}
	for i, d := range r.Delivery {
		c.matchNames(yamlconf.Index("ramp.delivery", i)+".match", d.Match)
	}
	if r.Agent.Enabled && c.Config.AgentID() == "" {
		c.Problem("ramp.agent.id", "the agent has no name; write one, or set url")
	}
	if credit, _ := policy.ParseAmount(r.Accounts.Credit); credit > 0 && r.Enabled && r.spending() == signedNone {
		c.Warning("ramp.accounts.credit", "everybody buys on credit, and nobody has to show who they are; set ramp.purchases, or no credit")
	}
	if r.Enabled || c.Config.brokers() {
		c.laxSignatures()
	}
	if r.Enabled {
		c.exchange()
	}
}

// exchange checks what an Exchange cannot do without.
func (c *checks) exchange() {
	r := c.Config.RAMP
	switch {
	case c.Config.exchangeDomain() == "":
		c.Problem("ramp.domain", "the Exchange needs a domain by which it is known; write one, or set url")
	case c.Config.URL == "":
		c.Warning("ramp.enabled", "without url, a signature that was made for another Exchange under your host name is taken; set url to the public address")
	}
	if r.Deadline > r.MaxDeadline {
		c.Problem("ramp.deadline", "%s is more than ramp.max_deadline, %s", yamlconf.Show(r.Deadline), yamlconf.Show(r.MaxDeadline))
	}
	if r.MaxDeadline >= c.Config.Limits.WriteTimeout {
		c.Problem("ramp.max_deadline", "%s is not less than limits.write_timeout, %s: the answer could not be sent", yamlconf.Show(r.MaxDeadline), yamlconf.Show(c.Config.Limits.WriteTimeout))
	}
}

// laxSignatures warns of requesters that need not show who they are.
func (c *checks) laxSignatures() {
	if c.Config.RAMP.Signatures == signedNone {
		c.Warning("ramp.signatures", "nobody has to show who they are, so anybody can ask in anybody's name; write body or required for a desk in use")
	}
	was := ""
	if c.carried {
		was = "ramp.purchases is not set, so it is what ramp.signatures says: "
	}
	switch c.Config.RAMP.spending() {
	case signedBody:
		c.Warning("ramp.purchases", "%sbody: everybody who sees the signature in a requester can spend that requester's money here; write required", was)
	case signedNone:
		c.Warning("ramp.purchases", "%snone: anybody can buy in anybody's name; write required for a desk in use", was)
	}
}

// spending is how what spends has to be signed: at least as ramp.signatures asks of everything.
func (r RAMP) spending() string {
	for _, policy := range []string{signedRequired, signedBody} {
		if r.Signatures == policy || r.Purchases == policy {
			return policy
		}
	}
	return signedNone
}

// carrySignatures has a configuration from before ramp.purchases mean what it meant.
func (l *Loaded) carrySignatures() {
	if l.carried = l.origins.Copy("ramp.purchases", "ramp.signatures"); l.carried {
		l.Config.RAMP.Purchases = l.Config.RAMP.Signatures
	}
}

// exchangeDomain is the domain of the Exchange; empty when nobody said it.
func (c Config) exchangeDomain() string {
	if c.RAMP.Domain != "" {
		return c.RAMP.Domain
	}
	return c.exchangeHost()
}

// exchangeHost is the host of the public address; empty when nobody said it.
func (c Config) exchangeHost() string {
	host, _ := policy.Host(c.URL)
	return host
}
