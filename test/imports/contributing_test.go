package imports

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// TestContributingShowsTheTree holds CONTRIBUTING.md against the tree: every folder of its picture
// and every file of "Where to add" is there, and the picture has all folders of internal.
func TestContributingShowsTheTree(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, why := range checkContributing(string(text), os.DirFS("../..")) {
		t.Error(why)
	}
}

func TestWrongContributingIsFound(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{}
	tree := fstest.MapFS{"wire/a.go": file, "internal/ask/query/a.go": file, "internal/policy/a.go": file}
	page := func(picture, where string) string {
		return "## The packages\n\n```\nwire/    messages\ninternal/\n  ask/\n" + picture + "  policy/\n```\n\n" +
			"## Where to add\n\n| what | where |\n| --- | --- |\n| a key | " + where + " |\n\n## Tests\n`ask/nothing`\n"
	}
	for _, tc := range []struct{ name, page, want string }{
		{"right", page("    query/\n", "`ask/query`, `policy/*.go`, `wire`, a `word`"), ""},
		{"a folder that is gone", page("    facts/   gone\n", "`wire`"), "internal/ask/facts"},
		{"a file that is gone", page("", "`policy/rule.go`"), "policy/rule.go"},
		{"a pattern without files", page("", "`policy/rule*.go`"), "policy/rule*.go"},
		{"a folder that is not shown", strings.Replace(page("", "`wire`"), "  policy/\n", "", 1), "internal/policy"},
	} {
		got := strings.Join(checkContributing(tc.page, tree), "\n")
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want it to name %q", tc.name, got, tc.want)
		}
	}
}

var (
	folderLine = regexp.MustCompile(`(?m)^( *)(\S+)/(\s|$)`)
	codeSpan   = regexp.MustCompile("`([^` ]+/[^` ]+)`")
)

// checkContributing returns what of the page is not in the tree, and which folders of internal its
// picture leaves out.
func checkContributing(page string, root fs.FS) []string {
	var out []string
	_, packages, _ := strings.Cut(page, "## The packages\n")
	_, picture, _ := strings.Cut(packages, "```\n")
	picture, _, _ = strings.Cut(picture, "```\n")
	shown := map[string]bool{}
	var above []string // the folders that the line is in, by their depth
	for _, line := range folderLine.FindAllStringSubmatch(picture, -1) {
		above = append(above[:min(len(line[1])/2, len(above))], line[2])
		folder := path.Join(above...)
		shown[folder] = true
		if _, err := fs.Stat(root, folder); err != nil {
			out = append(out, "CONTRIBUTING.md shows the folder "+folder+", which is not there")
		}
	}
	folders, err := fs.ReadDir(root, "internal")
	if err != nil {
		return append(out, err.Error())
	}
	for _, f := range folders {
		if folder := path.Join("internal", f.Name()); !shown[folder] {
			out = append(out, "CONTRIBUTING.md does not show the folder "+folder)
		}
	}
	_, where, _ := strings.Cut(page, "## Where to add\n")
	where, _, _ = strings.Cut(where, "\n## ")
	for _, span := range codeSpan.FindAllStringSubmatch(where, -1) {
		if name := span[1]; !isThere(root, name) && !strings.HasPrefix(name, "./") {
			out = append(out, "CONTRIBUTING.md, Where to add: there is no "+name)
		}
	}
	return out
}

// isThere says whether a path, or a pattern, names a file from the root or from internal.
func isThere(root fs.FS, name string) bool {
	name = strings.TrimSuffix(name, "/")
	for _, from := range []string{"", "internal"} {
		if found, err := fs.Glob(root, path.Join(from, name)); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}
