package agents

import (
	_ "embed"
	"net/netip"
	"slices"
	"strings"
)

// Known is an agent that the list names.
type Known struct {
	Operator  string         // its operator's name
	Origin    string         // its operator's origin, such as https://openai.com
	Kind      string         // training, search, assistant or data
	UserAgent string         // a word of its user agent
	Source    string         // who says so
	Engine    bool           // it indexes for people who search the web
	Addresses []netip.Prefix // that its requests come from; none in the built-in list
}

// Kinds are what agents do.
var Kinds = []string{"training", "search", "assistant", "data"}

//go:embed known.txt
var knownText string

// BuiltIn is the list that comes with the program.
var BuiltIn = readKnown(knownText)

// readKnown reads the list's lines.
func readKnown(text string) (list []Known) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, " | ")
		list = append(list, Known{Operator: f[0], Origin: strings.Trim(f[1], "-"), Kind: strings.Trim(f[2], "-"),
			UserAgent: f[3], Source: f[4], Engine: len(f) > 5 && f[5] == "engine"})
	}
	return list
}

// list finds known agents.
type list []Known

// newList puts the owner's agents before those that are built in, and in each longer words before
// shorter ones, so that Googlebot-News is no Googlebot where both are there.
func newList(own []Known) list {
	longest := func(a, b Known) int { return len(b.UserAgent) - len(a.UserAgent) }
	own, builtIn := slices.Clone(own), slices.Clone(BuiltIn)
	slices.SortStableFunc(own, longest)
	slices.SortStableFunc(builtIn, longest)
	return append(own, builtIn...)
}

// byUserAgent finds the agent that a user agent names.
func (l list) byUserAgent(userAgent string) *Known {
	userAgent = strings.ToLower(userAgent)
	for i := range l {
		if word := l[i].UserAgent; word != "" && hasWord(userAgent, strings.ToLower(word)) {
			return &l[i]
		}
	}
	return nil
}

// hasWord says whether a text has a word that no letter or digit goes on.
func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i
		if (at == 0 || !wordly(text[at-1])) && (at+len(word) == len(text) || !wordly(text[at+len(word)])) {
			return true
		}
		at++
	}
}

func wordly(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// byOrigin finds an operator by the origin at which its keys are: its own, or one of a host below.
// Of several the nearest is meant.
func (l list) byOrigin(origin string) (nearest *Known) {
	host, longest := strings.TrimPrefix(origin, "https://"), 0
	for i := range l {
		own := strings.TrimPrefix(l[i].Origin, "https://")
		if len(own) > longest && (host == own || strings.HasSuffix(host, "."+own)) {
			nearest, longest = &l[i], len(own)
		}
	}
	return nearest
}

// hasOrigin says whether an origin is an operator's own.
func (l list) hasOrigin(origin string) bool {
	return slices.ContainsFunc(l, func(k Known) bool { return k.Origin == origin })
}
