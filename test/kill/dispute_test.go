package kill

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/testkit/process"
)

// disputeKills is how often servers are killed under disputes in the short form, and disputesEach
// how many purchases are disputed for each.
const (
	disputeKills = 4
	disputesEach = 30
)

// TestKilledServersDecideDisputesOnce kills servers while buyers dispute what they have bought,
// some of it twice at once, on PostgreSQL at two servers; of half of it the log of a CDN says that
// it failed. What was told before the kill is told after it, and what was not told comes to be when
// it is asked for again: each is decided once and paid back once, has one entry for each of its
// steps, and the book holds.
func TestKilledServersDecideDisputesOnce(t *testing.T) {
	t.Parallel()
	killOnBoth(t, disputeKills, func(t *testing.T, fresh func() string, servers, kills int) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		x := &exchange{t: t, dsn: fresh(), dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 2))}
		x.open(servers)
		unsure := 0
		for i := range kills {
			unsure += x.disputeRound(i)
			if t.Failed() {
				t.Fatalf("after %d kills", i+1)
			}
		}
		for _, args := range [][]string{{"ledger", "audit"}, {"ramp", "account", "check"}} {
			process.MustRun(t, append(args, "--config", x.configs[0])...)
		}
		export := filepath.Join(x.dir, "disputes.jsonl")
		x.exported(export)
		for _, server := range x.servers {
			server.End(t)
		}
		x.decidedOnce(stepsIn(t, export))
		t.Logf("%d kills; of %d disputes %d had no answer before the kill", kills, len(x.all), unsure)
		if unsure == 0 {
			t.Error("the kills hit nothing")
		}
	})
}

// disputeRound buys and reports some things, disputes them, kills servers meanwhile, and disputes
// them again. It gives how many disputes had no answer before the kill.
func (x *exchange) disputeRound(n int) (unsure int) {
	t := x.t
	all := make([]*buying, disputesEach)
	var wait sync.WaitGroup
	for worker := range 6 {
		wait.Go(func() {
			for i := worker; i < disputesEach; i += 6 {
				var err error
				if all[i], err = x.bought(i%2, fmt.Sprintf("disputed-%d-%d", n, i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	if wait.Wait(); t.Failed() {
		t.FailNow()
	}
	var lines strings.Builder
	for i, r := range all {
		if i%2 == 0 {
			fmt.Fprintf(&lines, `{"time":%q,"transaction":%q,"status":503,"bytes":0}`+"\n", time.Now().UTC().Format(time.RFC3339), r.answer[0].Transaction)
		}
	}
	log := filepath.Join(x.dir, "cdn.jsonl")
	if err := os.WriteFile(log, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	process.MustRun(t, "ramp", "evidence", "import", "--config", x.configs[0], "--form", "frontdesk", log)

	enough, told := int64(1+x.random.IntN(disputesEach/2)), atomic.Int64{}
	reached, idle := make(chan struct{}), make(chan struct{})
	servers := x.servers
	send := func(i int, server *process.Server, r *buying) bool {
		lost, err := r.dispute(server, 0)
		if err != nil {
			t.Error(err)
		}
		if lost == nil && told.Add(1) == enough {
			close(reached)
		}
		return lost == nil && err == nil
	}
	for worker := range 6 {
		wait.Go(func() {
			for i := worker; i < disputesEach; i += 6 {
				var twin sync.WaitGroup
				if i%3 == 0 { // the same, at the same time, perhaps at another server
					other := *all[i]
					other.disputes = map[string]*disputed{}
					twin.Go(func() { send(i, servers[len(servers)-1], &other) })
				}
				goes := send(i, servers[i%len(servers)], all[i])
				if twin.Wait(); !goes {
					return
				}
			}
		})
	}
	go func() { wait.Wait(); close(idle) }()
	select {
	case <-reached:
	case <-idle:
		t.Fatalf("the servers do not answer\n%s", x.servers[0].Log())
	}
	<-time.After(time.Duration(x.random.Int64N(int64(3 * time.Millisecond)))) // anywhere within the requests under way
	victim := x.random.IntN(len(x.servers))
	x.servers[victim].Kill()
	wait.Wait()
	x.servers = append([]*process.Server{}, x.servers...)
	x.servers[victim] = process.Start(t, "serve", "--config", x.configs[victim])
	for i, r := range all {
		if d := r.disputes[r.answer[0].Transaction]; d == nil || d.id == "" {
			unsure++
		}
		for range 2 {
			if lost, err := r.dispute(x.any(), 0); lost != nil || err != nil {
				t.Fatalf("%s, disputed after the kill: %v, %v", r.id, lost, err)
			}
		}
		if d := r.disputes[r.answer[0].Transaction]; (d.credit >= 0) != (i%2 == 0) {
			t.Errorf("the dispute %s gave back %v", d.id, d.credit)
		}
	}
	x.all = append(x.all, all...)
	return unsure
}

// bought is something that a buyer has bought and reported.
func (x *exchange) bought(buyer int, id string) (*buying, error) {
	b, server, uri := x.buyers[buyer], x.servers[0], itemURL(rand.IntN(60))
	got, err := b.call(server, "DiscoverResources",
		map[string]any{"ver": "1.0", "id": "query-" + id, "requester": b.requester(uri), "deadline": "10s"})
	if err != nil {
		return nil, err
	}
	found, err := offers(got, []string{uri})
	if err != nil {
		return nil, err
	}
	r := newBuying(b, id, found[uri][rand.IntN(len(found[uri]))])
	var lost error
	if r.answer, lost, err = r.send(server); lost != nil || err != nil || r.answer[0].Denial != "" {
		return nil, fmt.Errorf("%s: %v, %v, %+v", id, lost, err, r.answer)
	}
	if lost, err = r.report(server, 0); lost != nil || err != nil {
		return nil, fmt.Errorf("%s: %v, %v", id, lost, err)
	}
	return r, nil
}

// stepsIn counts the entries of disputes in an export, by their transactions.
func stepsIn(t *testing.T, export string) map[string]int {
	t.Helper()
	file, err := os.Open(export)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	steps := map[string]int{}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var line struct {
			Entry struct{ Kind, Subject string }
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Entry.Kind == "dispute" {
			steps[line.Entry.Subject]++
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

// decidedOnce holds the disputes and the book against what the buyers were told, when no server
// runs; steps are the ledger's entries.
func (x *exchange) decidedOnce(steps map[string]int) {
	t, ctx := x.t, context.Background()
	db, err := store.Open(ctx,
		store.Config{DSN: x.dsn, Schemas: []store.Schema{accounts.Schema, transactions.Schema, disputes.Schema}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if problems, err := accounts.Check(ctx, db); err != nil || len(problems) > 0 {
		t.Errorf("the book: %v %v", problems, err)
	}
	purchases, err := accounts.NewReader(db).Purchases(ctx, accounts.PurchaseFilter{})
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]accounts.Hold{}
	for _, h := range purchases {
		held[h.ID] = h
	}
	reader := disputes.NewReader(db)
	for _, r := range x.all {
		id := r.answer[0].Transaction
		told := r.disputes[id]
		c, _, there, err := reader.Dispute(ctx, id)
		if err != nil || !there || c.ID != told.id || c.Steps != 2 || steps[id] != 2 {
			t.Errorf("the dispute %s is %+v, with %d entries: %v", told.id, c, steps[id], err)
		}
		delete(steps, id)
		back, h := told.credit >= 0, held[id]
		if back != (c.Status == disputes.AutoResolved && c.Resolution == disputes.Credit) ||
			back != (h.State == accounts.Released) ||
			back && (h.Charged != 0 || math.Abs(told.credit-float64(c.Credit)/1e8) > 1e-9) {
			t.Errorf("the dispute %s gave back %v, is %+v, and the book has %+v", told.id, told.credit, c, h)
		}
	}
	if len(steps) > 0 {
		t.Errorf("the ledger has disputes that nobody filed: %v", steps)
	}
}
