package biscuit

import (
	"crypto/ed25519"
	"testing"
	"time"
)

// delegation is a token as RAMP uses them: what a principal grants, narrowed once.
func delegation(t testing.TB) (text string, root PublicKey, r Request) {
	v := minted(t, `user("principal-7"); scope("earnings:*"); max_spend_cents(50000); max_accesses(1000); quota_period_hours(24); expires("2030-01-01T00:00:00Z")`,
		`check if scope("earnings:NVDA"); check if max_spend_cents($v), $v <= 10000; check if operation($o), {"discover", "transact"}.contains($o); check if resource($r), $r.starts_with("https://www.example.com/reports/"); check if time($t), $t < 2029-01-01T00:00:00Z`)
	spend := int64(120)
	return v.Text(), v.Root(), Request{
		Time: time.Unix(1.8e9, 0), Operation: "discover", Resource: "https://www.example.com/reports/7",
		RequestedScope: "earnings:NVDA", SpendCents: &spend,
		RequestKey: make([]byte, 32),
	}
}

// BenchmarkFloor is the verifications of Ed25519 that the delegation contains, and nothing else:
// what BenchmarkCheck has to be held against, in the same run. It may take three times as much.
func BenchmarkFloor(b *testing.B) {
	text, root, _ := delegation(b)
	token, err := ParseText(text)
	if err != nil {
		b.Fatal(err)
	}
	var messages [][]byte
	keys := []PublicKey{root}
	for i := range token.signed {
		var previous []byte
		if i > 0 {
			previous = token.signed[i-1].signature
		}
		messages = append(messages, token.signed[i].appendPayload(nil, previous, i == 0))
		keys = append(keys, token.signed[i].next)
	}
	for b.Loop() {
		for i, m := range messages {
			if !ed25519.Verify(ed25519.PublicKey(keys[i].bytes), m, token.signed[i].signature) {
				b.Fatal("the floor does not verify")
			}
		}
	}
}

// BenchmarkCheck is everything that a delegation takes in a request: from its text to the decision.
func BenchmarkCheck(b *testing.B) {
	text, root, r := delegation(b)
	authorizer := NewAuthorizer(nil, Limits{})
	b.ReportAllocs()
	for b.Loop() {
		token, err := ParseText(text)
		if err != nil {
			b.Fatal(err)
		}
		v, err := token.Verify(root)
		if err != nil {
			b.Fatal(err)
		}
		g, err := v.Grants()
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Authorize(authorizer, r); err != nil {
			b.Fatal(err)
		}
	}
}

// The parts of BenchmarkCheck.
func BenchmarkParse(b *testing.B) {
	text, _, _ := delegation(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseText(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAuthorize(b *testing.B) {
	text, root, r := delegation(b)
	token, err := ParseText(text)
	if err != nil {
		b.Fatal(err)
	}
	v, err := token.Verify(root)
	if err != nil {
		b.Fatal(err)
	}
	authorizer := NewAuthorizer(nil, Limits{})
	b.ReportAllocs()
	for b.Loop() {
		g, err := v.Grants()
		if err == nil {
			err = g.Authorize(authorizer, r)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
