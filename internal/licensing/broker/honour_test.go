package broker

import "testing"

// TestWhoWasNeverBoughtFromIsNotKeptInMind looks at Exchanges that agents may name as they like:
// nothing is kept of those, or it would be without end.
func TestWhoWasNeverBoughtFromIsNotKeptInMind(t *testing.T) {
	t.Parallel()
	b := New(Config{})
	if share := b.isReliable("x.example"); share != 1 {
		t.Errorf("an Exchange that nobody knows kept to %v of its offers", share)
	}
	b.record.Range(func(domain, _ any) bool {
		t.Errorf("%s is kept in mind", domain)
		return true
	})
	b.dishonour("x.example")
	if share := b.isReliable("x.example"); share != 0.5 {
		t.Errorf("after an offer that was not good: %v", share)
	}
}
