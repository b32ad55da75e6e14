package language

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTablesAreRead(t *testing.T) {
	t.Parallel()
	table, err := parse("xx",
		"# a comment\n\nor = \" or \"\nof = %s: %s\nsort -price: most expensive, priciest\nsort -price: "+
			"dearest,\nany: all\n")
	if err != nil {
		t.Fatal(err)
	}
	if table.Texts["or"] != " or " || table.Texts["of"] != "%s: %s" {
		t.Errorf("%q", table.Texts)
	}
	if len(table.Lists) != 2 ||
		!slices.Equal(table.Lists[0].Phrases, []string{"most expensive", "priciest", "dearest"}) ||
		table.Lists[0].Argument != "-price" {
		t.Errorf("%+v", table.Lists)
	}
	for _, wrong := range []string{"neither", "a = 1\na = 2", `a = "open`} {
		if _, err := parse("xx", wrong); err == nil || !strings.Contains(err.Error(), "xx.txt:") {
			t.Errorf("%q is read: %v", wrong, err)
		}
	}
}

func TestEveryTableHasTheTextsOfTheFirst(t *testing.T) {
	t.Parallel()
	for _, table := range tables() {
		for key, said := range tables()[0].Texts {
			if text, there := table.Texts[key]; !there && !strings.HasPrefix(key, "sign.") ||
				there && text == "" && said != "" {
				t.Errorf("%s says nothing under %s", table.Tag, key)
			}
		}
		for key := range table.Texts {
			if _, known := tables()[0].Texts[key]; !known {
				t.Errorf("%s has %s, which no other language needs", table.Tag, key)
			}
		}
	}
}

//go:embed keys.txt
var keysFile string

func parse(tag, source string) (*Table, error) {
	t := newTable(tag)
	return t, Read(tag+".txt", source, marks, t.read)
}

// inWords says whether a language is written in words with blanks between them.
func inWords(tag string) bool { return tag != "ja" }

func TestEveryTableHasTheListsThatKeysNames(t *testing.T) {
	t.Parallel()
	keys, err := parse("keys", keysFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables() {
		for _, list := range table.Lists {
			if keys.Texts[list.Key] == "" {
				t.Errorf("%s has %s, which keys.txt does not name", table.Tag, list.Key)
			}
		}
		for key, about := range keys.Texts {
			who, _, _ := strings.Cut(about, ";")
			if who == "all" && inWords(table.Tag) &&
				!slices.ContainsFunc(table.Lists, func(l List) bool { return l.Key == key }) {
				t.Errorf("%s has no %s", table.Tag, key)
			}
			if who != "all" && who != "some" {
				t.Errorf("keys.txt does not say who must have %s", key)
			}
		}
	}
}

// apart are lists that shut each other out: no phrase stands in two of them.
var apart = [][]string{
	{"under", "over"}, {"under", "atleast"}, {"atmost", "over"}, {"orless", "ormore"}, {"stock", "out"},
	{"high", "low"},
	{"upcoming", "gone"}, {"without", "only"}, {"age older", "age newer"}, {"and", "or"},
	{"turn.reset", "turn.further"},
}

// single are keys under which a phrase has one argument.
var single = []string{"diet", "sort", "day", "tongue", "turn.compare", "turn.about", "place", "number", "compare.by",
	"holiday", "counted", "distance.unit"}

func TestNoPhraseHasTwoSensesThatShutEachOtherOut(t *testing.T) {
	t.Parallel()
	for _, table := range tables() {
		have := map[string]map[string]bool{} // phrases by head
		for _, list := range table.Lists {
			head := strings.TrimSpace(list.Key + " " + list.Argument)
			have[head] = map[string]bool{}
			for _, phrase := range list.Phrases {
				if folded := strings.ToLower(phrase); have[head][folded] {
					t.Errorf("%s: %q stands twice under %s", table.Tag, phrase, head)
				} else {
					have[head][folded] = true
				}
			}
		}
		for _, pair := range apart {
			for phrase := range have[pair[0]] {
				if have[pair[1]][phrase] {
					t.Errorf("%s: %q stands under %s and %s", table.Tag, phrase, pair[0], pair[1])
				}
			}
		}
		for _, key := range single {
			seen := map[string]string{}
			for list := range table.Each(key) {
				for _, phrase := range list.Phrases {
					if other, twice := seen[phrase]; twice && other != list.Argument {
						t.Errorf("%s: %q is %s and %s under %s", table.Tag, phrase, other, list.Argument, key)
					}
					seen[phrase] = list.Argument
				}
			}
		}
	}
}

// patterns are the keys of lists that are looked for within a text as patterns.
var patterns = []string{"within.figure", "within.count", "within.date", "within.until", "within.behind", "within.name"}

func TestPatternsAndPlacesAreWhole(t *testing.T) {
	t.Parallel()
	for _, table := range tables() {
		for _, list := range table.Lists {
			for _, phrase := range list.Phrases {
				if strings.HasPrefix(list.Key, "pick.") || strings.HasPrefix(list.Key, "remark.") ||
					slices.Contains(patterns, list.Key) {
					if _, err := regexp.Compile(phrase); err != nil {
						t.Errorf("%s: %s: %v", table.Tag, list.Key, err)
					}
				} else if asks := list.Key == "turn.release"; asks != (strings.Count(phrase, "%") == 1) {
					t.Errorf("%s: %s %q has %d places for a name", table.Tag, list.Key, phrase,
						strings.Count(phrase, "%"))
				}
			}
		}
	}
}
