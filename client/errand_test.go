package client

import (
	"net/http"
	"testing"
	"time"
)

// TestClocksAreToldApart: by the Date of an answer, unless a cache may have kept it, and only where
// it matters.
func TestClocksAreToldApart(t *testing.T) {
	t.Parallel()
	came := time.Date(2027, 5, 4, 12, 0, 0, 400, time.UTC)
	for _, one := range []struct {
		date, age string
		apart     time.Duration
		words     string
	}{
		{"Tue, 04 May 2027 12:10:00 GMT", "", 10 * time.Minute,
			"; its clock is 10m0s ahead of this machine's: set the one that is wrong"},
		{"Tue, 04 May 2027 11:50:00 GMT", "", -10 * time.Minute,
			"; its clock is 10m0s behind this machine's: set the one that is wrong"},
		{"Tue, 04 May 2027 12:01:00 GMT", "", 0, ""},
		{"Tue, 04 May 2027 11:50:00 GMT", "600", 0, ""},
		{"ten to twelve", "", 0, ""},
		{"", "", 0, ""},
	} {
		header := http.Header{}
		header.Set("Date", one.date)
		if one.age != "" {
			header.Set("Age", one.age)
		}
		if apart := clockApart(header, came); apart != one.apart || apartWords(apart) != one.words {
			t.Errorf("%q, kept for %q: %s%s", one.date, one.age, apart, apartWords(apart))
		}
	}
}
