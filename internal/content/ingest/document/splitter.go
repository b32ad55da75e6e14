package document

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/markup"
)

// Portion is a piece of a document that a Reader turns into items.
type Portion struct {
	File   File
	Format Format
	Text   string // valid UTF-8 in documents of JSON only
	Line   int    // of the text's first character in the file
	spans  []span // of a large array: its items
	index  int    // of the first of them

	// Address is that from which it was had; nil for a file, whose name tells its address.
	Address *url.URL
	// Base is what addresses in its data are relative to; nil for the Reader's.
	Base *url.URL
	// Media is the media type that its server gives.
	Media string
	// Filter is told of a page of HTML before items are made of it, and says whether they are; nil
	// for always.
	Filter func(*markup.Page) bool

	Problem *Problem // instead of a text: why there is none
	Whole   bool     // the problem is with the file as a whole
}

// Size is how much of a document the portion is, in bytes; those of a long array share its text.
func (p *Portion) Size() int64 {
	if p.spans != nil {
		return int64(p.spans[len(p.spans)-1].end - p.spans[0].begin)
	}
	return int64(len(p.Text))
}

// span is a part of a portion's text, with the line that it begins on.
type span struct {
	begin, end int
	line       int
}

// batchSize is how much of a file of lines makes up one portion.
const batchSize = 256 << 10

// Splitter takes files and bodies apart into portions, in bounded memory.
type Splitter struct {
	// From is where files are.
	From   fs.FS
	Limits Limits
	// Count counts the bytes that were read of Files as they lie on disk.
	Count *atomic.Int64
	// Emit gets the portions in their order. An error of it ends the reading.
	Emit func(context.Context, *Portion) error
}

// File takes one file apart. What is wrong with the file is emitted as a problem; an error ends the
// run.
func (s *Splitter) File(ctx context.Context, f File) error { return s.end(ctx, f, s.open(ctx, f)) }

// Body takes apart what was read elsewhere, of the form and name of a file. What is wrong with it
// is emitted as a problem; an error ends the run.
func (s *Splitter) Body(ctx context.Context, f File, from io.Reader) error {
	return s.end(ctx, f, s.split(ctx, f, from))
}

// end emits what ended the reading of one file as its problem.
func (s *Splitter) end(ctx context.Context, f File, err error) error {
	var fault fileFault
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &fault):
		problem := &Problem{Origin: place(f.Name, fault.line), Reason: fault.reason}
		return s.Emit(ctx, &Portion{File: f, Problem: problem, Whole: true})
	}
	return err
}

// fileFault is what ends the reading of one file.
type fileFault struct {
	line   int
	reason string
}

func (f fileFault) Error() string { return f.reason }

// place names a line of a file, or the file.
func place(name string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", name, line)
	}
	return name
}

func (s *Splitter) open(ctx context.Context, f File) error {
	if f.Size > s.Limits.File {
		return fileFault{0,
			fmt.Sprintf("the file is %s, and at most %s of one is read; divide it, or compress it with gzip",
				FormatBytes(f.Size), FormatBytes(s.Limits.File))}
	}
	opened, err := s.From.Open(f.Name)
	if err != nil {
		return fileFault{0, "the file cannot be opened: " + WithoutPath(err)}
	}
	defer opened.Close()
	counted := &countedReader{Reader: opened, ctx: ctx, count: s.Count}
	var from io.Reader = bufio.NewReaderSize(counted, 64<<10)
	if f.Zipped {
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return fileFault{0, "the file is not compressed with gzip, as its name says, or damaged"}
		}
		from = &boundedReader{Reader: unpacked, in: counted, most: s.Limits.Unpacked}
	}
	return s.split(ctx, f, from)
}

func (s *Splitter) split(ctx context.Context, f File, from io.Reader) error {
	switch f.Format {
	case Lines:
		return s.lines(ctx, f, from)
	case JSON:
		return s.document(ctx, f, from)
	}
	return s.page(ctx, f, from)
}

// WithoutPath returns an error of the file system without the path, since the origin has it.
func WithoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// countedReader counts what is read of a file, and stops when the run does.
type countedReader struct {
	io.Reader
	ctx   context.Context
	count *atomic.Int64
	own   int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.Reader.Read(p)
	c.count.Add(int64(n))
	c.own += int64(n)
	return n, err
}

// A file that unpacks to more than freeSize may unpack to maxRatio times its size. What people
// write packs to a twentieth at the best; a gzip bomb packs to a thousandth.
const (
	freeSize = 64 << 20
	maxRatio = 250
)

// boundedReader refuses to unpack what grows too much.
type boundedReader struct {
	io.Reader
	in   *countedReader
	most int64
	out  int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.out += int64(n)
	switch {
	case b.out > b.most:
		return n, fileFault{0, "the file unpacks to more than " + FormatBytes(b.most) + "; divide it"}
	case b.out > freeSize && b.out/maxRatio > b.in.own:
		return n, fileFault{0,
			fmt.Sprintf("the file unpacks to more than %d times its size, which no honest content does", maxRatio)}
	}
	return n, err
}

// readFault makes a fault of the file out of an error in the middle of it.
func readFault(err error, line int) error {
	var fault fileFault
	switch {
	case errors.As(err, &fault):
		fault.line = line
		return fault
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fileFault{line, "the compressed file ends too early; it was not written or copied whole"}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fileFault{line, "the compressed file is damaged"}
	}
	return fileFault{line, "reading failed: " + WithoutPath(err)}
}

// all reads a whole file that may have up to a number of bytes.
func all(from io.Reader, most int64, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, readFault(err, 0)
	}
	if int64(len(data)) > most {
		return nil, fileFault{0, fmt.Sprintf("%s has more than %s", what, FormatBytes(most))}
	}
	return data, nil
}

// page emits an HTML or Markdown file whole.
func (s *Splitter) page(ctx context.Context, f File, from io.Reader) error {
	data, err := all(from, s.Limits.Page, "the page")
	if err != nil {
		return err
	}
	if charset.IsBinary(data[:min(len(data), 4<<10)]) {
		return s.Emit(ctx, &Portion{File: f, Problem: &Problem{
			Origin: f.Name, Reason: "this is no text in any encoding; is it an image or an archive under a wrong name?",
		}})
	}
	return s.Emit(ctx, &Portion{File: f, Format: f.Format, Text: string(data), Line: 1})
}

// document emits a JSON file: whole, so that references are joined over all of it, or a long array
// without any references in portions, so that many workers have their part.
func (s *Splitter) document(ctx context.Context, f File, from io.Reader) error {
	data, err := all(from, s.Limits.Document, "the JSON document")
	var fault fileFault
	if errors.As(err, &fault) && strings.HasPrefix(fault.reason, "the JSON") {
		fault.reason += "; write one item a line into a .jsonl file, which may be as long as you like"
		return fault
	} else if err != nil {
		return err
	}
	text := charset.DecodeJSON(data)
	spans := elements(text)
	if spans == nil {
		return s.Emit(ctx, &Portion{File: f, Format: JSON, Text: text, Line: 1})
	}
	index := 0
	for index < len(spans) {
		count, size := 0, 0
		for index+count < len(spans) && size < batchSize {
			size += spans[index+count].end - spans[index+count].begin
			count++
		}
		u := &Portion{File: f, Format: JSON, Text: text, Line: 1, spans: spans[index : index+count], index: index}
		if err := s.Emit(ctx, u); err != nil {
			return err
		}
		index += count
	}
	return nil
}

// elements finds the items of a long array that can be read apart from each other; nil for any
// other document.
func elements(text string) []span {
	if len(text) < 2*batchSize || strings.Contains(text, "@id") {
		return nil
	}
	at := 0
	for at < len(text) && strings.IndexByte(" \t\r\n\ufeff", text[at]) >= 0 {
		at++
	}
	if at == len(text) || text[at] != '[' {
		return nil
	}
	var spans []span
	depth, begin, line := 0, 0, 1+strings.Count(text[:at], "\n")
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\n':
			line++
		case '{', '[':
			if depth == 0 {
				begin = at
				spans = append(spans, span{begin: at, line: line})
			}
			depth++
		case '}', ']':
			if depth == 0 {
				if text[at] == ']' && strings.TrimSpace(text[at+1:]) == "" {
					return spans
				}
				return nil
			}
			if depth--; depth == 0 {
				spans[len(spans)-1] = span{begin, at + 1, spans[len(spans)-1].line}
			}
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				switch text[at] {
				case '\\':
					at++
				case '\n':
					line++
				}
			}
		}
	}
	return nil
}

// lines emits a file of lines in portions. Lines that are too long are passed by without being
// kept.
func (s *Splitter) lines(ctx context.Context, f File, from io.Reader) error {
	buffered, err := charset.NewReader(from)
	if err != nil {
		return readFault(err, 1)
	}
	if opensDocument(buffered) {
		return s.document(ctx, f, buffered)
	}
	l := lineReader{Splitter: s, ctx: ctx, file: f, from: buffered, line: 1}
	return l.run()
}

// opensDocument says whether a file begins with a bracket alone on its line: a document over many
// lines, whatever the file's name says.
func opensDocument(from *bufio.Reader) bool {
	head, _ := from.Peek(512)
	line, _, found := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("\n"))
	line = bytes.TrimSpace(line)
	return found && len(line) == 1 && (line[0] == '[' || line[0] == '{')
}

// lineReader cuts a stream into portions of whole lines.
type lineReader struct {
	*Splitter
	ctx  context.Context
	file File
	from io.Reader
	line int // of the first byte in the buffer
	// passing is set inside of a line that is too long.
	passing bool
}

func (l *lineReader) run() error {
	var buffer []byte
	for {
		var err error
		buffer, err = fill(l.from, buffer)
		if err != nil && err != io.EOF {
			return l.broken(buffer, err)
		}
		rest, stop := l.portion(buffer, err == io.EOF)
		if stop != nil || err == io.EOF {
			return stop
		}
		buffer = append(buffer[:0], rest...)
	}
}

// fill reads until the buffer has one batch more.
func fill(from io.Reader, buffer []byte) ([]byte, error) {
	want := len(buffer) + batchSize
	buffer = slices.Grow(buffer, batchSize)
	for len(buffer) < want {
		n, err := from.Read(buffer[len(buffer):want])
		buffer = buffer[:len(buffer)+n]
		if err != nil {
			return buffer, err
		}
	}
	return buffer, nil
}

// portion emits the whole lines of the buffer and gives the rest; at the end of the file there is
// none.
func (l *lineReader) portion(buffer []byte, ended bool) (rest []byte, err error) {
	if l.passing {
		_, after, ok := bytes.Cut(buffer, []byte{'\n'})
		if !ok {
			return nil, nil
		}
		l.passing, buffer = false, after
		l.line++
	}
	end := len(buffer)
	if !ended {
		end = bytes.LastIndexByte(buffer, '\n') + 1
	}
	if end == 0 && int64(len(buffer)) > l.Limits.Item {
		l.passing = true
		problem := &Problem{Origin: place(l.file.Name, l.line), Reason: tooLong(l.Limits.Item)}
		return nil, l.Emit(l.ctx, &Portion{File: l.file, Problem: problem})
	}
	if end == 0 {
		return buffer, nil
	}
	line := l.line
	l.line += bytes.Count(buffer[:end], []byte("\n"))
	return buffer[end:], l.Emit(l.ctx, &Portion{File: l.file, Format: Lines, Text: string(buffer[:end]), Line: line})
}

// tooLong says that an item is longer than may be.
func tooLong(most int64) string {
	return "the item is longer than " + FormatBytes(most) + ", the most that one may have"
}

// broken emits the lines that were read before the file failed.
func (l *lineReader) broken(buffer []byte, cause error) error {
	rest, err := l.portion(buffer[:bytes.LastIndexByte(buffer, '\n')+1], false)
	if err != nil || len(rest) > 0 {
		return err
	}
	return readFault(cause, l.line)
}
