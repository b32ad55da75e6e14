package kill

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
)

// fact is a line of a platform's journal: a message that is about to be sent, and once more what
// came of it.
type fact struct {
	ID      string  // request_id or event_id
	About   string  // of an event: the request
	Message message // as it was signed
	Known   bool    // it was answered; the rest says how
	Denied  bool    // it was a request that got nothing
	Given   string  // the hash of the passages and citations of an answer
	Entry   string  // of the ledger
	Event   string  // the access event of an answer
	Count   int     // of an access that the platform counted itself: its tokens; 0 for none
	Verdict string  // what the front desk said of an event
}

// event says whether it is of an event.
func (f fact) event() bool { return f.About != "" }

// kind is the kind of its entry in the ledger.
func (f fact) kind() string {
	switch {
	case f.Count > 0:
		return "counter-receipt"
	case f.event():
		return "citation"
	}
	return "access"
}

// journal is what platforms wrote down, as it came, in a file.
type journal struct {
	lock sync.Mutex
	file *os.File
	size int64
}

func newJournal(t *testing.T, path string) *journal {
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &journal{file: file}
}

func (j *journal) write(f fact) error {
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	j.lock.Lock()
	defer j.lock.Unlock()
	n, err := j.file.Write(append(line, '\n'))
	j.size += int64(n)
	return err
}

// length is where the next line begins.
func (j *journal) length() int64 {
	j.lock.Lock()
	defer j.lock.Unlock()
	return j.size
}

// read gives what is known of each message from a place on, in the order in which they were first
// sent.
func (j *journal) read(t *testing.T, from int64) (all []fact) {
	t.Helper()
	at := map[string]int{}
	in := json.NewDecoder(bufio.NewReader(io.NewSectionReader(j.file, from, j.length()-from)))
	for {
		var f fact
		if err := in.Decode(&f); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("the journal cannot be read: %v", err)
		}
		if i, known := at[f.ID]; known {
			if f.Known || !all[i].Known { // what was acknowledged stays so while it is sent once more
				all[i] = f
			}
			continue
		}
		at[f.ID] = len(all)
		all = append(all, f)
	}
}
