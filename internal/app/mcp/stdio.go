package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the most bytes of one message over standard input.
const maxLine = 4 << 20

// revisionBatch is the last revision in which messages may come several at once.
const revisionBatch = "2025-03-26"

// Serve speaks the protocol over a pair of streams, one message a line, until in ends or ctx does.
// What is no message is answered with an error, and the next line is read. Requests that are in
// work when in ends are answered.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	inside, passed := io.Pipe()
	lines := &lines{offers: s.offers, out: out, passed: passed, waiting: map[string]bool{},
		answered: make(chan struct{}, 1), ended: make(chan struct{})}
	go lines.read(in)
	err := s.Run(ctx, &sdk.IOTransport{Reader: inside, Writer: lines})
	close(lines.ended) // for a reader of lines that is still at it
	inside.Close()
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// lines stands between the streams and the SDK, which would end at the first line that is no
// message.
type lines struct {
	offers func(method string) bool
	passed *io.PipeWriter
	batch  bool // the revision that the client asked for has batches

	answered chan struct{} // told when waiting has become less
	ended    chan struct{} // closed when nobody reads what is passed on

	mu      sync.Mutex // guards what follows
	out     io.Writer
	waiting map[string]bool // ids of requests that were passed on and not yet answered
}

// read passes on the lines that are messages.
func (l *lines) read(in io.Reader) {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		line, whole, err := readLine(reader)
		if passed, wrong := l.check(line, whole); wrong != nil {
			l.write(append(wrong.appendJSON(nil), '\n'))
		} else if line = passed; len(line) > 0 {
			if _, err := l.passed.Write(append(line, '\n')); err != nil {
				return // the server has ended
			}
		}
		if err != nil {
			l.drain()
			l.passed.Close()
			return
		}
	}
}

// readLine reads one line without its end and the blanks around it. Of one that is too long it
// keeps nothing.
func readLine(reader *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := reader.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxLine; whole {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), whole, err
		}
	}
}

// check gives what is to be passed on of a line, or says what is wrong with it. It notes what is to
// be answered.
func (l *lines) check(line []byte, whole bool) (passed []byte, wrong *problem) {
	if !whole {
		return nil, &problem{code: jsonrpc.CodeInvalidRequest,
			text: "the line is too long; a message has at most 4 MiB"}
	}
	if len(line) == 0 {
		return nil, nil
	}
	messages, batch, wrong := readMessages(line, l.offers)
	if wrong != nil {
		return nil, wrong
	}
	if batch && !l.batch {
		return nil, &problem{code: jsonrpc.CodeInvalidRequest,
			text: "send messages one by one; since revision 2025-06-18 there are no batches"}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range messages {
		if !m.call() {
			continue
		}
		if l.waiting[string(m.ID)] {
			return nil, &problem{id: m.ID, code: jsonrpc.CodeInvalidRequest,
				text: "a request with this id is still in work; give each its own"}
		}
		if m.method == "initialize" {
			var asked struct {
				Revision string `json:"protocolVersion"`
			}
			_ = json.Unmarshal(m.Params, &asked) // its shape was checked
			l.batch = asked.Revision <= revisionBatch
		}
	}
	for _, m := range messages {
		switch {
		case m.call():
			l.waiting[string(m.ID)] = true
		case m.method == "notifications/cancelled":
			var cancelled struct {
				ID json.RawMessage `json:"requestId"`
			}
			_ = json.Unmarshal(m.Params, &cancelled) // one that names no request cancels none
			delete(l.waiting, string(cancelled.ID))
		}
	}
	return withoutDropped(line, messages, batch), nil
}

// Write sends what the SDK has to say, and notes what is answered.
func (l *lines) Write(text []byte) (int, error) {
	n, err := l.write(text)
	var answers []message
	if json.Unmarshal(text, &answers) != nil {
		answers = make([]message, 1)
		_ = json.Unmarshal(text, &answers[0]) // the SDK's own
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, answer := range answers {
		if len(answer.Method) == 0 {
			delete(l.waiting, string(answer.ID))
		}
	}
	select {
	case l.answered <- struct{}{}:
	default:
	}
	return n, err
}

func (l *lines) write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(text)
}

// Close is the SDK's end of the line; the stream behind it is not ours to close.
func (l *lines) Close() error { return nil }

// drain waits until all that was asked is answered.
func (l *lines) drain() {
	for {
		l.mu.Lock()
		done := len(l.waiting) == 0
		l.mu.Unlock()
		if done {
			return
		}
		select {
		case <-l.answered:
		case <-l.ended:
			return
		}
	}
}
