package transactions

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// Offer is an offer that was made: who may buy what, at which price, until when, and by which rule.
type Offer struct {
	ID   string      `json:"-"`             // see NewOfferID
	Site string      `json:"site"`          // whose offer it is
	URI  string      `json:"uri"`           // what was asked for
	URL  string      `json:"url,omitzero"`  // the item's own address, where it is another
	Item content.Ref `json:"item,omitzero"` // the version that was there
	// Buyer is the account of whoever it was made to, and may buy.
	Buyer string `json:"buyer"`
	// Via are the domains of the intermediaries through which it was asked for, in their order;
	// none of what was asked directly.
	Via []string `json:"via,omitempty"`
	// Functions are what it was asked for, as terms name them; none where nothing was declared.
	Functions []string `json:"functions,omitempty"`
	// For is to what its buyer is bound: for what, by whom and where the item may be used. Its
	// price says nothing.
	For     policy.Option `json:"for,omitzero"`
	Package Package       `json:"package"`
	// Terms is the version of the terms that decided, Rule the index of the rule, and Labels the
	// rule's.
	Terms  string   `json:"terms"`
	Rule   int      `json:"rule"`
	Labels []string `json:"labels,omitempty"`
	// Price is what it costs, or would cost without the subscription; Quantity how much of Unit is
	// thought to be used of what the price counts, and Tokens how many tokens the item has, 0 where
	// nobody knows.
	Price    policy.Money `json:"price"`
	Quantity int64        `json:"quantity,omitzero"`
	Unit     string       `json:"unit,omitzero"` // "tokens", "pages", "minutes", "records"
	Tokens   int64        `json:"tokens,omitzero"`
	// Subscription is the one that the offer is bought under, at no charge; empty for none.
	Subscription string `json:"subscription,omitzero"`
	Delivery     string `json:"delivery"` // "direct", "instructions" or "streaming"
	// Report is what is owed after use; the zero value for nothing.
	Report Duty `json:"report,omitzero"`
	// Hash is the SHA-256, in hex, of the item's text as it would be delivered, where it is known;
	// Mutability "static", "dynamic" or "live".
	Hash       string    `json:"hash,omitzero"`
	Mutability string    `json:"mutability,omitzero"`
	Issued     time.Time `json:"issued"`
	Expires    time.Time `json:"-"` // exclusive, to the microsecond; the id begins with it

	// Document is what the door has written of the offer and the site has signed, and Signature the
	// Ed25519 signature of exactly these bytes.
	Document  []byte `json:"-"`
	Signature []byte `json:"-"`
}

// Package says of the item what a purchase tells again.
type Package struct {
	ID       string `json:"id"`
	Title    string `json:"title,omitzero"`
	Seller   string `json:"seller"` // the domain
	Citation bool   `json:"citation,omitzero"`
}

// Duty is the duty to report use after a purchase.
type Duty struct {
	Seconds int64    `json:"seconds"`          // from the purchase on, within which it must be reported; 0 for no duty
	Fields  []string `json:"fields,omitempty"` // of a report, that are required
}

// Window is the time within which a use must be reported; 0 when nothing is owed.
func (d Duty) Window() time.Duration { return time.Duration(d.Seconds) * time.Second }

// Ended says whether the offer can no more be taken at a time.
func (o *Offer) Ended(now time.Time) bool { return !now.Before(o.Expires) }

// HasSignature says whether a signature is the offer's, in a time that does not depend on where it
// differs.
func (o *Offer) HasSignature(signature []byte) bool {
	return len(o.Signature) > 0 && subtle.ConstantTimeCompare(o.Signature, signature) == 1
}

// An offer's id is the time of its end, in microseconds, and 128 random bits.
const (
	timeBytes   = 8
	randomBytes = 16
)

// subscribed begins the ids of offers under a subscription, so that people can tell them apart.
const subscribed = "sub-"

// base32Sorted writes bytes so that the texts sort as the bytes do.
var base32Sorted = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// NewOfferID makes the id of an offer that ends at a time: 39 letters and digits that nobody can
// guess, of offers under a subscription after "sub-".
func NewOfferID(expires time.Time, subscription bool) string {
	var id [timeBytes + randomBytes]byte
	binary.BigEndian.PutUint64(id[:], uint64(store.Micros(expires)))
	rand.Read(id[timeBytes:])
	text := base32Sorted.EncodeToString(id[:])
	if subscription {
		return subscribed + text
	}
	return text
}

// offerKey is the key of an offer's row; ok is false for a text that is no offer's id.
func offerKey(id string) (key []byte, ok bool) {
	key, err := base32Sorted.DecodeString(strings.TrimPrefix(id, subscribed))
	return key, err == nil && len(key) == timeBytes+randomBytes &&
		base32Sorted.EncodeToString(key) == strings.TrimPrefix(id, subscribed)
}

// PutOffers keeps offers that were made, whose ids are new, with one statement.
func PutOffers(ctx context.Context, tx *store.Tx, offers ...*Offer) error {
	if len(offers) == 0 {
		return nil
	}
	var statement strings.Builder
	statement.WriteString(`INSERT INTO deal_offer (id, facts, document, signature) VALUES `)
	var args []any
	for i, o := range offers {
		key, ok := offerKey(o.ID)
		if !ok {
			return fmt.Errorf("keep an offer: %q is no id of one; make it with NewOfferID", o.ID)
		}
		facts, err := json.Marshal(o, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("keep offer %s: %w", o.ID, err)
		}
		if i > 0 {
			statement.WriteString(", ")
		}
		statement.WriteString("(" + store.Params(len(args)+1, 4) + ")")
		args = append(args, key, facts, o.Document, o.Signature)
	}
	if _, err := tx.Exec(ctx, statement.String(), args...); err != nil {
		return fmt.Errorf("keep offers: %w", err)
	}
	return nil
}

// FindOffer gives the offer of an id, whether it has ended or not; ok is false when there is none,
// or no more.
func FindOffer(ctx context.Context, tx *store.Tx, id string) (o *Offer, ok bool, err error) {
	key, ok := offerKey(id)
	if !ok {
		return nil, false, nil
	}
	o = &Offer{ID: id, Expires: endOf(key)}
	var facts []byte
	err = tx.QueryRow(ctx, `SELECT facts, document, signature FROM deal_offer WHERE id = $1`, key).Scan(&facts, &o.Document, &o.Signature)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err == nil {
		err = json.Unmarshal(facts, o)
	}
	if err != nil {
		return nil, false, fmt.Errorf("find offer %s: %w", id, err)
	}
	if (o.Subscription != "") != strings.HasPrefix(id, subscribed) {
		return nil, false, nil // its row, by another name
	}
	return o, true, nil
}

// ListOffers gives up to so many offers, those that end last first; before is the id of one after
// which to go on, empty for the beginning.
func ListOffers(ctx context.Context, tx *store.Tx, before string, limit int) (offers []*Offer, err error) {
	last := bytes.Repeat([]byte{0xff}, timeBytes+randomBytes)
	if before != "" {
		key, ok := offerKey(before)
		if !ok {
			return nil, nil
		}
		last = key
	}
	err = tx.Each(ctx, `SELECT id, facts, document, signature FROM deal_offer WHERE id < $1 ORDER BY id DESC LIMIT $2`,
		func(row store.Scanner) error {
			o := &Offer{}
			var key, facts []byte
			if err := row.Scan(&key, &facts, &o.Document, &o.Signature); err != nil {
				return err
			}
			if err := json.Unmarshal(facts, o); err != nil {
				return err
			}
			if o.ID, o.Expires = base32Sorted.EncodeToString(key), endOf(key); o.Subscription != "" {
				o.ID = subscribed + o.ID
			}
			offers = append(offers, o)
			return nil
		}, last, limit)
	if err != nil {
		return nil, fmt.Errorf("list offers: %w", err)
	}
	return offers, nil
}

func endOf(key []byte) time.Time { return store.FromMicros(int64(binary.BigEndian.Uint64(key))) }

// ForgetOffers forgets offers that ended before a time, up to so many, and says how many those
// were.
func ForgetOffers(ctx context.Context, tx *store.Tx, before time.Time, most int) (int64, error) {
	var edge [timeBytes]byte
	binary.BigEndian.PutUint64(edge[:], uint64(store.Micros(before)))
	n, err := tx.Exec(ctx, `DELETE FROM deal_offer WHERE id IN (SELECT id FROM deal_offer WHERE id < $1 ORDER BY id LIMIT $2)`, edge[:], most)
	if err != nil {
		return 0, fmt.Errorf("forget offers: %w", err)
	}
	return n, nil
}
