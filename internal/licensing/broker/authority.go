package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// provider is the manifest of a host (RAMP v1, ramp.json). A host without one sells through nobody.
func (b *Broker) provider(ctx context.Context, host string) (*rampv1.ProviderManifest, error) {
	return b.providers.get(ctx, host, func(ctx context.Context) (*rampv1.ProviderManifest, error) {
		address := site(host) + "/.well-known/ramp.json"
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", "application/json")
		request.Header.Set("User-Agent", "frontdesk-broker")
		still := *b.HTTP
		still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		response, err := still.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		switch response.StatusCode {
		case http.StatusOK:
		case http.StatusNotFound, http.StatusGone:
			return &rampv1.ProviderManifest{}, nil
		default:
			return nil, fmt.Errorf("it answered with status %d", response.StatusCode)
		}
		text, err := io.ReadAll(io.LimitReader(response.Body, ramp.MaxDocument+1))
		if err != nil {
			return nil, err
		}
		return ramp.ReadProviderManifest(text)
	})
}

var errNotAuthorised = errors.New("the ramp.json of the address does not name this Exchange")

// hosts are the manifests of hosts as one request has them: each is looked up once, so that there
// counts the same for all addresses of a host, whatever becomes of it meanwhile.
type hosts struct{ all sync.Map } // by name, a func() (*rampv1.ProviderManifest, error)

func (h *hosts) provider(ctx context.Context, b *Broker, host string) (*rampv1.ProviderManifest, error) {
	look, is := h.all.Load(host)
	if !is {
		look, _ = h.all.LoadOrStore(host,
			sync.OnceValues(func() (*rampv1.ProviderManifest, error) { return b.provider(ctx, host) }))
	}
	return look.(func() (*rampv1.ProviderManifest, error))()
}

// authorised says why an Exchange may not sell what is at an address: the manifest of the address's
// host has to list it, by its domain, and one that was found by documents at the address that they
// gave.
func (b *Broker) authorised(ctx context.Context, h *hosts, p *peer, uri string) error {
	host := hostOf(uri)
	if host == "" && p.named {
		// what is no page of the web has no manifest: the word of the operator, or of the agent,
		// for the Exchange is all that there is
		return nil
	}
	if host == "" {
		return errors.New("its address is none of the web: name the Exchange in constraints.exchanges, or have the " +
			"Broker's operator name it")
	}
	manifest, err := h.provider(ctx, b, host)
	if err != nil {
		return fmt.Errorf("the ramp.json of %.80s: %w", host, failing(err))
	}
	for _, x := range manifest.GetExchanges() {
		if domainOf(x.GetDomain()) == p.domain && (p.typed || slices.Contains(places(x), p.places[0])) {
			return nil
		}
	}
	return errNotAuthorised
}
