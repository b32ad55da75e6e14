package api

import (
	"context"
	"net/http"
	"path"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
)

// Where licences and subscriptions are.
const (
	Licences      = "/admin/licenses"
	Subscriptions = "/admin/subscriptions"
)

// licence is a licence or a subscription as it is told, and as a request has it. Of a subscription, paid is empty; of a licence,
// currency is, and it has no quotas.
type licence struct {
	ID       string   `json:"id"`
	Buyer    string   `json:"buyer"`
	Site     string   `json:"site,omitempty"`
	Labels   []string `json:"labels,omitempty"`
	Paths    []string `json:"paths,omitempty"`
	Item     string   `json:"item,omitempty"`
	Paid     string   `json:"paid,omitempty"` // the pricing model for which nothing is charged
	Currency string   `json:"currency,omitempty"`
	Begins   string   `json:"begins,omitempty"`
	Ends     string   `json:"ends,omitempty"`
	State    string   `json:"state,omitempty"`
	Quotas   []quota  `json:"quotas,omitempty"`
}

// quota is a quota of a subscription. A request has unit, limit and period, and may forget what was used with anew.
type quota struct {
	Unit   string `json:"unit"`
	Limit  int64  `json:"limit"`
	Period string `json:"period,omitempty"` // such as 1mo or 24h; empty for the whole time
	Anew   bool   `json:"anew,omitempty"`
	Used   int64  `json:"used"`
	Left   int64  `json:"left"`
	Resets string `json:"resets,omitempty"`
}

// LicencesHandler answers at Licences and below: GET lists licences page by page, of one buyer with ?buyer=; POST gives one. Below, at /ID, GET
// tells of one, and PATCH sets its state.
func LicencesHandler(books Books) http.Handler { return books.granted(accounts.GrantLicence, Licences) }

// SubscriptionsHandler answers at Subscriptions and below as LicencesHandler does; PATCH sets quotas, too.
func SubscriptionsHandler(books Books) http.Handler {
	return books.granted(accounts.GrantSubscription, Subscriptions)
}

// granted are licences or subscriptions.
type granted struct {
	Books
	kind string // account.GrantLicence or account.GrantSubscription
	path string // where they are
}

func (b Books) granted(kind, at string) http.Handler {
	g := granted{b, kind, at}
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		id := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, at), "/")
		if id == "" {
			return byMethod(w, r, methods{http.MethodGet: g.list, http.MethodPost: g.add})
		}
		one := grant{g, id}
		return byMethod(w, r, methods{http.MethodGet: one.show, http.MethodPatch: one.change})
	})
}

func (g granted) list(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	page, said, err := listed(r, "buyer")
	if err != nil {
		return 0, nil, err
	}
	all, err := g.Reader.Grants(r.Context(), accounts.GrantFilter{Kind: g.kind, Buyer: said["buyer"], After: page.after, Limit: page.limit + 1}, g.now())
	all, next := part(page, all, func(one accounts.Grant) string { return one.ID })
	list := []licence{}
	for _, one := range all {
		list = append(list, toldLicence(one.Subscription))
	}
	told := map[string]any{path.Base(g.path): list}
	if next != "" {
		told["next"] = next
	}
	return http.StatusOK, told, err
}

func (g granted) add(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked licence
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	if err := g.Change(r.Context(), func(tx *store.Tx) error { return g.put(r.Context(), tx, asked) }); err != nil {
		return 0, nil, err
	}
	told, err := grant{g, asked.ID}.told(r.Context())
	return http.StatusCreated, told, err
}

// put gives a licence or a subscription, with its quotas.
func (g granted) put(ctx context.Context, tx *store.Tx, asked licence) error {
	now := g.now()
	l := accounts.Licence{
		ID: asked.ID, Buyer: asked.Buyer, Scope: accounts.Scope{Site: asked.Site, Labels: asked.Labels, Paths: asked.Paths, URL: asked.Item}, Paid: asked.Paid, Begins: now,
	}
	for _, at := range []struct {
		name, text string
		into       *time.Time
	}{{"begins", asked.Begins, &l.Begins}, {"ends", asked.Ends, &l.Ends}} {
		if at.text == "" {
			continue
		}
		when, err := time.Parse(time.RFC3339, at.text)
		if err != nil {
			return fail.New(fail.Invalid, "%s: %.40q is no time; write it like 2027-01-01T00:00:00Z", at.name, at.text)
		}
		*at.into = when.UTC()
	}
	if asked.State != "" && asked.State != accounts.Active {
		return fail.New(fail.Invalid, "what is given is active; change its state afterwards")
	}
	if g.kind == accounts.GrantLicence {
		if asked.Currency != "" || len(asked.Quotas) > 0 {
			return fail.New(fail.Invalid, "a licence has no currency and no quotas; a subscription has")
		}
		return g.Book.AddLicence(ctx, tx, l, now)
	}
	if asked.Paid != "" {
		return fail.New(fail.Invalid, "paid is of licences; under a subscription nothing is charged")
	}
	if err := g.Book.AddSubscription(ctx, tx, l, asked.Currency, now); err != nil {
		return err
	}
	return g.setQuotas(ctx, tx, asked.ID, asked.Quotas)
}

func (g granted) setQuotas(ctx context.Context, tx *store.Tx, id string, quotas []quota) error {
	for i, q := range quotas {
		row := accounts.QuotaSetting{Unit: q.Unit, Limit: q.Limit, Restart: q.Anew}
		var err error
		if row.Months, row.Span, err = accounts.ParsePeriod(q.Period); err != nil {
			return fail.New(fail.Invalid, "quota %d: %v", i+1, err)
		}
		if q.Used != 0 || q.Left != 0 || q.Resets != "" {
			return fail.New(fail.Invalid, "quota %d: what is used and left is counted by purchases; send unit, limit and period", i+1)
		}
		if err := g.Book.SetQuota(ctx, tx, id, row, g.now()); err != nil {
			return err
		}
	}
	return nil
}

// grant is one licence or subscription.
type grant struct {
	granted
	id string
}

func (g grant) told(ctx context.Context) (licence, error) {
	s, kind, err := g.Reader.Licence(ctx, g.id, g.now())
	if err == nil && kind != g.kind {
		err = fail.New(fail.NotFound, "%.60q is a %s, and not a %s", g.id, kind, g.kind)
	}
	return toldLicence(s), err
}

func (g grant) show(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	told, err := g.told(r.Context())
	return http.StatusOK, told, err
}

func (g grant) change(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked struct {
		State  *string `json:"state"`
		Quotas []quota `json:"quotas"`
	}
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	ctx := r.Context()
	if _, err := g.told(ctx); err != nil {
		return 0, nil, err
	}
	if err := g.Change(ctx, func(tx *store.Tx) error {
		if asked.State != nil {
			if err := g.Book.SetLicenceStatus(ctx, tx, g.id, *asked.State, g.now()); err != nil {
				return err
			}
		}
		return g.setQuotas(ctx, tx, g.id, asked.Quotas)
	}); err != nil {
		return 0, nil, err
	}
	told, err := g.told(ctx)
	return http.StatusOK, told, err
}

func toldLicence(s accounts.Subscription) licence {
	out := licence{
		ID: s.ID, Buyer: s.Buyer, Site: s.Site, Labels: s.Labels, Paths: s.Paths, Item: s.URL, Paid: s.Paid, Currency: s.Currency, Begins: s.Begins.Format(time.RFC3339),
		State: s.Status,
	}
	if !s.Ends.IsZero() {
		out.Ends = s.Ends.Format(time.RFC3339)
	}
	for _, q := range s.Quotas {
		one := quota{Unit: q.Unit, Period: q.Period()}
		one.Limit, one.Used, one.Left = q.Counts()
		if !q.Resets.IsZero() {
			one.Resets = q.Resets.Format(time.RFC3339)
		}
		out.Quotas = append(out.Quotas, one)
	}
	return out
}
