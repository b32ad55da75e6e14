package policy

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"frontdesk/wire/licence"
)

// RSL is what a site states of the use of its addresses beside its pages: licences of RSL documents
// (Really Simple Licensing 1.0), for patterns, and of RAMP sitemaps, for single addresses.
type RSL struct {
	site  string    // whose addresses it is about; empty for all
	parts []rslPart // the most telling pattern first
	index rslIndex
	exact map[string]*Own // by host, path and query; what the patterns say is in it
	text  []byte          // which tells it apart from others

	unread []string // why contents or licences permit nothing, the first few
	more   int      // how many others
}

// maxUnread bounds what is told of contents that permit nothing.
const maxUnread = 10

// Unread says of which contents, and licences of contents, nobody can say what they permit, so that
// they permit nothing, in words for the owner: the first few.
func (r *RSL) Unread() []string {
	if r.more == 0 {
		return r.unread
	}
	return append(slices.Clip(r.unread), fmt.Sprintf("so do %d more", r.more))
}

// rslPart is what is said of the addresses of a pattern.
type rslPart struct {
	host string // empty for every host
	glob string // as in robots.txt (RFC 9309 §2.2.2), in canonical form
	end  bool   // the pattern ends the path
	own  *Own
}

// maxRSL bounds an RSL document of a file.
const maxRSL = 4 << 20

// ParseRSL reads an RSL document; name says where it stands, for explanations. The error says what
// is wrong with it.
func ParseRSL(name string, text []byte) (*RSL, error) {
	if len(text) > maxRSL {
		return nil, fmt.Errorf("it has more than %d bytes", maxRSL)
	}
	document, err := licence.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(document.Contents) == 0 {
		return nil, errors.New("it states nothing: there is no <content> of RSL in it")
	}
	r := &RSL{text: text}
	if err := r.document(ImportedDocument{Name: name, Document: document}, map[rslKey]bool{}, nil); err != nil {
		return nil, err
	}
	r.order()
	return r, nil
}

// rslKey is a pattern.
type rslKey struct {
	host, glob string
	end        bool
}

// document adds what a document says. Of a pattern that is in said already, which others have
// stated before it, it says nothing more, and nothing of hosts for which it cannot speak; speaks is
// nil for all.
func (r *RSL) document(d ImportedDocument, said map[rslKey]bool, speaks func(host string) bool) error {
	own := map[rslKey]*Own{}
	for _, content := range d.Document.Contents {
		part, err := rslPattern(content.URL, d.Base)
		if err != nil {
			return fmt.Errorf("the content %.200q: %w", content.URL, err)
		}
		key := rslKey{part.host, part.glob, part.end}
		if said[key] || part.host != "" && speaks != nil && !speaks(part.host) {
			continue
		}
		if own[key] == nil {
			part.own = &Own{From: []string{d.Name + ", " + part.host + part.glob}}
			own[key] = part.own
			r.parts = append(r.parts, part)
		}
		own[key].Stated = true // without a licence that can be read nothing is permitted
		unread := ""
		for i := range content.Licenses {
			if l := &content.Licenses[i]; l.Unread == "" {
				own[key].license(l)
			} else {
				unread = l.Unread
			}
		}
		if why := content.Unread(); why != "" {
			r.tell(fmt.Sprintf("the content %.200q in %s permits nothing: %s", content.URL, d.Name, why))
		} else if unread != "" {
			r.tell(fmt.Sprintf("a licence of the content %.200q in %s permits nothing: it has %s, which RSL does "+
				"not know", content.URL, d.Name, unread))
		}
	}
	for key := range own {
		said[key] = true
	}
	return nil
}

// tell adds to what Unread says.
func (r *RSL) tell(why string) {
	if len(r.unread) == maxUnread {
		r.more++
		return
	}
	r.unread = append(r.unread, why)
}

// order puts the most telling pattern first, and makes ready to find those that fit.
func (r *RSL) order() {
	slices.SortStableFunc(r.parts, func(a, b rslPart) int {
		return cmp.Or(cmp.Compare(len(b.glob), len(a.glob)), cmp.Compare(len(b.host), len(a.host)))
	})
	r.index = newRSLIndex(r.parts)
}

// license adds a licence, which is one more alternative.
func (o *Own) license(l *licence.License) {
	option := Option{
		Functions: Functions{named(l.Permits.Usage), l.Prohibits.Usage},
		Users:     Restriction{named(l.Permits.User), l.Prohibits.User},
		Countries: Restriction{named(l.Permits.Geo), l.Prohibits.Geo},
	}
	paid := false
	for _, payment := range l.Payments {
		for _, kind := range licence.Tokens(payment.Type) {
			paid = paid || kind != "free" && kind != "attribution"
			if model, known := licence.ModelOf(kind); known && option.Price.Model == "" {
				option.Price = importedPrice(model, payment.Amount, payment.Currency)
			}
		}
	}
	o.add(option, paid)
}

// add adds an alternative, unless it is there already.
func (o *Own) add(option Option, paid bool) {
	list := &o.Options
	if paid {
		list = &o.Paid
	}
	if !slices.ContainsFunc(*list, option.equal) {
		*list = append(*list, option)
	}
}

func (o Option) equal(other Option) bool {
	same := func(a, b Restriction) bool {
		return slices.Equal(a.Permit, b.Permit) && slices.Equal(a.Prohibit, b.Prohibit)
	}
	return o.Price == other.Price && same(Restriction(o.Functions), Restriction(other.Functions)) &&
		same(o.Users, other.Users) && same(o.Countries, other.Countries)
}

// named is a list of what is permitted. One that is there and empty names what nothing is called.
func named(list []string) []string {
	if list != nil && len(list) == 0 {
		return []string{"nothing"}
	}
	return list
}

// importedPrice is a price as others state it. An amount that is missing or cannot be read, or is
// in no currency that there is, leaves the rate at 0, which says that it has to be asked for; a
// currency that is not stated stays empty.
func importedPrice(model, amount, currency string) Money {
	m := Money{Model: model}
	if slices.Contains(unpaidModels, model) {
		return m
	}
	rate, err := ParseAmount(strings.TrimSpace(amount))
	if err != nil || rate <= 0 || rate > maxRate || currency != "" && !isCurrency(currency) {
		return m
	}
	m.Rate, m.Currency = rate, currency
	return m
}

// rslPattern reads the address or path that a content element is for. One that is neither is read
// as beside base, the address of the document, unless that is empty.
func rslPattern(text, base string) (rslPart, error) {
	var p rslPart
	rest := text
	if u, err := url.Parse(strings.NewReplacer("*", "", "$", "").Replace(text)); err == nil && u.IsAbs() {
		host, _, err := splitAddress(u.String())
		if err != nil {
			return p, err
		}
		p.host = host
		_, rest, _ = strings.Cut(text, "://")
		at := strings.IndexAny(rest, "/?#")
		if at < 0 {
			rest = ""
		} else {
			rest = rest[at:]
		}
		if rest == "" || rest[0] != '/' {
			rest = "/" + rest
		}
	}
	if rest != "" && rest[0] != '/' && rest[0] != '*' && base != "" && !strings.Contains(rest, "://") {
		if u, err := url.Parse(base); err == nil {
			rest = strings.TrimSuffix(path.Dir(u.Path+"x"), "/") + "/" + strings.TrimPrefix(rest, "./")
		}
	}
	if rest == "" || rest[0] != '/' && rest[0] != '*' {
		return p, errors.New("write an address, or a path that begins with a slash")
	}
	if strings.Contains(rest, "#") {
		return p, errors.New("patterns with a hash sign are not read")
	}
	p.glob, p.end = strings.CutSuffix(rest, "$")
	p.glob = decode(p.glob)
	return p, nil
}

// own gives what is stated of an address, nil for nothing: of itself, or by the longest pattern.
func (r *RSL) own(s *subject) *Own {
	if r.site != "" && s.Site != r.site || len(r.parts) == 0 && len(r.exact) == 0 {
		return nil
	}
	if !s.address() {
		from := []string{"what the site states"}
		if len(r.parts) > 0 {
			from = r.parts[0].own.From
		}
		return &Own{Stated: true, From: from} // nobody can say whether the licences are meant for it
	}
	query, asked := s.query()
	if len(r.exact) > 0 {
		if own := r.exact[exactKey(s.host, s.path, query, asked)]; own != nil {
			return own
		}
	}
	if part := r.part(s.host, s.path, query, asked); part != nil {
		return part.own
	}
	return nil
}

// exactKey is an address as the single ones are found.
func exactKey(host, path, query string, asked bool) string {
	if asked {
		return host + path + "?" + query
	}
	return host + path
}

// part is the part that counts for an address; nil for none.
func (r *RSL) part(host, path, query string, asked bool) *rslPart {
	if len(r.parts) == 0 {
		return nil
	}
	// canonical paths have no slash at their end, and patterns may ask for it
	folder := strings.TrimSuffix(path, "/") + "/"
	best := len(r.parts)
	if asked {
		best = r.index.find(r.parts, host, path+"?"+query, "", best)
		best = r.index.find(r.parts, host, folder+"?"+query, "", best)
	} else {
		best = r.index.find(r.parts, host, folder, path, best)
	}
	if best == len(r.parts) {
		return nil
	}
	return &r.parts[best]
}

// query is what stands after the question mark of the subject's address, in canonical form; asked
// is false where there is none.
func (s *subject) query() (query string, asked bool) {
	address, _, _ := strings.Cut(s.URL, "#")
	_, query, asked = strings.Cut(address, "?")
	return decode(query), asked
}

// MatchStars says whether a path fits a pattern in which a star stands for anything: as a whole, or
// with a beginning of it. It takes time in proportion to both lengths at the worst.
func MatchStars(pattern, path string, whole bool) bool {
	star, again, g, at := -1, 0, 0, 0
	for at < len(path) {
		switch {
		case g == len(pattern) && !whole:
			return true
		case g < len(pattern) && pattern[g] == '*':
			star, again = g, at
			g++
		case g < len(pattern) && pattern[g] == path[at]:
			g++
			at++
		case star >= 0:
			again++
			g, at = star+1, again
		default:
			return false
		}
	}
	return strings.Trim(pattern[g:], "*") == ""
}
