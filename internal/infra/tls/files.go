package tls

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/periodic"
)

// watchEvery is how often files are looked at, and warnEvery how often an end that is near is
// warned of.
const (
	watchEvery = time.Second
	warnEvery  = 12 * time.Hour
	warnBefore = 14 * 24 * time.Hour
)

// OpenFiles reads a certificate with its chain, and its key, from PEM files. Now is the clock of
// warnings about the certificate's end.
func OpenFiles(certificate, key string, now func() time.Time, log *slog.Logger) (Source, error) {
	f := &files{certificate: certificate, key: key, now: now, log: log}
	texts, err := f.read()
	if err == nil {
		err = f.put(texts)
	}
	if err != nil {
		return nil, err
	}
	f.current, f.before = texts, texts
	f.warn()
	return f, nil
}

type files struct {
	certificate, key string
	now              func() time.Time
	log              *slog.Logger
	used             atomic.Pointer[tls.Certificate]

	mu              sync.Mutex
	current, before [2][]byte // the files as they are in use, and as of the last look
	warned          time.Time
}

func (f *files) read() (texts [2][]byte, err error) {
	for i, path := range []string{f.certificate, f.key} {
		if texts[i], err = os.ReadFile(path); err != nil {
			return texts,
				fmt.Errorf("the certificate cannot be read: %w; name the files in tls.cert and tls.key, and let "+
					"this user read them", err)
		}
	}
	return texts, nil
}

// put takes a pair into use if it is one.
func (f *files) put(texts [2][]byte) error {
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		return fmt.Errorf("%s and %s are no certificate with its key: %w; both must be PEM, the certificate first "+
			"in its file and its chain after it", f.certificate, f.key, err)
	}
	f.used.Store(&pair)
	return nil
}

// Reload reads the files at once, for who knows that they are whole: after SIGHUP.
func (f *files) Reload() { f.reload(true) }

// reload takes changed files into use once they were the same on two looks, or when they are known
// to be whole. Both are written by another program, one after the other, so that a pair that does
// not fit is most often half of a new one: the one in use stays.
func (f *files) reload(whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen, err := f.read()
	if errors.Is(err, os.ErrNotExist) && !whole {
		return // being replaced
	}
	settled := whole || same(seen, f.before)
	f.before = seen
	switch {
	case err == nil && same(seen, f.current) || !settled:
	case err == nil:
		f.current = seen // which is read once, whatever comes of it
		if err = f.put(seen); err == nil {
			f.log.Info("the certificate is in use as the files have it now", "file", f.certificate,
				"expires", f.Expires().UTC().Format(time.RFC3339))
			f.warned = time.Time{}
		}
	}
	if err != nil && settled {
		f.log.Error("the certificate in use stays: " + err.Error())
	}
	f.warn()
}

func same(a, b [2][]byte) bool { return bytes.Equal(a[0], b[0]) && bytes.Equal(a[1], b[1]) }

// warn logs a certificate that has ended or soon will.
func (f *files) warn() {
	now, end := f.now(), f.Expires()
	if end.Sub(now) > warnBefore || now.Sub(f.warned) < warnEvery {
		return
	}
	f.warned = now
	what := "the certificate ends soon; have it renewed, and its files are read by themselves"
	if now.After(end) {
		what = "the certificate has ended, and clients refuse it; have it renewed, and its files are read by themselves"
	}
	f.log.Warn(what, "file", f.certificate, "expires", end.UTC().Format(time.RFC3339))
}

// Maintain looks at the files until ctx ends.
func (f *files) Maintain(ctx context.Context) (wait func()) {
	var looking sync.WaitGroup
	looking.Go(func() { periodic.After(ctx, watchEvery, func(context.Context) { f.reload(false) }) })
	return looking.Wait
}

// TLS is the listener's configuration.
func (f *files) TLS() *tls.Config {
	config := base()
	config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.used.Load(), nil }
	return config
}

// Challenge has nothing to answer.
func (f *files) Challenge(next http.Handler) http.Handler { return next }

// Expires is when the certificate in use ends.
func (f *files) Expires() time.Time { return f.used.Load().Leaf.NotAfter }
