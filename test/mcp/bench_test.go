package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/app"
	"frontdesk/internal/content"
)

// desk is a whole server over generated products, and messages that ask for them.
func desk(b *testing.B, products int) (*app.App, [][]byte) {
	b.Helper()
	loaded, err := app.Load(
		app.Layers{Flags: map[string]string{"data": b.TempDir(), "store": filepath.Join(b.TempDir(), "bench.db"),
			"ask.min_score": "0"}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := app.Build(b.Context(), app.Options{Loaded: loaded, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	random := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		picked := make([]string, n)
		for i := range picked {
			f := random.Float64()
			picked[i] = fmt.Sprintf("word%d", int(f*f*f*5000))
		}
		return strings.Join(picked, " ")
	}
	run, err := s.Catalog.Begin(b.Context(), app.DefaultSite, "bench")
	if err != nil {
		b.Fatal(err)
	}
	for i := range products {
		url, name, text := fmt.Sprintf("https://lamps.example/p/%d", i), words(8), words(80)
		object := fmt.Appendf(nil, `{"@type":"Product","url":%q,"name":%q,"description":%q,"offers":{"price":49.5,"priceCurrency":"EUR"}}`, url, name, text)
		item := content.Item{
			URL: url, Types: []string{"Product"}, Name: name, Description: text, Language: "en", Object: object,
			Passages: []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
		}
		if err := run.Put(b.Context(), item); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := run.Commit(b.Context(), content.CommitOptions{}); err != nil {
		b.Fatal(err)
	}
	if err := s.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	messages := make([][]byte, 64)
	for i := range messages {
		messages[i] = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"n":%d,"query":{"text":%q}}}}`, i, words(4))
	}
	return s, messages
}

// memory is the SDK's own server with a tool that answers each message with the same bytes, ready
// in memory.
func memory(answers []*sdk.CallToolResult) http.Handler {
	s := sdk.NewServer(&sdk.Implementation{Name: "memory", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ N int }
			if err := json.Unmarshal(request.Params.Arguments, &in); err != nil {
				return nil, err
			}
			ready := *answers[in.N]
			return &ready, nil
		})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

// BenchmarkToolsCall compares tools/call ask, through the whole server, with a tool of the same SDK
// that returns the same bytes, in turns within one run, over loopback and kept connections (ten
// items out of 7,000). "of-sdk" is the time of the one divided by that of the other.
func BenchmarkToolsCall(b *testing.B) {
	s, messages := desk(b, 7000)
	whole := httptest.NewServer(s)
	defer whole.Close()
	answers := make([]*sdk.CallToolResult, len(messages))
	bytesOf := make([]int, len(messages))
	for i, message := range messages {
		var response struct {
			Result struct {
				Meta    map[string]any  `json:"_meta"`
				Content json.RawMessage `json:"structuredContent"`
			}
		}
		body := post(b, whole, message)
		if err := json.Unmarshal(body, &response); err != nil || len(response.Result.Content) < 1000 {
			b.Fatalf("%v: %s", err, body)
		}
		bytesOf[i] = len(body)
		answers[i] = &sdk.CallToolResult{
			Meta: response.Result.Meta, StructuredContent: response.Result.Content,
			Content: []sdk.Content{&sdk.TextContent{Text: string(response.Result.Content)}},
		}
	}
	floor := httptest.NewServer(memory(answers))
	defer floor.Close()
	for i, message := range messages {
		// The time that an answer took is part of it, and has not always as many digits.
		if n := len(post(b, floor, message)); n < bytesOf[i]-50 || n > bytesOf[i]+50 {
			b.Fatalf("the tool in memory answers with %d bytes, ours with %d", n, bytesOf[i])
		}
	}
	var ours, theirs time.Duration
	rounds := 0
	for b.Loop() {
		message := messages[rounds%len(messages)]
		first, second := whole, floor
		if rounds%2 == 1 { // what the one leaves to the garbage collector, the other must not pay alone
			first, second = second, first
		}
		begin := time.Now()
		post(b, first, message)
		between := time.Now()
		post(b, second, message)
		one, other := between.Sub(begin), time.Since(between)
		if rounds%2 == 1 {
			one, other = other, one
		}
		ours, theirs = ours+one, theirs+other
		rounds++
	}
	b.ReportMetric(float64(ours.Microseconds())/float64(rounds), "µs/ask")
	b.ReportMetric(float64(theirs.Microseconds())/float64(rounds), "µs/sdk")
	b.ReportMetric(float64(ours)/float64(theirs), "of-sdk")
}

func post(b *testing.B, to *httptest.Server, message []byte) []byte {
	b.Helper()
	request, err := http.NewRequest(http.MethodPost, to.URL+"/mcp", bytes.NewReader(message))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	response, err := to.Client().Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("status %d, %v: %s", response.StatusCode, err, body)
	}
	return body
}
