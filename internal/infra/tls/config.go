package tls

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section tls: encryption on the address in `listen`, with a certificate in files
// or one had by ACME. A change needs a restart, except that of the files' content.
type Settings struct {
	// Cert is a PEM file with the certificate, and after it its chain. It is read again when it
	// changes, and on SIGHUP. A relative path in a file starts from the file's folder, here and in
	// the other keys.
	Cert string `yaml:"cert" relative:"path"`
	// Key is the PEM file of the certificate's private key.
	Key string `yaml:"key" relative:"path"`
	// ACME gets certificates from an authority such as Let's Encrypt, and renews them.
	ACME ACMESettings `yaml:"acme"`
	// Redirect is a second address (`:80`), without TLS, that sends browsers to https, and on which
	// the authority may look (http-01). Without it there is none.
	Redirect string `yaml:"redirect" check:"optional,listen"`
	// HSTS is how long browsers remember to use https only (Strict-Transport-Security); `0s` does
	// not tell them. It needs TLS of this server itself.
	HSTS time.Duration `yaml:"hsts" check:"0..87600h"`
}

// ACMESettings is about certificates from an authority (RFC 8555). They are kept in the folder
// `acme` of the data folder; nodes that share that folder share them.
type ACMESettings struct {
	// Domains are the names of the certificate. They must lead to this server from the internet on
	// port 443 (to `listen`), or on port 80 (to `tls.redirect`).
	Domains []string `yaml:"domains"`
	// Email is your address for mail of the authority; it may be left out.
	Email string `yaml:"email"`
	// Agree says that you agree to the authority's terms of service.
	Agree bool `yaml:"agree"`
	// Directory is the authority's address; without it, Let's Encrypt's.
	Directory string `yaml:"directory" check:"url"`
	// Roots is a PEM file with the roots that certify the authority's own address, for one of your
	// own.
	Roots string `yaml:"roots" relative:"path"`
}

// On says whether the server speaks TLS.
func (t Settings) On() bool { return t.Cert != "" || len(t.ACME.Domains) > 0 }

// Check looks at where the certificate comes from.
func (t Settings) Check(r *yamlconf.Report) {
	switch {
	case t.Cert != "" && t.Key == "":
		r.Problem("key", "name the file with the private key of tls.cert")
	case t.Key != "" && t.Cert == "":
		r.Problem("cert", "name the file with the certificate of tls.key")
	case t.Cert != "" && len(t.ACME.Domains) > 0:
		r.Problem("acme.domains", "there are tls.cert and tls.acme; the certificate comes from one of them")
	}
	for _, file := range [][2]string{{"cert", t.Cert}, {"key", t.Key}, {"acme.roots", t.ACME.Roots}} {
		var cause *fs.PathError
		switch _, err := os.Stat(file[1]); {
		case file[1] == "" || err == nil:
		case errors.Is(err, fs.ErrNotExist):
			r.Problem(file[0], "there is no file %s", file[1])
		case errors.As(err, &cause):
			r.Problem(file[0], "the file cannot be read: %v", cause.Err)
		}
	}
	if t.Redirect != "" && !t.On() {
		r.Problem("redirect", "there is no TLS to redirect to; set tls.cert and tls.key, or tls.acme.domains")
	}
}

// Check looks at the names, and whether the owner agreed.
func (a ACMESettings) Check(r *yamlconf.Report) {
	r.MatchAll("domains", a.Domains, certifiable,
		"is no domain name that can be certified so; write it like ask.example.com")
	if len(a.Domains) > 0 && !a.Agree {
		terms := "its directory names their address"
		if a.Directory == "" {
			terms = "those of Let's Encrypt are at https://letsencrypt.org/repository/"
		}
		r.Problem("agree", "write `agree: true` when you agree to the authority's terms of service; %s", terms)
	}
}

// certifiable says whether a name is one of a domain that an authority can look at.
func certifiable(domain string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
	return len(domain) <= 260 && strings.Trim(domain, letters) == "" && strings.Contains(domain, ".") &&
		!isAddress(domain)
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}
