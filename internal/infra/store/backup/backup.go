// Package backup writes all that a front desk keeps into one file, and puts it back: the database
// as it was at one moment, whichever engine it is on, the files of the data folder (keys,
// certificates), and the configuration.
//
// The file is a gzipped tar, in this order:
//
//	frontdesk-backup.json       what this is, and the tables with their columns (Head)
//	config/frontdesk.yaml       the configuration, if there is one
//	data/...                    the files of the data folder
//	tables/NAME/NUMBER          rows, in batches (see rows.go)
//	frontdesk-checksums.json    the SHA-256 of every entry before it (Tail)
//
// A file without the last entry is not whole.
//
// A backup is read back before it gets its name. A restore reads the whole file before it changes
// anything; the database is then changed in one transaction, and the files follow from a staging
// folder, which the next start completes if it was broken off (Finish).
//
// It stands beside ingest, below server and cli, on store.
package backup

import (
	"errors"
	"time"

	"frontdesk/internal/infra/store"
)

// format is the version of the file's form.
const format = 1

// The entries that are always there.
const (
	headName   = "frontdesk-backup.json"
	tailName   = "frontdesk-checksums.json"
	configName = "config/frontdesk.yaml"
	dataDir    = "data/"
	tablesDir  = "tables/"
)

// The bounds of an entry.
const (
	maxFile  = 64 << 20 // of a file of the data folder
	maxEntry = 1 << 30
	maxHead  = 64 << 20
	batch    = 4 << 20 // from which size on a batch of rows is written
)

// Head is what a backup says of itself first.
type Head struct {
	Format  int          `json:"format"`
	ID      string       `json:"id"` // of this backup
	Created time.Time    `json:"created"`
	Program string       `json:"program"` // which wrote it
	Layout  store.Layout `json:"layout"`
}

// Tail is what a backup says of itself last.
type Tail struct {
	Entries []Entry          `json:"entries"`
	Rows    map[string]int64 `json:"rows"` // by table
}

// Entry is one entry of the file.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Contents are what a backup was found to hold.
type Contents struct {
	Head
	Tail
	Size   int64  // of the file, in bytes
	Config []byte // the configuration; nil for none
	Files  int    // of the data folder
}

// AllRows counts the rows of all tables.
func (c Contents) AllRows() int64 {
	var n int64
	for _, rows := range c.Rows {
		n += rows
	}
	return n
}

// errBroken is of a file that is no backup, or no longer one.
var errBroken = errors.New("it is no whole backup")
