package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/infra/fail"
)

// Found is what is at an address of the web, as a first look tells.
type Found struct {
	Kind string `json:"kind"` // sitemap, feed, schemamap, crawl, data or wordpress
	// Addresses are those that the site's lists or first pages name; of a feed or a file 0.
	Addresses int `json:"addresses,omitempty"`
	// Items is how many were read: all of a feed or a file, and of a site those of its first pages.
	Items    int                `json:"items"`
	Names    []string           `json:"names"` // of the first
	Problems []document.Problem `json:"problems,omitempty"`
}

// Bounds of a look.
const (
	lookPages = 4 // that are read of a site, and lists
	lookNames = 5
	lookTime  = 25 * time.Second
)

// Look tells what is at a source of the web, by reading its beginning as Run would. Nothing is kept
// of it.
func Look(ctx context.Context, source Source) (found Found, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	web := *source.Web
	web.Parallel, source.Web = 1, &web // so that a site that answers fast is not asked for much more
	s, err := newScan(source, document.Limits{})
	if err != nil {
		return found, err
	}
	defer s.close()
	found.Names = []string{}
	enough := false
	err = s.run(ctx, outlet{
		item: func(d document.Draft) error {
			if found.Items++; len(found.Names) < lookNames && d.Name != "" {
				found.Names = append(found.Names, d.Name)
			}
			return nil
		},
		problem: func(p document.Problem) {
			if len(found.Problems) < lookNames {
				found.Problems = append(found.Problems, p)
			}
		},
		progress: func(p Progress) {
			pages := p.FilesDone - s.web.toldLists()
			if pages >= lookPages || pages > 1 && found.Items >= lookNames {
				enough = true
				cancel()
			}
		},
	})
	found.Kind, found.Addresses = s.web.sight()
	if enough || errors.Is(err, context.DeadlineExceeded) && found.Items > 0 {
		err = nil
	}
	return found, ofAddress(err, &source)
}

// ofAddress is an error of a run without what it says of the source and of its content: a look has
// neither.
func ofAddress(err error, source *Source) error {
	var coded *fail.Error
	if !errors.As(err, &coded) {
		return err
	}
	text := strings.TrimPrefix(coded.Detail, fmt.Sprintf("source %s of site %s: ", source.Name, source.Site))
	text = strings.NewReplacer("; nothing was changed", "", ", so nothing was changed", "").Replace(text)
	return fail.New(coded.Code, "%s", text)
}

// toldLists is how many lists and feeds the site is known to have.
func (c *crawl) toldLists() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists
}

// sight is what the site is, and how many addresses it is known to have beside its lists.
func (c *crawl) sight() (kind string, addresses int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch kind = c.report.Kind; kind {
	case "sitemap":
		addresses = c.found
	case "crawl":
		addresses = c.report.Asked + len(c.queue)
	}
	return kind, addresses
}
