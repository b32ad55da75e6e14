// Package formats names the forms of texts that tags of the configuration call, beside those of
// package config. It must not know which key has which. Enter at [All].
package formats

import (
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"frontdesk/internal/app/config"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// All are the formats by the names of tags. The packages that own a form of text read it.
var All = config.Formats{
	"amount":        parses(policy.ParseAmount),
	"rate":          parses(ratelimit.ParseRate),
	"public_url":    publicURL,
	"listen_or_off": func(s string) error { return unless(s == "off", config.ListenAddress(s)) },
	"currency":      matches(yamlconf.IsCurrency, "is no currency; write three capital letters, like EUR"),
	"domain":        matches(isDomain, "is no domain; write it like exchange.example.com, in lower case and ASCII"),
	"email":         matches(isEmail, "is no e-mail address; write it like desk@example.com"),
	"network":       matches(isNetwork, "is no network; write it like 10.0.0.0/8, fd00::/8 or 192.0.2.7"),
	"database":      knownDatabase,
}

// parses makes a format of what reads it.
func parses[T any](read func(string) (T, error)) func(string) error {
	return func(text string) error {
		_, err := read(text)
		return err
	}
}

// matches makes a format of what knows it, and of what to say otherwise.
func matches(does func(string) bool, otherwise string) func(string) error {
	return func(text string) error { return unless(does(text), fmt.Errorf("%q %s", text, otherwise)) }
}

func unless(good bool, err error) error {
	if good {
		return nil
	}
	return err
}

func isDomain(text string) bool {
	domain, err := identity.ParseDomain(text)
	return err == nil && domain == text
}

func isEmail(text string) bool {
	_, err := mail.ParseAddress(text)
	return text == "" || err == nil && !strings.ContainsAny(text, "<> ")
}

func isNetwork(text string) bool {
	_, err := fetch.ParseNetwork(text)
	return err == nil
}

func knownDatabase(address string) error {
	scheme, _, remote := strings.Cut(address, "://")
	if !remote || slices.Contains([]string{"postgres", "postgresql", "sqlite"}, scheme) {
		return nil
	}
	return errors.New(scheme + ":// is no database that frontdesk knows; write sqlite:PATH or " +
		"postgres://user:password@host:5432/database")
}
