package requesters

import (
	"crypto/ed25519"
	"crypto/rand"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/biscuit"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// BenchmarkDelegation says what a delegation costs a request, from its text to the decision on one
// item, beside its floor in the same run: the verifications of Ed25519 that the token contains. It
// may take three times as much where the token was never seen; one that was seen lately is not read
// again.
func BenchmarkDelegation(b *testing.B) {
	public, private, _ := ed25519.GenerateKey(nil)
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	rs, err := Open(b.Context(), Config{
		DB: storetest.OpenSQLite(b, Schema), Fetcher: fetch.New(fetch.Options{}), Signatures: SignaturesNone,
		Now: func() time.Time { return now },
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := rs.Add(b.Context(), Registration{Domain: "principal.example", ID: "ceo",
		Scopes: []string{"earnings:*"}, Keys: []ramp.Key{{Public: public}}}); err != nil {
		b.Fatal(err)
	}
	var token *biscuit.Token
	for i, code := range []string{
		`user("ceo"); scope("earnings:*"); max_spend_cents(50000); max_accesses(1000); quota_period_hours(24); expires("2030-01-01T00:00:00Z")`,
		`check if scope("earnings:NVDA"); check if max_spend_cents($v), $v <= 10000; check if operation($o), {"discover", "transact"}.contains($o); check if resource($r), $r.starts_with("https://www.example.com/reports/"); check if time($t), $t < 2029-01-01T00:00:00Z`,
	} {
		source, err := biscuit.ParseSource(code)
		if err == nil && i == 0 {
			token, err = biscuit.Mint(private, rand.Reader, source)
		} else if err == nil {
			token, err = token.Attenuate(rand.Reader, source)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	said := &rampv1.Delegation{PrincipalDomain: "principal.example", PrincipalId: "ceo",
		ExpiresAt: timestamppb.New(now.Add(time.Hour)), Token: token.Text(), Scopes: []string{"earnings:NVDA"}}
	ask := AccessRequest{Operation: OperationTransact, Resource: "https://www.example.com/reports/7",
		Scopes: []string{"earnings:NVDA"}, SpendCents: 120, Now: now}
	check := func() {
		r, err := rs.delegated(b.Context(), Requester{Domain: "bot.example", ID: "bot"}, said, nil, nil)
		if err == nil {
			err = r.May(ask)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	message := make([]byte, len(token.Bytes())/2)
	signature := ed25519.Sign(private, message)
	floor := func() {
		for range 2 {
			if !ed25519.Verify(public, message, signature) {
				b.Fatal("the floor does not verify")
			}
		}
	}
	for name, before := range map[string]func(){
		"never seen": func() { rs.tokens = readTokens{} }, "seen lately": func() {}} {
		b.Run(name, func(b *testing.B) { // in turns, so that what else the machine does slows both
			var spent [2]time.Duration
			blocks := len(token.Blocks())
			for b.Loop() {
				before()
				for i, do := range []func(){floor, check} {
					began := time.Now()
					do()
					spent[i] += time.Since(began)
				}
			}
			b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N), "floor-ns/op")
			b.ReportMetric(float64(spent[1].Nanoseconds())/float64(b.N), "check-ns/op")
			b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "times-floor")
			b.ReportMetric(float64(blocks), "verifications")
		})
	}
}
