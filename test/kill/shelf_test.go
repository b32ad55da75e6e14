package kill

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy/imported"
)

// count counts a request that was answered.
func (x *supplies) count(changed bool, strays int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range 2 {
		if changed {
			x.revisions[i]++
		}
		x.refusals[i] += strays
	}
}

// look opens the database as the next process would, and holds it against what was answered.
func (x *supplies) look() {
	t, ctx := x.t, context.Background()
	dsn, schemas := x.dsn, []store.Schema{content.Schema, push.Schema, imported.Schema}
	if path, is := strings.CutPrefix(x.dsn, "sqlite:"); is { // a look at the database itself would repair it
		copied := filepath.Join(t.TempDir(), "frontdesk.db")
		copyDatabase(t, path, copied)
		dsn = "sqlite:" + copied
	}
	db, err := store.Open(ctx, store.Config{DSN: dsn, Schemas: schemas})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Engine() == store.SQLite {
		checkIntegrity(t, db)
	}
	shelves := push.NewStore(db, time.Now)
	goods, err := catalog.New(catalog.Config{Content: content.New(db, content.Options{}), Pushes: shelves})
	if err == nil {
		_, err = goods.Refresh(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	there, editions := map[string]*catalog.Entry{}, map[string]map[string]int{} // by author and address; and of sites
	for e := range goods.All() {
		if e.IsPushed() {
			there[e.Pushed.Author+" "+strings.TrimPrefix(e.URL, "https://")] = &e
			continue
		}
		var n, edition int
		if _, err := fmt.Sscanf(e.Title, "Item %d of edition %d", &n, &edition); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		if editions[e.Site] == nil {
			editions[e.Site] = map[string]int{}
		}
		editions[e.Site][e.URL] = edition
	}
	stars := map[string]bool{}
	for _, p := range x.pushers {
		x.kept += p.look(there, shelves, stars, db.Engine() == store.SQLite)
	}
	if len(there) > 0 {
		t.Errorf("the catalog has %d entries that nobody pushed: %v", len(there), there)
	}
	for _, s := range x.sites {
		s.look(x, editions[s.id], imported.New(db, time.Now))
	}
	x.counted(db, stars)
}

// look takes what is a pusher's out of what is there, and holds it against what it was told. It
// gives how many requests without an answer are there.
func (p *pusher) look(there map[string]*catalog.Entry, shelves *push.Store, stars map[string]bool,
	dead bool) (kept int) {
	t, got := p.x.t, map[int]int{}
	for i := range places {
		path, _ := p.path(i)
		e := there[p.author+" "+p.x.domain()+path]
		if e == nil {
			continue
		}
		delete(there, p.author+" "+p.x.domain()+path)
		got[i] = e.Words
		if e.Title != p.title(i, e.Words) || fmt.Sprintf("%x", e.Hash) != fmt.Sprintf("%064x", e.Words) {
			t.Errorf("%s is made of several versions: %+v", path, e)
		}
		if _, starred := push.Pattern(p.x.domain() + path); starred {
			stars[p.x.domain()+path] = true
		}
		texts, err := shelves.Attestations(context.Background(), tenant, p.x.domain()+path, nil)
		if err != nil || len(texts) != map[bool]int{true: 1}[attests(i)] {
			t.Errorf("%s has the attestations %q: %v", path, texts, err)
		}
		for _, text := range texts {
			var a struct {
				Claims struct {
					Words int `json:"word_count"`
				}
			}
			if err := json.Unmarshal(text, &a); err != nil || a.Claims.Words != e.Words {
				t.Errorf("version %d of %s has the attestation %s: %v", e.Words, path, text, err)
			}
		}
	}
	if p.doubt == nil {
		if !maps.Equal(got, p.has) {
			t.Errorf("%s was told that %v is there, and %v is", p.id, p.has, got)
		}
		return 0
	}
	before, after := maps.Equal(got, p.has), maps.Equal(got, p.doubt.on(p.has))
	if !before && !after {
		t.Errorf("%s was told that %v is there; a request that was not answered makes that %v; there is %v", p.id,
			p.has, p.doubt.on(p.has), got)
	}
	if after { // with what it counts, where it made anything
		p.x.revisions[1]++
		p.x.refusals[1] += p.doubt.strays
	}
	switch {
	case after && !before:
		p.x.revisions[0]++
		p.x.refusals[0] += p.doubt.strays
		return 1
	case before && !after && !dead: // another process of the database may be at it still
		p.x.revisions[1]++
		p.x.refusals[1] += p.doubt.strays
	}
	return 0
}

// look holds that a site is one edition, whole, in the catalog and in what it states.
func (s *shop) look(x *supplies, there map[string]int, keeper *imported.Store) {
	t := x.t
	edition := there[s.at+"/0"]
	if edition < s.seen || edition > s.current() || poisoned(edition) || len(there) != itemsOf(edition) {
		t.Errorf("%s, after edition %d and at %d, has %v", s.id, s.seen, s.current(), there)
	}
	for i := range itemsOf(edition) {
		if at := fmt.Sprintf("%s/%d", s.at, i); there[at] != edition {
			t.Errorf("%s is of edition %d, and %s of %d", s.id, edition, at, there[at])
		}
	}
	s.seen = max(s.seen, edition)
	snapshot, _, err := keeper.Load(context.Background(), s.id)
	if err != nil {
		t.Fatal(err)
	}
	if snapshot == nil || len(snapshot.Addresses) == 0 {
		return
	}
	says := snapshot.Addresses[0].Stated.Tokens
	if len(snapshot.Addresses) != itemsOf(says) || poisoned(says) || says > s.current() {
		t.Errorf("%s states %d addresses of edition %d when it has %d", s.id, len(snapshot.Addresses), says,
			s.current())
	}
	for _, a := range snapshot.Addresses {
		if a.Stated.Tokens != says {
			t.Errorf("%s states editions %d and %d", s.id, says, a.Stated.Tokens)
		}
	}
}

// counted holds that the shelf has counted each request once, and knows which entries have stars.
func (x *supplies) counted(db *store.DB, stars map[string]bool) {
	t, ctx := x.t, context.Background()
	kept := map[string]bool{}
	var revision, refused int
	err := db.View(ctx, func(tx *store.Tx) error {
		clear(kept)
		if err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(revision), 0), COALESCE(MAX(refused), 0) FROM supply_shelf WHERE tenant = $1`, tenant).Scan(&revision, &refused); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT address FROM supply_pattern WHERE tenant = $1`, tenant)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var address string
			if err := rows.Scan(&address); err != nil {
				return err
			}
			kept[address] = true
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(kept, stars) {
		t.Errorf("the entries with stars are %v, and those that count are %v", stars, kept)
	}
	if revision < x.revisions[0] || revision > x.revisions[1] || refused < x.refusals[0] || refused > x.refusals[1] {
		t.Errorf("the shelf is at revision %d, and has refused %d entries; it should be "+
			"from %d to %d, and from %d to %d",
			revision, refused, x.revisions[0], x.revisions[1], x.refusals[0], x.refusals[1])
	}
}
