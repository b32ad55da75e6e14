package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Transport is the guarded way for a program that makes requests of its own, by an http.Client:
// each address that it asks is judged as Get judges one, redirects among them. What comes back is
// not bounded, and is as it was sent: the program reads with a bound. own are addresses that the
// operator typed; their hosts and ports may be on this machine, see Request.Own.
func (f *Fetcher) Transport(own ...string) (http.RoundTripper, error) {
	t := &transport{fetcher: f}
	for _, address := range own {
		u, err := parse(address)
		if err != nil {
			return nil, err
		}
		t.own = append(t.own, u)
	}
	return t, nil
}

type transport struct {
	fetcher *Fetcher
	own     []*url.URL
}

// RoundTrip makes one request.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	to, err := parse(request.URL.String())
	if err == nil && request.Host != "" && request.Host != request.URL.Host {
		err = failure(Refused, to, nil, "a request names another host than its address")
	}
	if err != nil {
		if request.Body != nil {
			_ = request.Body.Close() // as http.RoundTripper has it
		}
		return nil, bare(err)
	}
	own := slices.ContainsFunc(t.own, func(u *url.URL) bool { return sameHost(u, to) })
	answer, err := t.fetcher.send(permit{own: own, tls: to.Scheme == "https"}, request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", to.Host,
			bare(t.fetcher.explain(request.Context(), request.Context(), to, err)))
	}
	return answer, nil
}

// bare is an error without the query of its address: who asks knows that, and others are told
// errors of what it opens.
func bare(err error) error {
	var known *Error
	if errors.As(err, &known) {
		known.URL, _, _ = strings.Cut(known.URL, "?")
	}
	return err
}
