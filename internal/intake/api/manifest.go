package api

import (
	"fmt"

	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intake"
)

// NewManifest makes a manifest ready. It is an error if it is not valid by the protocol's schema
// and prose: what is declared wrongly must not be declared at all.
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
