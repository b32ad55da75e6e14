// The peer is an Exchange of RAMP v1, and a provider that sells through it, as a process of its own
// on a socket, which stalls, cuts, lies and floods as it is told. It sells once under each id, and
// what it does to an answer it does after its effect was made.
//
// GET /control tells what was asked of it and what it sold; PUT /control sets how it behaves (see
// Behaviour). With -hole nobody answers at its address, not even a connection comes about.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/testkit/exchange"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Behaviour is how it answers.
type Behaviour struct {
	// Price is what everything costs, in USD; 0 leaves it at 0.02.
	Price float64 `json:"price"`
	// Lists are the addresses of Exchanges through which its provider sells, beside its own.
	Lists []string `json:"lists"`
	// Tricks are what is done to answers, by the last part of their path, such as
	// "DiscoverResources": see send.
	Tricks map[string]string `json:"tricks"`
	// Times is how many answers tricks are done to; 0 is all.
	Times int `json:"times"`
	// Then is done to the others of these answers.
	Then string `json:"then"`
	// Lie is what is wrong of its offers and purchases: see lie.
	Lie string `json:"lie"`
	// Of is the address of an Exchange whose offers it gives out as its own, with the lie "others".
	Of string `json:"of"`
	// Only has it offer nothing but what has this in its address.
	Only string `json:"only"`
}

// Told is what GET /control tells.
type Told struct {
	Asked  map[string]int `json:"asked"`  // by the last part of paths
	Bought []string       `json:"bought"` // the ids of offers that were sold, in their order
	Sales  []string       `json:"sales"`  // the addresses for which they were
	Open   int            `json:"open"`   // answers that are being given
}

type peer struct {
	*exchange.Exchange
	mu        sync.Mutex
	behaviour Behaviour
	done      int // answers that tricks were done to
	open      int
	asked     map[string]int
}

func main() {
	number := flag.Int("key", 1, "makes its key")
	hole := flag.Bool("hole", false, "let no connection come about")
	flag.Parse()
	if *hole {
		swallow()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	p := &peer{Exchange: exchange.NewAt(byte(*number), url), asked: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /control", p.tell)
	mux.HandleFunc("PUT /control", p.set)
	mux.HandleFunc("/", p.serve)
	fmt.Println(url)
	log.Fatal((&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(listener))
}

// swallow takes a port, fills its queue, and takes nothing from it: the packets of whoever connects
// then are dropped, as behind a broken way.
func swallow() {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = syscall.Listen(fd, 0)
	}
	if err != nil {
		log.Fatal(err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		log.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
	for range 8 {
		if _, err := net.DialTimeout("tcp", address, 200*time.Millisecond); err != nil {
			break // it is full
		}
	}
	fmt.Println("http://" + address)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	<-ended
}

func (p *peer) tell(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = json.NewEncoder(w).Encode(Told{p.asked, p.Bought(), p.Sales(), p.open})
}

func (p *peer) set(w http.ResponseWriter, r *http.Request) {
	var b Behaviour
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.behaviour, p.done = b, 0
	p.mu.Unlock()
	p.Lock()
	defer p.Unlock()
	if p.Price = b.Price; b.Price == 0 {
		p.Price = 0.02
	}
	p.Exchange.Lists = []*rampv1.AuthorizedExchange{p.Listed()}
	for _, at := range b.Lists {
		p.Exchange.Lists = append(p.Exchange.Lists,
			&rampv1.AuthorizedExchange{Domain: strings.TrimPrefix(at, "http://"), Endpoint: at + "/rpc",
				Relationship: rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_RESELLER})
	}
	p.lie(b.Lie)
	offer := p.Offer
	p.Offer = func(uri string, o *rampv1.Offer) *rampv1.Offer {
		if !strings.Contains(uri, b.Only) {
			return nil
		}
		if strings.Contains(uri, palace) {
			o.Pricing.Rate = 5000
		}
		if offer != nil {
			return offer(uri, o)
		}
		return o
	}
}

// palace is in addresses of what nobody can pay for.
const palace = "/palace/"

// lie has offers and purchases be wrong.
func (p *peer) lie(how string) {
	p.Offer, p.More, p.Signed, p.Answer, p.Sold, p.Deny = nil, nil, nil, nil, nil, nil
	switch how {
	case "others":
	case "price": // it is cheaper than what was signed
		p.Signed = func(o *rampv1.Offer) { o.Pricing.Rate /= 2 }
	case "signature": // by a key that nobody knows
		other := exchange.NewAt(200, p.URL)
		p.Signed = func(o *rampv1.Offer) { o.ExchangeSignature = other.Sign(proto.CloneOf(o)).ExchangeSignature }
	case "garbled": // a signature that is none
		p.Signed = func(o *rampv1.Offer) { o.ExchangeSignature = "!" }
	case "past": // what ended
		p.Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer {
			o.ExpiresAt.Seconds -= 2 * 3600
			return o
		}
	case "uris": // for addresses that nobody asked for
		p.Answer = func(r *rampv1.ResourceResponse) {
			if len(r.Offers) > 0 {
				r.OfferGroups, r.Offers = []*rampv1.OfferGroup{{Uri: p.URL + "/asked", Offers: r.Offers}}, nil
			}
			for _, group := range r.OfferGroups {
				group.Uri += "/else"
			}
		}
	case "doubles": // each offer a hundred times
		p.Answer = func(r *rampv1.ResourceResponse) {
			for range 7 {
				r.Offers = append(r.Offers, r.Offers...)
				for _, group := range r.OfferGroups {
					group.Offers = append(group.Offers, group.Offers...)
				}
			}
		}
	case "name": // of another Exchange
		p.Answer = func(r *rampv1.ResourceResponse) { r.Exchange = "exchange.example.com" }
	case "query": // the answer to another query
		p.Answer = func(r *rampv1.ResourceResponse) { r.Id = "qry-of-somebody-else" }
	case "manifest":
		p.Manifest = func(m *rampv1.ExchangeManifest) { m.Domain = "exchange.example.com" }
	default:
		p.sell(how)
	}
}

// sell has it lie of what it sells, after it has.
func (p *peer) sell(how string) {
	results := func(do func(*rampv1.TransactionResultItem)) func(*rampv1.TransactionResponse) {
		return func(r *rampv1.TransactionResponse) { each(r, do) }
	}
	cost := func(do func(*rampv1.Cost)) func(*rampv1.TransactionResponse) {
		return results(func(i *rampv1.TransactionResultItem) { do(i.Cost) })
	}
	switch how {
	case "": // it does not
	case "denies": // without having sold
		p.Deny = func(string) rampv1.DenialReason { return rampv1.DenialReason_DENIAL_REASON_CONTENT_UNAVAILABLE }
	case "ended": // without having sold: the offer has ended by then
		p.Deny = func(string) rampv1.DenialReason { return rampv1.DenialReason_DENIAL_REASON_OFFER_EXPIRED }
	case "purchase": // the answer to another purchase
		p.Sold = func(r *rampv1.TransactionResponse) { r.Id = "brk-of-somebody-else" }
	case "items": // of other offers
		p.Sold = results(func(i *rampv1.TransactionResultItem) { i.OfferId = "of-another" })
	case "fewer":
		p.Sold = func(r *rampv1.TransactionResponse) {
			r.Items = r.Items[:max(0, len(r.Items)-1)]
			r.TransactionId = nil
		}
	case "further":
		p.Sold = func(r *rampv1.TransactionResponse) {
			r.Items = append(r.Items,
				&rampv1.TransactionResultItem{OfferId: "of-more", TransactionId: "txn-more", BillingId: "bill-more"},
				&rampv1.TransactionResultItem{OfferId: "of-most", TransactionId: "txn-most", BillingId: "bill-most"})
		}
	case "twice": // the first item in place of the others, too
		p.Sold = func(r *rampv1.TransactionResponse) {
			if len(r.Items) == 0 {
				r.Items = []*rampv1.TransactionResultItem{single(r), single(r)}
			}
			for i := range r.Items {
				r.Items[i] = r.Items[0]
			}
		}
	case "dearer":
		p.Sold = cost(func(c *rampv1.Cost) { c.Amount = 0.5 })
	case "cheaper":
		p.Sold = cost(func(c *rampv1.Cost) { c.Amount /= 2 })
	case "currency":
		p.Sold = cost(func(c *rampv1.Cost) { c.Currency = "EUR" })
	case "boundless": // more than there is
		p.Sold = cost(func(c *rampv1.Cost) { c.Amount = 1e300 })
	case "negative":
		p.Sold = cost(func(c *rampv1.Cost) { c.Amount = -3 })
	case "renames": // it has other transactions when it is asked again
		p.Sold = results(func(i *rampv1.TransactionResultItem) { i.TransactionId = "other-" + i.TransactionId })
	case "nameless":
		p.Sold = results(func(i *rampv1.TransactionResultItem) { i.TransactionId = "" })
	case "addressless":
		p.Sold = results(func(i *rampv1.TransactionResultItem) { i.Package = nil })
	case "host": // the delivery is another's
		p.Sold = results(func(i *rampv1.TransactionResultItem) {
			i.Package.Retrieval.Endpoint = proto.String("http://192.0.2.1/x")
		})
	case "takes back": // what it has sold
		p.Sold = results(func(i *rampv1.TransactionResultItem) {
			*i = rampv1.TransactionResultItem{OfferId: i.OfferId,
				DenialReason: rampv1.DenialReason_DENIAL_REASON_CONTENT_UNAVAILABLE.Enum()}
		})
	case "both": // sold and denied
		p.Sold = results(func(i *rampv1.TransactionResultItem) {
			i.DenialReason = rampv1.DenialReason_DENIAL_REASON_CONTENT_UNAVAILABLE.Enum()
		})
	default:
		log.Fatalf("no such lie: %s", how)
	}
}

// each changes what is told of each offer.
func each(r *rampv1.TransactionResponse, do func(*rampv1.TransactionResultItem)) {
	for _, item := range r.Items {
		do(item)
	}
	if len(r.Items) > 0 {
		return
	}
	one := single(r)
	do(one)
	if one.OfferId != "" {
		r.Items = []*rampv1.TransactionResultItem{one}
	}
	r.TransactionId, r.BillingId, r.Cost, r.Package, r.DenialReason = &one.TransactionId, &one.BillingId, one.Cost,
		one.Package, one.DenialReason
}

// single is what is told of one offer where there is but one.
func single(r *rampv1.TransactionResponse) *rampv1.TransactionResultItem {
	return &rampv1.TransactionResultItem{TransactionId: r.GetTransactionId(), BillingId: r.GetBillingId(), Cost: r.Cost,
		Package: r.Package, DenialReason: r.DenialReason}
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	p.mu.Lock()
	p.asked[name]++
	p.open++
	b := p.behaviour
	trick := b.Tricks[name]
	if trick != "" {
		if p.done++; b.Times > 0 && p.done > b.Times {
			trick = b.Then
		}
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open--
	}()
	if b.Lie == "others" && name == "DiscoverResources" {
		pass(w, r, b.Of)
		return
	}
	if word, is := strings.CutPrefix(trick, "refuses "); is { // before anything is done
		refuse(w, word)
		return
	}
	whole := httptest.NewRecorder()
	p.ServeHTTP(whole, r)
	if trick == "" {
		give(w, whole)
		return
	}
	send(w, r, trick, whole.Body.Bytes())
}

// refuse answers with a status: 401 with a code of Connect's, such as "401 unauthenticated", or
// without; and with "429 - 3600" for when to come back.
func refuse(w http.ResponseWriter, word string) {
	fields := append(strings.Fields(word), "-", "")
	status, err := strconv.Atoi(fields[0])
	if err != nil {
		log.Fatalf("no such trick: %s", word)
	}
	if fields[2] != "" && fields[2] != "-" {
		w.Header().Set("Retry-After", fields[2])
	}
	if fields[1] == "-" {
		http.Error(w, "not now", status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"code":%q,"message":"not now"}`, fields[1])
}

// pass gives out what another Exchange answers.
func pass(w http.ResponseWriter, r *http.Request, of string) {
	request, err := http.NewRequest(r.Method, of+r.URL.Path, r.Body)
	if err != nil {
		log.Fatal(err)
	}
	request.Header = r.Header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer := map[string]any{}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	answer["exchange"] = r.Host
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func give(w http.ResponseWriter, whole *httptest.ResponseRecorder) {
	for name, values := range whole.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(whole.Code)
	_, _ = w.Write(whole.Body.Bytes())
}

// send gives an answer with a trick.
func send(w http.ResponseWriter, r *http.Request, trick string, whole []byte) {
	w.Header().Set("Content-Type", "application/json")
	half := whole[:len(whole)/2]
	switch trick {
	case "stall": // it never answers
		<-r.Context().Done()
	case "half": // it begins, and never goes on
		flush(w, half)
		<-r.Context().Done()
	case "drip": // a byte now and then
		for i := range whole {
			flush(w, whole[i:i+1])
			select {
			case <-r.Context().Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	case "cut": // it breaks off in the middle
		flush(w, half)
		panic(http.ErrAbortHandler)
	case "close":
		panic(http.ErrAbortHandler)
	case "garbage":
		_, _ = io.WriteString(w, "<html>\x00\xff{\"offers\": [}")
	case "elsewhere":
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
	case "fail":
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprintf(w, `{"code":"internal","message":%q}`, strings.Repeat("words without end ", 1<<20))
	case "huge": // one text of 256 MiB
		_, _ = io.WriteString(w, `{"ver":"1.0","id":"`)
		for range 256 {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `"}`)
	case "endless":
		for piece := []byte(`{"offers":[{}`); r.Context().Err() == nil; piece = bytes.Repeat([]byte(",{}"), 1<<12) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	case "bomb": // 256 MiB in a quarter of one
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, `{"offers":[`)
		for range 1 << 8 {
			if _, err := packed.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
				return
			}
		}
		_ = packed.Close()
	case "many": // a hundred thousand offers that are the least that can be said
		_, _ = w.Write(with(whole, `"offers":[{}`+strings.Repeat(",{}", 99_999)+`]`))
	case "groups": // each in a group of its own
		_, _ = w.Write(with(whole, `"offer_groups":[{"offers":[{}]}`+strings.Repeat(`,{"offers":[{}]}`, 49_999)+`]`))
	case "deep": // no end of brackets
		_, _ = io.WriteString(w, `{"ver":"1.0","ext":`+strings.Repeat(`{"a":`, 50_000)+`1`+strings.Repeat(`}`, 50_000)+`}`)
	default:
		log.Fatalf("no such trick: %s", trick)
	}
}

// with is an answer to a query that offers something else.
func with(whole []byte, offers string) []byte {
	answer := &rampv1.ResourceResponse{}
	if err := ramp.Unmarshal(whole, answer); err != nil {
		log.Fatal(err)
	}
	return fmt.Appendf(nil, `{"ver":"1.0","id":%q,"exchange":%q,%s}`, answer.Id, answer.Exchange, offers)
}

func flush(w http.ResponseWriter, text []byte) {
	_, _ = w.Write(text)
	_ = http.NewResponseController(w).Flush()
}
