package broker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"frontdesk/client"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	rampv1 "frontdesk/wire/ramp/v1"
)

// sale is where a transaction was made.
type sale struct {
	peer             *peer
	account, billing string
}

// saleOf finds where a transaction was made; nil where it was not made here, or by somebody for
// whom the caller does not speak. Two Exchanges may give the same id; the bill tells them apart.
func (b *Broker) saleOf(ctx context.Context, id, billing string, who requesters.Requester) (*sale, error) {
	var out *sale
	err := b.DB.View(ctx, func(tx *store.Tx) error {
		out = nil
		return tx.Each(ctx, `SELECT exchange, account, billing, place FROM broker_sale WHERE id = $1 ORDER BY exchange`,
			func(row store.Scanner) error {
				one := &sale{peer: &peer{named: true}}
				var place string
				if err := row.Scan(&one.peer.domain, &one.account, &one.billing, &place); err != nil {
					return err
				}
				if who.Signed != "" && !who.ActsFor(one.account) || out != nil && one.billing != billing {
					return nil
				}
				place, one.peer.typed = strings.CutPrefix(place, "typed ")
				if err := json.Unmarshal([]byte(place), &one.peer.places); err != nil {
					return err
				}
				out = one
				return nil
			}, id)
	})
	if err == nil && out != nil {
		out.peer = b.peers.of(out.peer)
	}
	return out, err
}

// Report passes a report on to the Exchange that sold. is says that the transaction was made here,
// by somebody for whom the caller speaks; nobody is asked otherwise, and there is no answer. The
// error is a *Refusal with what the Exchange said, or that it cannot be reached; the context's; or
// ours.
func (b *Broker) Report(ctx context.Context, report *rampv1.UsageReport,
	who requesters.Requester) (answer *rampv1.UsageReportResponse, is bool, err error) {
	err = b.relay(ctx, report.GetTransactionId(), report.GetBillingId(), who, &is,
		func(x *client.Exchange) (err error) {
			answer, err = x.PassReport(ctx, report)
			return err
		})
	return answer, is, err
}

// Dispute passes a dispute on, as Report does a report.
func (b *Broker) Dispute(ctx context.Context, request *rampv1.DisputeRequest,
	who requesters.Requester) (answer *rampv1.DisputeResponse, is bool, err error) {
	err = b.relay(ctx, request.GetTransactionId(), request.GetBillingId(), who, &is,
		func(x *client.Exchange) (err error) {
			answer, err = x.PassDispute(ctx, request)
			return err
		})
	return answer, is, err
}

// relay has something done at the Exchange that sold. The error is a *Refusal that tells what the
// Exchange said.
func (b *Broker) relay(ctx context.Context, id, billing string, who requesters.Requester, is *bool,
	do func(*client.Exchange) error) error {
	at, err := b.saleOf(ctx, id, billing, who)
	if err != nil || at == nil {
		return err
	}
	*is = true
	x, err := b.peers.exchange(ctx, at.peer)
	if err == nil {
		err = do(x)
	}
	var told *client.ExchangeError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &told) && !strings.HasPrefix(told.Code, "http_"):
		return refuse(told.Code, "the Exchange %s answered: %s", at.peer.domain, clip(told.Message, 500)).
			later(told.RetryAfter)
	}
	b.Log.Warn("what was to be passed on could not be", "exchange", at.peer.domain, "error", err)
	return refuse("unavailable", "the Exchange %s cannot be reached now; send it again, with the same id",
		at.peer.domain).later(comeBack)
}
