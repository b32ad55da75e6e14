package edge

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	wire "frontdesk/wire/edge"
)

// line is what a server's log tells of a request, as the log_format of docs/edge.md writes it.
type line struct {
	Delivery    string  `json:"delivery"`
	Transaction string  `json:"transaction"`
	Agent       string  `json:"agent"`
	Form        string  `json:"form"`
	URI         string  `json:"uri"`
	Status      int     `json:"status"`
	Bytes       int64   `json:"bytes"`
	Ended       float64 `json:"ended"`   // in seconds since 1970
	Seconds     float64 `json:"seconds"` // that it took
	Completion  string  `json:"completion"`
}

// errLine is of a line that does not tell what it has to.
var errLine = errors.New("this is no line of the log_format that docs/edge.md shows")

// ReadLine reads a line of a server's log: how a delivery ended that Auth let pass. ok is false for
// a request that was none.
func ReadLine(text []byte) (d wire.Delivery, ok bool, err error) {
	var l line
	if json.Unmarshal(text, &l) != nil {
		return d, false, errLine
	}
	if l.Delivery == "" || l.Delivery == "-" {
		return d, false, nil
	}
	if !(l.Ended > 0 && l.Ended < 7e9 && l.Seconds >= 0 && l.Seconds < 1e7) {
		return d, false, errLine
	}
	ended := time.UnixMicro(int64(math.Round(l.Ended * 1e6))).UTC()
	d = wire.Delivery{
		ID: l.Delivery, Transaction: l.Transaction, Agent: l.Agent, Form: l.Form, URI: l.URI, State: wire.Cut,
		Status: l.Status, Bytes: l.Bytes,
		At: ended.Add(-time.Duration(l.Seconds * float64(time.Second))).Truncate(time.Microsecond), Ended: ended,
	}
	if l.Completion == "OK" {
		d.State = wire.Ended
	}
	if err := (wire.Batch{Version: wire.Version, ID: "x", Deliveries: []wire.Delivery{d}}).Check(); err != nil {
		return wire.Delivery{}, false, fmt.Errorf("%w: %w", errLine, err)
	}
	return d, true, nil
}

// maxLine is the most that a line of a log may have; a longer one is passed over.
const maxLine = 64 << 10

// ReadLog reads the whole lines of a log from r and calls put with what they tell. It gives how
// many bytes they have, without those of a last line that has no end yet, how many deliveries it
// told of, and how many lines it could not read. The error is that of put or of r.
func ReadLog(r io.Reader, put func(wire.Delivery) error) (bytes int64, deliveries, unread int, err error) {
	in := bufio.NewReaderSize(r, maxLine)
	var long int64 // of a line that is too long, so far
	for {
		text, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long += int64(len(text))
			continue
		case errors.Is(err, io.EOF):
			return bytes, deliveries, unread, nil
		case err != nil:
			return bytes, deliveries, unread, err
		}
		size := long + int64(len(text))
		if long > 0 {
			unread++
		} else if d, ok, err := ReadLine(text); err != nil {
			unread++
		} else if ok {
			if err := put(d); err != nil {
				return bytes, deliveries, unread, err
			}
			deliveries++
		}
		bytes, long = bytes+size, 0
	}
}
