package vault

import (
	"time"

	"frontdesk/wire/intake"
)

// How long what is declared to be kept for a time is kept, and what else ends.
const (
	month = 30 * 24 * time.Hour
	year  = 365 * 24 * time.Hour
	// undone is how long a bind that nobody marks as done keeps what it was bound with, as if it
	// was done then.
	undone = month
	// tombstone is how long ids and times are kept after all else is erased.
	tombstone = year
)

// never is later than any time that there is.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// after is when what is kept by a word is erased that is kept from a time on; by none and session
// at once.
func after(word intake.Retention, from time.Time) time.Time {
	switch word {
	case intake.RetainNone, intake.RetainSession:
		return from
	case intake.Retain30Days:
		return from.Add(month)
	case intake.Retain1Year:
		return from.Add(year)
	}
	return never
}

// Due is what of a submission has to be erased now.
type Due struct {
	Data, Offer, Bind bool // the keys
	Row               bool // all of it
	Expire            bool // it expired, and nobody has noted that yet
}

// any says whether there is anything to do.
func (d Due) any() bool { return d != Due{} }

// EraseTimes are when what is kept of a submission is erased: what was submitted, what was
// answered, what it was bound with, and at last the row. What is not kept, or no more, has no end
// and is zero; what is kept for good ends in the year 9999.
type EraseTimes struct{ Data, Answer, Bind, Row time.Time }

// EraseTimesOf says until when a submission is kept. b is its bind, nil for none.
//
// What was submitted goes by the word of its intake: with none as soon as an answer is there, with
// session at the bind or the expiry, and else some time after it was submitted. What was answered
// is needed until the offer expires and, where it was bound, until the business had it; and is kept
// as long as what was submitted where that is longer. What it was bound with goes by the same word,
// counted from when the business had it. What was erased on demand goes at once. The row goes some
// time after all else.
func EraseTimesOf(r Record, b *Bind) (e EraseTimes) {
	done := r.CreatedAt
	if b != nil {
		if done = b.Done; done.IsZero() {
			done = b.CreatedAt.Add(undone)
		}
	}
	last := latest(r.Expires, done)
	keep := func(key string, until time.Time) time.Time {
		if key == "" {
			return time.Time{}
		}
		if r.State == Erased {
			until = r.CreatedAt
		}
		last = latest(last, until)
		return until
	}
	data := after(r.Retention, r.CreatedAt)
	if r.State == Waiting || r.Retention == intake.RetainSession && r.State != Bound {
		data = latest(data, r.Expires) // needed until then, whatever the word
	}
	e.Data = keep(r.DataKey, data)
	e.Answer = keep(r.OfferKey, latest(after(r.Retention, r.CreatedAt), r.Expires, done))
	if b != nil {
		e.Bind = keep(b.Key, after(r.Retention, done))
	}
	if e.Row = never; !last.Equal(never) {
		e.Row = last.Add(tombstone)
	}
	return e
}

// due says what of a submission is to be erased by now, and when it is to be looked at next. b is
// its bind, nil for none.
func due(r Record, b *Bind, now time.Time) (what Due, next time.Time) {
	ends := EraseTimesOf(r, b)
	next = never
	at := func(when time.Time) bool {
		if when.After(now) {
			next = earliest(next, when)
			return false
		}
		return true
	}
	if r.State == Waiting || r.State == Offered {
		what.Expire = at(r.Expires)
	}
	what.Data = !ends.Data.IsZero() && at(ends.Data)
	what.Offer = !ends.Answer.IsZero() && at(ends.Answer)
	what.Bind = !ends.Bind.IsZero() && at(ends.Bind)
	if ends.Data.IsZero() && ends.Answer.IsZero() && ends.Bind.IsZero() {
		what.Row = at(ends.Row)
	}
	return what, next
}

func latest(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
