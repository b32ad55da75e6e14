package formats

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/infra/httpx"
)

// publicURL checks the public address: what is built on it must be an address too.
func publicURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
	case err != nil || !httpx.IsHost(u.Host) || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q is no web address; write it like https://www.example.com", address)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fmt.Errorf("%q has more than a scheme, a host and a path; write it like https://www.example.com/desk",
			address)
	case !apphttp.ValidPrefix(strings.TrimSuffix(u.Path, "/")) || u.RawPath != "":
		return fmt.Errorf("the path of %q does not do; use letters, digits, dots, dashes and single slashes, as in "+
			"https://www.example.com/desk", address)
	case slices.Contains(ownFolders, firstFolder(u.Path)):
		return fmt.Errorf("the path of %q begins like an address of the server's own, /%s; choose another", address,
			firstFolder(u.Path))
	}
	return nil
}

// ownFolders are the first parts of the paths that the server answers at itself, now or in its plan
// of addresses. A prefix that begins like one of them could not be told from it.
var ownFolders = []string{
	"ask", "await", "sessions", "feeds", "mcp", "assets", "widget", "connect", "sample", ".well-known", "intent",
	"intake", "exchange", "broker", "deliver", "provider", "admin", "api", "ledger", "console", "healthz", "readyz",
	"metrics",
}

func firstFolder(path string) string {
	folder, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return folder
}
