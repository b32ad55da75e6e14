package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/imported"
)

// licensing is what sites state, as it was last taken up. It never changes.
type licensing struct {
	tenants  int64 // the version of the tenants, whose hosts count
	versions map[string]int64
	rules    map[string]*policy.RSL
	told     map[string]*imported.Index
}

// openLicences takes up what was read of licences before.
func (h *House) openLicences(ctx context.Context, config Config) error {
	h.Stated = imported.New(h.db, h.now)
	h.licences.Store(&licensing{})
	_, err := h.takeLicences(ctx, config)
	return err
}

// stating is what sites state, as it was last taken up.
func (h *House) stating() *licensing {
	if now := h.licences.Load(); now != nil {
		return now
	}
	return &licensing{}
}

// takeLicences takes up what was read since it was last looked for, and says whether anything was. Of a site whose licences cannot be used what was taken up
// before stays.
func (h *House) takeLicences(ctx context.Context, config Config) (changed bool, err error) {
	statuses, err := h.Stated.Statuses(ctx)
	if err != nil {
		return false, fmt.Errorf("read what sites state: %w", err)
	}
	before := h.stating()
	next := &licensing{versions: maps.Clone(before.versions), rules: maps.Clone(before.rules), told: maps.Clone(before.told)}
	if next.versions == nil {
		next.versions, next.rules, next.told = map[string]int64{}, map[string]*policy.RSL{}, map[string]*imported.Index{}
	}
	if h.Tenants != nil {
		next.tenants = h.Tenants.Version()
	}
	if next.tenants != before.tenants {
		changed = true
		served := func(site string) bool {
			return slices.ContainsFunc(config.AllSites(), func(s Site) bool { return s.ID == site })
		}
		maps.DeleteFunc(next.versions, func(site string, _ int64) bool { return !served(site) })
		maps.DeleteFunc(next.rules, func(site string, _ *policy.RSL) bool { return !served(site) && h.Tenants.Get(site) == nil })
		maps.DeleteFunc(next.told, func(site string, _ *imported.Index) bool { return !served(site) && h.Tenants.Get(site) == nil })
	}
	var wrong []error
	for _, status := range statuses {
		if status.Version == 0 || status.Version == next.versions[status.Site] {
			continue
		}
		snapshot, version, err := h.Stated.Load(ctx, status.Site)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		next.versions[status.Site], changed = version, true
		rules, err := snapshot.Terms(h.hostsOf(config, status.Site), version).RSL()
		if err != nil {
			wrong = append(wrong, fmt.Errorf("the licences of %s: %w", status.Site, err))
			continue
		}
		next.rules[status.Site], next.told[status.Site] = rules, snapshot.Index(canonical)
	}
	if changed {
		h.licences.Store(next)
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
func (h *House) hostsOf(config Config, site string) (hosts []string) {
	for _, one := range config.AllSites() {
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
	if h.Tenants != nil {
		if one := h.Tenants.Get(site); one != nil {
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
func (h *House) ownLicences(config Config) (all []*policy.RSL) {
	now := h.stating()
	for _, site := range config.AllSites() {
		if rules := now.rules[site.ID]; rules != nil {
			all = append(all, rules)
		}
	}
	return all
}

// Told is what a site or a tenant tells of an address, the first to count first.
func (h *House) Told(site, canonical string) []imported.Address {
	if index := h.stating().told[site]; index != nil {
		return index.At(canonical)
	}
	return nil
}

// teller gives the tenant whose sitemaps tell of a host.
func (h *House) teller(host string) (site string, ok bool) {
	if h.Tenants == nil {
		return "", false
	}
	one := h.Tenants.At(host)
	if one == nil || h.stating().told[one.ID] == nil {
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
func (h *House) licencePlaces(config Config) map[string]licencePlace {
	all := map[string]licencePlace{}
	for _, p := range config.Licences.From {
		all[config.licenceSite(p)] = licencePlace{p, true}
	}
	if config.Licences.Tenants && h.Tenants != nil {
		for _, one := range h.Tenants.List() {
			if _, named := all[one.ID]; !named {
				all[one.ID] = licencePlace{imported.PlaceSettings{Site: one.ID, URL: "https://" + one.Domains[0] + "/"}, false}
			}
		}
	}
	return all
}

// licenceTime is the longest that a reading may take.
const licenceTime = 10 * time.Minute

// ReadLicences reads what a site, or a tenant, states, and keeps it in the place of what was read before; full asks for documents too that say that they
// are what they were. Where anything fails the old stays, and the error says why. begun is false where nothing is to be read, or somebody does already.
func (h *House) ReadLicences(ctx context.Context, config Config, site string, full bool) (begun bool, err error) {
	place, ok := h.licencePlaces(config)[site]
	if !ok {
		return false, nil
	}
	if begun, err = h.Stated.Claim(ctx, site); err != nil || !begun {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, licenceTime)
	defer cancel()
	err = h.readLicences(ctx, config, site, place, full)
	if err == nil {
		return true, nil
	}
	after, done := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer done()
	if errors.Is(ctx.Err(), context.Canceled) { // the server stops
		return true, errors.Join(err, h.Stated.Release(after, site))
	}
	return true, errors.Join(err, h.Stated.RecordFailure(after, site, err, h.now().Add(min(config.Licences.Every, tryAgain))))
}

func (h *House) readLicences(ctx context.Context, config Config, site string, place licencePlace, full bool) error {
	asking := imported.Request{
		Site: site, URL: place.URL, Own: place.own, Hosts: h.hostsOf(config, site), ServedHere: h.Tenants == nil || h.Tenants.Get(site) == nil, PlainSitemaps: h.Tenants != nil && h.Tenants.Get(site) != nil, Visitor: h.visitor,
		Full: full, Now: h.now,
	}
	if asking.PlainSitemaps {
		asking.Pages = config.Licences.Pages
	}
	var more bool
	var err error
	if asking.LicencePlaces, more, err = h.licencesNamed(ctx, config, site); err != nil {
		return err
	}
	if asking.Previous, _, err = h.Stated.Load(ctx, site); err != nil {
		h.log.Warn("what was read of licences before cannot be read, so everything is asked for", "site", site, "error", err)
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
		h.log.Warn("what a site states permits nothing, since it cannot be read", "site", site, "detail", why)
		snapshot.Notes = append(snapshot.Notes, why)
	}
	if more {
		snapshot.Notes = append(snapshot.Notes, fmt.Sprintf("the pages of the site name more than %d places of licences; the others are not read", ingest.MaxLicencePlaces))
	}
	return h.Stated.Put(ctx, snapshot, h.now().Add(config.Licences.Every), place.AllowShrink)
}

// licencesNamed are the places of licences that the pages of a site name, as its sources were last read.
func (h *House) licencesNamed(ctx context.Context, config Config, site string) (places []string, more bool, err error) {
	for _, source := range config.AllSources() {
		if source.Site != site || source.URL == "" {
			continue
		}
		named, beyond, err := ingest.LicencePlaces(ctx, h.Catalog, site, source.Name)
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

// lookAtLicences puts in force what was read since that was last looked for, here or at another node.
func (s *Server) lookAtLicences(ctx context.Context) error {
	s.bringing.Lock()
	defer s.bringing.Unlock()
	changed, err := s.takeLicences(ctx, s.config)
	if changed {
		err = errors.Join(err, s.reloader.added())
		if s.Assortment != nil {
			s.Assortment.Changed()
		}
		s.log.Info("licences that sites state are in force as they were read", "version", s.Terms().Version())
	}
	return err
}

// licenceModule follows what sites state of their licences.
func (s *Server) licenceModule() Module {
	return Module{Jobs: []Job{{"follow licences that sites state", s.followLicences}}}
}

// followLicences puts in force what is read of licences, and reads it where that is due, until ctx ends.
func (s *Server) followLicences(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var reading sync.WaitGroup
	defer reading.Wait()
	busy := make(chan struct{}, 2)
	var failed string
	for {
		err := s.lookAtLicences(ctx)
		if err == nil {
			err = s.dueLicences(ctx, func(site string) {
				select {
				case busy <- struct{}{}:
					reading.Go(func() {
						defer func() { <-busy }()
						s.readLicencesNow(ctx, site, true)
					})
				default: // at the next look
				}
			})
		}
		if now := fmt.Sprint(err); err != nil && ctx.Err() == nil && now != failed {
			s.log.Error("licences that sites state cannot be put in force; those that were stay", "error", err)
			failed = now
		} else if err == nil {
			failed = ""
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// dueLicences calls fn with the sites that are to be read now.
func (s *Server) dueLicences(ctx context.Context, fn func(site string)) error {
	places := s.licencePlaces(s.config)
	if len(places) == 0 {
		return nil
	}
	statuses, err := s.Stated.Statuses(ctx)
	if err != nil {
		return err
	}
	for _, site := range slices.Sorted(maps.Keys(places)) {
		at := slices.IndexFunc(statuses, func(st imported.Status) bool { return st.Site == site })
		if at < 0 || !s.now().Before(statuses[at].Next) {
			fn(site)
		}
	}
	return nil
}

// readLicencesNow reads what a site states, puts it in force, and says what went wrong.
func (s *Server) readLicencesNow(ctx context.Context, site string, full bool) (begun bool) {
	begun, err := s.ReadLicences(ctx, s.config, site, full)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("what a site states of its licences could not be read; what was read before stays", "site", site, "error", err)
	}
	if begun && err == nil {
		if err := s.lookAtLicences(ctx); err != nil {
			s.log.Error("licences that sites state cannot be put in force; those that were stay", "error", err)
		}
	}
	return begun
}

// changedHandler lets the operator's systems say that content has changed.
func (s *Server) changedHandler() http.Handler {
	return api.ChangedHandler(api.Changed{Known: s.tenantAt, Refresh: func(site string, paths []string) bool {
		begin := s.rereads.Load()
		return begin != nil && (*begin)(site, paths)
	}})
}

// kindOf is what kind of source one of content's is (RAMP v1, IngestionSource): what is crawled, what a feed or a CMS hands out, or what the owner put there.
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

// ValuesOf tells what offers of an address would tell, each value with where it is from, and the licences under which it stands.
func (h *House) ValuesOf(ctx context.Context, config Config, address string) (all []Known, err error) {
	if canonical(address) == "" {
		return nil, fail.New(fail.Invalid, "%.200q is no address of the web", address)
	}
	made := catalog.Config{Content: h.Catalog, Pushes: h.Shelves, Imported: h.Told, ImportedHost: h.teller, Kind: config.kindOf(), Owns: h.owner(config)}
	goods, err := catalog.New(made)
	if err != nil {
		return nil, err
	}
	if _, err := goods.Refresh(ctx); err != nil {
		return nil, err
	}
	for _, e := range goods.Find(address) {
		one := Known{Site: e.Site, URL: e.URL, Values: e.Values()}
		for _, l := range h.decisionOn(&e).Licenses(policy.Sale{}) {
			if l.From == nil {
				continue
			}
			text := l.Price.String()
			if text == "" {
				text = "to be asked for"
			}
			source := imported.RSL
			if place := l.From[0]; slices.ContainsFunc(h.Told(e.Site, canonical(e.URL)), func(a imported.Address) bool { return a.Place == place && a.Stated != nil }) {
				source = imported.RAMPSitemap
			}
			one.Values = append(one.Values, catalog.Value{Name: "licence", Value: text, Source: source, Place: strings.Join(l.From, "; ")})
		}
		all = append(all, one)
	}
	return all, nil
}

// decisionOn is what the terms decide on an entry.
func (h *House) decisionOn(e *catalog.Entry) policy.Decision {
	if h.Tenants != nil {
		if one := h.Tenants.Get(e.Site); one != nil {
			return h.tenantTerms(one).Decide(e.Facts())
		}
	}
	return h.Terms().Decide(e.Facts())
}
