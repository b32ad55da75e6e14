package aip

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	wire "frontdesk/wire/intent"
)

// unfitBody says what keeps a body from being read: it is JSON, and not compressed.
func unfitBody(header http.Header) *failure {
	switch {
	case !isJSON(header.Get("Content-Type")):
		return &failure{status: http.StatusUnsupportedMediaType, code: wire.CodeUnsupportedMediaType,
			message: "Send the body as application/json."}
	case encoded(header.Get("Content-Encoding")):
		return &failure{status: http.StatusUnsupportedMediaType, code: wire.CodeUnsupportedMediaType,
			message: "Send the body as it is, without Content-Encoding."}
	}
	return nil
}

// encoded says whether a Content-Encoding changes the body.
func encoded(coding string) bool { return coding != "" && !strings.EqualFold(coding, "identity") }

// fits checks what a verified message says of itself against its headers.
func (h *handler) fits(c *call, version, platform string) *failure {
	switch {
	case c.secret == nil:
		return nil
	case version != c.header.Version:
		return &failure{status: http.StatusBadRequest, code: wire.CodeInvalidRequest,
			message: "aip_version and the header X-AIP-Version differ; write the same into both."}
	case platform != c.key.Platform:
		return authFailed(http.StatusForbidden)
	}
	return nil
}

func isJSON(contentType string) bool {
	media, parameters, err := mime.ParseMediaType(contentType)
	charset := parameters["charset"]
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json")) &&
		(charset == "" || strings.EqualFold(charset, "utf-8"))
}

// supports says whether a version is answered.
func (h *handler) supports(version string) bool {
	if h.Options.Versions == nil {
		return version == wire.Version01
	}
	return slices.Contains(h.Options.Versions, version)
}
