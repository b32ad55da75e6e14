package imported

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/policy"
	"frontdesk/wire/licence"
)

// This file looks at pages of a site for licences that they name (RAMP v1, Ingestion), where nobody
// else reads its pages. Any of its lists may tell of very many, so that a reading looks at some: at
// those that are new or have changed first, one of each folder before a second of any, and when
// everything is asked for at those that were looked at longest ago. What a page names stays in
// force until it is looked at again, or no list tells of it any more.

// ScannedPage is a page that was searched for links to licences.
type ScannedPage struct {
	URL                string
	At                 time.Time
	Modified           string   `json:",omitempty"` // as the lists had it
	ETag, LastModified string   `json:",omitempty"`
	Links              []string `json:",omitempty"` // the addresses of the documents that it names
	Within             [][]byte `json:",omitempty"` // the documents that stand in it
	Answered           string   `json:",omitempty"` // the address that answered, where some do
}

// The bounds of looking.
const (
	maxLooked   = 10_000 // pages that are remembered
	maxNamed    = 200    // documents that pages name
	lookingTime = 4 * time.Minute
	maxFailing  = 5         // pages one after the other that cannot be had
	maxWithin   = 256 << 10 // bytes of the documents that stand in one page
)

var mediaSign = []byte("rsl+xml") // which stands in every page that names a licence

// look looks at pages, as many as Pages says.
func (r *reading) look(ctx context.Context) error {
	known := map[string]*ScannedPage{}
	if r.Previous != nil {
		for i := range r.Previous.Looked {
			known[r.Previous.Looked[i].URL] = &r.Previous.Looked[i]
		}
	}
	var looked []*ScannedPage
	var fresh, old []*ScannedPage // to be looked at
	seen := map[string]bool{r.root.String(): true}
	for _, a := range r.out.Addresses {
		if seen[a.URL] {
			continue
		}
		seen[a.URL] = true
		one := &ScannedPage{URL: a.URL, Modified: a.Modified}
		switch before := known[a.URL]; {
		case before == nil:
			fresh = append(fresh, one)
			continue
		case before.Modified != a.Modified:
			copied := *before
			copied.Modified = a.Modified
			one = &copied
			fresh = append(fresh, one)
		default:
			copied := *before
			one = &copied
			old = append(old, one)
		}
		looked = append(looked, one)
	}
	spread(fresh)
	slices.SortStableFunc(old, func(a, b *ScannedPage) int { return a.At.Compare(b.At) })
	if !r.Full {
		old = nil
	}
	begun, failing := r.Now(), 0
	for i, one := range slices.Concat(fresh, old) {
		if i >= r.Pages || failing >= maxFailing || r.Now().Sub(begun) > lookingTime {
			break
		}
		if known[one.URL] == nil {
			if len(looked) >= maxLooked {
				continue
			}
			looked = append(looked, one)
		}
		had, err := r.lookAt(ctx, one)
		if err != nil {
			return err
		}
		if failing++; had {
			failing = 0
		}
	}
	if failing >= maxFailing {
		r.note("%d pages one after the other could not be looked at for licences that they name; what they named "+
			"before stays", failing)
	}
	slices.SortFunc(looked, func(a, b *ScannedPage) int { return cmp.Compare(a.URL, b.URL) })
	for _, one := range looked {
		r.out.Looked = append(r.out.Looked, *one)
	}
	return nil
}

// spread puts one page of each folder before a second of any.
func spread(pages []*ScannedPage) {
	place, of := map[*ScannedPage]int{}, map[string]int{}
	for _, one := range pages {
		folder := one.URL[:strings.LastIndexByte(one.URL, '/')+1]
		place[one] = of[folder]
		of[folder]++
	}
	slices.SortStableFunc(pages, func(a, b *ScannedPage) int { return cmp.Compare(place[a], place[b]) })
}

// lookAt looks at a page. had is false where it could not be had: then what it named stays.
func (r *reading) lookAt(ctx context.Context, one *ScannedPage) (had bool, err error) {
	at, err := url.Parse(one.URL)
	if err != nil {
		return true, nil // and no page
	}
	one.At = r.Now().UTC()
	response, err := r.Visitor.Get(ctx, fetch.Request{
		URL: one.URL, MaxBytes: maxPage, Truncate: true, Own: r.Own && strings.EqualFold(at.Host, r.root.Host),
		ETag: one.ETag, LastModified: one.LastModified,
	})
	var failed *fetch.Error
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.As(err, &failed) && failed.Reason == fetch.Disallowed:
		one.Links, one.Within, one.Answered = nil, nil, ""
		return true, nil
	case err != nil:
		return false, nil
	case response.NotModified:
		return true, nil
	case response.Status == http.StatusTooManyRequests || response.Status == http.StatusRequestTimeout ||
		response.Status >= 500:
		return false, nil
	}
	one.ETag, one.LastModified, one.Links, one.Within, one.Answered = "", "", nil, nil, ""
	answered, err := url.Parse(response.URL)
	if host, ok := policy.Host(response.URL); err != nil || response.Status != http.StatusOK || !ok ||
		!slices.Contains(r.Hosts, host) {
		return true, nil
	}
	one.ETag, one.LastModified = response.Header.Get("Etag"), response.Header.Get("Last-Modified")
	links := licence.FromLink(response.Header.Values("Link"))
	// a page that is damaged names what can be read
	if body, _ := licence.Text(response.Body); bytes.Contains(bytes.ToLower(body), mediaSign) {
		on := licence.FromPage(body)
		links = append(links, on.Links...)
		if one.Within = on.Documents; len(one.Within) > 0 {
			one.Answered = response.URL
		}
		if size := len(slices.Concat(on.Documents...)); size > maxWithin {
			return false,
				fail.New(fail.Invalid, "the licences in the page %s have %d bytes, and at most %d; put them into a "+
					"document that the page names", one.URL, size, maxWithin)
		}
	}
	for _, link := range links {
		if u := resolve(link, answered); u != nil && !slices.Contains(one.Links, u.String()) {
			one.Links = append(one.Links, u.String())
		}
	}
	return true, nil
}

// lookedAt reads the documents that pages name, and takes those that stand in them. The same one in
// many pages counts once.
func (r *reading) lookedAt(ctx context.Context) error {
	named := map[string]bool{}
	first := func(what string) bool {
		if named[what] || len(named) == maxNamed {
			return false
		}
		named[what] = true
		return true
	}
	for _, one := range r.out.Looked {
		for _, link := range one.Links {
			if !first(link) {
				continue
			}
			if err := r.document(ctx, link, r.root, true); err != nil {
				return err
			}
		}
		for i, text := range one.Within {
			if !first(within(one.Answered, text)) {
				continue
			}
			if err := r.take(one.Answered+"#"+strconv.Itoa(i+1), text); err != nil {
				return err
			}
		}
	}
	if len(named) == maxNamed {
		r.note("pages of the site name %d places of licences or more; no others are read", maxNamed)
	}
	return nil
}

// within tells documents in pages from one another: the same text says the same in each page of a
// host, unless it has a pattern that is relative to the page.
func within(page string, text []byte) string {
	host, _ := policy.Host(page)
	document, err := licence.Parse(text)
	if err != nil ||
		slices.ContainsFunc(document.Contents, func(c licence.Content) bool {
			return !strings.HasPrefix(c.URL, "/") && !strings.Contains(c.URL, "://")
		}) {
		host = page
	}
	return fmt.Sprintf("%s %x", host, sha256.Sum256(text))
}
