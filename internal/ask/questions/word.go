package questions

import (
	"context"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// The bounds of words.
const (
	maxWords     = 24   // of a question, that are found by the table
	maxSearched  = 6    // of a search
	maxNarrowed  = 2000 // questions with a word that is rare: those of others are found by their order
	afterAll     = "\U0010ffff"
	stateWords   = "words" // in question_state: the last question whose words are written, and on day 1 that all are
	wordsWritten = 1
)

// wordsOf are the words of a normal form, each once.
func wordsOf(form string) []string {
	words := strings.Fields(form)
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), maxWords)]
}

// putWords writes the words of a question.
func putWords(ctx context.Context, tx *store.Tx, id int64, form string) error {
	words := wordsOf(form)
	if len(words) == 0 {
		return nil
	}
	var args []any
	var rows []string
	for _, word := range words {
		rows = append(rows, "("+store.Params(len(args)+1, 2)+")")
		args = append(args, word, id)
	}
	_, err := tx.Exec(ctx, `INSERT INTO question_word (word, question) VALUES `+strings.Join(rows, ", ")+
		` ON CONFLICT (word, question) DO NOTHING`, args...)
	return err
}

// dropWords removes the words of those of some questions for which a condition holds.
func dropWords(ctx context.Context, tx *store.Tx, where string, ids []any) error {
	forms := map[int64]string{}
	err := tx.Each(ctx, `SELECT id, form FROM question_form WHERE `+where+` AND id IN (`+store.Params(1, len(ids))+`)`,
		func(row store.Scanner) error {
			var id int64
			var form string
			err := row.Scan(&id, &form)
			forms[id] = form
			return err
		}, ids...)
	for id, form := range forms {
		for _, word := range wordsOf(form) {
			if err == nil {
				_, err = tx.Exec(ctx, `DELETE FROM question_word WHERE word = $1 AND question = $2`, word, id)
			}
		}
	}
	return err
}

// sweepWords writes the words of questions that were kept before there was a table of them, for
// some at a time.
func (k *Keeper) sweepWords(ctx context.Context, tx *store.Tx, _ time.Time) (more bool, err error) {
	done, last, _, err := stateRow(ctx, tx, stateWords)
	if err != nil || done == wordsWritten {
		return false, err
	}
	n := 0
	type one struct {
		id   int64
		form string
	}
	all, err := store.All(ctx, tx, `SELECT id, form FROM question_form WHERE id > $1 ORDER BY id LIMIT $2`,
		func(row store.Scanner) (q one, err error) {
			err = row.Scan(&q.id, &q.form)
			return q, err
		}, last, chunk)
	for _, q := range all {
		if err == nil {
			err = putWords(ctx, tx, q.id, q.form)
		}
		n, last = n+1, q.id
	}
	if err != nil {
		return false, err
	}
	if n == chunk {
		return true, setState(ctx, tx, stateWords, 0, last)
	}
	return false, setState(ctx, tx, stateWords, wordsWritten, last)
}

// narrow gives the questions in which the rarest word of a search begins a word; ok is false where
// no word is rare, or not all words are written yet.
func narrow(ctx context.Context, tx *store.Tx, words []string) (ids []any, ok bool, err error) {
	done, _, _, err := stateRow(ctx, tx, stateWords)
	if err != nil || done != wordsWritten {
		return nil, false, err
	}
	for _, word := range words[:min(len(words), maxSearched)] {
		some, err := someIDs(ctx, tx, `SELECT DISTINCT question FROM (SELECT question FROM question_word
			WHERE word >= $1 AND word < $2 LIMIT $3) AS of_word`, word, word+afterAll, maxNarrowed+1)
		if err != nil {
			return nil, false, err
		}
		if len(some) <= maxNarrowed && (!ok || len(some) < len(ids)) {
			ids, ok = some, true
		}
	}
	return ids, ok, nil
}

// searched are the words of a search, and whether each begins a word of a question. Those of
// scripts without blanks can stand anywhere.
func searched(form string) (words []string, begin bool) {
	joined := func(r rune) bool { return r >= 0x0e00 && r < 0x0f00 || r >= 0x1780 && r < 0x1800 || r >= 0x2e80 }
	return strings.Fields(form), !strings.ContainsFunc(form, joined)
}
