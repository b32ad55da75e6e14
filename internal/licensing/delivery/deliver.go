package delivery

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/receipt"
)

// maxDeliveries is how often something is delivered under one transaction: each time is a row and
// an entry for good, and who asks for one byte at a time, or for the same bytes again and again,
// would make as many as it likes.
const maxDeliveries = 1000

// deliveriesLeft says why nothing more is delivered under a transaction.
func deliveriesLeft(ctx context.Context, tx *store.Tx, transaction string) error {
	n, err := transactions.CountDeliveries(ctx, tx, transaction, maxDeliveries)
	if err == nil && n >= maxDeliveries {
		err = fail.New(fail.Limited, "this was fetched %d times under one transaction, which is all that there are; "+
			"buy anew", maxDeliveries)
	}
	return err
}

// deliverySpare is how long a delivery may take beyond what answers are allowed, before it counts
// as broken off.
const deliverySpare = 10 * time.Minute

// Transfer is a delivery in progress. End must be called once.
type Transfer struct {
	Body []byte // of the whole rendition

	of     *Rendition
	record transactions.Delivery
}

// Begin records that an answer begins, with an HTTP status and so many bytes, and gives what it is
// made of: nothing is sent that is not on record. It must be followed by End. The error is
// fail.Limited where the address was opened as often as it opens.
func (r *Rendition) Begin(ctx context.Context, status int, announced int64) (*Transfer, error) {
	d, t := r.of.by, r.of.sale
	now := d.deps.Now().UTC().Truncate(time.Microsecond)
	record := transactions.Delivery{
		ID: transactions.NewID("dlv", now), Transaction: t.ID, Site: t.Site, URI: t.URI, Media: r.Media,
		State: transactions.DeliveryBegun, Status: status, Announced: announced,
		Sum: r.Hash[:], Whole: true, At: now,
	}
	err := d.deps.DB.Update(ctx, func(tx *store.Tx) error {
		err := deliveriesLeft(ctx, tx, t.ID)
		if err == nil {
			err = d.deps.Fault("delivery")
		}
		if err == nil {
			_, err = transactions.PutDelivery(ctx, tx, record)
		}
		return err
	})
	if err == nil {
		err = d.deps.Fault("delivery begun")
	}
	if err != nil {
		return nil, err
	}
	return &Transfer{Body: r.body, of: r, record: record}, nil
}

// End records how a delivery is over: how many bytes were sent of those that were announced. Where
// it is not called, or fails, the delivery is found after some time (see EndLost), and counts as
// broken off.
func (s *Transfer) End(ctx context.Context, bytes int64) error {
	d, end := s.of.of.by, s.record
	end.Bytes, end.State, end.Ended = bytes, transactions.DeliveryEnded, d.deps.Now().UTC().Truncate(time.Microsecond)
	if bytes < end.Announced {
		end.State = transactions.DeliveryCut
	}
	err := d.deps.DB.Update(ctx, func(tx *store.Tx) error { return d.delivered(ctx, tx, s.of.of.sale, end, "") })
	if err == nil {
		err = d.deps.Fault("delivered")
	}
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// kindDelivery is the kind of ledger entries on deliveries.
const kindDelivery = "delivery"

// errOver undoes the end of a delivery that is over already.
var errOver = errors.New("the delivery is over already")

// deliveryBody is the body of a ledger entry of kind "delivery", in the order of canonical JSON.
// Bytes is what was sent, or where nobody saw the end, the most that it can have been.
type deliveryBody struct {
	Bytes    int64  `json:"bytes"`
	Delivery string `json:"delivery_id"`
	Ended    string `json:"ended,omitempty"` // of a stream: why
	Media    string `json:"media_type,omitempty"`
	Seconds  int64  `json:"seconds,omitzero"` // of a stream
	Hash     string `json:"sha256,omitempty"`
	State    string `json:"state"` // "ended", "cut" or "unknown"
	Status   int    `json:"status"`
	URI      string `json:"uri"`
}

// delivered records the end of a delivery, with an entry of its own in the ledger; why is why a
// stream has ended. The error is errOver where it was recorded before.
func (s *Service) delivered(ctx context.Context, tx *store.Tx, t transactions.Transaction, end transactions.Delivery,
	why Ending) (err error) {
	body := deliveryBody{
		Bytes: end.Bytes, Delivery: end.ID, Ended: string(why), Seconds: end.Seconds, Media: end.Media,
		Hash: hex.EncodeToString(end.Sum), State: string(end.State), Status: end.Status, URI: end.URI,
	}
	if end.Bound {
		body.State = "unknown"
	}
	if end.Entry, err = exchange.RecordEvent(ctx, tx, s.deps.Ledger, t,
		receipt.Entry{Time: end.Ended, Kind: kindDelivery}, body); err != nil {
		return err
	}
	if err := s.deps.Fault("delivery recorded"); err != nil {
		return err
	}
	over, err := transactions.EndDelivery(ctx, tx, end)
	if err == nil && !over {
		err = errOver
	}
	return err
}

// EndLost ends deliveries whose end nobody has recorded, up to so many, and says how many those
// were: the process died, or could not write. Each counts as having sent all that it had announced.
func (s *Service) EndLost(ctx context.Context, tx *store.Tx, now time.Time, most int) (int, error) {
	open, err := transactions.OpenDeliveries(ctx, tx, now.Add(-s.deps.MaxTransferTime-deliverySpare), most)
	if err != nil {
		return 0, err
	}
	for _, end := range open {
		t, _, err := transactions.FindTransaction(ctx, tx, end.Transaction)
		if err != nil {
			return 0, err
		}
		end.State, end.Bound, end.Bytes, end.Ended = transactions.DeliveryCut, true, max(end.Announced, end.Bytes), now
		if err := s.delivered(ctx, tx, t, end, ""); err != nil {
			return 0, err
		}
	}
	return len(open), nil
}
