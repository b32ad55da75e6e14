package yamlconf

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type house struct {
	Listen string        `yaml:"listen"`
	Limits limits        `yaml:"limits"`
	Rules  []rule        `yaml:"rules"`
	Hosts  []string      `yaml:"hosts"`
	Score  float64       `yaml:"score"`
	Open   bool          `yaml:"open"`
	Wait   time.Duration `yaml:"wait"`
}

type limits struct {
	Body     Size `yaml:"body"`
	MaxLimit int  `yaml:"max_limit"`
}

type rule struct {
	Match  match    `yaml:"match,required"`
	Access string   `yaml:"access,required"`
	Labels []string `yaml:"labels"`
	Line   int      `yaml:",line"`
}

type match struct {
	Path []string `yaml:"path"`
}

const good = `# a comment
listen: 127.0.0.1:8080
limits:
  body: 2MiB
  max_limit: 7
rules:
  - match: {path: "/a/**"}
    access: open
  -
    match:
      path: [/b, /c]
    access: licensed
    labels: x
hosts: no
score: 1.5
open: true
wait: 90s
`

func TestDecodeReadsEveryKind(t *testing.T) {
	t.Parallel()
	var got house
	places, err := Decode("house.yaml", []byte(good), &got)
	if err != nil {
		t.Fatal(err)
	}
	want := house{
		Listen: "127.0.0.1:8080", Limits: limits{2 << 20, 7}, Hosts: []string{"no"}, Score: 1.5, Open: true,
		Wait: 90 * time.Second,
		Rules: []rule{
			{Match: match{[]string{"/a/**"}}, Access: "open", Line: 7},
			{Match: match{[]string{"/b", "/c"}}, Access: "licensed", Labels: []string{"x"}, Line: 10},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for path, place := range map[string]Place{
		"listen": {2, 1}, "limits.body": {4, 3}, "rules[0].match.path[0]": {7, 13}, "rules[1].match.path[1]": {11, 18},
		"rules[1]": {10, 5}, "hosts[0]": {14, 1},
	} {
		if places[path] != place {
			t.Errorf("%s is at %v, want %v", path, places[path], place)
		}
	}
	if near := places.Near("rules[1].match.host[3]"); near != (Place{10, 5}) {
		t.Errorf("near: %v", near)
	}
}

func TestDecodeKeepsDefaultsOfWhatIsNotNamed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# nothing\n", "---\n", "limits:\n", "limits: {}\n", "listen: b\n"} {
		got := house{Listen: "b", Limits: limits{MaxLimit: 3}}
		if _, err := Decode("", []byte(text), &got); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got.Listen != "b" || got.Limits.MaxLimit != 3 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestDecodeReportsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"unknown keys", "listne: a\nlimits:\n  maxLimit: 1\n  colour: red\n", `
h.yaml:1:1: listne: unknown key; did you mean listen?
h.yaml:3:3: limits.maxLimit: unknown key; did you mean max_limit?
h.yaml:4:3: limits.colour: unknown key; here the keys are body, max_limit`},
		{"wrong kinds", "listen: [a]\nlimits: 3\nrules: {a: b}\nopen: yes\nscore: high\nwait: 10\n", `
h.yaml:1:9: listen: it is a list and should be a text
h.yaml:2:9: limits: it is a number and should be a section with keys: body, max_limit
h.yaml:3:8: rules: it is a section with keys and should be a list, each entry after a dash
h.yaml:4:7: open: "yes" should be true or false
h.yaml:5:8: score: "high" should be a number
h.yaml:6:7: wait: "10" should be a time span like 10s or 2m`},
		{"no value", "listen:\nhosts:\nrules:\n  - match:\n    access: open\n  -\n", `
h.yaml:1:1: listen: the key has no value; write one, or remove the key
h.yaml:2:1: hosts: the key has no value; write a list, or remove the key
h.yaml:4:5: rules[0].match: the key has no value; write {} when it is meant to be empty
h.yaml:6:5: rules[1]: the entry is empty`},
		{"missing keys", "rules:\n  - labels: [a]\n", `
h.yaml:2:5: rules[0].match: the key is missing; write {} when it is meant to be empty
h.yaml:2:5: rules[0].access: the key is missing`},
		{"given twice", "listen: a\nopen: true\nlisten: b\n", `
h.yaml:3:1: listen: the key is given twice, first on line 1; keep one`},
		{"sizes and numbers", "limits: {body: 1 parsec, max_limit: 99999999999999999999}\n", `
h.yaml:1:16: limits.body: "1 parsec" is no size; write bytes with a unit, like 64KiB or 1MiB
h.yaml:1:37: limits.max_limit: "99999999999999999999" should be a whole number`},
		{"YAML's own tricks", "listen: &a b\nhosts: *a\nopen: !!bool true\n", `
h.yaml:1:9: listen: an anchor (&) is not read here; write the value out
h.yaml:2:8: hosts: an alias (*) is not read here; write the value out, and a text that begins with a star in quotes
h.yaml:3:7: open: a tag (!) is not read here; write the value out`},
		{"no keys", "- a\n- b\n", `
h.yaml:1:1: the document is a list and should be keys with values, like listen: 127.0.0.1:8080`},
		{"two documents", "listen: a\n---\nlisten: b\n", `
h.yaml:3:7: a second document begins here; a configuration is one document, so remove the line ---`},
		{"number as key", "1: a\n", `
h.yaml:1:1: "1" is a number and should be the name of a key: listen, limits, rules, hosts, score, open, wait`},
		{"deep", "hosts: " + strings.Repeat("[", 200), `
h.yaml:1:108: nested deeper than 100 levels`},
		{"large", strings.Repeat("#\n", 1<<20), `
h.yaml: the file has more than 1048576 bytes`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got house
			_, err := Decode("h.yaml", []byte(c.text), &got)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeNamesTheLineOfASyntaxError(t *testing.T) {
	t.Parallel()
	_, err := Decode("h.yaml", []byte("listen: a\nhosts: [a, b\nopen: true\n"), new(house))
	var findings Findings
	if !errors.As(err, &findings) || len(findings) != 1 || findings[0].Line == 0 ||
		!strings.Contains(findings[0].Detail, "not YAML: ") {
		t.Errorf("got %v", err)
	}
}

func TestSizesAreWrittenAsTheyAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Size{"0": 0, "512": 512, "64KiB": 64 << 10, "3GiB": 3 << 30, "1MB": 1e6,
		"10 MiB": 10 << 20} {
		var got, again Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
		if err := again.UnmarshalText([]byte(got.String())); err != nil || again != want {
			t.Errorf("%s is written as %s and read as %d, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "-1", "1.5MiB", "MiB", "9999999999GiB"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d", text, s)
		}
	}
}

func TestSpansAreWrittenShortAndReadAgain(t *testing.T) {
	t.Parallel()
	for want, span := range map[string]time.Duration{"0s": 0, "10s": 10 * time.Second, "2m": 2 * time.Minute,
		"1h": time.Hour, "1h30m": 90 * time.Minute, "1h0m5s": time.Hour + 5*time.Second, "10ms": 10 * time.Millisecond,
		"10m": 10 * time.Minute} {
		if got := Span(span); got != want {
			t.Errorf("%v is written %s, want %s", span, got, want)
		}
		if again, err := time.ParseDuration(want); err != nil || again != span {
			t.Errorf("%s is read as %v, %v", want, again, err)
		}
	}
}

func TestNearestForgivesSlipsOnly(t *testing.T) {
	t.Parallel()
	keys := []string{"listen", "sources", "max_limit", "log"}
	for wrong, want := range map[string]string{"Listen": "listen", "source": "sources", "maxlimit": "max_limit",
		"lgo": "log", "sauces": "sources", "maximum": "", "colour": "", "x": ""} {
		if got, _ := Nearest(wrong, keys); got != want {
			t.Errorf("%s: %q, want %q", wrong, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(good)
	f.Add("a: *b\n? c\n: - - d\n<<: {e: |\n f}")
	f.Fuzz(func(t *testing.T, text string) {
		var into house
		_, err := Decode("h.yaml", []byte(text), &into)
		var findings Findings
		if err != nil && (!errors.As(err, &findings) || len(findings) == 0) {
			t.Errorf("the error holds no findings: %v", err)
		}
	})
}

type bag struct {
	Free  Object   `yaml:"free"`
	Other []string `yaml:"other"`
}

func TestAnObjectKeepsWhatItsOwnerWrote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Object{
		"free: {b: 1, a: \"1\", c: true, d: null, e: [x, 2.50, {f: -0.1e3}]}": `{"b":1,"a":"1","c":true,"d":null,"e":["x",2.50,{"f":-0.1e3}]}`,
		"free:\n  two words: |\n    line\n    line\n  \"quoted: key\": <b>":   `{"two words":"line\nline\n","quoted: key":"\u003cb\u003e"}`,
		"free: {}":   `{}`,
		"other: [x]": "",
	} {
		var got bag
		if _, err := Decode("bag.yaml", []byte(text), &got); err != nil || got.Free != want {
			t.Errorf("%s: %s, %v", text, got.Free, err)
		}
	}
	for text, want := range map[string]string{
		"free: 7":                 "should be keys with values",
		"free: [a]":               "should be keys with values",
		"free: {a: 1, a: 2}":      "twice",
		"free: {a: {b: 1, b: 2}}": "twice",
		"free: {a: 0x10}":         "no plain number",
		"free: {a: .inf}":         "no plain number",
		"free: {a: &x 1}":         "anchor",
		"free: {a: *x}":           "alias",
		"free: " + strings.Repeat("{a: ", 20) + "1" + strings.Repeat("}", 20): "nested more than",
		longObject(): "larger than",
	} {
		var got bag
		if _, err := Decode("bag.yaml", []byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", text, err)
		} else if got.Free != "" {
			t.Errorf("%.60s: kept %s", text, got.Free)
		}
	}
}

// longObject is larger than an Object may be.
func longObject() string {
	var b strings.Builder
	b.WriteString("free:\n")
	for i := range 20 {
		fmt.Fprintf(&b, "  a%d: %s\n", i, strings.Repeat("x", 1000))
	}
	return b.String()
}

// TestAPlaceWithinATextIsWhereItStands finds the mark in each text of a document at the place that
// Within gives.
func TestAPlaceWithinATextIsWhereItStands(t *testing.T) {
	t.Parallel()
	document := "texts:\n" +
		"  - plain text with a ^ in it\n" +
		"  - \"in quotes ^\"\n" +
		"  -   'in single quotes ^'  # and a comment\n" +
		"  - |\n    two lines\n    and Ü the ^ here\n" +
		"  - |-\n      indented\n       more: ^\n" +
		"object: {a: {b: [\"x ^\"]}, c: plain ^}\n" +
		"folded:\n  - >\n    one\n    ^ two\n" +
		"  - \"an \\\"escape\\\" ^\"\n"
	var into struct {
		Texts  []string `yaml:"texts"`
		Object Object   `yaml:"object"`
		Folded []string `yaml:"folded"`
	}
	places, err := Decode("x.yaml", []byte(document), &into)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(document, "\n")
	texts := map[string]string{"object.a.b[0]": "x ^", "object.c": "plain ^"}
	for i, text := range into.Texts {
		texts[fmt.Sprintf("texts[%d]", i)] = text
	}
	for path, text := range texts {
		before, _, _ := strings.Cut(text, "^")
		line := before[strings.LastIndexByte(before, '\n')+1:]
		at := places.Within(path, strings.Count(before, "\n"), len([]rune(line)))
		if at.Line < 1 || at.Line > len(lines) || at.Column > len([]rune(lines[at.Line-1])) ||
			[]rune(lines[at.Line-1])[at.Column-1] != '^' {
			t.Errorf("%s: the mark in %q would be at %d:%d", path, text, at.Line, at.Column)
		}
	}
	for i := range into.Folded {
		path := fmt.Sprintf("folded[%d]", i)
		if at := places.Within(path, 0, 3); at != places.Near(path) {
			t.Errorf("%s: %v, which nobody can know", path, at)
		}
	}
}

func TestSpansMayBeDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90d": 90 * 24 * time.Hour, "0d": 0, "36h": 36 * time.Hour} {
		var got house
		if _, err := Decode("", []byte("wait: "+text), &got); err != nil || got.Wait != want {
			t.Errorf("%s is read as %v, %v", text, got.Wait, err)
		}
	}
	for _, text := range []string{"d", "-1d", "1.5d", "1d2h", "100001d", "9999999999d", "+1d"} {
		var got house
		if _, err := Decode("", []byte("wait: "+text), &got); err == nil {
			t.Errorf("%s is read as %v", text, got.Wait)
		}
	}
}

// switched is a section that may be off.
type switched struct {
	Limits switchedLimits `yaml:"limits"`
	Other  limits         `yaml:"other"`
}

type switchedLimits struct {
	Keep int `yaml:"keep"`
}

func (s *switchedLimits) Off() { s.Keep = -1 }

func TestASectionMayBeOff(t *testing.T) {
	t.Parallel()
	got := switched{}
	if _, err := Decode("", []byte("limits: off"), &got); err != nil || got.Limits.Keep != -1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"limits: on", "limits: [off]", "other: off"} {
		if _, err := Decode("", []byte(text), &got); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
