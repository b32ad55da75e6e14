package operator

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
)

// Instant is a time in a result: to the second in requests' answers, and whole in the JSON of
// commands.
type Instant struct{ time.Time }

// MarshalText is RFC 3339.
func (i Instant) MarshalText() ([]byte, error) { return []byte(i.UTC().Format(time.RFC3339)), nil }

// MarshalJSON is RFC 3339.
func (i Instant) MarshalJSON() ([]byte, error) { return json.Marshal(i.UTC().Format(time.RFC3339)) }

// Exact is a time in a result that is whole everywhere.
type Exact struct{ time.Time }

// MarshalJSON is RFC 3339 with fractions of seconds.
func (e Exact) MarshalJSON() ([]byte, error) { return json.Marshal(e.Format(time.RFC3339Nano)) }

// Second is a time in a result to the second, everywhere.
type Second struct{ time.Time }

// Cell is the time in a table.
func (s Second) Cell() string { return s.Format(time.DateTime) }

// MarshalJSON is RFC 3339.
func (s Second) MarshalJSON() ([]byte, error) { return Instant(s).MarshalJSON() }

// Time is a time that is told: RFC 3339, or a day, which is its beginning by UTC.
type Time struct{ time.Time }

// UnmarshalText reads it.
func (t *Time) UnmarshalText(text []byte) (err error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t.Time, err = time.Parse(layout, string(text)); err == nil {
			t.Time = t.UTC()
			return nil
		}
	}
	return fmt.Errorf("%.40q is no time; write it like 2027-01-31T00:00:00Z or 2027-01-31", text)
}

// Amount is money in units of 1e-8, written as a decimal number.
type Amount int64

func (a Amount) String() string { return policy.Amount(int64(a)) }

// MarshalJSON writes a string.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }

// Page is which part of a list is wanted: so many rows behind one. The command line lists all.
type Page struct {
	After string `query:"after" kong:"-" help:"The next of the page before."`
	Limit int    `query:"limit" most:"1000" usual:"100" kong:"-" help:"How many a page has, up to 1000; without it, 100."`
}

// rows is how many to read: one more than the page has, and 0 for all.
func (p Page) rows() int {
	if p.Limit == 0 {
		return 0
	}
	return p.Limit + 1
}

// part is the rows of a page of which one more was read, and from where the next goes on: empty
// for none.
func part[R any](p Page, all []R, place func(R) string) (rows []R, next string) {
	if p.Limit == 0 || len(all) <= p.Limit {
		return all, ""
	}
	return all[:p.Limit], place(all[p.Limit-1])
}

// each makes a list of what is told of every row; it is never null.
func each[R, T any](all []R, tell func(R) T) []T {
	told := make([]T, len(all))
	for i, one := range all {
		told[i] = tell(one)
	}
	return told
}

// Printed has the flag of commands that print lists as JSON, too.
type Printed struct {
	JSON bool `name:"json" json:"-" help:"Print a JSON array."`
}

// AsJSON says whether JSON is asked for.
func (p Printed) AsJSON() bool { return p.JSON }

// Key is a public key: told in standard base64 of its 32 bytes, and read in every form that
// documents have.
type Key struct {
	Thumbprint string `json:"-" cli:"name"`           // RFC 7638; not told of callers
	ID         string `json:"id,omitempty" cli:"-"`   // what it is called
	PublicKey  string `json:"public_key" required:""` // Ed25519, in base64
	ValidFrom  string `json:"valid_from,omitempty"`   // RFC 3339
	ValidUntil string `json:"valid_until,omitempty"`  // RFC 3339
}

func (k Key) read() (one ramp.Key, err error) {
	one.ID, one.Active = k.ID, true
	if one.Public, err = ramp.DecodePublicKey(k.PublicKey); err != nil {
		return one, err
	}
	for _, at := range []struct {
		text string
		into *time.Time
	}{{k.ValidFrom, &one.From}, {k.ValidUntil, &one.Until}} {
		if at.text == "" {
			continue
		}
		if *at.into, err = time.Parse(time.RFC3339, at.text); err != nil {
			return one, fmt.Errorf("%q is no time; write it like 2027-01-01T00:00:00Z", at.text)
		}
	}
	return one, nil
}

// readKeys reads the keys of a request.
func readKeys(keys []Key) (all []ramp.Key, err error) {
	for i, k := range keys {
		one, err := k.read()
		if err != nil {
			return nil, invalid("key %d: %v", i+1, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// showKeys tells of keys.
func showKeys(keys []ramp.Key) []Key {
	all := []Key{}
	for _, k := range keys {
		one := Key{ID: k.ID, PublicKey: base64.StdEncoding.EncodeToString(k.Public)}
		if !k.From.IsZero() {
			one.ValidFrom = k.From.UTC().Format(time.RFC3339)
		}
		if !k.Until.IsZero() {
			one.ValidUntil = k.Until.UTC().Format(time.RFC3339)
		}
		all = append(all, one)
	}
	return all
}
