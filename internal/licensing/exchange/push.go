package exchange

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// attestedAt is where something is attested, and which entries say so in which versions.
type attestedAt struct{ tenant, address, versions string }

// attestationsKept is how many attestations are remembered as they were read, in quarters of one.
const attestationsKept = 100_000

// PushedEntry is one entry of a push, with its attestations or the reason for its refusal.
type PushedEntry struct {
	Domain, Path string
	URI          string     // of what is no page of the web, where it has no path
	Entry        push.Entry // without what names it
	Attestations []*rampv1.ResourceAttestation
	// Reason and Detail say why it cannot be taken, where that is known already; Reason is one of
	// those below, or empty.
	Reason, Detail string
}

// Why entries are refused, beside what [attestation.Reason] has.
const (
	RefusedEntry     = "INVALID_ENTRY"
	RefusedPath      = "INVALID_PATH"
	RefusedDomain    = "DOMAIN_NOT_OF_TENANT"
	RefusedExtension = "UNKNOWN_CRITICAL_EXTENSION"
	RefusedPatterns  = "TOO_MANY_PATTERNS"
)

// maxPatterns is how many entries of a tenant may have a star within their path.
const maxPatterns = 1000

// mayPush says why a caller may do nothing with the entries of a tenant. Of tenants that are not
// the caller's it does not tell whether there are any.
func (s *Suppliers) mayPush(by *requesters.PushClient, tenant string) error {
	switch {
	case !by.May(tenant) || !s.assortment.serves(tenant) && s.assortment.deps.Push.Tenants.Get(tenant) == nil:
		return fail.New(fail.Forbidden, "the caller %s may not push for the tenant %.80q; it may for %s", by.ID, tenant,
			strings.Join(by.Tenants, ", "))
	}
	return nil
}

// lane bounds what pushing takes of the processors, whoever pushes how much: one of them is always
// left to who asks. What waits for others, for a database or a provider's documents, waits outside.
type lane chan struct{}

func newLane() lane { return make(lane, max(1, runtime.GOMAXPROCS(0)-1)) }

// do does something that takes no more than a few milliseconds and waits for nobody.
func (l lane) do(work func()) {
	l <- struct{}{}
	defer func() { <-l }()
	work()
}

// Push takes n entries over into a tenant's catalog, which entry gives, called by many goroutines:
// each that is good counts from when it returns, here at once and at other nodes within seconds; of
// the others it is kept why they were refused (RAMP v1, PushResources). All of the request is kept,
// or nothing.
func (s *Suppliers) Push(ctx context.Context, by *requesters.PushClient, tenant string, n int,
	entry func(int) PushedEntry) (accepted, rejected int, err error) {
	if err := s.mayPush(by, tenant); err != nil {
		return 0, 0, err
	}
	if n == 0 {
		return 0, 0, nil
	}
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	all := make([]PushedEntry, n)
	if err := s.pushable(ctx, all, entry, pushing{by, tenant, now}); err != nil {
		return 0, 0, err
	}
	batch := push.Batch{Tenant: tenant, Patterns: maxPatterns, Over: func(e *push.Entry) push.Rejection {
		return push.Rejection{
			At: now, Caller: by.ID, Address: e.Address, Reason: RefusedPatterns,
			Detail: fmt.Sprintf("a tenant may have %d entries with a star within their path; end the path in a slash "+
				"or a star instead", maxPatterns),
		}
	}}
	last := map[string]int{} // of what has one address the last counts
	for i := range all {
		if p := &all[i]; p.Reason != "" {
			batch.Refused = append(batch.Refused,
				push.Rejection{At: now, Caller: by.ID, Address: cmp.Or(p.URI, p.Domain+p.Path), Reason: p.Reason,
					Detail: p.Detail})
			continue
		}
		accepted++
		if at, twice := last[all[i].Entry.Address]; twice {
			batch.Entries[at] = &all[i].Entry
			continue
		}
		last[all[i].Entry.Address] = len(batch.Entries)
		batch.Entries = append(batch.Entries, &all[i].Entry)
	}
	s.pushLane.do(func() { err = batch.Write() })
	if err == nil {
		err = s.deps.Fault("push")
	}
	var over int
	if err == nil {
		over, err = s.assortment.deps.Push.Store.Put(ctx, batch)
	}
	if err == nil {
		err = s.deps.Fault("pushed")
	}
	if err != nil {
		return 0, 0, err
	}
	s.pushes(ctx)
	return accepted - over, len(batch.Refused) + over, nil
}

// pushes has the catalog follow what was pushed. Where that fails, the next look at the catalog
// does it.
func (s *Suppliers) pushes(ctx context.Context) {
	var changed bool
	var err error
	s.pushLane.do(func() { changed, err = s.assortment.deps.Catalog.FollowPushes(context.WithoutCancel(ctx)) })
	if err != nil {
		s.deps.Log.Warn("what was pushed is not in the catalog yet; that is tried again", "error", err)
	}
	if changed {
		s.assortment.state.tell()
	}
}

// pushing is by whom entries are pushed, for whom, and when.
type pushing struct {
	by     *requesters.PushClient
	tenant string
	now    time.Time
}

// pushable gives all entries, looks at each, and says in it why it is refused. The error is of what
// may be another time.
func (s *Suppliers) pushable(ctx context.Context, all []PushedEntry, entry func(int) PushedEntry, p pushing) error {
	group, ctx := errgroup.WithContext(ctx)
	const together = 32
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(all); from += together {
		some := all[from:min(from+together, len(all))]
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.pushLane.do(func() {
				for i := range some {
					if some[i] = entry(from + i); some[i].Reason == "" {
						s.place(&some[i], p)
					}
				}
			})
			return s.lookAll(ctx, some, p)
		})
	}
	return group.Wait()
}

// lookAll is look for many that have their places: what of them needs nobody's documents is
// reckoned in one turn.
func (s *Suppliers) lookAll(ctx context.Context, some []PushedEntry, p pushing) error {
	subjects := make([]attestation.Subject, len(some))
	verifiers, any := map[string]bool{}, false
	for i := range some {
		if some[i].Reason != "" {
			continue
		}
		if err := s.look(ctx, &some[i], &subjects[i], p); err != nil {
			return err
		}
		for _, a := range some[i].Attestations {
			any = true
			if s.attested.Trusts(subjects[i], a) {
				verifiers[a.GetVerifier()] = true
			}
		}
	}
	if !any {
		return nil
	}
	known := s.attested.Prefetched(ctx, verifiers)
	var left []int
	var err error
	s.pushLane.do(func() {
		for i := range some {
			if some[i].Reason != "" || len(some[i].Attestations) == 0 || err != nil {
				continue
			}
			if err = some[i].attested(ctx, known, subjects[i]); errors.Is(err, attestation.ErrNotPrefetched) {
				left, err = append(left, i), nil
			}
		}
	})
	for _, i := range left {
		if err == nil {
			err = some[i].attested(ctx, s.attested, subjects[i])
		}
	}
	return err
}

// place says where an entry is, if that is one of the tenant's places.
func (s *Suppliers) place(one *PushedEntry, p pushing) {
	if one.URI != "" {
		s.placeURI(one, p)
		return
	}
	uri := "https://" + one.Domain + one.Path
	canonical, err := catalog.Canonical(uri)
	if err != nil || !strings.HasPrefix(one.Path, "/") || strings.ContainsRune(one.Path, '#') {
		one.refuse(RefusedPath, "the path has to begin with a slash, and to be one of an address of the web")
		return
	}
	if beginning, stars := push.Pattern(one.Path); !sameKind(canonical, beginning, stars) {
		one.refuse(RefusedPath, "the path stands for another kind of address once its dot segments and backslashes "+
			"are read; write it as "+canonical[len(hostOf(canonical)):]+" where that is meant")
		return
	}
	if host := hostOf(canonical); !s.assortment.owns(p.tenant, host) {
		one.refuse(RefusedDomain, "the domain "+host+" is not one of the tenant's")
		return
	}
	one.Entry.Address, one.Entry.Caller, one.Entry.Pushed = canonical, p.by.ID, p.now
}

// placeURI is place for a resource that is no page of the web: its URI is one that the operator
// lets the tenant sell.
func (s *Suppliers) placeURI(one *PushedEntry, p pushing) {
	canonical, err := catalog.CanonicalURI(one.URI)
	switch {
	case err != nil:
		one.refuse(RefusedPath, err.Error())
	case !s.assortment.has(p.tenant, canonical):
		one.refuse(RefusedDomain, "the URI begins with none of those that the operator lets the tenant sell "+
			"(frontdesk ramp tenant add --resource)")
	case one.Domain != "" && !s.assortment.owns(p.tenant, one.Domain):
		one.refuse(RefusedDomain, "the domain "+one.Domain+" is not one of the tenant's")
	default:
		one.Entry.Address, one.Entry.Caller, one.Entry.Pushed = canonical, p.by.ID, p.now
	}
}

// provider is the domain that provides what is at an address: its host, or, of what is no page of
// the web, the domain that the entry names, or else the tenant's first.
func (a *Assortment) provider(tenant, canonical, named string) string {
	if host := hostOf(canonical); host != "" || named != "" {
		return cmp.Or(host, named)
	}
	return slices.Concat(a.hostsOf(tenant), []string{""})[0]
}

// sameKind says whether an address is of a kind: a beginning, a pattern with stars, or itself. A
// path like /a/.. does not end in a slash, and so must not be sold as everything that there is.
func sameKind(canonical string, beginning, stars bool) bool {
	b, s := push.Pattern(canonical)
	return b == beginning && s == stars
}

// look looks whether an entry that has its place may be there, and says what its attestations have
// to be of.
func (s *Suppliers) look(ctx context.Context, one *PushedEntry, subject *attestation.Subject, p pushing) (err error) {
	e, host := &one.Entry, s.assortment.provider(p.tenant, one.Entry.Address, one.Domain)
	*subject = attestation.Subject{Provider: host, URI: cmp.Or(one.URI, "https://"+one.Domain+one.Path)}
	if domain := p.by.Domain; domain != "" && domain != host && !s.assortment.owns(p.tenant, domain) {
		e.Author, subject.Caller = domain, domain
		if subject.Contributor, err = s.deps.Contributes(ctx, host, domain); err != nil {
			return err
		}
		if !subject.Contributor {
			one.refuse(string(attestation.UnauthorizedContributor),
				domain+" is not among the catalog_contributors of the ramp.json of "+host)
		}
	}
	return nil
}

// attested looks whether what is attested of an entry holds, and writes it as it is kept.
func (p *PushedEntry) attested(ctx context.Context, checker *attestation.Checker, subject attestation.Subject) error {
	checked, err := checker.Check(ctx, subject, p.Attestations)
	var wrong *attestation.Rejection
	switch {
	case errors.As(err, &wrong):
		p.refuse(string(wrong.Reason), wrong.Error())
		return nil
	case err != nil:
		return err
	}
	for _, a := range checked {
		text, err := ramp.Marshal(a.ResourceAttestation)
		if err != nil {
			return fmt.Errorf("write an attestation: %w", err)
		}
		p.Entry.Attestations = append(p.Entry.Attestations, text)
		claimed, _ := contenthash.Parse(a.Claims.GetFields()["content_hash"].GetStringValue(), "")
		digest := claimed.In(contenthash.SHA256)
		if made := a.AttestedAt.AsTime(); digest != "" &&
			ramp.LevelOf(a.ResourceAttestation, subject.Provider) == ramp.LevelSelf && made.After(p.Entry.ClaimedAt) {
			p.Entry.Claimed, p.Entry.ClaimedAt = digest, made
		}
	}
	return nil
}

func (p *PushedEntry) refuse(reason, detail string) { p.Reason, p.Detail = reason, detail }

// hostOf is the host of a canonical address; empty for a URI that is none of the web.
func hostOf(canonical string) string {
	host, _, _ := strings.Cut(canonical, "/")
	return host
}

// owns says whether a host is a tenant's, or a site's of its own.
func (a *Assortment) owns(tenant, host string) bool {
	if site, ok := a.deps.Push.Site(host); ok {
		return site == tenant
	}
	one := a.deps.Push.Tenants.At(host)
	return one != nil && one.ID == tenant
}

// has says whether an address in canonical form is a tenant's, or a site's of its own: by its host,
// and what is no page of the web as the operator lets the tenant sell it. Sites that are served
// here may have any.
func (a *Assortment) has(tenant, canonical string) bool {
	if host := hostOf(canonical); host != "" {
		return a.owns(tenant, host)
	}
	if one := a.deps.Push.Tenants.Get(tenant); one != nil {
		return one.Has(catalog.URIOf(canonical))
	}
	return a.serves(tenant)
}

// Tenant returns the tenant with a host, and its terms. Hosts of this front desk's own sites have
// none.
func (a *Assortment) Tenant(host string) (id string, terms *policy.Terms, ok bool) {
	if _, own := a.deps.Push.Site(host); own {
		return "", nil, false
	}
	one := a.deps.Push.Tenants.At(host)
	if one == nil {
		return "", nil, false
	}
	return one.ID, a.deps.Push.Terms(one), true
}

// Withdraw takes entries out of a tenant's catalog, by their paths, which stand for all domains of
// the tenant, or by their addresses; a contributor takes out its own alone. It says how many there
// were (RAMP v1, RemoveResources). The error is fail.Invalid for what is neither.
func (s *Suppliers) Withdraw(ctx context.Context, by *requesters.PushClient, tenant string,
	paths []string) (removed int, err error) {
	if err := s.mayPush(by, tenant); err != nil {
		return 0, err
	}
	author := ""
	if by.Domain != "" && !s.assortment.owns(tenant, by.Domain) {
		author = by.Domain
	}
	var addresses []string
	for i, path := range paths {
		uris := []string{path}
		if strings.HasPrefix(path, "/") {
			uris = nil
			for _, host := range s.assortment.hostsOf(tenant) {
				uris = append(uris, "https://"+host+path)
			}
		}
		for _, uri := range uris {
			canonical, err := catalog.CanonicalURI(uri)
			if err != nil || catalog.IsPage(canonical) && strings.ContainsRune(uri, '#') {
				return 0,
					fail.New(fail.Invalid, "paths[%d]: %.200q is no path and no address; write it like /article or "+
						"https://www.example.com/article", i, path)
			}
			if !s.assortment.has(tenant, canonical) {
				continue // it has none there
			}
			addresses = append(addresses, canonical)
		}
	}
	if err = s.deps.Fault("withdraw"); err == nil {
		removed, err = s.assortment.deps.Push.Store.Remove(ctx, tenant, addresses, author)
	}
	if err == nil {
		err = s.deps.Fault("withdrawn")
	}
	if err != nil {
		return 0, err
	}
	s.pushes(ctx)
	return removed, nil
}

// hostsOf are the hosts of a tenant.
func (a *Assortment) hostsOf(tenant string) []string {
	if one := a.deps.Push.Tenants.Get(tenant); one != nil {
		return one.Domains
	}
	for _, site := range a.deps.Corpus.Sites().All() {
		if site.ID == tenant {
			return site.Hosts
		}
	}
	return nil
}

// Reread begins to read a tenant's content anew, and says whether it does: not where that is going
// on, nor where there is nothing to read (RAMP v1, RefreshCatalog).
func (s *Suppliers) Reread(by *requesters.PushClient, tenant string) (begun bool, err error) {
	if err := s.mayPush(by, tenant); err != nil {
		return false, err
	}
	return s.deps.Reread(tenant), nil
}

// termsFor says under which terms a entry is sold; ok is false for one that is not: what is pushed
// is sold as long as its domain is the tenant's.
func (a *Assortment) termsFor(entry *catalog.Entry, own *policy.Terms) (rules *policy.Terms, tenant *push.Tenant,
	ok bool) {
	if !entry.IsPushed() {
		return own, nil, a.serves(entry.Site)
	}
	canonical, err := catalog.CanonicalURI(entry.URL)
	if err != nil || !a.has(entry.Site, canonical) {
		return nil, nil, false
	}
	if a.serves(entry.Site) {
		return own, nil, true
	}
	one := a.deps.Push.Tenants.Get(entry.Site)
	if one == nil {
		return nil, nil, false
	}
	if one.Mutability != "" && !entry.Pushed.Pattern {
		entry.Mutability = catalog.Mutability(one.Mutability)
	}
	return a.deps.Push.Terms(one), one, true
}

// attestedOf gives what is attested of a entry and holds by now. Where it cannot be told, nothing
// is.
func (a *Assortment) attestedOf(ctx context.Context, entry *catalog.Entry) []*rampv1.ResourceAttestation {
	if !entry.Pushed.Attested {
		return nil
	}
	at := attestedAt{entry.Site, entry.Pushed.At, entry.Pushed.Attests}
	all, known := a.attestations.GetIfPresent(at)
	if !known {
		texts, err := a.deps.Push.Store.Attestations(ctx, at.tenant, at.address, entry.Pushed.AttestedBy)
		if err != nil {
			a.deps.Log.Warn("attestations cannot be read, so an offer tells of none", "error", err)
			return nil
		}
		for _, text := range texts {
			one := &rampv1.ResourceAttestation{}
			if err := ramp.Unmarshal(text, one); err != nil {
				a.deps.Log.Error("an attestation that was kept cannot be read", "error", err)
				continue
			}
			all = append(all, &attestation.Prepared{ResourceAttestation: one})
		}
		a.attestations.Set(at, all)
	}
	var good []*rampv1.ResourceAttestation
	for _, one := range all {
		if one.Uri != entry.URL && one.Uri != entry.Address || outdated(one.ResourceAttestation, entry) {
			continue
		}
		if a.deps.Push.Attested.Holds(ctx, attestation.Subject{Provider: cmp.Or(hostOf(at.address), one.Verifier),
			URI: one.Uri}, one) {
			good = append(good, one.ResourceAttestation)
		}
	}
	return good[:min(len(good), ramp.MaxAttestations)]
}

// outdated says whether a provider attests a hash of its own content that is not what is offered by
// now (RAMP v1, attestation levels). What third parties hash is not compared: each takes the text
// out of a page in its own way.
func outdated(a *rampv1.ResourceAttestation, entry *catalog.Entry) bool {
	method, digest, ok := strings.Cut(a.Claims.GetFields()["content_hash"].GetStringValue(), ":")
	if !ok || ramp.LevelOf(a, hostOf(entry.Pushed.At)) != ramp.LevelSelf {
		return false
	}
	if method = hashMethod(method); method == "sha256" {
		return entry.Pushed.Hashed && !strings.EqualFold(digest, hex.EncodeToString(entry.Hash[:]))
	}
	return method == hashMethod(entry.Pushed.Method) && !strings.EqualFold(digest, entry.Pushed.Digest)
}

// hashMethod is the name of a way to hash in one of its spellings.
func hashMethod(name string) string { return strings.ReplaceAll(strings.ToLower(name), "sha-", "sha") }
