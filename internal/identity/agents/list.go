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
	Further   []string       // origins at which the operator has keys, too
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
		origins := strings.Fields(strings.Trim(f[1], "-"))
		known := Known{Operator: f[0], Kind: strings.Trim(f[2], "-"), UserAgent: f[3], Source: f[4],
			Engine: len(f) > 5 && f[5] == "engine"}
		if len(origins) > 0 {
			known.Origin, known.Further = origins[0], origins[1:]
		}
		list = append(list, known)
	}
	return list
}

// list finds known agents. Those of the owner are before those that are built in.
type list []listed

type listed struct {
	Known
	own  bool
	word string // UserAgent in small letters
}

func newList(own []Known) (l list) {
	for i, k := range slices.Concat(own, BuiltIn) {
		l = append(l, listed{k, i < len(own), strings.ToLower(k.UserAgent)})
	}
	return l
}

// byUserAgent finds the agent that a user agent names. Where it names several, one of the owner's
// list goes first, then one that is no search engine for people, since those are let pass where
// others are not; then the one that is named first, as the most significant product is (RFC 9110
// §10.1.5), and of two at one place the longer.
func (l list) byUserAgent(userAgent string) *Known {
	userAgent = strings.ToLower(userAgent)
	var found *listed
	place := 0
	for i := range l {
		one := &l[i]
		at := wordAt(userAgent, one.word)
		if at >= 0 && (found == nil || one.before(found, at-place)) {
			found, place = one, at
		}
	}
	if found == nil {
		return nil
	}
	return &found.Known
}

// before says whether an agent goes before another one whose name stands so many bytes before its
// own in a user agent.
func (k *listed) before(other *listed, later int) bool {
	switch {
	case k.own != other.own:
		return k.own
	case k.Engine != other.Engine:
		return other.Engine
	case later != 0:
		return later < 0
	}
	return len(k.word) > len(other.word)
}

// wordAt is where a text has a word first that no letter or digit goes on; -1 for nowhere.
func wordAt(text, word string) int {
	for at := 0; word != ""; at++ {
		i := strings.Index(text[at:], word)
		if i < 0 {
			break
		}
		at += i
		if (at == 0 || !wordly(text[at-1])) && (at+len(word) == len(text) || !wordly(text[at+len(word)])) {
			return at
		}
	}
	return -1
}

func wordly(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// byOrigin finds an operator by the origin at which its keys are: one of its own, or one of a host
// below. Of several the nearest is meant.
func (l list) byOrigin(origin string) (nearest *Known) {
	host, longest := strings.TrimPrefix(origin, "https://"), 0
	for i := range l {
		for own := range l[i].origins {
			own = strings.TrimPrefix(own, "https://")
			if len(own) > longest && (host == own || strings.HasSuffix(host, "."+own)) {
				nearest, longest = &l[i].Known, len(own)
			}
		}
	}
	return nearest
}

// origins are all of the operator's.
func (k *Known) origins(yield func(string) bool) {
	if yield(k.Origin) {
		slices.Values(k.Further)(yield)
	}
}

// hasOrigin says whether an origin is an operator's own.
func (l list) hasOrigin(origin string) bool {
	return slices.ContainsFunc(l, func(k listed) bool {
		return k.Origin == origin || slices.Contains(k.Further, origin)
	})
}
