package intent

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Scope finds the declared domain that an intent lies in: the most particular one, exact or an
// ancestor at a dot's boundary. Where the domain itself lies in none, the subdomain counts, read as
// relative to the domain, or as it is where it begins with the domain already; a subdomain from
// elsewhere neither grants nor denies. An ancestor of a declared domain is out of scope, since
// consent is the narrower thing.
func Scope(declared []string, domain, subdomain string) (matched string, ok bool) {
	full := domain
	switch {
	case subdomain == "" || subdomain == domain:
	case strings.HasPrefix(subdomain, domain+"."):
		full = subdomain
	default:
		full = domain + "." + subdomain
	}
	for _, label := range declared {
		if Within(full, label) && len(label) > len(matched) {
			matched, ok = label, true
		}
	}
	return matched, ok
}

// Within says whether a label is another or lies below it, at a dot's boundary.
func Within(label, ancestor string) bool {
	return label == ancestor || strings.HasPrefix(label, ancestor) && label[len(ancestor)] == '.'
}

// Tokens is how many tokens a text has: its Unicode characters divided by four, rounded up. The
// protocol does not say what a token is; its examples agree with this.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// Expired says whether the declaration's sunset has passed: its last day is good, to midnight of
// UTC.
func (d *Declaration) Expired(now time.Time) bool {
	if d.Compliance.Sunset == "" {
		return false
	}
	last, err := time.Parse(time.DateOnly, d.Compliance.Sunset)
	return err != nil || !now.UTC().Before(last.AddDate(0, 0, 1))
}

// Open says whether the declaration permits anything at a time; why not is a sentence.
func (d *Declaration) Open(now time.Time) (open bool, whyNot string) {
	switch access := d.IntentAccess; {
	case !access.Enabled:
		return false, "access is not enabled"
	case access.State != "" && access.State != StateActive:
		return false, "access is " + access.State
	case d.Expired(now):
		return false, "the declaration ended with " + d.Compliance.Sunset
	}
	return true, ""
}

// AccessEventID is the event_id of the access event of a request: the same whenever it is told of
// again.
func AccessEventID(publisher, platform, request string) string {
	hash := sha256.New()
	for _, part := range []string{publisher, platform, request} {
		hash.Write([]byte(strconv.Itoa(len(part)) + ":" + part + ","))
	}
	return "access_" + hex.EncodeToString(hash.Sum(nil)[:16])
}
