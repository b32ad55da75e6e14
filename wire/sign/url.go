package sign

import (
	"crypto"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// URLLife is the longest that a signed address may live (RAMP v1, signed URLs).
const URLLife = 300 * time.Second

// Why a signed address opens nothing, or cannot be made.
var (
	ErrURLForm = errors.New("the address is not signed as it has to be; use it as it was given, without " +
		"changing anything")
	ErrURLSignature = errors.New("the address's signature is not right; ask for it anew")
	ErrURLExpired   = errors.New("the address has expired")
	ErrURLEarly     = errors.New("the address does not open yet")
	ErrURLTooFar    = errors.New("the address says that it lives longer than addresses may")
	ErrURLNoKey     = errors.New("there is no key that signs addresses")
)

// URLForm is a way to sign addresses (RAMP v1, signed URLs: cdn_type).
type URLForm string

// The forms.
const (
	URLHMAC       URLForm = "hmac"       // generic: expires, agent_id, txn_id, sig
	URLCloudFront URLForm = "cloudfront" // Amazon CloudFront: Expires or Policy, Signature, Key-Pair-Id
	URLAkamai     URLForm = "akamai"     // Akamai Edge Authorization Token 2.0
	URLFastly     URLForm = "fastly"     // Fastly's token validation: token=EXPIRES_SIGNATURE
	URLEd25519    URLForm = "ed25519"    // exp, kid, agent_id, txn_id, sig, by their names
)

// URLForms are all forms.
var URLForms = []URLForm{URLHMAC, URLCloudFront, URLAkamai, URLFastly, URLEd25519}

// urlForms are what the forms do.
var urlForms = map[URLForm]urlForm{
	URLHMAC: urlHMAC{}, URLCloudFront: urlCloudFront{}, URLAkamai: urlAkamai{}, URLFastly: urlFastly{},
	URLEd25519: urlEd25519{},
}

// urlForm is one form. Keys and grants have been checked before it is asked.
type urlForm interface {
	// check says what is wrong with a key.
	check(k URLKey) error
	// binds says whether the form can tell an address of content with what it adds, without doubt.
	binds(k URLKey, content string) bool
	// sign adds to the address of content that it binds what opens it.
	sign(k URLKey, content string, grant URLGrant) (string, error)
	// read takes an address apart, and believes it.
	read(k URLKey, address string) (content string, grant URLGrant, ok bool)
	// bears says whether a key has signed an address that says content and grant, and whether it is
	// spelled as sign would.
	bears(k URLKey, address, content string, grant URLGrant) bool
}

// URLGrant is what a signed address is bound to.
type URLGrant struct {
	Expires time.Time // to the second
	// the hash of who may fetch it: letters, digits, - and _; "" where an address of ed25519 names
	// none
	Agent       string
	Transaction string // letters, digits, - and _; "" where an address of ed25519 names none
	// Begins is from when the address opens; only a [URLPass] of CloudFront has it, and it is zero
	// otherwise.
	Begins time.Time
}

// URLKey is a key that signs addresses in one form.
type URLKey struct {
	Form URLForm
	// ID is how an address names the key, in letters, digits, - and _: CloudFront's Key-Pair-Id,
	// the kid of ed25519, which may have points, too. The other forms name none.
	ID string
	// Secret is that of hmac, akamai and fastly: the bytes, not their hex or base64.
	Secret []byte
	// Signer signs for cloudfront (*rsa.PrivateKey of 2048 bits, or *ecdsa.PrivateKey over P-256)
	// and ed25519; nil where the key only verifies.
	Signer crypto.Signer
	// Public verifies for cloudfront and ed25519; nil for that of Signer.
	Public crypto.PublicKey
	// Ends is from when the key neither signs nor verifies; zero for never.
	Ends time.Time
	// Options are how the form is set up where it can be in several ways.
	Options URLOptions
}

// URLOptions are what the two sides of a form must have agreed upon.
type URLOptions struct {
	// Hash is URLSHA1 or URLSHA256, for fastly, where empty is SHA-256, and for cloudfront, where
	// empty is SHA-1, as those who verify have it.
	Hash string
	// Parameter is the name of the token in akamai's query; empty is "hdnts".
	Parameter string
	// URL has akamai's token sign path and query (url=, in what is hashed only) in place of the
	// path as an access list (acl=).
	URL bool
	// Escape has akamai's token hash path and query percent-encoded ("escape token input" is on);
	// it is for URL alone.
	Escape bool
	// Custom has cloudfront's addresses carry a custom policy in place of the canned one. It names
	// the one address, too, and adds from when it opens: URLLife before it ends. Both are verified,
	// whatever this says.
	Custom bool
	// Salt is a text that akamai's token signs beside what it says; empty for none.
	Salt string
}

// The values of URLOptions.Hash.
const (
	URLSHA1   = "sha1"
	URLSHA256 = "sha256"
)

// Check says what is wrong with a key; nil for one that signs or at least verifies.
func (k URLKey) Check() error {
	form, ok := urlForms[k.Form]
	if !ok {
		return fmt.Errorf("%q is no form of signed addresses; there are %s", k.Form, join(URLForms))
	}
	switch k.Options.Hash {
	case "", URLSHA1, URLSHA256:
	default:
		return fmt.Errorf("%q is no hash of signed addresses; there are %s and %s", k.Options.Hash, URLSHA1, URLSHA256)
	}
	return form.check(k)
}

func join(forms []URLForm) string {
	texts := make([]string, len(forms))
	for i, f := range forms {
		texts[i] = string(f)
	}
	return strings.Join(texts, ", ")
}

// lives says whether the key counts at a time.
func (k URLKey) lives(now time.Time) bool { return k.Ends.IsZero() || now.Before(k.Ends) }

// URLKeys are the keys with which addresses at one place are signed and verified. Keys that follow
// one another verify side by side until the older ones end.
type URLKeys struct {
	// Origin is where the addresses are, such as "https://cdn.example.net": scheme and host as
	// addresses spell them. Not every form signs it; an address elsewhere is neither signed nor
	// opened.
	Origin string
	// Keys are the keys, the one in use first. All of them verify.
	Keys []URLKey
}

// Sign makes an address that opens content, which is an address at the origin, until a time, with
// the first key that lives. The error is ErrURLForm for content or a grant that cannot be told in
// an address without doubt, ErrURLTooFar for more than [URLLife] from now, and ErrURLNoKey. A grant
// that is over can be signed: the address is that which it had.
func (r URLKeys) Sign(content string, grant URLGrant, now time.Time) (string, error) {
	if grant.Expires.Sub(now) > URLLife {
		return "", ErrURLTooFar
	}
	if !r.holds(content) || strings.Contains(content, " ") || !grant.plain() || !grant.Begins.IsZero() {
		return "", ErrURLForm
	}
	for _, k := range r.Keys {
		if k.lives(now) {
			if err := k.Check(); err != nil {
				return "", err
			}
			if !urlForms[k.Form].binds(k, content) {
				return "", ErrURLForm
			}
			return urlForms[k.Form].sign(k, content, grant)
		}
	}
	return "", ErrURLNoKey
}

// Can says whether Sign would make an address that opens content.
func (r URLKeys) Can(content string, now time.Time) bool {
	for _, k := range r.Keys {
		if k.lives(now) {
			return r.holds(content) && !strings.Contains(content, " ") && k.Check() == nil &&
				urlForms[k.Form].binds(k, content)
		}
	}
	return false
}

// Verify says which content an address opens at a time, and what it is bound to. The address is the
// text as it was received: each has one spelling, and whatever is written otherwise opens nothing.
// With ed25519 content has its query by names. The error is ErrURLForm, ErrURLSignature,
// ErrURLExpired, ErrURLEarly or ErrURLTooFar.
func (r URLKeys) Verify(address string, now time.Time) (content string, grant URLGrant, err error) {
	content, grant, _, err = r.Open(address, now)
	return content, grant, err
}

// Open is Verify, and says in which form the key is that has signed the address.
func (r URLKeys) Open(address string, now time.Time) (content string, grant URLGrant, by URLForm, err error) {
	content, grant, by, err = r.read(address, now)
	switch {
	case err != nil:
	case !now.Before(grant.Expires):
		err = ErrURLExpired
	case now.Before(grant.Begins):
		err = ErrURLEarly
	case grant.Expires.Sub(now) > URLLife, !grant.Begins.IsZero() && grant.Expires.Sub(grant.Begins) > URLLife:
		err = ErrURLTooFar
	}
	if err != nil {
		return "", URLGrant{}, "", err
	}
	return content, grant, by, nil
}

// Expired says what an address was bound to that was right and has expired at a time; ok is false
// for every other.
func (r URLKeys) Expired(address string, now time.Time) (grant URLGrant, ok bool) {
	_, grant, _, err := r.read(address, now)
	if err != nil || now.Before(grant.Expires) {
		return URLGrant{}, false
	}
	return grant, true
}

// read says which content an address was signed for, what it is bound to, and in which form,
// whatever the time of the grant.
func (r URLKeys) read(address string, now time.Time) (content string, grant URLGrant, by URLForm, err error) {
	err = ErrURLForm
	if !r.holds(address) {
		return "", URLGrant{}, "", err
	}
	for _, k := range r.Keys { // until one has signed it: that tells by its time which, and of no key what it is
		if !k.lives(now) || k.Check() != nil {
			continue
		}
		form := urlForms[k.Form]
		c, g, ok := form.read(k, address)
		if !ok || !r.holds(c) || !g.told(k.Form) || !form.binds(k, c) || k.Form != URLEd25519 &&
			strings.Contains(address, " ") {
			continue
		}
		if form.bears(k, address, c, g) {
			return c, g, k.Form, nil
		}
		err = ErrURLSignature
	}
	return "", URLGrant{}, "", err
}

// Signed says whether an address claims to be signed in the form of any of the keys, living or not:
// its query has the name of the signature, in whatever spelling. Whether it is right is for Verify
// to say.
func (r URLKeys) Signed(address string) bool {
	_, query, _ := strings.Cut(address, "?")
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		raw, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(raw)
		if err != nil {
			name = raw
		}
		if slices.ContainsFunc(r.Keys, func(k URLKey) bool { return strings.EqualFold(k.mark(), name) }) {
			return true
		}
	}
	return false
}

// mark is the name of the signature in a query.
func (k URLKey) mark() string {
	switch k.Form {
	case URLCloudFront:
		return "Signature"
	case URLAkamai:
		return urlAkamai{}.parameter(k)
	case URLFastly:
		return "token"
	}
	return "sig"
}

// holds says whether an address is at the origin, and none that could be taken for another: it is
// of visible ASCII characters, with a path that has no steps up or down. Within the path there may
// be blanks, which ed25519 signs as they are.
func (r URLKeys) holds(address string) bool {
	rest, at := strings.CutPrefix(address, r.Origin)
	if !at || r.Origin == "" || !strings.HasPrefix(rest, "/") || strings.ContainsAny(rest, `#"\<>`) {
		return false
	}
	for _, c := range []byte(address) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	path, query, asked := strings.Cut(rest, "?")
	if strings.Contains(query, " ") || strings.Contains(r.Origin, " ") {
		return false
	}
	for step := range strings.SplitSeq(path, "/") {
		if strings.Trim(step, " ") != step { // which some leave out
			return false
		}
		plain, err := url.PathUnescape(step)
		if err != nil || strings.ContainsAny(plain, "\\\x00") {
			return false
		}
		for part := range strings.SplitSeq(plain, "/") { // of what was escaped
			if dots(part) {
				return false
			}
		}
	}
	return !asked || query != ""
}

// dots says whether a step of a path leads nowhere or up.
func dots(step string) bool { return step == "." || step == ".." }

// plain says whether a grant can be told in an address.
func (g URLGrant) plain() bool { return plain(g.Agent) && plain(g.Transaction) && g.Expires.Unix() > 0 }

// told says whether a grant is one that an address of a form may tell: those of ed25519 may leave
// out for whom, and for which transaction.
func (g URLGrant) told(form URLForm) bool {
	if form != URLEd25519 {
		return g.plain()
	}
	return (g.Agent == "" || plain(g.Agent)) && (g.Transaction == "" || plain(g.Transaction)) && g.Expires.Unix() > 0
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

// seconds writes a time as an address has it.
func seconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// readSeconds reads what seconds writes; the zero time for anything else.
func readSeconds(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// same compares in a time that tells nothing but the lengths.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// addPairs adds pairs of names and values to an address's query.
func addPairs(address string, pairs ...string) string {
	var b strings.Builder
	b.WriteString(address)
	between := byte('?')
	if strings.Contains(address, "?") {
		between = '&'
	}
	for i := 0; i < len(pairs); i += 2 {
		b.WriteByte(between)
		b.WriteString(pairs[i] + "=" + pairs[i+1])
		between = '&'
	}
	return b.String()
}

// cutPairs takes the pairs of some names, in their order, off an address's end.
func cutPairs(address string, names ...string) (rest string, values []string, ok bool) {
	begin := strings.IndexByte(address, '?')
	if begin < 0 {
		return "", nil, false
	}
	values = make([]string, len(names))
	rest = address
	for i := len(names) - 1; i >= 0; i-- {
		if len(rest) == begin {
			return "", nil, false
		}
		at := max(begin, strings.LastIndexByte(rest, '&'))
		value, has := strings.CutPrefix(rest[at+1:], names[i]+"=")
		if !has {
			return "", nil, false
		}
		values[i], rest = value, rest[:at]
	}
	return rest, values, true
}

// signingNames are names by which the forms sign addresses, as they are usually configured.
var signingNames = slices.Concat(cloudFrontNames, ed25519Names, []string{"hdnts", "hdnea", "token", "expires"})

// Unsigned gives an address without its query where that may be what signs it, in any of the forms,
// or by a token in another parameter; else as it is. What is told of an address that somebody
// fetched opens nothing then.
func Unsigned(address string) string {
	plain, query, asked := strings.Cut(address, "?")
	if asked && (!free(address, signingNames...) || strings.Contains(strings.ToLower(query), "hmac")) {
		return plain
	}
	return address
}

// free says whether no name of an address's query, in whatever spelling, is one of some names, so
// that nobody can take a pair of the content for one that was signed.
func free(address string, names ...string) bool {
	_, query, asked := strings.Cut(address, "?")
	if !asked {
		return true
	}
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		raw, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(raw)
		if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return false
		}
	}
	return true
}

// The names by which several forms tell whom an address is for.
const (
	agentName       = "agent_id"
	transactionName = "txn_id"
)
