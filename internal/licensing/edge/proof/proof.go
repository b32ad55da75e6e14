// Package proof answers challenges of an Exchange elsewhere as who has a domain, and keeps the keys
// that were registered there for the addresses of the domain, in files that a gate looks at. It
// does not know the Exchange: who asks it, and what it says, is the caller's. Enter at [Answering].
package proof

import (
	"bufio"
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/licensing/edge"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
)

// Answering is a domain as it answers challenges of an Exchange elsewhere, and verifies addresses
// by the keys that were registered there. A server or an edge that runs takes up within two seconds
// what is done to it. Close ends it.
type Answering struct {
	Domain    string                       // as the gate or the front desk knows it
	Responses *identity.ChallengeResponses // where tokens are in a database; else File
	File      string
	Keys      string // folder; empty where no gate verifies addresses of the domain
	Now       func() time.Time
	Done      func() error // closes what Responses stand on; nil for nothing
}

// TokensIn answers by a file of tokens of an edge.
func TokensIn(path string) *Answering { return &Answering{File: path, Now: time.Now} }

// Close gives back what is open.
func (a *Answering) Close() error {
	if a.Done == nil {
		return nil
	}
	return a.Done()
}

// Put has a token be answered until it ends.
func (a *Answering) Put(ctx context.Context, token string, ends time.Time) error {
	if !edge.IsToken(token) {
		return fail.New(fail.Invalid, "this is no token; it has 8 to 256 letters, digits, and -_.~=+")
	}
	if a.Responses != nil {
		return a.Responses.Put(ctx, identity.ChallengeResponse{Domain: a.Domain, Token: token, Ends: ends})
	}
	return a.lines(func(lines []string) []string { return append(lines, token+" "+ends.UTC().Format(time.RFC3339)) })
}

// Remove has a token not be answered any more.
func (a *Answering) Remove(ctx context.Context, token string) error {
	if a.Responses != nil {
		return a.Responses.Remove(ctx, a.Domain, token)
	}
	return a.lines(func(lines []string) []string {
		return slices.DeleteFunc(lines, func(line string) bool {
			return line == token || strings.HasPrefix(line, token+" ")
		})
	})
}

// lines changes the file of tokens, of which what has ended is left out.
func (a *Answering) lines(change func([]string) []string) error {
	if err := os.MkdirAll(filepath.Dir(a.File), 0o700); err != nil {
		return err
	}
	var lines []string
	file, err := os.Open(a.File)
	if err == nil {
		for text := bufio.NewScanner(file); text.Scan(); {
			_, until, timed := strings.Cut(strings.TrimSpace(text.Text()), " ")
			if ends, err := time.Parse(time.RFC3339, until); !timed || err == nil && a.Now().Before(ends) {
				lines = append(lines, strings.TrimSpace(text.Text()))
			}
		}
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := strings.Join(change(lines), "\n")
	if text != "" {
		text += "\n"
	}
	return replaceFile(a.File, []byte(text), 0o600)
}

// replaceFile writes a file whole, or leaves it as it was.
func replaceFile(path string, text []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// OfferedKey is a key that is to be registered at an Exchange for the addresses of a domain.
type OfferedKey struct {
	Stored edge.StoredKey `json:"stored"` // as the gate verifies by it
	Text   string         `json:"text"`   // as it is registered: a secret in hex, or a private key in PEM
}

// MakeKey makes a key of a form, or takes what is in text: a secret in hex, or a private key in
// PEM. name is by what CloudFront knows the key; empty where the Exchange names it.
func MakeKey(form, text, name string) (key OfferedKey, err error) {
	key.Stored.Form = form
	if text == "" {
		if text, err = freshKey(sign.URLForm(form)); err != nil {
			return key, err
		}
	}
	secret, named, err := identity.ParseRegistered(sign.URLForm(form), text)
	if err != nil {
		return key, err
	}
	if form != string(sign.URLCloudFront) {
		key.Stored.Secret = hex.EncodeToString(secret)
		key.Text = key.Stored.Secret
		return key, nil
	}
	private, err := x509.ParsePKCS8PrivateKey(secret)
	if err != nil {
		return key, err
	}
	public, err := x509.MarshalPKIXPublicKey(private.(crypto.Signer).Public()) // as it was checked
	if err != nil {
		return key, err
	}
	key.Stored.Public = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	block := &pem.Block{Type: "PRIVATE KEY", Bytes: secret}
	if key.Stored.ID = cmp.Or(name, named); key.Stored.ID != "" {
		block.Headers = map[string]string{"Key-Pair-Id": key.Stored.ID}
	}
	key.Text = string(pem.EncodeToMemory(block))
	return key, nil
}

func freshKey(form sign.URLForm) (string, error) {
	if form != sign.URLCloudFront {
		secret := make([]byte, 32)
		rand.Read(secret)
		return hex.EncodeToString(secret), nil
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})), err
}

// Keeps says whether a gate of the configuration verifies addresses of the domain, so that keys are
// kept for it.
func (a *Answering) Keeps() bool { return a.Keys != "" }

// Pending gives the key that was offered to an Exchange before and of which it is not known whether
// it was registered, since that broke off; ok is false for none. Registered again, it is registered
// once.
func (a *Answering) Pending(exchange, form string) (key OfferedKey, ok bool) {
	text, err := os.ReadFile(a.pendingPath(exchange))
	ok = a.Keeps() && err == nil && json.Unmarshal(text, &key) == nil && key.Stored.Exchange == exchange &&
		key.Stored.Form == form
	return key, ok
}

// Offer keeps a key before it is offered, so that it is there whatever comes of that.
func (a *Answering) Offer(key OfferedKey) error {
	if err := os.MkdirAll(a.Keys, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(key)
	if err == nil {
		err = replaceFile(a.pendingPath(key.Stored.Exchange), text, 0o600)
	}
	return err
}

// Drop forgets a key that an Exchange has not registered.
func (a *Answering) Drop(exchange string) error {
	if err := os.Remove(a.pendingPath(exchange)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// pendingPath is the file of a key that an Exchange may or may not have registered.
func (a *Answering) pendingPath(exchange string) string {
	return filepath.Join(a.Keys, "registering_"+keyName(exchange, ""))
}

// keyName names the file of a key by its Exchange and by the id that it has there. Ids are the
// choice of Exchanges, and those of two may be the same: the end of the name, of letters that no
// file system changes, tells all of them apart, and what stands before is for people.
func keyName(exchange, id string) string {
	_, host, _ := strings.Cut(exchange, "://")
	readable := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", r) {
			return r
		}
		return '_'
	}, host+"_"+strings.ReplaceAll(id, ".", "_"))
	sum := sha256.Sum256([]byte(exchange + "\n" + id)) // an address has no line feed
	return readable[:min(len(readable), 100)] + "_" + hex.EncodeToString(sum[:16])
}

// Keep has the gate verify by a key that was registered under an id, and by those before it of the
// same Exchange for an hour more. It gives the file that the key is in. Keys of other Exchanges
// stay as they are until they have ended.
func (a *Answering) Keep(key OfferedKey, id string, until time.Time) (string, error) {
	now := a.Now().UTC().Truncate(time.Second)
	key.Stored.Created, key.Stored.Until = now, until.UTC().Add(sign.URLLife)
	if key.Stored.Form == string(sign.URLCloudFront) {
		key.Stored.ID = cmp.Or(key.Stored.ID, id)
	}
	path := filepath.Join(a.Keys, keyName(key.Stored.Exchange, id)+".json")
	all, _ := filepath.Glob(filepath.Join(a.Keys, "*.json"))
	var same []string
	for _, file := range all {
		old, err := edge.ReadStoredKey(file)
		switch {
		case err != nil:
		case old.Exchange == key.Stored.Exchange && old.Secret == key.Stored.Secret &&
			old.Public == key.Stored.Public && old.ID == key.Stored.ID:
			key.Stored.Created = old.Created // it was registered before
			same = append(same, file)
		case file == path:
		case !old.Until.IsZero() && now.After(old.Until.Add(24*time.Hour)):
			os.Remove(file)
		case old.Exchange == key.Stored.Exchange &&
			(old.Until.IsZero() || old.Until.After(now.Add(identity.DeliveryKeyGrace+sign.URLLife))):
			old.Until = now.Add(identity.DeliveryKeyGrace + sign.URLLife)
			if err := writeStored(file, old); err != nil {
				return "", err
			}
		}
	}
	if err := writeStored(path, key.Stored); err != nil {
		return "", err
	}
	for _, file := range same { // earlier versions named files by the id alone
		if file != path {
			os.Remove(file)
		}
	}
	return path, a.Drop(key.Stored.Exchange)
}

func writeStored(path string, key edge.StoredKey) error {
	text, err := json.MarshalIndent(key, "", "  ")
	if err == nil {
		err = replaceFile(path, append(text, '\n'), 0o600)
	}
	return err
}

// Watched asks a domain for what an Exchange will ask it for, as who has the domain: the answer to
// a challenge, or its ramp.json.
type Watched struct {
	Fetcher *fetch.Fetcher
}

// ErrNotToldHere is of a domain that this machine may not ask, whatever others may.
var ErrNotToldHere = errors.New("it leads to an address in a network that may not be asked from here")

// Answers says why a domain does not answer a challenge with its token; nil where it does.
func (w *Watched) Answers(ctx context.Context, address, token string) error {
	body, err := w.get(ctx, address, identity.MaxChallengeBytes)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(body)) != token {
		return fmt.Errorf("%s answers with something else than the token", address)
	}
	return nil
}

// Lists says whether the ramp.json of a domain names an Exchange.
func (w *Watched) Lists(ctx context.Context, domain, exchange string) (bool, error) {
	body, err := w.get(ctx, identity.Origin(domain)+edge.ManifestPath, requesters.AgentBytes)
	if err != nil {
		return false, err
	}
	manifest, err := ramp.ReadProviderManifest(body)
	if err != nil {
		return false, err
	}
	for _, one := range manifest.GetExchanges() {
		if strings.EqualFold(one.GetDomain(), exchange) {
			return true, nil
		}
	}
	return false, nil
}

func (w *Watched) get(ctx context.Context, address string, most int64) ([]byte, error) {
	response, err := w.Fetcher.Get(ctx,
		fetch.Request{URL: address, MaxBytes: most, Own: true, Header: http.Header{"Accept": {"*/*"}}})
	var wrong *fetch.Error
	switch {
	case errors.As(err, &wrong) && wrong.Reason == fetch.Refused:
		return nil, errors.Join(ErrNotToldHere, err)
	case err != nil:
		return nil, err
	case response.Status != http.StatusOK:
		return nil, fmt.Errorf("%s answers with the status %d", address, response.Status)
	}
	return response.Body, nil
}
