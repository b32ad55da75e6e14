package questions

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"frontdesk/internal/infra/fail"
)

// ClickTime is how long an answer's places can be told when they are followed.
const ClickTime = 30 * time.Minute

// maxPlaces is how many places of an answer can be followed.
const maxPlaces = 50

// An answer's id is, in base64: the id of the question (8 bytes), when it was answered (4, minutes
// since 1970), a number of its own (6), how many places it has (1), and a MAC over them (12). It
// names nobody, and nothing of it is kept until a place is followed.
const (
	claimSize = 8 + 4 + 6 + 1
	macSize   = 12
)

// click is one place of an answer that was followed.
type click struct {
	question ID
	answer   [6]byte
	place    int64
	source   Source
	at       time.Time
}

// newAnswerID makes an id for an answer.
func (k *Keeper) newAnswerID(question ID, results int, at time.Time) string {
	var raw [claimSize + macSize]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(question))
	binary.BigEndian.PutUint32(raw[8:12], uint32(at.Unix()/60))
	rand.Read(raw[12:18])
	raw[18] = byte(min(results, maxPlaces))
	copy(raw[claimSize:], k.sum("click", raw[:claimSize]))
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// sum is a MAC under the front desk's secret.
func (k *Keeper) sum(purpose string, data []byte) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(purpose))
	mac.Write([]byte{0})
	mac.Write(data)
	return mac.Sum(nil)
}

var errAnswerID = fail.New(fail.Invalid, "this id of an answer is not good here, or its 30 minutes are over")

// Click counts that a place of an answer was followed, the first being 1: once for each place of an
// answer, within ClickTime. It is counted a little later.
func (k *Keeper) Click(answer string, place int, source Source) error {
	var raw [claimSize + macSize]byte
	if base64.RawURLEncoding.DecodedLen(len(answer)) != len(raw) {
		return errAnswerID
	}
	if n, err := base64.RawURLEncoding.Strict().Decode(raw[:], []byte(answer)); err != nil || n != len(raw) {
		return errAnswerID
	}
	now := k.options.Now()
	at := time.Unix(int64(binary.BigEndian.Uint32(raw[8:12]))*60, 0)
	signed := hmac.Equal(raw[claimSize:], k.sum("click", raw[:claimSize])[:macSize])
	if !signed || now.Sub(at) > ClickTime+time.Minute || at.After(now.Add(time.Minute)) {
		return errAnswerID
	}
	if place < 1 || place > int(raw[18]) {
		return fail.New(fail.Invalid, "the answer has no item at position %d", place)
	}
	one := click{question: ID(binary.BigEndian.Uint64(raw[:8])), place: int64(place), source: source, at: now}
	copy(one.answer[:], raw[12:18])
	if !k.add(func() bool {
		fits := len(k.clicks) < maxPending
		if fits {
			k.clicks = append(k.clicks, one)
		}
		return fits
	}) {
		return fail.New(fail.Unavailable, "too much is to be counted at the moment")
	}
	return nil
}

// Followed is Click for whoever a context names. It is fail.Invalid for an id that is not good any
// more.
func (k *Keeper) Followed(ctx context.Context, answer string, place int) error {
	source, _ := From(ctx)
	return k.Click(answer, place, source)
}
