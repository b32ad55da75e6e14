package aip

import (
	"fmt"

	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/intent"
)

// NewDeclaration makes the document of a declaration (aip.json). A declaration that breaks the
// protocol's schema or prose is an error: what is declared wrongly must not be served.
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

// NewCapabilities makes the document of a declaration's capabilities: the same for everybody, with
// nothing of the content.
func NewCapabilities(d wire.Declaration, versions []string) (*httpx.Document, error) {
	return httpx.NewDocument(wire.Capabilities{Version: d.Version, Versions: versions, Publisher: d.Publisher,
		EditorialDomains: d.EditorialDomains, Retrieval: d.Retrieval})
}
