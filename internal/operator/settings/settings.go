// Package settings is what an owner sets without the configuration file: which keys may be set so,
// and their values, which every node of a front desk reads from the database.
//
// A value of the file goes before one that is kept here. The package must not know what a key
// means: whoever reads the configuration says whether a value fits. Enter at [Book].
package settings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/infra/fail"
)

// The bounds of what is kept.
const (
	maxText    = 2000 // bytes of a text
	maxTexts   = 50   // of a list
	maxSources = 200
)

// Row is a value that is kept.
type Row struct {
	// Key is the path of the key. An entry of a list is named in brackets: `sites[shop].name`,
	// `sources[shop/blog]`.
	Key string
	// Values are the value, or each text of a list, or `key=value` for each key of a source.
	Values  []string
	Changed time.Time
	By      string // who set it, as the ledger names them; empty for the command line
}

// Set is all that is kept.
type Set struct {
	Version int64 // grows with each change
	Rows    []Row // by key
}

// Setting is a key that may be set, with what holds.
type Setting struct {
	Key     string   `json:"key" column:"1:KEY"`
	Section Section  `json:"section"`
	Kind    string   `json:"kind"`                     // text, list, number, switch, span, choice or source
	Choices []string `json:"choices,omitempty"`        // of a choice
	Values  []string `json:"values" column:"2:VALUE"`  // in force, or after a restart
	Default []string `json:"default,omitempty"`        //
	Layer   string   `json:"layer" column:"3:FROM"`    // default, store, file, environment, flag or argument
	Place   string   `json:"place,omitempty"`          // file and line, or what else sets it
	Kept    []string `json:"kept,omitempty"`           // the value that is kept, also where it is not in force
	Changed string   `json:"changed,omitempty"`        // when that was set, in RFC 3339
	By      string   `json:"by,omitempty"`             // who set it; empty for the command line
	Problem string   `json:"problem,omitempty"`        // why what is kept cannot be used
	Restart bool     `json:"restart,omitempty"`        // what holds now takes effect when the server starts again
	Locked  bool     `json:"locked" column:"4:LOCKED"` // something else than this page sets it
}

// Problems say what is wrong with values, by key.
type Problems map[string]string

func (p Problems) Error() string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(p)) {
		lines = append(lines, key+": "+p[key])
	}
	return strings.Join(lines, "\n")
}

// Unwrap is the mistake as requests are told of it.
func (p Problems) Unwrap() error { return fail.New(fail.Invalid, "%s", p.Error()) }

// Book is the settings of a front desk, as operations read and change them.
type Book struct {
	*Store
	// List tells of each key that may be set, in the order of [Keys].
	List func() []Setting
	// Check says what is wrong with rows that are to be kept; changed are those that are new.
	Check func(rows []Row, changed []string) error
	// Document gives rows as lines for the configuration file.
	Document func(rows []Row) string
	// Apply puts in force what was changed, if that can be done at once.
	Apply func(context.Context) error
}

// Change is what is said of one key: values, or none to have the default hold again.
type Change struct {
	Key    string
	Values []string
}

// Change keeps values, all or none. The error is [Problems] for what cannot be set, or not so.
func (b *Book) Change(ctx context.Context, by string, changes ...Change) error {
	rows, err := b.With(ctx, by, changes...)
	if err != nil {
		return err
	}
	if err := b.Store.change(ctx, rows, changes); err != nil {
		return err
	}
	return b.Apply(ctx)
}

// With gives the rows as they would be after changes, which keeps nothing. Its error is that of
// Change.
func (b *Book) With(ctx context.Context, by string, changes ...Change) ([]Row, error) {
	set, err := b.Read(ctx)
	if err != nil {
		return nil, err
	}
	problems, fresh := Problems{}, []string{}
	for i := range changes {
		c := &changes[i]
		kept := len(set.Rows)
		set.Rows = slices.DeleteFunc(set.Rows, func(r Row) bool { return r.Key == c.Key })
		if len(c.Values) == 0 && len(set.Rows) < kept {
			continue // also of a key that another version of the program had
		}
		c.Values = slices.Clone(c.Values)
		for i, text := range c.Values {
			c.Values[i] = strings.TrimSpace(text)
		}
		if problem := Refusal(c.Key, c.Values); problem != "" {
			problems[c.Key] = problem
			continue
		}
		if len(c.Values) == 0 {
			continue
		}
		if at := b.lockedAt(c.Key); at != "" {
			problems[c.Key] = at + " sets it, which goes before; change it there"
			continue
		}
		set.Rows = append(set.Rows, Row{Key: c.Key, Values: c.Values, By: by})
		fresh = append(fresh, c.Key)
	}
	sources := 0
	for _, r := range set.Rows {
		if strings.HasPrefix(r.Key, sourcePrefix) {
			sources++
		}
	}
	if sources > maxSources {
		return nil, fail.New(fail.Invalid, "there are %d sources already, and no more can be added", maxSources)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if len(fresh) == 0 {
		return set.Rows, nil
	}
	return set.Rows, b.Check(set.Rows, fresh)
}

// lockedAt is what sets a key so that nothing that is kept counts; empty for nothing.
func (b *Book) lockedAt(key string) string {
	for _, s := range b.List() {
		if s.Key == key && s.Locked {
			return cmp.Or(s.Place, s.Layer)
		}
	}
	return ""
}

// Refusal is why a value cannot be kept for a key, whatever the configuration says; empty where it
// can.
func Refusal(path string, values []string) string {
	key, ok := find(path)
	switch {
	case !ok:
		return "it cannot be set here; write it into the configuration file"
	case len(values) > maxTexts:
		return fmt.Sprintf("there are %d texts; at most %d are kept", len(values), maxTexts)
	}
	for _, text := range values {
		switch {
		case text == "":
			return "a text is empty"
		case len(text) > maxText:
			return fmt.Sprintf("a text has more than %d bytes", maxText)
		case strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text):
			return "a text has a line break or another control character"
		}
		if of, _, _ := strings.Cut(text, "="); key.Entry && !slices.Contains(sourceKeys, of) {
			return fmt.Sprintf("%.40q of a source cannot be set here; write the source into the configuration file", of)
		}
	}
	return ""
}

// Merge adds to settings as they hold what is kept of each, and those of which something is kept
// that cannot be used.
func Merge(all []Setting, kept []Row, problems map[string]string) []Setting {
	for _, r := range kept {
		at := slices.IndexFunc(all, func(s Setting) bool { return s.Key == r.Key })
		if at < 0 {
			key, _ := find(r.Key)
			all = append(all, Setting{Key: r.Key, Section: key.Section, Kind: KindText, Layer: "default"})
			if at = len(all) - 1; key.Entry {
				all[at].Kind = KindSource
			}
		}
		all[at].Kept, all[at].By, all[at].Problem = r.Values, r.By, problems[r.Key]
		all[at].Changed = r.Changed.UTC().Format(time.RFC3339)
	}
	for i := range all {
		all[i].Locked = all[i].Layer != "default" && all[i].Layer != "store"
	}
	return all
}
