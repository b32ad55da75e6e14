package policy

import (
	"errors"
	"strings"
)

// pathGlob is a compiled path pattern: its segments in order.
type pathGlob struct {
	segments []segmentGlob
}

// segmentGlob matches one segment of a path, or any number of them when deep is set. parts are the
// literal texts between stars: one part is a plain segment, {"", ".html"} is "*.html".
type segmentGlob struct {
	deep  bool
	parts []string
}

// maxPattern bounds the length of a pattern.
const maxPattern = 1000

// star stands for a wildcard while a pattern is brought into canonical form, so that an encoded
// star stays a star of the path.
const star = "\x00"

var (
	errPatternEmpty = errors.New("a path pattern begins with a slash, like /premium/**")
	errPatternLong  = errors.New("a path pattern is at most 1000 bytes long")
	errPatternDots  = errors.New("a path pattern has no . or .. segments; write the path that is meant")
	errPatternDeep  = errors.New("** stands for whole segments; write /premium/** for all below /premium, or " +
		"/premium* for segments that begin so")
	errPatternQuery  = errors.New("a path ends before ? and #; rules do not see what comes after them")
	errPatternScheme = errors.New("a path begins with a slash; name the host by the key host")
	errPatternZero   = errors.New("a path pattern has no zero bytes")
)

// parsePath compiles a path pattern. The pattern is brought into the same canonical form as the
// paths that it will meet, so that it does not matter how either of them is spelled.
func parsePath(text string) (pathGlob, error) {
	switch {
	case len(text) > maxPattern:
		return pathGlob{}, errPatternLong
	case strings.Contains(text, "://"):
		return pathGlob{}, errPatternScheme
	case !strings.HasPrefix(text, "/"):
		return pathGlob{}, errPatternEmpty
	case strings.ContainsAny(text, "?#"):
		return pathGlob{}, errPatternQuery
	case strings.Contains(decode(text), star):
		return pathGlob{}, errPatternZero
	}
	for segment := range strings.SplitSeq(decode(text), "/") {
		if segment == "." || segment == ".." {
			return pathGlob{}, errPatternDots
		}
	}
	var glob pathGlob
	for segment := range strings.SplitSeq(canonicalPath(strings.ReplaceAll(text, "*", star))[1:], "/") {
		switch {
		case segment == star+star:
			glob.addDeep()
		case strings.Contains(segment, star+star):
			return pathGlob{}, errPatternDeep
		case segment != "":
			glob.segments = append(glob.segments, segmentGlob{parts: strings.Split(segment, star)})
		}
	}
	return glob, nil
}

// addDeep adds "**"; two in a row mean the same as one.
func (g *pathGlob) addDeep() {
	if n := len(g.segments); n == 0 || !g.segments[n-1].deep {
		g.segments = append(g.segments, segmentGlob{deep: true})
	}
}

// match says whether a canonical path matches. It walks path and pattern once and goes back to the
// last "**" only, which is enough: whatever an earlier one could take, the last one can take too.
func (g pathGlob) match(path string) bool {
	rest := strings.TrimPrefix(path, "/")
	next := 0                      // the segment of the pattern to be matched
	resume, resumeRest := -1, rest // where to go on when this try fails: after the last "**", one segment later
	for rest != "" {
		if next < len(g.segments) && g.segments[next].deep {
			next++
			resume, resumeRest = next, rest
			continue
		}
		segment, after, _ := strings.Cut(rest, "/")
		if next < len(g.segments) && g.segments[next].match(segment) {
			next++
			rest = after
			continue
		}
		if resume < 0 {
			return false
		}
		_, resumeRest, _ = strings.Cut(resumeRest, "/")
		next, rest = resume, resumeRest
	}
	for next < len(g.segments) && g.segments[next].deep {
		next++
	}
	return next == len(g.segments)
}

// match says whether one segment matches. The first part is at the segment's beginning, the last at
// its end, and those between are taken at their first place.
func (s segmentGlob) match(segment string) bool {
	if len(s.parts) == 1 {
		return segment == s.parts[0]
	}
	last := len(s.parts) - 1
	if !strings.HasPrefix(segment, s.parts[0]) {
		return false
	}
	segment = segment[len(s.parts[0]):]
	for _, part := range s.parts[1:last] {
		at := strings.Index(segment, part)
		if at < 0 {
			return false
		}
		segment = segment[at+len(part):]
	}
	return strings.HasSuffix(segment, s.parts[last])
}
