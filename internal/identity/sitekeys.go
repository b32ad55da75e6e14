package identity

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/wire/sign/botauth"

	"golang.org/x/mod/sumdb/note"
)

// A site key is a file in the folder of secrets: site-1.pem, site-2.pem and so on, each made once
// and never over another, so that processes that rotate at the same time cannot lose a key. It is a
// PKCS #8 private key in PEM, as other programs read it, after lines that say when it was made and
// for how long the key before it signs beside it. When a key has been retired its file is left with
// the public part alone.
const (
	siteKeyBegins     = "site-"
	siteKeyEnds       = ".pem"
	agentKeyBegins    = "agent-"    // see OpenAgentKeys
	verifierKeyBegins = "verifier-" // see OpenVerifierKeys
	botKeyBegins      = "bot-"      // see OpenBotKeys
	pemPrivate        = "PRIVATE KEY"
	pemPublic         = "PUBLIC KEY"
	maxKeyFile        = 16 << 10
)

// SiteKey is the public side of one of the site's keys.
type SiteKey struct {
	ID      string // the thumbprint of RFC 7638, by which documents name the key (kid)
	Number  int    // from 1, in the order in which keys were made
	Public  ed25519.PublicKey
	Created time.Time // UTC
	Retires time.Time // when it ceases to sign because another has followed it; zero while none has
}

// State says what the key does at a time: "signing" as the newest, "overlapping" beside one that
// has followed it, or "retired", when it only verifies what it once signed.
func (k SiteKey) State(now time.Time) string {
	switch {
	case k.Retires.IsZero():
		return "signing"
	case now.Before(k.Retires):
		return "overlapping"
	}
	return "retired"
}

// siteKey is a key as its file has it.
type siteKey struct {
	SiteKey
	overlap time.Duration      // for how long keys before it sign beside it at the most
	private ed25519.PrivateKey // nil when only the public part is left
}

// SiteKeys are the Ed25519 keys with which this front desk signs: checkpoints of its ledger, and
// what else strangers are to believe without asking; and, opened with OpenAgentKeys, those of an
// agent of its owner's. They lie in the folder of secrets, which nodes share; what one process does
// to them holds in the others within a second. Its methods may be called concurrently.
type SiteKeys struct {
	folder string
	begins string // what the names of their files begin with
	whose  string // site or agent
	now    func() time.Time

	mu     sync.Mutex
	keys   []siteKey // the oldest first
	files  string    // the folder's listing of which keys were read
	looked time.Time
}

// siteKeysFresh is how long the folder is not looked at again.
const siteKeysFresh = 500 * time.Millisecond

// OpenSiteKeys reads the site's keys from the folder of secrets. It makes none: see Make. A nil
// clock is time.Now. A file that cannot be read as a key is an error, since what a missing key has
// signed could not be verified.
func OpenSiteKeys(folder string, now func() time.Time) (*SiteKeys, error) {
	return openKeys(folder, siteKeyBegins, "site", now)
}

// OpenAgentKeys is OpenSiteKeys for the keys with which an agent of the owner's signs its requests
// at Exchanges (RAMP v1, ramp-agent.json). They lie beside the site's, as agent-1.pem and so on,
// and live as those do.
func OpenAgentKeys(folder string, now func() time.Time) (*SiteKeys, error) {
	return openKeys(folder, agentKeyBegins, "agent", now)
}

// OpenVerifierKeys is OpenSiteKeys for the keys with which the sites attest things of their own
// content (RAMP v1, ramp-verifier.json). They lie beside the site's, as verifier-1.pem and so on,
// and live as those do.
func OpenVerifierKeys(folder string, now func() time.Time) (*SiteKeys, error) {
	return openKeys(folder, verifierKeyBegins, "verifier", now)
}

// OpenBotKeys is OpenSiteKeys for the keys with which this front desk signs what it asks of others
// (Web Bot Auth). They are no agent's keys of RAMP: a key is for one purpose. They lie beside the
// site's, as bot-1.pem and so on, and live as those do.
func OpenBotKeys(folder string, now func() time.Time) (*SiteKeys, error) {
	return openKeys(folder, botKeyBegins, "bot", now)
}

func openKeys(folder, begins, whose string, now func() time.Time) (*SiteKeys, error) {
	if now == nil {
		now = time.Now
	}
	s := &SiteKeys{folder: folder, begins: begins, whose: whose, now: now}
	return s, s.Reload()
}

// Reload reads the keys again if their files have changed. When one cannot be read the keys stay as
// they were.
func (s *SiteKeys) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reload()
}

func (s *SiteKeys) reload() error {
	s.looked = s.now()
	numbers, listing, err := s.list()
	if err != nil || listing == s.files && s.keys != nil {
		return err
	}
	if err := s.whole(numbers); err != nil {
		return err
	}
	var keys []siteKey
	for _, n := range numbers {
		key, err := readSiteKey(s.path(n))
		if err != nil {
			return fmt.Errorf("the %s key %s cannot be used: %w; put it back from a backup", s.whose, s.path(n), err)
		}
		key.Number = n
		for before := range keys { // those that still overlapped, too
			if end := key.Created.Add(key.overlap); keys[before].Retires.IsZero() || end.Before(keys[before].Retires) {
				keys[before].Retires = end
			}
		}
		keys = append(keys, key)
	}
	s.keys, s.files = keys, listing
	return nil
}

// whole refuses numbers with a gap, and fewer than there were: what a missing key has signed could
// not be verified, and the one before it would sign again.
func (s *SiteKeys) whole(numbers []int) error {
	for i := range max(len(numbers), len(s.keys)) {
		if i >= len(numbers) || numbers[i] != i+1 {
			return fmt.Errorf("the %s key %s is missing; put it back from a backup", s.whose, s.path(i+1))
		}
	}
	return nil
}

// list gives the numbers of the keys in their order, and a text that changes whenever one of their
// files does.
func (s *SiteKeys) list() (numbers []int, listing string, err error) {
	entries, err := os.ReadDir(s.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("the folder of secrets %s cannot be read: %w; let this user read it", s.folder, err)
	}
	var b strings.Builder
	for _, entry := range entries {
		n, ok := s.number(entry.Name())
		info, err := entry.Info()
		if !ok || err != nil { // it went away just now
			continue
		}
		numbers = append(numbers, n)
		fmt.Fprintln(&b, n, info.Size(), info.ModTime().UnixNano())
	}
	slices.Sort(numbers)
	return numbers, b.String(), nil
}

func (s *SiteKeys) number(name string) (n int, ok bool) {
	digits, begins := strings.CutPrefix(name, s.begins)
	digits, ends := strings.CutSuffix(digits, siteKeyEnds)
	n, err := strconv.Atoi(digits)
	return n, begins && ends && err == nil && n > 0 && strconv.Itoa(n) == digits
}

func (s *SiteKeys) path(n int) string {
	return filepath.Join(s.folder, s.begins+strconv.Itoa(n)+siteKeyEnds)
}

// readSiteKey reads a key's file.
func readSiteKey(path string) (siteKey, error) {
	file, err := os.Open(path)
	if err != nil {
		return siteKey{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return siteKey{}, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		return siteKey{}, fmt.Errorf("every user of this machine can get at it (mode %04o); run chmod 600 on it",
			info.Mode().Perm())
	}
	if info.Size() > maxKeyFile {
		return siteKey{}, errors.New("it is too large for a key")
	}
	text := make([]byte, info.Size())
	if _, err := file.ReadAt(text, 0); err != nil && len(text) > 0 {
		return siteKey{}, err
	}
	return parseSiteKey(text)
}

// parseSiteKey reads what writeSiteKey writes. It never panics, whatever the text.
func parseSiteKey(text []byte) (siteKey, error) {
	var key siteKey
	begin := bytes.Index(text, []byte("-----BEGIN "))
	if begin < 0 {
		return key, errors.New("there is no key in it")
	}
	for line := range strings.Lines(string(text[:begin])) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch name {
		case "created":
			key.Created, err = time.Parse(time.RFC3339, value)
		case "overlap":
			key.overlap, err = time.ParseDuration(value)
		}
		if err != nil || key.overlap < 0 {
			return key, fmt.Errorf("%q in it cannot be read", strings.TrimSpace(line))
		}
	}
	block, _ := pem.Decode(text[begin:])
	if block == nil || key.Created.IsZero() {
		return key, errors.New("it is not whole")
	}
	if err := key.decode(block); err != nil {
		return key, err
	}
	key.Created = key.Created.UTC()
	key.ID = botauth.Thumbprint(key.Public)
	return key, nil
}

// decode takes the key out of its block.
func (k *siteKey) decode(block *pem.Block) error {
	var of bool
	switch block.Type {
	case pemPrivate:
		parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return err
		}
		if k.private, of = parsed.(ed25519.PrivateKey); of {
			k.Public = k.private.Public().(ed25519.PublicKey)
		}
	case pemPublic:
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return err
		}
		k.Public, of = parsed.(ed25519.PublicKey)
	}
	if !of {
		return errors.New("it holds no Ed25519 key")
	}
	return nil
}

// encode is the text of a key's file.
func (k *siteKey) encode(whose string) ([]byte, error) {
	var text bytes.Buffer
	block := pem.Block{Type: pemPublic}
	var err error
	if k.private != nil {
		fmt.Fprintf(&text, "Frontdesk %s key. Whoever has this file can sign in the %s's name.\n", whose, whose)
		block.Type = pemPrivate
		block.Bytes, err = x509.MarshalPKCS8PrivateKey(k.private)
	} else {
		fmt.Fprintf(&text, "Frontdesk %s key, retired. It verifies what it has signed, and signs nothing any more.\n",
			whose)
		block.Bytes, err = x509.MarshalPKIXPublicKey(k.Public)
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&text, "created: %s\noverlap: %s\n", k.Created.Format(time.RFC3339Nano), k.overlap)
	if err := pem.Encode(&text, &block); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// all gives the keys, the oldest first, having looked whether there are others.
func (s *SiteKeys) all() []siteKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); now.Sub(s.looked) >= siteKeysFresh || now.Before(s.looked) {
		_ = s.reload() // a file that is broken now leaves the keys as they were; Reload and the next start tell of it
	}
	return s.keys
}

// Keys are all the keys that ever were, the newest first.
func (s *SiteKeys) Keys() []SiteKey {
	var keys []SiteKey
	for _, k := range slices.Backward(s.all()) {
		keys = append(keys, k.SiteKey)
	}
	return keys
}

// Empty says that there is no key yet.
func (s *SiteKeys) Empty() bool { return len(s.all()) == 0 }

// EnsureKey makes the first key, if there is none. Processes that do it at the same time get the
// same one.
func (s *SiteKeys) EnsureKey() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reload(); err != nil || len(s.keys) > 0 {
		return err
	}
	if err := s.add(1, 0); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the %s key cannot be made: %w; let this user write to %s", s.whose, err, s.folder)
	}
	return s.reload()
}

// Rotate makes a key that signs from now on. Those before it that sign sign beside it for the time
// of overlap at the most, and then verify only. The private parts of keys whose time is over are
// removed.
func (s *SiteKeys) Rotate(overlap time.Duration) (SiteKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if overlap < 0 {
		return SiteKey{}, errors.New("the overlap cannot be less than nothing")
	}
	if err := s.reload(); err != nil {
		return SiteKey{}, err
	}
	next := 1
	if last := len(s.keys) - 1; last >= 0 {
		next = s.keys[last].Number + 1
	}
	switch err := s.add(next, overlap); {
	case errors.Is(err, fs.ErrExist):
		return SiteKey{}, fmt.Errorf("somebody else has rotated the %s key at this moment; the new one is there",
			s.whose)
	case err != nil:
		return SiteKey{}, fmt.Errorf("the %s key cannot be made: %w; let this user write to %s", s.whose, err, s.folder)
	}
	if err := s.reload(); err != nil {
		return SiteKey{}, err
	}
	made := s.keys[len(s.keys)-1].SiteKey
	return made, errors.Join(s.strip(), s.reload())
}

// add makes the key of a number.
func (s *SiteKeys) add(n int, overlap time.Duration) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	key := siteKey{SiteKey: SiteKey{Created: s.now().UTC().Truncate(time.Microsecond)}, overlap: overlap,
		private: private}
	text, err := key.encode(s.whose)
	if err != nil {
		return err
	}
	return putFile(s.folder, s.path(n), text, os.Link)
}

// Retire removes the private parts of keys whose time is over. It is for whatever runs for long, to
// be called now and then.
func (s *SiteKeys) Retire() error {
	s.all()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.keys, s.over) {
		return nil
	}
	return errors.Join(s.strip(), s.reload())
}

// over says whether a key has a private part that signs nothing any more.
func (s *SiteKeys) over(key siteKey) bool {
	return key.private != nil && key.State(s.now()) == "retired"
}

// strip leaves of keys that are retired their public parts.
func (s *SiteKeys) strip() error {
	for _, key := range s.keys {
		if !s.over(key) {
			continue
		}
		key.private = nil
		text, err := key.encode(s.whose)
		if err == nil {
			err = putFile(s.folder, s.path(key.Number), text, os.Rename)
		}
		if err != nil {
			return fmt.Errorf("the private part of the retired %s key %s cannot be removed: %w", s.whose,
				s.path(key.Number), err)
		}
	}
	return nil
}

// Current is the key that signs, and its id; ok is false when there is none.
func (s *SiteKeys) Current() (id string, signer crypto.Signer, ok bool) {
	keys := s.all()
	if len(keys) == 0 || keys[len(keys)-1].private == nil {
		return "", nil, false
	}
	last := keys[len(keys)-1]
	return last.ID, last.private, true
}

// SigningKey is a key of the site's that signs, with its private half.
type SigningKey struct {
	SiteKey
	Private ed25519.PrivateKey
}

// Signing are the keys that sign: the newest, and behind it those that overlap.
func (s *SiteKeys) Signing() (keys []SigningKey) {
	now := s.now()
	for _, k := range slices.Backward(s.all()) {
		if k.private != nil && k.State(now) != "retired" {
			keys = append(keys, SigningKey{k.SiteKey, k.private})
		}
	}
	return keys
}

// Signers are the keys that sign notes under a name (C2SP signed-note): the newest, and beside it
// those that overlap.
func (s *SiteKeys) Signers(origin string) (signers []note.Signer) {
	for _, k := range s.Signing() {
		signers = append(signers, noteSigner{origin, noteHash(origin, k.Public), k.Private})
	}
	return signers
}

// Verifiers are all keys in the form that verifies notes under a name ("vkey" of C2SP signed-note),
// retired ones included, the newest first.
func (s *SiteKeys) Verifiers(origin string) []string {
	var verifiers []string
	for _, k := range s.Keys() {
		if text, err := note.NewEd25519VerifierKey(origin, k.Public); err == nil {
			verifiers = append(verifiers, text)
		}
	}
	return verifiers
}

// noteSigner signs notes under a name.
type noteSigner struct {
	name    string
	hash    uint32
	private ed25519.PrivateKey
}

func (s noteSigner) Name() string    { return s.name }
func (s noteSigner) KeyHash() uint32 { return s.hash }

func (s noteSigner) Sign(message []byte) ([]byte, error) {
	return ed25519.Sign(s.private, message), nil
}

// noteHash is a key's id in signed notes, which depends on the name.
func noteHash(name string, public ed25519.PublicKey) uint32 {
	text, err := note.NewEd25519VerifierKey(name, public)
	if err != nil {
		panic("trust: " + err.Error()) // the key has the size of its type
	}
	digits, _, _ := strings.Cut(text[len(name)+1:], "+")
	hash, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		panic("trust: " + err.Error())
	}
	return uint32(hash)
}

// jwk is a public key as RFC 7517 and RFC 8037 write it. When it was made and when it ceases to
// sign are the members that OpenID Federation 1.0 §8.7 gives keys of the past; whoever does not
// know them overlooks them.
type jwk struct {
	Type      string `json:"kty"`
	Curve     string `json:"crv"`
	ID        string `json:"kid"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	X         string `json:"x"`
	Issued    int64  `json:"iat"`
	Expires   int64  `json:"exp,omitempty"`
}

// JWKS is the JWK set of all keys (RFC 7517 §5), the newest first. Retired keys stay in it, with
// the time at which they ceased to sign, since what they signed is to be verified for good.
func (s *SiteKeys) JWKS() []byte {
	set := struct {
		Keys []jwk `json:"keys"`
	}{[]jwk{}}
	for _, k := range s.Keys() {
		key := jwk{
			Type: "OKP", Curve: "Ed25519", ID: k.ID, Use: "sig", Algorithm: "EdDSA",
			X: base64.RawURLEncoding.EncodeToString(k.Public), Issued: k.Created.Unix(),
		}
		if !k.Retires.IsZero() {
			key.Expires = k.Retires.Unix()
		}
		set.Keys = append(set.Keys, key)
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic("trust: keys are plain data and always encode: " + err.Error())
	}
	return text
}
