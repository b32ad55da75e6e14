package rampapi

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// What a request costs on its way to the exchange and back, without who asks: read, held against
// the rules, answered with one address that is not sold. Floors beside it: the same bytes through
// net/http alone, and through the codec alone.
func BenchmarkFrame(b *testing.B) {
	f := newFramed()
	f.answer = func(_ context.Context, _ *call, q *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
		reason := rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_IN_CATALOG
		return &rampv1.ResourceResponse{Ver: Version, Id: q.Id, Exchange: f.Exchange,
			OfferGroups: []*rampv1.OfferGroup{{Uri: q.Requester.Uris[0], AbsenceReason: &reason}}}, nil
	}
	framed := f.received(connect.NewUnaryHandler(discoverPath,
		func(ctx context.Context, r *connect.Request[rampv1.ResourceQuery]) (*connect.Response[rampv1.ResourceResponse],
			error) {
			return take(ctx, &f.handlers, r, f.answer)
		}, options...))
	text, err := wire.Marshal(query())
	if err != nil {
		b.Fatal(err)
	}
	binary, err := proto.Marshal(query())
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name, kind string
		body       []byte
		handler    http.Handler
	}{{"JSON", "application/json", text, framed}, {"binary", "application/proto", binary, framed}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, discoverPath, bytes.NewReader(c.body))
				r.Header.Set("Content-Type", c.kind)
				w := httptest.NewRecorder()
				c.handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
