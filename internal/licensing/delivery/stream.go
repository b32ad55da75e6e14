package delivery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	digests "hash"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// StreamEvent is one event of a stream (RAMP v1, delivery method STREAMING). One of its members is
// set.
type StreamEvent struct {
	// ID is the place behind the event: a stream that is opened with it goes on there. It is empty
	// for events that change no place.
	ID      string
	Start   *StreamStart
	Content *StreamContent
	Time    *StreamTime
	End     *StreamEnd
}

// StreamStart begins every stream.
type StreamStart struct {
	Transaction, URI string
	Media            string    // media type of the text that follows
	Live             bool      // new versions follow as they come to be; otherwise the text is told, and that is all
	Expires          time.Time // when the stream ends at the latest
}

// StreamContent is a part of a version of the item's text.
type StreamContent struct {
	Version string // names the version: the same text has the same name
	Media   string // media type of the version
	Offset  int    // of the part in the version, in bytes
	Text    string // whole characters
	Size    int    // of the version, in bytes
	Last    bool   // the version is whole with it
	Digest  string // of a last part: the SHA-256 of the version, in hex
}

// StreamTime says that the stream is open, every few seconds.
type StreamTime struct {
	// for how long the purchase was used in all, as it is metered; of what is not live, how long
	// the stream is open
	Used time.Duration
}

// StreamEnd ends every stream that its client has not left.
type StreamEnd struct {
	Reason Ending
	Used   time.Duration // as StreamTime has it
	Bytes  int64         // of text that this stream has told
	Digest string        // the SHA-256 of that text, in hex
}

// Ending is why a stream is over.
type Ending string

// The endings.
const (
	StreamComplete  Ending = "complete" // all of the text was told
	StreamExpired   Ending = "expired"  // the purchase is over
	StreamReported  Ending = "reported" // the buyer has reported its use, which ends what is live
	StreamForbidden Ending = "terms"    // the item is not let out any more
	StreamGone      Ending = "gone"     // the item is not there any more
	StreamStopping  Ending = "stopping" // the server stops: open it again, with the last place
	// what was to be told could not be recorded, so it was not told: open it again later
	StreamFailed Ending = "failed"
	streamLeft   Ending = "left" // its client has gone
)

// The bounds of streams.
const (
	streamBeat = 2 * time.Second // from one StreamTime to the next, within which the terms count
	// from one time to the next that what was metered is kept: no more than both is ever lost
	streamKeep = 2500 * time.Millisecond
	streamPart = 8 << 10 // bytes of text in an event
	maxStreams = 8       // that are open under one transaction
)

// ErrStreamed is of a stream that is to go on behind its end: all was told.
var ErrStreamed = errors.New("all of the text was told before")

// Stream is a purchase as a stream of events (RAMP v1, delivery method STREAMING). Its owner calls
// Run or Abandon, once.
type Stream struct {
	of     *Service
	t      transactions.Transaction
	live   bool
	record transactions.Delivery // as it begins; Announced is kept up
	meter  streamMeter
	send   func(StreamEvent) error

	media  string
	body   []byte // that is to be told next, and let go after that
	digest string // of body
	offset int    // from which it is told
	ref    content.Ref
	rules  *policy.Terms

	sum    digests.Hash // of what was told
	bytes  int64
	broken bool          // the client does not take what is sent
	quit   chan struct{} // closed when the buyer has reported
	once   sync.Once     // closes quit
}

// OpenStream opens the stream at the signed address of a transaction: at is what stands before the
// transaction's id in it (exchange.Order.FetchAt), query its query as it was received. after is the
// place behind which it is to go on, empty for the beginning; where it is none of the version that
// is there, the stream begins anew. The delivery is recorded before OpenStream returns.
//
// The error is fail.Forbidden for an address that opens nothing or nothing more, fail.NotFound
// where what was bought is not there any more, or not let out any more, fail.Limited where too many
// are open under the transaction, fail.Unavailable where the server stops, and ErrStreamed.
func (s *Service) OpenStream(ctx context.Context, at, transaction, query, after string) (*Stream, error) {
	select {
	case <-s.deps.Stopping:
		return nil, fail.New(fail.Unavailable, "the server is stopping; open the stream again in a moment")
	default:
	}
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	keys, err := s.deps.AddressKeys()
	if err != nil {
		return nil, err
	}
	_, grant, err := exchange.Addresses(at, keys).Verify(at+transaction+exchange.StreamPath+"?"+query, now)
	if err != nil {
		return nil, fail.New(fail.Forbidden, "%v", err)
	}
	opened := &Stream{of: s, meter: streamMeter{begun: now, from: now, seen: now}, sum: sha256.New(),
		quit: make(chan struct{})}
	if err := opened.find(ctx, grant, transaction); err != nil {
		return nil, err
	}
	if err := opened.load(ctx); err != nil {
		return nil, err
	}
	opened.offset = opened.place(after)
	if opened.offset > 0 && opened.offset == len(opened.body) && !opened.live {
		return nil, ErrStreamed
	}
	if !s.streams.enter(opened) {
		return nil, fail.New(fail.Limited, "%d streams are open under this transaction; close one", maxStreams).
			After(streamBeat)
	}
	if err := opened.begin(ctx); err != nil {
		s.streams.leave(opened)
		return nil, err
	}
	return opened, nil
}

// find finds the transaction of an address.
func (s *Stream) find(ctx context.Context, grant sign.URLGrant, transaction string) error {
	return s.of.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		var ok bool
		s.t, ok, err = transactions.FindTransaction(ctx, tx, grant.Transaction)
		switch {
		case err != nil:
			return err
		case !ok || s.t.Failed || s.t.Agent != grant.Agent || transaction != s.t.ID ||
			s.t.Method != transactions.Streaming:
			return fail.New(fail.Forbidden, "%v", sign.ErrURLSignature)
		}
		s.t.Document, s.t.Quotas = nil, nil // which it need not hold for long
		s.meter.expires = s.t.Expires
		if s.meter.used, s.live, err = s.of.deps.Accounts.MeteredTime(ctx, tx, s.t.ID); err == nil && s.live &&
			s.t.Report.ID != "" {
			err = fail.New(fail.Forbidden, "the use of this purchase was reported, which ends it; buy anew")
		}
		return err
	})
}

// load reads what is to be told next: of what is live the version that is there by now.
func (s *Stream) load(ctx context.Context) error {
	t, sold := s.t, s.of.deps.Assortment
	rules := sold.Terms()
	if s.live {
		entry := sold.EntryAt(t.URI, t.Site, t.Item.Source)
		if entry == nil { // whatever is kept of it
			return fail.New(fail.NotFound, "what was bought is not there any more; what it was not open for is not "+
				"charged")
		}
		t.Item = entry.Ref
	}
	item, _, err := sold.CopyOf(ctx, t)
	if err != nil {
		return err
	}
	media, body := item.RenderDefault()
	if !utf8.Valid(body) {
		body = []byte(strings.ToValidUTF8(string(body), "\uFFFD"))
	}
	sum := sha256.Sum256(body)
	s.media, s.body, s.digest, s.offset, s.ref, s.rules = media, body, hex.EncodeToString(sum[:]), 0, t.Item, rules
	return nil
}

// versionOf is the name of a version with a digest.
func versionOf(digest string) string { return digest[:16] }

// place is the offset that an event's id names in the text that is to be told; 0 for one of another
// text.
func (s *Stream) place(id string) int {
	version, offset, _ := strings.Cut(id, ".")
	n, err := strconv.Atoi(offset)
	if err != nil || version != versionOf(s.digest) || n < 0 || n > len(s.body) || n < len(s.body) &&
		!utf8.RuneStart(s.body[n]) {
		return 0
	}
	return n
}

// begin records that the delivery begins.
func (s *Stream) begin(ctx context.Context) error {
	s.record = transactions.Delivery{
		ID: transactions.NewID("dlv", s.meter.begun), Transaction: s.t.ID, Site: s.t.Site, URI: s.t.URI, Media: s.media,
		State: transactions.DeliveryBegun, Status: 200,
		Announced: int64(len(s.body) - s.offset), At: s.meter.begun,
	}
	if err := s.of.deps.Fault("stream begins"); err != nil {
		return err
	}
	return s.of.deps.DB.Update(ctx, func(tx *store.Tx) error {
		if err := deliveriesLeft(ctx, tx, s.t.ID); err != nil {
			return err
		}
		_, err := transactions.PutDelivery(ctx, tx, s.record)
		return err
	})
}

// Abandon ends a stream that was not started.
func (s *Stream) Abandon(ctx context.Context) { s.finish(ctx, streamLeft) }

// Run tells the stream with send, until it is over, which is told, too, or its client is gone: ctx
// ends, or send fails. It returns when the record of it is kept, and says why it is over. Send is
// called by one goroutine, and bounds its own time.
func (s *Stream) Run(ctx context.Context, send func(StreamEvent) error) Ending {
	s.send = send
	why := s.tell(ctx)
	if why != streamLeft && !s.broken {
		s.put(StreamEvent{End: &StreamEnd{Reason: why, Used: s.meter.usedBy(s.now()), Bytes: s.bytes,
			Digest: hex.EncodeToString(s.sum.Sum(nil))}})
	}
	if why == streamLeft && !s.broken {
		s.meter.saw(s.now()) // until now
	}
	s.finish(context.WithoutCancel(ctx), why)
	return why
}

func (s *Stream) now() time.Time { return s.of.deps.Now().UTC().Truncate(time.Microsecond) }

// tell tells all but the end.
func (s *Stream) tell(ctx context.Context) Ending {
	start := &StreamStart{Transaction: s.t.ID, URI: s.t.URI, Media: s.media, Live: s.live, Expires: s.t.Expires}
	if !s.put(StreamEvent{Start: start}) {
		return streamLeft
	}
	if why := s.text(ctx); why != "" || !s.live {
		return cmp.Or(why, StreamComplete)
	}
	beat := time.NewTicker(streamBeat)
	defer beat.Stop()
	over := time.NewTimer(s.t.Expires.Sub(s.now()))
	defer over.Stop()
	for {
		changed := s.of.deps.Assortment.NextChange() // before it is looked what has changed
		if why := s.follow(ctx); why != "" {
			return why
		}
		select {
		case <-ctx.Done():
			return streamLeft
		case <-over.C:
			return StreamExpired
		case <-s.quit:
			return StreamReported
		case <-s.of.deps.Stopping:
			return StreamStopping
		case <-changed:
		case <-beat.C:
			if !s.put(StreamEvent{Time: &StreamTime{s.meter.usedBy(s.now())}}) {
				return streamLeft
			}
		}
	}
}

// follow tells the version that is there by now, if it is another, and says why there is to be no
// more; empty where there is.
func (s *Stream) follow(ctx context.Context) Ending {
	entry := s.of.deps.Assortment.EntryAt(s.t.URI, s.t.Site, s.t.Item.Source)
	switch {
	case entry == nil:
		return StreamGone
	case entry.Ref == s.ref && s.of.deps.Assortment.Terms() == s.rules:
		return ""
	}
	told := s.digest
	err := s.load(ctx)
	switch {
	case ctx.Err() != nil:
		return streamLeft
	case err != nil && fail.From(err).Code == fail.NotFound &&
		s.of.deps.Assortment.Terms().Decide(entry.Facts()).Access == policy.Blocked:
		return StreamForbidden
	case err != nil && fail.From(err).Code == fail.NotFound:
		return StreamGone
	case err != nil:
		s.of.deps.Log.Error("a stream could not follow what it tells; that is tried again", "error", err)
		return ""
	case s.digest == told:
		s.body = nil
		return ""
	}
	if err := s.announce(ctx); err != nil {
		s.of.deps.Log.Error("a new version could not be recorded, so it was not told, and the stream ended",
			"error", err)
		return StreamFailed
	}
	return s.text(ctx)
}

// announce records how much more is going to be told.
func (s *Stream) announce(ctx context.Context) error {
	if err := s.of.deps.Fault("stream goes on"); err != nil {
		return err
	}
	announced := s.record.Announced + int64(len(s.body))
	err := s.of.deps.DB.Update(ctx, func(tx *store.Tx) error {
		return transactions.ExtendDelivery(ctx, tx, s.record.ID, announced, s.meter.open())
	})
	if err == nil {
		s.record.Announced = announced
	}
	return err
}

// text tells the text that was loaded, in parts, and lets it go.
func (s *Stream) text(ctx context.Context) Ending {
	body := s.body
	s.body = nil
	if s.offset > 0 && s.offset == len(body) {
		return "" // the client has it
	}
	for at := s.offset; ; {
		if why := s.over(ctx); why != "" {
			return why
		}
		end := partEnd(body, at)
		c := &StreamContent{Version: versionOf(s.digest), Media: s.media, Offset: at, Text: string(body[at:end]),
			Size: len(body), Last: end == len(body)}
		if c.Last {
			c.Digest = s.digest
		}
		if !s.put(StreamEvent{ID: c.Version + "." + strconv.Itoa(end), Content: c}) {
			return streamLeft
		}
		s.sum.Write(body[at:end])
		s.bytes += int64(end - at)
		if at = end; c.Last {
			return ""
		}
	}
}

// partEnd is where the part of a text ends that begins at an offset: before a character.
func partEnd(body []byte, at int) int {
	if len(body)-at <= streamPart {
		return len(body)
	}
	end := at + streamPart
	for !utf8.RuneStart(body[end]) {
		end--
	}
	return end
}

// over says why nothing more is to be told; empty where something is. Who reads slowly is held to
// all that ends streams, too.
func (s *Stream) over(ctx context.Context) Ending {
	select {
	case <-ctx.Done():
		return streamLeft
	case <-s.quit:
		return StreamReported
	case <-s.of.deps.Stopping:
		return StreamStopping
	default:
	}
	if !s.now().Before(s.t.Expires) {
		return StreamExpired
	}
	if rules := s.of.deps.Assortment.Terms(); rules != s.rules {
		entry := s.of.deps.Assortment.EntryAt(s.t.URI, s.t.Site, s.t.Item.Source)
		if entry != nil && rules.Decide(entry.Facts()).Access == policy.Blocked {
			return StreamForbidden
		}
	}
	return ""
}

// put sends an event, and says whether the client took it.
func (s *Stream) put(e StreamEvent) bool {
	if err := s.send(e); err != nil {
		s.broken = true
		return false
	}
	s.meter.saw(s.now())
	return true
}
