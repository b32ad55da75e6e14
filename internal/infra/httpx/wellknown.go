package httpx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxAge is how long a document may be taken from a cache: short, so that what is withdrawn ends
// soon.
const maxAge = 300 * time.Second

// Document is a public JSON document in ready bytes. It never changes and may be served from many
// goroutines.
type Document struct {
	body  []byte
	etag  string
	cache string // Cache-Control
	// A further field of its header; empty for none.
	name, value string
}

// NewDocument makes a document of a value: indented, its members in one order.
func NewDocument(v any) (*Document, error) {
	body, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	sum := sha256.Sum256(body)
	return &Document{body: body, etag: `"` + hex.EncodeToString(sum[:12]) + `"`,
		cache: fmt.Sprintf("public, max-age=%d", int(maxAge.Seconds()))}, nil
}

// WithCacheControl returns the document with another Cache-Control, for protocols that say how long
// theirs may be cached.
func (d *Document) WithCacheControl(control string) *Document {
	other := *d
	other.cache = control
	return &other
}

// WithHeader returns the document with a field of the header beside its own. It is another document
// to caches, whose text alone is the same.
func (d *Document) WithHeader(name, value string) *Document {
	other := *d
	other.name, other.value = name, value
	other.etag = strings.TrimSuffix(d.etag, `"`) + "-" + value + `"`
	return &other
}

// Body is the document's text, which must not be changed.
func (d *Document) Body() []byte { return d.body }

// ServeHTTP answers GET and HEAD, also conditional ones.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", d.cache)
	header.Set("Etag", d.etag)
	if d.name != "" {
		header.Set(d.name, d.value)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

// DocumentCache keeps the last version of documents that depend on the public address, by name. The
// zero value is empty. It may be used from many goroutines.
type DocumentCache struct {
	last sync.Map // by name, a made
}

// made is a document for an address.
type made struct {
	address  string
	document *Document
}

// Get returns the document of a name for an address, and makes it anew when the last one was for
// another address.
func (c *DocumentCache) Get(name, address string, make func() (*Document, error)) (*Document, error) {
	if last, ok := c.last.Load(name); ok && last.(made).address == address {
		return last.(made).document, nil
	}
	document, err := make()
	if err == nil {
		c.last.Store(name, made{address, document})
	}
	return document, err
}
