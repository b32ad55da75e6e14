package document

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/pageurl"
)

// Permalink is a pattern of the addresses of Markdown pages that give none, as programs that build
// blogs have it: "/:year/:month/:slug/". Empty, the file's path is the address.
type Permalink string

var (
	permalinkPart = regexp.MustCompile(`:[a-z_]+`)
	// datedName is the name of a file that begins with its day.
	datedName = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[-_](.+)$`)
	// day is how a date begins in front matter.
	day = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})`)
)

// permalinkParts are what a pattern may have.
const permalinkParts = ":year, :month, :day, :slug, :title, :path"

// Check says what is wrong with a pattern.
func (p Permalink) Check() error {
	if p != "" && !strings.HasPrefix(string(p), "/") {
		return fmt.Errorf("%q does not begin with a slash; write it like /:year/:month/:slug/", string(p))
	}
	for _, part := range permalinkPart.FindAllString(string(p), -1) {
		if !strings.Contains(permalinkParts+",", part+",") {
			return fmt.Errorf("%s is no part of an address; there are %s", part, permalinkParts)
		}
	}
	return nil
}

// address is where a page is whose file lies below the base; nil where the pattern asks for
// something that the page does not have, such as a date.
func (p Permalink) address(base *url.URL, file string, thing, matter *jsonrepair.Node) *url.URL {
	if p == "" {
		return nil
	}
	folder, name := path.Split(strings.TrimSuffix(file, ".gz"))
	name = strings.TrimSuffix(name, path.Ext(name))
	if dated := datedName.FindStringSubmatch(name); dated != nil {
		name = dated[2]
	}
	parts := map[string]string{
		":path": strings.Trim(folder, "/"), ":title": pageurl.Slug(nameOf(thing)), ":slug": text(matter.Get("slug")),
	}
	if parts[":slug"] == "" {
		parts[":slug"] = pageurl.Slug(name)
	}
	if date := day.FindStringSubmatch(text(thing.Get("datePublished"))); date != nil {
		parts[":year"], parts[":month"], parts[":day"] = date[1], date[2], date[3]
	}
	whole := true
	at := permalinkPart.ReplaceAllStringFunc(string(p), func(part string) string {
		if parts[part] == "" && part != ":path" {
			whole = false
		}
		return parts[part]
	})
	if !whole {
		return nil
	}
	for strings.Contains(at, "//") { // a file beside no folder
		at = strings.ReplaceAll(at, "//", "/")
	}
	return base.ResolveReference(&url.URL{Path: "./" + strings.TrimPrefix(at, "/")})
}

// dayOfFile is the day that a file's name begins with; empty for none.
func dayOfFile(file string) string {
	dated := datedName.FindStringSubmatch(path.Base(file))
	if dated == nil {
		return ""
	}
	return dated[1]
}
