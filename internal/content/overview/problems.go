package overview

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"frontdesk/internal/content/ingest/document"
)

// Problem is something of a source that could not be used, and how to mend it.
type Problem struct {
	Site   string `json:"site" column:"1:SITE"`
	Source string `json:"source" column:"2:SOURCE"`
	File   string `json:"file" column:"3:FILE"`           // or an address; empty where all of the source failed
	Line   int    `json:"line,omitempty" column:"4:LINE"` // in it; 0 where it is not known
	Within string `json:"within,omitempty"`               // where in it, beside the line: "#2 /@graph/3"
	Reason string `json:"reason" column:"5:PROBLEM"`
	// Excerpt is a piece of the text at the place.
	Excerpt string `json:"excerpt,omitempty"`
	// Kind is what is to be done: json, front_matter, empty, no_name, access, size, damaged,
	// encoding, link, site, shrunk, list, nothing or other.
	Kind string `json:"kind"`
	Mend string `json:"mend" column:"6:WHAT TO DO"` // that in a sentence
}

// mends are what to do about problems, by pieces of their reasons. The first that fits counts.
var mends = []struct {
	kind    string
	reasons []string
	mend    string
}{
	{"front_matter", []string{"the front matter"},
		"Put a value that has a colon in quotes, as in title: \"Packing: coffee on the road\"."},
	{"size", []string{"at most", "has more than", "is longer than", "unpacks to more", "longer than", "too large"},
		"Divide it into smaller files."},
	{"damaged", []string{"compressed", "ends too early"}, "Write or copy the file anew; its end is missing or wrong."},
	{"json", []string{"no JSON", "where an item was expected", "the item's end is missing", "the document ends"},
		"Mend the JSON at this place; often a comma, a quote or a bracket is missing."},
	{"no_name", []string{"neither a name nor any text"}, "Give it a name (or headline, or title)."},
	{"empty", []string{"is empty", "has no text"},
		"Put the text into <main>, or add JSON-LD; text that comes by a script is not read."},
	{"access", []string{"cannot be entered", "cannot be opened", "check that this program may", "permission denied"},
		"Let the program read it, as with chmod a+r."},
	{"encoding", []string{"no text in any encoding"}, "Save it as text in UTF-8, or give it the ending of what it is."},
	{"link", []string{"the link"}, "Put the file itself there in place of the link."},
	{"shrunk", []string{"less than half", "allow-shrink"},
		"If that is meant, set allow_shrink: true for the source, or run frontdesk ingest --allow-shrink."},
	{"list", []string{"the list"}, "Mend the list at this address, or take it out of where it is named."},
	{"site", []string{"answers with status", "cannot be fetched", "robots.txt", "does not answer", "certificate",
		"took longer", "no such host", "connection"},
		"Open the address in a browser. The program tries again by itself."},
	{"nothing", []string{"holds no item", "found no content", "there is no file"},
		"Check the path or address, and that there are files with known endings: " + document.Extensions + "."},
	{"other", []string{""}, "Look at the place; the reason says what was expected."},
}

// origin takes the place of a problem apart: a file or an address, a number of a block, a line, and
// a JSON pointer.
var origin = regexp.MustCompile(`^(.*?)(#\d+)?(?::(\d+))?(?: (/.*))?$`)

// problemOf tells of a problem of a source.
func (s *SourceStatus) problemOf(p document.Problem) Problem {
	out := Problem{Site: s.Site, Source: s.Name, File: p.Origin, Reason: p.Reason, Excerpt: p.Excerpt}
	if at := origin.FindStringSubmatch(p.Origin); at != nil {
		out.File, out.Within = at[1], strings.TrimSpace(at[2]+" "+at[4])
		out.Line, _ = strconv.Atoi(at[3])
	}
	for _, m := range mends {
		for _, piece := range m.reasons {
			if strings.Contains(p.Reason, piece) {
				out.Kind, out.Mend = m.kind, m.mend
				return out
			}
		}
	}
	return out
}

// Problems are those of the last attempt to read the source, the one that kept all of it from being
// read first.
func (s *SourceStatus) Problems() []Problem {
	all := []Problem{}
	if s.Error != "" {
		all = append(all, s.problemOf(document.Problem{Reason: s.Error}))
	}
	if s.Attempt == nil {
		return all
	}
	if w := s.Attempt.Web; w != nil && w.Cut != "" {
		all = append(all, s.problemOf(document.Problem{Reason: w.Cut}))
	}
	for _, p := range s.Attempt.Problems {
		all = append(all, s.problemOf(p))
	}
	return all
}

// ProblemCount is how many there are, also of those of which no more is kept than that.
func (s *SourceStatus) ProblemCount() int {
	if s.Attempt == nil {
		return len(s.Problems())
	}
	return len(s.Problems()) - len(s.Attempt.Problems) + cmp.Or(s.Attempt.Skipped, len(s.Attempt.Problems))
}
