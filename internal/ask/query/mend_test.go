package query

import (
	"strings"
	"testing"
)

func TestSlipsInTheWordsThatConditionsHangOnAreMended(t *testing.T) {
	t.Parallel()
	catalog := " headphones soup snacks vegas nuts coupling stop trail "
	has := func(word string) bool { return strings.Contains(catalog, " "+word+" ") }
	for _, row := range []struct{ asked, want string }{
		{"headphones under 50 dolars", "headphones under 50 dollars"},
		{"headphones udner 50 dollars", "headphones under 50 dollars"},
		{"soup in 20 minuts", "soup in 20 minutes"},
		{"vegn snacks", "vegan snacks"},
		{"vegeterian soup", "vegetarian soup"},
		{"Soup withuot nuts", "Soup without nuts"},
		{"cheepest headphones", "cheapest headphones"},
		{"coupling bewteen 2 and 3 euros", "coupling between 2 and 3 euros"},

		{"snacks from vegas", "snacks from vegas"}, // items have it
		{"hotels in vegaz", "hotels in vegaz"},     // one letter for another makes another short word
		{"dolars of the world", "dolars of the world"},
		{"soup by undir", "soup by undir"},
		{"trail of daze", "trail of daze"},
		{"without nuts under 5 dollars", "without nuts under 5 dollars"},
		{"", ""},
		{"withuot", "without"},
	} {
		got, mended := mend(row.asked, &Asking{Has: has})
		if got != row.want {
			t.Errorf("mend(%q) = %q, want %q", row.asked, got, row.want)
		}
		if (got != row.asked) != (len(mended) > 0) {
			t.Errorf("mend(%q) tells of %v", row.asked, mended)
		}
	}
}

func TestWordsAreReadAsTheyStandWhereNothingIsKnownOfItems(t *testing.T) {
	t.Parallel()
	if u := Read("soup withuot nuts", Asking{}); len(u.Corrections) > 0 || len(u.Constraints) > 0 {
		t.Errorf("got %+v", u)
	}
	u := Read("soup withuot nuts", Asking{Has: func(string) bool { return false }})
	if len(u.Corrections) != 1 || u.Corrections[0] != (Correction{"withuot", "without"}) || len(u.Constraints) != 1 ||
		!u.Constraints[0].Not {
		t.Errorf("got %+v", u)
	}
}
