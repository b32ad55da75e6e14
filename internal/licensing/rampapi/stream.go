package rampapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/delivery"

	"frontdesk/internal/infra/fail"
	deliveryv1 "frontdesk/wire/delivery/v1"
	wire "frontdesk/wire/ramp"
)

// The names of the stream's protocol over WebSocket (RFC 6455, subprotocols), and of that by which
// a client that can send no header says where it goes on: streamAfter and the id of the last event.
const (
	streamProtocol = "frontdesk.delivery.v1"
	streamAfter    = "after."
)

// streamWrite is how long a client may take for an event before it counts as gone, and streamAgain
// after how long one whose stream broke off is to come back.
const (
	streamWrite = 10 * time.Second
	streamAgain = time.Second
)

// Stream tells what was bought at the address that the purchase gave (RAMP v1, delivery method
// STREAMING), as server-sent events or over WebSocket. fetchAt is as for Deliver. Every delivery is
// recorded before its first byte.
func Stream(d *delivery.Service, fetchAt func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue(DeliverID)
		if r.URL.RawPath != "" {
			id = r.URL.RawPath // as for Deliver
		}
		upgrade := upgrades(r)
		if _, ok := httpx.ChooseMedia(r.Header.Values("Accept"), []string{eventStream}); !upgrade && !ok {
			WriteError(&fixed{w, http.StatusNotAcceptable}, r,
				fail.New(fail.UnsupportedFormat, "this is a stream: ask for text/event-stream, open it as a "+
					"WebSocket, or call frontdesk.delivery.v1.DeliveryService"))
			return
		}
		if upgrade && r.ProtoMajor != 1 {
			WriteError(w, r,
				fail.New(fail.UnsupportedMode, "WebSockets are opened over HTTP/1.1; come with that, or ask for "+
					"text/event-stream"))
			return
		}
		stream, err := d.OpenStream(r.Context(), fetchAt(r), id, r.URL.RawQuery, lastPlace(r))
		switch {
		case errors.Is(err, delivery.ErrStreamed):
			w.WriteHeader(http.StatusNoContent) // by which an EventSource does not come again
		case err != nil:
			WriteError(w, r, failed(r.Context(), err))
		case upgrade:
			overWebSocket(w, r, stream)
		default:
			asEvents(w, r, stream)
		}
	})
}

const eventStream = "text/event-stream"

// upgrades says whether a request opens a WebSocket.
func upgrades(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// lastPlace is the id of the last event that a client has of the stream, by its header, or, over
// WebSocket, by a subprotocol.
func lastPlace(r *http.Request) string {
	if id := r.Header.Get("Last-Event-Id"); id != "" {
		return id
	}
	for _, line := range r.Header.Values("Sec-Websocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			if id, ok := strings.CutPrefix(strings.TrimSpace(name), streamAfter); ok {
				return id
			}
		}
	}
	return ""
}

// asEvents tells a stream as server-sent events.
func asEvents(w http.ResponseWriter, r *http.Request, stream *delivery.Stream) {
	header := w.Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", "private, no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would keep events until it has many
	header.Set("X-Robots-Tag", "noindex")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(noDeadline) // that of the request would end a stream that lasts longer
	text := []byte("retry: " + strconv.FormatInt(streamAgain.Milliseconds(), 10) + "\n\n")
	run(r.Context(), stream, func(e delivery.StreamEvent) error {
		message := told(e)
		data, err := wire.Marshal(message)
		if err != nil {
			return err
		}
		text = append(append(text, "event: "...), kindOf(message)...)
		if e.ID != "" {
			text = append(append(text, "\nid: "...), e.ID...)
		}
		text = append(append(append(text, "\ndata: "...), data...), "\n\n"...)
		_ = out.SetWriteDeadline(time.Now().Add(streamWrite))
		_, err = w.Write(text)
		if err == nil {
			err = out.Flush()
		}
		_ = out.SetWriteDeadline(noDeadline)
		text = kept(text)
		return err
	})
}

// kept is a buffer for what comes next: none where it would hold much for an event that is small.
func kept(buffer []byte) []byte {
	if cap(buffer) > 1<<10 {
		return nil
	}
	return buffer[:0]
}

// overWebSocket tells a stream over WebSocket: each event is a message of text. The address is what
// lets its bearer in, and it has no other credential, so that a page of any origin may use one that
// it has.
func overWebSocket(w http.ResponseWriter, r *http.Request, stream *delivery.Stream) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{streamProtocol},
		InsecureSkipVerify: true})
	if err != nil {
		httpx.EventFrom(r.Context()).Set("failure", "websocket")
		stream.Abandon(r.Context())
		return
	}
	defer conn.CloseNow()
	ctx := listening(context.WithoutCancel(r.Context()), conn)
	why := run(ctx, stream, func(e delivery.StreamEvent) error { return say(ctx, conn, e) })
	code := websocket.StatusNormalClosure
	if why == delivery.StreamStopping || why == delivery.StreamFailed {
		code = websocket.StatusTryAgainLater
	}
	_ = conn.Close(code, string(why))
}

// errGone is why listening ends for a client that has said nothing.
var errGone = errors.New("the client is gone")

// listening gives a context that ends when the client leaves or says something, which nobody may
// here, and by errGone when its connection breaks.
func listening(ctx context.Context, conn *websocket.Conn) context.Context {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		_, _, err := conn.Reader(ctx)
		switch {
		case err == nil:
			_ = conn.Close(websocket.StatusPolicyViolation, "nothing is to be sent on this stream")
		case websocket.CloseStatus(err) == -1:
			err = errGone
		}
		_ = conn.CloseNow()
		end(err)
	}()
	return ctx
}

// say tells a client an event over WebSocket. One that says the time is followed by a ping, and
// taken once that is answered (RFC 6455, 5.5.3): who is gone without a word, or behind a proxy that
// is not, answers none, and is not charged for what it did not take.
func say(ctx context.Context, conn *websocket.Conn, e delivery.StreamEvent) error {
	data, err := wire.Marshal(told(e))
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, streamWrite)
	defer cancel()
	err = conn.Write(bounded, websocket.MessageText, data)
	if err == nil && e.Time != nil {
		err = conn.Ping(bounded)
	}
	if errors.Is(err, net.ErrClosed) { // by who listens, and is about to say why
		select {
		case <-ctx.Done():
		case <-bounded.Done():
		}
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errGone) {
		return nil // the client has said that it leaves, which ends the stream
	}
	return err
}

// run tells a stream, and has the log tell of it.
func run(ctx context.Context, stream *delivery.Stream, send func(delivery.StreamEvent) error) delivery.Ending {
	e := httpx.EventFrom(ctx)
	delivered := 0
	why := stream.Run(ctx, func(event delivery.StreamEvent) error {
		err := send(event)
		if event.Content != nil && err == nil {
			delivered += len(event.Content.Text)
		}
		return err
	})
	e.Set("delivered", delivered)
	e.Set("ended", string(why))
	return why
}

// told is an event as it goes over the wire.
func told(e delivery.StreamEvent) *deliveryv1.StreamResponse {
	out := &deliveryv1.StreamResponse{Id: e.ID}
	switch {
	case e.Start != nil:
		out.Event = &deliveryv1.StreamResponse_Start{Start: &deliveryv1.Start{
			TransactionId: e.Start.Transaction, Uri: e.Start.URI, MediaType: e.Start.Media, Live: e.Start.Live,
			ExpiresAt: timestamppb.New(e.Start.Expires),
		}}
	case e.Content != nil:
		out.Event = &deliveryv1.StreamResponse_Content{Content: &deliveryv1.Content{
			Version: e.Content.Version, MediaType: e.Content.Media, Offset: int32(e.Content.Offset),
			Text: e.Content.Text, Size: int32(e.Content.Size),
			Last: e.Content.Last, Sha256: e.Content.Digest,
		}}
	case e.Time != nil:
		out.Event = &deliveryv1.StreamResponse_Time{Time: &deliveryv1.Elapsed{Seconds: whole(e.Time.Used)}}
	case e.End != nil:
		out.Event = &deliveryv1.StreamResponse_End{End: &deliveryv1.End{
			Reason: string(e.End.Reason), Seconds: whole(e.End.Used), Bytes: int32(e.End.Bytes), Sha256: e.End.Digest,
		}}
	}
	return out
}

func whole(d time.Duration) int32 { return int32(d / time.Second) }

// kindOf is the name of an event: that of the member that it has.
func kindOf(m *deliveryv1.StreamResponse) string {
	of := m.ProtoReflect()
	field := of.WhichOneof(of.Descriptor().Oneofs().ByName("event"))
	return string(field.Name())
}
