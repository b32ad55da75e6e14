package disputes

import (
	"fmt"
	"slices"
	"time"
)

// Record is one attempt to fetch a purchase, as this front desk, an edge or a log recorded it.
type Record struct {
	Source    string // "delivery", "refusal", or the name of an edge or a log
	ID        string
	At        time.Time
	Status    int   // of HTTP
	Bytes     int64 // of the answer's body, that were sent
	Announced int64 // that were to be sent; 0 where nobody said
	Plain     bool  // Bytes are those of the content itself; else it may have been compressed
	Cut       bool  // the answer broke off
	Expired   bool  // it was refused since the address had expired
	Sum       string
	Seconds   int64 // that a stream was open
}

// Facts are everything that the rules know when they decide a dispute.
type Facts struct {
	Reason     Reason
	Level      int    // of the offer's attestations
	Own        bool   // one of them is the provider's, of a hash, whoever attests besides
	Mutability string // "static", "dynamic" or "live"; empty counts as static
	Prefers    Resolution
	Hashes
	// Estimate is how many tokens the offer promised, 0 for unknown, and Reported how many the
	// buyer has reported, -1 where the report counts something else. Minutes is the length that was
	// promised of a stream, 0 for none.
	Estimate, Reported, Minutes int64
	Made                        time.Time // when it was bought
	Records                     []Record
	Attested                    time.Time // when the provider made its attestation in the offer; zero for none
	Fresher                     time.Time // when it attested another version than that; zero for never
	// when a third party made an attestation that agrees with the catalog; zero for none
	Agrees time.Time
	// StillAvailable says that the content exists and could be delivered again.
	StillAvailable bool
	Cases          int // of the same provider, in this month, that are Short; this one included
	Rates          Rates
	Now            time.Time
}

// Hashes are the SHA-256 that are known of the content in a dispute, in lower-case hex; empty for
// unknown.
type Hashes struct {
	Offered  string   // that the offer told or its attestations claim
	Received string   // that the buyer computed
	Bought   []string // of the version that was bought, in each media type
	Known    []string // of what the catalog has now
	// Fuzzy says that the offer and the buyer told a hash by which texts that are nearly the same
	// are near each other (simhash-v1), and that these are not.
	Fuzzy bool
}

// differ says whether what was received is told to be something else than what was offered.
func (h Hashes) differ() bool {
	return h.Fuzzy || h.Received != "" && h.Offered != "" && h.Received != h.Offered &&
		!slices.Contains(h.Bought, h.Received)
}

// offered are those of what was offered: of the offer, and of the version that was bought.
func (h Hashes) offered() []string { return append(slices.Clone(h.Bought), h.Offered) }

// published are those of what is known to be the content, by now or when it was bought.
func (h Hashes) published() []string { return slices.Concat(h.Known, h.offered()) }

// Rates are how often things go wrong, in percent of a month's transactions; -1 where there is too
// little to tell.
type Rates struct {
	Agent       float64 // disputes of the buyer
	Discrepancy float64 // reports on the provider's resources that are far from the estimate
	Gap         float64 // what was bought of the provider and never delivered, or the other way round
}

// NoRates are those of whom there is too little to tell.
var NoRates = Rates{Agent: -1, Discrepancy: -1, Gap: -1}

// Verdict is the result of the rules.
type Verdict struct {
	Resolution Resolution // empty where they do not decide
	Rule       string     // by which, or why not
	Short      bool       // see Case.Short
	Evidence   []Evidence
}

// The rules, as steps and answers name them.
const (
	RuleStatus      = "status"      // tier 1: the fetch was answered with 4xx or 5xx
	RuleExpired     = "expired"     // tier 1: the address had expired before the fetch
	RuleHash        = "hash"        // tier 1: what was received has another hash than what was attested
	RuleTokens      = "tokens"      // tier 1: fewer tokens than promised, and too few bytes for them
	RuleSize        = "size"        // tier 1: far too few bytes for what was promised
	RuleFreshness   = "freshness"   // tier 1: a newer attestation came within minutes
	RuleSession     = "session"     // tier 1: a live stream broke off before half of its time
	RuleBroken      = "broken_off"  // tier 2: the answer broke off
	RuleEmpty       = "empty"       // tier 2: an answer with next to nothing, of which nothing was used
	RuleCases       = "cases"       // tier 2: too few tokens for the third time at the same provider
	RuleCatalog     = "catalog"     // tier 2: what was received is, or is not, what the catalog has
	RuleSent        = "sent"        // tier 2: what was sent is not what was offered
	RuleAttested    = "attested"    // tier 2: somebody else attests what is disputed
	RuleDelivered   = "delivered"   // tier 2: it was delivered whole
	RuleUnsupported = "unsupported" // tier 2: nothing corroborates it
	RuleNoRecord    = "no_record"   // nobody has recorded a delivery
	RuleReview      = "review"      // what there is does not decide it at once
	RuleAppeal      = "appeal"      // tier 3: an appeal that the rules do not decide otherwise
	RuleAgentRate   = "agent_rate"  // tier 3: the buyer disputes too often
	RuleDiscrepancy = "discrepancy" // tier 3: reports on the provider's resources are too often far off
	RuleGap         = "gap"         // tier 3: what was bought and what was delivered lie too far apart
	RuleUnclear     = "unclear"     // tier 3: a person has to look at the content
	RuleOperator    = "operator"    // the operator has decided
)

// Race is how long before or after a purchase its provider attests another version, for the two to
// have crossed.
const Race = 10 * time.Minute

// The bounds of the rules.
const (
	tolerated    = 80             // percent of the promised tokens, below which there are too few
	half         = 50             // percent
	small        = 1 << 10        // bytes of a body that holds next to nothing
	plainToken   = 3              // bytes that a token takes at the least, in text as it is
	packedToken  = 1              // and where it may be compressed
	young        = 24 * time.Hour // how old a third party's attestation may be
	enoughCases  = 3              // of one provider
	maxAgent     = 5.0            // percent of a month's transactions (RAMP v1, disputes, tier 3)
	maxDiffering = 2.0
	maxGap       = 10.0
)

// Tier1 decides what can be decided at once, by the table of evidence of RAMP v1: with CREDIT, or
// with REDELIVERY where the buyer prefers that. Its Resolution is empty where nothing does.
func Tier1(f Facts) Verdict {
	if len(f.Records) == 0 {
		return Verdict{Rule: RuleNoRecord}
	}
	for _, row := range []func(Facts) Verdict{failure, mismatch, shortage, session} {
		if v := row(f); v.Resolution != "" || v.Short {
			if v.Resolution == "" {
				v.Rule = RuleReview
			}
			return v
		}
	}
	return Verdict{Rule: RuleReview}
}

// failure is the row of a fetch that failed, at every level and whatever was disputed: nothing was
// delivered.
func failure(f Facts) Verdict {
	if f.served() {
		return Verdict{}
	}
	for _, r := range f.Records {
		if r.Status < 400 {
			continue
		}
		v := Verdict{Resolution: Credit, Rule: RuleStatus, Evidence: []Evidence{r.says("status %d", r.Status)}}
		if r.Expired {
			v.Rule, v.Evidence = RuleExpired, []Evidence{r.says("status %d, expired", r.Status)}
		}
		if f.Prefers == Redelivery && f.StillAvailable && (r.Expired || passing(r.Status)) {
			v.Resolution = Redelivery
		}
		return v
	}
	return Verdict{}
}

// passing says whether an error may be over when it is tried again.
func passing(status int) bool {
	return status >= 500 || status == 408 || status == 425 || status == 429
}

// served says whether content was sent, so that an error beside it is none of the delivery.
func (f Facts) served() bool {
	return slices.ContainsFunc(f.Records, func(r Record) bool { return r.ok() && !(r.Cut && r.Bytes < small) })
}

func (r Record) ok() bool { return r.Status >= 200 && r.Status < 300 }

func (r Record) says(format string, args ...any) Evidence {
	return Evidence{Source: r.Source, ID: r.ID, Finding: fmt.Sprintf(format, args...)}
}

// mismatch is the row of hashes, of what the provider itself attests and does not change: of what
// changes no hash decides. What is on record as sent whole with the very hash that was attested is
// not taken for another by the buyer's word.
func mismatch(f Facts) Verdict {
	switch {
	case f.Reason != ContentMismatch && f.Reason != WrongContent, !f.static(), f.Level != 1 && !f.Own:
		return Verdict{}
	case f.Received != "" && f.Offered != "" && !f.differ(): // it is what was offered
		return Verdict{}
	}
	if r, ok := f.sentKnown(f.offered()); ok && !slices.Contains(f.sums(), f.Received) {
		return Verdict{Evidence: []Evidence{r.says("sent whole, with the hash that was offered")}}
	}
	switch {
	case !f.Fresher.IsZero() && f.Fresher.Sub(f.Made).Abs() <= Race:
		return Verdict{Resolution: Credit, Rule: RuleFreshness,
			Evidence: []Evidence{{Source: "attestation",
				Finding: "of another version, within minutes of the purchase"}}}
	case f.Reason != ContentMismatch, !f.differ():
		return Verdict{}
	}
	return Verdict{Resolution: Credit, Rule: RuleHash,
		Evidence: []Evidence{{Source: "offer", Finding: "its hash is not that which was received"}}}
}

func (f Facts) static() bool { return f.Mutability != "dynamic" && f.Mutability != "live" }

// sentAs gives a record of an answer that was sent whole, with a hash.
func (f Facts) sentAs(sum string) (Record, bool) {
	i := slices.IndexFunc(f.Records, func(r Record) bool { return r.Status == 200 && !r.Cut && r.Sum == sum })
	if sum == "" || i < 0 {
		return Record{}, false
	}
	return f.Records[i], true
}

// sums are the hashes of what was sent whole.
func (f Facts) sums() (all []string) {
	for _, r := range f.Records {
		if r.ok() && !r.Cut && r.Sum != "" {
			all = append(all, r.Sum)
		}
	}
	return all
}

// shortage is the row of too few tokens, with the bytes that were sent: those of all answers
// together, since ranges make up a whole. Without attestations it is noted, and nothing else. What
// broke off is not short, but to be sent again.
func shortage(f Facts) Verdict {
	if f.Reason != IncompleteContent || f.Mutability == "live" || f.Estimate <= 0 || f.brokenOff() {
		return Verdict{}
	}
	bytes, least := f.sent()
	if len(f.served200()) == 0 {
		return Verdict{}
	}
	v := Verdict{Evidence: []Evidence{
		{Source: f.served200()[0].Source, ID: f.served200()[0].ID,
			Finding: fmt.Sprintf("%d bytes for %d tokens", bytes, f.Estimate)},
	}}
	tooFew := f.Reported >= 0 && f.Reported*100 < f.Estimate*tolerated
	switch {
	case tooFew && bytes < f.Estimate*least:
		v.Rule, v.Evidence = RuleTokens,
			append(v.Evidence,
				Evidence{Source: "report", Finding: fmt.Sprintf("%d of %d tokens", f.Reported, f.Estimate)})
	case f.Reported < 0 && bytes*100 < f.Estimate*least*half:
		v.Rule = RuleSize
	default:
		return Verdict{}
	}
	if v.Short = true; f.Level > 0 {
		v.Resolution = Credit
	}
	return v
}

// served200 are the records of answers with content.
func (f Facts) served200() (all []Record) {
	for _, r := range f.Records {
		if r.ok() {
			all = append(all, r)
		}
	}
	return all
}

// sent is how many bytes were sent in all, and how many a token of them takes at the least.
func (f Facts) sent() (bytes, token int64) {
	token = plainToken
	for _, r := range f.served200() {
		if bytes += r.Bytes; !r.Plain {
			token = packedToken
		}
	}
	return bytes, token
}

// brokenOff says that the last answer with content broke off, and none was whole.
func (f Facts) brokenOff() bool {
	all := f.served200()
	return len(all) > 0 && !slices.ContainsFunc(all, func(r Record) bool { return !r.Cut })
}

// session is the row of live streams: of those nothing counts but whether they came, and for how
// long they were open.
func session(f Facts) Verdict {
	if f.Reason != IncompleteContent || f.Mutability != "live" || f.Minutes <= 0 || !f.brokenOff() {
		return Verdict{}
	}
	var seconds int64
	for _, r := range f.Records {
		seconds += r.Seconds
	}
	if seconds*100 >= f.Minutes*60*half {
		return Verdict{}
	}
	all := f.served200()
	return Verdict{Resolution: Credit, Rule: RuleSession,
		Evidence: []Evidence{all[len(all)-1].says("%d seconds of %d minutes", seconds, f.Minutes)}}
}

// Tier3 says why a dispute is not for rules, but for a person who looks at the pattern that it is
// part of; empty where it is for rules.
func Tier3(f Facts) Verdict {
	for _, c := range []struct {
		rule     string
		is, most float64
	}{{RuleAgentRate, f.Rates.Agent, maxAgent}, {RuleDiscrepancy, f.Rates.Discrepancy, maxDiffering},
		{RuleGap, f.Rates.Gap, maxGap}} {
		if c.is > c.most {
			return Verdict{Resolution: Investigation, Rule: c.rule,
				Evidence: []Evidence{{Source: "rates",
					Finding: fmt.Sprintf("%.1f %% in a month, where %.0f %% are usual at the most", c.is, c.most)}}}
		}
	}
	return Verdict{}
}

// Tier2 decides what tier 1 has not, once there are records or the time for them is over: with
// CREDIT, REDELIVERY or REJECTED; or with INVESTIGATION, where a person has to look at it.
func Tier2(f Facts) Verdict {
	if v := Tier3(f); v.Resolution != "" {
		return v
	}
	first := Tier1(f)
	if first.Resolution != "" {
		return first
	}
	for _, rule := range []func(Facts) Verdict{broken, empty, cases, catalog, other, attested} {
		if v := rule(f); v.Resolution != "" {
			v.Short = first.Short
			return v
		}
	}
	v := Verdict{Resolution: Rejected, Rule: RuleUnsupported, Short: first.Short}
	whole := slices.IndexFunc(f.Records, func(r Record) bool { return r.ok() && !r.Cut })
	switch {
	case len(f.Records) == 0:
		v.Rule = RuleNoRecord
	case whole >= 0 && (f.Reason == DeliveryFailed || f.Reason == ExpiredBeforeFetch):
		v.Rule, v.Evidence = RuleDelivered,
			[]Evidence{f.Records[whole].says("status %d, %d bytes, whole", f.Records[whole].Status,
				f.Records[whole].Bytes)}
	}
	return v
}

// broken is the rule of answers that broke off: it is sent again, or paid back where it cannot be.
// Who wants a stream again has it by its address.
func broken(f Facts) Verdict {
	if f.Reason != DeliveryFailed && f.Reason != IncompleteContent || f.Mutability == "live" || !f.brokenOff() {
		return Verdict{}
	}
	all := f.served200()
	r := all[len(all)-1]
	v := Verdict{Resolution: Redelivery, Rule: RuleBroken,
		Evidence: []Evidence{r.says("%d of %d bytes", r.Bytes, r.Announced)}}
	if !f.StillAvailable {
		v.Resolution = Credit
	}
	return v
}

// empty is the rule of answers with status 200 and next to nothing in them.
func empty(f Facts) Verdict {
	all := f.served200()
	bytes, _ := f.sent()
	if len(all) == 0 || f.Reported != 0 || bytes >= small || f.Mutability == "live" {
		return Verdict{}
	}
	return Verdict{Resolution: Credit, Rule: RuleEmpty,
		Evidence: []Evidence{all[0].says("status %d, %d bytes", all[0].Status, bytes),
			{Source: "report", Finding: "0 tokens"}}}
}

// cases is the rule of providers whose resources are short again and again, without attestations.
func cases(f Facts) Verdict {
	if f.Reason != IncompleteContent || f.Level != 0 || f.Reported < 0 || f.Reported*100 >= f.Estimate*half ||
		f.Cases < enoughCases {
		return Verdict{}
	}
	if v := shortage(f); !v.Short {
		return Verdict{}
	}
	return Verdict{Resolution: Credit, Rule: RuleCases, Evidence: []Evidence{
		{Source: "report", Finding: fmt.Sprintf("%d of %d tokens", f.Reported, f.Estimate)},
		{Source: "cases", Finding: fmt.Sprintf("%d of this provider in a month", f.Cases)},
	}}
}

// catalog is the rule of wrong content: what was received is held against what the catalog has.
// What changes has had other hashes than that which is known, so that a person has to look.
func catalog(f Facts) Verdict {
	if f.Reason != WrongContent || f.Received == "" || f.Mutability == "live" {
		return Verdict{}
	}
	known := f.published()
	own, isSent := f.sentKnown(known)
	switch {
	case slices.Contains(known, f.Received):
		return Verdict{Resolution: Rejected, Rule: RuleCatalog,
			Evidence: []Evidence{{Source: "catalog", Finding: "what was received is what it has"}}}
	case isSent && !slices.Contains(f.sums(), f.Received):
		return Verdict{Resolution: Rejected, Rule: RuleCatalog,
			Evidence: []Evidence{own.says("sent whole, as the catalog has it")}}
	case f.Mutability == "dynamic":
		return Verdict{Resolution: Investigation, Rule: RuleUnclear,
			Evidence: []Evidence{{Source: "offer", Finding: "the resource changes"}}}
	case len(f.Known)+len(f.Bought) == 0 && f.Offered == "":
		return Verdict{Resolution: Investigation, Rule: RuleUnclear,
			Evidence: []Evidence{{Source: "catalog", Finding: "nothing to compare with"}}}
	}
	return Verdict{Resolution: Credit, Rule: RuleCatalog,
		Evidence: []Evidence{{Source: "catalog", Finding: "what was received is not what it has"}}}
}

// sentKnown gives a record of an answer that was sent whole with one of some hashes.
func (f Facts) sentKnown(known []string) (Record, bool) {
	for _, sum := range known {
		if r, ok := f.sentAs(sum); ok {
			return r, true
		}
	}
	return Record{}, false
}

// other is the rule of what was sent, by the word of who sent it, with another hash than was
// offered, of what does not change.
func other(f Facts) Verdict {
	if f.Reason != ContentMismatch || !f.static() || !f.differ() || !slices.Contains(f.sums(), f.Received) {
		return Verdict{}
	}
	r, _ := f.sentAs(f.Received)
	return Verdict{Resolution: Credit, Rule: RuleSent, Evidence: []Evidence{r.says("sent, and not what was offered")}}
}

// attested is the rule of claims that the quality is not what was said, where a third party has
// lately said the same as the catalog.
func attested(f Facts) Verdict {
	if f.Reason != WrongContent || f.Level != 2 || f.Agrees.IsZero() || f.Now.Sub(f.Agrees) >= young {
		return Verdict{}
	}
	return Verdict{Resolution: Rejected, Rule: RuleAttested,
		Evidence: []Evidence{{Source: "attestation", Finding: "a third party's, younger than a day, that agrees"}}}
}

// explanations say for buyers by which rule a dispute was decided, or why it is not.
var explanations = map[string]string{
	RuleStatus:    "the fetch was answered with an error, and nothing was delivered",
	RuleExpired:   "the address had expired before anything was fetched",
	RuleHash:      "what was received is not what its provider attests",
	RuleTokens:    "fewer tokens came than were promised, and too few bytes for them were sent",
	RuleSize:      "far fewer bytes were sent than what was promised needs",
	RuleFreshness: "the provider attested another version within minutes of the purchase",
	RuleSession:   "the stream broke off before half of its time",
	RuleBroken:    "the answer broke off before all was sent", RuleEmpty: "the answer had next to nothing in it",
	RuleCases:       "resources of this provider came short several times",
	RuleCatalog:     "the hash of what was received was held against the catalog",
	RuleSent:        "what was sent is not what was offered",
	RuleAttested:    "a third party attests the content as the catalog has it",
	RuleDelivered:   "the record of the delivery says that all of it was sent",
	RuleUnsupported: "nothing on record corroborates it",
	RuleNoRecord:    "nobody has recorded a delivery", RuleReview: "what is on record does not decide it at once",
	RuleAppeal: "the appeal is looked at by a person", RuleAgentRate: "many purchases are disputed; it is looked at " +
		"by a person",
	RuleDiscrepancy: "the provider's resources are looked at by a person",
	RuleGap:         "the provider's deliveries are looked at by a person",
	RuleUnclear:     "the content is looked at by a person", RuleOperator: "the operator has decided",
}

// Explain says for buyers by which rule a dispute was decided, or why it is not.
func Explain(rule string) string { return explanations[rule] }
