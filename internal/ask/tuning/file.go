package tuning

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/yamlconf"
)

// File is entries as tuning.yaml has them.
type File struct {
	Entries []FileEntry `yaml:"entries"`
}

// FileEntry is an entry as tuning.yaml has it.
type FileEntry struct {
	ID       string   `yaml:"id"`
	Kind     string   `yaml:"kind,required"`
	Words    []string `yaml:"words"`
	Means    string   `yaml:"means"`
	Both     bool     `yaml:"both"`
	Language string   `yaml:"language"`
	Question string   `yaml:"question"`
	Items    []string `yaml:"items"`
	Text     string   `yaml:"text"`
	Link     string   `yaml:"link"`
	Until    string   `yaml:"until"` // 2027-01-31, or RFC 3339
	Off      bool     `yaml:"off"`
}

// ReadFile reads the entries of a tuning.yaml. The error is fail.Invalid with every mistake.
func ReadFile(name string, text []byte) ([]Entry, error) {
	var file File
	if _, err := yamlconf.Decode(name, text, &file); err != nil {
		return nil, fail.New(fail.Invalid, "%s", err)
	}
	var all []Entry
	for i, f := range file.Entries {
		until, err := ReadUntil(f.Until)
		if err != nil {
			return nil, fail.New(fail.Invalid, "%s: entries[%d].until: %s", name, i, fail.From(err).Detail)
		}
		all = append(all, Entry{
			ID: f.ID, Kind: f.Kind, Words: f.Words, Means: f.Means, Both: f.Both, Language: f.Language,
			Question: f.Question, Items: f.Items, Text: f.Text, Link: f.Link, Until: until, Off: f.Off,
		})
	}
	return all, nil
}

// ReadUntil reads when an entry ends: a day, through which it holds, or a time. Empty is never.
func ReadUntil(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at.Add(day), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fail.New(fail.Invalid, "%.40q is no day; write it like 2027-01-31", text)
	}
	return at.UTC(), nil
}

// WriteUntil writes when an entry ends, as ReadUntil reads it.
func WriteUntil(at time.Time) string {
	switch {
	case at.IsZero():
		return ""
	case at.Equal(at.Truncate(day)):
		return at.Add(-day).UTC().Format(time.DateOnly)
	}
	return at.UTC().Format(time.RFC3339)
}

// WriteFile writes entries as a tuning.yaml.
func WriteFile(entries []Entry) []byte {
	var b strings.Builder
	b.WriteString("# What mends answers: see docs/tuning.md. `frontdesk tuning import FILE` reads it.\nentries:\n")
	if len(entries) == 0 {
		b.WriteString("  []\n")
	}
	for i := range entries {
		e := &entries[i]
		lead := "  - "
		put := func(key string, value any) {
			switch v := value.(type) {
			case string:
				if v == "" {
					return
				}
			case bool:
				if !v {
					return
				}
			case []string:
				if len(v) == 0 {
					return
				}
			}
			fmt.Fprintf(&b, "%s%s: %s\n", lead, key, quoted(value))
			lead = "    "
		}
		put("id", e.ID)
		put("kind", e.Kind)
		put("words", e.Words)
		put("means", e.Means)
		put("both", e.Both)
		put("language", e.Language)
		put("question", e.Question)
		put("items", e.Items)
		put("text", e.Text)
		put("link", e.Link)
		put("until", WriteUntil(e.Until))
		put("off", e.Off)
	}
	return []byte(b.String())
}

// quoted writes a value as JSON, which YAML reads as it is, and keeps letters that HTML would not.
func quoted(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // texts and lists of texts
	return strings.TrimSpace(b.String())
}
