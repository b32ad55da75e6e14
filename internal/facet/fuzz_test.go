package facet_test

import (
	"testing"
	"time"
	"unicode/utf8"

	"frontdesk/internal/facet"
)

// FuzzReaders holds that readers of values never take more than there is, never end within a character, and that folding
// twice is folding once.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{"$1,299.00", "an hour and a half", "3. Juni 2026", "12 fl oz", "PT1H20M", "1½", "２０２６年", "1 1/2", "Crème", "h'x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		check := func(name string, n int) {
			if n < 0 || n > len(s) || utf8.ValidString(s) && !utf8.ValidString(s[:n]) {
				t.Fatalf("%s takes %d bytes of %q", name, n, s)
			}
		}
		value, n := facet.ReadNumber(s)
		check("ReadNumber", n)
		if value < 0 || value != value {
			t.Fatalf("ReadNumber(%q) = %v", s, value)
		}
		_, n = facet.ReadMoney(s)
		check("ReadMoney", n)
		_, n = facet.ReadMinutes(s)
		check("ReadMinutes", n)
		_, n = facet.ReadQuantity(s)
		check("ReadQuantity", n)
		from, to, n := facet.ReadDay(s, time.UTC)
		check("ReadDay", n)
		if to.Before(from) {
			t.Fatalf("ReadDay(%q) ends at %s before it begins at %s", s, to, from)
		}
		_, _, n = facet.ReadDayOf(s, 2026, time.UTC)
		check("ReadDayOf", n)
		if once := facet.Fold(s); facet.Fold(once) != once {
			t.Fatalf("Fold(%q) = %q, which folds to %q", s, once, facet.Fold(once))
		}
	})
}
