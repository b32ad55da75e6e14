package tls

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// LetsEncrypt is the directory of the authority that is asked when none is named.
const LetsEncrypt = certmagic.LetsEncryptProductionCA

// ACME configures certificates from an authority.
type ACME struct {
	Domains   []string // the names to be certified, as clients use them
	Email     string   // for the authority's notices; may be empty
	Directory string   // the authority; empty is LetsEncrypt
	Roots     string   // PEM file of the roots that the authority's own address is checked with; empty is the system's
	Folder    string   // where accounts, keys and certificates are kept; nodes that share it share them
	Host      string   // the address that both ports are listened on; empty is every one
	TLSPort   int      // where the listener is, for the challenge tls-alpn-01
	HTTPPort  int      // where Challenge is served, for the challenge http-01; 0 for not at all
	Log       *slog.Logger
}

// OpenACME makes a source that has and renews certificates once Maintain is called, and asks nobody
// before that.
func OpenACME(config ACME) (Source, error) {
	if config.Directory == "" {
		config.Directory = LetsEncrypt
	}
	roots, err := readRoots(config.Roots)
	if err != nil {
		return nil, err
	}
	a := &authority{domains: config.Domains, log: config.Log}
	log := zap.New(&zapLog{log: config.Log})
	a.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return a.magic, nil },
		Logger:           log,
		// One that is kept, and that needs to be renewed at once, waits for this.
		RenewCheckInterval: time.Minute,
	})
	a.magic = certmagic.New(a.cache, certmagic.Config{
		Storage:           &certmagic.FileStorage{Path: config.Folder},
		DefaultServerName: config.Domains[0],
		OnEvent:           a.happened,
		Logger:            log,
	})
	a.issuer = certmagic.NewACMEIssuer(a.magic, certmagic.ACMEIssuer{
		CA: config.Directory, Email: config.Email, Agreed: true, TrustedRoots: roots, Logger: log,
		ListenHost: config.Host, AltTLSALPNPort: config.TLSPort, AltHTTPPort: config.HTTPPort,
		DisableHTTPChallenge: config.HTTPPort == 0,
	})
	a.magic.Issuers = []certmagic.Issuer{a.issuer}
	return a, nil
}

func readRoots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil,
			fmt.Errorf("the roots of the certificate authority cannot be read: %w; name the file in tls.acme.roots",
				err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s, named in tls.acme.roots, holds no PEM certificate", path)
	}
	return pool, nil
}

type authority struct {
	domains []string
	log     *slog.Logger
	cache   *certmagic.Cache
	magic   *certmagic.Config
	issuer  *certmagic.ACMEIssuer
}

// TLS is the listener's configuration.
func (a *authority) TLS() *tls.Config {
	config := base()
	config.GetCertificate = a.magic.GetCertificate
	config.NextProtos = append(config.NextProtos, "acme-tls/1") // RFC 8737
	return config
}

// Challenge answers http-01 (RFC 8555 section 8.3).
func (a *authority) Challenge(next http.Handler) http.Handler {
	return a.issuer.HTTPChallengeHandler(next)
}

// Maintain has certificates, and renews them in time. An authority that cannot be reached is asked
// again, ever less often.
func (a *authority) Maintain(ctx context.Context) (wait func()) {
	for _, domain := range a.domains { // ManageAsync would do so too, but after the first clients
		if _, err := a.magic.CacheManagedCertificate(ctx, domain); err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.log.Error("the certificate that is kept cannot be used; see that this user can read the data folder",
				"name", domain, "error", err)
		}
	}
	if err := a.magic.ManageAsync(ctx, a.domains); err != nil {
		a.log.Error("certificates cannot be kept; see that the data folder can be written to", "error", err)
	}
	return func() {
		<-ctx.Done()
		a.cache.Stop()
	}
}

// Reload has nothing to look at: renewals are this program's own.
func (a *authority) Reload() {}

// Expires is the earliest end of the certificates in use.
func (a *authority) Expires() time.Time {
	var earliest time.Time
	for _, domain := range a.domains {
		for _, certificate := range a.cache.AllMatchingCertificates(domain) {
			if end := certificate.Leaf.NotAfter; earliest.IsZero() || end.Before(earliest) {
				earliest = end
			}
		}
	}
	return earliest
}

// happened logs what an owner wants to know.
func (a *authority) happened(_ context.Context, event string, data map[string]any) error {
	name := fmt.Sprint(data["identifier"])
	switch event {
	case "cert_obtaining":
		a.log.Info("asking the authority for a certificate", "name", name)
	case "cached_managed_cert":
		a.log.Info("the authority's certificate is in use", "names", data["sans"])
	case "cert_failed":
		err, _ := data["error"].(error)
		if errors.Is(err, context.Canceled) {
			return nil
		}
		a.log.Error("the authority gave no certificate; it is asked again by and by. See that the name leads to "+
			"this machine from the internet, on port 443 "+
			"or, for the redirect, 80", "name", name, "error", err)
	}
	return nil
}

// zapLog hands what certmagic says to our log: its errors as such, the rest at level debug. Fields
// that name clients are left out.
type zapLog struct {
	log    *slog.Logger
	fields []zapcore.Field
}

// Enabled lets through what our log takes.
func (z *zapLog) Enabled(level zapcore.Level) bool {
	return z.log.Enabled(context.Background(), slogLevel(level))
}

func slogLevel(level zapcore.Level) slog.Level {
	if level >= zapcore.ErrorLevel {
		return slog.LevelError
	}
	return slog.LevelDebug
}

// With adds fields to all that follows.
func (z *zapLog) With(fields []zapcore.Field) zapcore.Core {
	return &zapLog{z.log, append(append([]zapcore.Field(nil), z.fields...), fields...)}
}

// Check adds this log to those that take the entry.
func (z *zapLog) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if z.Enabled(entry.Level) {
		return checked.AddCore(entry, z)
	}
	return checked
}

// Write writes one entry.
func (z *zapLog) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, field := range append(append([]zapcore.Field(nil), z.fields...), fields...) {
		field.AddTo(values)
	}
	attrs := make([]slog.Attr, 0, len(values.Fields))
	for name, value := range values.Fields {
		if !strings.Contains(name, "remote") && !strings.Contains(name, "client") {
			attrs = append(attrs, slog.Any(name, value))
		}
	}
	z.log.LogAttrs(context.Background(), slogLevel(entry.Level), "certificates: "+entry.Message, attrs...)
	return nil
}

// Sync has nothing to do.
func (z *zapLog) Sync() error { return nil }
