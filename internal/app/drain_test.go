package app

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// TestLoadBalancersHaveTimeToNotice stops a server that drains: it says that it is not ready, goes
// on answering on new connections, and ends once the time is over.
func TestLoadBalancersHaveTimeToNotice(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {drain: 1m}\n")
	over, draining := make(chan time.Time), make(chan time.Duration, 1)
	s.after = func(d time.Duration) <-chan time.Time {
		draining <- d
		return over
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	s.options.Ready = func(address string) { ready <- address }
	go func() { ended <- s.Run(ctx) }()
	address := <-ready
	status := func(path string) int {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if got := status("/readyz"); got != http.StatusOK {
		t.Errorf("/readyz before: %d", got)
	}
	cancel()
	if got := <-draining; got != time.Minute {
		t.Errorf("the server drains for %s, not for a minute", got)
	}
	if got := status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz while draining: %d", got)
	}
	if got := status("/ask"); got != http.StatusOK {
		t.Errorf("/ask while draining: %d", got)
	}
	close(over)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(address + "/healthz"); err == nil {
		t.Error("the server answers after its end")
	}
}
