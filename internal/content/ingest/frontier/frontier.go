// Package frontier decides which addresses of a site are worth a visit: those inside of the agreed
// bounds, each once, and none of the endless ones (calendars, session ids, pages that link to ever
// more of their kind). It also learns from what was found: where ever more pages say the same, it
// stops.
//
// It fetches nothing and knows nothing of pages but their addresses and what the reader tells of
// them. Its decisions depend only on the order of what it is asked. It stands below ingest.
package frontier

import (
	"hash/maphash"
	"net/url"
	"path"
	"strings"
)

// Options bound a Frontier.
type Options struct {
	// Start is the address at which reading begins. What is below its path is inside, on its host,
	// with or without www.
	Start *url.URL
	// Hosts are further hosts that belong to the site, with all their paths.
	Hosts []string
	// Include and Exclude are patterns of paths, in which * stands for characters of a name and **
	// for any folders. Only what a pattern of Include matches is inside, where there is one, and
	// nothing that one of Exclude matches.
	Include, Exclude []string
	// Pages is the most addresses that are admitted, Depth how many links away from the start one
	// may be.
	Pages, Depth int
}

// Verdict is the decision about an address.
type Verdict int

// The verdicts.
const (
	Admitted Verdict = iota
	Known            // it was offered before
	Outside          // it is not within the bounds, or leads to no page
	Trap             // it looks endless
	Deep             // it is too many links away
	Full             // as many were admitted as may be
)

// Frontier decides about the addresses of one run. It is not safe for concurrent use.
type Frontier struct {
	options  Options
	hosts    map[string]bool
	root     string // the path that Start stands for, without a slash at its end
	seed     maphash.Seed
	seen     map[uint64]struct{}
	refused  map[Verdict]int
	admitted int
	places   map[string]*place
	titles   map[uint64]struct{} // as plainTitle has them
	texts    texts
}

// place is what was learned of addresses that look alike.
type place struct{ fresh, stale int }

// New returns a frontier that has seen no address.
func New(options Options) *Frontier {
	f := &Frontier{
		options: options, hosts: map[string]bool{hostOf(options.Start): true}, seed: maphash.MakeSeed(),
		seen:    map[uint64]struct{}{},
		refused: map[Verdict]int{}, places: map[string]*place{}, titles: map[uint64]struct{}{},
	}
	for _, host := range options.Hosts {
		f.hosts[strings.TrimPrefix(strings.ToLower(host), "www.")] = true
	}
	f.root = strings.TrimSuffix(options.Start.Path, "/")
	if strings.Contains(path.Base("/"+f.root), ".") { // a page, and what lies beside it
		f.root = strings.TrimSuffix(path.Dir(f.root), "/")
	}
	return f
}

func hostOf(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }

// InBounds says whether an address is within the bounds of hosts and paths.
func (f *Frontier) InBounds(u *url.URL) bool {
	host := hostOf(u)
	if !f.hosts[host] {
		return false
	}
	if host == hostOf(f.options.Start) && u.Path != f.root && !strings.HasPrefix(u.Path, f.root+"/") {
		return false
	}
	parts := split(u.Path)
	if len(f.options.Include) > 0 && !anyMatches(f.options.Include, parts) && !same(u, f.options.Start) {
		return false
	}
	return !anyMatches(f.options.Exclude, parts)
}

func same(a, b *url.URL) bool {
	return a.Host == b.Host && a.Path == b.Path && a.RawQuery == b.RawQuery
}

func split(p string) []string { return strings.Split(strings.Trim(p, "/"), "/") }

func anyMatches(patterns, parts []string) bool {
	for _, pattern := range patterns {
		if Matches(split(pattern), parts) {
			return true
		}
	}
	return false
}

// Matches says whether the parts of a path match those of a pattern; a part ** matches any number
// of parts. Its work is bounded by the product of both lengths.
func Matches(pattern, name []string) bool {
	row := make([]bool, len(name)+1) // row[i]: the pattern so far matches the first i parts
	row[0] = true
	for _, part := range pattern {
		next := make([]bool, len(name)+1)
		for i := range next {
			if part == "**" {
				next[i] = row[i] || i > 0 && next[i-1]
			} else if i > 0 && row[i-1] {
				next[i], _ = path.Match(part, name[i-1])
			}
		}
		row = next
	}
	return row[len(name)]
}

// Offer asks for a link that was found depth links away from the start. listed says that the site
// lists the address itself, so that it need not be guessed whether it is worth a visit.
func (f *Frontier) Offer(u *url.URL, depth int, listed bool) Verdict {
	verdict := f.judge(u, depth, listed)
	f.refused[verdict]++
	return verdict
}

func (f *Frontier) judge(u *url.URL, depth int, listed bool) Verdict {
	address := u.String()
	key := maphash.String(f.seed, address)
	if _, known := f.seen[key]; known {
		return Known
	}
	switch {
	case len(address) > longestAddress, !f.InBounds(u), !listed && !isPage(u), listed && isFile(u):
		return Outside
	case !listed && depth > f.options.Depth:
		return Deep
	case !listed && (endless(u) || f.worn(u)):
		return Trap
	case f.admitted >= f.options.Pages:
		return Full
	}
	f.seen[key] = struct{}{}
	f.admitted++
	return Admitted
}

// MarkSeen notes that an address needs no visit, and says whether that was known.
func (f *Frontier) MarkSeen(u *url.URL) (before bool) {
	key := maphash.String(f.seed, u.String())
	_, before = f.seen[key]
	f.seen[key] = struct{}{}
	return before
}

// Count is how often a verdict was given.
func (f *Frontier) Count(v Verdict) int { return f.refused[v] }

// Page describes a page that was read.
type Page struct {
	Title string
	Text  uint64 // Signature of its text
}

// A place is worn when so many of its pages said nothing new, and so many more than did.
const (
	wornShape  = 20
	wornFolder = 60
	wornRatio  = 3
)

// LearnPage tells what a page turned out to be, and says whether it is nearly the same as one
// before it: a like title and a like text.
func (f *Frontier) LearnPage(u *url.URL, p Page) (stale bool) {
	title := maphash.String(f.seed, plainTitle(p.Title))
	_, stale = f.titles[title]
	stale = stale && f.texts.near(p.Text)
	f.titles[title] = struct{}{}
	for _, name := range placesOf(u) {
		at := f.places[name]
		if at == nil {
			at = &place{}
			f.places[name] = at
		}
		if stale {
			at.stale++
		} else {
			at.fresh++
		}
	}
	f.texts.add(p.Text)
	return stale
}

// worn says whether pages with addresses like this one have stopped to say anything new.
func (f *Frontier) worn(u *url.URL) bool {
	most := wornShape
	for _, name := range placesOf(u) {
		if at := f.places[name]; at != nil && at.stale >= most && at.stale >= wornRatio*at.fresh {
			return true
		}
		most = wornFolder
	}
	return false
}

// placesOf names the shape of an address, its folder and the first part of its path, as places that
// pages may wear.
func placesOf(u *url.URL) []string {
	shape := strings.ToLower(u.Host) + shapeOf(u.Path)
	var names []string
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(parameter, "=")
		names = append(names, name)
	}
	query := "?" + strings.Join(names, "&")
	folder := shape[:strings.LastIndexByte(shape, '/')+1]
	first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return []string{shape + query, "in " + folder, "below " + strings.ToLower(u.Host) + "/" + first}
}

// shapeOf is a path with one # for each run of digits.
func shapeOf(p string) string {
	var b strings.Builder
	digit := false
	for i := range len(p) {
		c := p[i]
		if c >= '0' && c <= '9' {
			if !digit {
				b.WriteByte('#')
			}
			digit = true
			continue
		}
		digit = false
		b.WriteByte(c)
	}
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}
