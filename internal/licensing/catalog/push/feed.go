package push

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
)

// Change is one step of the feed: an entry that is there now, or one that no longer is, of which
// Address and Author are told.
type Change struct {
	Tenant   string
	Revision int64
	Entry    Entry
	Removed  bool
}

// ErrBehind is what Changes gives a follower that cannot be told all that was removed since it last
// asked. It starts over from nothing.
var ErrBehind = errors.New("what was pushed cannot be told from there; start over")

// Revisions gives the revision of what was pushed for every tenant. It is cheap enough to be asked
// every second, and after every push.
func (s *Store) Revisions(ctx context.Context) (revisions map[string]int64, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) error {
		shelves, err := tenantStates(ctx, tx)
		revisions = make(map[string]int64, len(shelves))
		for tenant, at := range shelves {
			if at.revision > 0 {
				revisions[tenant] = at.revision
			}
		}
		return err
	})
	return revisions, err
}

func tenantStates(ctx context.Context, tx *store.Tx) (map[string]tenantState, error) {
	all := map[string]tenantState{}
	err := tx.Each(ctx, `SELECT tenant, revision, horizon, refused FROM supply_shelf`, func(row store.Scanner) error {
		var tenant string
		var at tenantState
		if err := row.Scan(&tenant, &at.revision, &at.horizon, &at.refused); err != nil {
			return err
		}
		all[tenant] = at
		return nil
	})
	return all, err
}

func tenantStateOf(ctx context.Context, tx *store.Tx, tenant string) (at tenantState, err error) {
	err = tx.QueryRow(ctx, `SELECT revision, horizon, refused FROM supply_shelf WHERE tenant = $1`, tenant).
		Scan(&at.revision, &at.horizon, &at.refused)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return at, err
}

// Changes calls fn with all that was pushed and removed since from, in one consistent snapshot, and
// returns the revisions to go on from. From an empty map that is everything. What changed several
// times comes as it is last. An error of fn ends it and is returned. See also ErrBehind.
func (s *Store) Changes(ctx context.Context, from map[string]int64, fn func(Change) error) (to map[string]int64,
	err error) {
	err = s.db.View(ctx, func(tx *store.Tx) error {
		now, err := tenantStates(ctx, tx)
		if err != nil {
			return err
		}
		for tenant, since := range from {
			if at := now[tenant]; since > at.revision || since < at.horizon {
				return ErrBehind
			}
		}
		to = map[string]int64{}
		for tenant, at := range now {
			if at.revision > 0 {
				to[tenant] = at.revision
			}
			if at.revision > from[tenant] {
				if err := changes(ctx, tx, tenant, from[tenant], fn); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return to, err
}

func changes(ctx context.Context, tx *store.Tx, tenant string, since int64, fn func(Change) error) error {
	query := `SELECT address, author, revision, entry FROM supply_entry WHERE tenant = $1 AND revision > $2`
	if since == 0 {
		query = `SELECT address, author, revision, entry FROM supply_entry WHERE tenant = $1 AND revision > $2 AND entry IS NOT NULL`
	}
	return tx.Each(ctx, query, func(row store.Scanner) error {
		var text []byte
		change := Change{Tenant: tenant}
		if err := row.Scan(&change.Entry.Address, &change.Entry.Author, &change.Revision, &text); err != nil {
			return err
		}
		if change.Removed = len(text) == 0; !change.Removed {
			if err := json.Unmarshal(text, &change.Entry); err != nil {
				return fmt.Errorf("read an entry: %w", err)
			}
		}
		if err := fn(change); err != nil {
			return err
		}
		return nil
	}, tenant, since)
}
