package identity

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
)

// Config says which credentials are good.
type Config struct {
	Keys  *Keys           // API keys that the owner gave out; nil for none
	Fixed []ConfiguredKey // API keys of the configuration
	OAuth *OAuth          // bearer tokens; nil for none
	// Strict says that a credential of a kind that is not known here is wrong. Otherwise it is as
	// good as none: a client that sends some token to everybody is let in where everybody is.
	Strict bool
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // hears when the authorization server's keys cannot be fetched; nil for nobody
}

// Verifier verifies credentials. Its methods may be called concurrently.
type Verifier struct {
	config Config
	fixed  fixedKeys
	tokens *tokens
}

// New makes a verifier. It fails on a configuration that cannot be meant.
func New(config Config) (*Verifier, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	v := &Verifier{config: config}
	var err error
	if v.fixed, err = newFixed(config.Fixed); err != nil {
		return nil, err
	}
	if config.OAuth != nil {
		if v.tokens, err = newTokens(*config.OAuth, config.Now, config.Log); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// KeyHeader is the header of an API key, beside `Authorization: Bearer`.
const KeyHeader = "X-API-Key"

var canonicalKeyHeader = http.CanonicalHeaderKey(KeyHeader)

// Presented says whether a request's headers carry something that may be a credential for this
// front desk.
func Presented(header http.Header) bool {
	_, bearer, err := credential(header)
	return bearer != "" || err != nil
}

// credential takes the credential out of a request's headers. A bearer token (RFC 6750 §2.1) goes
// before a key in a header of its own; the other schemes of Authorization are not for this front
// desk.
func credential(header http.Header) (key bool, text string, err error) {
	if values := header.Values("Authorization"); len(values) > 0 {
		scheme, rest, _ := strings.Cut(values[0], " ")
		if strings.EqualFold(scheme, "Bearer") {
			if len(values) > 1 || strings.TrimSpace(rest) == "" {
				return false, "",
					fail.New(fail.Unauthorized, "send one Authorization header, with a key or a token after the "+
						"word Bearer")
			}
			return false, strings.TrimSpace(rest), nil
		}
	}
	switch values := header[canonicalKeyHeader]; {
	case len(values) > 1:
		return true, "", fail.New(fail.Unauthorized, "send %s once", KeyHeader)
	case len(values) == 1 && strings.TrimSpace(values[0]) != "":
		return true, strings.TrimSpace(values[0]), nil
	}
	return false, "", nil
}

// Verify gives the party whose credential a request's headers carry; ok is false when they carry
// none. The error is fail.Unauthorized for a credential that is not good, fail.Forbidden for a
// token that lacks a scope, and fail.Unavailable when what is needed to tell cannot be reached.
func (v *Verifier) Verify(ctx context.Context, header http.Header) (party Party, ok bool, err error) {
	key, text, err := credential(header)
	if err != nil && v.config.Strict {
		return Party{}, false, err
	}
	if text == "" {
		return Party{}, false, nil
	}
	if party, ok = v.fixed.find(text); ok {
		return party, true, nil
	}
	switch {
	case strings.HasPrefix(text, Prefix) && v.config.Keys != nil:
		party, err = v.config.Keys.verify(ctx, text)
	case v.tokens != nil && !key:
		party, err = v.tokens.verify(ctx, text)
	case v.config.Strict:
		err = errWrongKey
	default:
		return Party{}, false, nil
	}
	return party, err == nil, err
}

// Challenge is what a refusal says of how to come in (RFC 6750 §3, RFC 9728 §5.1). Empty members
// are left out.
type Challenge struct {
	Metadata string // the address of the protected resource's metadata
	Error    string // invalid_token or insufficient_scope; none for a request without a credential
	Scopes   []string
}

// String is the value of WWW-Authenticate.
func (c Challenge) String() string {
	var b strings.Builder
	b.WriteString(`Bearer realm="frontdesk"`)
	for _, pair := range [][2]string{{"error", c.Error}, {"scope", strings.Join(c.Scopes, " ")},
		{"resource_metadata", c.Metadata}} {
		if pair[1] != "" {
			fmt.Fprintf(&b, `, %s="%s"`, pair[0], strings.Map(quotable, pair[1]))
		}
	}
	return b.String()
}

// quotable drops what cannot stand in a quoted string (RFC 9110 §5.6.4).
func quotable(r rune) rune {
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return -1
	}
	return r
}
