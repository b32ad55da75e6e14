package ingest

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/frontier"
	"frontdesk/internal/infra/build"
)

// recollection is what is remembered of an address from one run to the next.
type recollection struct {
	// Reader tells with which settings, and by which version of this program, it was read. What is
	// remembered serves to leave an address unread only while that is the same.
	Reader   string `json:"r,omitempty"`
	Kind     string `json:"k,omitempty"` // of a first address that is a feed or a file of data
	ETag     string `json:"e,omitempty"`
	Modified string `json:"m,omitempty"`
	// Listed is when a list said that it last changed, Seen when it was last had.
	Listed string    `json:"c,omitempty"`
	Seen   time.Time `json:"s,omitzero"`
	Digest []byte    `json:"d,omitempty"` // of the body
	Items  []string  `json:"i,omitempty"` // the URLs of what came of it
	Links  []string  `json:"l,omitempty"`
	Many   bool      `json:"n,omitempty"` // it has more items than are remembered
	// Post is a post of a WordPress: its collection and id.
	Post string `json:"w,omitempty"`
	// Licences are the places of licences that the page names.
	Licences []string `json:"x,omitempty"`
	// Look is what the page was like when it was read, so that it counts for what is endless also
	// while it is not read again.
	Look *frontier.Page `json:"p,omitempty"`
	// Failing is since when an address gives no answer that never gave one; nothing else is
	// remembered of it then.
	Failing time.Time `json:"f,omitzero"`
}

// maxItems bounds how many items of one address are remembered. Of one with more, only that it has
// is.
const maxItems = 20_000

// encode makes of it what the catalog keeps.
func (m *recollection) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	if _, err = w.Write(text); err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

// packers are used again, for each has some hundred kilobytes.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic(err) // the level above is wrong
	}
	return w
}}

// recalled reads what encode made. What cannot be read is as good as forgotten.
func recalled(state []byte) *recollection {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(state)), 64<<20))
	m := &recollection{}
	if err != nil || json.Unmarshal(text, m) != nil {
		return nil
	}
	return m
}

// pageStates are what is remembered of a source's addresses from one run to the next, and what this
// run adds to it. Where they have no run, nothing is remembered.
type pageStates struct {
	run     *content.Run
	reader  string          // see recollection.Reader
	settled map[string]bool // addresses of which it is known what became of them
	leave   []string        // items that named pages no longer hold
	partial bool            // nothing may be removed, for what an address held is not remembered
}

// recall gives what is remembered of an address; nil for nothing.
func (m *pageStates) recall(ctx context.Context, address *url.URL) (*recollection, error) {
	if m.run == nil {
		return nil, nil
	}
	state, known, err := m.run.PageState(ctx, address.String())
	if err != nil || !known {
		return nil, err
	}
	return recalled(state), nil
}

// note remembers an address for the next run.
func (m *pageStates) note(ctx context.Context, address string, of *recollection) error {
	state, err := of.encode()
	if err != nil {
		return err
	}
	return m.run.PutPageState(ctx, address, state)
}

// retain lets the items of an address stay.
func (m *pageStates) retain(ctx context.Context, of *recollection) error {
	m.partial = m.partial || of.Many
	_, err := m.run.KeepItems(ctx, of.Items...)
	return err
}

// retainUnseen lets stay what the run did not come to see, and what addresses held that the site
// has since closed to all visitors. known counts the addresses that ever gave an answer.
func (m *pageStates) retainUnseen(ctx context.Context, closed []string) (known int, err error) {
	back := map[string]bool{}
	for _, address := range closed {
		back[address] = true
	}
	err = m.run.EachPageState(ctx, func(address string, state []byte) error {
		of := recalled(state)
		if of == nil || of.Failing.IsZero() {
			known++
		}
		if of == nil || m.settled[address] && !back[address] {
			return nil
		}
		if err := m.retain(ctx, of); err != nil {
			return err
		}
		return m.run.PutPageState(ctx, address, state)
	})
	return known, err
}

// dropLeft lets leave what the named pages no longer hold, and no other page holds either.
func (m *pageStates) dropLeft(ctx context.Context) error {
	if len(m.leave) == 0 {
		return nil
	}
	m.run.DropItems(m.leave...)
	leave := map[string]bool{}
	for _, address := range m.leave {
		leave[address] = true
	}
	return m.run.EachPageState(ctx, func(address string, state []byte) error {
		of := recalled(state)
		if of == nil || m.settled[address] {
			return nil
		}
		var held []string
		for _, item := range of.Items {
			if leave[item] {
				held = append(held, item)
			}
		}
		_, err := m.run.KeepItems(ctx, held...)
		return err
	})
}

// edition tells this build of the program from others, as far as it knows.
var edition = sync.OnceValue(func() string { return fmt.Sprintf("%+v", build.Current()) })

// readerOf is a short name for all that what is read of an address depends on, beside the address.
func readerOf(s *Source, base string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q", edition(), base, s.Language, s.Publisher, s.Web.Kind,
		s.Web.Agent))
	return fmt.Sprintf("%x", sum[:6])
}
