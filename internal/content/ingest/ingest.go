// Package ingest finds and fetches what a site has, and fills the catalog with it: files and
// folders; on the web pages, feeds, sitemaps, schema maps and WordPress.
//
// Enter at Run. Files or a crawl bring documents; package document takes them apart into portions
// and turns these into items on all cores; a scan hands the items on in the order of the source, so
// that equal sources give equal items, and Run publishes them all at once. A crawl goes on from
// what its pages turned out to be, and remembers each address for the next run. Where something
// cannot be read, the run goes on, and what it held before stays.
//
// The package stands above content, which it fills, and fetch, by which it visits the web. It must
// not know how a document becomes items. Below it: document (one document), markup (HTML), charset
// (encodings), vocabulary (schema.org's names), pageurl (addresses), jsonrepair (JSON as it is
// found in the wild), passage (cutting text) and frontier (which addresses are worth a visit);
// these know nothing of sources.
package ingest

import (
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/infra/fail"
)

// Source is a part of a site's content that is read and replaced as a whole.
type Source struct {
	// Site and Name identify the source; the name is unique within the site.
	Site, Name string
	// Path is a file, a folder (read with all folders in it), or a pattern in which * and ? stand
	// for characters of a name, ** for any folders.
	Path string
	// Web says where on the web the source is, instead of Path.
	Web *Web
	// FS is where Path is looked up, the machine's file system if nil.
	FS fs.FS
	// Base is the URL below which items stand that give none or a relative one; https://SITE/ if
	// empty.
	Base string
	// Language and Publisher are those of items that give none.
	Language, Publisher string
	// Schemes are those of URIs, in lower case and separated by blanks, that items may have as
	// their url beside the web's, such as "duns".
	Schemes string
	// Permalink is the pattern of the addresses of Markdown pages that give none; empty for the
	// paths of their files.
	Permalink document.Permalink
}

// Report tells what a run did.
type Report struct {
	Source
	Files        int // files read
	Read         int // things found that could have been items
	Kept         int // things that became items
	Skipped      []document.Problem
	SkippedCount int // all of them; Skipped has the first only
	// Partial says that files could not be read whole, so that no item was removed.
	Partial bool
	// Web tells more of a source of the web; nil for others.
	Web *WebReport
	// Unread are the files that made it so, which are among Skipped too; the first only,
	// UnreadCount of them in all.
	Unread      []document.Problem
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
	Limits document.Limits
	// Now is the clock, time.Now if nil.
	Now func() time.Time
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
	if u := pageurl.Parse(s.webURL(), nil); base == "" && u != nil {
		base = u.Scheme + "://" + u.Host
	}
	if base == "" {
		base = s.Site
	}
	u, ok := pageurl.AsFolder(base)
	switch {
	case ok:
		return u.String(), nil
	case s.Base != "":
		return "", fail.New(fail.Invalid,
			"the base %q of source %q is no http or https URL; write it like https://www.example.com/", s.Base, s.Name)
	}
	// A site with a name that is no host's stands below a host that never exists (RFC 2606, section
	// 2).
	u, _ = pageurl.AsFolder(pageurl.Slug(strings.ToValidUTF8(s.Site, "")) + ".invalid")
	if u == nil {
		return "", fail.New(fail.Invalid,
			"the site %q makes no URL; give source %q a base like https://www.example.com/", s.Site, s.Name)
	}
	return u.String(), nil
}
