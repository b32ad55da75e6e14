package app

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	rpc "connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
	"frontdesk/wire/sign"
)

// listen has the Exchange answer on a socket, over HTTP/1.1 and HTTP/2.
func (s *supplied) listen() (address string, http1, http2 http.RoundTripper) {
	s.t.Helper()
	server := httptest.NewUnstartedServer(s.App)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	s.t.Cleanup(server.Close)
	over2 := &http.Transport{Protocols: new(http.Protocols)}
	over2.Protocols.SetUnencryptedHTTP2(true)
	s.t.Cleanup(over2.CloseIdleConnections)
	return server.URL, server.Client().Transport, over2
}

// callerOver signs the requests of a caller, as it came to be on the wire.
type callerOver struct {
	*supplied
	id   string
	key  ed25519.PrivateKey
	over http.RoundTripper
}

// RoundTrip sends a request with its signature.
func (c callerOver) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body.Close()
	signed := r.Clone(r.Context())
	signed.Body, signed.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	signed.Header.Set(sign.HeaderContentDigest, sign.ContentDigest(body))
	input, signature, err := sign.SignHTTP(sign.Request{Method: r.Method, Target: marketURL + r.URL.Path,
		Header: signed.Header}, sign.SigningParameters{KeyID: c.id, Created: c.clock.Now()}, c.key)
	if err != nil {
		return nil, err
	}
	signed.Header.Set(sign.HeaderSignatureInput, input)
	signed.Header.Set(sign.HeaderSignatureOfHTTP, signature)
	return c.over.RoundTrip(signed)
}

// TestPushesAreTakenInEveryProtocol has callers push, remove and refresh over a socket in each
// protocol and form that there is, with the same effect and the same refusals in each.
func TestPushesAreTakenInEveryProtocol(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", free, "www.acme.example")
	s.onboard("other", free, "www.other.example")
	address, http1, http2 := s.listen()
	json := rpc.WithCodec(ramp.Codec{})
	for i, form := range []struct {
		name    string
		over    http.RoundTripper
		options []rpc.ClientOption
	}{
		{"connect, binary", http1, nil},
		{"connect, JSON", http1, []rpc.ClientOption{json}},
		{"connect, lowerCamelCase", http1, []rpc.ClientOption{rpc.WithProtoJSON()}},
		{"connect, binary, gzip", http1, []rpc.ClientOption{rpc.WithSendGzip()}},
		{"gRPC, binary", http2, []rpc.ClientOption{rpc.WithGRPC()}},
		{"gRPC, JSON", http2, []rpc.ClientOption{rpc.WithGRPC(), json}},
		{"gRPC, binary, gzip", http2, []rpc.ClientOption{rpc.WithGRPC(), rpc.WithSendGzip()}},
		{"gRPC-Web, binary", http1, []rpc.ClientOption{rpc.WithGRPCWeb()}},
		{"gRPC-Web, JSON", http1, []rpc.ClientOption{rpc.WithGRPCWeb(), json}},
		{"gRPC-Web, binary, gzip", http1, []rpc.ClientOption{rpc.WithGRPCWeb(), rpc.WithSendGzip()}},
		{"gRPC-Web, binary, HTTP/2", http2, []rpc.ClientOption{rpc.WithGRPCWeb()}},
	} {
		client := func(id, key string) rampv1connect.CatalogServiceClient {
			return rampv1connect.NewCatalogServiceClient(
				&http.Client{Transport: callerOver{s, id, supplierKey(key), form.over}}, address, form.options...)
		}
		path, uri := fmt.Sprintf("/%d", i), fmt.Sprintf("https://www.acme.example/%d", i)
		request := &rampv1.PushResourcesRequest{TenantId: "acme", CallerId: "acme",
			Entries: []*rampv1.ResourceEntry{entryAt("www.acme.example", path), entryAt("www.other.example", path)}}
		got, err := client("acme", "acme").PushResources(t.Context(), rpc.NewRequest(request))
		if err != nil || got.Msg.Accepted != 1 || got.Msg.Rejected != 1 || s.offered(uri) == nil {
			t.Errorf("%s: %v, %v", form.name, got, err)
		}
		for want, do := range map[rpc.Code]func() error{
			rpc.CodeUnauthenticated: func() error {
				_, err := client("acme", "other").PushResources(t.Context(), rpc.NewRequest(request))
				return err
			},
			rpc.CodePermissionDenied: func() error {
				_, err := client("other", "other").RemoveResources(t.Context(),
					rpc.NewRequest(&rampv1.RemoveResourcesRequest{TenantId: "acme", Paths: []string{path}}))
				return err
			},
			rpc.CodeInvalidArgument: func() error {
				many := &rampv1.PushResourcesRequest{
					TenantId: "acme", CallerId: "acme", Entries: make([]*rampv1.ResourceEntry, ramp.MaxEntries+1),
				}
				for i := range many.Entries {
					many.Entries[i] = entryAt("www.acme.example", "/many")
				}
				_, err := client("acme", "acme").PushResources(t.Context(), rpc.NewRequest(many))
				return err
			},
		} {
			if err := do(); rpc.CodeOf(err) != want || !rpc.IsWireError(err) {
				t.Errorf("%s: %v, want %s", form.name, err, want)
			}
		}
		if refreshed, err := client("acme", "acme").RefreshCatalog(t.Context(),
			rpc.NewRequest(&rampv1.RefreshCatalogRequest{TenantId: "acme"})); err != nil || refreshed.Msg.Started {
			t.Errorf("%s: %v, %v", form.name, refreshed, err)
		}
		removed, err := client("acme", "acme").RemoveResources(t.Context(),
			rpc.NewRequest(&rampv1.RemoveResourcesRequest{TenantId: "acme", Paths: []string{path}}))
		if err != nil || removed.Msg.Removed != 1 || s.offered(uri) != nil {
			t.Errorf("%s: %v, %v", form.name, removed, err)
		}
	}
	if s.offered("https://www.acme.example/many") != nil {
		t.Error("a request that was refused whole is kept")
	}
}

// TestAPushOverGRPCWebByteForByte pushes as a browser's program does, with nothing of a library's,
// and reads the frames of the answer. Frames in base64 (application/grpc-web-text) are not spoken
// here: whoever sends them is told what is.
func TestAPushOverGRPCWebByteForByte(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", free, "www.acme.example")
	address, http1, _ := s.listen()
	message, err := proto.Marshal(&rampv1.PushResourcesRequest{TenantId: "acme", CallerId: "acme",
		Entries: []*rampv1.ResourceEntry{entryAt("www.acme.example", "/a")}})
	if err != nil {
		t.Fatal(err)
	}
	frame := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	send := func(key, kind string, body []byte) (*http.Response, []byte) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, address+"/ramp.v1.CatalogService/PushResources",
			bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set("X-Grpc-Web", "1")
		answer, err := callerOver{s, "acme", supplierKey(key), http1}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, text
	}
	// status is that of gRPC, in the answer's last frame or, where it has none, in its header.
	status := func(answer *http.Response, text []byte) string {
		_, last, framed := strings.Cut(strings.ToLower(string(text)), "grpc-status: ")
		if code, _, _ := strings.Cut(last, "\r\n"); framed {
			return code
		}
		return answer.Header.Get("Grpc-Status")
	}
	for _, kind := range []string{"application/grpc-web", "application/grpc-web+proto"} {
		answer, text := send("acme", kind, frame)
		if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != kind || len(text) < 5 || text[0] != 0 {
			t.Fatalf("%s: %s %v %q", kind, answer.Status, answer.Header, text)
		}
		n := binary.BigEndian.Uint32(text[1:])
		var told rampv1.PushResourcesResponse
		if err := proto.Unmarshal(text[5:5+n], &told); err != nil || told.Accepted != 1 {
			t.Errorf("%s: %v, %v", kind, &told, err)
		}
		if trailers := text[5+n:]; len(trailers) < 5 || trailers[0] != 0x80 ||
			int(binary.BigEndian.Uint32(trailers[1:])) != len(trailers)-5 || status(answer, trailers) != "0" {
			t.Errorf("%s: the answer ends in %q", kind, trailers)
		}
		if s.offered("https://www.acme.example/a") == nil {
			t.Errorf("%s: what was taken is not offered", kind)
		}
		if answer, text = send("stranger", kind, frame); status(answer, text) != "16" {
			t.Errorf("%s, by a stranger: %s %v %q", kind, answer.Status, answer.Header, text)
		}
		// Frames that break off, and such as say that they are larger than anything that is taken,
		// are refused.
		for name, broken := range map[string][]byte{
			"no frame": nil, "a frame's beginning": frame[:3], "half a frame": frame[:len(frame)/2],
			"a frame of 4 GB": {0, 0xff, 0xff, 0xff, 0xff},
			"two messages":    append(frame[:len(frame):len(frame)], frame...),
		} {
			if answer, text := send("acme", kind, broken); status(answer, text) == "0" || status(answer, text) == "" {
				t.Errorf("%s, %s: %s %v %q", kind, name, answer.Status, answer.Header, text)
			}
		}
	}
	for _, kind := range []string{"application/grpc-web-text", "application/grpc-web-text+proto"} {
		answer, text := send("acme", kind, []byte(base64.StdEncoding.EncodeToString(frame)))
		if answer.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(string(text), "gRPC-Web") {
			t.Errorf("%s: %s %s", kind, answer.Status, text)
		}
	}
}
