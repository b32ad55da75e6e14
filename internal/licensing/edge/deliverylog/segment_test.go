package deliverylog

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/edge"
	"frontdesk/wire/strictjson"
)

// TestARecordWrittenByHandIsReadAsItWas holds what is written by hand to what reads it, and to what
// the library writes.
func TestARecordWrittenByHandIsReadAsItWas(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		b := make([]byte, random.IntN(most+1))
		for i := range b {
			b[i] = byte(' ' + random.IntN('~'-' '+1))
		}
		return string(b)
	}
	when := func() time.Time {
		if random.IntN(4) == 0 {
			return time.Time{}
		}
		return time.UnixMicro(random.Int64N(4e15)).UTC()
	}
	number := func() int64 { return random.Int64() >> random.IntN(64) }
	for range 2000 {
		d := edge.Delivery{
			ID: text(64), Transaction: text(128), Agent: text(256), URI: "https://www.example.com/" + text(200),
			Form: text(10), State: edge.Cut, Status: random.IntN(600),
			Announced: number(), Bytes: number(), AtMost: random.IntN(2) == 0,
			SHA256: strings.Repeat("a", random.IntN(2)*64), At: when(), Ended: when(),
		}
		var read, library edge.Delivery
		if err := strictjson.Decode(payload(t, kindWhole, whole(d)), &read); err != nil || read != d {
			t.Fatalf("%+v was read as %+v, %v", d, read, err)
		}
		if usual, err := json.Marshal(d); err != nil || strictjson.Decode(usual, &library) != nil || library != read {
			t.Fatalf("the library writes %s", usual)
		}
		var e end
		if err := strictjson.Decode(payload(t, kindEnd, finished(d)), &e); err != nil ||
			e != (end{d.ID, d.State, d.Status, d.Bytes, d.SHA256, d.Ended}) {
			t.Fatalf("the end of %+v was read as %+v, %v", d, e, err)
		}
	}
}

// payload is what a framed record holds.
func payload(t *testing.T, kind byte, framed []byte) (found []byte) {
	t.Helper()
	lost := records(framed, func(k byte, text []byte) {
		if k == kind {
			found = text
		}
	})
	if lost != 0 || found == nil {
		t.Fatalf("%q is no record of the kind %c", framed, kind)
	}
	return found
}
