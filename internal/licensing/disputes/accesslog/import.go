package accesslog

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/transactions"
)

// Importer imports access logs. Its methods may be called concurrently.
type Importer struct {
	DB *store.DB
	// SiteOf is the id of the site of a host, empty for a host of none. It may be nil.
	SiteOf func(host string) string
	// OnAdded is called with the transactions of lines that may be new, in the transaction that
	// stores them. It may be nil.
	OnAdded func(ctx context.Context, tx *store.Tx, transactions []string) error
}

// Source says which log is imported, and how. An empty field has its default.
type Source struct {
	Form   Form     // Auto unless it says more
	Fields []string // the columns of lines with values alone, where no line of the log names them
	By     string   // under which name the lines are kept; the form's unless it says more
	Site   string   // the id of the one site of whose transactions lines are kept
	// MaxText is the most bytes that are read, unpacked; 0 for no such bound. With more, what was
	// before is kept.
	MaxText int64
	// Progress is told how far it is, from time to time. It may be nil.
	Progress func(ImportResult)
}

// ImportResult counts what an import found in a log.
type ImportResult struct {
	Form       Form  `json:"form"`
	Lines      int64 `json:"lines"`      // lines that tell of a request, or cannot be read
	Added      int64 `json:"kept"`       // lines that are kept, and are new
	Duplicates int64 `json:"known"`      // lines that were kept before
	Stray      int64 `json:"stray"`      // of those kept, how many are of a transaction that is not known
	Unlicensed int64 `json:"unlicensed"` // lines that name no transaction
	Other      int64 `json:"other"`      // lines of no GET, which delivers nothing
	Refused    int64 `json:"refused"`    // lines of a transaction that is not known, which were given nothing
	Elsewhere  int64 `json:"elsewhere"`  // lines of another site than was named
	Unreadable int64 `json:"bad"`        // lines that cannot be read
	// Faults are the first of those that cannot be read.
	Faults []Fault `json:"faults,omitempty"`
}

// Fault is why a line cannot be read.
type Fault struct {
	Line   int64  `json:"line"` // from 1 on
	Reason string `json:"reason"`
}

// Bounds of what is read.
const (
	maxLine       = 64 << 10 // bytes of a line; a longer one is bad
	maxFaults     = 10
	atOnce        = 500     // lines that are kept by one transaction
	progressAfter = 100_000 // lines after which Progress is told, where none of them is kept
	maxBad        = 1000    // lines of which not one can be read, before it is given up
	maxName       = 40      // letters of Log.By
)

// Import reads a log line by line, as it is or packed by gzip, and keeps what it says of
// transactions. What was kept stays kept whatever comes later, and a line counts once: an import
// that was broken off is done again from its beginning. The error is fail.Invalid where the log is
// none of the form, or ends in the middle of being packed; what was kept is told with it.
func (k *Importer) Import(ctx context.Context, in io.Reader, l Source) (told ImportResult, err error) {
	if l.Form == "" {
		l.Form = Auto
	}
	if !slices.Contains(Forms, l.Form) {
		return told, fail.New(fail.Invalid, "there is no form %.20q of logs; there are %v", l.Form, Forms)
	}
	if len(l.By) > maxName || strings.ContainsFunc(l.By, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return told, fail.New(fail.Invalid, "the name of a log is a line of at most %d letters", maxName)
	}
	reading, stop := context.WithCancel(ctx)
	text, err := unpacked(in)
	if err != nil {
		stop()
		return told, err
	}
	parts := make(chan part, 4)
	failed := make(chan error, 1)
	go func() {
		defer close(parts)
		failed <- (&scan{log: l, result: ImportResult{Form: l.Form}, put: func(p part) bool {
			select {
			case parts <- p:
				return true
			case <-reading.Done():
				return false
			}
		}}).run(text)
	}()
	for p := range parts {
		if err == nil {
			if err = k.store(ctx, l, p, &told); err != nil {
				stop()
			}
		}
		if err == nil && l.Progress != nil {
			l.Progress(told)
		}
	}
	stop()
	if err == nil {
		err = context.Cause(ctx)
	}
	return told, errors.Join(err, <-failed)
}

// unpacked reads a log that may be packed.
func unpacked(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(in, maxLine)
	if head, _ := buffered.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	packed, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fail.New(fail.Invalid, "the log is packed by gzip, and its head cannot be read: %v", err)
	}
	return packed, nil
}

// part is some lines that were read, what of them is to be kept, and how it stood behind them.
type part struct {
	result ImportResult
	rows   []row
}

// row is a line that is to be kept if its transaction is known, or if it tells of content.
type row struct {
	line
	digest []byte
}

// scan reads the lines of one log.
type scan struct {
	log    Source
	result ImportResult
	rows   []row
	put    func(part) bool // false when nobody wants more

	good   int64 // lines that could be read
	number int64 // of the line that was read last
	handed int64 // that of the last part
}

// run reads until the end.
func (s *scan) run(in io.Reader) error {
	read := &reader{form: s.log.Form, given: s.log.Fields}
	if s.log.MaxText > 0 {
		in = &bounded{in, s.log.MaxText}
	}
	lines := bufio.NewReaderSize(in, maxLine)
	for {
		text, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			s.number++
			s.bad(fmt.Errorf("it has more than %d bytes", maxLine))
			text, err = nil, skip(lines)
		} else if len(text) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			s.number++
			s.take(read, bytes.TrimSpace(text))
		}
		if s.good == 0 && s.result.Unreadable >= maxBad {
			err = fail.New(fail.Invalid, "none of the first %d lines can be read as %s: %s", maxBad, read.form,
				s.result.Faults[0].Reason)
		} else if err != nil && !errors.Is(err, io.EOF) {
			err = s.broken(err)
		}
		if err != nil || len(s.rows) >= atOnce || s.number-s.handed >= progressAfter {
			more := s.give(read)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil || !more {
				return err
			}
		}
	}
}

// broken tells of a log that could not be read to its end.
func (s *scan) broken(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, errTooMuch):
		return fail.New(fail.TooLarge, "the log has more than %d bytes; import it in parts. It is kept up to line %d",
			s.log.MaxText, s.number)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader),
		errors.As(err, &corrupt):
		return fail.New(fail.Invalid, "the log breaks off behind line %d; what was before is kept. Import it again "+
			"when it is whole", s.number)
	}
	return fmt.Errorf("the log cannot be read behind line %d, and what was before is kept: %w", s.number, err)
}

// bounded gives so many bytes and no more.
type bounded struct {
	io.Reader
	left int64
}

var errTooMuch = errors.New("too much")

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, errTooMuch
	}
	return n, err
}

// skip goes to the end of a line.
func skip(lines *bufio.Reader) error {
	for {
		if _, err := lines.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// take reads a line.
func (s *scan) take(read *reader, text []byte) {
	if len(text) == 0 {
		return
	}
	l, ok, err := read.read(text)
	if err != nil {
		s.bad(err)
		return
	}
	if s.good++; !ok {
		return
	}
	s.result.Lines++
	switch {
	case l.transaction == "":
		s.result.Unlicensed++
	case l.method != "" && l.method != "GET":
		s.result.Other++
	default:
		sum := sha256.Sum256(text)
		s.rows = append(s.rows, row{l, sum[:16]})
	}
}

func (s *scan) bad(err error) {
	s.result.Lines++
	if s.result.Unreadable++; len(s.result.Faults) < maxFaults {
		s.result.Faults = append(s.result.Faults, Fault{s.number, err.Error()})
	}
}

// give hands on what was read.
func (s *scan) give(read *reader) bool {
	s.result.Form, s.handed = read.form, s.number
	p := part{s.result, s.rows}
	p.result.Faults = slices.Clone(s.result.Faults)
	s.rows = nil
	return s.put(p)
}

// store records a part. What it counts is added to what was told so far.
func (k *Importer) store(ctx context.Context, l Source, p part, told *ImportResult) error {
	by := l.By
	if by == "" {
		by = string(p.result.Form)
	}
	var n ImportResult
	if len(p.rows) > 0 {
		if err := k.DB.Update(ctx, func(tx *store.Tx) (err error) {
			n, err = k.record(ctx, tx, l.Site, by, p.rows)
			return err
		}); err != nil {
			return fmt.Errorf("keep what a log says: %w", err)
		}
	}
	so := *told
	*told = p.result
	told.Added, told.Duplicates, told.Stray, told.Refused, told.Elsewhere = so.Added+n.Added,
		so.Duplicates+n.Duplicates, so.Stray+n.Stray, so.Refused+n.Refused, so.Elsewhere+n.Elsewhere
	return nil
}

// record puts rows into the table, and counts them.
func (k *Importer) record(ctx context.Context, tx *store.Tx, only, by string, rows []row) (n ImportResult, err error) {
	ids := make([]string, 0, len(rows))
	for _, r := range rows {
		ids = append(ids, r.transaction)
	}
	slices.Sort(ids)
	sites, err := transactions.Sites(ctx, tx, slices.Compact(ids)...)
	if err != nil {
		return n, err
	}
	var sold, stray []any
	for _, r := range rows {
		site, known := sites[r.transaction]
		if !known && k.SiteOf != nil {
			site = k.SiteOf(r.host)
		}
		switch {
		case only != "" && site != only:
			n.Elsewhere++
			continue
		case !known && (r.status < 200 || r.status > 299):
			n.Refused++
			continue
		}
		values := []any{r.transaction, r.digest, site, by, r.place(), store.Micros(r.at), r.status, r.bytes,
			store.Flag(r.bound), store.Flag(r.cut), r.cache, store.Flag(!known)}
		if known {
			sold = append(sold, values...)
		} else {
			stray = append(stray, values...)
		}
	}
	if n.Stray, err = insert(ctx, tx, stray); err != nil {
		return n, err
	}
	fresh, err := insert(ctx, tx, sold)
	if err == nil && fresh > 0 && k.OnAdded != nil {
		err = k.OnAdded(ctx, tx, slices.Sorted(maps.Keys(sites)))
	}
	n.Added = fresh + n.Stray
	n.Duplicates = int64((len(sold)+len(stray))/columns) - n.Added
	return n, err
}

// columns is how many columns evidence_line has, and together how many rows are put at once.
const (
	columns  = 12
	together = 50
)

// insert puts rows in, and says how many were new.
func insert(ctx context.Context, tx *store.Tx, args []any) (fresh int64, err error) {
	for some := range slices.Chunk(args, columns*together) {
		var values []string
		for i := range len(some) / columns {
			values = append(values, `(`+store.Params(1+i*columns, columns)+`)`)
		}
		n, err := tx.Exec(ctx, `INSERT INTO evidence_line (txn, digest, site, source, place, at, status, bytes, bound, cut, cache, stray) VALUES `+strings.Join(values, ", ")+` ON CONFLICT (txn, digest) DO NOTHING`, some...)
		if err != nil {
			return fresh, err
		}
		fresh += n
	}
	return fresh, nil
}

func fromHex(text string) []byte {
	b, _ := hex.DecodeString(text)
	if b == nil {
		b = []byte{}
	}
	return b
}
