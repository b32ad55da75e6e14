package keyring_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/sign"
)

var schemas = []store.Schema{
	identity.Schema, identity.LoginSchema, identity.PlatformSchema, identity.DeliverySchema, identity.EdgeSchema,
	requesters.Schema, requesters.PushClientSchema, keyring.Schema,
}

// newRing is a ring with every registry.
func newRing(t *testing.T, dsn string, c *clock.Clock) (*keyring.Ring, *store.DB) {
	t.Helper()
	db, folder := storetest.Open(t, dsn, schemas...), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	platforms, err := identity.OpenPlatforms(t.Context(), db, folder, c.Now)
	must(err)
	site, err := identity.OpenSiteKeys(folder, c.Now)
	must(err)
	must(site.EnsureKey())
	registry, err := requesters.Open(t.Context(), requesters.Config{
		DB: db, Signatures: requesters.SignaturesRequired, Now: c.Now,
	})
	must(err)
	keys := identity.NewKeys(db, c.Now)
	return &keyring.Ring{
		API: keys, Configured: []identity.ConfiguredKey{{Name: "old partner", Scopes: []string{"ask"}}},
		Platforms: platforms, Deliveries: identity.NewDeliveryKeys(db, folder, c.Now),
		Edges: identity.NewEdgeKeys(db, folder, c.Now), Own: map[string]*identity.SiteKeys{keyring.Site: site},
		Requesters: registry, PushClients: requesters.NewPushClients(db, c.Now),
		Logins: identity.NewLogins(db, keys, c.Now),
		Uses: keyring.NewUses(keyring.UsesOptions{DB: db, Now: c.Now,
			Buyer: func(_ context.Context, domain string) (bool, error) { return domain == "buyer.example", nil }}),
		Sites: func() []string { return []string{"shop", "news"} }, Doors: []string{"ask", "mcp", "admin"},
		Door: func(name string) bool { return name == "ask" || name == "mcp" || name == "admin" }, Now: c.Now,
		Address: func(context.Context) string { return "https://desk.example" },
	}, db
}

func newClock() *clock.Clock { return clock.At(time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)) }

func wants(t *testing.T, what string, err error, code fail.Code) {
	t.Helper()
	if err == nil && code == "" {
		return
	}
	if got := fail.From(err).Code; err == nil || got != code {
		t.Errorf("%s: %v, want %q", what, err, code)
	}
}

// fill has a key of every kind, and gives their ids by kind.
func fill(t *testing.T, r *keyring.Ring) map[string]string {
	t.Helper()
	ids, ctx := map[string]string{keyring.Configured: "old partner"}, t.Context()
	for _, w := range []keyring.Wanted{
		{Kind: keyring.API, Name: "Partner", Doors: []string{"ask"}, Rate: "9/1m"},
		{Kind: keyring.Platform, Name: "search.example"}, {Kind: keyring.Edge, Name: "edge-1"},
	} {
		made, err := r.Issue(ctx, w)
		if err != nil || made.Secret == "" || made.Kind != w.Kind {
			t.Fatalf("%+v: %+v, %v", w, made, err)
		}
		ids[w.Kind] = made.ID
	}
	delivery, _, err := r.Deliveries.Issue(ctx, "cdn", sign.URLFastly, "", nil)
	wants(t, "a delivery key", err, "")
	ids[keyring.Delivery] = delivery.ID
	_, err = r.Requesters.Add(ctx, requesters.Registration{Domain: "buyer.example", ID: "bot"})
	wants(t, "a buyer", err, "")
	ids[keyring.Requester] = "buyer.example/bot"
	_, made, err := r.API.Create(ctx, identity.Key{Name: "Ana", Scopes: identity.ConsoleScopes(identity.Owner)})
	wants(t, "a person", err, "")
	ids[keyring.Console] = made.ID
	site, _, _ := r.Own[keyring.Site].Current()
	ids[keyring.Site] = site
	return ids
}

// TestEveryKindIsListedAndSaysWhatItCan holds the table of kinds against the registries.
func TestEveryKindIsListedAndSaysWhatItCan(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		r, _ := newRing(t, fresh(t), newClock())
		ids := fill(t, r)
		all, err := r.List(t.Context(), keyring.Filter{})
		if err != nil || len(all) != len(ids) {
			t.Fatalf("%+v, %v", all, err)
		}
		for _, k := range all {
			if ids[k.Kind] != k.ID || k.Secret != "" || len(k.Protocols) == 0 || !k.Current() {
				t.Errorf("%+v, want %s", k, ids[k.Kind])
			}
			for what, do := range map[string]func() error{
				keyring.Roll: func() error { _, err := r.Rotate(t.Context(), k.Kind, k.ID, time.Hour); return err },
				keyring.Suspend: func() error {
					if _, err := r.SetSuspended(t.Context(), k.Kind, k.ID, true); err != nil {
						return err
					}
					_, err := r.SetSuspended(t.Context(), "", k.ID, false)
					return err
				},
			} {
				if err := do(); (err == nil) != k.May(what) && k.Kind != keyring.Console {
					t.Errorf("%s of %+v: %v", what, k, err)
				} else if err != nil {
					wants(t, what+" of "+k.Kind, err, fail.Invalid)
				}
			}
		}
		for _, k := range all {
			_, err := r.Revoke(t.Context(), k.Kind, k.ID)
			switch {
			case k.Kind == keyring.Console:
				wants(t, "the last owner", err, fail.Invalid)
			case k.May(keyring.Revoke):
				wants(t, "revoked: "+k.Kind, err, "")
			default:
				wants(t, "revoked: "+k.Kind, err, fail.Invalid)
			}
		}
		ended, err := r.List(t.Context(), keyring.Filter{State: keyring.Ended})
		var kinds []string
		for _, k := range ended {
			kinds = append(kinds, k.Kind)
		}
		slices.Sort(kinds)
		if fmt.Sprint(kinds) != "[api delivery edge platform]" || err != nil { // a buyer that is removed is gone
			t.Errorf("ended: %v, %v", kinds, err)
		}
		for _, k := range ended {
			_, err := r.Rotate(t.Context(), k.Kind, k.ID, 0)
			wants(t, "a key that ended", err, fail.Invalid)
			_, err = r.Revoke(t.Context(), k.Kind, k.ID)
			wants(t, "revoked twice", err, "")
		}
	})
}

func TestARolledKeyOverlapsAndTellsItsSecretOnce(t *testing.T) {
	t.Parallel()
	c := newClock()
	r, _ := newRing(t, storetest.NewSQLite(t, schemas...), c)
	ids := fill(t, r)
	for _, kind := range keyring.Issued {
		made, err := r.Rotate(t.Context(), kind, ids[kind], time.Hour)
		if err != nil || made.Secret == "" || made.Kind != kind || made.ID == ids[kind] {
			t.Fatalf("%+v, %v", made, err)
		}
		if again, err := r.Find(t.Context(), kind, made.ID); again.Secret != "" || err != nil {
			t.Errorf("%+v, %v", again, err)
		}
		old, err := r.Find(t.Context(), kind, ids[kind])
		if !old.Current() || old.Ends == nil || !old.Ends.Equal(c.Now().Add(time.Hour)) || err != nil {
			t.Errorf("%+v, %v", old, err)
		}
		_, err = r.Rotate(t.Context(), kind, made.ID, -time.Hour)
		wants(t, "less than nothing", err, fail.Invalid)
	}
	c.Advance(time.Hour)
	for _, kind := range keyring.Issued {
		if old, err := r.Find(t.Context(), kind, ids[kind]); old.Current() || err != nil {
			t.Errorf("%+v, %v", old, err)
		}
	}
}

func TestKeysThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	c := newClock()
	r, _ := newRing(t, storetest.NewSQLite(t, schemas...), c)
	for what, w := range map[string]keyring.Wanted{
		"no kind": {Kind: "gold", Name: "x"}, "a kind from elsewhere": {Kind: keyring.Requester, Name: "x"},
		"no name": {Kind: keyring.API, Name: " "}, "a name with a line": {Kind: keyring.API, Name: "a\nb"},
		"no door":             {Kind: keyring.API, Name: "x", Doors: []string{"barn"}},
		"a rate":              {Kind: keyring.API, Name: "x", Rate: "many"},
		"an end":              {Kind: keyring.API, Name: "x", Ends: c.Now()},
		"a role":              {Kind: keyring.Platform, Name: "x", Roles: []string{"king"}},
		"a site":              {Kind: keyring.Edge, Name: "x", Sites: []string{"barn"}},
		"an end of an edge's": {Kind: keyring.Edge, Name: "x", Ends: c.Now().Add(time.Hour)},
	} {
		_, err := r.Issue(t.Context(), w)
		wants(t, what, err, fail.Invalid)
	}
	if all, err := r.List(t.Context(), keyring.Filter{Kind: keyring.API}); len(all) != 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestRightsAreThoseOfWhatAKeyOpens: who may not make owners must not get a key that can.
func TestRightsAreThoseOfWhatAKeyOpens(t *testing.T) {
	t.Parallel()
	for want, keys := range map[identity.Right][]keyring.Key{
		identity.Own: {
			{Kind: keyring.API, Doors: []string{"ask", "admin"}}, {Kind: keyring.Console}, {Kind: keyring.Site},
			{Kind: keyring.Bot},
		},
		identity.Operate: {
			{Kind: keyring.API}, {Kind: keyring.API, Doors: []string{"reports"}}, {Kind: keyring.Platform},
		},
	} {
		for _, k := range keys {
			if got := k.Right(); got != want {
				t.Errorf("%+v: %s, want %s", k, got, want)
			}
		}
	}
}

func TestAKeyIsFoundWhereKindsShareAnID(t *testing.T) {
	t.Parallel()
	r, _ := newRing(t, storetest.NewSQLite(t, schemas...), newClock())
	_, _, err := r.Platforms.Issue(t.Context(),
		identity.PlatformKey{ID: "old partner", Platform: "p", Roles: identity.Roles}, nil)
	wants(t, "an id with a space", err, fail.Invalid)
	r.Configured = append(r.Configured, identity.ConfiguredKey{Name: "twin"})
	_, _, err = r.Platforms.Issue(t.Context(),
		identity.PlatformKey{ID: "twin", Platform: "p", Roles: identity.Roles}, nil)
	wants(t, "a twin", err, "")
	_, err = r.Find(t.Context(), "", "twin")
	wants(t, "which one", err, fail.Invalid)
	if k, err := r.Find(t.Context(), keyring.Platform, "twin"); k.Platform != "p" || err != nil {
		t.Errorf("%+v, %v", k, err)
	}
	_, err = r.Find(t.Context(), keyring.API, "twin")
	wants(t, "of another kind", err, fail.NotFound)
}

func TestUsesAreKeptByTheDayAndTheNetwork(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c := newClock()
		r, db := newRing(t, fresh(t), c)
		ids := fill(t, r)
		saw := func(id, from string) {
			t.Helper()
			address, _ := netip.ParseAddr(from)
			r.Uses.Saw(id, address)
		}
		used := func(kind string) string {
			t.Helper()
			k, err := r.Find(t.Context(), kind, ids[kind])
			if err != nil {
				t.Fatal(err)
			}
			return k.LastUsed + " " + k.From
		}
		saw("key:"+ids[keyring.API], "192.0.2.77")
		saw("key:"+ids[keyring.API], "198.51.100.1") // on the same day
		saw(keyring.UsedBy("platform:search.example", ids[keyring.Platform]), "2001:db8:1:2::9")
		saw("requester:buyer.example", "")
		saw("requester:stranger.example", "192.0.2.1")
		if got := used(keyring.API); got != "2027-03-01 192.0.2.0/24" {
			t.Errorf("before it is written: %q", got)
		}
		wants(t, "written", r.Uses.Flush(t.Context()), "")
		if got := used(keyring.Platform); got != "2027-03-01 2001:db8:1::/48" {
			t.Errorf("%q", got)
		}
		if got := used(keyring.Requester); got != "2027-03-01 " {
			t.Errorf("%q", got)
		}
		c.Advance(24 * time.Hour)
		saw("key:"+ids[keyring.API], "198.51.100.1")
		wants(t, "written", r.Uses.Flush(t.Context()), "")
		if got := used(keyring.API); got != "2027-03-02 198.51.100.0/24" {
			t.Errorf("on the next day: %q", got)
		}
		if got := used(keyring.Edge); got != " " {
			t.Errorf("of what was never used: %q", got)
		}
		rows := 0
		err := db.View(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM keyuse_day`).Scan(&rows)
		})
		if rows != 3 || err != nil {
			t.Errorf("%d rows, %v: strangers are kept, or somebody is missing", rows, err)
		}
	})
}

// TestAKeyIsWrittenOnceADay counts what waits for being written.
func TestAKeyIsWrittenOnceADay(t *testing.T) {
	t.Parallel()
	c, changes := newClock(), 0
	db := storetest.Open(t, storetest.NewSQLite(t, keyring.Schema), keyring.Schema)
	uses := keyring.NewUses(keyring.UsesOptions{DB: db, Now: c.Now})
	for range 1000 {
		uses.Saw("key:a", netip.MustParseAddr("192.0.2.1"))
		c.Advance(time.Second)
		before := total(t, db)
		if err := uses.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if total(t, db) != before {
			changes++
		}
		if changes == 1 { // another write would be seen
			if err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE keyuse_day SET day = 1`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if changes != 1 {
		t.Errorf("%d writes", changes)
	}
}

func total(t *testing.T, db *store.DB) (sum int64) {
	t.Helper()
	if err := db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT COALESCE(SUM(day), 0) FROM keyuse_day`).Scan(&sum)
	}); err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestSomebodyIsInvitedByALink(t *testing.T) {
	t.Parallel()
	r, _ := newRing(t, storetest.NewSQLite(t, schemas...), newClock())
	fill(t, r)
	made, err := r.Invite(t.Context(), "Bo", identity.Viewer, 24*time.Hour)
	if err != nil || made.Code == "" || made.Link != "https://desk.example/console/begin#"+made.Code {
		t.Fatalf("%+v, %v", made, err)
	}
	waiting, err := r.Invitations(t.Context())
	if err != nil || len(waiting) != 1 || waiting[0].Code+waiting[0].Link != "" || waiting[0].Name != "Bo" {
		t.Errorf("%+v, %v", waiting, err)
	}
	people, err := r.People(t.Context(), keyring.Filter{Search: "AN"})
	if err != nil || len(people) != 1 || people[0].Name != "Ana" {
		t.Errorf("%+v, %v", people, err)
	}
	if people, err := r.People(t.Context(), keyring.Filter{State: keyring.Ended}); len(people) != 0 || err != nil {
		t.Errorf("%+v, %v", people, err)
	}
}

func BenchmarkSaw(b *testing.B) {
	uses, from := keyring.NewUses(keyring.UsesOptions{}), netip.MustParseAddr("192.0.2.1")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			uses.Saw("key:abcdefghijkl", from)
		}
	})
}
