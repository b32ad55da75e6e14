package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"frontdesk/internal/app/asked"
	"frontdesk/internal/app/config"
	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

// ownerTerms are the owner's terms as operations read and change them. file gives the configuration
// as it was last read.
func (t *terms) ownerTerms(corpus *released.Corpus, file func() *Loaded, apply func(context.Context)) ownerterms.Terms {
	return ownerterms.Terms{
		Store: t.Rulebook, Corpus: corpus, InForce: t.Terms, Added: t.Added, Apply: apply,
		Read: asked.Reads(t.db, t.config.Questions.Keep, t.now),
		File: func() ownerterms.File {
			l := file()
			f := ownerterms.File{Rules: l.Config.Terms}
			if l.layers.File != "" {
				f.Name = filepath.Base(l.layers.File)
			}
			if len(f.Rules) > 0 {
				f.Document = config.Text(overrides.Document{Terms: f.Rules})
			}
			return f
		},
		ReadDocument: func(text string) ([]policy.Rule, yamlconf.Findings, error) {
			read, err := file().withDocument(text)
			return read.Config.Terms, read.Warnings, err
		},
		Compile: func(set overrides.RuleSet) (*policy.Terms, error) {
			c := file().Config
			return c.compileTerms(t.ownLicences(c), set)
		},
	}
}

// withDocument gives the configuration with the rules of a document of terms. Its error is of type
// yamlconf.Findings.
func (l *Loaded) withDocument(text string) (*Loaded, error) {
	other := &Loaded{Config: l.Config, layers: Layers{File: "terms"}}
	var document overrides.Document
	var findings yamlconf.Findings
	other.origins, findings, _ = config.Read(config.Layers{File: other.layers.File, Text: []byte(text)}, &document)
	other.Config.Terms = document.Terms
	return other, other.checkTerms(findings)
}

// published are the owner's terms, which are put in force as they are changed.
func (r *reloader) published() ownerterms.Terms {
	return r.ownerTerms(r.corpus, r.file, r.addedRules().Apply)
}

// TermsNote says of a configuration's terms that they are not in force, as a comment; empty where
// they are.
func (c Config) TermsNote(ctx context.Context) string {
	e, err := overrides.Peek(ctx, c.Database(slog.New(slog.DiscardHandler)))
	switch {
	case err != nil:
		return fmt.Sprintf("# Whether terms were published in the place of these cannot be told: %v\n", err)
	case e.Source == overrides.Published:
		return fmt.Sprintf("# The terms below are not in force: version %d, which was published, is. "+
			"`frontdesk terms show` lists it, and\n"+
			"# `frontdesk terms put-back file` puts these in force.\n", e.Number)
	}
	return ""
}

// tellPublished says in the log that published terms are in force, where they are, and whether the
// file has changed since.
func (t *terms) tellPublished(file Config) (published bool) {
	edition, published := t.Added().InForce()
	if !published {
		return false
	}
	const remedy = "`frontdesk terms put-back file` puts the file's in force"
	if edition.FileVersion != policy.RulesVersion(file.Terms) {
		const changed = "the file has other terms than when terms were published; the published ones stay in force: "
		t.log.Warn(changed+remedy, "version", edition.Number)
	} else {
		const published = "the terms that were published are in force, and not those of the file: "
		t.log.Info(published+remedy, "version", edition.Number)
	}
	return true
}
