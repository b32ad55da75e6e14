package deliverylog

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// TestADiskThatTakesNothingHasNothingDelivered has steps of the disk fail now and then: what Begin
// has let through is told by its own figures in the end, and what it has refused with no byte.
func TestADiskThatTakesNothingHasNothingDelivered(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		source, d, disk := rand.New(rand.NewPCG(seed, 4)), newDesk(), &memory{files: map[string][]byte{}}
		var failing atomic.Bool
		s := opened(t, Config{Dir: "x", Ship: d.ship, disk: disk})
		disk.mu.Lock()
		disk.fault = func(what string) error {
			if failing.Load() && what != "remove" {
				return errors.New("the disk is full")
			}
			return nil
		}
		disk.mu.Unlock()
		let, refused := map[string]int64{}, map[string]bool{}
		var open []*OpenDelivery
		for n := range 60 {
			failing.Store(source.IntN(3) == 0)
			transaction := "txn-" + strconv.Itoa(n)
			b, err := s.Begin(Delivery{Transaction: transaction, URI: "https://news.example/a", Length: 10})
			if err != nil {
				refused[transaction] = true
			} else {
				open = append(open, b)
				let[transaction] = int64(n)
			}
			if len(open) > 0 && source.IntN(2) == 0 {
				open[0].End(200, let[open[0].record.Transaction], nil)
				open = open[1:]
			}
			if source.IntN(6) == 0 {
				_ = s.Flush(t.Context())
			}
		}
		failing.Store(false)
		for _, b := range open {
			b.End(200, let[b.record.Transaction], nil)
		}
		for range 3 { // a disk that had failed is believed again after it has synced
			_ = s.Flush(t.Context())
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		known := map[string]edge.Delivery{}
		for _, one := range d.deliveries {
			known[one.Transaction] = one
		}
		for transaction, bytes := range let {
			if got := known[transaction]; got.State != edge.Ended || got.Bytes != bytes {
				t.Errorf("seed %d: let through with %d bytes: %+v", seed, bytes, got)
			}
		}
		for transaction := range refused {
			if got, ok := known[transaction]; ok && (got.State != edge.Cut || got.Bytes != 0) {
				t.Errorf("seed %d: refused: %+v", seed, got)
			}
		}
		if len(refused) == 0 || len(let) == 0 || t.Failed() {
			t.Fatal(len(refused), len(let))
		}
	}
}

// exchange is an Exchange as an edge meets it; answer is what it does with a request instead of the
// right thing, until it is honest.
type exchange struct {
	*desk
	secret sign.WebhookSecret
	now    func() time.Time
	answer func(http.ResponseWriter, *http.Request, []byte) bool // false to go on with the right thing
	honest atomic.Bool
}

func (x *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, r.ContentLength)
	for read := 0; read < len(body); {
		n, err := r.Body.Read(body[read:])
		if read += n; err != nil {
			break
		}
	}
	w.Header().Set("Date", x.now().UTC().Format(http.TimeFormat))
	if x.answer != nil && !x.honest.Load() && x.answer(w, r, body) {
		return
	}
	h := r.Header
	if err := x.secret.Verify(h.Get(sign.WebhookID), h.Get(sign.WebhookTimestamp), h.Get(sign.WebhookSignature), body,
		x.now(), edge.Apart); err != nil || h.Get(edge.KeyHeader) != "edg_1" {
		if errors.Is(err, sign.ErrWebhookTime) {
			w.Header().Set(edge.ClockHeader, "apart")
		}
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	b, err := edge.Read(body)
	if err == nil {
		x.mu.Lock()
		err = x.take(b)
		x.mu.Unlock()
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	taken(w, x.secret, b.ID, x.now(), edge.Taken{ID: b.ID, SHA256: edge.Digest(body), Deliveries: len(b.Deliveries),
		Sightings: len(b.Sightings)})
}

// taken answers that a batch is taken.
func taken(w http.ResponseWriter, secret sign.WebhookSecret, id string, now time.Time, told edge.Taken) {
	text := []byte(`{"id":"` + told.ID + `","sha256":"` + told.SHA256 + `","deliveries":` + strconv.Itoa(told.Deliveries) + `,"sightings":` + strconv.Itoa(told.Sightings) + `}`)
	w.Header().Set(sign.WebhookID, id)
	w.Header().Set(sign.WebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	w.Header().Set(sign.WebhookSignature, secret.Sign(id, now, text))
	_, _ = w.Write(text)
}

// TestOnlyTheExchangesOwnWordThatItHasABatchCounts has an Exchange, or somebody between, answer
// whatever: nothing is removed until the Exchange has said, signed, that it has just this batch.
// Then all is there, once.
func TestOnlyTheExchangesOwnWordThatItHasABatchCounts(t *testing.T) {
	t.Parallel()
	secret, other := sign.WebhookSecret(strings.Repeat("s", 32)), sign.WebhookSecret(strings.Repeat("o", 32))
	now := clock.At(noon)
	begun, stalled := make(chan struct{}), make(chan struct{})
	var x *exchange
	right := func(r *http.Request, body []byte) edge.Taken {
		b, _ := edge.Read(body)
		return edge.Taken{ID: b.ID, SHA256: edge.Digest(body), Deliveries: len(b.Deliveries),
			Sightings: len(b.Sightings)}
	}
	status := func(code int) func(http.ResponseWriter, *http.Request, []byte) bool {
		return func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			w.WriteHeader(code)
			return true
		}
	}
	said := func(change func(*edge.Taken), secret sign.WebhookSecret) func(http.ResponseWriter, *http.Request,
		[]byte) bool {
		return func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			told := right(r, body)
			id := told.ID
			change(&told)
			taken(w, secret, id, x.now(), told)
			return true
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, []byte) bool{
		"nothing at all": status(http.StatusOK),
		"no content":     status(http.StatusNoContent),
		"accepted":       status(http.StatusAccepted),
		"failed":         status(http.StatusInternalServerError),
		"away":           status(http.StatusServiceUnavailable),
		"too many":       status(http.StatusTooManyRequests),
		"not there":      status(http.StatusNotFound),
		"not known":      status(http.StatusUnauthorized),
		"a page": func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			_, _ = w.Write([]byte("<html>Sign in</html>"))
			return true
		},
		"by another":         said(func(*edge.Taken) {}, other),
		"of another batch":   said(func(told *edge.Taken) { told.ID = "bat-other" }, secret),
		"of another text":    said(func(told *edge.Taken) { told.SHA256 = edge.Digest(nil) }, secret),
		"of less":            said(func(told *edge.Taken) { told.Deliveries-- }, secret),
		"of fewer sightings": said(func(told *edge.Taken) { told.Sightings-- }, secret),
		"what it was told": func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			for _, name := range []string{sign.WebhookID, sign.WebhookTimestamp, sign.WebhookSignature} {
				w.Header().Set(name, r.Header.Get(name))
			}
			_, _ = w.Write(body)
			return true
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		},
		"cut": func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"id":`))
			panic(http.ErrAbortHandler)
		},
		"an old answer": func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			told := right(r, body)
			taken(w, secret, told.ID, x.now().Add(-time.Hour), told)
			return true
		},
		"too much": func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			_, _ = w.Write(make([]byte, maxTaken+1))
			return true
		},
		"no end": func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			close(begun)
			<-stalled
			return true
		},
		"it is taken, and nobody hears that": func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			b, _ := edge.Read(body)
			x.mu.Lock()
			defer x.mu.Unlock()
			_ = x.take(b)
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			x = &exchange{desk: newDesk(), secret: secret, now: now.Now, answer: answer}
			server := httptest.NewServer(x)
			defer server.Close()
			hand := &Exchange{URL: server.URL + edge.Path, Key: "edg_1", Secret: secret,
				Fetcher: fetch.New(fetch.Options{}), Now: now.Now}
			s := opened(t, Config{Dir: t.TempDir(), Sync: DefaultSync, Ship: hand.Ship, Now: now.Now})
			begin(t, s, "txn-1", 5).End(200, 5, nil)
			s.CountSighting(Sighting{"news.example", "GPTBot", "/a", "refused"})
			ctx, cancel := context.WithCancel(t.Context())
			if name == "no end" {
				go func() {
					<-begun
					cancel()
				}()
			}
			if err := s.Flush(ctx); err == nil {
				t.Error("it counts as taken")
			}
			cancel()
			if name == "no end" {
				close(stalled)
			}
			if got := s.Stats(); got.Waiting != 3 || got.Failed != 1 || got.Problem == "" {
				t.Errorf("%+v", got)
			}
			x.honest.Store(true)
			begin(t, s, "txn-2", 5).End(200, 5, nil)
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(x.deliveries) != 2 || len(x.sightings) != 1 || s.Stats().Waiting != 0 {
				t.Errorf("%v, %v, %+v", x.deliveries, x.sightings, s.Stats())
			}
			for _, n := range x.sightings {
				if n != 1 {
					t.Errorf("it was counted %d times", n)
				}
			}
		})
	}
}

// TestClocksMayBeApart has the edge sign by the Exchange's clock, once that has said that its own
// is apart.
func TestClocksMayBeApart(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{-36 * time.Hour, -6 * time.Minute, 6 * time.Minute, 36 * time.Hour} {
		here := clock.At(noon)
		x := &exchange{desk: newDesk(), secret: sign.WebhookSecret(strings.Repeat("s", 32)), now: func() time.Time {
			return here.Now().Add(apart)
		}}
		server := httptest.NewServer(x)
		hand := &Exchange{URL: server.URL + edge.Path, Key: "edg_1", Secret: x.secret,
			Fetcher: fetch.New(fetch.Options{}), Now: here.Now}
		s := opened(t, Config{Dir: t.TempDir(), Sync: DefaultSync, Ship: hand.Ship, Now: here.Now})
		begin(t, s, "txn-1", 5).End(200, 5, nil)
		if err := s.Flush(t.Context()); err == nil || len(x.deliveries) != 0 {
			t.Errorf("%s apart: %v", apart, err)
		}
		if err := s.Flush(t.Context()); err != nil || len(x.deliveries) != 1 {
			t.Errorf("%s apart, the second time: %v", apart, err)
		}
		server.Close()
	}
}

// FuzzRead has segments of any bytes read: whatever they are, what is told can be told, and is the
// same each time.
func FuzzRead(f *testing.F) {
	disk := &memory{files: map[string][]byte{}}
	s := opened(f, Config{Dir: "x", Ship: newDesk().ship, disk: disk, Sync: time.Hour})
	begin(f, s, "txn-1", 5).End(200, 5, []byte("12345678901234567890123456789012"))
	begin(f, s, "txn-2", -1)
	s.CountSighting(Sighting{"news.example", "GPTBot", "/a", "refused"})
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	for _, text := range disk.files {
		f.Add(text, byte(kindBegin), []byte(`{"id":"x","uri":"https://a.example/","state":"begun","bytes":1,"at":"2027-05-04T12:00:00Z"}`))
		f.Add(text[:len(text)-3], byte(kindEnd), []byte(`{"id":"x","state":"ended","bytes":-1}`))
		f.Add(append(make([]byte, 20), text...), byte(kindSeen), []byte(`[{"count":-1}]`))
	}
	f.Fuzz(func(t *testing.T, text []byte, kind byte, payload []byte) {
		framed := make([]byte, framing, framing+1+len(payload))
		framed = append(append(framed, kind), payload...)
		seal(framed)
		text = append(text, framed...)
		b := read(text).batch()
		for n, d := range b.Deliveries {
			if err := d.Check(); err != nil {
				t.Errorf("deliveries/%d: %v", n, err)
			}
		}
		for n, s := range b.Sightings {
			if err := s.Check(); err != nil {
				t.Errorf("sightings/%d: %v", n, err)
			}
		}
		first, err := b.Text()
		second, _ := read(text).batch().Text()
		if err != nil || string(first) != string(second) {
			t.Errorf("it is told otherwise the second time: %v", err)
		}
	})
}
