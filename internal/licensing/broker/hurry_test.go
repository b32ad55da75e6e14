package broker

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// hurried has agents of whom none waits as long as the Broker would ask an Exchange, and looks
// whether others still buy there. before is what the Exchange does in the meantime, and each asks
// once, as one of these agents.
func hurried(t *testing.T, before func(http.ResponseWriter), each func(ask func(context.Context))) *desk {
	t.Helper()
	now := time.Now()
	d := openDesk(t, sqlite(t), 1, func(c *Config) {
		c.Deadline, c.BuyWithin = 10*time.Hour, time.Minute
		c.Now = func() time.Time { return now } // whoever rests does so for good
	})
	d.must(d.request("first", "a"))
	d.at[0].Lock()
	d.at[0].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
		if name == "DiscoverResources" {
			before(w)
		}
		return name == "DiscoverResources"
	}
	d.at[0].Unlock()
	for n := range 5 {
		each(func(ctx context.Context) {
			if got, err := d.Resolve(ctx,
				Request{RAMPRequest: d.request(fmt.Sprint("r", n), "a"), Account: "hasty.example/bot"}); err == nil {
				t.Fatal("bought", got)
			}
		})
	}
	d.at[0].Lock()
	d.at[0].Before = nil
	d.at[0].Unlock()
	return d
}

// TestAgentsWhoDoNotWaitHaveNoExchangeRest: an Exchange that was not heard since the agent went, or
// had too little time, has not failed. Otherwise any agent could keep all others from buying there,
// by some requests that it does not wait for.
func TestAgentsWhoDoNotWaitHaveNoExchangeRest(t *testing.T) {
	t.Parallel()
	t.Run("gone", func(t *testing.T) {
		stall, asked := make(chan struct{}), make(chan struct{}, 5)
		defer close(stall)
		d := hurried(t, func(http.ResponseWriter) { asked <- struct{}{}; <-stall }, func(ask func(context.Context)) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() {
				<-asked
				cancel()
			}()
			ask(ctx)
		})
		d.must(d.request("then", "a"))
	})
	t.Run("out of time", func(t *testing.T) {
		stall := make(chan struct{})
		defer close(stall)
		d := hurried(t, func(http.ResponseWriter) { <-stall }, func(ask func(context.Context)) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			ask(ctx)
		})
		d.must(d.request("then", "a"))
	})
	late := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusGatewayTimeout)
		_, _ = io.WriteString(w, `{"code":"deadline_exceeded","message":"the time for the request ran out"}`)
	}
	t.Run("told so", func(t *testing.T) { // by an Exchange that heeds the query's deadline
		d := hurried(t, late, func(ask func(context.Context)) {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Hour)
			defer cancel()
			ask(ctx)
		})
		d.must(d.request("then", "a"))
	})
	t.Run("told so, and had the time", func(t *testing.T) { // that is a failure
		d := hurried(t, late, func(ask func(context.Context)) { ask(context.Background()) })
		d.refused(d.request("then", "a"), "unavailable")
		if n := d.at[0].Asked("DiscoverResources"); n != 3 {
			t.Errorf("who fails each time was asked %d times", n)
		}
	})
}
