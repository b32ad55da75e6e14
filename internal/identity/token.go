package identity

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"frontdesk/internal/infra/fail"
)

// Algorithms are the algorithms by which tokens may be signed (RFC 7518 §3.1, RFC 8037). Those with
// a shared secret are not among them: a key that is published must not be a secret.
func Algorithms() []string {
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
		names[i] = string(a)
	}
	return names
}

var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512,
	jose.EdDSA,
}

const (
	maxToken  = 16 << 10 // bytes of a token
	leastRSA  = 2048     // bits
	maxScopes = 64
)

// tokens verifies bearer tokens.
type tokens struct {
	config     OAuth
	algorithms []jose.SignatureAlgorithm
	keys       *keySet
	now        func() time.Time
}

func newTokens(config OAuth, now func() time.Time, log *slog.Logger) (*tokens, error) {
	t := &tokens{config: config, now: now, keys: newKeySet(config, now, log)}
	for _, name := range config.Algorithms {
		if !slices.Contains(algorithms, jose.SignatureAlgorithm(name)) {
			return nil, errors.New(name + " is no algorithm that tokens may be signed by")
		}
		t.algorithms = append(t.algorithms, jose.SignatureAlgorithm(name))
	}
	if len(t.algorithms) == 0 || len(config.Audience) == 0 || config.Issuer == "" {
		return nil, errors.New("tokens need an issuer, an audience and an algorithm")
	}
	return t, nil
}

// claims are what is read of a token (RFC 7519 §4.1, RFC 9068 §2.2).
type claims struct {
	jwt.Claims
	Client string `json:"client_id"`
	Scope  any    `json:"scope"` // text divided by blanks
	Scp    any    `json:"scp"`   // the same, or a list, at some servers
}

func invalid(detail string) error {
	return fail.New(fail.Unauthorized, "%s; get a new token from the authorization server", detail)
}

// verify gives the party that a token names.
func (t *tokens) verify(ctx context.Context, text string) (Party, error) {
	if len(text) > maxToken {
		return Party{}, invalid("the token is too long")
	}
	token, err := jwt.ParseSigned(text, t.algorithms)
	if err != nil {
		return Party{}, invalid("the bearer token is no JWT with a signature that is accepted here")
	}
	header := token.Headers[0]
	if typ, _ := header.ExtraHeaders[jose.HeaderType].(string); !isJWT(typ) {
		return Party{}, invalid("the token is no access token")
	}
	var c claims
	if err := t.signed(ctx, token, header, &c); err != nil {
		return Party{}, err
	}
	if err := t.check(c); err != nil {
		return Party{}, err
	}
	scopes := append(words(c.Scope), words(c.Scp)...)
	for _, needed := range t.config.Scopes {
		if !slices.Contains(scopes, needed) {
			return Party{}, fail.New(fail.Forbidden, "the token lacks the scope %s; get one with the scopes %s", needed,
				strings.Join(t.config.Scopes, " "))
		}
	}
	subject := c.Subject
	if subject == "" {
		subject = c.Client
	}
	if subject == "" {
		return Party{}, invalid("the token names nobody (it has neither sub nor client_id)")
	}
	return Party{ID: "token:" + c.Issuer + " " + subject, Kind: KindToken, Scopes: scopes}, nil
}

// isJWT says whether a header's typ is that of an access token, or of a JWT that says nothing else
// of itself. The types of other kinds of JWTs (RFC 8725 §3.11) are refused.
func isJWT(typ string) bool {
	switch strings.TrimPrefix(strings.ToLower(typ), "application/") {
	case "", "jwt", "at+jwt":
		return true
	}
	return false
}

// signed reads the claims with a key of the authorization server that made the signature.
func (t *tokens) signed(ctx context.Context, token *jwt.JSONWebToken, header jose.Header, into *claims) error {
	keys, err := t.keys.find(ctx, header.KeyID, jose.SignatureAlgorithm(header.Algorithm))
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return invalid("the token is signed by a key that the authorization server does not publish")
	}
	for _, key := range keys {
		*into = claims{}
		if err = token.Claims(key.Key, into); err == nil {
			return nil
		}
	}
	return invalid("the token's signature is wrong, or its claims cannot be read")
}

// check holds the claims against what is expected. A token that never expires is none.
func (t *tokens) check(c claims) error {
	if c.Expiry == nil {
		return invalid("the token does not say when it expires")
	}
	err := c.ValidateWithLeeway(jwt.Expected{Issuer: t.config.Issuer, AnyAudience: t.config.Audience, Time: t.now()},
		t.config.Skew)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrExpired):
		return invalid("the token has expired")
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return invalid("the token is not valid yet")
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return invalid("the token is of another issuer")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return invalid("the token is for another audience")
	}
	return invalid("the token's claims are wrong")
}

// words reads scopes: a text divided by blanks, or a list of texts. Anything else is none.
func words(claim any) []string {
	var all []string
	switch claim := claim.(type) {
	case string:
		all = strings.Fields(claim)
	case []any:
		for _, element := range claim {
			if word, ok := element.(string); ok {
				all = append(all, word)
			}
		}
	}
	return all[:min(len(all), maxScopes)]
}

// fits says whether a key can have made a signature by an algorithm, and is strong enough.
func fits(key jose.JSONWebKey, algorithm jose.SignatureAlgorithm) bool {
	if key.Use != "" && key.Use != "sig" || key.Algorithm != "" && key.Algorithm != string(algorithm) ||
		!key.IsPublic() {
		return false
	}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(string(algorithm), "RS") && public.N.BitLen() >= leastRSA ||
			strings.HasPrefix(string(algorithm), "PS") && public.N.BitLen() >= leastRSA
	case *ecdsa.PublicKey:
		return string(algorithm) == map[string]string{"P-256": "ES256", "P-384": "ES384",
			"P-521": "ES512"}[public.Curve.Params().Name]
	case ed25519.PublicKey:
		return algorithm == jose.EdDSA
	}
	return false
}
