package intent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	wire "frontdesk/wire/intent"
)

// maxAge is how long a declaration may be taken from a cache: short, so that access that is withdrawn ends soon.
const maxAge = 300 * time.Second

// Document is a public JSON document in ready bytes.
type Document struct {
	body []byte
	etag string
}

// Declare makes the declaration ready. It is an error if it is not valid by the protocol's schema and prose: what is
// declared wrongly must not be declared at all.
func Declare(d wire.Declaration, options wire.Options) (*Document, error) {
	document, err := ready(d)
	if err != nil {
		return nil, err
	}
	if first := wire.Check(wire.KindDeclaration, document.body, options).First(); first != nil {
		return nil, fmt.Errorf("the declaration for platforms is not valid: %s %s; %s", first.Pointer, first.Detail, first.Mend)
	}
	return document, nil
}

// Capabilities makes ready what the capabilities address says of a declaration: the same to everybody, and nothing of
// the content.
func Capabilities(d wire.Declaration, versions []string) (*Document, error) {
	return ready(wire.Capabilities{Version: d.Version, Versions: versions, Publisher: d.Publisher, EditorialDomains: d.EditorialDomains, Retrieval: d.Retrieval})
}

func ready(v any) (*Document, error) {
	body, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	sum := sha256.Sum256(body)
	return &Document{body, `"` + hex.EncodeToString(sum[:12]) + `"`}, nil
}

// ServeHTTP answers GET and HEAD, also conditional ones.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(maxAge.Seconds())))
	header.Set("Etag", d.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}
