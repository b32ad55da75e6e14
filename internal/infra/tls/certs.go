// Package tls keeps the certificate of the public listener: read from files that somebody else
// renews (Files), or had from a certificate authority by ACME, RFC 8555 (ACME). Either way the
// certificate changes while the server runs, and no connection notices.
//
// Server stands on it. It imports nothing of ours.
package tls

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"
)

// Source is where the listener's certificate comes from. It is safe for concurrent use.
type Source interface {
	// TLS is the listener's configuration. It has a certificate for each handshake, or refuses it
	// while there is none.
	TLS() *tls.Config
	// Challenge answers what a certificate authority asks over cleartext HTTP, and hands other
	// requests on.
	Challenge(next http.Handler) http.Handler
	// Maintain keeps the certificate fresh until ctx ends. A certificate that is there already is
	// in use when it returns; the work goes on behind it, and wait returns once that has ended.
	Maintain(ctx context.Context) (wait func())
	// Reload reads again at once what may have changed outside.
	Reload()
	// Expires is when the certificate in use ends; the zero time while there is none.
	Expires() time.Time
}

// base is what every listener's configuration has: Go's own choice of ciphers, and no protocol
// older than TLS 1.2.
func base() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
}
