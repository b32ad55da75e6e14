package hostile

import (
	"bytes"
	"io"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// framed is a connection on which HTTP/2 is spoken frame by frame.
type framed struct {
	*conn
	*http2.Framer
	headers bytes.Buffer
	encoder *hpack.Encoder
}

func dialHTTP2(t *testing.T, addr string) *framed {
	t.Helper()
	f := &framed{conn: dial(t, addr)}
	f.encoder = hpack.NewEncoder(&f.headers)
	f.Framer = http2.NewFramer(f.Conn, f.answer)
	f.say(http2.ClientPreface)
	if err := f.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	return f
}

// head encodes the head of a question.
func (f *framed) head(more ...hpack.HeaderField) []byte {
	f.headers.Reset()
	fields := []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: "localhost"},
		{Name: ":path", Value: "/ask"}, {Name: "content-type", Value: "application/json"},
	}
	for _, field := range append(fields, more...) {
		if err := f.encoder.WriteField(field); err != nil {
			f.t.Fatal(err)
		}
	}
	return f.headers.Bytes()
}

// begin opens a stream with a question whose body is yet to come.
func (f *framed) begin(stream uint32, more ...hpack.HeaderField) error {
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: f.head(more...), EndHeaders: true})
}

// TestHostileHTTP2LeavesTheServerHealthy speaks HTTP/2 as no browser does. The server may answer or
// close; it has to do its work afterwards.
func TestHostileHTTP2LeavesTheServerHealthy(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, attack := range map[string]func(t *testing.T, f *framed) error{
		"streams that are reset at once": func(_ *testing.T, f *framed) error {
			for i := range uint32(20_000) {
				if err := f.begin(2*i + 1); err != nil {
					return err
				}
				if err := f.WriteRSTStream(2*i+1, http2.ErrCodeCancel); err != nil {
					return err
				}
			}
			return nil
		},
		"streams without end": func(_ *testing.T, f *framed) error {
			for i := range uint32(5_000) {
				if err := f.begin(2*i + 1); err != nil {
					return err
				}
			}
			return nil
		},
		"a head that goes on and on": func(_ *testing.T, f *framed) error {
			if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.head()}); err != nil {
				return err
			}
			for range 100_000 {
				if err := f.WriteContinuation(1, false,
					f.head(hpack.HeaderField{Name: "x-more", Value: "and more"})); err != nil {
					return err
				}
			}
			return nil
		},
		"one long header many times": func(_ *testing.T, f *framed) error {
			long := hpack.HeaderField{Name: "x-long", Value: string(make([]byte, 3000))}
			if err := f.encoder.WriteField(long); err != nil {
				return err
			}
			f.headers.Reset()
			many := make([]hpack.HeaderField, 15_000)
			for i := range many {
				many[i] = long
			}
			block := bytes.Clone(f.head(many...))
			err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:min(16<<10, len(block))],
				EndHeaders: len(block) <= 16<<10})
			for rest := block[min(16<<10, len(block)):]; err == nil && len(rest) > 0; {
				n := min(16<<10, len(rest))
				err = f.WriteContinuation(1, n == len(rest), rest[:n])
				rest = rest[n:]
			}
			return err
		},
		"pings": func(_ *testing.T, f *framed) error {
			for range 50_000 {
				if err := f.WritePing(false, [8]byte{}); err != nil {
					return err
				}
			}
			return nil
		},
		"settings": func(_ *testing.T, f *framed) error {
			for i := range 50_000 {
				if err := f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize,
					Val: uint32(i)}); err != nil {
					return err
				}
			}
			return nil
		},
		"a window beyond numbers": func(_ *testing.T, f *framed) error {
			for range 3 {
				if err := f.WriteWindowUpdate(0, 1<<31-1); err != nil {
					return err
				}
			}
			return nil
		},
		"answers that are never taken": func(_ *testing.T, f *framed) error {
			body := []byte(`{"query":{"text":"supper","limit":1000},"prefer":{"streaming":true}}`)
			for i := range uint32(90) {
				if err := f.begin(2*i + 1); err != nil {
					return err
				}
				if err := f.WriteData(2*i+1, true, body); err != nil {
					return err
				}
			}
			return nil
		},
		"frames of no kind": func(_ *testing.T, f *framed) error {
			for i := range 50_000 {
				if err := f.WriteRawFrame(http2.FrameType(200+i%50), 0xff, 1, []byte("nonsense")); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.goroutines(t)
			f := dialHTTP2(t, s.Addr)
			read := make(chan struct{})
			if name != "answers that are never taken" {
				go func() { io.Copy(io.Discard, f.answer); close(read) }()
			} else {
				close(read)
			}
			began := time.Now()
			err := attack(t, f) // an error means that the server has closed the connection
			healthy(t, s.Addr)
			f.Close()
			<-read
			s.settles(t, before)
			s.bounded(t)
			t.Logf("refused with %v after %s", err, time.Since(began))
		})
	}
}
