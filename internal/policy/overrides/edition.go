package overrides

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// editionSchema is the table of editions. The last row says which terms of the owner's are in
// force.
const editionSchema = `
CREATE TABLE rulebook_edition (
	number    BIGINT NOT NULL PRIMARY KEY,
	source    TEXT NOT NULL,
	back      BIGINT NOT NULL,
	document  TEXT NOT NULL,
	rules     TEXT NOT NULL,
	file      TEXT NOT NULL,
	actor     TEXT NOT NULL,
	made      BIGINT NOT NULL
);
`

// Where the owner's terms are from.
const (
	FromFile  = "file"      // the configuration file, as it is now
	Published = "published" // a document that an owner published in its place
)

// ByFile is in the place of who made an edition that was in force by the file alone until another
// was published.
const ByFile = "file"

// MaxDocument bounds a document of terms, in bytes, and maxEditions how many editions are kept.
const (
	MaxDocument = 256 << 10
	maxEditions = 1000
)

// Edition is the owner's terms from one moment until the next edition.
type Edition struct {
	Number int64 // from 1
	Source string
	// Back is the edition whose document was put back; 0 for none.
	Back int64
	// Document is YAML with the key terms alone. That of the file is as it was when the edition was
	// made, and empty where the file had no terms.
	Document string
	// Version is the version of the document's rules (policy.RulesVersion), and FileVersion that of
	// those which the file had then.
	Version, FileVersion string
	By                   string // who made it, as the ledger names them; empty for the command line
	Made                 time.Time
}

// Document is what a document of terms has.
type Document struct {
	// Terms are the rules.
	Terms []policy.Rule `yaml:"terms,required"`
}

// Rules reads the rules of a published edition. They were checked before they were kept.
func (e Edition) Rules() ([]policy.Rule, error) {
	var d Document
	if _, err := yamlconf.Decode("", []byte(e.Document), &d); err != nil {
		return nil, fmt.Errorf("version %d of the terms, which was published, cannot be read: %w", e.Number, err)
	}
	return d.Terms, nil
}

// RuleName is what explanations and errors call a rule of a published edition, by its index and its
// line.
func (e Edition) RuleName(index, line int) string {
	return fmt.Sprintf("rule %d (published version %d, line %d)", index+1, e.Number, line)
}

// InForce is the published edition that is in force; ok is false where the terms of the file are.
func (b RuleSet) InForce() (e Edition, ok bool) { return b.Latest, b.Latest.Source == Published }

// Publish makes an edition. Of e all but Number and Made count. base is the number of the edition
// that its maker knew as the last one, 0 for none and nil for whatever it is; another was made
// meanwhile where the error is fail.Invalid. file is what the file has: where its terms were in
// force until now and no edition has them, they become one first, so that they can be put back.
func (k *Store) Publish(ctx context.Context, e, file Edition, base *int64) (made Edition, err error) {
	err = k.change(ctx, func(tx *store.Tx) (Change, error) {
		last, err := latest(ctx, tx)
		if err != nil {
			return Change{}, err
		}
		if base != nil && *base != last.Number {
			return Change{}, fail.New(fail.Invalid, "version %d of the terms was published meanwhile by %s; "+
				"look at what it says, and publish again", last.Number, byWhom(last.By))
		}
		e.Made = k.now().UTC().Truncate(time.Microsecond)
		e.FileVersion = file.Version
		if last.Source != Published && e.Source == Published && last.Version != file.Version {
			file.Number, file.Source, file.Back, file.By = last.Number+1, FromFile, 0, ByFile
			file.Made, file.FileVersion = e.Made, file.Version
			if err := insert(ctx, tx, file); err != nil {
				return Change{}, err
			}
			last = file
		}
		e.Number, made = last.Number+1, e
		made.Number = e.Number
		if err := insert(ctx, tx, made); err != nil {
			return Change{}, err
		}
		_, err = tx.Exec(ctx, `DELETE FROM rulebook_edition WHERE number <= $1`, made.Number-maxEditions)
		return Change{Action: Publication, Edition: made}, err
	})
	return made, err
}

func byWhom(actor string) string {
	if actor == "" {
		return "a command"
	}
	return actor
}

func insert(ctx context.Context, tx *store.Tx, e Edition) error {
	_, err := tx.Exec(ctx, `INSERT INTO rulebook_edition (number, source, back, document, rules, file, actor, made)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.Number, e.Source, e.Back, e.Document, e.Version, e.FileVersion, e.By, store.Micros(e.Made))
	return err
}

// editions reads editions, by what follows in the query.
func editions(ctx context.Context, tx *store.Tx, which string, args ...any) (all []Edition, err error) {
	query := `SELECT number, source, back, document, rules, file, actor, made FROM rulebook_edition ` + which
	all, err = store.All(ctx, tx, query, func(row store.Scanner) (e Edition, err error) {
		err = row.Scan(&e.Number, &e.Source, &e.Back, &e.Document, &e.Version, &e.FileVersion, &e.By, &e.Made)
		return e, err
	}, args...)
	if err != nil {
		err = fmt.Errorf("read the versions of the terms: %w", err)
	}
	return all, err
}

// Peek reads the last edition of a database as it is, which may be older than this program or not
// there.
func Peek(ctx context.Context, config store.Config) (e Edition, err error) {
	err = store.Peek(ctx, config, "rulebook_edition", func(tx *store.Tx) (err error) {
		e, err = latest(ctx, tx)
		return err
	})
	return e, err
}

// latest is the last edition; the zero one where there is none.
func latest(ctx context.Context, tx *store.Tx) (e Edition, err error) {
	all, err := editions(ctx, tx, `ORDER BY number DESC LIMIT 1`)
	if len(all) > 0 {
		e = all[0]
	}
	return e, err
}

// Editions gives the last editions, the very last first.
func (k *Store) Editions(ctx context.Context, most int) (all []Edition, err error) {
	return store.Get(ctx, k.db, func(tx *store.Tx) ([]Edition, error) {
		return editions(ctx, tx, `ORDER BY number DESC LIMIT $1`, most)
	})
}

// Edition gives one by its number. It is fail.NotFound where there is none.
func (k *Store) Edition(ctx context.Context, number int64) (e Edition, err error) {
	err = k.db.View(ctx, func(tx *store.Tx) error {
		all, err := editions(ctx, tx, `WHERE number = $1`, number)
		if err == nil && len(all) == 0 {
			err = fail.New(fail.NotFound, "there is no version %d of the terms", number)
		}
		if err == nil {
			e = all[0]
		}
		return err
	})
	return e, err
}
