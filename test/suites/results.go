package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// results keeps what passed, by commit and by inputs, in the user's cache.
type results struct {
	dir    string
	commit string // empty where the tree has changes that no commit has
	resume bool
}

// openResults prepares the folder. FRONTDESK_TEST_RESULTS names another than that in the user's
// cache.
func openResults(resume bool) (*results, error) {
	dir := os.Getenv("FRONTDESK_TEST_RESULTS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(cache, "frontdesk-tests")
	}
	r := &results{dir: dir, resume: resume}
	if changes, err := exec.Command("git", "status", "--porcelain").Output(); err == nil && len(changes) == 0 {
		commit, _ := exec.Command("git", "rev-parse", "HEAD").Output()
		r.commit = strings.TrimSpace(string(commit))
	}
	return r, os.MkdirAll(dir, 0o755)
}

// passed gives the outcome of a suite that need not run again.
func (r *results) passed(s suite) (outcome, bool) {
	if !r.resume && len(s.inputs) == 0 {
		return outcome{}, false
	}
	text, err := os.ReadFile(r.path(s))
	var o outcome
	if err != nil || json.Unmarshal(text, &o) != nil || len(o.Why) > 0 {
		return outcome{}, false
	}
	o.Kept, o.Slowest = true, nil
	return o, true
}

// keep writes the outcome of a suite where passed finds it.
func (r *results) keep(s suite, o outcome) error {
	path := r.path(s)
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(o, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// path is the file of a suite's outcome: named by its inputs where it has some, else by the commit.
// It is empty where neither says what was tested.
func (r *results) path(s suite) string {
	of := r.commit
	if len(s.inputs) > 0 {
		of = digest(s.inputs)
	}
	if of == "" {
		return ""
	}
	return filepath.Join(r.dir, of, strings.ReplaceAll(s.name, " ", "-")+".json")
}

// digest is a hash over the files below the paths, as git sees them in the working tree.
func digest(paths []string) string {
	listed, err := exec.Command("git",
		append([]string{"ls-files", "-co", "--exclude-standard", "--"}, paths...)...).Output()
	if err != nil || len(listed) == 0 {
		return ""
	}
	hash := sha256.New()
	for file := range strings.Lines(string(listed)) {
		text, err := os.ReadFile(strings.TrimSpace(file))
		if err != nil {
			return ""
		}
		sum := sha256.Sum256(text)
		hash.Write([]byte(file))
		hash.Write(sum[:])
	}
	return hex.EncodeToString(hash.Sum(nil))[:16]
}
