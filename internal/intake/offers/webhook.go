package offers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/notify"
	visible "frontdesk/internal/infra/plain"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Webhook asks a server of the owner's what to offer. docs/offer-webhooks.md says what is sent and
// what is to be answered.
type Webhook struct {
	// URL is where submissions are posted to.
	URL string `yaml:"url"`
	// SecretEnv names the variable of the environment that holds the secret with which requests are
	// signed, in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64.
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds the secret.
	SecretFile string `yaml:"secret_file" relative:"path"`
	// Timeout is how long an answer may take, from `100ms` to `9s`; without it, 8 seconds. Agents
	// are promised an answer within ten.
	Timeout time.Duration `yaml:"timeout"`
}

// The bounds of a webhook's time.
const (
	DefaultTimeout = 8 * time.Second
	minTimeout     = 100 * time.Millisecond
	maxTimeout     = 9 * time.Second
)

// Check says what is wrong with a webhook as it is configured: it joins one *Error for each thing.
// Whether there is a secret is looked up.
func (w Webhook) Check() error {
	var wrong []error
	report := func(field, format string, args ...any) {
		wrong = append(wrong, &Error{Field: field, Detail: fmt.Sprintf(format, args...)})
	}
	if u, err := url.Parse(w.URL); err != nil || u.Host == "" || u.User != nil ||
		u.Scheme != "https" && u.Scheme != "http" {
		report("url", "%q is no web address; write it like https://www.example.com/offers, without user and password",
			w.URL)
	}
	if w.Timeout != 0 && (w.Timeout < minTimeout || w.Timeout > maxTimeout) {
		report("timeout", "%s is not between %s and %s", yamlconf.Span(w.Timeout), yamlconf.Span(minTimeout),
			yamlconf.Span(maxTimeout))
	}
	if _, err := w.secret(); err != nil {
		field := "secret_env"
		if w.SecretFile != "" {
			field = "secret_file"
		}
		report(field, "%v", err)
	}
	return errors.Join(wrong...)
}

func (w Webhook) secret() (sign.WebhookSecret, error) {
	text, err := notify.ReadSecret(w.SecretEnv, w.SecretFile)
	if err != nil {
		return nil, err
	}
	if text == "" {
		return nil,
			errors.New("without a secret your server cannot know who asks; name the variable of the environment, or " +
				"the file, that holds it")
	}
	return sign.ParseWebhookSecret(text)
}

// WebhookOptions are what a webhook needs; all are required.
type WebhookOptions struct {
	Fetcher *fetch.Fetcher
	Now     func() time.Time
	Log     *slog.Logger
}

// webhook is a Webhook that can be asked.
type webhook struct {
	hook    *notify.Webhook
	timeout time.Duration
	log     *slog.Logger
	breaker *breaker
	slots   chan struct{}
}

// maxAtOnce is how many questions may be on the way to one webhook.
const maxAtOnce = 32

// NewWebhook makes a webhook ready. The error is that of Check.
func NewWebhook(w Webhook, o WebhookOptions) (Engine, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	secret, err := w.secret()
	if err != nil {
		return nil, err
	}
	if w.Timeout == 0 {
		w.Timeout = DefaultTimeout
	}
	return &webhook{
		hook:    &notify.Webhook{URL: w.URL, Secret: secret, Fetcher: o.Fetcher, Now: o.Now},
		timeout: w.Timeout, log: o.Log, breaker: newBreaker(o.Now), slots: make(chan struct{}, maxAtOnce),
	}, nil
}

// asked is what a webhook is sent, in the form that Standard Webhooks recommend.
type asked struct {
	Type      string    `json:"type"`
	Timestamp string    `json:"timestamp"`
	Data      askedData `json:"data"`
}

type askedData struct {
	Intake     string           `json:"intake"`
	SessionID  string           `json:"session_id"`
	Agent      intake.Agent     `json:"agent"`
	IntakeData strictjson.Value `json:"intake_data"`
	Locale     string           `json:"locale,omitempty"`
	Timezone   string           `json:"timezone,omitempty"`
}

// EventSubmitted is the type of what a webhook is sent.
const EventSubmitted = "intake.submitted"

// When to ask again what a webhook did not answer.
const (
	againSoon  = 2 * time.Second  // when too many are on the way
	againLater = 30 * time.Second // when it says nothing itself
	againLast  = time.Hour
)

// Offer asks the webhook. It is asked once more, under the same id, if it failed early in a way
// that another try may mend.
func (w *webhook) Offer(ctx context.Context, q Request) (Outcome, error) {
	body, err := json.Marshal(asked{EventSubmitted, q.Now.UTC().Format(time.RFC3339),
		askedData{q.Intake, q.Session, q.Agent, q.Data, q.Locale, q.Timezone}})
	if err != nil {
		return Outcome{}, fmt.Errorf("write what the webhook of intake %s is asked: %w", q.Intake, err)
	}
	rest, probe := w.breaker.enter()
	if rest > 0 {
		return Outcome{}, unavailable(rest, errors.New("the webhook rests after it failed several times"))
	}
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	default:
		w.breaker.leave(probe, errGone)
		return Outcome{}, unavailable(againSoon, fmt.Errorf("%d questions are on the way to the webhook", maxAtOnce))
	}
	limited, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	outcome, err := w.ask(limited, q, body)
	if ctx.Err() != nil { // whoever asked has gone, which says nothing of the webhook
		w.breaker.leave(probe, errGone)
		return Outcome{}, ctx.Err()
	}
	var f *webhookFailure
	if !errors.As(err, &f) {
		w.breaker.leave(probe, nil)
		return outcome, err
	}
	if f.busy {
		w.breaker.leave(probe, nil)
	} else {
		w.breaker.leave(probe, f)
	}
	w.log.Warn("the webhook of an intake gives no offer; the agent is told to come back", "intake", q.Intake,
		"error", f.what)
	return Outcome{}, unavailable(f.after, f)
}

func unavailable(after time.Duration, cause error) error {
	return fail.New(fail.Unavailable, "This cannot be answered at the moment; send the same again later.").
		After(after).Wrap(cause)
}

// webhookFailure is why a webhook gave no outcome, in words without anything of what was sent or
// answered.
type webhookFailure struct {
	what  string
	again bool          // another try may mend it
	busy  bool          // it says so itself
	after time.Duration // when to come back
}

func (f *webhookFailure) Error() string { return f.what }

// ask asks, and if it is worth it asks again. The second try has at least half of the time.
func (w *webhook) ask(ctx context.Context, q Request, body []byte) (Outcome, error) {
	deadline, _ := ctx.Deadline()
	half := time.Now().Add(time.Until(deadline) / 2)
	outcome, f := w.once(ctx, q, body)
	if f != nil && f.again && time.Now().Before(half) {
		outcome, f = w.once(ctx, q, body)
	}
	if f != nil {
		return Outcome{}, f
	}
	return outcome, nil
}

func (w *webhook) once(ctx context.Context, q Request, body []byte) (Outcome, *webhookFailure) {
	response, err := w.hook.Post(ctx, q.ID, body)
	var wrong *fetch.Error
	switch {
	case errors.As(err, &wrong):
		return Outcome{}, &webhookFailure{what: wrong.Detail,
			again: wrong.Reason == fetch.Unreachable || wrong.Reason == fetch.Undecodable, after: againLater}
	case err != nil:
		return Outcome{}, &webhookFailure{what: "it did not answer in time", after: againLater}
	}
	switch status := response.Status; {
	case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
		return Outcome{}, &webhookFailure{what: fmt.Sprintf("it is busy (status %d)", status), busy: true,
			after: w.retryAfter(response.Header)}
	case status >= 500:
		return Outcome{}, &webhookFailure{what: fmt.Sprintf("it answered with status %d", status), again: true,
			after: againLater}
	case status != http.StatusOK:
		return Outcome{}, &webhookFailure{what: fmt.Sprintf("it answered with status %d", status), after: againLater}
	}
	outcome, err := readAnswer(response, q.Now)
	if err != nil {
		return Outcome{}, &webhookFailure{what: "it answered what is no answer: " + err.Error(), after: againLater}
	}
	return outcome, nil
}

// retryAfter is when the webhook wants to be asked again, in seconds or as a date.
func (w *webhook) retryAfter(h http.Header) time.Duration {
	given := h.Get("Retry-After")
	after := againLater
	if seconds, err := strconv.Atoi(given); err == nil {
		after = time.Duration(min(max(seconds, 0), int(againLast/time.Second))) * time.Second
	} else if at, err := http.ParseTime(given); err == nil {
		after = at.Sub(w.hook.Now())
	}
	return min(max(after, time.Second), againLast)
}

// answer is what a webhook answers: the part of the protocol's own answer that a business decides
// on (Agent Intake Protocol 0.1.0, Stage 3).
type answer struct {
	Status        string       `json:"status"`
	Offer         *answerOffer `json:"offer"`
	DeclineReason *string      `json:"decline_reason"`
}

type answerOffer struct {
	Summary      string           `json:"summary"`
	Details      strictjson.Value `json:"details"`
	Expires      *string          `json:"expires"`
	BindRequires *[]string        `json:"bind_requires"`
	TermsURL     *string          `json:"terms_url"`
}

// readAnswer reads what a webhook answered. The error names members, never values.
func readAnswer(response *fetch.Response, now time.Time) (Outcome, error) {
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil ||
		kind != "application/json" {
		return Outcome{}, errors.New("its Content-Type is not application/json")
	}
	var a answer
	if err := strictjson.Decode(response.Body, &a); err != nil {
		return Outcome{}, placeOnly(err)
	}
	o, err := a.outcome()
	if err == nil {
		err = o.Check(now)
	}
	return o, err
}

// placeOnly is where JSON is wrong and how, without a member's name that is not ours: the answer
// may repeat what was submitted.
func placeOnly(err error) error {
	var at *strictjson.Error
	if errors.As(err, &at) && at.Pointer != "" {
		return errors.New("a member is unknown, there twice, or of the wrong kind; it has status, and offer or " +
			"decline_reason")
	}
	return errors.New("it is no JSON of its own")
}

func (a answer) outcome() (Outcome, error) {
	switch {
	case a.Status == "offer" && a.Offer != nil && a.DeclineReason == nil:
		return a.Offer.outcome()
	case a.Status == "declined" && a.DeclineReason != nil && a.Offer == nil:
		return Outcome{Status: Declined, Reason: visible.Sanitize(*a.DeclineReason)}, nil
	}
	return Outcome{}, errors.New("its status is neither offer, with an offer, nor declined, with a decline_reason")
}

func (a *answerOffer) outcome() (Outcome, error) {
	o := Outcome{Status: Offered, Summary: visible.Sanitize(a.Summary)}
	if a.Details != nil && !bytes.Equal(a.Details, []byte("null")) {
		o.Details = visible.SanitizeJSON(a.Details)
	}
	if a.Expires != nil {
		var err error
		if o.Expires, err = time.Parse(time.RFC3339, *a.Expires); err != nil {
			return o, errors.New("expires is no date-time of RFC 3339")
		}
		o.Expires = o.Expires.UTC()
	}
	if a.BindRequires != nil {
		o.BindRequires = append([]string{}, *a.BindRequires...)
	}
	if a.TermsURL != nil {
		o.TermsURL = *a.TermsURL
	}
	return o, nil
}
