package tls

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// noon is when the tests take place.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// shelf is a folder with a pair of files, and what reads them.
type shelf struct {
	t                *testing.T
	certificate, key string
	now              time.Time
	log              bytes.Buffer
}

func newShelf(t *testing.T) *shelf {
	folder := t.TempDir()
	return &shelf{t: t, certificate: filepath.Join(folder, "cert.pem"), key: filepath.Join(folder, "key.pem"),
		now: noon}
}

func (s *shelf) open() (*files, error) {
	source, err := OpenFiles(s.certificate, s.key, func() time.Time {
		return s.now
	}, slog.New(slog.NewTextHandler(&s.log, nil)))
	if err != nil {
		return nil, err
	}
	return source.(*files), nil
}

func (s *shelf) put(path string, text []byte) {
	s.t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) says(text string) bool {
	said := strings.Contains(s.log.String(), text)
	s.log.Reset()
	return said
}

// pair makes a certificate with an end, and its key.
func pair(t *testing.T, end time.Time) (certificate, key []byte) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: noon.Add(-time.Hour), NotAfter: end,
		DNSNames: []string{"desk.example"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bits})
}

func TestFilesAreTakenOverOnceTheyAreAPairAndAtRest(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	firstEnd, secondEnd := noon.AddDate(0, 2, 0), noon.AddDate(0, 3, 0)
	certificate, key := pair(t, firstEnd)
	s.put(s.certificate, certificate)
	s.put(s.key, key)
	f, err := s.open()
	if err != nil || !f.Expires().Equal(firstEnd) {
		t.Fatalf("%v, ends %v", err, f.Expires())
	}
	certificate, key = pair(t, secondEnd)

	s.put(s.certificate, certificate)
	f.reload(false)
	if !f.Expires().Equal(firstEnd) || s.says("") && s.log.Len() > 0 {
		t.Error("a file was read while it may still be written")
	}
	f.reload(false)
	if !f.Expires().Equal(firstEnd) || !s.says("the certificate in use stays") {
		t.Error("half of a pair is not said to be one")
	}
	f.reload(false)
	if s.says("the certificate in use stays") {
		t.Error("the same half is complained of twice")
	}
	s.put(s.key, key)
	f.reload(false)
	f.reload(false)
	if !f.Expires().Equal(secondEnd) || !s.says("in use as the files have it now") {
		t.Errorf("the new pair is not in use: ends %v", f.Expires())
	}
	if err := os.Remove(s.key); err != nil {
		t.Fatal(err)
	}
	f.reload(false)
	f.reload(false)
	if s.log.Len() > 0 || !f.Expires().Equal(secondEnd) {
		t.Errorf("a file that is being replaced is complained of: %s", &s.log)
	}
	f.Reload()
	if !s.says("cannot be read") {
		t.Error("on demand, a file that is missing is not said to be")
	}
}

func TestOwnersAreWarnedOfACertificatesEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		left time.Duration
		want string
	}{
		{30 * 24 * time.Hour, ""}, {13 * 24 * time.Hour, "ends soon"}, {-time.Minute, "has ended"},
	} {
		s := newShelf(t)
		certificate, key := pair(t, noon.Add(test.left))
		s.put(s.certificate, certificate)
		s.put(s.key, key)
		f, err := s.open()
		if err != nil {
			t.Fatal(err)
		}
		if said := s.log.Len() > 0; said != (test.want != "") || !strings.Contains(s.log.String(), test.want) {
			t.Errorf("%v before the end: %q, want %q", test.left, &s.log, test.want)
		}
		s.log.Reset()
		f.reload(false)
		if s.log.Len() > 0 {
			t.Errorf("%v before the end: warned twice", test.left)
		}
		s.now = s.now.Add(13 * time.Hour)
		f.reload(false)
		if said := s.log.Len() > 0; said != (test.want != "") {
			t.Errorf("%v before the end, half a day later: %q", test.left, &s.log)
		}
	}
}

func TestWhatIsNoPairIsRefused(t *testing.T) {
	t.Parallel()
	certificate, key := pair(t, noon.AddDate(1, 0, 0))
	_, other := pair(t, noon.AddDate(1, 0, 0))
	for name, test := range map[string]struct {
		certificate, key []byte
		want             string
	}{
		"nothing":         {nil, nil, "cannot be read"},
		"no PEM":          {[]byte("x"), key, "must be PEM"},
		"another's key":   {certificate, other, "no certificate with its key"},
		"files exchanged": {key, certificate, "no certificate with its key"},
	} {
		s := newShelf(t)
		if test.certificate != nil {
			s.put(s.certificate, test.certificate)
			s.put(s.key, test.key)
		}
		if _, err := s.open(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
