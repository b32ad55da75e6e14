package owner

import (
	"testing"
	"time"

	"frontdesk/internal/content/overview"
)

func TestAgesOfSourcesAreForPeople(t *testing.T) {
	t.Parallel()
	read := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	for want, s := range map[string]overview.SourceStatus{
		"-": {}, "0s": {LastRun: read}, "119s": {LastRun: read, AgeSeconds: 119}, "2m": {
			LastRun: read, AgeSeconds: 120,
		}, "119m": {LastRun: read, AgeSeconds: 7199}, "2h": {LastRun: read, AgeSeconds: 7200},
		"47h": {LastRun: read, AgeSeconds: 48*3600 - 1}, "2d stale": {
			LastRun: read, AgeSeconds: 50 * 3600, Age: overview.Stale,
		}, "8d critical": {LastRun: read, AgeSeconds: 8 * 86400, Age: overview.Critical},
	} {
		if got := age(s); got != want {
			t.Errorf("%d seconds: %q, want %q", s.AgeSeconds, got, want)
		}
	}
}
