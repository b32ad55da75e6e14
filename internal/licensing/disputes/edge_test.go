package disputes

import (
	"testing"
	"time"
)

// with changes facts.
func with(f Facts, change func(*Facts)) Facts { change(&f); return f }

// TestTheBoundsOfTier1 decides on each side of every bound, and what looks like a row of the table
// and is none.
func TestTheBoundsOfTier1(t *testing.T) {
	t.Parallel()
	const undecided = "undecided: review"
	tokens := func(reported int64, r Record) Facts {
		return with(facts(IncompleteContent, 1, r), func(f *Facts) { f.Reported = reported })
	}
	plain := func(bytes int64) Record { return Record{Source: "delivery", Status: 200, Bytes: bytes, Plain: true} }
	fresher := func(reason Reason, after time.Duration) Facts {
		return with(facts(reason, 1, cdn), func(f *Facts) { f.Fresher = moment.Add(after) })
	}
	mismatch := func(records ...Record) Facts {
		return with(facts(ContentMismatch, 1, records...), func(f *Facts) { f.Received = "another" })
	}
	prefers := func(status int) Facts {
		return with(facts(DeliveryFailed, 0, Record{Status: status}), func(f *Facts) { f.Prefers = Redelivery })
	}
	live := func(change func(*Facts), records ...Record) Facts {
		return with(facts(IncompleteContent, 0, records...), func(f *Facts) {
			f.Mutability, f.Minutes = "live", 10
			change(f)
		})
	}
	open := func(seconds int64) Record { return Record{Status: 200, Cut: true, Seconds: seconds, Bytes: 5000} }
	same := func(*Facts) {}
	for _, c := range []struct {
		name  string
		facts Facts
		want  string
	}{
		{"less than 80 % of the tokens", tokens(7_999, few), "credit by tokens, short"},
		{"80 % of the tokens", tokens(8_000, few), undecided},
		{"less than three bytes of plain text a token", tokens(3_000, plain(29_999)), "credit by tokens, short"},
		{"three bytes of plain text a token", tokens(3_000, plain(30_000)), undecided},
		{"less than a byte a token, where it may be packed", tokens(3_000, Record{Status: 200, Bytes: 9_999}),
			"credit by tokens, short"},
		{"a byte a token, where it may be packed", tokens(3_000, Record{Status: 200, Bytes: 10_000}), undecided},
		{"few bytes, of which all tokens are reported", tokens(10_000, few), undecided},
		{"bytes for less than half", tokens(-1, Record{Status: 200, Bytes: 4_999}), "credit by size, short"},
		{"bytes for half", tokens(-1, Record{Status: 200, Bytes: 5_000}), undecided},
		{"few tokens of what broke off", tokens(10, Record{Status: 200, Bytes: 2_000, Cut: true}), undecided},
		{"few tokens of what was not sent, and did not fail", tokens(0, Record{Status: 304}), undecided},
		{"few tokens, and another reason", with(facts(DeliveryFailed, 1, few), func(f *Facts) { f.Reported = 10 }),
			undecided},
		{"ten minutes later", fresher(ContentMismatch, 10*time.Minute), "credit by freshness"},
		{"more than ten minutes later", fresher(ContentMismatch, 10*time.Minute+time.Second), undecided},
		{"ten minutes earlier", fresher(ContentMismatch, -10*time.Minute), "credit by freshness"},
		{"more than ten minutes earlier", fresher(ContentMismatch, -10*time.Minute-time.Second), undecided},
		{"fresher, of wrong content", fresher(WrongContent, time.Minute), "credit by freshness"},
		{"fresher, whatever came failed in another way", fresher(DeliveryFailed, time.Minute), undecided},
		{"redirected", facts(DeliveryFailed, 0, Record{Status: 302}), undecided},
		{"not modified", facts(DeliveryFailed, 0, Record{Status: 304}), undecided},
		{"an error, and a stump before", facts(DeliveryFailed, 0, Record{Status: 200, Bytes: small - 1, Cut: true},
			broke), "credit by status"},
		{"an error, and a piece before", facts(DeliveryFailed, 0, Record{Status: 200, Bytes: small, Cut: true}, broke),
			undecided},
		{"an error, and a whole that is small before", facts(DeliveryFailed, 0, Record{Status: 200, Bytes: 10}, broke),
			undecided},
		{"500 passes", prefers(500), "redelivery by status"}, {"502 passes", prefers(502), "redelivery by status"},
		{"408 passes", prefers(408), "redelivery by status"},
		{"425 passes", prefers(425), "redelivery by status"}, {"429 passes", prefers(429), "redelivery by status"},
		{"403 does not", prefers(403), "credit by status"},
		{"410 does not", prefers(410), "credit by status"},
		{"wrong content at level 1", with(facts(WrongContent, 1, cdn), func(f *Facts) { f.Received = "another" }),
			undecided},
		{"sent as offered, and as something else, too", mismatch(whole, with2(whole, "another")), "credit by hash"},
		{"what broke off is nothing that was sent whole",
			mismatch(Record{Status: 200, Cut: true, Bytes: 9_000, Sum: "offered"}), "credit by hash"},
		{"nor is a range", mismatch(Record{Status: 206, Bytes: 9_000, Sum: "offered"}), "credit by hash"},
		{"nor does what broke off show what else was sent",
			mismatch(whole, Record{Status: 200, Cut: true, Bytes: 9_000, Sum: "another"}), undecided},
		{"a stream that broke off twice, for half in all", live(same, open(150), open(150)), undecided},
		{"a stream that broke off twice, for less than half", live(same, open(150), open(149)), "credit by session"},
		{"a stream, and another reason", live(func(f *Facts) { f.Reason = WrongContent }, open(10)), undecided},
		{"a stream of no length", live(func(f *Facts) { f.Minutes = 0 }, open(10)), undecided},
		{"minutes of what is no stream", live(func(f *Facts) { f.Mutability = "static" }, open(10)), undecided},
	} {
		if got := verdict(Tier1(c.facts)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestTheBoundsOfTier2 does the same with the rules of tier 2.
func TestTheBoundsOfTier2(t *testing.T) {
	t.Parallel()
	short := func(reported int64, cases int) Facts {
		return with(facts(IncompleteContent, 0, few), func(f *Facts) { f.Reported, f.Cases = reported, cases })
	}
	unused := func(bytes int64) Facts {
		return with(facts(DeliveryFailed, 0, Record{Status: 200, Bytes: bytes}), func(f *Facts) { f.Reported = 0 })
	}
	agreed := func(reason Reason, level int, ago time.Duration) Facts {
		return with(facts(reason, level, cdn), func(f *Facts) { f.Agrees = f.Now.Add(-ago) })
	}
	wrong := func(received string, records ...Record) Facts {
		return with(facts(WrongContent, 0, records...), func(f *Facts) {
			f.Received, f.Known, f.Bought = received, []string{"known"}, []string{"bought"}
		})
	}
	const day = 24 * time.Hour
	for _, c := range []struct {
		name  string
		facts Facts
		want  string
	}{
		{"less than a kilobyte", unused(1023), "credit by empty"},
		{"a kilobyte", unused(1024), "rejected by delivered"},
		{"less than half, for the third time", short(4_999, 3), "credit by cases, short"},
		{"half, for the third time", short(5_000, 3), "rejected by unsupported, short"},
		{"short by the bytes alone, for the third time", short(-1, 3), "rejected by unsupported, short"},
		{"attested within a day", agreed(WrongContent, 2, day-time.Second), "rejected by attested"},
		{"attested a day ago", agreed(WrongContent, 2, day), "rejected by unsupported"},
		{"attested, and another reason", agreed(IncompleteContent, 2, time.Hour), "rejected by unsupported"},
		{"attested by the provider", agreed(WrongContent, 1, time.Hour), "rejected by unsupported"},
		{"the hash of another media type", wrong("bought", cdn), "rejected by catalog"},
		{"the hash that was offered", wrong("offered", cdn), "rejected by catalog"},
		{"a hash that was sent beside that which is known", wrong("another", whole, with2(whole, "another")),
			"credit by catalog"},
		{"nothing to compare with",
			with(wrong("another", cdn), func(f *Facts) { f.Known, f.Bought, f.Offered = nil, nil, "" }),
			"investigation by unclear"},
		{"another hash was sent, and another reason", with(facts(IncompleteContent, 0, with2(whole, "another")),
			func(f *Facts) { f.Received = "another" }), "rejected by unsupported"},
		{"another hash was sent, of what changes", with(facts(ContentMismatch, 1, with2(whole, "another")),
			func(f *Facts) { f.Received, f.Mutability = "another", "dynamic" }), "rejected by unsupported"},
		{"broken off, and another reason", facts(WrongContent, 0, cut), "rejected by unsupported"},
		{"broken off, of what is live", with(facts(DeliveryFailed, 0, cut), func(f *Facts) { f.Mutability = "live" }),
			"rejected by unsupported"},
		{"next to nothing, of what is live", with(facts(IncompleteContent, 0, stump), func(f *Facts) {
			f.Reported, f.Mutability = 0, "live"
		}), "rejected by unsupported"},
		{"too late, though delivered", facts(ExpiredBeforeFetch, 0, cdn, tooLate), "rejected by delivered"},
	} {
		if got := verdict(Tier2(c.facts)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
