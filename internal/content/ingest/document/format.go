package document

import (
	"path"
	"strings"
)

// Format is the format of a document.
type Format int

// The forms. Of an Unknown one nothing is read.
const (
	Unknown Format = iota
	Lines          // one JSON value a line
	JSON           // JSON documents
	HTML           // HTML
	Markdown
	Feed // RSS, Atom or JSON Feed, from the web only
)

// FormatOf finds a file's format by its name; zipped says that it is compressed.
func FormatOf(name string) (f Format, zipped bool) {
	name = strings.ToLower(name)
	name, zipped = strings.CutSuffix(name, ".gz")
	switch path.Ext(name) {
	case ".jsonl", ".ndjson":
		return Lines, zipped
	case ".json", ".jsonld":
		return JSON, zipped
	case ".html", ".htm", ".xhtml":
		return HTML, zipped
	case ".md", ".markdown":
		return Markdown, zipped
	}
	return Unknown, zipped
}

// Extensions lists the file extensions that FormatOf knows, for messages.
const Extensions = ".json, .jsonl, .ndjson and .jsonld (each also .gz), .html, .htm, .md"

// File is one file of a source, or a document from elsewhere under a name for origins.
type File struct {
	Name   string // its path below the source, with slashes
	Size   int64  // in bytes, as it lies on disk
	Format Format
	Zipped bool // by gzip
}
