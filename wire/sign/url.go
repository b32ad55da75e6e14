package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// URLLife is the longest that a signed address may live (RAMP v1, signed URLs).
const URLLife = 300 * time.Second

// Why a signed address opens nothing.
var (
	ErrURLForm      = errors.New("the address is not signed as it has to be: its query is expires, agent_id, txn_id and sig, in this order and nothing else")
	ErrURLSignature = errors.New("the address's signature is not right; ask for it anew")
	ErrURLExpired   = errors.New("the address has expired")
	ErrURLTooFar    = errors.New("the address says that it lives longer than addresses may")
)

// URLGrant is what a signed address is bound to.
type URLGrant struct {
	Expires     time.Time // to the second
	Agent       string    // the hash of who may fetch it
	Transaction string
}

// SignURL makes an address that opens until a time, with the generic HMAC-SHA256 form of RAMP v1: a query of expires,
// agent_id, txn_id and sig, where sig is over base, expires, agent and transaction, with a line feed between each. Base is
// the address without a query; agent and transaction are of letters and digits.
func SignURL(base string, key []byte, grant URLGrant) (string, error) {
	if strings.ContainsAny(base, "?#\n") || !plain(grant.Agent) || !plain(grant.Transaction) {
		return "", ErrURLForm
	}
	expires := strconv.FormatInt(grant.Expires.Unix(), 10)
	return base + "?expires=" + expires + "&agent_id=" + grant.Agent + "&txn_id=" + grant.Transaction + "&sig=" + hex.EncodeToString(urlSum(base, key, expires, grant)), nil
}

// VerifyURL says what an address of SignURL is bound to, if one of several keys has signed it and it lives: base is the
// address as it was received, without its query. An address has one spelling: what is written otherwise is refused.
func VerifyURL(base, query string, now time.Time, keys ...[]byte) (grant URLGrant, err error) {
	rest, sum, there := strings.Cut(query, "&sig=")
	expires, ids, named := strings.Cut(strings.TrimPrefix(rest, "expires="), "&agent_id=")
	agent, transaction, both := strings.Cut(ids, "&txn_id=")
	seconds, err := strconv.ParseInt(expires, 10, 64)
	given, badHex := hex.DecodeString(sum)
	if !there || !named || !both || err != nil || badHex != nil || !strings.HasPrefix(rest, "expires=") || strconv.FormatInt(seconds, 10) != expires ||
		len(given) != sha256.Size || strings.ToLower(sum) != sum || !plain(agent) || !plain(transaction) || strings.ContainsAny(base, "?#\n") {
		return URLGrant{}, ErrURLForm
	}
	grant = URLGrant{Expires: time.Unix(seconds, 0).UTC(), Agent: agent, Transaction: transaction}
	right := 0
	for _, key := range keys { // each of them, so that the time tells nothing
		if hmac.Equal(urlSum(base, key, expires, grant), given) {
			right++
		}
	}
	switch {
	case right == 0:
		return URLGrant{}, ErrURLSignature
	case !now.Before(grant.Expires):
		return URLGrant{}, ErrURLExpired
	case grant.Expires.Sub(now) > URLLife:
		return URLGrant{}, ErrURLTooFar
	}
	return grant, nil
}

func urlSum(base string, key []byte, expires string, grant URLGrant) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(base + "\n" + expires + "\n" + grant.Agent + "\n" + grant.Transaction))
	return mac.Sum(nil)
}

// plain says whether a text is an id that needs no escaping in an address.
func plain(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return id != ""
}
