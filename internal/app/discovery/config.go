package discovery

import (
	"fmt"
	"io"
	"os"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section discovery: what agents that arrive are told: where to ask, what there is,
// and where all of it can be read.
type Settings struct {
	// Enabled says whether `/robots.txt`, `/llms.txt`, `/openapi.json`, the schema map, the feeds,
	// the cards under `/.well-known/` and the Link headers are served.
	Enabled bool `yaml:"enabled"`
	// Feeds says whether `/schemamap.xml` and the feeds are served: the items, under the terms, for
	// agents that read everything instead of asking. They have only text that the terms allow both
	// for `search` and as `ai-input`.
	Feeds bool `yaml:"feeds"`
	// Robots is your own file for `/robots.txt`. Frontdesk adds the address of the schema map,
	// unless the file has a line `schemamap:`. Changes to the file take effect at once.
	Robots string `yaml:"robots" relative:"path"`
	// LLMs is your own file for `/llms.txt`. Changes to the file take effect at once.
	LLMs string `yaml:"llms" relative:"path"`
}

// MaxOwnFile is what crawlers must read of a robots.txt (RFC 9309 §2.5), and enough for an
// llms.txt.
const MaxOwnFile = 500 << 10

// Check looks at the files.
func (d Settings) Check(r *yamlconf.Report) {
	ownFile(r, "robots", d.Robots)
	ownFile(r, "llms", d.LLMs)
}

func ownFile(r *yamlconf.Report, key, file string) {
	if file == "" {
		return
	}
	switch info, err := os.Stat(file); {
	case err != nil:
		r.Problem(key, "%s cannot be read; name a file that is there, or remove the key", file)
	case !info.Mode().IsRegular():
		r.Problem(key, "%s is no file", file)
	case info.Size() > MaxOwnFile:
		r.Problem(key, "%s has %d bytes; at most %d are served", file, info.Size(), MaxOwnFile)
	}
}

// ReadOwnFile reads a file that the owner wants served, nil for none.
func ReadOwnFile(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxOwnFile+1))
	if err == nil && len(text) > MaxOwnFile {
		err = fmt.Errorf("%s has more than %d bytes", file, MaxOwnFile)
	}
	if text == nil {
		text = []byte{} // an empty file is the owner's word, too
	}
	return text, err
}
