package intake

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// maker is an engine of offers that a test says what to answer.
type maker struct {
	asked atomic.Int64
	mu    sync.Mutex
	ids   []string // of the questions
	say   func(offers.Request) (offers.Outcome, error)
}

func (m *maker) Offer(_ context.Context, q offers.Request) (offers.Outcome, error) {
	m.asked.Add(1)
	m.mu.Lock()
	m.ids = append(m.ids, q.ID)
	say := m.say
	m.mu.Unlock()
	if say != nil {
		return say(q)
	}
	return usualOutcome(), nil
}

func usualOutcome() offers.Outcome {
	return offers.Outcome{Status: offers.Offered, Summary: "Two jars a week.", Details: strictjson.Value(`{"jars":2}`),
		BindRequires: []string{"email", "full_name"}}
}

// taker is a service that takes submissions to one intake, "assessment".
type taker struct {
	*Service
	db     *store.DB
	clock  *clock.Clock
	places premises
	intake *Definition
	others []*Definition // that are declared beside it
	engine *maker
	taking Deps                    // as the service was made of them
	fault  func(step string) error // what befalls a step; nil for nothing
}

// premises are where a taker keeps things, to be opened again.
type premises struct{ store, vault, keys string }

func newPlaces(t testing.TB) premises {
	t.Helper()
	return premises{storetest.ChosenDSN(t, takerSchemas...), storetest.ChosenDSN(t), t.TempDir()}
}

var takerSchemas = []store.Schema{vault.Schema, ledger.Schema, outbox.Schema}

const inputSchema = `{"type":"object","required":["age"],"properties":{"age":{"type":"integer","minimum":0,"maximum":130},
	"concern":{"type":"string","enum":["sleep","weight"]},"note":{"type":"string","maxLength":2000}}}`

func newTaker(t testing.TB) *taker {
	t.Helper()
	return openTaker(t, newPlaces(t))
}

// openTaker opens a taker where there may have been one before.
func openTaker(t testing.TB, at premises) *taker {
	t.Helper()
	return openTakerOn(t, at, "")
}

// openTakerOn is openTaker on a file layer of SQLite.
func openTakerOn(t testing.TB, at premises, layer string) *taker {
	t.Helper()
	k := &taker{clock: clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)), engine: &maker{}, places: at}
	schema, err := wire.CompileSchema([]byte(inputSchema))
	if err != nil {
		t.Fatal(err)
	}
	k.intake = &Definition{
		ID: "assessment", Schema: schema, Retention: wire.Retain30Days, Engine: k.engine, ValidFor: 7 * 24 * time.Hour,
		Binding: true,
		Bind:    BindRules{Requires: []string{"email"}, Sink: "crm"},
	}
	if k.db, err = store.Open(t.Context(), store.Config{DSN: at.store, Schemas: takerSchemas, Files: layer}); err !=
		nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.db.Close() })
	keys, err := identity.OpenSiteKeys(at.keys, k.clock.Now)
	if err == nil {
		err = keys.EnsureKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	k.taking = Deps{
		Intakes: k.declared, DB: k.db, Vault: k.openVault(t, layer), Now: k.clock.Now,
		Ledger: ledger.New(k.db,
			ledger.Options{Origin: "site.example/ledger", Signers: keys.Signers, Now: k.clock.Now}),
		Fault: func(step string) error {
			if k.fault == nil {
				return nil
			}
			return k.fault(step)
		},
	}
	k.restart(t)
	return k
}

// declared are the taker's intakes.
func (k *taker) declared() map[string]*Definition {
	all := map[string]*Definition{k.intake.ID: k.intake}
	for _, other := range k.others {
		all[other.ID] = other
	}
	return all
}

// restart makes the service anew, of what taking is by now.
func (k *taker) restart(t testing.TB) {
	t.Helper()
	var err error
	if k.Service, err = New(k.taking); err != nil {
		t.Fatal(err)
	}
}

// openVault opens the taker's vault, as another process would.
func (k *taker) openVault(t testing.TB, layer string) *vault.Vault {
	t.Helper()
	secret, err := identity.OpenSecret(k.places.keys, "vault")
	if err != nil {
		t.Fatal(err)
	}
	vault, err := vault.Open(t.Context(),
		vault.Options{DSN: k.places.vault, Secret: secret, Now: k.clock.Now, Files: layer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { vault.Close() })
	return vault
}

// sessionID is a session's id, by number.
func sessionID(n int) string { return fmt.Sprintf("0f8fad5b-d9cb-469f-a165-%012x", n) }

// submission is a good submission of a session.
func (k *taker) submission(n int, data string) Submission {
	return Submission{
		Intake: "assessment", Session: sessionID(n), Data: strictjson.Value(data), Locale: "en-US",
		Agent: wire.Agent{ID: "agent-7", Platform: "chat",
			ConsentScope: []wire.Scope{wire.ScopeIntake, wire.ScopeOffer}},
	}
}

// submitted submits what must be answered.
func (k *taker) submitted(t testing.TB, s Submission) *SubmitResult {
	t.Helper()
	out, err := k.Submit(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// binding is a good bind of an offer.
func (k *taker) binding(n int, offer, data string) BindRequest {
	return BindRequest{
		Intake: "assessment", Offer: offer, Session: sessionID(n), Data: strictjson.Value(data),
		Confirmed: "2027-05-04T11:59:58+02:00",
		Agent:     wire.Agent{ID: "agent-7", ConsentScope: []wire.Scope{wire.ScopeIntake, wire.ScopeBind}},
	}
}

const person = `{"email":"jane@example.com","full_name":"Jane Doe"}`

// bound binds what must be bound.
func (k *taker) bound(t testing.TB, b BindRequest) []byte {
	t.Helper()
	out, err := k.Bind(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refusedWith gives the refusal that an error must be.
func refusedWith(t testing.TB, err error) *Refusal {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v; want a refusal", err)
	}
	return refusal
}

// rowsOf counts the rows of a table.
func (k *taker) rowsOf(t testing.TB, table string) (n int) {
	t.Helper()
	if err := k.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.QueryRow(context.Background(), `SELECT COUNT(*) FROM `+table).Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// ledgerEntries are those of a kind, in any order.
func (k *taker) ledgerEntries(t testing.TB, kind string) (all []map[string]any) {
	t.Helper()
	err := k.db.View(context.Background(), func(tx *store.Tx) error {
		all = nil
		rows, err := tx.Query(context.Background(), `SELECT leaf FROM ledger_entry UNION ALL SELECT leaf FROM ledger_pending`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var leaf []byte
			if err := rows.Scan(&leaf); err != nil {
				return err
			}
			var entry map[string]any
			if err := json.Unmarshal(leaf, &entry); err != nil {
				return err
			}
			if entry["kind"] == kind {
				all = append(all, entry)
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// request is a submission as the inbox shows it.
func (k *taker) request(t testing.TB, f vault.Filter) Request {
	t.Helper()
	all, err := k.Inbox(context.Background(), f)
	if err != nil || len(all) != 1 {
		t.Fatalf("the inbox has %d of %+v: %v", len(all), f, err)
	}
	q, err := k.Find(context.Background(), all[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return *q
}

// deliver does one effect that is due, and gives what was told; nil when there is none.
func (k *taker) deliver(t testing.TB, failing error) *BoundOffer {
	t.Helper()
	var told *BoundOffer
	box := outbox.New(outbox.Options{DB: k.db, Sinks: []string{"crm"}, Now: k.clock.Now,
		Deliver: func(ctx context.Context, e outbox.Effect) error {
			return k.Deliver(ctx, e, func(_ context.Context, b BoundOffer) error {
				told = &b
				return failing
			})
		}})
	if _, err := box.RunOne(context.Background(), "crm"); err != nil {
		t.Fatal(err)
	}
	return told
}

// keysLeft counts the keys in the vault that seal something.
func (k *taker) keysLeft(t testing.TB, ids ...string) int {
	t.Helper()
	keys, err := k.taking.Vault.Keys(context.Background(), ids...)
	if err != nil {
		t.Fatal(err)
	}
	return len(keys)
}

// squeezed is JSON without blanks.
func squeezed(text []byte) string {
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return err.Error()
	}
	return out.String()
}

// hmacHex is an HMAC-SHA-256 in hex.
func hmacHex(key []byte, data string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(data))
	return hex.EncodeToString(mac.Sum(nil))
}
