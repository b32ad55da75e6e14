package client

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// event is one server-sent event.
type event struct {
	name string
	data []byte
}

// events reads a text/event-stream, as the HTML standard says in "Server-sent events". Fields that
// we do not use (id, retry) are skipped.
type events struct {
	lines *bufio.Reader
	most  int  // bytes of one event
	begun bool // whether the first line was read
	after bool // a CR, so that an LF belongs to the same line break
}

func newEvents(r io.Reader, most int) *events {
	return &events{lines: bufio.NewReaderSize(r, 4<<10), most: most}
}

// next gives the next event that has data. io.EOF is the stream's end; what then was begun and not
// ended by a blank line is dropped, as the standard says.
func (e *events) next() (event, error) {
	var current event
	var line []byte
	for size := 0; ; {
		var err error
		if line, err = e.line(line[:0], e.most-size); err != nil {
			return event{}, err
		}
		size += len(line)
		if len(line) == 0 {
			if current.data != nil {
				current.data = current.data[:len(current.data)-1] // the last line's break
				return current, nil
			}
			current, size = event{}, 0
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			current.name = string(value)
		case "data":
			current.data = append(append(current.data, value...), '\n')
		}
	}
}

// line appends a line, which CR, LF or both end, to dst; it may have so many bytes.
func (e *events) line(dst []byte, most int) ([]byte, error) {
	for {
		if _, err := e.lines.Peek(1); err != nil {
			return nil, err
		}
		here, _ := e.lines.Peek(e.lines.Buffered())
		if e.after && here[0] == '\n' {
			here = here[1:]
			_, _ = e.lines.Discard(1)
		}
		if e.after = false; len(here) == 0 {
			continue
		}
		end := bytes.IndexAny(here, "\r\n")
		part := here
		if end >= 0 {
			part = here[:end]
		}
		if len(dst)+len(part) > most {
			return nil, fmt.Errorf("an event has more than %d bytes: %w", e.most, ErrTooLarge)
		}
		dst = append(dst, part...)
		if end < 0 {
			_, _ = e.lines.Discard(len(part))
			continue
		}
		e.after = here[end] == '\r'
		_, _ = e.lines.Discard(end + 1)
		if !e.begun {
			e.begun = true
			dst = bytes.TrimPrefix(dst, []byte("\ufeff"))
		}
		return dst, nil
	}
}
