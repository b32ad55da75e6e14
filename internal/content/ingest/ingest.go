// Package ingest reads what a site has (files and folders of JSON-LD, Markdown and HTML; on the web pages, feeds, sitemaps, schema
// maps and WordPress) and turns it into content's items: each thing's type, name, description, keys, picture, dates and running
// text, cut into passages.
//
// The way of a file: files finds it, reading takes it apart into units (some lines, a document, a page) in bounded
// memory, workers turn units into drafts of items on all cores, and the drafts leave in the order of the source, so
// that equal sources give equal items. A thing that cannot be read is a Problem with its place and reason, and no
// more: the run goes on.
//
// It stands above content, which it fills through a Run, and fetch, by which it visits the web; server and the commands stand above
// it. Its parts tree (JSON as it is found in the wild), passage (cutting text), sitemap and frontier (which addresses are worth a
// visit) know nothing of items.
package ingest

import (
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
)

// Source is a part of a site's content that is read and replaced as a whole.
type Source struct {
	// Site and Name identify the source; the name is unique within the site.
	Site, Name string
	// Path is a file, a folder (read with all folders in it), or a pattern in which * and ? stand for characters of
	// a name, ** for any folders.
	Path string
	// Web says where on the web the source is, instead of Path.
	Web *Web
	// FS is where Path is looked up, the machine's file system if nil.
	FS fs.FS
	// Base is the URL below which items stand that give none or a relative one; https://SITE/ if empty.
	Base string
	// Language and Publisher are those of items that give none.
	Language, Publisher string
	// Schemes are those of URIs, in lower case and separated by blanks, that items may have as their url beside the web's,
	// such as "duns".
	Schemes string
}

// Problem is something in a source that could not be used.
type Problem struct {
	// Origin is the place: a file with line or number within it, and a JSON pointer where one helps
	// ("shop.jsonl:12", "page.html#2 /@graph/3").
	Origin string `json:"origin"`
	// Reason is a sentence that says what is wrong and, where it is not plain, what would be right.
	Reason string `json:"reason"`
}

// Report tells what a run did.
type Report struct {
	Source
	Files        int // files read
	Read         int // things found that could have been items
	Kept         int // things that became items
	Skipped      []Problem
	SkippedCount int // all of them; Skipped has the first only
	// Partial says that files could not be read whole, so that no item was removed.
	Partial bool
	// Web tells more of a source of the web; nil for others.
	Web *WebReport
	// Unread are the files that made it so, which are among Skipped too; the first only, UnreadCount of them in all.
	Unread      []Problem
	UnreadCount int

	Summary content.Summary
	Elapsed time.Duration
}

// Progress is how far a run is.
type Progress struct {
	Source           string
	Files, FilesDone int
	Bytes, BytesDone int64 // as they lie on disk
	Read, Kept       int
	Skipped          int
	Elapsed          time.Duration
	Done             bool
}

// Options say how to run.
type Options struct {
	// Progress is told after each piece of work; it should return quickly.
	Progress func(Progress)
	// Log gets each problem and the outcome; nil for none.
	Log *slog.Logger
	// AllowShrink lets a run replace a source by less than half of it, or by nothing.
	AllowShrink bool
	// Limits bound what is read; zero values stand for the defaults.
	Limits Limits
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// Limits bound what is read, in bytes.
type Limits struct {
	File     int64 // a file as it lies on disk; 1 GiB
	Unpacked int64 // a compressed file of lines, unpacked; 64 GiB
	Document int64 // a JSON document, unpacked; 64 MiB
	Page     int64 // a page of HTML or Markdown, unpacked; 16 MiB
	Item     int64 // a line of a file of lines, and what is made of any item; 4 MiB
}

// mostDepth is how deep an item may be nested.
const mostDepth = 64

func (l Limits) withDefaults() Limits {
	for _, limit := range []struct {
		value *int64
		usual int64
	}{{&l.File, 1 << 30}, {&l.Unpacked, 64 << 30}, {&l.Document, 64 << 20}, {&l.Page, 16 << 20}, {&l.Item, 4 << 20}} {
		if *limit.value <= 0 {
			*limit.value = limit.usual
		}
	}
	return l
}

// check refuses what is no source.
func (s *Source) check() error {
	switch {
	case s.Site == "":
		return fail.New(fail.Invalid, "a source needs a site; say to which site %q belongs", s.Path)
	case s.Web != nil:
		return s.Web.check(s.Name)
	case s.Path == "" && s.FS == nil:
		return fail.New(fail.Invalid, "source %q has no path; give a file, a folder or a pattern", s.Name)
	}
	return nil
}

func (s *Source) webURL() string {
	if s.Web == nil {
		return ""
	}
	return s.Web.URL
}

// baseAddress is where the source's items stand that do not say it themselves.
func (s *Source) baseAddress() (string, error) {
	base := s.Base
	if u := locate(s.webURL(), nil); base == "" && u != nil {
		base = u.Scheme + "://" + u.Host
	}
	if base == "" {
		base = s.Site
	}
	u, ok := folder(base)
	switch {
	case ok:
		return u.String(), nil
	case s.Base != "":
		return "", fail.New(fail.Invalid, "the base %q of source %q is no http or https URL; write it like https://www.example.com/", s.Base, s.Name)
	}
	// A site with a name that is no host's stands below a host that never exists (RFC 2606, section 2).
	u, _ = folder(slug(strings.ToValidUTF8(s.Site, "")) + ".invalid")
	if u == nil {
		return "", fail.New(fail.Invalid, "the site %q makes no URL; give source %q a base like https://www.example.com/", s.Site, s.Name)
	}
	return u.String(), nil
}
