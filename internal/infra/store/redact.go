package store

import (
	"net/url"
	"strings"
)

// Redact takes the secrets out of a database's address.
func Redact(dsn string) string {
	scheme, _, remote := strings.Cut(dsn, "://")
	if !remote || scheme == "sqlite" {
		return dsn
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return scheme + "://…"
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "pass") {
			query.Set(name, "xxxxx")
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}
