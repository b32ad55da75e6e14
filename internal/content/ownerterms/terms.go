// Package ownerterms is the owner's terms beside the content on which they decide: what each rule
// does to the items that are here, what other terms would change, and which terms are in force,
// those of the configuration file or those that were published in its place.
//
// It decides nothing itself: policy does. Its tables are those of policy/overrides. Nothing of it
// is for anybody but the owner. Enter at [Terms].
package ownerterms

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

// Terms are the owner's terms, and the content on which they decide.
type Terms struct {
	*overrides.Store
	Corpus  *released.Corpus
	InForce func() *policy.Terms
	Added   func() overrides.RuleSet // of which the terms in force are made
	File    func() File
	// ReadDocument reads a document of terms, and says what is odd about it. Its error is
	// yamlconf.Findings for what is wrong.
	ReadDocument func(text string) (rules []policy.Rule, odd yamlconf.Findings, err error)
	// Compile makes terms of what stands beside the file's.
	Compile func(overrides.RuleSet) (*policy.Terms, error)
	// Apply puts in force what was published, if that can be done at once.
	Apply func(context.Context)
	// Read says how often agents read each item in the last 30 days, by its address; nil where that
	// is not counted.
	Read func(context.Context) (map[string]int64, error)
	// Load has the content be there, in a process that answers nobody; nil where it is.
	Load func(context.Context) error
}

// File is what the configuration file has of terms.
type File struct {
	Name     string // of the file; empty for none
	Document string // its terms as a document; empty where it has none
	Rules    []policy.Rule
}

// Edition is what the file has as an edition.
func (f File) Edition() overrides.Edition {
	version := policy.RulesVersion(f.Rules)
	return overrides.Edition{Source: overrides.FromFile, Document: f.Document, Version: version, FileVersion: version}
}

// Check reads a document that somebody wants to publish. The error is fail.Invalid with each
// mistake, its line and what to do, a line each.
func (t *Terms) Check(document string) (after *policy.Terms, e overrides.Edition, odd []string, err error) {
	if len(document) > overrides.MaxDocument {
		return nil, e, nil, invalid("the document has more than %d bytes; use fewer rules", overrides.MaxDocument)
	}
	rules, found, err := t.ReadDocument(document)
	var wrong yamlconf.Findings
	if errors.As(err, &wrong) {
		err = invalid("%s", strings.Join(lines(wrong), "\n"))
	}
	if err != nil {
		return nil, e, nil, err
	}
	if len(rules) == 0 {
		return nil, e, nil, invalid("there is no rule; to open everything write `- match: {}` with `access: open`")
	}
	e = overrides.Edition{Source: overrides.Published, Document: document, Version: policy.RulesVersion(rules)}
	after, err = t.with(e)
	return after, e, lines(found), err
}

// lines are findings in a document, a line each.
func lines(found yamlconf.Findings) []string {
	all := make([]string, len(found))
	for i, f := range found {
		if f.File = ""; f.Line > 0 {
			all[i] = fmt.Sprintf("line %d: ", f.Line)
		}
		f.Place = yamlconf.Place{}
		all[i] += f.Error()
	}
	return all
}

// with makes the terms of an edition.
func (t *Terms) with(e overrides.Edition) (*policy.Terms, error) {
	set := t.Added()
	e.Number = set.Latest.Number + 1
	set.Latest = e
	made, err := t.Compile(set)
	if err != nil {
		return nil, invalid("these terms cannot be used: %v", err)
	}
	return made, nil
}

// openDocument says what terms without a rule say.
const openDocument = "terms:\n  - match: {}\n    access: open\n"

// As makes the terms of an edition as it was, also where it was that of the file.
func (t *Terms) As(e overrides.Edition) (*policy.Terms, error) {
	e.Source = overrides.Published
	if e.Document == "" {
		e.Document = openDocument
	}
	return t.with(e)
}

// read is Read; nil where it is not counted.
func (t *Terms) read(ctx context.Context) (map[string]int64, error) {
	if t.Read == nil {
		return nil, nil
	}
	return t.Read(ctx)
}

// Ready has the content be there.
func (t *Terms) Ready(ctx context.Context) error {
	if t.Load == nil {
		return nil
	}
	return t.Load(ctx)
}

func invalid(format string, args ...any) error { return fail.New(fail.Invalid, format, args...) }
