package excerpts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
)

// eligibility decides which items of a view may give passages, by what is declared, the sites that
// are served and the terms.
type eligibility struct {
	view   *released.View
	policy *Policy
	sites  *released.Sites
}

func (s *Service) eligibility(view *released.View) eligibility {
	return eligibility{view: view, policy: s.deps.Policy(), sites: s.deps.Corpus.Sites()}
}

// direct is how passages are delivered, as terms name it: by this front desk.
const direct = "direct"

// decide says whether an item may give passages to requests in an editorial domain from a country,
// and what the terms say of it where it lies in that domain.
func (e eligibility) decide(l *index.Doc, domain, country string) (decision policy.Decision, ok bool) {
	if !e.sites.Serves(l.Site) || !e.policy.Owns(l.URL) {
		return decision, false
	}
	decision = released.Decide(e.view.Terms, l)
	if !slices.ContainsFunc(decision.Labels, func(label string) bool { return intent.Within(label, domain) }) {
		return policy.Decision{}, false
	}
	use := policy.Use{Function: released.Input, Country: country}
	return decision, decision.Permits(use) == policy.Permitted &&
		(len(decision.Delivery) == 0 || slices.Contains(decision.Delivery, direct))
}

// at gives the articles at an address that may give passages, one for each source that has it.
func (e eligibility) at(ctx context.Context, site, address, domain, country string) (found []*article, err error) {
	all, err := e.view.ArticlesAt(ctx, site, address)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if _, ok := e.decide(a.Item, domain, country); ok {
			found = append(found, newArticle(a))
		}
	}
	return found, nil
}

// areasOfView is the key under which a view keeps its areas.
type areasOfView struct{}

// areas are the items that may give passages, by editorial domain. Each is made when it is first
// asked for.
type areas struct {
	mu sync.Mutex
	of map[string]*area
}

// area are the items of an editorial domain.
type area struct {
	// countries are those that the terms of some item name. Requests from all others get the same.
	countries map[string]bool
	eligible  map[string]*eligible // by country; "" for those that nothing names
}

// eligible are the items of an area that may give passages to requests from a country.
type eligible struct {
	*search.Selection
	// newest has of the items under each set of labels the latest, the newest first.
	newest []newest
}

// within is what of the view's items may give passages to requests in an editorial domain from a
// country: those that the terms label so and allow as input, under the publisher's own hosts.
func (e eligibility) within(domain, country string) *eligible {
	key := domain + "\n" + e.policy.Publisher.Domain + "\n" + strings.Join(e.policy.Publisher.Hosts, " ")
	made := released.Memo(e.view, areasOfView{}, func() *areas { return &areas{of: map[string]*area{}} })
	made.mu.Lock()
	defer made.mu.Unlock()
	in := made.of[key]
	if in == nil {
		in = &area{countries: map[string]bool{}, eligible: map[string]*eligible{}}
		in.eligible[""] = e.open(in, domain, "")
		made.of[key] = in
	}
	if !in.countries[country] {
		country = ""
	}
	if in.eligible[country] == nil {
		in.eligible[country] = e.open(in, domain, country)
	}
	return in.eligible[country]
}

// open finds the items of an area that may give passages to requests from a country, and the
// countries that terms name.
func (e eligibility) open(in *area, domain, country string) *eligible {
	labelled := map[string]*newest{}
	found := &eligible{Selection: e.view.Index.Select(func(l *index.Doc) bool {
		decision, ok := e.decide(l, domain, country)
		in.addCountries(decision)
		if !ok {
			return false
		}
		key := strings.Join(decision.Labels, " ")
		if labelled[key] == nil {
			labelled[key] = &newest{labels: decision.Labels}
		}
		labelled[key].add(index.Hit{Doc: l, Score: 1})
		return true
	})}
	for _, n := range labelled {
		n.cut()
		found.newest = append(found.newest, *n)
	}
	return found
}

// addCountries takes in which countries the terms name.
func (in *area) addCountries(decision policy.Decision) {
	all := []policy.Restriction{decision.Countries}
	for _, own := range decision.Own {
		for _, option := range own.Options {
			all = append(all, option.Countries)
		}
	}
	for _, r := range all {
		for _, code := range slices.Concat(r.Permit, r.Prohibit) {
			in.countries[code] = true
		}
	}
}

// latest are the items for a request without a question: those in the narrower domain that it names
// first, and of each the newest.
func (e *eligible) latest(r RetrieveRequest, most int) (hits []index.Hit) {
	inner := []string{r.Domain + "." + r.Subdomain, r.Subdomain, r.Domain}
	ranks := make([][]index.Hit, len(inner)+1)
	for _, n := range e.newest {
		rank := slices.IndexFunc(inner, func(label string) bool {
			within := func(own string) bool { return intent.Within(own, label) }
			return label != "" && slices.ContainsFunc(n.labels, within)
		})
		if rank < 0 {
			rank = len(inner)
		}
		ranks[rank] = append(ranks[rank], n.hits...)
	}
	for _, of := range ranks {
		slices.SortFunc(of, newestFirst)
		sameURL := func(a, b index.Hit) bool { return a.Site == b.Site && a.URL == b.URL }
		hits = append(hits, slices.CompactFunc(of, sameURL)...)
		if len(hits) >= most {
			return hits[:most]
		}
	}
	return hits
}

// newest are the latest items under a set of labels.
type newest struct {
	labels []string
	hits   []index.Hit
}

// maxNewest is how many items are kept under a set of labels: more than one request may take.
const maxNewest = 256

// add takes an item in.
func (n *newest) add(hit index.Hit) {
	if n.hits = append(n.hits, hit); len(n.hits) >= 4*maxNewest {
		n.cut()
	}
}

// cut leaves only the newest.
func (n *newest) cut() {
	slices.SortFunc(n.hits, newestFirst)
	n.hits = n.hits[:min(maxNewest, len(n.hits))]
}

func newestFirst(a, b index.Hit) int {
	return cmp.Or(
		cmp.Compare(b.Dated, a.Dated), cmp.Compare(a.Site, b.Site), cmp.Compare(a.URL, b.URL),
		cmp.Compare(a.Source, b.Source),
	)
}
