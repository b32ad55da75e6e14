package rampapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"connectrpc.com/connect"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/exchange"
	deliveryv1 "frontdesk/wire/delivery/v1"
	"frontdesk/wire/delivery/v1/deliveryv1connect"
)

// StreamRPC is the path of the RPC that tells a stream.
const StreamRPC = deliveryv1connect.DeliveryServiceStreamProcedure

// maxStreamRequest is how many bytes a request for a stream may have.
const maxStreamRequest = 16 << 10

// StreamHandler tells what Stream tells, over gRPC, gRPC-Web and Connect. fetchAt is as for
// Deliver.
func StreamHandler(d *delivery.Service, fetchAt func(*http.Request) string) http.Handler {
	options := []connect.HandlerOption{connect.WithHandlerOptions(options...),
		connect.WithReadMaxBytes(maxStreamRequest)}
	_, handler := deliveryv1connect.NewDeliveryServiceHandler(&deliveryService{d}, options...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &attentive{patient: patient{flusher{w, http.NewResponseController(w)}}, at: fetchAt(r)}
		_ = out.control.SetReadDeadline(noDeadline)
		handler.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), attentiveKey{}, out)))
		noteStatus(r.Context(), w.Header())
	})
}

// deliveryService is DeliveryService.
type deliveryService struct{ service *delivery.Service }

// Stream tells what the address of a purchase opens.
func (x *deliveryService) Stream(ctx context.Context, r *connect.Request[deliveryv1.StreamRequest],
	out *connect.ServerStream[deliveryv1.StreamResponse]) error {
	e := httpx.EventFrom(ctx)
	e.Set("rpc", "Stream")
	e.Set("protocol", r.Peer().Protocol)
	writer := ctx.Value(attentiveKey{}).(*attentive)
	at := writer.at
	path, query, _ := strings.Cut(r.Msg.Address, "?")
	below, here := strings.CutPrefix(path, at)
	id, ok := strings.CutSuffix(below, exchange.StreamPath)
	if !here || !ok || strings.Contains(id, "/") {
		return failed(ctx,
			fail.New(fail.Forbidden, "address: it opens no stream here; send the endpoint that the purchase gave, "+
				"as it is"))
	}
	stream, err := x.service.OpenStream(ctx, at, id, query, r.Msg.LastEventId)
	switch {
	case errors.Is(err, delivery.ErrStreamed):
		return nil
	case err != nil:
		return failed(ctx, err)
	}
	run(ctx, stream, func(e delivery.StreamEvent) error {
		err := out.Send(told(e))
		if err == nil {
			err = writer.err
		}
		return err
	})
	return ctx.Err()
}

// attentive is a patient writer that remembers what went wrong when it sent: who writes learns it
// from there. at is the address below which its request may fetch.
type attentive struct {
	patient
	at  string
	err error
}

type attentiveKey struct{}

// Flush sends what was written, and keeps what went wrong.
func (a *attentive) Flush() {
	if err := a.control.Flush(); a.err == nil {
		a.err = err
	}
	_ = a.control.SetWriteDeadline(noDeadline)
}
