// Command everything is Frontdesk's MCP server with the tools, resources and prompts that the
// official conformance suite calls by name, beside the door's own tool. The transport, the checks
// before the SDK and the rules about who is answered are those of the real program: they are what
// the suite is run against.
//
//	go run ./test/mcp/everything -listen 127.0.0.1:8090
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/app/mcp"
	"frontdesk/internal/infra/httpx"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8090", "address to listen on")
	flag.Parse()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", everything().Handler(mcp.HTTP{Changes: true}))
	log.Fatal(http.Serve(listener, mux))
}

func everything() *mcp.Server {
	server := mcp.New(mcp.Config{
		Name: "frontdesk-everything", Version: "1", Instructions: "The fixtures of the conformance suite.",
		Tools: plain,
		Configure: func(o *sdk.ServerOptions) {
			o.Capabilities = &sdk.ServerCapabilities{}
			o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
				return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}, HasMore: false}},
					nil
			}
			o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
			o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
		},
	})
	addTools(server.Server)
	addResources(server.Server)
	addPrompts(server.Server)
	return server
}

// plain are the fixtures that are tools as our doors hand them out.
func plain() []httpx.Tool {
	return []httpx.Tool{
		{
			Name: "json_schema_2020_12_tool", Description: "Has a schema that uses what JSON Schema 2020-12 brought.",
			ReadOnly: true,
			Input: []byte(`{
				"$schema": "https://json-schema.org/draft/2020-12/schema",
				"type": "object",
				"$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
				"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
				"additionalProperties": false
			}`),
			Call: func(_ context.Context, call httpx.Call) httpx.Result {
				return httpx.Result{Object: []byte(`{"given":` + string(call.Arguments) + `}`), Meta: []byte(`{}`)}
			},
		},
		{
			Name: "test_tool_with_progress", Description: "Tells of its progress in three steps.", ReadOnly: true,
			Input: []byte(`{"type": "object"}`),
			Call: func(_ context.Context, call httpx.Call) httpx.Result {
				for _, done := range []int{0, 50, 100} {
					if call.Progress != nil {
						call.Progress(done, 100, fmt.Sprintf("%d of 100", done))
					}
				}
				return httpx.Result{Object: []byte(`{"done":true}`), Meta: []byte(`{}`)}
			},
		},
	}
}

type answer = sdk.CallToolResult

// add registers a tool without arguments that answers with content.
func add(server *sdk.Server, name, description string, content ...sdk.Content) {
	sdk.AddTool(server, &sdk.Tool{Name: name, Description: description},
		func(context.Context, *sdk.CallToolRequest, any) (*answer, any, error) {
			return &answer{Content: content}, nil, nil
		})
}

func text(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

func embedded(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain",
		Text: "This is an embedded resource content."}}
}

func addTools(server *sdk.Server) {
	image := &sdk.ImageContent{Data: pixel, MIMEType: "image/png"}
	add(server, "test_simple_text", "Answers with one text.", text("This is a simple text response for testing."))
	add(server, "test_image_content", "Answers with one image.", image)
	add(server, "test_audio_content", "Answers with one sound.",
		&sdk.AudioContent{Data: silence, MIMEType: "audio/wav"})
	add(server, "test_embedded_resource", "Answers with one embedded resource.", embedded("test://embedded-resource"))
	add(server, "test_multiple_content_types", "Answers with a text, an image and a resource.",
		text("Multiple content types test:"), image, embedded("test://mixed-content-resource"))
	sdk.AddTool(server, &sdk.Tool{Name: "test_error_handling", Description: "Always fails, as a tool does."},
		func(context.Context, *sdk.CallToolRequest, any) (*answer, any, error) {
			return nil, nil, errors.New("this tool intentionally returns an error for testing")
		})
	addAsking(server)
}

// addAsking registers the tools that ask the client's user, which needs a session.
func addAsking(server *sdk.Server) {
	type message struct {
		Message string `json:"message"`
	}
	elicit := func(name string, schema *jsonschema.Schema) {
		sdk.AddTool(server, &sdk.Tool{Name: name, Description: "Asks the client's user."},
			func(ctx context.Context, request *sdk.CallToolRequest, in message) (*answer, any, error) {
				result, err := request.Session.Elicit(ctx,
					&sdk.ElicitParams{Message: in.Message, RequestedSchema: schema})
				if err != nil {
					return nil, nil, err
				}
				content, _ := json.Marshal(result.Content)
				return &answer{Content: []sdk.Content{
					text(fmt.Sprintf("User response: action=%s, content=%s", result.Action, content)),
				}}, nil, nil
			})
	}
	elicit("test_elicitation", &jsonschema.Schema{Type: "object",
		Properties: map[string]*jsonschema.Schema{"username": {Type: "string"}, "email": {Type: "string"}}})
	elicit("test_elicitation_sep1034_defaults", &jsonschema.Schema{Type: "object"})
	elicit("test_elicitation_sep1330_enums", &jsonschema.Schema{Type: "object"})
	add(server, "test_reconnection", "Would close its stream and answer on another.",
		text("Reconnection test completed"))
}

func addResources(server *sdk.Server) {
	fixed := func(uri, name, typ string, contents sdk.ResourceContents) {
		contents.URI, contents.MIMEType = uri, typ
		server.AddResource(&sdk.Resource{URI: uri, Name: name, MIMEType: typ, Description: "A fixture of the suite."},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&contents}}, nil
			})
	}
	fixed("test://static-text", "Static text", "text/plain",
		sdk.ResourceContents{Text: "This is the content of the static text resource."})
	fixed("test://static-binary", "Static binary", "image/png", sdk.ResourceContents{Blob: pixel})
	fixed("test://watched-resource", "Watched resource", "text/plain",
		sdk.ResourceContents{Text: "Watched resource content"})
	server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "Template",
		MIMEType: "application/json", Description: "A fixture of the suite."},
		func(_ context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			uri := request.Params.URI
			id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
			body, _ := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			return &sdk.ReadResourceResult{
				Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(body)}},
			}, nil
		})
}

func addPrompts(server *sdk.Server) {
	say := func(contents ...sdk.Content) *sdk.GetPromptResult {
		result := &sdk.GetPromptResult{}
		for _, content := range contents {
			result.Messages = append(result.Messages, &sdk.PromptMessage{Role: "user", Content: content})
		}
		return result
	}
	prompt := func(name string, arguments []string, handle func(map[string]string) *sdk.GetPromptResult) {
		p := &sdk.Prompt{Name: name, Description: "A fixture of the suite."}
		for _, argument := range arguments {
			p.Arguments = append(p.Arguments,
				&sdk.PromptArgument{Name: argument, Required: true, Description: "Any text."})
		}
		server.AddPrompt(p, func(_ context.Context, request *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return handle(request.Params.Arguments), nil
		})
	}
	prompt("test_simple_prompt", nil, func(map[string]string) *sdk.GetPromptResult {
		return say(text("This is a simple prompt for testing."))
	})
	prompt("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(given map[string]string) *sdk.GetPromptResult {
		return say(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", given["arg1"], given["arg2"])))
	})
	prompt("test_prompt_with_embedded_resource", []string{"resourceUri"},
		func(given map[string]string) *sdk.GetPromptResult {
			return say(embedded(given["resourceUri"]), text("Please process the embedded resource above."))
		})
	prompt("test_prompt_with_image", nil, func(map[string]string) *sdk.GetPromptResult {
		return say(&sdk.ImageContent{Data: pixel, MIMEType: "image/png"}, text("Please analyze the image above."))
	})
}

// pixel is a PNG of one pixel, silence a WAV without a sample.
var (
	pixel = decoded(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	silence = decoded("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=")
)

func decoded(s string) []byte {
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return data
}
