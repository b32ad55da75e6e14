package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/wire/sign"
)

// findable is where a service's document is, from the address of its site or its own. Addresses
// without https are refused, except on this machine.
func findable(address, document string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no web address; write it like https://www.example.com", address)
	}
	if !strings.HasSuffix(u.Path, ".json") {
		u = u.JoinPath(document)
	}
	u.Fragment = ""
	return u, private(u.String())
}

// cautious is a client for services that are found by their documents: it follows redirects of what
// is read alone, and to addresses that findable would take.
func cautious(options Options) Client {
	options.fill()
	web, more := *options.HTTP, options.HTTP.CheckRedirect
	web.CheckRedirect = still(func(next *http.Request, via []*http.Request) error {
		if more != nil {
			if err := more(next, via); err != nil {
				return err
			}
		} else if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return private(next.URL.String())
	})
	return Client{http: &web, options: options}
}

// maxAttempt is how long one attempt may take. Providers should answer within ten seconds (Agent
// Intake Protocol 0.1.0, Transport Requirements).
const maxAttempt = 30 * time.Second

// errand is a request whose answer is read whole.
type errand struct {
	address string
	compose func(context.Context) (*http.Request, error) // for each attempt anew
	again   func(status int) bool                        // says of a status that it may be gone with the next attempt
	// repeatable says that what broke off on its way may be sent again.
	repeatable bool
}

// posted is what came back.
type posted struct {
	address string
	status  int
	header  http.Header
	body    []byte
	at      time.Time // when it came
}

// usedUp says whether a Broker refuses since a budget is used up, which waiting a little does not
// change.
func (p *posted) usedUp() bool {
	if p.status != http.StatusTooManyRequests {
		return false
	}
	_, is := failureOfExchange(p).Details()["budget"]
	return is
}

// run makes an errand, and again while that may help and there is patience for it. It gives the
// last answer, whatever its status. Errors are of the types Broken and Unreachable, the context's,
// or that of compose.
func (c *Client) run(ctx context.Context, e errand) (*posted, error) {
	for attempt := 0; ; attempt++ {
		got, err := c.once(ctx, e)
		var asked time.Duration
		switch {
		case err != nil && !(e.repeatable && passing(err)):
			return nil, err
		case err == nil && (!e.again(got.status) || got.usedUp()):
			return got, nil
		case err == nil:
			asked = retryAfter(got.header)
		}
		wait, again := c.patience(ctx, asked, attempt)
		if !again {
			return got, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// once makes one attempt.
func (c *Client) once(ctx context.Context, e errand) (*posted, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, maxAttempt, ErrSilent)
	defer cancel()
	response, err := c.exchange(bounded, func(ctx context.Context) (*http.Request, error) {
		request, err := e.compose(ctx)
		if err == nil {
			request.Header.Set("User-Agent", c.options.UserAgent)
		}
		return request, err
	})
	if err != nil {
		return nil, overdue(ctx, e.address, err)
	}
	defer response.body.Close()
	text := bytes.NewBuffer(make([]byte, 0, expectedSize(response.header)+bytes.MinRead))
	if _, err := text.ReadFrom(response.body); err != nil {
		return nil, overdue(ctx, e.address, &Broken{URL: e.address, Err: err})
	}
	return &posted{e.address, response.status, response.header, text.Bytes(), c.options.Now()}, nil
}

// maxApart is how much clocks may differ without a word on it: as much as the signatures of
// requests bear (RFC 9421).
const maxApart = sign.ClockSkew

// clockApart is how far the clock of who answered is ahead of that by which the answer came; 0
// where that is too little to matter, or not told.
func clockApart(header http.Header, came time.Time) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	apart := at.Sub(came).Round(time.Second)
	if err != nil || header.Get("Age") != "" || apart.Abs() <= maxApart { // what a cache kept tells no time
		return 0
	}
	return apart
}

// apartWords says so for people; empty for clocks that agree.
func apartWords(apart time.Duration) string {
	switch {
	case apart > 0:
		return fmt.Sprintf("; its clock is %s ahead of this machine's: set the one that is wrong", apart)
	case apart < 0:
		return fmt.Sprintf("; its clock is %s behind this machine's: set the one that is wrong", -apart)
	}
	return ""
}

// expectedSize is how many bytes an answer says to have, so that room is made for it once; for one
// that says nothing, or much, there is less at first.
func expectedSize(header http.Header) int {
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, 64<<10)
}

// overdue tells an exchange that took too long from a context that ended.
func overdue(ctx context.Context, address string, err error) error {
	if ctx.Err() == nil && errors.Is(err, ErrSilent) {
		return &Broken{URL: address, Err: ErrSilent}
	}
	return err
}
