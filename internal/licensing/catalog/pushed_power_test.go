package catalog_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/testkit/storetest"
)

// every is a source by which a disk that loses its power keeps all that was not synced, or nothing
// of it.
type every bool

// Uint64 says so to [storetest.Disk.Crash].
func (kept every) Uint64() uint64 {
	if kept {
		return 0
	}
	return math.MaxUint64
}

// TestALossOfPowerKeepsPushesWhole loses the power at moments all over a run of pushing, pushing
// again and removing, with whatever a disk may then have of what was not synced: by chance, or all
// of it, or nothing. The catalog of the next start has what was answered by then, attestations
// included; the request that was under way is kept right before its answer where the disk has
// everything, and not where it has nothing, and by chance whole or not at all.
func TestALossOfPowerKeepsPushesWhole(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	schemas := []store.Schema{content.Schema, push.Schema}
	db, err := store.Open(t.Context(), store.Config{DSN: filepath.Join(t.TempDir(), "store.db"), Schemas: schemas,
		Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	shelves := push.NewStore(db, time.Now)
	states := []map[string]string{{}} // by address, after so many requests
	answered := []int{disk.Now()}
	for n := range 24 {
		state := maps.Clone(states[n])
		if n%4 == 3 {
			var gone []string
			for i := range 20 {
				gone = append(gone, fmt.Sprintf("a.example/%d", (n*3+i)%60))
				delete(state, gone[i])
			}
			_, err = shelves.Remove(t.Context(), "a", gone, "")
		} else {
			b := push.Batch{Tenant: "a"}
			for i := range 20 {
				e := pushed(fmt.Sprintf("a.example/%d", (n*7+i)%60))
				e.Title = fmt.Sprint("Of request ", n)
				e.Attestations = [][]byte{fmt.Appendf(nil, `{"of":%d}`, n)}
				b.Entries = append(b.Entries, e)
				state[e.Address] = fmt.Sprintf(`%s {"of":%d}`, e.Title, n)
			}
			_, err = shelves.Put(t.Context(), b)
		}
		if err != nil {
			t.Fatal(err)
		}
		states, answered = append(states, state), append(answered, disk.Now())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	crashes := 40
	if testing.Short() {
		crashes = 10
	}
	chance := rand.New(rand.NewPCG(1, 2))
	underWay := 0
	for i := range crashes {
		n := 1 + i%(len(answered)-1) // the request that is answered next
		at := answered[n] - 1
		if i%4 == 3 {
			at = answered[n-1] + (answered[n]-answered[n-1])*i/crashes
		}
		folder := t.TempDir()
		if err := disk.Crash(at, []*rand.Rand{rand.New(every(true)), rand.New(every(false)), chance, chance}[i%4],
			folder); err != nil {
			t.Fatal(err)
		}
		got := soldAfter(t, filepath.Join(folder, "store.db"), schemas)
		kept := maps.Equal(got, states[n])
		if !kept && !maps.Equal(got, states[n-1]) || i%4 == 0 && !kept || i%4 == 1 && kept {
			t.Fatalf("the power was lost at moment %d, when %d requests were answered: %v is sold, not %v or %v", at,
				n-1, got, states[n-1], states[n])
		}
		if kept {
			underWay++
		}
	}
	t.Logf("the power was lost %d times, and %d times the request that was under way was kept", crashes, underWay)
}

// soldAfter is what the catalog of the next start has: titles and what is attested by address.
func soldAfter(t *testing.T, dsn string, schemas []store.Schema) map[string]string {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: dsn, Schemas: schemas, Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	shelves := push.NewStore(db, time.Now)
	goods, err := catalog.New(catalog.Config{Content: content.New(db, content.Options{}), Pushes: shelves})
	if err == nil {
		_, err = goods.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	sold := map[string]string{}
	for e := range goods.All() {
		address := strings.TrimPrefix(e.URL, "https://")
		attested, err := shelves.Attestations(t.Context(), "a", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		sold[address] = e.Title
		for _, one := range attested {
			sold[address] += " " + string(one)
		}
	}
	return sold
}
