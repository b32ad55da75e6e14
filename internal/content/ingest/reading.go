package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
)

// unit is a piece of a file that one worker turns into items.
type unit struct {
	file  file
	form  form
	text  string // valid UTF-8 in documents only
	line  int    // of the text's first character in the file
	spans []span // of a large array: its items
	index int    // of the first of them

	visit *visit // of which it is an answer, for a source of the web
	media string // what the server says that it is

	problem *Problem // instead of a text: why there is none
	whole   bool     // the problem is with the file as a whole
	last    bool     // the file ends here

	result chan result
}

// span is a part of a unit's text, with the line that it begins on.
type span struct {
	begin, end int
	line       int
}

// batchSize is how much of a file of lines goes to a worker at once.
const batchSize = 256 << 10

// reader takes files apart into units.
type reader struct {
	from   fs.FS
	limits Limits
	count  *atomic.Int64 // bytes read as they lie on disk
	emit   func(context.Context, *unit) error
}

// read takes one file apart. What is wrong with the file is emitted as a problem; an error ends the run.
func (r *reader) read(ctx context.Context, f file) error {
	err := r.open(ctx, f)
	var fault fileFault
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &fault):
		return r.emit(ctx, &unit{file: f, problem: &Problem{place(f.name, fault.line), fault.reason}, whole: true})
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

func (r *reader) open(ctx context.Context, f file) error {
	if f.size > r.limits.File {
		return fileFault{0, fmt.Sprintf("the file is %s, and at most %s of one is read; divide it, or compress it with gzip", bytesText(f.size), bytesText(r.limits.File))}
	}
	opened, err := r.from.Open(f.name)
	if err != nil {
		return fileFault{0, "the file cannot be opened: " + plainError(err)}
	}
	defer opened.Close()
	counted := &countedReader{Reader: opened, ctx: ctx, count: r.count}
	var from io.Reader = bufio.NewReaderSize(counted, 64<<10)
	if f.zipped {
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return fileFault{0, "the file is not compressed with gzip, as its name says, or damaged"}
		}
		from = &boundedReader{Reader: unpacked, in: counted, most: r.limits.Unpacked}
	}
	switch f.form {
	case linesForm:
		return r.lines(ctx, f, from)
	case documentForm:
		return r.document(ctx, f, from)
	}
	return r.page(ctx, f, from)
}

// plainError is an error of the file system without the path, which the origin has.
func plainError(err error) string {
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

// A file that unpacks to more than freeSize may unpack to mostRatio times its size. What people write packs to a
// twentieth at the best; a gzip bomb packs to a thousandth.
const (
	freeSize  = 64 << 20
	mostRatio = 250
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
		return n, fileFault{0, "the file unpacks to more than " + bytesText(b.most) + "; divide it"}
	case b.out > freeSize && b.out/mostRatio > b.in.own:
		return n, fileFault{0, fmt.Sprintf("the file unpacks to more than %d times its size, which no honest content does", mostRatio)}
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
	return fileFault{line, "reading failed: " + plainError(err)}
}

// all reads a whole file that may have up to a number of bytes.
func all(from io.Reader, most int64, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, readFault(err, 0)
	}
	if int64(len(data)) > most {
		return nil, fileFault{0, fmt.Sprintf("%s has more than %s", what, bytesText(most))}
	}
	return data, nil
}

// page emits an HTML or Markdown file whole.
func (r *reader) page(ctx context.Context, f file, from io.Reader) error {
	data, err := all(from, r.limits.Page, "the page")
	if err != nil {
		return err
	}
	if garbled(data[:min(len(data), 4<<10)]) {
		return r.emit(ctx, &unit{file: f, problem: &Problem{f.name, "this is no text in any encoding; is it an image or an archive under a wrong name?"}})
	}
	return r.emit(ctx, &unit{file: f, form: f.form, text: string(data), line: 1})
}

// document emits a JSON file: whole, so that references are joined over all of it, or a long array without any
// references in portions, so that many workers have their part.
func (r *reader) document(ctx context.Context, f file, from io.Reader) error {
	data, err := all(from, r.limits.Document, "the JSON document")
	var fault fileFault
	if errors.As(err, &fault) && strings.HasPrefix(fault.reason, "the JSON") {
		fault.reason += "; write one item a line into a .jsonl file, which may be as long as you like"
		return fault
	} else if err != nil {
		return err
	}
	text := decode(data)
	spans := elements(text)
	if spans == nil {
		return r.emit(ctx, &unit{file: f, form: documentForm, text: text, line: 1})
	}
	index := 0
	for index < len(spans) {
		count, size := 0, 0
		for index+count < len(spans) && size < batchSize {
			size += spans[index+count].end - spans[index+count].begin
			count++
		}
		u := &unit{file: f, form: documentForm, text: text, line: 1, spans: spans[index : index+count], index: index}
		if err := r.emit(ctx, u); err != nil {
			return err
		}
		index += count
	}
	return nil
}

// elements finds the items of a long array that can be read apart from each other; nil for any other document.
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

// lines emits a file of lines in portions. Lines that are too long are passed by without being kept.
func (r *reader) lines(ctx context.Context, f file, from io.Reader) error {
	buffered, err := utf8Reader(from)
	if err != nil {
		return readFault(err, 1)
	}
	if opensDocument(buffered) {
		return r.document(ctx, f, buffered)
	}
	l := lineReader{reader: r, ctx: ctx, file: f, from: buffered, line: 1}
	return l.run()
}

// opensDocument says whether a file begins with a bracket alone on its line: a document over many lines, whatever
// the file's name says.
func opensDocument(from *bufio.Reader) bool {
	head, _ := from.Peek(512)
	line, _, found := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("\n"))
	line = bytes.TrimSpace(line)
	return found && len(line) == 1 && (line[0] == '[' || line[0] == '{')
}

// lineReader cuts a stream into portions of whole lines.
type lineReader struct {
	*reader
	ctx  context.Context
	file file
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

// portion emits the whole lines of the buffer and gives the rest; at the end of the file there is none.
func (l *lineReader) portion(buffer []byte, ended bool) (rest []byte, err error) {
	if l.passing {
		end := bytes.IndexByte(buffer, '\n')
		if end < 0 {
			return nil, nil
		}
		l.passing, buffer = false, buffer[end+1:]
		l.line++
	}
	end := len(buffer)
	if !ended {
		end = bytes.LastIndexByte(buffer, '\n') + 1
	}
	if end == 0 && int64(len(buffer)) > l.limits.Item {
		l.passing = true
		return nil, l.emit(l.ctx, &unit{file: l.file, problem: &Problem{place(l.file.name, l.line), tooLong(l.limits.Item)}})
	}
	if end == 0 {
		return buffer, nil
	}
	line := l.line
	l.line += bytes.Count(buffer[:end], []byte("\n"))
	return buffer[end:], l.emit(l.ctx, &unit{file: l.file, form: linesForm, text: string(buffer[:end]), line: line})
}

// tooLong says that an item is longer than may be.
func tooLong(most int64) string {
	return "the item is longer than " + bytesText(most) + ", the most that one may have"
}

// broken emits the lines that were read before the file failed.
func (l *lineReader) broken(buffer []byte, cause error) error {
	rest, err := l.portion(buffer[:bytes.LastIndexByte(buffer, '\n')+1], false)
	if err != nil || len(rest) > 0 {
		return err
	}
	return readFault(cause, l.line)
}
