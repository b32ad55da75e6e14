package ingest

import (
	"fmt"
	"net/url"

	"frontdesk/internal/content/ingest/frontier"
)

// misses are the answers that a crawl did not get. By them it gives up, and nothing that it did not
// see leaves.
type misses struct {
	row    int      // one after another
	closed []string // addresses that are not for everybody
	lost   bool     // an answer is missing of which it is not known what it led to
}

// Bounds of what a site may refuse.
const (
	maxMisses = 20 // in a row, after which nothing more is asked for
	fewClosed = 10
)

// count notes the outcome of an answer; enough says that there were so many in a row that there is
// nothing to hope for.
func (m *misses) count(o outcome) (enough bool) {
	if o != failed && o != closed {
		m.row = 0
		return false
	}
	m.row++
	return m.row >= maxMisses
}

// refused says whether a site let this visitor in nowhere, or at few of the addresses that it was
// asked for.
func (m *misses) refused(asked int) bool {
	return len(m.closed) > fewClosed && 10*len(m.closed) > asked || m.row >= maxMisses
}

// cut says why a run did not see all; empty where no answer is missing that matters.
func (m *misses) cut(asked int) string {
	switch {
	case m.lost:
		return "an address could not be had of which it is not known what it leads to"
	case m.refused(asked):
		return fmt.Sprintf("the site refused %d addresses of %d; check that it lets this visitor in", len(m.closed),
			asked)
	}
	return ""
}

// repeatedPages are pages of a site that say what others say: that they do not exist, or the same
// under another query.
type repeatedPages struct {
	missing *frontier.Page // the look of a page that does not exist, where its status does not tell; nil where it does
	absent  int            // pages that look like it
	bodies  map[string]bool
}

// isMissing says whether a page looks like one that does not exist, and counts it.
func (l *repeatedPages) isMissing(look *frontier.Page) bool {
	if l.missing == nil || look.Title != l.missing.Title || !frontier.Alike(look.Text, l.missing.Text) {
		return false
	}
	l.absent++
	return true
}

// repeats says whether a page was seen before at its address with another query, and notes it.
func (l *repeatedPages) repeats(at *url.URL, look *frontier.Page) bool {
	body := fmt.Sprintf("%s%s %s %x", at.Host, at.Path, look.Title, look.Text)
	again := l.bodies[body] && at.RawQuery != ""
	l.bodies[body] = true
	return again
}

// warning is what to tell an owner most of whose pages look like one that does not exist; empty for
// others.
func (l *repeatedPages) warning(asked int) string {
	if l.absent <= fewClosed || 2*l.absent <= asked {
		return ""
	}
	return fmt.Sprintf("%s pages look like one that does not exist; if the site builds its pages in the browser, "+
		"give its feed, or a file of its data, as a source", countText(l.absent))
}
