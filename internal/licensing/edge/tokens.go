package edge

import (
	"bufio"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// The bounds of the tokens with which a site answers challenges (RAMP v1, domain verification).
const (
	// TokenLife is how long a token is answered after it was given: in a configuration when the
	// process began, in a file when that was written. The Exchange's challenge is over after ten
	// minutes.
	TokenLife = time.Hour
	// MaxTokens is how many tokens of a site are answered at a time, of the configuration and of
	// the file each; further ones are not.
	MaxTokens = 20
	minToken  = 8
	maxToken  = 256
)

// IsToken says whether a text can be a token: 8 to 256 letters, digits, "-", "_", ".", "~", "=" and
// "+".
func IsToken(text string) bool {
	return len(text) >= minToken && len(text) <= maxToken &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~=+") == "" &&
		strings.Trim(text, ".") != ""
}

// Tokens are the tokens that answer challenges of a site's domain. A nil Tokens has none. Its
// methods may be called concurrently.
type Tokens struct {
	given []string
	since time.Time
	path  string
	now   func() time.Time
	log   *slog.Logger

	also func(token string) bool // nil for nobody

	mu      sync.Mutex
	looked  time.Time
	seen    stamp
	written []written
}

// written is a token in a file.
type written struct {
	token string
	ends  time.Time // zero for TokenLife after the file was written
}

// NewTokens makes the tokens of a configuration, and of a file that has one in each line, maybe
// with a blank and the time (RFC 3339) behind it until which it is answered, and is read again when
// it changes; path may be empty, and the file missing.
func NewTokens(given []string, path string, now func() time.Time, log *slog.Logger) *Tokens {
	return &Tokens{given: given[:min(len(given), MaxTokens)], since: now(), path: path, now: now, log: log}
}

// AddSource has further tokens be answered: those of which has says so. Call it before anything
// else.
func (t *Tokens) AddSource(has func(token string) bool) {
	before := t.also
	t.also = func(token string) bool { return before != nil && before(token) || has(token) }
}

// Has says whether a token is one that challenges are answered with now.
func (t *Tokens) Has(token string) bool {
	if t == nil || !IsToken(token) {
		return false
	}
	now := t.now()
	if now.Sub(t.since).Abs() < TokenLife && among(t.given, token) || t.also != nil && t.also(token) {
		return true
	}
	if t.path == "" {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.looked).Abs() >= lookEvery {
		t.looked = now
		t.look()
	}
	fresh := now.Sub(t.seen.at).Abs() < TokenLife
	open := make([]string, 0, MaxTokens)
	for _, one := range t.written {
		if fresh && (one.ends.IsZero() || now.Before(one.ends)) {
			open = append(open, one.token)
		}
	}
	return among(open, token)
}

func among(tokens []string, token string) bool {
	found := 0
	for _, one := range tokens {
		found |= subtle.ConstantTimeCompare([]byte(one), []byte(token))
	}
	return found == 1
}

// look reads the file, where it changed.
func (t *Tokens) look() {
	seen := stampOf(t.path)
	if seen == t.seen {
		return
	}
	t.seen, t.written = seen, nil
	if seen == (stamp{}) {
		return
	}
	file, err := os.Open(t.path)
	if err == nil {
		defer file.Close()
		t.written, err = readTokens(file)
	}
	if err != nil {
		t.log.Error("tokens cannot be read; write one in each line, as the Exchange gave them", "file", t.path,
			"error", err)
	}
}

// errToken is of a line that is no token.
var errToken = errors.New("a line is no token")

// errTokens is of a file with more tokens than are answered.
var errTokens = errors.New("it has more tokens than are answered at a time")

// readTokens reads as many tokens as are answered; its error tells what there is besides.
func readTokens(r io.Reader) (tokens []written, err error) {
	lines := bufio.NewScanner(io.LimitReader(r, 4*MaxTokens*maxToken))
	for lines.Scan() {
		token, until, timed := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		var ends time.Time
		var wrong error
		if timed {
			ends, wrong = time.Parse(time.RFC3339, strings.TrimSpace(until))
		}
		switch {
		case token == "":
		case !IsToken(token), wrong != nil:
			err = errToken
		case len(tokens) == MaxTokens:
			return tokens, errTokens
		default:
			tokens = append(tokens, written{token, ends})
		}
	}
	return tokens, errors.Join(err, lines.Err())
}

// challenge answers with a token.
type challenge string

func (c challenge) ServeHTTP(w http.ResponseWriter, _ *http.Request) { AnswerChallenge(w, string(c)) }

// AnswerChallenge answers a challenge with its token.
func AnswerChallenge(w http.ResponseWriter, token string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(token + "\n"))
}

// isDocument says whether a target is where a gate may have a document of a site's.
func isDocument(target string) bool {
	path, _, _ := strings.Cut(target, "?")
	return path == ManifestPath || path == RSLPath || strings.HasPrefix(path, ChallengePath)
}
