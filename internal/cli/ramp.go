package cli

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
)

type rampCommands struct {
	Discover     rampDiscover             `cmd:"" help:"As a buyer: see what an Exchange offers."`
	Fetch        rampFetch                `cmd:"" help:"As a buyer: have the licensed text of an address, or of what answers a question, by one command."`
	Resolve      rampResolve              `cmd:"" help:"As a buyer: have a Broker find the best offers at several Exchanges, and buy by them."`
	Buy          rampBuy                  `cmd:"" help:"As a buyer: buy content from an Exchange, and fetch it."`
	Delegate     delegateCommands         `cmd:"" help:"Let others buy for you, narrow such tokens, look at them, and revoke them."`
	Attest       attestCommands           `cmd:"" help:"Attest things of content, see whether what others attest holds, and take it over."`
	Dispute      rampDispute              `cmd:"" help:"As a buyer: dispute something bought, and follow what comes of it."`
	Push         rampPush                 `cmd:"" help:"As a provider: push what an Exchange can sell into its catalog."`
	Withdraw     rampWithdraw             `cmd:"" help:"As a provider: take entries out of an Exchange's catalog."`
	Refresh      rampRefresh              `cmd:"" help:"As a provider: have an Exchange read your content anew."`
	VerifyDomain rampVerifyDomain         `cmd:"" help:"As a provider: show an Exchange that a domain is yours, and register the key that signs addresses there."`
	Domain       domainCommands           `cmd:"" help:"See which domains of tenants are verified, and the challenges of them."`
	Tenant       tenantCommands           `cmd:"" help:"Keep the providers for whom this Exchange sells, beside the sites that it serves."`
	Caller       callerCommands           `cmd:"" help:"Say who may push into this Exchange's catalog, with which keys."`
	Requester    requesterCommands        `cmd:"" help:"Say who may ask this Exchange, with which keys, and for what."`
	Account      rampAccountCommands      `cmd:"" help:"Keep the accounts from which buyers pay."`
	License      rampLicenseCommands      `cmd:"" help:"Give buyers licences, and end them."`
	Subscription rampSubscriptionCommands `cmd:"" help:"Give buyers subscriptions with quotas, and end them."`
	Evidence     rampEvidenceCommands     `cmd:"" help:"Import logs of deliveries, and show what was answered under a transaction."`
	Disputes     rampDisputesCommands     `cmd:"" help:"As an operator: see what buyers dispute, and decide it."`
	Report       rampReportCommands       `cmd:"" help:"Report the use of something bought; as an operator, what sites earned and what buyers were charged."`
}

// changeAccounts opens the house, has fn change the book in one transaction, and closes it. The ledger tells of each change.
func changeAccounts(env *environment, flags configFlags, fn func(book *accounts.Book, tx *store.Tx, now time.Time) error) error {
	house, _, err := openKeys(env, flags, true)
	if err != nil {
		return err
	}
	defer house.Close()
	return house.ChangeAccounts(env.ctx, func(tx *store.Tx) error { return fn(house.Accounts, tx, time.Now().UTC().Truncate(time.Microsecond)) })
}

// readAccounts opens the house and has fn read the book. Where there is no database yet, it says so and is done.
func readAccounts(env *environment, flags configFlags, fn func(house *server.House) error) error {
	house, _, err := openKeys(env, flags, false)
	if err != nil {
		return err
	}
	if house == nil {
		env.print("There is no database here yet; name the folder with --data or the file with --config.\n")
		return nil
	}
	defer house.Close()
	return fn(house)
}

// parseMoney reads an amount of a command.
func parseMoney(text string) (int64, error) {
	n, err := policy.ParseAmount(text)
	if err != nil {
		return 0, usage("%v", err)
	}
	return n, nil
}

// table begins a table for people.
func (e *environment) table(heads ...string) *tabwriter.Writer {
	table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(heads, "\t"))
	return table
}

// licenceFlags say for what a licence or subscription is good.
type licenceFlags struct {
	ID     string    `arg:"" name:"id" help:"Its id, which buyers name, such as lic-2027-acme."`
	Buyer  string    `arg:"" help:"Whose it is: DOMAIN/ID, or DOMAIN/* for all of a domain."`
	Site   string    `placeholder:"ID" help:"Good for this site. Without it, for all."`
	Label  []string  `placeholder:"LABEL" help:"Good for items with this label of the terms; may be repeated."`
	Path   []string  `placeholder:"GLOB" help:"Good for items with such a path, like /premium/**; may be repeated."`
	Item   string    `placeholder:"URL" help:"Good for this one item."`
	Begins time.Time `placeholder:"TIME" help:"When it begins, such as 2027-01-01T00:00:00Z. Without it, now."`
	Ends   time.Time `placeholder:"TIME" help:"When it ends. Without it, never by itself."`
}

func (f licenceFlags) licence(now time.Time) accounts.Licence {
	l := accounts.Licence{
		ID: f.ID, Buyer: f.Buyer, Scope: accounts.Scope{Site: f.Site, Labels: f.Label, Paths: f.Path, URL: f.Item}, Begins: f.Begins.UTC(), Ends: f.Ends.UTC(),
	}
	if f.Begins.IsZero() {
		l.Begins = now
	}
	if f.Ends.IsZero() {
		l.Ends = time.Time{}
	}
	return l
}

// shownLicence is a licence or subscription as commands print it as JSON.
type shownLicence struct {
	ID       string       `json:"id"`
	Buyer    string       `json:"buyer"`
	Site     string       `json:"site,omitempty"`
	Labels   []string     `json:"labels,omitempty"`
	Paths    []string     `json:"paths,omitempty"`
	Item     string       `json:"item,omitempty"`
	Paid     string       `json:"paid,omitempty"` // the pricing model for which nothing is charged
	Currency string       `json:"currency,omitempty"`
	Begins   time.Time    `json:"begins"`
	Ends     *time.Time   `json:"ends,omitempty"`
	Status   string       `json:"status"`
	Quotas   []shownQuota `json:"quotas,omitempty"`
}

type shownQuota struct {
	Unit   string     `json:"unit"`
	Limit  int64      `json:"limit"`
	Used   int64      `json:"used"`
	Left   int64      `json:"left"`
	Period string     `json:"period,omitempty"`
	Resets *time.Time `json:"resets,omitempty"`
}

func showLicence(s accounts.Subscription) shownLicence {
	shown := shownLicence{
		ID: s.ID, Buyer: s.Buyer, Site: s.Site, Labels: s.Labels, Paths: s.Paths, Item: s.URL, Paid: s.Paid, Currency: s.Currency, Begins: s.Begins,
		Ends: instant(s.Ends), Status: s.Status,
	}
	for _, q := range s.Quotas {
		limit, used, left := q.Counts()
		shown.Quotas = append(shown.Quotas, shownQuota{q.Unit, limit, used, left, q.Period(), instant(q.Resets)})
	}
	return shown
}

// goodFor says in words for what a licence is good.
func goodFor(s accounts.Scope) string {
	var parts []string
	if s.Site != "" {
		parts = append(parts, "site "+s.Site)
	}
	if s.URL != "" {
		parts = append(parts, s.URL)
	}
	parts = append(append(parts, s.Labels...), s.Paths...)
	return clean(orElse(strings.Join(parts, " "), "all"))
}

// parseQuota reads a quota of a command: UNIT=LIMIT, or UNIT=LIMIT/PERIOD.
func parseQuota(text string) (accounts.QuotaRow, error) {
	wrong := usage("%q is no quota; write UNIT=LIMIT/PERIOD, like accesses=1000/1mo or burst=10/1m, or UNIT=LIMIT for the whole time; units are %s",
		text, strings.Join(accounts.Units, ", "))
	name, rest, ok := strings.Cut(text, "=")
	limit, period, periodic := strings.Cut(rest, "/")
	row := accounts.QuotaRow{Unit: name}
	var err error
	if row.Limit, err = strconv.ParseInt(limit, 10, 64); err != nil || !ok {
		return row, wrong
	}
	if row.Months, row.Span, err = accounts.ParsePeriod(period); err != nil || periodic && period == "" {
		return row, wrong
	}
	return row, nil
}
