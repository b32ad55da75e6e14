// Package overrides stores what stands beside the terms of the owner's file: rules and prices that
// an operator's programs add, and terms that the owner published in the place of the file's. Added
// rules come after those of the owner. A price holds for the licensed items of a site whose rule
// names none.
//
// The package owns three tables and a version that grows with each change, so that every node
// notices it. It must not decide anything: policy decides by both lists together. Enter by [New]
// and [Store.Read].
package overrides

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// Schema is the tables of this package: a row for each content rule and for each site with a price,
// as JSON, one for each edition of the owner's terms, and one that counts changes, by which other
// processes see that there are any. Times are microseconds.
var Schema = store.Schema{
	ID: "rulebook",
	Steps: []string{`
CREATE TABLE rulebook_rule (
	id      {{text}} NOT NULL PRIMARY KEY,
	place   BIGINT NOT NULL,
	rule    TEXT NOT NULL,
	created BIGINT NOT NULL,
	changed BIGINT NOT NULL
);
CREATE TABLE rulebook_price (
	site    {{text}} NOT NULL PRIMARY KEY,
	price   TEXT NOT NULL,
	changed BIGINT NOT NULL
);
CREATE TABLE rulebook_version (
	one     BIGINT NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
INSERT INTO rulebook_version (one, version) VALUES (1, 0);
`, editionSchema},
}

// MaxRules is how many content rules there may be.
const MaxRules = 1000

// MaxPlace bounds Rule.Place.
const MaxPlace = 1_000_000

// maxRule bounds a rule's JSON, in bytes.
const maxRule = 32 << 10

// Rule is a content rule.
type Rule struct {
	ID    string // up to 64 lower-case letters, digits, dots, dashes and underscores
	Place int64  // rules stand in the order of their places, and those of one place in that of their ids; from 0
	policy.Rule
	Created, Changed time.Time // UTC
}

// Name is what explanations and errors call the rule.
func (r Rule) Name() string { return "content rule " + r.ID }

// Price is what licensed items of a site cost whose rule names no price.
type Price struct {
	Site string
	policy.Price
	Changed time.Time // UTC
}

// RuleSet is the added rules and prices at one moment. It is immutable.
type RuleSet struct {
	Version int64  // which no other state has
	Rules   []Rule // in their order
	Prices  []Price
	Latest  Edition // of the owner's terms; the zero one where none was ever published
}

// Change is one change, of a rule, a price or the owner's own terms, as OnChange gets it.
type Change struct {
	Action string // Put, Removed, Priced or Publication
	Rule   Rule   // of Put; of Removed its id
	Price  Price  // of Priced; without a model where the site has none any more
	// Edition is that of Publication.
	Edition Edition
}

// What a change can do.
const (
	Put     = "put"
	Removed = "remove"
	Priced  = "price"
	// Publication is of the owner's own terms: other ones are in force, or those of the file again.
	Publication = "publish"
)

// Store stores the rule set of a database with [Schema]. Its methods may be called concurrently, by
// several processes.
type Store struct {
	db      *store.DB
	agents  []string
	now     func() time.Time
	changed func(context.Context, *store.Tx, Change) error
}

// New returns the store of a database, whose rules may name agents.
func New(db *store.DB, agents []string, now func() time.Time) *Store {
	return &Store{db: db, agents: agents, now: now}
}

// OnChange calls fn for every change in the transaction that makes it; its error undoes the change.
// Call it before anything else.
func (k *Store) OnChange(fn func(context.Context, *store.Tx, Change) error) { k.changed = fn }

// Read gives the book as it is.
func (k *Store) Read(ctx context.Context) (b RuleSet, err error) {
	return store.Get(ctx, k.db, func(tx *store.Tx) (RuleSet, error) { return read(ctx, tx) })
}

// Version gives the version of the book as it is.
func (k *Store) Version(ctx context.Context) (version int64, err error) {
	return store.Get(ctx, k.db, func(tx *store.Tx) (int64, error) { return versionOf(ctx, tx) })
}

// Put adds a rule, or puts it in the place of that with its id; fresh says which. Of r, ID (which
// is made where it is empty), Place and Rule count. The error is fail.Invalid with all that is
// wrong with the rule, or for one beyond Most.
func (k *Store) Put(ctx context.Context, r Rule) (put Rule, fresh bool, err error) {
	if r.ID == "" {
		r.ID = "rule-" + strings.ToLower(rand.Text()[:12])
	}
	text, err := k.check(r)
	if err != nil {
		return Rule{}, false, err
	}
	err = k.change(ctx, func(tx *store.Tx) (Change, error) {
		var created, rules int64
		err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(CASE WHEN id = $1 THEN created ELSE 0 END), 0), COUNT(*) FROM rulebook_rule`, r.ID).Scan(&created, &rules)
		if err != nil {
			return Change{}, err
		}
		put = r
		put.Created = k.now().UTC().Truncate(time.Microsecond)
		put.Changed = put.Created
		if fresh = created == 0; !fresh {
			put.Created = store.FromMicros(created)
		} else if rules >= MaxRules {
			return Change{},
				fail.New(fail.Invalid, "there are %d content rules, and there may be no more; remove one first",
					MaxRules)
		}
		_, err = tx.Exec(ctx, `INSERT INTO rulebook_rule (id, place, rule, created, changed) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (id) DO UPDATE SET place = EXCLUDED.place, rule = EXCLUDED.rule, changed = EXCLUDED.changed`,
			put.ID, put.Place, text, store.Micros(put.Created), store.Micros(put.Changed))
		return Change{Action: Put, Rule: put}, err
	})
	return put, fresh, err
}

// check says what is wrong with a rule, and gives its JSON.
func (k *Store) check(r Rule) (string, error) {
	if !isID(r.ID) {
		return "",
			fail.New(fail.Invalid, "id: %.80q is no id; use up to 64 lower-case letters, digits, dots, dashes and "+
				"underscores, beginning with a letter or digit", r.ID)
	}
	if r.Place < 0 || r.Place > MaxPlace {
		return "", fail.New(fail.Invalid, "order: %d is not between 0 and %d", r.Place, MaxPlace)
	}
	options := policy.Options{Named: map[int]string{0: r.Name()}, Agents: k.agents}
	if _, err := options.New([]policy.Rule{r.Rule}); err != nil {
		return "", fail.New(fail.Invalid, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	text, err := json.Marshal(r.Rule)
	if err == nil && len(text) > maxRule {
		err = fail.New(fail.Invalid, "the rule has more than %d bytes; part it", maxRule)
	}
	return string(text), err
}

func isID(s string) bool {
	for i, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || i > 0 && strings.ContainsRune(".-_", r)) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// Remove removes a rule. It is fail.NotFound where there is none of the id.
func (k *Store) Remove(ctx context.Context, id string) error {
	return k.change(ctx, func(tx *store.Tx) (Change, error) {
		n, err := tx.Exec(ctx, `DELETE FROM rulebook_rule WHERE id = $1`, id)
		if err == nil && n == 0 {
			const missing = "there is no content rule %.80s; `frontdesk terms show` lists those there are"
			err = fail.New(fail.NotFound, missing, id)
		}
		return Change{Action: Removed, Rule: Rule{ID: id}}, err
	})
}

// SetPrice says what licensed items of a site cost whose rule names no price; the zero price says
// nothing any more. The error is fail.Invalid for what is no price.
func (k *Store) SetPrice(ctx context.Context, site string, price policy.Price) (set Price, err error) {
	if _, err := price.Money(); err != nil {
		return Price{}, fail.New(fail.Invalid, "%v", err)
	}
	text, err := json.Marshal(price)
	if err != nil {
		return Price{}, err
	}
	err = k.change(ctx, func(tx *store.Tx) (Change, error) {
		set = Price{Site: site, Price: price, Changed: k.now().UTC().Truncate(time.Microsecond)}
		if price == (policy.Price{}) {
			_, err := tx.Exec(ctx, `DELETE FROM rulebook_price WHERE site = $1`, site)
			return Change{Action: Priced, Price: set}, err
		}
		_, err := tx.Exec(ctx, `INSERT INTO rulebook_price (site, price, changed) VALUES ($1, $2, $3)
			ON CONFLICT (site) DO UPDATE SET price = EXCLUDED.price, changed = EXCLUDED.changed`, site, string(text), store.Micros(set.Changed))
		return Change{Action: Priced, Price: set}, err
	})
	return set, err
}

// change makes a change, counts it, and tells of it.
func (k *Store) change(ctx context.Context, do func(tx *store.Tx) (Change, error)) error {
	return k.db.Update(ctx, func(tx *store.Tx) error {
		did, err := do(tx)
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE rulebook_version SET version = version + 1 WHERE one = 1`)
		}
		if err == nil && k.changed != nil {
			err = k.changed(ctx, tx, did)
		}
		return err
	})
}

func versionOf(ctx context.Context, tx *store.Tx) (version int64, err error) {
	if err = tx.QueryRow(ctx, `SELECT version FROM rulebook_version WHERE one = 1`).Scan(&version); err != nil {
		err = fmt.Errorf("read the content rules: %w", err)
	}
	return version, err
}

func read(ctx context.Context, tx *store.Tx) (b RuleSet, err error) {
	if b.Version, err = versionOf(ctx, tx); err != nil {
		return b, err
	}
	err = tx.Each(ctx, `SELECT id, place, rule, created, changed FROM rulebook_rule ORDER BY place, id`,
		func(row store.Scanner) error {
			var r Rule
			var text string
			if err := row.Scan(&r.ID, &r.Place, &text, &r.Created, &r.Changed); err != nil {
				return err
			}
			b.Rules = append(b.Rules, r)
			return json.Unmarshal([]byte(text), &b.Rules[len(b.Rules)-1].Rule)
		})
	if err != nil {
		return RuleSet{}, fmt.Errorf("read the content rules: %w", err)
	}
	err = tx.Each(ctx, `SELECT site, price, changed FROM rulebook_price ORDER BY site`, func(row store.Scanner) error {
		var p Price
		var text string
		if err := row.Scan(&p.Site, &text, &p.Changed); err != nil {
			return err
		}
		b.Prices = append(b.Prices, p)
		return json.Unmarshal([]byte(text), &b.Prices[len(b.Prices)-1].Price)
	})
	if err != nil {
		return RuleSet{}, fmt.Errorf("read the prices of sites: %w", err)
	}
	b.Latest, err = latest(ctx, tx)
	return b, err
}
