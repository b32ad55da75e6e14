package aip

import (
	"fmt"

	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intent"
)

// NewDeclaration makes the declaration ready. It is an error if it is not valid by the protocol's
// schema and prose: what is declared wrongly must not be declared at all.
func NewDeclaration(d wire.Declaration, options wire.Options) (*httpx.Document, error) {
	document, err := httpx.NewDocument(d)
	if err != nil {
		return nil, err
	}
	if first := wire.Check(wire.KindDeclaration, document.Body(), options).First(); first != nil {
		return nil, fmt.Errorf("the declaration for platforms is not valid: %s %s; %s", first.Pointer, first.Detail,
			first.Mend)
	}
	return document, nil
}

// NewCapabilities makes ready what the capabilities address says of a declaration: the same to
// everybody, and nothing of the content.
func NewCapabilities(d wire.Declaration, versions []string) (*httpx.Document, error) {
	return httpx.NewDocument(wire.Capabilities{Version: d.Version, Versions: versions, Publisher: d.Publisher,
		EditorialDomains: d.EditorialDomains, Retrieval: d.Retrieval})
}
