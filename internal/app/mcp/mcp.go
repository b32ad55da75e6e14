// Package mcp serves the Model Context Protocol, over Streamable HTTP (Server.Handler) and over
// standard input and output (Server.Serve): the tools that other packages hand out as plain values,
// and the items of the sites as resources.
//
// The protocol itself is the official SDK's. This package owns what a server on the open internet
// needs beside it: which hosts and origins it answers, how large a message may be, and errors that
// say what to do. No session is kept between requests, so that any node may answer any request and
// no client can hold memory; the revisions with a handshake and the one without (2026-07-28) are
// both served this way.
//
// Enter at New. The package reads items through package ask, and must not know the handlers whose
// tools it offers.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/plain"
)

// Config configures a Server.
type Config struct {
	Name         string // of the implementation, for programs
	Title        string // of the site, for people
	Version      string // of the implementation
	Website      string // address for people; may be empty
	Instructions string // what a model should know before it uses the tools
	// Tools gives the tools. It is called for every list, so that descriptions may follow the
	// content; the names are those of the first call.
	Tools func() []httpx.Tool
	// Ask, when not nil, gives its items as resources.
	Ask *ask.Service
	// Pages are resources that stand before the items, where there is Ask.
	Pages []Page
	// Configure, when not nil, changes the options of the SDK's server, for a build that offers
	// more than tools and items.
	Configure func(*sdk.ServerOptions)
	// AwaitContent, when not nil, is called before the content is needed, and waits until it is
	// there.
	AwaitContent func(context.Context) error
	Log          *slog.Logger // nil discards
}

// Server is an MCP server. The SDK's server in it may be given more to offer before it serves.
type Server struct {
	*sdk.Server
	config Config
}

// New returns a server.
func New(config Config) *Server {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: config}
	capabilities := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}
	if config.Ask != nil {
		capabilities.Resources = &sdk.ResourceCapabilities{}
	}
	options := &sdk.ServerOptions{Instructions: config.Instructions, Capabilities: capabilities}
	if config.Configure != nil {
		config.Configure(options)
	}
	s.Server = sdk.NewServer(&sdk.Implementation{Name: config.Name, Title: config.Title, Version: config.Version,
		WebsiteURL: config.Website}, options)
	for _, t := range config.Tools() {
		s.AddTool(described(t), s.handler(t))
	}
	around := []sdk.Middleware{s.guard, unanswered, s.fresh} // the first is the outermost
	if config.Ask != nil {
		around = append(around, s.resources)
		s.addItems()
	}
	s.AddReceivingMiddleware(around...)
	return s
}

// described is a tool as the protocol shows it.
func described(t httpx.Tool) *sdk.Tool {
	no := false
	shown := &sdk.Tool{
		Name: t.Name, Title: plain.Sanitize(t.Title), Description: plain.Sanitize(t.Description),
		InputSchema: json.RawMessage(plain.SanitizeJSON(t.Input)),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.ReadOnly, IdempotentHint: t.ReadOnly,
			OpenWorldHint: &t.OpenWorld},
	}
	if t.ReadOnly {
		shown.Annotations.DestructiveHint = &no
	}
	if t.Meta != nil {
		shown.Meta = t.Meta
	}
	if t.Output != nil {
		shown.OutputSchema = json.RawMessage(t.Output)
	}
	return shown
}

// handler calls a tool and puts its result into the protocol's form: the whole object as text for
// clients that know no other, the same as structured content, and its metadata on the result. A
// result that is no JSON is an error: the SDK cannot send it, and whoever asked would wait until
// they leave.
func (s *Server) handler(t httpx.Tool) sdk.ToolHandler {
	return func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if err := s.await(ctx); err != nil {
			return nil, err
		}
		call := httpx.Call{Arguments: request.Params.Arguments}
		if extra := request.GetExtra(); extra != nil {
			call.Languages = extra.Header.Get("Accept-Language")
		}
		if token := request.Params.GetProgressToken(); token != nil {
			call.Progress = func(done, total int, message string) {
				// A client that has gone cannot be told; the call ends by its context.
				_ = request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(done), Total: float64(total),
					Message: plain.Sanitize(message),
				})
			}
		}
		filled := fillIn(t, request.Params, &call)
		result := t.Call(ctx, call)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if result.Form != nil && t.FillArguments != nil && !filled && asksPeople(request.Session) {
			if was, ok := ctx.Value(askedKey{}).(*asked); ok {
				was.it = true
			}
			return asking(result.Form), nil
		}
		object := plain.SanitizeJSON(result.Object) // texts of sites, and of whoever makes offers
		if !json.Valid(object) {
			return nil, fmt.Errorf("the result of tool %s is no JSON", t.Name)
		}
		shown := &sdk.CallToolResult{StructuredContent: json.RawMessage(object), IsError: result.IsError}
		if result.Text != "" {
			shown.Content = append(shown.Content, &sdk.TextContent{Text: plain.Sanitize(result.Text)})
		}
		shown.Content = append(shown.Content, &sdk.TextContent{Text: string(object)})
		if err := json.Unmarshal(plain.SanitizeJSON(result.Meta), &shown.Meta); err != nil {
			return nil, fmt.Errorf("the metadata of tool %s: %w", t.Name, err)
		}
		return shown, nil
	}
}

// await waits until the content is there.
func (s *Server) await(ctx context.Context) error {
	if s.config.AwaitContent == nil {
		return nil
	}
	return s.config.AwaitContent(ctx)
}

// guard stands around every method. A panic becomes an internal error, since it would end the
// process on a goroutine of the SDK's, and an error of ours gets the protocol's code, with a text
// that is safe for strangers. The work ends when the client that waits for it leaves.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if broken := recover(); broken != nil {
				s.config.Log.Error("a method panicked", "method", method, "panic", broken,
					"stack", string(debug.Stack()))
				result, err = nil, coded(fail.From(errors.New("panic")))
			}
		}()
		if carrier, ok := ctx.Value(carrierKey{}).(context.Context); ok {
			var stop context.CancelFunc
			ctx, stop = context.WithCancel(ctx)
			defer stop()
			defer context.AfterFunc(carrier, stop)()
		}
		result, err = next(ctx, method, request)
		var own *jsonrpc.Error
		if err != nil && !errors.As(err, &own) {
			trouble := fail.From(err)
			if cause := errors.Unwrap(trouble); cause != nil {
				httpx.EventFrom(ctx).Set("error", cause.Error())
			}
			err = coded(trouble)
		}
		return result, err
	}
}

// carrierKey finds the context of the HTTP request that carried a message: the SDK hands methods
// its values and hides its end.
type carrierKey struct{}

// codeBusy is a server's own, among those that JSON-RPC leaves to it: not now.
const codeBusy = -32000

// codes are JSON-RPC's for ours; every other is an internal error (JSON-RPC 2.0 §5.1).
var codes = map[fail.Code]int64{
	fail.Limited: codeBusy, fail.Unavailable: codeBusy, fail.Timeout: codeBusy,
	fail.Malformed: jsonrpc.CodeInvalidParams, fail.Invalid: jsonrpc.CodeInvalidParams,
	fail.TooLong:  jsonrpc.CodeInvalidParams,
	fail.NotFound: jsonrpc.CodeInvalidParams, fail.Method: jsonrpc.CodeMethodNotFound,
}

func coded(trouble *fail.Error) *jsonrpc.Error {
	code, known := codes[trouble.Code]
	if !known {
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: plain.Sanitize(trouble.Detail)}
}

// The methods that are answered here instead of by the SDK, which knows only what is registered
// once.
const (
	listTools     = "tools/list"
	listResources = "resources/list"
	listTemplates = "resources/templates/list"
	readResource  = "resources/read"
)

// freshFor is how long a client may keep a list or an item before it asks again (revision
// 2026-07-28).
const freshFor = time.Minute

func cacheable() sdk.Cacheable {
	return sdk.Cacheable{TTLMs: int(freshFor.Milliseconds()), CacheScope: "private"}
}

// fresh puts the present descriptions of our tools into the list of all.
func (s *Server) fresh(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, request)
		list, ok := result.(*sdk.ListToolsResult)
		if err != nil || method != listTools || !ok {
			return result, err
		}
		for _, t := range s.config.Tools() {
			for i, shown := range list.Tools {
				if shown.Name == t.Name {
					list.Tools[i] = described(t)
				}
			}
		}
		list.Cacheable = cacheable()
		return list, nil
	}
}
