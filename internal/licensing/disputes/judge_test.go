package disputes

import (
	"fmt"
	"testing"
	"time"
)

var moment = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// Records as those who deliver write them.
var (
	whole = Record{Source: "delivery", ID: "dlv-1", At: moment, Status: 200, Bytes: 40_000, Announced: 40_000,
		Plain: true, Sum: "offered"}
	cdn = Record{Source: "cdn", ID: "1", At: moment, Status: 200, Bytes: 40_000}
	few = Record{Source: "cdn", ID: "2", At: moment, Status: 200, Bytes: 3_000}
	cut = Record{Source: "delivery", ID: "dlv-2", At: moment, Status: 200, Bytes: 20_000, Announced: 40_000,
		Plain: true, Cut: true}
	gone    = Record{Source: "cdn", ID: "3", At: moment, Status: 404}
	broke   = Record{Source: "cdn", ID: "4", At: moment, Status: 503}
	tooLate = Record{Source: "refusal", ID: "5", At: moment.Add(6 * time.Minute), Status: 403, Expired: true}
	stump   = Record{Source: "cdn", ID: "6", At: moment, Status: 200, Bytes: 300}
)

// facts are those of a dispute about a static resource of 10,000 tokens of which all are reported.
func facts(reason Reason, level int, records ...Record) Facts {
	return Facts{
		Reason: reason, Level: level, Mutability: "static", Hashes: Hashes{Offered: "offered"}, Estimate: 10_000,
		Reported: 10_000, Made: moment, Records: records, StillAvailable: true,
		Rates: NoRates, Now: moment.Add(time.Hour),
	}
}

// verdict is what a rule says, in a line.
func verdict(v Verdict) string {
	text := fmt.Sprintf("%s by %s", v.Resolution, v.Rule)
	if v.Resolution == "" {
		text = "undecided: " + v.Rule
	}
	if v.Short {
		text += ", short"
	}
	return text
}

// TestTheTableOfEvidence decides every row of RAMP v1's table of evidence at every level and
// mutability.
func TestTheTableOfEvidence(t *testing.T) {
	t.Parallel()
	const undecided = "undecided: review"
	hash := func(f Facts) Facts { f.Received = "another"; return f }
	fewTokens := func(f Facts) Facts { f.Reported = 3_000; return f }
	for _, row := range []struct {
		evidence string
		facts    func(level int) Facts
		want     [3]string         // by level, of what is static
		changed  map[string]string // by mutability, at level 1, where it is another
	}{
		{"404", func(l int) Facts { return facts(DeliveryFailed, l, gone) },
			[3]string{"credit by status", "credit by status", "credit by status"}, nil},
		{"503", func(l int) Facts { return facts(DeliveryFailed, l, broke) },
			[3]string{"credit by status", "credit by status", "credit by status"}, nil},
		{"404, whatever is disputed", func(l int) Facts { return facts(WrongContent, l, gone) },
			[3]string{"credit by status", "credit by status", "credit by status"}, nil},
		{"expired", func(l int) Facts { return facts(ExpiredBeforeFetch, l, tooLate) },
			[3]string{"credit by expired", "credit by expired", "credit by expired"}, nil},
		{"hash mismatch", func(l int) Facts { return hash(facts(ContentMismatch, l, cdn)) },
			[3]string{undecided, "credit by hash", undecided},
			map[string]string{"dynamic": undecided, "live": undecided}},
		{"few tokens, and few bytes", func(l int) Facts { return fewTokens(facts(IncompleteContent, l, few)) },
			[3]string{undecided + ", short", "credit by tokens, short", "credit by tokens, short"},
			map[string]string{"live": undecided}},
		{"few tokens alone", func(l int) Facts { return fewTokens(facts(IncompleteContent, l, cdn)) },
			[3]string{undecided, undecided, undecided}, nil},
		{"quality", func(l int) Facts { return facts(WrongContent, l, cdn) },
			[3]string{undecided, undecided, undecided}, nil},
		{"no record", func(l int) Facts { return hash(facts(ContentMismatch, l)) },
			[3]string{"undecided: no_record", "undecided: no_record", "undecided: no_record"}, nil},
		{"404, and then 200", func(l int) Facts { return facts(DeliveryFailed, l, gone, cdn) },
			[3]string{undecided, undecided, undecided}, nil},
		{"200, and expired then", func(l int) Facts { return facts(ExpiredBeforeFetch, l, cdn, tooLate) },
			[3]string{undecided, undecided, undecided}, nil},
		{"a hash that is the offered", func(l int) Facts {
			f := facts(ContentMismatch, l, cdn)
			f.Received = "offered"
			return f
		}, [3]string{undecided, undecided, undecided}, nil},
		{"a hash of another media type", func(l int) Facts {
			f := hash(facts(ContentMismatch, l, cdn))
			f.Bought = []string{"another"}
			return f
		},
			[3]string{undecided, undecided, undecided}, nil},
		{"a hash that was not sent", func(l int) Facts { return hash(facts(ContentMismatch, l, whole)) },
			[3]string{undecided, undecided, undecided}, nil},
		{"no hash", func(l int) Facts { return facts(ContentMismatch, l, cdn) },
			[3]string{undecided, undecided, undecided}, nil},
		{"far too few bytes", func(l int) Facts { f := facts(IncompleteContent, l, few); f.Reported = -1; return f },
			[3]string{undecided + ", short", "credit by size, short", "credit by size, short"},
			map[string]string{"live": undecided}},
		{"bytes that may do", func(l int) Facts { f := facts(IncompleteContent, l, cdn); f.Reported = -1; return f },
			[3]string{undecided, undecided, undecided}, nil},
		{"ranges that make a whole", func(l int) Facts {
			return fewTokens(facts(IncompleteContent, l, few, few, few, few))
		}, [3]string{undecided, undecided, undecided}, nil},
		{"a fresher attestation", func(l int) Facts {
			f := facts(ContentMismatch, l, cdn)
			f.Fresher = moment.Add(3 * time.Minute)
			return f
		},
			[3]string{undecided, "credit by freshness", undecided},
			map[string]string{"dynamic": undecided, "live": undecided}},
		{"a fresher attestation, and what was offered all the same", func(l int) Facts {
			f := facts(ContentMismatch, l, cdn)
			f.Fresher, f.Received = moment.Add(3*time.Minute), "offered"
			return f
		},
			[3]string{undecided, undecided, undecided}, nil},
		{"a fresher attestation, and what was offered is on record as sent", func(l int) Facts {
			f := facts(ContentMismatch, l, whole)
			f.Fresher = moment.Add(3 * time.Minute)
			return f
		},
			[3]string{undecided, undecided, undecided}, nil},
		{"a much later attestation", func(l int) Facts {
			f := facts(ContentMismatch, l, cdn)
			f.Fresher = moment.Add(time.Hour)
			return f
		}, [3]string{undecided, undecided, undecided}, nil},
		{"broken off", func(l int) Facts { return facts(IncompleteContent, l, cut) },
			[3]string{undecided, undecided, undecided}, nil},
	} {
		t.Run(row.evidence, func(t *testing.T) {
			for level, want := range row.want {
				if got := verdict(Tier1(row.facts(level))); got != want {
					t.Errorf("level %d: %s, want %s", level, got, want)
				}
			}
			for _, mutability := range []string{"dynamic", "live"} {
				f := row.facts(1)
				f.Mutability = mutability
				want, is := row.changed[mutability]
				if !is {
					want = row.want[1]
				}
				if got := verdict(Tier1(f)); got != want {
					t.Errorf("%s: %s, want %s", mutability, got, want)
				}
			}
		})
	}
}

// TestALiveStreamThatBrokeOff counts nothing of what is live but its length.
func TestALiveStreamThatBrokeOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seconds int64
		cut     bool
		want    string
	}{{100, true, "credit by session"}, {299, true, "credit by session"}, {300, true, "undecided: review"},
		{100, false, "undecided: review"}} {
		f := facts(IncompleteContent, 0, Record{Source: "delivery", Status: 200, Cut: c.cut, Seconds: c.seconds,
			Bytes: 5000})
		f.Mutability, f.Minutes = "live", 10
		if got := verdict(Tier1(f)); got != c.want {
			t.Errorf("%d seconds: %s, want %s", c.seconds, got, c.want)
		}
	}
}

// TestWhoPrefersRedeliveryGetsIt is for errors that pass, of what is still there.
func TestWhoPrefersRedeliveryGetsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		record Record
		there  bool
		want   Resolution
	}{{broke, true, Redelivery}, {broke, false, Credit}, {gone, true, Credit}, {tooLate, true, Redelivery},
		{tooLate, false, Credit}} {
		f := facts(DeliveryFailed, 0, c.record)
		f.Prefers, f.StillAvailable = Redelivery, c.there
		if got := Tier1(f).Resolution; got != c.want {
			t.Errorf("%d, there %t: %s, want %s", c.record.Status, c.there, got, c.want)
		}
	}
}

// TestTheRulesOfTier2 has each rule decide, and what it does not take.
func TestTheRulesOfTier2(t *testing.T) {
	t.Parallel()

	fewTokens := func(f *Facts) { f.Reported = 3_000 }
	for _, c := range []struct {
		name  string
		facts Facts
		want  string
	}{
		{"200 with next to nothing, of which nothing was used",
			with(facts(IncompleteContent, 0, stump), func(f *Facts) { f.Reported, f.Estimate = 0, 0 }),
			"credit by empty"},
		{"200 with a kilobyte", with(facts(DeliveryFailed, 0, cdn), func(f *Facts) { f.Reported = 0 }),
			"rejected by delivered"},
		{"200 with next to nothing, of which something was used",
			with(facts(DeliveryFailed, 0, stump), func(f *Facts) { f.Reported = 10 }), "rejected by delivered"},
		{"short for the second time", with(facts(IncompleteContent, 0, few), func(f *Facts) {
			fewTokens(f)
			f.Cases = 2
		}), "rejected by unsupported, short"},
		{"short for the third time", with(facts(IncompleteContent, 0, few), func(f *Facts) {
			fewTokens(f)
			f.Cases = 3
		}), "credit by cases, short"},
		{"a little short for the third time", with(facts(IncompleteContent, 0, few), func(f *Facts) {
			f.Reported, f.Cases = 6_000, 3
		}), "rejected by unsupported, short"},
		{"too few tokens by the buyer's word alone", with(facts(IncompleteContent, 0, cdn), func(f *Facts) {
			fewTokens(f)
			f.Cases = 9
		}), "rejected by unsupported"},
		{"quality that a third party attests",
			with(facts(WrongContent, 2, cdn), func(f *Facts) { f.Agrees = moment.Add(-time.Hour) }),
			"rejected by attested"},
		{"quality that a third party attested long ago",
			with(facts(WrongContent, 2, cdn), func(f *Facts) { f.Agrees = moment.Add(-24 * time.Hour) }),
			"rejected by unsupported"},
		{"wrong, with a hash that nobody knows",
			with(facts(WrongContent, 0, cdn), func(f *Facts) { f.Received, f.Known = "another", []string{"known"} }),
			"credit by catalog"},
		{"wrong, with the hash of what the catalog has",
			with(facts(WrongContent, 0, cdn), func(f *Facts) { f.Received, f.Known = "known", []string{"known"} }),
			"rejected by catalog"},
		{"wrong, with a hash that was not sent",
			with(facts(WrongContent, 0, whole), func(f *Facts) { f.Received = "another" }), "rejected by catalog"},
		{"wrong, of what changes",
			with(facts(WrongContent, 1, cdn), func(f *Facts) { f.Received, f.Mutability = "another", "dynamic" }),
			"investigation by unclear"},
		{"wrong, of what changes, and known",
			with(facts(WrongContent, 1, cdn), func(f *Facts) {
				f.Received, f.Known, f.Mutability = "k", []string{"k"}, "dynamic"
			}), "rejected by catalog"},
		{"wrong, of what is live",
			with(facts(WrongContent, 1, cdn), func(f *Facts) { f.Received, f.Mutability = "another", "live" }),
			"rejected by unsupported"},
		{"a hash of what changes", with(facts(ContentMismatch, 1, cdn), func(f *Facts) {
			f.Received, f.Mutability = "another", "dynamic"
		}), "rejected by unsupported"},
		{"a hash without an attestation",
			with(facts(ContentMismatch, 0, cdn), func(f *Facts) { f.Received = "another" }), "rejected by unsupported"},
		{"a hash that was sent, and not offered", with(facts(ContentMismatch, 0, with2(whole, "another")),
			func(f *Facts) { f.Received = "another" }), "credit by sent"},
		{"broken off", facts(DeliveryFailed, 0, cut), "redelivery by broken_off"},
		{"broken off, of what is gone", with(facts(IncompleteContent, 0, cut), func(f *Facts) {
			f.StillAvailable = false
		}), "credit by broken_off"},
		{"broken off, and then whole", facts(DeliveryFailed, 0, cut, whole), "rejected by delivered"},
		{"a record that came late", facts(DeliveryFailed, 0, broke), "credit by status"},
		{"none ever", facts(DeliveryFailed, 0), "rejected by no_record"},
		{"delivered", facts(ExpiredBeforeFetch, 2, whole), "rejected by delivered"},
	} {
		if got := verdict(Tier2(c.facts)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func with2(r Record, sum string) Record { r.Sum = sum; return r }

// TestWhatIsForAPerson has rates send disputes to tier 3, at more than their bound alone, before
// any rule of tier 2 and never in tier 1.
func TestWhatIsForAPerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rates Rates
		want  string
	}{
		{Rates{Agent: 5.1}, "investigation by agent_rate"}, {Rates{Agent: 5}, "credit by status"},
		{Rates{Discrepancy: 2.1}, "investigation by discrepancy"}, {Rates{Discrepancy: 2}, "credit by status"},
		{Rates{Gap: 10.1}, "investigation by gap"}, {Rates{Gap: 10}, "credit by status"}, {NoRates, "credit by status"},
	} {
		f := facts(DeliveryFailed, 0, gone)
		f.Rates = c.rates
		if got := verdict(Tier2(f)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.rates, got, c.want)
		}
		if got := verdict(Tier1(f)); got != "credit by status" {
			t.Errorf("%+v: tier 1 says %s", c.rates, got)
		}
	}
}
