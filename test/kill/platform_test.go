package kill

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	"frontdesk/wire/receipt"
)

// platform is a platform of the Agentic Intent Protocol, with signatures of its own making.
type platform struct {
	id, key string
	secret  []byte
	keys    receipt.Keys
	http    *http.Client
}

const (
	retrievePath = "/intent/retrieve"
	eventsPath   = "/intent/events"
	receiptsPath = "/intent/receipts/"
)

// message is a signed message: sent again as it is, it is a repetition; signed again, it is another
// try. Without a body it is a GET.
type message struct {
	Path, Body, Nonce, Stamp string
}

func (m message) method() string {
	if m.Body == "" {
		return http.MethodGet
	}
	return http.MethodPost
}

// reply is what came back.
type reply struct {
	status int
	body   []byte
}

// sign gives a message a time and a nonce.
func (m message) sign() message {
	nonce := make([]byte, 16)
	rand.Read(nonce)
	m.Nonce, m.Stamp = hex.EncodeToString(nonce), now()
	return m
}

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }

// signature is that of a first line: a method, or of an answer the digits of its status.
func (p *platform) signature(first, at string, body []byte, stamp, nonce string) string {
	sum := sha256.Sum256(body)
	mac := hmac.New(sha256.New, p.secret)
	io.WriteString(mac, strings.Join([]string{first, at, hex.EncodeToString(sum[:]), stamp, nonce}, "\n"))
	return "v1=" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// send sends a message. The error is of the way there and back: whether the message was taken,
// nobody knows then. An answer in full without the right signature is no answer of the front
// desk's, and fails the test.
func (p *platform) send(server *process.Server, m message) (*reply, error) {
	request, err := http.NewRequest(m.method(), server.URL+m.Path, strings.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "X-AIP-Version": "0.1", "X-AIP-Key-Id": p.key, "X-AIP-Timestamp": m.Stamp,
		"X-AIP-Nonce": m.Nonce, "X-AIP-Signature": p.signature(m.method(), m.Path, []byte(m.Body), m.Stamp, m.Nonce),
	} {
		request.Header.Set(name, value)
	}
	response, err := p.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 300 {
		h := response.Header
		want := p.signature(fmt.Sprint(response.StatusCode), m.Path, body, h.Get("X-AIP-Timestamp"),
			h.Get("X-AIP-Nonce"))
		if h.Get("X-AIP-Signature") != want {
			return nil, fmt.Errorf("%w of status %d: %s", errUnsigned, response.StatusCode, body)
		}
	}
	return &reply{response.StatusCode, body}, nil
}

var errUnsigned = errors.New("an answer has no right signature")

// get reads what the ledger publishes.
func (p *platform) get(server *process.Server, at string) (*reply, error) {
	response, err := p.http.Get(server.URL + at)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return &reply{response.StatusCode, body}, err
}

// checkpoint is the ledger's latest, if its signature is right.
func (p *platform) checkpoint(server *process.Server) (receipt.Checkpoint, error) {
	got, err := p.get(server, "/ledger/checkpoint")
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("the checkpoint: %d %s", got.status, got.body)
	}
	if err != nil {
		return receipt.Checkpoint{}, err
	}
	return receipt.OpenCheckpoint(string(got.body), p.keys)
}

// proven fetches the receipt of an entry, with patience while it waits for its place, and verifies
// it.
func (p *platform) proven(t *testing.T, server *process.Server, id string) (receipt.Receipt, []byte) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		got, err := p.send(server, message{Path: receiptsPath + id}.sign())
		switch {
		case err != nil:
			t.Fatal(err)
		case got.status == http.StatusServiceUnavailable && time.Now().Before(deadline):
			continue
		case got.status != http.StatusOK:
			t.Fatalf("the receipt of the entry %s that was acknowledged: %d %s", id, got.status, got.body)
		}
		r, err := receipt.Parse(bytes.TrimSpace(got.body))
		if err == nil {
			_, err = receipt.Verify(r, p.keys)
		}
		if err != nil {
			t.Fatalf("the receipt of the entry %s: %v\n%s", id, err, got.body)
		}
		return r, got.body
	}
}

// grew holds that the ledger still begins with all that an earlier checkpoint signed.
func (p *platform) grew(t *testing.T, server *process.Server, before receipt.Checkpoint) {
	t.Helper()
	after, err := p.checkpoint(server)
	if err != nil {
		t.Fatal(err)
	}
	if after.Size < before.Size {
		t.Fatalf("the ledger had %d entries, and has %d", before.Size, after.Size)
	}
	hashes := receipt.FromTiles(after.Size, after.Root, func(tiles []receipt.Tile) (all [][]byte, err error) {
		for _, tile := range tiles {
			got, err := p.get(server, "/ledger/"+tile.Path())
			if err != nil {
				return nil, err
			}
			if got.status != http.StatusOK {
				return nil, fmt.Errorf("%s: %d %s", tile.Path(), got.status, got.body)
			}
			all = append(all, got.body)
		}
		return all, nil
	})
	proof, err := receipt.ProveGrowth(before.Size, after.Size, hashes)
	if err == nil {
		err = receipt.VerifyGrowth(before, after, proof)
	}
	if err != nil {
		t.Fatalf("the ledger of %d entries is not the beginning of that of %d: %v", before.Size, after.Size, err)
	}
}

// asking is a request of a session, as it will be sent.
func (p *platform) asking(id, session, country, domain string, item int) message {
	return message{Path: retrievePath, Body: fmt.Sprintf(`{"aip_version":"0.1","request_id":%q,"timestamp":%q,"platform":{"id":%q},"intent":{"domain":%q},`+
		`"context":{"language":"en-US","geography":{"country":%q}},"runtime":{"session_id":%q,"turn_index":0,"query_text":"what the edition amber says about item %d"}}`,
		id, now(), p.id, domain, country, session, item)}.sign()
}

// citing is the event that a source of an answer was shown.
func (p *platform) citing(event, request string, a answered) message {
	chunks, _ := json.Marshal(a.Citations[0].Chunks)
	return message{Path: eventsPath, Body: fmt.Sprintf(`{"aip_version":"0.1","event_id":%q,"event_type":"citation","timestamp":%q,"request_id":%q,`+
		`"publisher":{"id":"kill","domain":"kill.example"},"platform":{"id":%q},"citation":{"source_url":%q,"chunk_ids":%s,"display_surface":"footnote"}}`,
		event, now(), request, p.id, a.Citations[0].URL, chunks)}.sign()
}

// counting is the platform's own count of an answer: so many chunks and tokens.
func (p *platform) counting(event, request string, chunks, tokens int) message {
	return message{Path: eventsPath, Body: fmt.Sprintf(`{"aip_version":"0.1","event_id":%q,"event_type":"access","timestamp":%q,"request_id":%q,`+
		`"publisher":{"id":"kill","domain":"kill.example"},"platform":{"id":%q},"access":{"chunks_returned":%d,"token_count":%d,"retrieval_mode":"chunks"}}`,
		event, now(), request, p.id, chunks, tokens)}.sign()
}

// answered is what the tests read of an answer to a request.
type answered struct {
	Status    string
	Timestamp time.Time
	Content   json.RawMessage
	Citations []struct {
		URL    string   `json:"source_url"`
		Chunks []string `json:"chunk_ids"`
	}
	Denial     struct{ Reason string }
	Extensions struct {
		Receipt string `json:"frontdesk.receipt"` // its address
		Event   string `json:"frontdesk.event_id"`
	}
}

// counted is how many chunks and tokens an answer has.
func (a answered) counted() (chunks, tokens int) {
	var content struct {
		Chunks []struct {
			Tokens int `json:"token_count"`
		}
	}
	if json.Unmarshal(a.Content, &content) != nil {
		return 0, 0
	}
	for _, c := range content.Chunks {
		tokens += c.Tokens
	}
	return len(content.Chunks), tokens
}

// entry is the id of the answer's entry in the ledger.
func (a answered) entry() string { return path.Base(a.Extensions.Receipt) }
