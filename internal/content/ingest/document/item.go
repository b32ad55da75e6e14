package document

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"
)

// Sizes of what is made of an item, in bytes.
const (
	longestName        = 1000
	longestDescription = 400
	longestKeys        = 16 << 10
	longestMember      = 5000 // of a description in the object
	shortBody          = 500  // a body text up to this length stays in the object
	maxTypes           = 10
)

// Draft is an item under construction.
type Draft struct {
	content.Item
	Derived bool // the URL was made up from the place where the item was found
	stub    bool // to be left out where another item has its URL
	generic bool // an article or page, as which a more telling item of the same page may also be seen
	covers  bool // stands for its page as a whole
	claims  bool // has the address that its page claims, which is a file
}

// mapper turns things into items.
type mapper struct {
	reader *Reader
	page   *url.URL // of the file or page; items without a URL are named by its fragments
	base   *url.URL // for relative URLs
	isPage bool     // the file is a page: its URL is that of what it is about
}

// item maps one thing. blocks are running text that was found beside it. An error is a sentence for
// the owner.
func (m *mapper) item(f find, n *jsonrepair.Node, blocks []passage.Block) (Draft, error) {
	var d Draft
	switch {
	case n.TooDeep:
		return d, fmt.Errorf("the item is nested deeper than %d levels", maxDepth)
	case !n.IsObject():
		return d, fmt.Errorf("found %s where an item was expected; an item is a JSON object", describe(n))
	case n.Truncated:
		return d, errTorn
	}
	d.stub, d.covers = f.stub, f.covers
	d.Types = ranked(typesOf(n))
	own := len(d.Types)
	d.Types = withAdditional(d.Types, n)
	d.generic = vocabulary.Specificity(d.Types[0]) <= vocabulary.ArticleRank
	d.Name = clip(nameOf(n), longestName)
	body := bodyOf(n)
	body = append(body, blocks...)
	description := firstText(n, "description", "disambiguatingDescription", "summary")
	if f.beside != "" && markup.CollapseSpace(f.beside) != markup.CollapseSpace(description) &&
		!begins(body, f.beside) {
		body = append(body, passage.Blocks(f.beside)...)
	}
	d.Passages = passages(description, body)
	if d.Name == "" && len(d.Passages) == 0 {
		return d, fmt.Errorf("the %s has neither a name nor any text", d.Types[0])
	}
	d.Description = describeItem(description, n, body)
	d.Language = cmp.Or(languageOf(n), f.language, vocabulary.LanguageTag(m.reader.Language))
	d.Image = imageOf(n, "image", "primaryImageOfPage", "thumbnailUrl", "thumbnail", "photo", "logo")
	d.Publisher = markup.PlainLine(cmp.Or(firstText(n, "publisher", "provider", "sourceOrganization"), f.publisher,
		m.reader.Publisher))
	d.Published = dateOf(n, "datePublished", "dateCreated", "uploadDate", "datePosted")
	d.Modified = dateOf(n, "dateModified", "dateUpdated")
	var err error
	if d.URL, d.Derived, err = m.address(f, n, d.Name); err != nil {
		return d, err
	}
	d.Keys = strings.Join(append([]string{keysOf(n)}, f.also...), "\n")
	if !d.Derived {
		d.Keys = strings.TrimPrefix(d.Keys+"\n"+strings.Join(pageurl.Words(d.URL), " "), "\n")
	}
	d.Keys = strings.TrimSpace(d.Keys)
	d.Object = object(n, d.Types[:own], d.URL)
	return d, nil
}

// errTorn is of an item without its end. That the document has none is said once, for all of it.
var errTorn = errors.New("the item's end is missing")

// describe names what stands where an object should.
func describe(n *jsonrepair.Node) string {
	return map[jsonrepair.Kind]string{
		jsonrepair.Null: "null", jsonrepair.Bool: "true or false", jsonrepair.Number: "a number",
		jsonrepair.String: "a text", jsonrepair.Array: "a list",
	}[n.Kind]
}

// ranked orders types, the most telling first, and gives a thing without any its type.
func ranked(types []string) []string {
	if len(types) == 0 {
		return []string{"Thing"}
	}
	if len(types) > 1 {
		types = slices.Compact(types)
		slices.SortStableFunc(types, func(a, b string) int {
			return vocabulary.Specificity(b) - vocabulary.Specificity(a)
		})
	}
	return types
}

// withAdditional puts the classes of schema.org that an item names as additionalType behind its
// types, so that a rule on one of them holds for it.
func withAdditional(types []string, n *jsonrepair.Node) []string {
	for _, value := range n.Get("additionalType").List() {
		if value.IsObject() {
			value = jsonrepair.NewString(text(value.Get("@id")))
		}
		name, known := content.KnownType(strings.TrimSpace(vocabulary.Term(strings.TrimSpace(value.Text))))
		if value.Kind == jsonrepair.String && known && len(types) < maxTypes && !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	return types
}

// clip cuts a text between words.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return passage.FirstSentences(s, most)
}

// nameOf is what a person would call the thing.
func nameOf(n *jsonrepair.Node) string {
	if s := firstText(n, "name", "headline", "title"); s != "" {
		return markup.PlainLine(s)
	}
	if s := markup.CollapseSpace(text(n.Get("givenName")) + " " + text(n.Get("familyName"))); s != "" {
		return s
	}
	if reviewed := text(n.Get("itemReviewed")); reviewed != "" {
		return "Review of " + markup.PlainLine(reviewed)
	}
	s := firstText(n, "legalName", "alternativeHeadline", "alternateName", "caption")
	if s == "" && vocabulary.IsA(typesOf(n), "Question") {
		s = text(n.Get("text"))
	}
	return markup.PlainLine(s)
}

// describeItem is a short description: the thing's own, or the first sentences of what it says. One
// that was cut off is read on where the text goes on.
func describeItem(own string, n *jsonrepair.Node, body []passage.Block) string {
	if own == "" {
		own = text(n.Get("abstract"))
	}
	if short := uncut(own); short != own {
		own = cmp.Or(continued(short, body), own)
	}
	for _, fits := range []func(string) bool{
		func(s string) bool { return passage.Words(s) >= 8 && (sentenceEnd(s) || passage.Words(s) >= 25) },
		func(s string) bool { return passage.Words(s) >= 4 },
		func(s string) bool { return true },
	} {
		for i := 0; i < len(body) && own == ""; i++ {
			if !body[i].Leads && fits(body[i].Text) {
				own = spoken(body, i)
			}
		}
	}
	return passage.FirstSentences(own, longestDescription)
}

// spoken is the text of a block, with those beside it where it is one of several short steps or
// lines.
func spoken(body []passage.Block, i int) string {
	const short = 120 // bytes
	if len(body[i].Text) >= short || !body[i].Tight && (i == 0 || !body[i-1].Tight) {
		return body[i].Text
	}
	for i > 0 && body[i-1].Tight && !body[i-1].Leads && len(body[i-1].Text) < short {
		i--
	}
	text := body[i].Text
	for ; i+1 < len(body) && body[i].Tight && !body[i+1].Leads && len(text) < short; i++ {
		text += " " + body[i+1].Text
	}
	return text
}

// uncut is a text without the marks that say that it goes on.
func uncut(s string) string {
	for {
		short := strings.TrimRight(s, " \n")
		for _, mark := range []string{"[…]", "[...]", "…", "...", "(more)", "[+]"} {
			short = strings.TrimRight(strings.TrimSuffix(short, mark), " \n")
		}
		if len(short) == len(s) {
			return s
		}
		s = short
	}
}

// continued is the text of a block that begins with the words of a text that was cut off.
func continued(short string, body []passage.Block) string {
	const least, most = 30, 60 // bytes that must be the same
	opening := markup.CollapseSpace(short)
	opening = opening[:boundary(opening, min(len(opening), most))]
	if len(opening) < least {
		return ""
	}
	for i := range body[:min(len(body), 20)] {
		if text := markup.CollapseSpace(body[i].Text); strings.HasPrefix(text, opening) && len(text) > len(short) {
			return text
		}
	}
	return ""
}

// sentenceEnd says whether a text ends as a sentence does.
func sentenceEnd(s string) bool {
	s = strings.TrimRight(s, " \n\"'”’»)」』]")
	last, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?…。！？｡؟۔।॥։។።", last)
}

// passages cuts a thing's running text: its description, unless the body begins with it, and its
// body.
func passages(description string, body []passage.Block) []content.Passage {
	var blocks []passage.Block
	if description != "" && !(len(body) > 0 && begins(body, description)) {
		blocks = passage.Blocks(description)
		blocks[max(0, len(blocks)-1)].Tight = false
	}
	var cut []content.Passage
	seen := map[string]int{}
	for _, text := range passage.Split(append(blocks, body...)) {
		cut = append(cut, content.Passage{ID: content.PassageID(text, seen[text]), Text: text})
		seen[text]++
	}
	return cut
}

// begins says whether a body begins with a description, but for a line or two, which then needs no
// saying twice.
func begins(body []passage.Block, description string) bool {
	const enough = 80
	opening := markup.CollapseSpace(description[:boundary(description, min(len(description), 4*enough))])
	opening = strings.TrimRight(uncut(opening[:boundary(opening, min(len(opening), enough))]), " .…")
	for _, b := range body[:min(len(body), 6)] {
		if !b.Leads &&
			strings.HasPrefix(markup.CollapseSpace(b.Text[:boundary(b.Text, min(len(b.Text), 4*enough))]), opening) {
			return true
		}
	}
	return false
}

// boundary moves pos back to the beginning of a character.
func boundary(s string, pos int) int {
	for pos > 0 && pos < len(s) && s[pos]&0xc0 == 0x80 {
		pos--
	}
	return pos
}

// address is the URL by which an item is known. What the item says of itself counts first: its url,
// the page it is the main entity of, its @id; then where it was found. derived is true for a URL
// that only this program made up. None is made up in the place of one that was given and cannot be
// read, for rules on paths would not know it.
func (m *mapper) address(f find, n *jsonrepair.Node, name string) (address string, derived bool, err error) {
	if f.fixed {
		return m.page.String(), false, nil
	}
	own := n.Get("@id")
	if !identifies(text(own)) && !pageurl.LooksLikePage(text(own)) {
		own = nil
	}
	for i, value := range []*jsonrepair.Node{n.Get("url"), jsonrepair.NewString(f.address), n.Get("mainEntityOfPage"),
		own} {
		u, err := m.given(value, i == 0)
		if err != nil {
			return "", false, err
		}
		if u != nil {
			return u.String(), false, nil
		}
	}
	if m.isPage && !f.several && (f.page || f.main || f.pointer == "") {
		return m.page.String(), false, nil
	}
	around := *m.page
	if u := pageurl.Parse(f.around, m.base); u != nil {
		around = *u
	} else if pageurl.LooksLikePage(f.around) {
		return "", false, unreadableAddress(f.around)
	}
	around.Fragment, around.RawFragment = pageurl.Slug(handle(n, name)), ""
	return around.String(), true, nil
}

// given is the first address among the values of a property; nil where there is none. It is an
// error when there is one, and none that can be read. pure says that the property's texts are
// addresses; others may be names as well.
func (m *mapper) given(value *jsonrepair.Node, pure bool) (*url.URL, error) {
	var err error
	for _, one := range value.List() {
		if one.IsObject() {
			one, pure = jsonrepair.NewString(firstText(one, "@id", "url")), false
		}
		if one.Kind != jsonrepair.String || strings.TrimSpace(one.Text) == "" ||
			pageurl.NamesNoPage(one.Text) && pageurl.Resource(one.Text, m.reader.Schemes) == nil {
			continue
		}
		u := pageurl.Parse(one.Text, m.base)
		if u == nil && pure {
			u = pageurl.Resource(one.Text, m.reader.Schemes)
		}
		switch {
		case u == nil && err == nil && (pure || pageurl.LooksLikePage(one.Text)):
			err = unreadableAddress(one.Text)
		case u != nil && m.isFront(u):
			return nil, nil
		case u != nil:
			return u, nil
		}
	}
	return nil, err
}

func unreadableAddress(given string) error {
	const most = 100
	return fmt.Errorf("the address %q cannot be read; write it like https://www.example.com/page",
		given[:boundary(given, min(len(given), most))])
}

// isFront says whether an address is that of the site's front page, which many pages give by
// mistake as their own.
func (m *mapper) isFront(u *url.URL) bool { return m.isPage && pageurl.IsFrontPage(u, m.page) }

// handle is what tells a thing without URL from others: a number that somebody gave it, its name,
// or its text.
func handle(n *jsonrepair.Node, name string) string {
	for _, property := range []string{"@id", "identifier", "id", "sku", "productID", "gtin13", "gtin", "isbn", "mpn"} {
		if s := text(n.Get(property)); s != "" && !strings.HasPrefix(s, "_:") {
			return s
		}
	}
	if name != "" {
		return name
	}
	return content.PassageID(string(jsonrepair.Append(nil, n)), 0)
}
