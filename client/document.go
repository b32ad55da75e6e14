package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// maxDocument is the most that is read of a declaration or a manifest, in bytes.
const maxDocument = 1 << 20

// document reads a public document, until the server has time. The text is that of status 200
// alone.
func (c *Client) document(ctx context.Context, address string) (text []byte, status int, err error) {
	for attempt := 0; ; attempt++ {
		response, err := c.exchange(ctx, func(ctx context.Context) (*http.Request, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			if err == nil {
				request.Header.Set("Accept", typeJSON)
				request.Header.Set("User-Agent", c.options.UserAgent)
			}
			return request, err
		})
		if err != nil {
			return nil, 0, err
		}
		if wait, again := c.again(ctx, response, attempt); again {
			response.body.finish()
			if err := sleep(ctx, wait); err != nil {
				return nil, 0, err
			}
			continue
		}
		defer response.body.Close()
		if response.status != http.StatusOK {
			return nil, response.status, nil
		}
		text, err := io.ReadAll(io.LimitReader(response.body, maxDocument+1))
		switch {
		case err != nil:
			return nil, 0, &Broken{URL: address, Err: err}
		case len(text) > maxDocument:
			return nil, 0, &Broken{URL: address, Err: ErrTooLarge}
		}
		return text, http.StatusOK, nil
	}
}

// still follows redirects of what is read, and none of what is posted: it is for that address
// alone.
func still(more func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, via []*http.Request) error {
		last := via[len(via)-1]
		switch {
		case via[0].Method != http.MethodGet:
			return http.ErrUseLastResponse
		case last.URL.Scheme == "https" && next.URL.Scheme != "https":
			return fmt.Errorf("it moved to %s, which is not secured", next.URL.Redacted())
		case more != nil:
			return more(next, via)
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return nil
	}
}
