package vector

import (
	"context"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
)

// SourceState is how the vectors of a source stand.
type SourceState struct {
	content.SourceKey
	Texts, Ready int       // texts that are to have a vector, and those that do
	Failed       time.Time // when Error was; zero when nothing is wrong
	Error        string    // why texts have none
}

// State is how all vectors stand.
type State struct {
	Texts, Ready int
	Error        error // the last failure, until texts are turned into vectors again
}

// State tells how all vectors stand.
func (k *Store) State() State {
	k.mu.RLock()
	defer k.mu.RUnlock()
	s := State{Error: k.failure}
	for _, t := range k.texts {
		if t.users > 0 && !t.probe {
			s.Texts++
			if t.values != nil {
				s.Ready++
			}
		}
	}
	return s
}

// states tells how the vectors of each source stand.
func (k *Store) states() map[content.SourceKey]SourceState {
	k.mu.RLock()
	defer k.mu.RUnlock()
	states := map[content.SourceKey]SourceState{}
	for _, it := range k.items {
		name := content.SourceKey{Site: it.ref.Site, Source: it.ref.Source}
		s := states[name]
		s.SourceKey = name
		for _, t := range it.texts {
			if t != nil {
				s.Texts++
				if t.values != nil {
					s.Ready++
				}
			}
		}
		states[name] = s
	}
	if k.failure != nil {
		for name, s := range states {
			if s.Ready < s.Texts {
				s.Failed, s.Error = k.failed, cut(k.failure.Error())
				states[name] = s
			}
		}
	}
	return states
}

// told is what the database tells the owner: the vectors of a generation, and a failure.
type told struct {
	generation int64
	failed     time.Time
}

func (k *Store) toTell() told {
	k.mu.RLock()
	defer k.mu.RUnlock()
	now := told{generation: k.generation.Load()}
	if k.failure != nil {
		now.failed = k.failed
	}
	return now
}

// news says whether the owner is to be told something else than before.
func (k *Store) news() bool { return k.toTell() != k.told }

// tell writes how the sources stand, for the owner to read.
func (k *Store) tell(ctx context.Context) error {
	now := k.toTell()
	if now == k.told {
		return nil
	}
	states := k.states()
	err := k.options.DB.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM vector_source`); err != nil {
			return err
		}
		for name, s := range states {
			_, err := tx.Exec(ctx, `INSERT INTO vector_source (site, source, texts, ready, failed, error) VALUES ($1, $2, $3, $4, $5, $6)`,
				name.Site, name.Source, s.Texts, s.Ready, store.Micros(s.Failed), s.Error)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		k.told = now
	}
	return err
}

// Sources tells how the vectors of each source stood when the one who makes them last told. It
// needs no Store, so that another process can say it.
func Sources(ctx context.Context, db *store.DB) (map[content.SourceKey]SourceState, error) {
	var states map[content.SourceKey]SourceState
	err := db.View(ctx, func(tx *store.Tx) error {
		states = map[content.SourceKey]SourceState{}
		return tx.Each(ctx, `SELECT site, source, texts, ready, failed, error FROM vector_source`,
			func(row store.Scanner) error {
				var s SourceState
				if err := row.Scan(&s.Site, &s.Source, &s.Texts, &s.Ready, &s.Failed, &s.Error); err != nil {
					return err
				}
				states[s.SourceKey] = s
				return nil
			})
	})
	return states, err
}
