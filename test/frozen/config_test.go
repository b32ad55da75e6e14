package frozen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"frontdesk/internal/testkit/process"
)

// key is a key of the configuration, such as "terms[].access", with what the manual says of its
// value.
type key struct{ path, value string }

// keys are those of docs/configuration.md and the pages of sections that it names, which are made
// of the program and held current by a test.
func keys(t *testing.T) (all []key) {
	t.Helper()
	manual, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("^\\| `([a-z0-9_]+)` \\| ([^|]*[^ |]) ")
	heading := regexp.MustCompile("^##? `([^`]+)`")
	read := func(text, section string) {
		for line := range strings.Lines(text) {
			if found := heading.FindStringSubmatch(line); found != nil {
				section = found[1] + "."
			}
			if found := row.FindStringSubmatch(line); found != nil {
				all = append(all, key{section + found[1], strings.TrimSuffix(found[2], ", required")})
			}
		}
	}
	read(string(manual), "")
	for _, page := range regexp.MustCompile(`\]\((reference/config-[a-z-]+\.md)\)`).FindAllStringSubmatch(string(manual), -1) {
		text, err := os.ReadFile("../../docs/" + page[1])
		if err != nil {
			t.Fatal(err)
		}
		if name, _, _ := strings.Cut(heading.FindStringSubmatch(string(text))[1], "[]"); !strings.Contains(name, ".") {
			all = append(all, key{name, "section or list"})
		}
		read(string(text), "")
	}
	if len(all) < 500 {
		t.Fatalf("only %d keys in the manual", len(all))
	}
	return all
}

// wrong are values for a key: one of another type, and some that are out of range or unknown. The
// golden says "no error" where the program takes one of them.
func wrong(value string) (other any, odd []any) {
	switch {
	case value == "whole number", value == "number":
		return "frozen", []any{-1, 1000000000000}
	case strings.HasPrefix(value, "time span"):
		return "frozen", []any{"-1s", "1000000h"}
	case strings.HasPrefix(value, "size"):
		return "frozen", []any{"0B", "1000TiB"}
	case value == "true or false":
		return "frozen", nil
	case value == "text":
		return map[string]any{"frozen": 1}, []any{"frozen unknown?"}
	case strings.HasPrefix(value, "text or a list"):
		return map[string]any{"frozen": 1}, []any{[]any{"frozen unknown?"}}
	}
	return "frozen", nil // sections and lists
}

// run is one configuration: the full sample with some keys changed.
type run map[string]any

// TestConfigCheck holds the error for each key that has a wrong value, and for an unknown key in
// each section. The program reports all mistakes at once, so many keys are wrong in one file: one
// of each section at a time, except for types and unknown keys, which are reported before values.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	runs, nth := map[string]run{}, map[string]int{}
	put := func(name, path string, value any) {
		if runs[name] == nil {
			runs[name] = run{}
		}
		runs[name][path] = value
	}
	for _, k := range keys(t) {
		section, _ := split(k.path)
		put(fmt.Sprintf("unknown %d", strings.Count(section, ".")), join(section, "frozen_unknown"), 1)
		other, odd := wrong(k.value)
		depth := 0 // of what holds others, which are not looked at when it is wrong
		if k.value == "list" || strings.HasPrefix(k.value, "section") {
			depth = 1 + strings.Count(k.path, ".")
		}
		put(fmt.Sprintf("type %d", depth), k.path, other)
		for i, value := range odd {
			put(fmt.Sprintf("value %d %d", i, nth[section]), k.path, value)
		}
		nth[section]++
	}
	found := map[string]bool{}
	for _, changes := range runs {
		check(t, changes, found)
	}
	golden(t, "config-check.golden", sorted(found))
}

func split(path string) (section, name string) {
	at := strings.LastIndex(path, ".")
	return path[:max(at, 0)], path[at+1:]
}

func join(section, name string) string { return strings.TrimPrefix(section+"."+name, ".") }

// check adds what `config check` says of the full sample with the changes: of each changed key, and
// of others.
func check(t *testing.T, changes run, found map[string]bool) {
	t.Helper()
	sample, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := yaml.Unmarshal(sample, &tree); err != nil {
		t.Fatal(err)
	}
	for path, value := range changes {
		set(tree, strings.Split(path, "."), value)
	}
	text, err := json.MarshalIndent(tree, "", " ") // which is YAML too
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "frozen.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, _ := process.Run(t, "config", "check", file)
	said, place := map[string]bool{}, regexp.MustCompile(`^(warning: )?`+regexp.QuoteMeta(file)+`(:\d+)*: `)
	for line := range strings.Lines(stderr) {
		line = strings.ReplaceAll(place.ReplaceAllString(strings.TrimSpace(line), "$1"), dir, "DIR")
		at, _, _ := strings.Cut(line, ": ")
		path := strings.ReplaceAll(at, "[0]", "[]")
		if _, changed := changes[path]; !changed {
			path = strings.TrimSuffix(path, "[]") // of a list of texts
		}
		if value, changed := changes[path]; changed {
			said[path] = true
			line = fmt.Sprintf("%s = %v: %s", path, value, strings.TrimPrefix(line, at+": "))
		} else {
			line = "elsewhere: " + line
		}
		found[line] = true
	}
	for path, value := range changes {
		if !said[path] {
			found[fmt.Sprintf("%s = %v: no error", path, value)] = true
		}
	}
}

// set puts a value at a path of a tree, whose lists are taken to have one element at least.
func set(tree map[string]any, path []string, value any) {
	name, list := strings.CutSuffix(path[0], "[]")
	if len(path) == 1 {
		tree[name] = value
		return
	}
	if list {
		elements, _ := tree[name].([]any)
		if len(elements) == 0 {
			elements = []any{map[string]any{}}
		}
		tree[name] = elements
		set(elements[0].(map[string]any), path[1:], value)
		return
	}
	below, _ := tree[name].(map[string]any)
	if below == nil {
		below = map[string]any{}
	}
	tree[name] = below
	set(below, path[1:], value)
}
