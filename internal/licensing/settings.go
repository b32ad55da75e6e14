// Package licensing has the section ramp of the configuration. Its packages sell licensed content
// under RAMP v1; what a section below ramp sets stands in the package that it is for.
package licensing

import (
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/reports"
	"frontdesk/wire/contenthash"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Settings is the section ramp. It sells licensed content under RAMP v1, as an Exchange for the
// sites that are served here.
type Settings struct {
	// Enabled says whether the protocol is served.
	Enabled bool `yaml:"enabled"`
	// Domain is the Exchange's own domain, such as `exchange.example.com`; without it, the host of
	// `url`.
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
	// PrivacyURL is the address of the Exchange's privacy policy.
	PrivacyURL string `yaml:"privacy_url" check:"url"`
	// Currency is the currency, such as `EUR`, of unit costs, so that offers can be compared. Free
	// offers have it, too; without it they are in USD.
	Currency string `yaml:"currency" check:"optional,currency"`
	// Deadline is the time that a query may take if it sets no deadline.
	Deadline time.Duration `yaml:"deadline" check:"1ms..1m"`
	// MaxDeadline is the longest deadline of a query. Any other request may take this long.
	MaxDeadline time.Duration `yaml:"max_deadline" check:"10ms..1m"`
	// Signatures says how requesters sign when they ask for offers. `required`: every request is
	// signed over HTTP (RFC 9421). `body`: the signature within the requester is enough; everybody
	// who sees that signature can send it again. `none`: requests need no signature. A wrong
	// signature is always refused. If `purchases` asks for less, this key holds for purchases and
	// reports, too.
	Signatures string `yaml:"signatures" check:"oneof=required body none"`
	// Purchases says how requesters sign what spends their money: purchases, reports on use, and
	// requests to a Broker. `required`: over HTTP (RFC 9421), for this address, and each signature
	// counts once. A Broker may sign a purchase in this way, with the requester's signature over
	// the addresses. `body`: the signature within the requester is enough, so everybody who sees it
	// can spend the requester's money; reports need no signature. `none`: requests need no
	// signature; use it for trials only. If a file has `signatures` and not `purchases`, the value
	// is for both.
	Purchases string `yaml:"purchases" check:"oneof=required body none"`
	// Reports sets how many overdue reports stop a buyer from buying.
	Reports reports.Settings `yaml:"reports"`
	// Disputes sets how disputes are accepted and decided.
	Disputes disputes.Settings `yaml:"disputes"`
	// RequesterRate is how often each requester may ask, such as `600/1m`; empty for no limit.
	// `frontdesk ramp requester add --rate` sets another rate for one requester. If requests need
	// no signature, unsigned ones count by address.
	RequesterRate string `yaml:"requester_rate" check:"rate"`
	// Measures sets when buyers that dispute too much, and sites whose buyers are too often right,
	// get a sanction.
	Measures enforcement.Settings `yaml:"measures"`
	// Evidence sets how long logs of deliveries are kept.
	Evidence accesslog.Settings `yaml:"evidence"`
	// Requesters sets which requesters are let in.
	Requesters requesters.Settings `yaml:"requesters"`
	// Delegation sets the rules for requesters that act for somebody else.
	Delegation requesters.DelegationSettings `yaml:"delegation"`
	// Agent publishes the keys of your own agent.
	Agent requesters.AgentSettings `yaml:"agent"`
	// Accounts sets how buyers pay.
	Accounts accounts.Settings `yaml:"accounts"`
	// Offers sets how offers are made.
	Offers OfferSettings `yaml:"offers"`
	// Attest adds attestations to offers: hash, length, language, title and categories of the
	// content, in the name of its host and under a key that `/.well-known/ramp-verifier.json`
	// publishes. A buyer that got other content gets its money back.
	Attest bool `yaml:"attest"`
	// HashMethod is the method of content hashes in offers and attestations. `sha256` proves the
	// exact bytes. `simhash-v1` proves nearly the same words; it is for sites whose pages never
	// have the same bytes twice. A change needs a restart.
	HashMethod string `yaml:"hash_method" check:"oneof=sha256 simhash-v1"`
	// Delivery lists others that deliver purchases at signed addresses, such as a CDN. Your front
	// desk delivers all other purchases, at `/deliver/`.
	Delivery []delivery.OutletSettings `yaml:"delivery" check:"count=0..100"`
	// Verifiers are the domains that you trust to attest other people's content, such as
	// `verifier.example.com`. An entry that is pushed with an attestation by any other verifier
	// than its provider is refused. `ramp-exchange.json` names the verifiers.
	Verifiers []string `yaml:"verifiers"`
	// Exchanges are further Exchanges through which the sites sell; `ramp.json` names them beside
	// this one.
	Exchanges []edge.ExchangeSettings `yaml:"exchanges" check:"count=0..50"`
	// VerifiedOnly sells pushed entries of tenants only at domains that are verified
	// (`frontdesk ramp verify-domain`), and only until the verification lapses.
	VerifiedOnly bool `yaml:"verified_only"`
	// Items are facts that offers add to those of the items.
	Items []catalog.ItemSettings `yaml:"items"`
	// Aliases are further addresses under which items are sold.
	Aliases []catalog.Alias `yaml:"aliases"`
	// Tokens set the tokens of a word by language. The default is 1.32; for German it is 1.45, for
	// Arabic and Hebrew 1.5, for Chinese and Japanese 2.5.
	Tokens []catalog.TokenSettings `yaml:"tokens"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{
		Deadline: 500 * time.Millisecond, MaxDeadline: 10 * time.Second,
		Signatures: requesters.SignaturesBody, Purchases: requesters.SignaturesRequired,
		RequesterRate: "600/1m", Requesters: requesters.DefaultSettings(),
		Delegation: requesters.DefaultDelegationSettings(),
		Accounts:   accounts.DefaultSettings(), Reports: reports.DefaultSettings(),
		Evidence: accesslog.DefaultSettings(), Measures: enforcement.DefaultSettings(),
		Offers: defaultOffers(), Disputes: disputes.DefaultSettings(), Attest: true,
		HashMethod: string(contenthash.SHA256),
	}
}

// Check looks at domains.
func (x Settings) Check(r *yamlconf.Report) {
	for key, host := range map[string]string{"domain": x.Domain, "operator_domain": x.OperatorDomain} {
		if host != "" && (!yamlconf.IsHostName(host) || len(host) > 253) {
			r.Problem(key, "%q is no host name; write it like exchange.example.com, in lower case and ASCII", host)
		}
	}
	r.MatchAll("verifiers", x.Verifiers, func(domain string) bool {
		_, err := identity.ParseDomain(domain)
		return err == nil && domain == strings.ToLower(domain)
	}, "is no domain; write it like verifier.example.com, in lower case")
	if len(x.Items) > catalog.MaxItems {
		r.Problem("items", "there are %d entries; at most %d are read", len(x.Items), catalog.MaxItems)
	}
	if len(x.Aliases) > catalog.MaxAliases {
		r.Problem("aliases", "there are %d entries; at most %d are read", len(x.Aliases), catalog.MaxAliases)
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

// Spending is how what spends has to be signed: at least as ramp.signatures asks of everything.
func (r Settings) Spending() string {
	for _, policy := range []string{requesters.SignaturesRequired, requesters.SignaturesBody} {
		if r.Signatures == policy || r.Purchases == policy {
			return policy
		}
	}
	return requesters.SignaturesNone
}

// OtherExchanges are the entries of ramp.json for further Exchanges.
func (r Settings) OtherExchanges() (all []*rampv1.AuthorizedExchange) {
	for _, x := range r.Exchanges {
		all = append(all, x.Authorised())
	}
	return all
}
