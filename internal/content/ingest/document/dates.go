package document

import (
	"strings"
	"time"

	"frontdesk/internal/content/ingest/jsonrepair"
)

// dateForms are the forms of dates in documents, the usual ones first. A date without a zone is
// taken as UTC.
var dateForms = []string{
	time.RFC3339Nano, "2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05 MST", "2006-01-02 15:04", "2006-01", "2006", "20060102", "2006/01/02", "2006.01.02",
	"02.01.2006",
	time.RFC1123Z, time.RFC1123, "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", time.ANSIC,
	time.UnixDate,
}

// ParseDate reads a point in time; zero for any other text.
func ParseDate(s string) time.Time {
	s = strings.TrimSpace(s)
	if len(s) < 4 || len(s) > 40 {
		return time.Time{}
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, s); err == nil && t.Year() >= 1 && t.Year() <= 9999 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// dateOf reads the first of the properties that holds a date.
func dateOf(n *jsonrepair.Node, properties ...string) time.Time {
	for _, property := range properties {
		if t := ParseDate(text(n.Get(property))); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
