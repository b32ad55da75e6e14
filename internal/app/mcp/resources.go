package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/ask"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/plain"
)

// pageSize is how many resources one page of the list names.
const pageSize = 100

// itemType is the media type of a resource: the item as a schema.org object.
const itemType = "application/json"

// maxURI bounds the address that is looked up, in bytes.
const maxURI = 8 << 10

// resources answers the methods about resources: what the terms let be found is listed, and read as
// they let it be read. What is registered with the SDK's server beside them comes from there.
func (s *Server) resources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		switch params := request.GetParams().(type) {
		case *sdk.ListResourcesParams:
			return s.listResources(ctx, params)
		case *sdk.ListResourceTemplatesParams:
			return s.listTemplates()
		case *sdk.ReadResourceParams:
			// The SDK knows one resource, which stands for all, and finishes the result as the
			// revision wants it.
			return next(context.WithValue(ctx, uriKey{}, params.URI), method, &sdk.ReadResourceRequest{
				Session: request.(*sdk.ReadResourceRequest).Session, Extra: request.GetExtra(),
				Params: &sdk.ReadResourceParams{Meta: params.Meta, URI: anyItem},
			})
		}
		return next(ctx, method, request)
	}
}

// Page is a resource that is no item, such as the template of a widget.
type Page struct {
	URI, Name, Description, MIMEType string
	// Read gives its text; it is called for each reading.
	Read func() (string, error)
}

// readPage reads the page of an address; nil where there is none.
func (s *Server) readPage(uri string) (*sdk.ReadResourceResult, error) {
	for _, p := range s.config.Pages {
		if p.URI != uri {
			continue
		}
		text, err := p.Read()
		if err != nil {
			return nil, err
		}
		return &sdk.ReadResourceResult{Cacheable: cacheable(),
			Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: p.MIMEType, Text: text}}}, nil
	}
	return nil, nil
}

// anyItem is the resource that the SDK knows. It is in no list, and read under the address of an
// item.
const anyItem = "frontdesk:item"

// uriKey finds the address that is read.
type uriKey struct{}

// addItems makes the SDK's server read items.
func (s *Server) addItems() {
	s.AddResource(&sdk.Resource{URI: anyItem, Name: "item", MIMEType: itemType},
		func(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			uri, _ := ctx.Value(uriKey{}).(string)
			return s.readResource(ctx, uri)
		})
}

func (s *Server) listResources(ctx context.Context, params *sdk.ListResourcesParams) (sdk.Result, error) {
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	var after ask.Place
	if params != nil && params.Cursor != "" {
		var err error
		if after, err = readCursor(params.Cursor); err != nil {
			return nil, err
		}
	}
	items, rest, err := s.config.Ask.Items(ctx, nil, after, pageSize)
	if err != nil {
		return nil, err
	}
	list := &sdk.ListResourcesResult{Cacheable: cacheable(),
		Resources: make([]*sdk.Resource, 0, len(s.config.Pages)+len(items))}
	if after == (ask.Place{}) {
		for _, p := range s.config.Pages {
			list.Resources = append(list.Resources,
				&sdk.Resource{URI: p.URI, Name: p.Name, Description: p.Description, MIMEType: p.MIMEType})
		}
	}
	for _, item := range items {
		name := item.Name()
		if name == "" {
			name = item.URL()
		}
		name = plain.Sanitize(name)
		list.Resources = append(list.Resources, &sdk.Resource{
			URI: item.URL(), Name: name, Title: name, MIMEType: itemType,
			Description: plain.Sanitize(item.Type() + ": " + item.ShortDescription(30)),
		})
	}
	if rest != (ask.Place{}) {
		list.NextCursor = cursor(rest)
	}
	return list, nil
}

// cursor writes a place as an opaque token.
func cursor(p ask.Place) string {
	return base64.RawURLEncoding.EncodeToString([]byte(p.Site + "\n" + p.URL))
}

func readCursor(token string) (ask.Place, error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	site, url, whole := strings.Cut(string(text), "\n")
	if err != nil || !whole {
		return ask.Place{}, fail.New(fail.Malformed, "this cursor is none of ours; begin without one")
	}
	return ask.Place{Site: site, URL: url}, nil
}

// listTemplates tells that an item is read by the address that answers give.
func (s *Server) listTemplates() (sdk.Result, error) {
	return &sdk.ListResourceTemplatesResult{Cacheable: cacheable(), ResourceTemplates: []*sdk.ResourceTemplate{{
		URITemplate: "{+url}", Name: "item", Title: "An item by its address", MIMEType: itemType,
		Description: "An item of this site by its own address, as the results of ask give it in url: the whole " +
			"schema.org " +
			"object with its text, as far as the site's terms release it.",
	}}}, nil
}

func (s *Server) readResource(ctx context.Context, uri string) (*sdk.ReadResourceResult, error) {
	if page, err := s.readPage(uri); page != nil || err != nil {
		return page, err
	}
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	var items []released.Result
	if len(uri) <= maxURI {
		var err error
		if items, err = s.config.Ask.Item(ctx, uri); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 {
		// The same words for what is not there and what may not be shown.
		data, _ := json.Marshal(map[string]string{"uri": uri})
		return nil, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidParams, Data: data,
			Message: "Resource not found: there is no item with this address here; take the url of a result of ask, " +
				"or one of resources/list",
		}
	}
	read := &sdk.ReadResourceResult{Cacheable: cacheable()}
	for _, item := range items {
		read.Contents = append(read.Contents,
			&sdk.ResourceContents{URI: uri, MIMEType: itemType, Text: string(plain.SanitizeJSON(item.AppendItem(nil)))})
	}
	return read, nil
}
