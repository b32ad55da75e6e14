package identity

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"frontdesk/internal/infra/fetch"
)

// challengePath begins the path at which a provider answers with a token (RAMP v1, domain
// verification).
const challengePath = "/.well-known/ramp-verify/"

// The bounds of asking a domain for a token.
const (
	MaxChallengeBytes = 4 << 10         // of what it answers with
	ChallengeTimeout  = 5 * time.Second // to get it, and ramp.json
)

// Why a domain is not verified, as the first word of failure_reason tells it.
const (
	TokenUnknown        = "TOKEN_UNKNOWN"
	TokenUsed           = "TOKEN_USED"
	TokenExpired        = "TOKEN_EXPIRED"
	ChallengeRefused    = "CHALLENGE_ADDRESS_REFUSED" // the domain leads to where nobody may be sent
	ChallengeSilent     = "CHALLENGE_UNREACHABLE"
	ChallengeStatus     = "CHALLENGE_STATUS"
	ChallengeRedirects  = "CHALLENGE_REDIRECTS"
	ChallengeLarge      = "CHALLENGE_TOO_LARGE"
	ChallengeDiffers    = "CHALLENGE_DIFFERS"
	ManifestSilent      = "MANIFEST_UNREACHABLE"
	ManifestNotListing  = "EXCHANGE_NOT_LISTED"
	DomainMoved         = "DOMAIN_NOT_OF_TENANT"
	KeyRefused          = "KEY_REFUSED"
	VerificationStopped = "STOPPED" // for a reason of this Exchange's own
)

// VerificationError is why a domain is not verified.
type VerificationError struct {
	Reason string // one of the words above
	Detail string // a sentence that strangers may read, with what to do
	cause  error
}

// Error gives reason, detail and cause, for logs.
func (u *VerificationError) Error() string {
	if u.cause != nil {
		return fmt.Sprintf("%s: %s: %v", u.Reason, u.Detail, u.cause)
	}
	return u.Reason + ": " + u.Detail
}

// Unwrap gives the cause.
func (u *VerificationError) Unwrap() error { return u.cause }

// DomainVerifier checks that a domain answers a challenge and lists this Exchange (RAMP v1, domain
// verification). Its methods may be called concurrently.
type DomainVerifier struct {
	fetcher  *fetch.Fetcher
	exchange string
}

// NewDomainVerifier looks for the Exchange with a domain. The fetcher should take AgentBytes at the
// most, ProofTime at the longest, and follow no redirect.
func NewDomainVerifier(fetcher *fetch.Fetcher, exchange string) *DomainVerifier {
	return &DomainVerifier{fetcher: fetcher, exchange: exchange}
}

// ChallengeURL is where a domain is to answer with a token.
func ChallengeURL(domain, token string) string { return Origin(domain) + challengePath + token }

// Verify says whether a domain answers with a token, and its ramp.json names the Exchange; both
// have to be so. The error is an *Unproven, or ctx's.
func (p *DomainVerifier) Verify(ctx context.Context, domain, token string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*ChallengeTimeout)
	defer cancel()
	listed := make(chan error, 1)
	go func() { listed <- p.listed(ctx, domain) }()
	err := p.answers(ctx, domain, token)
	if err != nil {
		cancel()
		<-listed
		return err
	}
	return <-listed
}

// answers says whether a domain answers with a token.
func (p *DomainVerifier) answers(ctx context.Context, domain, token string) error {
	response, err := p.fetcher.Get(ctx, fetch.Request{
		URL: ChallengeURL(domain, token), MaxBytes: MaxChallengeBytes,
		Header: http.Header{"Accept": {"text/plain, application/json;q=0.5"}, "Cache-Control": {"no-cache"}},
	})
	var wrong *fetch.Error
	switch {
	case errors.As(err, &wrong):
		return notAnswering(wrong)
	case err != nil:
		return err
	case response.Status != http.StatusOK:
		return &VerificationError{Reason: ChallengeStatus,
			Detail: fmt.Sprintf("the domain answered at verification_url with the status %d instead of 200; serve "+
				"the token there, and ask for another challenge", response.Status)}
	case !holds(response.Body, token):
		return &VerificationError{Reason: ChallengeDiffers, Detail: "the domain answered at verification_url with " +
			"something else than the token; serve the token there and nothing else, and ask for another challenge"}
	}
	return nil
}

// notAnswering tells why a domain could not be asked. What it leads to, and how that fails, is for
// the log.
func notAnswering(err *fetch.Error) *VerificationError {
	u := &VerificationError{Reason: ChallengeSilent, Detail: "the domain did not answer at verification_url in time " +
		"and whole, or not by https with a certificate that is to be trusted", cause: err}
	switch err.Reason {
	case fetch.Refused:
		u.Reason, u.Detail = ChallengeRefused, "the domain leads to an address on which nothing may be asked, such "+
			"as one that is not public; set its records in the DNS"
	case fetch.TooLarge:
		u.Reason, u.Detail = ChallengeLarge,
			fmt.Sprintf("what the domain answered with at verification_url has more than %d bytes; serve the token "+
				"there and nothing else", MaxChallengeBytes)
	case fetch.Redirects:
		u.Reason, u.Detail = ChallengeRedirects, "the domain redirected from verification_url; serve the token at "+
			"exactly that address"
	}
	u.Detail += ", and ask for another challenge"
	return u
}

// holds says whether an answer is the token, with blanks around it, or a JSON object with it as the
// member token.
func holds(body []byte, token string) bool {
	body = bytes.TrimSpace(body)
	if subtle.ConstantTimeCompare(body, []byte(token)) == 1 {
		return true
	}
	var object struct {
		Token string `json:"token"`
	}
	return bytes.HasPrefix(body, []byte("{")) && json.Unmarshal(body, &object) == nil &&
		subtle.ConstantTimeCompare([]byte(object.Token), []byte(token)) == 1
}

// listed says whether the ramp.json of a domain names the Exchange.
func (p *DomainVerifier) listed(ctx context.Context, domain string) error {
	named, err := names(ctx, p.fetcher, domain, p.exchange)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &VerificationError{Reason: ManifestSilent, Detail: "https://" + domain + providerPath +
			" cannot be had or read; serve it, and ask for another challenge", cause: err}
	case !named:
		return &VerificationError{Reason: ManifestNotListing,
			Detail: fmt.Sprintf("https://%s%s does not name %s among its exchanges; add {\"domain\": %q, "+
				"\"relationship\": \"DIRECT\"} there, and ask for another challenge",
				domain, providerPath, p.exchange, p.exchange)}
	}
	return nil
}

// ListsExchange says whether the ramp.json of a domain names the Exchange. The error is of one that
// could not be had, or read.
func (p *DomainVerifier) ListsExchange(ctx context.Context, domain string) (bool, error) {
	return names(ctx, p.fetcher, domain, p.exchange)
}
