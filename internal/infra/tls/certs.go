// Package tls keeps the certificate of the public listener fresh: from files that somebody else
// renews (OpenFiles), or from a certificate authority by ACME, RFC 8555 (OpenACME). The certificate
// changes while the server runs, without harm to open connections.
//
// It imports nothing of ours and does not know what the listener serves.
package tls

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"
)

// Source provides the listener's certificate. It may be used from many goroutines.
type Source interface {
	// TLS returns the listener's configuration. It has a certificate for each handshake, or refuses
	// the handshake while there is none.
	TLS() *tls.Config
	// Challenge answers what a certificate authority asks over cleartext HTTP, and passes other
	// requests on.
	Challenge(next http.Handler) http.Handler
	// Maintain keeps the certificate fresh until ctx ends. A certificate that is there already is
	// in use when it returns; the work goes on in the background, and wait returns once that has
	// ended.
	Maintain(ctx context.Context) (wait func())
	// Reload reads at once what may have changed outside.
	Reload()
	// Expires is when the certificate in use ends; the zero time while there is none.
	Expires() time.Time
}

// base is what every listener's configuration has: Go's own choice of ciphers, and no protocol
// older than TLS 1.2.
func base() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
}
