package owner

import (
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
)

// changeAccounts opens the house, has fn change the book in one transaction, and closes it. The ledger tells of each change.
func changeAccounts(env *command.Environment, flags command.ConfigFlags, fn func(book *accounts.Ledger, tx *store.Tx, now time.Time) error) error {
	house, _, err := command.OpenKeys(env, flags, true)
	if err != nil {
		return err
	}
	defer house.Close()
	return house.ChangeAccounts(env.Ctx, func(tx *store.Tx) error { return fn(house.Accounts, tx, time.Now().UTC().Truncate(time.Microsecond)) })
}

// readAccounts opens the house and has fn read the book. Where there is no database yet, it says so and is done.
func readAccounts(env *command.Environment, flags command.ConfigFlags, fn func(house *server.House) error) error {
	house, _, err := command.OpenKeys(env, flags, false)
	if err != nil {
		return err
	}
	if house == nil {
		env.Print("There is no database here yet; name the folder with --data or the file with --config.\n")
		return nil
	}
	defer house.Close()
	return fn(house)
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
		Ends: command.Instant(s.Ends), Status: s.Status,
	}
	for _, q := range s.Quotas {
		limit, used, left := q.Counts()
		shown.Quotas = append(shown.Quotas, shownQuota{q.Unit, limit, used, left, q.Period(), command.Instant(q.Resets)})
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
	return command.Clean(command.OrElse(strings.Join(parts, " "), "all"))
}

// parseQuota reads a quota of a command: UNIT=LIMIT, or UNIT=LIMIT/PERIOD.
func parseQuota(text string) (accounts.QuotaSetting, error) {
	wrong := command.Usage("%q is no quota; write UNIT=LIMIT/PERIOD, like accesses=1000/1mo or burst=10/1m, or UNIT=LIMIT for the whole time; units are %s",
		text, strings.Join(accounts.Units, ", "))
	name, rest, ok := strings.Cut(text, "=")
	limit, period, periodic := strings.Cut(rest, "/")
	row := accounts.QuotaSetting{Unit: name}
	var err error
	if row.Limit, err = strconv.ParseInt(limit, 10, 64); err != nil || !ok {
		return row, wrong
	}
	if row.Months, row.Span, err = accounts.ParsePeriod(period); err != nil || periodic && period == "" {
		return row, wrong
	}
	return row, nil
}
