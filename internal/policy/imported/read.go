package imported

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/policy"
	"frontdesk/wire/licence"
	"frontdesk/wire/licence/sitemap"
)

// Request says what to read of a site.
type Request struct {
	Site string
	// URL is the site's first page, from whose host everything else is found.
	URL string
	// Own says that the operator named the address himself (fetch.Request).
	Own bool
	// Hosts are those of which the site may speak, in canonical form.
	Hosts []string
	// PlainSitemaps takes up the addresses of sitemaps too of which nothing more is told: they are
	// for sale though nothing of them is here.
	PlainSitemaps bool
	// ServedHere says that the site is served here: what a front desk made of its owner's terms is
	// not what the site says beside them.
	ServedHere bool
	// LicencePlaces are places of licences that other pages of the site than the first name
	// (ingest.LicencePlaces): addresses of documents, and those of pages and feeds that have some,
	// with #page or #feed behind.
	LicencePlaces []string
	// Previous is what was read last; nil for nothing. Its documents are kept where the site says
	// that they are what they were, and its posts unless they changed.
	Previous *Snapshot
	// Full asks for every document and every list, whatever is known of them.
	Full bool
	// Pages is how many pages of the site are looked at for licences that they name, beside the
	// first.
	Pages int
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	Visitor  *fetch.Crawler
	MaxBytes int64 // of a list, unpacked; 0 for maxList
}

// The bounds of a reading.
const (
	MaxAddresses = 200_000
	maxLists     = 1000
	maxLevels    = 5
	maxFeeds     = 3
	maxNotes     = 20
	maxList      = 64 << 20
	maxPage      = 4 << 20
	maxDocuments = 64 << 20 // bytes of all documents
)

// Read asks a site for all that it states: its RSL documents by the lines `License:` of its
// robots.txt, the Link header and the elements link and script of its first page, its feeds, what
// other pages are known to name or name when they are looked at, and /rsl.txt; and its sitemaps, by
// their usual names and the lines `Sitemap:`. What fails, breaks off or cannot be read ends the
// reading with an error, which says where; what is not there does not.
func Read(ctx context.Context, a Request) (*Snapshot, error) {
	root, err := url.Parse(a.URL)
	if err != nil || root.Host == "" {
		return nil, fail.New(fail.Invalid, "%q is no address of the web", a.URL)
	}
	if a.MaxBytes <= 0 {
		a.MaxBytes = maxList
	}
	if a.Now == nil {
		a.Now = time.Now
	}
	r := &reading{Request: a, root: root, out: &Snapshot{Site: a.Site}, known: map[string]Place{},
		asked: map[string]bool{}, told: map[string]int{}}
	if a.Previous != nil && !a.Full {
		for _, place := range a.Previous.Places {
			r.known[place.URL] = place
		}
	}
	rules, err := a.Visitor.Robots(ctx, a.URL, a.Own)
	if err != nil {
		return nil, fail.New(fail.Invalid, "%v", err).Wrap(err)
	}
	var licenses, sitemaps []string
	if rules != nil {
		licenses, sitemaps = rules.Licenses, rules.Sitemaps
	}
	for _, address := range append([]string{"/sitemap_index.xml", "/sitemap.xml"}, sitemaps...) {
		if err := r.list(ctx, listed{address: address, base: root}); err != nil {
			return nil, err
		}
	}
	if r.PlainSitemaps {
		if err := r.posts(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.look(ctx); err != nil {
		return nil, err
	}
	if err := r.documents(ctx, licenses); err != nil {
		return nil, err
	}
	if r.others > 0 {
		r.note("%d addresses of sitemaps are of other hosts, and were passed over", r.others)
	}
	if r.beyond > 0 {
		r.note("the sitemaps tell of %d addresses more than the %d that are read", r.beyond, MaxAddresses)
	}
	return r.out, nil
}

// reading is a Read at work.
type reading struct {
	Request
	root   *url.URL
	out    *Snapshot
	known  map[string]Place
	asked  map[string]bool // addresses
	told   map[string]int  // addresses of which something is told, by their places in what is read, from 1
	lists  int
	others int
	beyond int
	bytes  int // of the documents
}

func (r *reading) note(format string, args ...any) {
	if len(r.out.Notes) < maxNotes {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf(format, args...))
	}
}

// documents reads the RSL documents, in the order in which they count.
func (r *reading) documents(ctx context.Context, named []string) error {
	for _, address := range named {
		if err := r.document(ctx, address, r.root, true); err != nil {
			return err
		}
	}
	page, err := r.get(ctx, r.root, maxPage, true)
	if err != nil {
		return err
	}
	if page != nil && page.Status == http.StatusOK {
		if err := r.page(ctx, page); err != nil {
			return err
		}
	}
	for _, place := range r.LicencePlaces {
		if err := r.named(ctx, place); err != nil {
			return err
		}
	}
	if err := r.lookedAt(ctx); err != nil {
		return err
	}
	return r.document(ctx, "/rsl.txt", r.root, false)
}

// named reads a place of licences that some page of the site names.
func (r *reading) named(ctx context.Context, place string) error {
	address, kind, _ := strings.Cut(place, "#")
	switch kind {
	case "feed":
		return r.feed(ctx, address, r.root)
	case "page":
	default:
		return r.document(ctx, address, r.root, true)
	}
	at := resolve(address, r.root)
	if at == nil || r.asked[at.String()+"#page"] || at.String() == r.root.String() {
		return nil
	}
	r.asked[at.String()+"#page"] = true
	page, err := r.get(ctx, at, maxPage, true)
	if err != nil || page == nil || page.Status != http.StatusOK {
		return err
	}
	for i, text := range onPage(page.Body).Documents {
		if err := r.take(fmt.Sprintf("%s#%d", page.URL, i+1), text); err != nil {
			return err
		}
	}
	return nil
}

// page reads what the first page names, and what stands in it.
func (r *reading) page(ctx context.Context, page *fetch.Response) error {
	at, err := url.Parse(page.URL)
	if err != nil {
		return err
	}
	on := onPage(page.Body)
	for _, address := range slices.Concat(licence.FromLink(page.Header.Values("Link")), on.Links) {
		if err := r.document(ctx, address, at, true); err != nil {
			return err
		}
	}
	for i, text := range on.Documents {
		if err := r.take(fmt.Sprintf("%s#%d", page.URL, i+1), text); err != nil {
			return err
		}
	}
	for _, address := range on.Feeds[:min(len(on.Feeds), maxFeeds)] {
		if err := r.feed(ctx, address, at); err != nil {
			return err
		}
	}
	return nil
}

// resolve makes an address absolute, without its fragment; nil for what is none.
func resolve(address string, base *url.URL) *url.URL {
	u, err := base.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	return u
}

// document reads an RSL document; named says that the site names it, and it is not only looked for.
func (r *reading) document(ctx context.Context, address string, base *url.URL, named bool) error {
	at := resolve(address, base)
	if at == nil {
		r.note("%.200q is named as the place of a licence, and is no address", address)
		return nil
	}
	if r.asked[at.String()] {
		return nil
	}
	r.asked[at.String()] = true
	response, err := r.get(ctx, at, licence.MaxBytes, false)
	switch {
	case err != nil:
		return err
	case response == nil || response.Status != http.StatusOK && !response.NotModified:
		if named {
			r.note("%s is named as the place of a licence, and is not there", at)
		}
		return nil
	case response.NotModified:
		for _, d := range r.Previous.Documents {
			if d.Place == at.String() {
				r.out.Documents = append(r.out.Documents, d)
			}
		}
		return nil
	case !named && isPage(response.Body):
		return nil // sites that answer everything with a page have no document there
	}
	return r.take(at.String(), response.Body)
}

// onPage is what a page names of licences, in UTF-16 too.
func onPage(body []byte) licence.OnPage {
	text, _ := licence.Text(body) // a page that is damaged names what can be read
	return licence.FromPage(text)
}

// isPage says whether a body is a page of HTML, or nothing.
func isPage(body []byte) bool {
	body, _ = licence.Text(body[:min(len(body), 2048)])
	head := bytes.ToLower(bytes.TrimLeft(body[:min(len(body), 512)], "\ufeff \t\r\n"))
	return len(head) == 0 || bytes.HasPrefix(head, []byte("<!doctype html")) ||
		bytes.HasPrefix(head, []byte("<html")) || head[0] != '<'
}

// take keeps a document that can be read, and says what is wrong with another.
func (r *reading) take(place string, text []byte) error {
	if r.bytes += len(text); r.bytes > maxDocuments {
		return fail.New(fail.Invalid, "the licences of the site have more than %d bytes in all, those at %s among them",
			maxDocuments, place)
	}
	if r.ServedHere && marked(text) {
		r.note("the licences at %s were made by a front desk of its owner's terms, and are not read back", place)
		return nil
	}
	d := Document{Place: place, Text: text}
	document, err := licence.Parse(text)
	if err == nil {
		_, err =
			policy.ImportedTerms{Documents: []policy.ImportedDocument{{Name: place, Base: place,
				Document: document}}}.RSL()
	}
	if err != nil {
		return fail.New(fail.Invalid, "the licences at %s cannot be read: %v", place, err)
	}
	if len(document.Contents) > 0 {
		r.out.Documents = append(r.out.Documents, d)
	}
	return nil
}

// marked says whether a document is one that a front desk made.
func marked(text []byte) bool {
	return bytes.Contains(text[:min(len(text), 1024)], []byte(licence.Mark))
}

// feed reads what a feed carries of RSL. One that cannot be had or read counts only where it
// carried something before.
func (r *reading) feed(ctx context.Context, address string, base *url.URL) error {
	at := resolve(address, base)
	if at == nil || r.asked[at.String()] {
		return nil
	}
	had := r.Previous != nil &&
		slices.ContainsFunc(r.Previous.Documents, func(d Document) bool { return d.Place == at.String() })
	before := len(r.out.Documents)
	if err := r.document(ctx, address, base, true); err != nil {
		if had || ctx.Err() != nil {
			return err
		}
		r.note("the feed %s is not looked at for licences: %v", at, err)
		r.out.Documents = r.out.Documents[:before]
	}
	return nil
}

// get asks for an address. It is nil where there is nothing, for good; the error is of what may be
// there another time. whole asks for it whatever is known of it.
func (r *reading) get(ctx context.Context, at *url.URL, most int64, whole bool) (*fetch.Response, error) {
	request := fetch.Request{URL: at.String(), MaxBytes: most, Truncate: whole, Own: r.Own &&
		strings.EqualFold(at.Host, r.root.Host)}
	if known, ok := r.known[at.String()]; ok && !whole {
		request.ETag, request.LastModified = known.ETag, known.LastModified
	}
	response, err := r.Visitor.Get(ctx, request)
	var failed *fetch.Error
	switch {
	case errors.As(err, &failed) && failed.Reason == fetch.Disallowed:
		r.note("the site's robots.txt keeps visitors from %s", at)
		return nil, nil
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fail.New(fail.Invalid, "%v", err).Wrap(err)
	}
	switch s := response.Status; {
	case response.NotModified && r.Previous != nil:
	case s == http.StatusOK:
	case s >= 400 && s < 500 && s != http.StatusTooManyRequests && s != http.StatusRequestTimeout:
		return nil, nil
	default:
		return nil, fail.New(fail.Invalid, "%s answers with status %d; what was read before stays", at, s)
	}
	if !whole {
		r.out.Places = append(r.out.Places, Place{URL: at.String(), ETag: response.Header.Get("Etag"),
			LastModified: response.Header.Get("Last-Modified")})
		if last := &r.out.Places[len(r.out.Places)-1]; response.NotModified && *last == (Place{URL: at.String()}) {
			*last = r.known[at.String()]
		}
	}
	return response, nil
}

// listed is a list that is to be read.
type listed struct {
	address  string
	base     *url.URL
	of       string // the list that names it; empty for none
	modified string // as that has it
	level    int
}

// list reads a sitemap, or an index of them with what it names.
func (r *reading) list(ctx context.Context, l listed) error {
	at := resolve(l.address, l.base)
	if at == nil || r.asked[at.String()] || l.level > maxLevels {
		return nil
	}
	if r.lists++; r.lists > maxLists {
		return fail.New(fail.Invalid, "the site has more than %d sitemaps", maxLists)
	}
	r.asked[at.String()] = true
	if known, ok := r.known[at.String()]; ok && l.modified != "" && known.Modified == l.modified {
		r.out.Places = append(r.out.Places, known)
		return r.again(ctx, at, l.level)
	}
	response, err := r.get(ctx, at, r.MaxBytes, false)
	if err != nil || response == nil {
		return err
	}
	last := &r.out.Places[len(r.out.Places)-1]
	last.Modified, last.Of = l.modified, l.of
	if response.NotModified {
		return r.again(ctx, at, l.level)
	}
	body, err := unzip(response.Body, r.MaxBytes)
	if err != nil {
		return fail.New(fail.Invalid, "the sitemap %s cannot be unpacked: %v", at, err)
	}
	if body, err = licence.Text(body); err != nil {
		return fail.New(fail.Invalid, "the sitemap %s cannot be read: %v", at, err)
	}
	if isPage(body) {
		return nil
	}
	if r.ServedHere && marked(body) {
		r.note("the sitemap %s was made by a front desk of its owner's terms, and is not read back", at)
		return nil
	}
	var named []sitemap.Entry
	_, err = sitemap.Read(bytes.NewReader(body), func(e sitemap.Entry) error {
		if e.List {
			named = append(named, e)
			return nil
		}
		r.address(e, at)
		return nil
	})
	if err != nil {
		return fail.New(fail.Invalid, "the sitemap %s: %v", at, err)
	}
	for _, e := range named {
		if err := r.list(ctx, listed{e.URL, at, at.String(), e.Modified, l.level + 1}); err != nil {
			return err
		}
	}
	return nil
}

// again takes what a list said before, which is what it says. Lists that it names may be others by
// now, and are asked for.
func (r *reading) again(ctx context.Context, at *url.URL, level int) error {
	for _, a := range r.Previous.Addresses {
		if a.Place == at.String() {
			r.tell(a)
		}
	}
	for _, child := range r.Previous.Places {
		if child.Of == at.String() {
			if err := r.list(ctx, listed{child.URL, at, child.Of, "", level + 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

// address takes an address of a list. Where two tell of the same, what says more counts.
func (r *reading) address(e sitemap.Entry, at *url.URL) {
	if e.Stated == nil && !r.PlainSitemaps {
		return
	}
	u := resolve(e.URL, at)
	if u == nil {
		return
	}
	host, ok := policy.Host(u.String())
	switch {
	case !ok || !slices.Contains(r.Hosts, host):
		r.others++
		return
	}
	one := Address{URL: u.String(), Place: at.String(), Source: Sitemap, Modified: e.Modified}
	if e.Stated != nil {
		one.Source, one.Stated = RAMPSitemap, e.Stated
	}
	r.tell(one)
}

func (r *reading) tell(one Address) {
	key := one.URL
	if one.Source == CMS { // whose title and words count beside what sitemaps tell
		key += " " + string(CMS)
	}
	switch before := r.told[key]; {
	case before > 0 && (r.out.Addresses[before-1].Stated != nil || one.Stated == nil):
	case before > 0:
		r.out.Addresses[before-1] = one
	case len(r.out.Addresses) == MaxAddresses:
		r.beyond++
	default:
		r.out.Addresses = append(r.out.Addresses, one)
		r.told[key] = len(r.out.Addresses)
	}
}

// unzip unpacks a body that is a file of gzip's.
func unzip(body []byte, most int64) ([]byte, error) {
	if len(body) < 2 || body[0] != 0x1f || body[1] != 0x8b {
		return body, nil
	}
	from, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	unpacked, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(unpacked)) > most:
		return nil, fmt.Errorf("it has more than %d bytes", most)
	}
	return unpacked, nil
}
