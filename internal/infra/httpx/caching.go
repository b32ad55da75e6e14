package httpx

import (
	"net/http"
	"strings"
)

// DropTargetedCaching takes off an answer what it tells caches of one kind, which go by that and
// not by Cache-Control: CDN-Cache-Control and others of RFC 9213, Surrogate-Control (Edge
// Architecture), Edge-Control (Akamai) and X-Accel-Expires (nginx).
func DropTargetedCaching(header http.Header) {
	for name := range header {
		switch {
		case strings.HasSuffix(name, "-Cache-Control"),
			name == "Surrogate-Control", name == "Edge-Control", name == "X-Accel-Expires":
			delete(header, name)
		}
	}
}
