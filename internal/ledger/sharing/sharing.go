// Package sharing makes links by which strangers get the receipt of one entry, and nothing else of
// the ledger. There are links to entries of the owner alone: those of a party stay that party's.
//
// A link has a code, which the site's secret makes of the entry's id. So nothing is stored, and a
// link is good for as long as the secret is. Enter at [Links].
package sharing

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"net/url"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/wire/receipt"
)

// Links make links, and open them. Nothing of it may be nil.
type Links struct {
	Receipt func(ctx context.Context, id string) (receipt.Receipt, error)
	Secret  func() ([]byte, error) // of the site; all nodes have the same
}

// operator is the party of entries on what the operator brought in.
const operator = "operator"

// Owned says whether an entry is on nobody but the owner.
func Owned(e receipt.Entry) bool { return e.Party == "" || e.Party == operator }

// Path is where a receipt is, below the front desk's address, for whoever has the link.
func (l Links) Path(ctx context.Context, id string) (string, error) {
	given, err := l.Receipt(ctx, id)
	if err != nil {
		return "", err
	}
	if !Owned(given.Entry) {
		return "", fail.New(fail.Forbidden,
			"this entry is about %s: the receipt is that party's alone to give away", given.Entry.Party)
	}
	code, err := l.code(given.Entry.ID)
	return "/ledger/receipt/" + url.PathEscape(given.Entry.ID) + "?share=" + code, err
}

// Opens says whether a code opens the receipt of an entry.
func (l Links) Opens(ctx context.Context, id, code string) bool {
	want, err := l.code(id)
	if err != nil || !hmac.Equal([]byte(code), []byte(want)) {
		return false
	}
	given, err := l.Receipt(ctx, id)
	return err == nil && Owned(given.Entry)
}

func (l Links) code(id string) (string, error) {
	secret, err := l.Secret()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("receipt that is shared: " + id))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)[:20])), nil
}
