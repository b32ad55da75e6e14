package api

import (
	"fmt"

	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intake"
)

// NewManifest makes the document of a manifest. A manifest that breaks the protocol's schema or
// prose is an error: what is declared wrongly must not be served.
func NewManifest(m wire.Manifest, options wire.Options) (*httpx.Document, error) {
	document, err := httpx.NewDocument(m)
	if err != nil {
		return nil, err
	}
	if first := wire.Check(wire.KindManifest, document.Body(), options).First(); first != nil {
		return nil, fmt.Errorf("the manifest is not valid: %s %s; %s", first.Pointer, first.Detail, first.Mend)
	}
	return document, nil
}
