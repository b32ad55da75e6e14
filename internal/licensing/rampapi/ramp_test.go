package rampapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	healthv1 "frontdesk/wire/grpc/health/v1"
	"frontdesk/wire/grpc/health/v1/healthv1connect"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
)

func TestWhatIsNoRequestOfTheProtocolIsToldWhatToSend(t *testing.T) {
	t.Parallel()
	address, client, over2 := newFramed().serve(t)
	for _, c := range []struct {
		name, path, contentType string
		status                  int
		code                    string
	}{
		{"no such method", "/ramp.v1.ExchangeService/Sell", "application/json", 501, "unimplemented"},
		{"a form", discoverPath, "application/x-www-form-urlencoded", 415, "invalid_argument"},
		{"nothing said", discoverPath, "", 415, "invalid_argument"},
		{"another charset", discoverPath, "application/json; charset=latin1", 415, "invalid_argument"},
		{"a stream of Connect", discoverPath, "application/connect+json", 415, ""},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+c.path,
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", c.contentType)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var told struct{ Code, Message string }
		err = json.NewDecoder(response.Body).Decode(&told)
		response.Body.Close()
		if response.StatusCode != c.status || c.code != "" &&
			(err != nil || told.Code != c.code || told.Message == "") {
			t.Errorf("%s: %s, %+v, %v", c.name, response.Status, told, err)
		}
	}
	for name, client := range map[string]*connect.Client[rampv1.ResourceQuery, rampv1.ResourceResponse]{
		"gRPC": connect.NewClient[rampv1.ResourceQuery, rampv1.ResourceResponse](over2,
			address+"/ramp.v1.ExchangeService/Sell", connect.WithGRPC()),
		"gRPC-Web": connect.NewClient[rampv1.ResourceQuery, rampv1.ResourceResponse](client,
			address+"/ramp.v1.ExchangeService/Sell", connect.WithGRPCWeb()),
	} {
		if _, err := client.CallUnary(t.Context(), connect.NewRequest(query())); connect.CodeOf(err) !=
			connect.CodeUnimplemented {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMessageThatCannotBeReadIsBlamed(t *testing.T) {
	t.Parallel()
	f := newFramed()
	address, client, _ := f.serve(t)
	deep := &structpb.Struct{}
	for range 200 {
		deep = &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStructValue(deep)}}
	}
	nested, err := proto.Marshal(&rampv1.ResourceQuery{Ext: deep})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ contentType, body string }{
		"binary that is none":    {"application/proto", "\xff\xff"},
		"binary, nested":         {"application/proto", string(nested)},
		"binary, no UTF-8":       {"application/proto", "\x0a\x01\xff"},
		"JSON, nested":           {"application/json", `{"ext":` + strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 101)},
		"JSON, no UTF-8":         {"application/json", `{"ver":"` + "\xff" + `"}`},
		"JSON, two values":       {"application/json", `{"ver":"1.0"} {}`},
		"JSON, under two names":  {"application/json", `{"request_id":"1","requestId":"1"}`},
		"JSON, a wrong type":     {"application/json; charset=utf-8", `{"requester":{"uris":"https://p.example"}}`},
		"JSON, an unknown value": {"application/json", `{"requester":{"type":"REQUESTER_TYPE_CAT"}}`},
	} {
		got := send(t, client, address+discoverPath, c.contentType, c.body)
		if !strings.HasPrefix(got, `{"code":"invalid_argument","message":"`) {
			t.Errorf("%s: %s", name, got)
		}
		if last := f.events[len(f.events)-1]; last.Text("rpc") != "DiscoverResources" {
			t.Errorf("%s: the log tells %v", name, last.Attrs())
		}
	}
}

func TestMessageThatGrowsWhenItIsDecompressedIsRefused(t *testing.T) {
	t.Parallel()
	f := newFramed()
	address, _, over2 := f.serve(t)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(`{"ver":"` + strings.Repeat("x", 8*MaxBody)))
	_ = w.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+discoverPath, &packed)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	response, err := over2.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	told, _ := io.ReadAll(response.Body)
	// as Connect maps resource_exhausted
	if response.StatusCode != http.StatusTooManyRequests ||
		!strings.Contains(string(told), "more than 1048576 bytes when it is decompressed") {
		t.Errorf("%s, %s", response.Status, told)
	}
	large := connect.NewRequest(&rampv1.ResourceQuery{Ver: strings.Repeat("x", 2*MaxBody)})
	for name, client := range speakers(f.serve(t)) {
		if _, err := client.DiscoverResources(t.Context(), large); connect.CodeOf(err) !=
			connect.CodeResourceExhausted {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoMoreIsDecompressedThanIsRead holds that a request cannot have a front desk decompress what
// it does not read.
func TestNoMoreIsDecompressedThanIsRead(t *testing.T) {
	t.Parallel()
	packed := func(size int) *bytes.Reader {
		var all bytes.Buffer
		w := gzip.NewWriter(&all)
		_, _ = w.Write(make([]byte, size))
		_ = w.Close()
		return bytes.NewReader(all.Bytes())
	}
	var u unpacker
	large := packed(64 * MaxBody)
	if err := u.Reset(large); err != nil {
		t.Fatal(err)
	}
	read, err := io.Copy(io.Discard, &u)
	if _, again := u.Read(make([]byte, 1)); connect.CodeOf(err) != connect.CodeResourceExhausted ||
		connect.CodeOf(again) != connect.CodeResourceExhausted || read != MaxBody+1 {
		t.Errorf("%d bytes, %v, then %v", read, err, again)
	}
	if large.Len() < int(large.Size())*9/10 {
		t.Errorf("of %d bytes %d were decompressed", large.Size(), int(large.Size())-large.Len())
	}
	for _, size := range []int{0, 1, MaxBody} {
		if err := u.Reset(packed(size)); err != nil {
			t.Fatal(err)
		}
		if read, err := io.Copy(io.Discard, &u); err != nil || read != int64(size) {
			t.Errorf("of %d bytes %d, %v", size, read, err)
		}
	}
}

func TestHealthSaysWhetherRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	var down error
	address, client, over2 := socket(t, Handler(Services{}, Config{Ready: func(context.Context) error { return down }}))
	for name, health := range map[string]healthv1connect.HealthClient{
		"connect":  healthv1connect.NewHealthClient(client, address),
		"JSON":     healthv1connect.NewHealthClient(client, address, connect.WithProtoJSON()),
		"gRPC":     healthv1connect.NewHealthClient(over2, address, connect.WithGRPC()),
		"gRPC-Web": healthv1connect.NewHealthClient(client, address, connect.WithGRPCWeb()),
	} {
		for _, service := range []string{"", rampv1connect.ExchangeServiceName} {
			for _, c := range []struct {
				down error
				want healthv1.HealthCheckResponse_ServingStatus
			}{{nil, healthv1.HealthCheckResponse_SERVING},
				{errors.New("it starts"), healthv1.HealthCheckResponse_NOT_SERVING}} {
				down = c.down
				got, err := health.Check(t.Context(),
					connect.NewRequest(&healthv1.HealthCheckRequest{Service: service}))
				if err != nil || got.Msg.Status != c.want {
					t.Errorf("%s, %q: %v, %v; want %s", name, service, got, err, c.want)
				}
			}
		}
		if _, err := health.Check(t.Context(),
			connect.NewRequest(
				&healthv1.HealthCheckRequest{Service: rampv1connect.CatalogServiceName})); connect.CodeOf(err) !=
			connect.CodeNotFound {
			t.Errorf("%s: a service that is not served is %v", name, err)
		}
	}
}

// TestHealthIsWatched holds that who watches is told at once, and again when that changes, by every
// protocol that has streams.
func TestHealthIsWatched(t *testing.T) {
	t.Parallel()
	var down, stopping atomic.Bool
	config := Config{
		Ready: func(context.Context) error {
			if down.Load() {
				return errors.New("it starts")
			}
			return nil
		},
		Stopping: stopping.Load, watchEvery: time.Millisecond,
	}
	address, client, over2 := socket(t, Handler(Services{}, config))
	for name, health := range map[string]healthv1connect.HealthClient{
		"connect":  healthv1connect.NewHealthClient(client, address),
		"JSON":     healthv1connect.NewHealthClient(client, address, connect.WithProtoJSON()),
		"gRPC":     healthv1connect.NewHealthClient(over2, address, connect.WithGRPC()),
		"gRPC-Web": healthv1connect.NewHealthClient(client, address, connect.WithGRPCWeb()),
	} {
		down.Store(false)
		stopping.Store(false)
		for _, service := range []string{"", rampv1connect.ExchangeServiceName} {
			down.Store(false)
			ctx, leave := context.WithCancel(t.Context())
			stream, err := health.Watch(ctx, connect.NewRequest(&healthv1.HealthCheckRequest{Service: service}))
			if err != nil {
				t.Fatal(name, err)
			}
			for _, want := range []healthv1.HealthCheckResponse_ServingStatus{
				healthv1.HealthCheckResponse_SERVING, healthv1.HealthCheckResponse_NOT_SERVING,
				healthv1.HealthCheckResponse_SERVING,
			} {
				down.Store(want == healthv1.HealthCheckResponse_NOT_SERVING)
				if !stream.Receive() || stream.Msg().Status != want {
					t.Fatalf("%s, %q: %v, %v; want %s", name, service, stream.Msg(), stream.Err(), want)
				}
			}
			leave()
			stream.Close()
		}
		unknown, err := health.Watch(t.Context(), connect.NewRequest(&healthv1.HealthCheckRequest{Service: "other"}))
		if err != nil || !unknown.Receive() || unknown.Msg().Status != healthv1.HealthCheckResponse_SERVICE_UNKNOWN {
			t.Fatalf("%s: a service that is not served is %v, %v", name, unknown.Msg(), err)
		}
		stopping.Store(true)
		if unknown.Receive() || connect.CodeOf(unknown.Err()) != connect.CodeUnavailable {
			t.Errorf("%s: when the server stops: %v, %v", name, unknown.Msg(), unknown.Err())
		}
		unknown.Close()
	}
}

// TestOnlySoManyWatch holds that watching cannot use up what answers are made with.
func TestOnlySoManyWatch(t *testing.T) {
	t.Parallel()
	address, client, _ := socket(t, Handler(Services{}, Config{watchEvery: time.Hour}))
	health := healthv1connect.NewHealthClient(client, address)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for range maxWatchers {
		stream, err := health.Watch(ctx, connect.NewRequest(&healthv1.HealthCheckRequest{}))
		if err != nil || !stream.Receive() {
			t.Fatal(err, stream.Err())
		}
		defer stream.Close()
	}
	more, err := health.Watch(ctx, connect.NewRequest(&healthv1.HealthCheckRequest{}))
	if err != nil || more.Receive() || connect.CodeOf(more.Err()) != connect.CodeResourceExhausted {
		t.Errorf("%v, %v", err, more.Err())
	}
	if _, err := health.Check(t.Context(), connect.NewRequest(&healthv1.HealthCheckRequest{})); err != nil {
		t.Errorf("Check, meanwhile: %v", err)
	}
}

func TestReflectionTellsOfWhatIsServedAndOfNothingElse(t *testing.T) {
	t.Parallel()
	address, _, over2 := socket(t, Handler(Services{}, Config{}))
	client := grpcreflect.NewClient(over2, address, connect.WithGRPC())
	stream := client.NewStream(t.Context())
	defer stream.Close()
	services, err := stream.ListServices()
	slices.Sort(services)
	if err != nil ||
		!slices.Equal(services, []protoreflect.FullName{healthv1connect.HealthName, rampv1connect.CatalogServiceName,
			rampv1connect.ExchangeServiceName}) {
		t.Errorf("services %v, %v", services, err)
	}
	for _, service := range services {
		files, err := stream.FileContainingSymbol(service)
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %v, %v", service, files, err)
		}
	}
}

// FuzzDoor holds that whatever is sent is answered in the protocol's words, and never as our own
// fault. (That gRPC calls a frame internal that says it is compressed, where no compression was
// named, is gRPC's own rule.)
func FuzzDoor(f *testing.F) {
	kinds := []string{"application/json", "application/proto", "application/grpc", "application/grpc-web",
		"application/grpc+json"}
	f.Add([]byte(`{"ver":"1.0","id":"q","requester":{"id":"b","domain":"b.example","uris":["https://p.example/a"],"ext":{"x":1},"ext_critical":["x"]}}`), uint8(0))
	f.Add([]byte(`{"ver":"1.0","id":"q","requester":{"id":"b","domain":"b.example"},"intermediaries":[{}]}`), uint8(0))
	f.Add([]byte("\x00\x00\x00\x00\x02{}"), uint8(4))
	if text, err := proto.Marshal(query()); err == nil {
		f.Add(text, uint8(1))
		for kind := range uint8(2) {
			f.Add(append([]byte{0, 0, 0, 0, byte(len(text))}, text...), 2+kind)
			f.Add(append([]byte{1, 0, 0, 1, byte(len(text))}, text...), 2+kind)
		}
	}
	framed := newFramed()
	address, client, over2 := framed.serve(f)
	f.Fuzz(func(t *testing.T, body []byte, kind uint8) {
		framed.events = nil
		contentType, through := kinds[int(kind)%len(kinds)], client
		grpc := strings.Contains(contentType, "grpc")
		if grpc {
			through = over2
		}
		response, err := through.Post(address+discoverPath, contentType, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if grpc {
			if contentType != "application/grpc-web" &&
				response.Trailer.Get("Grpc-Status")+response.Header.Get("Grpc-Status") == "" {
				t.Fatalf("%s without a status of gRPC: %q", response.Status, text)
			}
			return
		}
		if response.StatusCode == http.StatusOK {
			return
		}
		var told struct{ Code, Message string }
		if err := json.Unmarshal(text, &told); err != nil || told.Message == "" || response.StatusCode >= 500 {
			t.Fatalf("%s, %s, %v", response.Status, text, err)
		}
	})
}
