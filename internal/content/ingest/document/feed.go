package document

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/pageurl"
)

// feed makes items of the entries of a feed: RSS, Atom or JSON Feed.
func (r *Reader) feed(portion *Portion, out *Result) {
	if nestedFeed(portion.Text) {
		out.unread(portion.File.Name, fmt.Sprintf("the feed's elements are nested deeper than %d levels", maxNested))
		return
	}
	feed, err := gofeed.NewParser().Parse(strings.NewReader(portion.Text))
	if err != nil { // it may say that it is UTF-8, and not be
		if mended := charset.Repair(portion.Text); mended != portion.Text {
			feed, err = gofeed.NewParser().Parse(strings.NewReader(mended))
		}
	}
	if err != nil {
		out.unread(portion.File.Name, "the feed cannot be read: "+err.Error())
		return
	}
	at := portion.address(r.Base)
	p := piece{file: portion.File, page: at, base: at, line: 1}
	if home := pageurl.Parse(feed.Link, at); home != nil {
		p.base = home
	}
	var documents []*jsonrepair.Node
	for i, entry := range feed.Items {
		documents = append(documents, thingOf(entry, feed, p.base))
		p.blocks = append(p.blocks, "#"+strconv.Itoa(i+1))
	}
	finds, h := r.finds(&p, documents)
	r.items(out, &p, h, finds)
}

// maxNested is how deep the elements of a feed may be nested: what reads it goes down with them.
const maxNested = 1000

// nestedFeed says whether a feed's elements are nested too deeply.
func nestedFeed(text string) bool {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	d.CharsetReader = func(_ string, from io.Reader) (io.Reader, error) { return from, nil }
	for depth := 0; depth <= maxNested; {
		token, err := d.RawToken()
		if err != nil {
			return false // and what reads it gets no further
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return true
}

// thingOf is an entry of a feed in schema.org's terms.
func thingOf(entry *gofeed.Item, feed *gofeed.Feed, base *url.URL) *jsonrepair.Node {
	n := &jsonrepair.Node{Kind: jsonrepair.Object}
	set := func(property, value string) {
		if value = strings.TrimSpace(value); value != "" {
			n.Set(property, jsonrepair.NewString(value))
		}
	}
	set("@type", typeOfEntry(entry))
	set("url", addressOfEntry(entry, base))
	set("name", entry.Title)
	set("description", withoutCredit(entry.Description, entry.Title))
	if entry.Content != entry.Description {
		set("articleBody", withoutCredit(entry.Content, entry.Title))
	}
	set("datePublished", dateOfEntry(entry.PublishedParsed, entry.Published))
	set("dateModified", dateOfEntry(entry.UpdatedParsed, entry.Updated))
	var authors []*jsonrepair.Node
	for _, person := range entry.Authors {
		if person != nil && person.Name != "" {
			authors = append(authors, jsonrepair.NewString(person.Name))
		}
	}
	if len(authors) > 0 {
		n.Set("author", jsonrepair.NewArray(authors...))
	}
	set("keywords", strings.Join(entry.Categories, ", "))
	set("image", imageOfEntry(entry))
	set("inLanguage", feed.Language)
	set("publisher", feed.Title)
	return n
}

// withoutCredit is the HTML of an entry without the paragraph that many sites put behind each of
// them ("The post … appeared first on …", in the site's language): the last one, when it is short
// and has two links, the one named as the entry is.
func withoutCredit(text, title string) string {
	const most = 200 // bytes beside the title and the tags
	at := max(strings.LastIndex(text, "<p>"), strings.LastIndex(text, "<p "))
	title = strings.TrimSpace(html.UnescapeString(title))
	if at <= 0 || title == "" {
		return text
	}
	last := html.UnescapeString(text[at:])
	words := len(title)
	for piece := range strings.SplitSeq(last, "<") {
		_, said, _ := strings.Cut(piece, ">")
		words += len(said)
	}
	if words > 2*len(title)+most || strings.Count(last, "<a ") != 2 || !strings.Contains(last, ">"+title+"</a>") {
		return text
	}
	return text[:at]
}

// typeOfEntry is the type that says most of an entry: what is attached to it tells.
func typeOfEntry(entry *gofeed.Item) string {
	for _, e := range entry.Enclosures {
		switch kind, _, _ := strings.Cut(e.Type, "/"); kind {
		case "audio":
			return "PodcastEpisode"
		case "video":
			return "VideoObject"
		}
	}
	return "Article"
}

// addressOfEntry is where an entry leads; its id if that is an address (a permalink of RSS).
func addressOfEntry(entry *gofeed.Item, base *url.URL) string {
	for _, address := range append([]string{entry.Link, entry.GUID}, entry.Links...) {
		if address == entry.GUID && !pageurl.LooksLikePage(address) {
			continue
		}
		if u := pageurl.FromLink(address, base); u != nil {
			return u.String()
		}
	}
	return ""
}

func dateOfEntry(parsed *time.Time, given string) string {
	if parsed != nil {
		return parsed.UTC().Format(time.RFC3339)
	}
	return given
}

func imageOfEntry(entry *gofeed.Item) string {
	picture := ""
	if entry.Image != nil {
		picture = entry.Image.URL
	}
	for _, e := range entry.Enclosures {
		if strings.HasPrefix(e.Type, "image/") {
			picture = cmp.Or(picture, e.URL)
		}
	}
	for _, name := range []string{"content", "thumbnail"} {
		for _, e := range entry.Extensions["media"][name] {
			if name == "thumbnail" || e.Attrs["medium"] == "image" || strings.HasPrefix(e.Attrs["type"], "image/") {
				picture = cmp.Or(picture, e.Attrs["url"])
			}
		}
	}
	return picture
}
