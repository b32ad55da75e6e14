package language

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Line is a line of a table that says something.
type Line struct {
	Section string // the name in brackets above it
	Key     string // what stands before the mark
	Mark    byte   // the sign behind the key
	Said    string // what stands behind the mark, or the whole line where keys have no mark
}

// Phrases are the phrases of a line between separators, without blanks around them.
func (l *Line) Phrases(separator string) (phrases []string) {
	for phrase := range strings.SplitSeq(l.Said, separator) {
		if phrase = strings.TrimSpace(phrase); phrase != "" {
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// Read gives the lines of a table to take. A key ends at the first of the marks, which are signs;
// without marks a line has no key. Blank lines and lines that begin with "#" say nothing, and
// "[name]" begins a section. An error names the line.
func Read(name, source, marks string, take func(Line) error) error {
	section, number := "", 0
	for text := range strings.Lines(source) {
		number++
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		if text[0] == '[' && text[len(text)-1] == ']' {
			section = text[1 : len(text)-1]
			continue
		}
		line := Line{Section: section, Said: text}
		if marks != "" {
			at := strings.IndexAny(text, marks)
			if at < 0 {
				return fmt.Errorf("%s:%d: %q has no key before one of %q", name, number, text, marks)
			}
			line.Key, line.Mark, line.Said = strings.TrimSpace(text[:at]), text[at], strings.TrimSpace(text[at+1:])
		}
		if err := take(line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return nil
}

// MustRead is Read for a file that is embedded: a mistake in it is one of the build.
func MustRead(files embed.FS, name, marks string, take func(Line) error) {
	source, err := files.ReadFile(name)
	if err == nil {
		err = Read(name, string(source), marks, take)
	}
	if err != nil {
		panic("language: " + err.Error())
	}
}

// TagsIn are the languages that have a table in a folder, as BCP 47 tags: Fallback first, the
// others in the order of the alphabet.
func TagsIn(files embed.FS, folder string) []string {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic("language: " + err.Error())
	}
	tags := []string{Fallback}
	for _, entry := range entries {
		if tag := strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())); tag != Fallback {
			tags = append(tags, tag)
		}
	}
	return slices.Clip(tags)
}

// Records are the words of the lines of an embedded file that names things rather than saying them.
func Records(files embed.FS, name string) (records [][]string) {
	MustRead(files, name, "", func(line Line) error {
		records = append(records, strings.Fields(line.Said))
		return nil
	})
	return records
}
