package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/imported"
)

// importedTerms are what sites state, as they were last taken up. They never change.
type importedTerms struct {
	tenants  int64 // the version of the tenants, whose hosts count
	versions map[string]int64
	rules    map[string]*policy.RSL
	told     map[string]*imported.Index
}

// stating is what sites state, as it was last taken up.
func (t *terms) stating() *importedTerms {
	return t.licences.Load()
}

// takeLicences takes up what was read since it was last looked for, and says whether anything was.
// Of a site whose licences cannot be used what was taken up before stays.
func (t *terms) takeLicences(ctx context.Context) (changed bool, err error) {
	statuses, err := t.Stated.Statuses(ctx)
	if err != nil {
		return false, fmt.Errorf("read what sites state: %w", err)
	}
	before := t.stating()
	next := &importedTerms{versions: maps.Clone(before.versions), rules: maps.Clone(before.rules),
		told: maps.Clone(before.told)}
	if next.versions == nil {
		next.versions, next.rules, next.told = map[string]int64{}, map[string]*policy.RSL{},
			map[string]*imported.Index{}
	}
	if t.Tenants != nil {
		next.tenants = t.Tenants.Version()
	}
	if next.tenants != before.tenants {
		changed = true
		served := func(site string) bool {
			return slices.ContainsFunc(t.config.AllSites(), func(s Site) bool { return s.ID == site })
		}
		maps.DeleteFunc(next.versions, func(site string, _ int64) bool { return !served(site) })
		maps.DeleteFunc(next.rules, func(site string, _ *policy.RSL) bool {
			return !served(site) && t.Tenants.Get(site) == nil
		})
		maps.DeleteFunc(next.told, func(site string, _ *imported.Index) bool {
			return !served(site) && t.Tenants.Get(site) == nil
		})
	}
	var wrong []error
	for _, status := range statuses {
		if status.Version == 0 || status.Version == next.versions[status.Site] {
			continue
		}
		snapshot, version, err := t.Stated.Load(ctx, status.Site)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		next.versions[status.Site], changed = version, true
		rules, err := snapshot.Terms(t.hostsOf(status.Site), version).RSL()
		if err != nil {
			wrong = append(wrong, fmt.Errorf("the licences of %s: %w", status.Site, err))
			continue
		}
		next.rules[status.Site], next.told[status.Site] = rules, snapshot.Index(canonical)
	}
	if changed {
		t.licences.Store(next)
	}
	return changed, errors.Join(wrong...)
}

// canonical is an address as the catalog has it; empty for none.
func canonical(address string) string {
	text, err := catalog.Canonical(address)
	if err != nil {
		return ""
	}
	return text
}

// hostsOf are the hosts of a site, or of a tenant, in canonical form.
func (t *terms) hostsOf(site string) (hosts []string) {
	for _, one := range t.config.AllSites() {
		if one.ID != site {
			continue
		}
		for _, host := range one.Hosts {
			if name, ok := policy.Host("https://" + host + "/"); ok {
				hosts = append(hosts, name)
			}
		}
		return hosts
	}
	if t.Tenants != nil {
		if one := t.Tenants.Get(site); one != nil {
			for _, host := range one.Domains {
				if name, ok := policy.Host("https://" + host + "/"); ok {
					hosts = append(hosts, name)
				}
			}
		}
	}
	return hosts
}

// ownLicences are those of the sites that are served here, and no others'.
func (t *terms) ownLicences(config Config) (all []*policy.RSL) {
	now := t.stating()
	for _, site := range config.AllSites() {
		if rules := now.rules[site.ID]; rules != nil {
			all = append(all, rules)
		}
	}
	return all
}

// Told is what a site or a tenant tells of an address, the first to count first.
func (t *terms) Told(site, canonical string) []imported.Address {
	if index := t.stating().told[site]; index != nil {
		return index.At(canonical)
	}
	return nil
}

// teller gives the tenant whose sitemaps tell of a host.
func (t *terms) teller(host string) (site string, ok bool) {
	if t.Tenants == nil {
		return "", false
	}
	one := t.Tenants.At(host)
	if one == nil || t.stating().told[one.ID] == nil {
		return "", false
	}
	return one.ID, true
}

// place is where something is stated, and by whom.
type licencePlace struct {
	imported.PlaceSettings
	own bool // the operator named it
}

// licencePlaces are all places, by site.
func (t *terms) licencePlaces() map[string]licencePlace {
	all := map[string]licencePlace{}
	for _, p := range t.config.Licences.From {
		all[t.config.licenceSite(p)] = licencePlace{p, true}
	}
	if t.config.Licences.Tenants && t.Tenants != nil {
		for _, one := range t.Tenants.List() {
			if _, named := all[one.ID]; !named {
				all[one.ID] = licencePlace{imported.PlaceSettings{Site: one.ID, URL: "https://" + one.Domains[0] + "/"},
					false}
			}
		}
	}
	return all
}

// licenceTime is the longest that a reading may take.
const licenceTime = 10 * time.Minute

// ReadLicences reads what a site, or a tenant, states, and keeps it in the place of what was read
// before; full asks for documents too that say that they are what they were. Where anything fails
// the old stays, and the error says why. begun is false where nothing is to be read, or somebody
// does already.
func (t *terms) ReadLicences(ctx context.Context, site string, full bool) (begun bool, err error) {
	place, ok := t.licencePlaces()[site]
	if !ok {
		return false, nil
	}
	if begun, err = t.Stated.Claim(ctx, site); err != nil || !begun {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, licenceTime)
	defer cancel()
	err = t.readLicences(ctx, site, place, full)
	if err == nil {
		return true, nil
	}
	after, done := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer done()
	if errors.Is(ctx.Err(), context.Canceled) { // the server stops
		return true, errors.Join(err, t.Stated.Release(after, site))
	}
	return true, errors.Join(err,
		t.Stated.RecordFailure(after, site, err, t.now().Add(min(t.config.Licences.Every, tryAgain))))
}

func (t *terms) readLicences(ctx context.Context, site string, place licencePlace, full bool) error {
	asking := imported.Request{
		Site: site, URL: place.URL, Own: place.own, Hosts: t.hostsOf(site),
		ServedHere:    t.Tenants == nil || t.Tenants.Get(site) == nil,
		PlainSitemaps: t.Tenants != nil && t.Tenants.Get(site) != nil, Visitor: t.visitor,
		Full: full, Now: t.now,
	}
	if asking.PlainSitemaps {
		asking.Pages = t.config.Licences.Pages
	}
	var more bool
	var err error
	if asking.LicencePlaces, more, err = t.licencesNamed(ctx, site); err != nil {
		return err
	}
	if asking.Previous, _, err = t.Stated.Load(ctx, site); err != nil {
		t.log.Warn("what was read of licences before cannot be read, so everything is asked for", "site", site,
			"error", err)
	}
	snapshot, err := imported.Read(ctx, asking)
	if err != nil {
		return err
	}
	rules, err := snapshot.Terms(asking.Hosts, 0).RSL()
	if err != nil {
		return fail.New(fail.Invalid, "%v", err)
	}
	for _, why := range rules.Unread() {
		t.log.Warn("what a site states permits nothing, since it cannot be read", "site", site, "detail", why)
		snapshot.Notes = append(snapshot.Notes, why)
	}
	if more {
		snapshot.Notes = append(snapshot.Notes,
			fmt.Sprintf("the pages of the site name more than %d places of licences; the others are not read",
				ingest.MaxLicencePlaces))
	}
	return t.Stated.Put(ctx, snapshot, t.now().Add(t.config.Licences.Every), place.AllowShrink)
}

// licencesNamed are the places of licences that the pages of a site name, as its sources were last
// read.
func (t *terms) licencesNamed(ctx context.Context, site string) (places []string, more bool, err error) {
	for _, source := range t.allSources() {
		if source.Site != site || source.URL == "" {
			continue
		}
		named, beyond, err := ingest.LicencePlaces(ctx, t.Catalog, site, source.Name)
		if err != nil {
			return nil, false, err
		}
		for _, place := range named {
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
		more = more || beyond
	}
	if len(places) > ingest.MaxLicencePlaces {
		places, more = places[:ingest.MaxLicencePlaces], true
	}
	return places, more, nil
}

// kindOf is what kind of source one of content's is (RAMP v1, IngestionSource): what is crawled,
// what a feed or a CMS hands out, or what the owner put there.
func (c Config) kindOf() func(site, source string) imported.Source {
	kinds := map[[2]string]imported.Source{}
	for _, s := range c.AllSources() {
		kind := imported.Manual
		switch {
		case s.URL == "":
		case s.Kind == "feed" || s.Kind == "data" || s.Kind == "schemamap" || s.Kind == "wordpress":
			kind = imported.CMS
		default:
			kind = imported.Crawl
		}
		kinds[[2]string{s.Site, s.Name}] = kind
	}
	return func(site, source string) imported.Source {
		if kind, ok := kinds[[2]string{site, source}]; ok {
			return kind
		}
		return imported.Manual
	}
}

// Known is what is known of an address at one site or tenant.
type Known struct {
	Site   string          `json:"site"`
	URL    string          `json:"url"`
	Values []catalog.Value `json:"values"`
}

// ValuesOf tells what offers of an address would tell, each value with where it is from, and the
// licences under which it stands.
func (t *terms) ValuesOf(ctx context.Context, address string) (all []Known, err error) {
	if canonical(address) == "" {
		return nil, fail.New(fail.Invalid, "%.200q is no address of the web", address)
	}
	made := catalog.Config{Content: t.Catalog, Pushes: t.Shelves, Imported: t.Told, ImportedHost: t.teller,
		Kind: t.config.kindOf(), Owns: t.owner()}
	goods, err := catalog.New(made)
	if err != nil {
		return nil, err
	}
	if _, err := goods.Refresh(ctx); err != nil {
		return nil, err
	}
	for _, e := range goods.Find(address) {
		one := Known{Site: e.Site, URL: e.URL, Values: e.Values()}
		for _, l := range t.decisionOn(&e).Licenses(policy.Sale{}) {
			if l.From == nil {
				continue
			}
			text := l.Price.String()
			if text == "" {
				text = "to be asked for"
			}
			source := imported.RSL
			if place := l.From[0]; slices.ContainsFunc(t.Told(e.Site, canonical(e.URL)),
				func(a imported.Address) bool { return a.Place == place && a.Stated != nil }) {
				source = imported.RAMPSitemap
			}
			one.Values = append(one.Values,
				catalog.Value{Name: "licence", Value: text, Source: source, Place: strings.Join(l.From, "; ")})
		}
		all = append(all, one)
	}
	return all, nil
}

// decisionOn is what the terms decide on an entry.
func (t *terms) decisionOn(e *catalog.Entry) policy.Decision {
	if t.Tenants != nil {
		if one := t.Tenants.Get(e.Site); one != nil {
			return t.tenantTerms(one).Decide(e.Facts())
		}
	}
	return t.Terms().Decide(e.Facts())
}
