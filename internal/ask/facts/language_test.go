package facts

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkTable gives what is wrong with the source of a language's table by keys.txt.
func checkTable(tag, source string) (wrong []string) {
	seen := map[string]bool{}
	for i, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		declared, known := keys()[name]
		at := fmt.Sprintf("%s.txt:%d: %s", tag, i+1, name)
		switch {
		case !found:
			wrong = append(wrong, at+": no value")
		case !known:
			wrong = append(wrong, at+": unknown key")
		case seen[name]:
			wrong = append(wrong, at+": there already")
		default:
			for _, problem := range checkValue(declared, value) {
				wrong = append(wrong, at+": "+problem)
			}
		}
		seen[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(keys())) {
		if !seen[name] {
			wrong = append(wrong, tag+".txt: "+name+": missing")
		}
	}
	return wrong
}

// splitAt splits a text, and takes the blanks off its parts.
func splitAt(text, separator string) []string {
	parts := strings.Split(text, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func checkValue(declared key, value string) (wrong []string) {
	parts := splitAt(value, "|")
	switch declared.kind {
	case textKey:
		var slots []string
		for i, part := range parseTemplate(value) {
			if i%2 == 1 {
				slots = append(slots, part)
			}
		}
		slices.Sort(slots)
		if slots = slices.Compact(slots); !slices.Equal(slots, declared.slots) {
			wrong = append(wrong, fmt.Sprintf("places %q, want %q", slots, declared.slots))
		}
		if value == "" || strings.Contains(value, "|") {
			wrong = append(wrong, "no text")
		}
	case listKey:
		if slices.Contains(parts, "") || declared.count > 0 && len(parts) != declared.count {
			wrong = append(wrong, fmt.Sprintf("%d texts %q, want %d", len(parts), parts, declared.count))
		}
	case codedKey:
		for _, part := range parts {
			if code, name, _ := strings.Cut(part, " "); code == "" || name == "" {
				wrong = append(wrong, fmt.Sprintf("entry %q has no code or no name", part))
			}
		}
	default:
		wrong = append(wrong, fmt.Sprintf("unknown kind %q", declared.kind))
	}
	return wrong
}

func TestEveryLanguageSaysEverything(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("languages/*.txt")
	if err != nil || len(files) != len(tags) {
		t.Fatalf("%d tables for %d languages: %v", len(files), len(tags), err)
	}
	for _, tag := range tags {
		source, err := tables.ReadFile("languages/" + tag + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range checkTable(tag, string(source)) {
			t.Error(wrong)
		}
		for list, coded := range languages()[fallback].coded {
			want := slices.Sorted(maps.Keys(coded))
			if got := slices.Sorted(maps.Keys(languages()[tag].coded[list])); !slices.Equal(got, want) {
				t.Errorf("%s.txt: %s has the codes %q, want %q", tag, list, got, want)
			}
		}
	}
}

func TestCheckerFindsMistakes(t *testing.T) {
	t.Parallel()
	source, err := tables.ReadFile("languages/en.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, mistake := range []struct{ old, new, want string }{
		{"word.yes = yes\n", "", "word.yes: missing"},
		{"word.yes = yes", "word.yes = yes\nword.maybe = maybe", "word.maybe: unknown key"},
		{"word.yes = yes", "word.yes = yes\nword.yes = yes", "word.yes: there already"},
		{"word.yes = yes", "word.yes", "word.yes: no value"},
		{"word.yes = yes", "word.yes =", "word.yes: no text"},
		{"tell.price = {name} costs {value}", "tell.price = {name} costs {price}",
			`tell.price: places ["name" "price"], want ["name" "value"]`},
		{" | Sunday\n", "\n", "want 7"},
	} {
		if !strings.Contains(string(source), mistake.old) {
			t.Fatalf("the table has no %q", mistake.old)
		}
		got := checkTable("en", strings.ReplaceAll(string(source), mistake.old, mistake.new))
		if !slices.ContainsFunc(got, func(wrong string) bool { return strings.Contains(wrong, mistake.want) }) {
			t.Errorf("%q for %q: got %q, want %q", mistake.new, mistake.old, got, mistake.want)
		}
	}
}

// A text that code names is declared, and a text that is declared is named by code or belongs to an
// intent.
func TestKeysAreThoseThatCodeNames(t *testing.T) {
	t.Parallel()
	named := map[string]bool{"sentence": true, "yes": true, "no": true, "figures": true}
	for _, in := range intents() {
		if States(in.name) && in.form != "kind" {
			named["yes."+in.name], named["no."+in.name] = true, true
		}
		named["tell."+in.name] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`say\("([a-z.-]+[a-zA-Z])"`)
	quoted := regexp.MustCompile(`"([a-z]+[a-zA-Z.-]*)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range said.FindAllStringSubmatch(string(source), -1) {
			if _, declared := keys()[match[1]]; !declared {
				t.Errorf("%s says %q, which keys.txt does not have", file, match[1])
			}
		}
		for _, match := range quoted.FindAllStringSubmatch(string(source), -1) {
			named[match[1]] = true
		}
	}
	composed := regexp.MustCompile(`^(availability|returns|size)\.|\.country|\.free$`)
	for name, declared := range keys() {
		if declared.kind == textKey && !named[name] && !composed.MatchString(name) {
			t.Errorf("nothing says %q", name)
		}
	}
}

func TestIntentsHaveTheirForms(t *testing.T) {
	t.Parallel()
	for name, in := range intents() {
		if forms[in.form] == nil {
			t.Errorf("intent %s has the unknown form %s", name, in.form)
		}
		if in.form == "flag" && languages()[fallback].lists[namesPrefix+name] == nil {
			t.Errorf("intent %s has no names of its property", name)
		}
	}
	for name := range keys() {
		if topic, ok := strings.CutPrefix(name, namesPrefix); ok && intents()[topic].name == "" {
			t.Errorf("%s names no intent", name)
		}
	}
}
