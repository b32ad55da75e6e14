package server

import (
	"os"
)

// Discovery sets what agents that arrive are told: where to ask, what there is, and where all of it can be read.
type Discovery struct {
	// Enabled says whether `/robots.txt`, `/llms.txt`, `/openapi.json`, the schema map, the feeds, the cards under
	// `/.well-known/` and the Link headers are served.
	Enabled bool `yaml:"enabled"`
	// Feeds says whether `/schemamap.xml` and the feeds are served: the items, under the terms, for those who read
	// everything instead of asking. Only what the terms allow both for `search` and as `ai-input` is in them.
	Feeds bool `yaml:"feeds"`
	// Robots is a file to serve as `/robots.txt` in place of the one that is made. The address of the schema map is put
	// behind it, unless it has a line `schemamap:` of its own. Changes to the file take effect at once.
	Robots string `yaml:"robots"`
	// LLMs is a file to serve as `/llms.txt` in place of the one that is made. Changes to the file take effect at once.
	LLMs string `yaml:"llms"`
}

// maxOwnFile is what crawlers must read of a robots.txt (RFC 9309 §2.5), and enough for an llms.txt.
const maxOwnFile = 500 << 10

// discovery checks the section discovery.
func (c *checks) discovery() {
	c.ownFile("discovery.robots", c.Config.Discovery.Robots)
	c.ownFile("discovery.llms", c.Config.Discovery.LLMs)
}

func (c *checks) ownFile(path, file string) {
	if file == "" {
		return
	}
	switch info, err := os.Stat(file); {
	case err != nil:
		c.problem(path, "%s cannot be read; name a file that is there, or remove the key", file)
	case !info.Mode().IsRegular():
		c.problem(path, "%s is no file", file)
	case info.Size() > maxOwnFile:
		c.problem(path, "%s has %d bytes; at most %d are served", file, info.Size(), maxOwnFile)
	}
}
