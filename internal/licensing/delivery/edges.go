package delivery

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/edge"
	"frontdesk/wire/receipt"
	"frontdesk/wire/sign"
)

// Edge is who delivers content in this front desk's place and tells of it afterwards.
type Edge struct {
	Name  string
	Sites []string // the ids of the sites whose content it delivers, at least one
}

// BatchResult counts what was new in an edge's batch.
type BatchResult struct {
	Deliveries  int // that were begun or ended by it
	Stray       int // of those, of transactions that are not known
	Conflicting int // that had ended before, and otherwise
	Sightings   int
}

// batchRows is how many deliveries of a batch are recorded in one transaction, so that others need
// not wait for long.
const batchRows = 100

// Delivered records what an edge tells: its deliveries, each whose end is known with an entry of
// its own in the ledger, and whom it saw. It returns once all of it is recorded for good; what was
// recorded before, of this batch or of another, is not recorded again, so that an edge tells until
// it hears that. Of a delivery the first end that was told counts. One whose transaction is not
// known, or is of a site that is not the edge's, is recorded as a stray.
func (s *Service) Delivered(ctx context.Context, from Edge, b edge.Batch) (*BatchResult, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	all := &BatchResult{}
	for some := range slices.Chunk(b.Deliveries, batchRows) {
		var part BatchResult
		err := s.deps.DB.Update(ctx, func(tx *store.Tx) error {
			part = BatchResult{}
			for _, one := range some {
				if err := s.takeDelivery(ctx, tx, from, one, now, &part); err != nil {
					return err
				}
			}
			return s.deps.Fault("edge's deliveries")
		})
		if err != nil {
			return nil, fmt.Errorf("record what the edge %s delivered: %w", from.Name, err)
		}
		all.Deliveries, all.Stray, all.Conflicting = all.Deliveries+part.Deliveries, all.Stray+part.Stray,
			all.Conflicting+part.Conflicting
	}
	if err := s.saw(ctx, from, b, now, all); err != nil {
		return nil, err
	}
	if all.Conflicting > 0 {
		s.deps.Log.Warn("an edge told otherwise of deliveries that had ended; what it told first stands", "edge",
			from.Name, "deliveries", all.Conflicting)
	}
	return all, s.deps.Fault("edge told")
}

// takeDelivery records one delivery.
func (s *Service) takeDelivery(ctx context.Context, tx *store.Tx, from Edge, one edge.Delivery, now time.Time,
	told *BatchResult) error {
	t, stray, err := s.sale(ctx, tx, from, one)
	if err != nil {
		return err
	}
	row := s.deliveredBy(from, one, now)
	if row.Stray = stray; !stray {
		row.Site = t.Site
	}
	old, known, err := transactions.FindDelivery(ctx, tx, row.ID)
	if err != nil {
		return err
	}
	if known && old.State != transactions.DeliveryBegun {
		if row.State != transactions.DeliveryBegun &&
			(old.State != row.State || old.Bytes != row.Bytes || old.Status != row.Status) {
			told.Conflicting++
		}
		return nil
	}
	if known && row.State == transactions.DeliveryBegun {
		return nil
	}
	told.Deliveries++
	if stray {
		told.Stray++
	}
	if row.State != transactions.DeliveryBegun {
		if row.Entry, err = s.deliveryEntry(ctx, tx, from, one, row, t); err != nil {
			return err
		}
		if err := disputes.Reconsider(ctx, tx, t.ID, now); err != nil {
			return err
		}
		if err := s.deps.Fault("edge's delivery"); err != nil {
			return err
		}
	}
	if known {
		_, err = transactions.EndDelivery(ctx, tx, row)
		return err
	}
	_, err = transactions.PutDelivery(ctx, tx, row)
	return err
}

// sale is the transaction under which an edge delivered; stray says that it has none such.
func (s *Service) sale(ctx context.Context, tx *store.Tx, from Edge, one edge.Delivery) (t transactions.Transaction,
	stray bool, err error) {
	if one.Transaction == "" {
		return t, true, nil
	}
	t, ok, err := transactions.FindTransaction(ctx, tx, one.Transaction)
	return t, !ok || t.Failed || !slices.Contains(from.Sites, t.Site), err
}

// deliveredBy is a delivery of an edge as it is kept. Its id has the edge's name before it, so that
// no edge can take that of another's. A time that is yet to come is that of a clock that is ahead.
func (s *Service) deliveredBy(from Edge, one edge.Delivery, now time.Time) transactions.Delivery {
	one.URI = sign.Unsigned(one.URI)
	row := transactions.Delivery{
		ID: from.Name + "_" + one.ID, Transaction: one.Transaction, By: from.Name, Site: s.siteFor(from, one.URI),
		URI: one.URI, State: transactions.DeliveryState(one.State),
		Status: one.Status, Announced: one.Announced, Bytes: one.Bytes, Bound: one.AtMost, At: earlier(one.At, now),
	}
	if one.State != edge.Begun {
		row.Ended = earlier(one.Ended, now)
	}
	row.Sum, _ = hex.DecodeString(one.SHA256)
	return row
}

func earlier(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t.UTC().Truncate(time.Microsecond)
}

// siteFor is the site of an address, among those of an edge.
func (s *Service) siteFor(from Edge, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return from.Sites[0]
	}
	return s.siteOn(from, u.Hostname())
}

// siteOn is the site of a host, among those of an edge; the edge's first where it has none of it.
func (s *Service) siteOn(from Edge, host string) string {
	if site, ok := s.deps.Sites.Find(host); ok && slices.Contains(from.Sites, site) {
		return site
	}
	return from.Sites[0]
}

// reportedBody is the body of a ledger entry of kind "delivery" that an edge told of, in the order
// of canonical JSON. Bytes is what was sent, or with the state "unknown" the most that it can have
// been.
type reportedBody struct {
	Agent    string `json:"agent_id,omitempty"`
	Began    string `json:"began"` // by the edge's clock, as Ended is
	By       string `json:"by"`
	Bytes    int64  `json:"bytes"`
	Delivery string `json:"delivery_id"`
	Ended    string `json:"ended"`
	Form     string `json:"form,omitempty"` // of the signed address
	Hash     string `json:"sha256,omitempty"`
	State    string `json:"state"` // "ended", "cut" or "unknown"
	Status   int    `json:"status"`
	Stray    bool   `json:"stray,omitzero"`
	URI      string `json:"uri"`
}

// deliveryEntry puts an edge's delivery into the ledger: with its buyer, or if it is a stray, with
// the edge itself.
func (s *Service) deliveryEntry(ctx context.Context, tx *store.Tx, from Edge, one edge.Delivery,
	row transactions.Delivery, t transactions.Transaction) (id string, err error) {
	body := reportedBody{
		Agent: one.Agent, Began: one.At.UTC().Format(time.RFC3339Nano), By: from.Name, Bytes: row.Bytes,
		Delivery: row.ID, Ended: one.Ended.UTC().Format(time.RFC3339Nano),
		Form: one.Form, Hash: one.SHA256, State: string(row.State), Status: row.Status, Stray: row.Stray, URI: row.URI,
	}
	if row.Bound {
		body.State = "unknown"
	}
	if !row.Stray {
		return exchange.RecordEvent(ctx, tx, s.deps.Ledger, t, receipt.Entry{Time: row.Ended, Kind: kindDelivery}, body)
	}
	e := receipt.Entry{Time: row.Ended, Site: row.Site, Kind: kindDelivery, Party: "edge:" + from.Name, Subject: row.ID}
	if e.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return s.deps.Ledger.Append(ctx, tx, e)
}

// saw counts whom an edge saw, once for each batch.
func (s *Service) saw(ctx context.Context, from Edge, b edge.Batch, now time.Time, told *BatchResult) error {
	if len(b.Sightings) == 0 {
		return nil
	}
	text, err := b.Text()
	if err != nil {
		return err
	}
	var all []botstats.Sighting
	for _, one := range b.Sightings {
		all = append(all, botstats.Sighting{Site: s.siteOn(from, one.Host), Hour: earlier(one.Hour, now),
			Agent: one.Agent, Path: one.Path, Outcome: one.Outcome, Count: one.Count})
	}
	digest := from.Name + " " + edge.Digest(text)
	err = s.deps.DB.UpdateSerial(ctx, botstats.Turn, func(tx *store.Tx) error {
		told.Sightings = 0
		taken, err := botstats.BatchCounted(ctx, tx, digest)
		if err != nil || taken {
			return err
		}
		told.Sightings = len(all)
		return botstats.Add(ctx, tx, digest, now, all)
	})
	if err != nil {
		return fmt.Errorf("count whom the edge %s saw: %w", from.Name, err)
	}
	return nil
}
