package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"frontdesk/internal/policy"
)

// maxRSLFile is the most that is read of an RSL document.
const maxRSLFile = 4 << 20

// readRSL reads the RSL documents of the configuration.
func (c Config) readRSL() ([]*policy.RSL, error) {
	var all []*policy.RSL
	for _, path := range c.RSL {
		document, err := readRSL(path)
		if err != nil {
			return nil, fmt.Errorf("the RSL document %s cannot be used: %w", path, err)
		}
		all = append(all, document)
	}
	return all, nil
}

func readRSL(path string) (*policy.RSL, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxRSLFile+1))
	if err != nil {
		return nil, err
	}
	return policy.ParseRSL(filepath.Base(path), text)
}

// rsl looks at the RSL documents, and says whether they can be used.
func (c *checks) rsl() (good bool) {
	good = true
	for i, path := range c.Config.RSL {
		document, err := readRSL(path)
		if err != nil {
			c.Problem(fmt.Sprintf("rsl[%d]", i), "the RSL document %s cannot be used: %v", path, err)
			good = false
			continue
		}
		for _, why := range document.Unread() {
			c.Warning(fmt.Sprintf("rsl[%d]", i), "%s; write what it permits in its <license>", why)
		}
	}
	return good
}
