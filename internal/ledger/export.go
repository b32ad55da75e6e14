package ledger

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/receipt"
)

// The forms of an export.
const (
	Lines = "jsonl" // a line of JSON for each entry, which receipt.VerifyExport verifies
	CSV   = "csv"   // for spreadsheets; it proves nothing
)

// Export writes all entries that the latest checkpoint counts, and gives how many. It is
// fail.NotFound where there is no ledger.
func (l *Ledger) Export(ctx context.Context, w io.Writer, form string) (int64, error) {
	h, err := l.head(ctx)
	if err == nil {
		err = l.vouch(ctx, h)
	}
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	var put func(index int64, leaf []byte) error
	switch form {
	case Lines:
		put, err = lines(out, h.checkpoint)
	case CSV:
		put, err = table(out)
	default:
		return 0, fail.New(fail.Invalid, "there is no export as %q; there are %s and %s", form, Lines, CSV)
	}
	if err != nil {
		return 0, err
	}
	for next := int64(0); next < h.size; {
		from := next
		if next, err = l.each(ctx, from, min(h.size, from+16*page), put); err != nil {
			return next, err
		}
		if next == from {
			return next, fail.New(fail.Internal, "the ledger has a gap: entry %d is missing; put back a backup", next)
		}
	}
	return h.size, out.Flush()
}

// each hands leaves over in their order, and gives the index behind the last.
func (l *Ledger) each(ctx context.Context, from, to int64, fn func(index int64, leaf []byte) error) (next int64,
	err error) {
	next = from
	err = l.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT place, leaf FROM ledger_entry WHERE place > $1 AND place <= $2 ORDER BY place`,
			func(row store.Scanner) error {
				var place int64
				var leaf sql.RawBytes
				if err := row.Scan(&place, &leaf); err != nil {
					return err
				}
				if place != next+1 {
					return nil
				}
				if err := fn(next, leaf); err != nil {
					return err
				}
				next = place
				return nil
			}, from, to)
	})
	return next, err
}

// lines begins an export in lines of JSON.
func lines(w io.Writer, checkpoint string) (func(int64, []byte) error, error) {
	head, err := receipt.ExportHead(checkpoint)
	if err == nil {
		_, err = w.Write(head)
	}
	var line []byte
	return func(index int64, leaf []byte) error {
		line = receipt.AppendExport(line[:0], index, leaf)
		_, err := w.Write(line)
		return err
	}, err
}

// table begins an export as CSV.
func table(w io.Writer) (func(int64, []byte) error, error) {
	out := csv.NewWriter(w)
	err := out.Write([]string{"index", "id", "time", "site", "kind", "party", "subject", "request", "body", "hash"})
	out.Flush()
	return func(index int64, leaf []byte) error {
		e, err := receipt.ParseEntry(leaf)
		if err != nil {
			return fmt.Errorf("entry %d: %w", index, err)
		}
		row := []string{
			strconv.FormatInt(index, 10), e.ID, e.Time.Format(time.RFC3339Nano), e.Site, e.Kind, e.Party, e.Subject,
			e.Request, string(e.Body),
			receipt.LeafHash(leaf).String(),
		}
		for i, cell := range row {
			row[i] = inert(cell)
		}
		if err := out.Write(row); err != nil {
			return err
		}
		out.Flush()
		return out.Error()
	}, err
}

// inert keeps a spreadsheet from taking a text of somebody else's for a formula.
func inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
