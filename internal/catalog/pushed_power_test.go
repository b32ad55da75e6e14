package catalog_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/catalog"
	"frontdesk/internal/content"
	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
	"frontdesk/internal/supply"
)

// TestALossOfPowerKeepsPushesWhole loses the power at moments all over a run of pushing, pushing again and removing, with whatever a disk may
// then have of what was not synced. The catalog of the next start has what was answered by then, attestations included, and the
// request that was under way whole or not at all.
func TestALossOfPowerKeepsPushesWhole(t *testing.T) {
	disk := storetest.NewDisk(t)
	schemas := []store.Schema{content.Schema, supply.Schema}
	db, err := store.Open(t.Context(), store.Config{DSN: filepath.Join(t.TempDir(), "store.db"), Schemas: schemas, Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	shelves := supply.NewShelves(db, time.Now)
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
			b := supply.Batch{Tenant: "a"}
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
	source := rand.New(rand.NewPCG(1, 2))
	underWay := 0
	for i := range crashes {
		at := answered[0] + (answered[len(answered)-1]-answered[0])*i/crashes
		folder := t.TempDir()
		if err := disk.Crash(at, source, folder); err != nil {
			t.Fatal(err)
		}
		told := 0
		for told+1 < len(answered) && answered[told+1] <= at {
			told++
		}
		got := soldAfter(t, filepath.Join(folder, "store.db"), schemas)
		switch {
		case maps.Equal(got, states[told]):
		case told+1 < len(states) && maps.Equal(got, states[told+1]):
			underWay++
		default:
			t.Fatalf("the power was lost at moment %d, when %d requests were answered: %v is sold, not %v", at, told, got, states[told])
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
	shelves := supply.NewShelves(db, time.Now)
	goods, err := catalog.New(catalog.Config{Content: content.New(db, content.Options{}), Supply: shelves})
	if err == nil {
		_, err = goods.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	sold := map[string]string{}
	for e := range goods.All() {
		address := strings.TrimPrefix(e.URL, "https://")
		attested, err := shelves.Attestations(t.Context(), "a", address)
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
