package session

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of a conversation.
const (
	// MaxState is the most bytes of a sealed state.
	MaxState = 4 << 10
	// MaxTurns is how many turns a conversation holds; older ones are told by those that follow
	// them.
	MaxTurns = 12
	// MaxID is the most bytes of a conversation's id.
	MaxID = 256
	// maxTurnText is how much of a question is kept, in bytes.
	maxTurnText = 600
	// maxTurnAttributes is the most bytes of the attributes that are kept of a question.
	maxTurnAttributes = 800
	// stateClock is how far the clocks of nodes may be apart.
	stateClock = 5 * time.Minute
)

// Conversation is what a conversation carries from one question to the next: its turns, as far as
// they matter for those to come, and what was asked back. It travels with the caller, sealed
// (Conversations), and is never authority for anything: who has it has said all of it.
type Conversation struct {
	ID string `json:"-"` // of the caller's or of our making
	// Turns are the questions since the subject changed last, oldest first. Those that are kept
	// here at the caller's wish stand in the store instead (Memory).
	Turns []Turn `json:"turns,omitempty"`
	// Secret is the name under which turns and promises of somebody without a credential are kept;
	// empty while none are.
	Secret string `json:"secret,omitzero"`
	// Kept says that turns of this conversation are in the store.
	Kept bool `json:"kept,omitzero"`
	// Back is what was asked back.
	Back AskedBack `json:"back,omitzero"`
	// At is when the state was sealed, in seconds since 1970.
	At int64 `json:"at"`
}

// AskedBack is what a conversation was asked back.
type AskedBack struct {
	Question string   `json:"question"` // that was asked back for
	Rounds   int      `json:"rounds"`   // how often it was
	IDs      []string `json:"ids"`      // of all that was asked
}

// Turn is one question of a conversation.
type Turn struct {
	// Text is the question as it was asked.
	Text string `json:"text"`
	// Whole is the question made to stand by itself, where it went on with others.
	Whole string `json:"whole,omitzero"`
	// Sort is the order that was wished for, where the question went on with others: as the
	// attribute "sort" has it. Empty means none.
	Sort string `json:"sort,omitzero"`
	// Attributes are those of the question, each a JSON value; Types and Sites what else it was
	// limited to.
	Attributes map[string]jsontext.Value `json:"attributes,omitempty"`
	Types      []string                  `json:"types,omitempty"`
	Sites      []string                  `json:"sites,omitempty"`
	// Given is how many items the answer could show.
	Given int `json:"given,omitzero"`
	// About is what was told of the person with the question. It is in kept turns alone.
	About []string `json:"about,omitempty"`
}

// Add adds a turn, cut to its bounds. The oldest one beyond MaxTurns falls out.
func (c *Conversation) Add(t Turn) {
	t.Text, t.Whole = cut(t.Text, maxTurnText), cut(t.Whole, maxTurnText)
	size := 0
	for name, value := range t.Attributes {
		size += len(name) + len(value)
	}
	if size > maxTurnAttributes {
		t.Attributes = nil
	}
	c.Turns = append(c.Turns[:len(c.Turns):len(c.Turns)], t)
	for len(c.Turns) > MaxTurns {
		c.dropOldest()
	}
}

// dropOldest lets the oldest turn go. The one after it then begins the conversation, as the
// question that it was by itself, in the order that was wished for.
func (c *Conversation) dropOldest() {
	c.Turns = append([]Turn(nil), c.Turns[1:]...)
	if len(c.Turns) > 0 && c.Turns[0].Whole != "" {
		c.Turns[0].begin()
	}
}

// begin makes a turn that went on with others one that begins a conversation.
func (t *Turn) begin() {
	t.Text, t.Whole = t.Whole, ""
	if _, says := t.Attributes["sort"]; t.Sort != "" && !says {
		attributes := maps.Clone(t.Attributes)
		if attributes == nil {
			attributes = map[string]jsontext.Value{}
		}
		attributes["sort"], _ = json.Marshal(t.Sort) // a string can always be written
		t.Attributes = attributes
	}
	t.Sort = ""
}

// cut shortens a text to so many bytes, at a blank if there is one near.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	text = text[:most]
	if blank := strings.LastIndexByte(text, ' '); blank > most-40 && blank > 0 {
		text = text[:blank]
	}
	return text
}

// Conversations gives conversations to the caller to carry, and takes them back. What comes back
// counts only under our seal, for the same conversation and the same party, and for a while.
type Conversations struct {
	key  []byte
	good time.Duration
	now  func() time.Time
	name func() string
}

// ConversationOptions are what Conversations needs.
type ConversationOptions struct {
	Secret []byte           // of the front desk; nodes that answer for each other share it
	Good   time.Duration    // how long a state is good after it was sealed; 0 is a day
	Now    func() time.Time // nil is time.Now
	Name   func() string    // makes an id that nobody can guess; nil is rand.Text
}

// NewConversations returns the conversations of a front desk.
func NewConversations(options ConversationOptions) *Conversations {
	if options.Good == 0 {
		options.Good = 24 * time.Hour
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Name == nil {
		options.Name = func() string { return strings.ToLower(rand.Text()) }
	}
	return &Conversations{key: derive(options.Secret, "conversation"), good: options.Good, now: options.Now,
		name: options.Name}
}

// derive makes a key for one purpose out of the secret.
func derive(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, "frontdesk session "+purpose, sha256.Size)
	if err != nil {
		panic(fmt.Sprintf("session: derive a key: %v", err)) // which only a key of a wrong length can be
	}
	return key
}

// Open gives the conversation of an id as its state says, or a new one where there is no state, it
// is not ours, not of this conversation and party, or too old. Without an id the conversation gets
// one. Party is the verified id of who asks, empty for a stranger.
func (c *Conversations) Open(id, party, state string) Conversation {
	fresh := Conversation{ID: id}
	if id == "" {
		fresh.ID = c.name()
		return fresh
	}
	if state == "" || len(state) > MaxState || strings.ContainsAny(state, "\r\n") { // which decoding would pass over
		return fresh
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil || len(sealed) < sha256.Size {
		return fresh
	}
	payload := sealed[sha256.Size:]
	if !hmac.Equal(sealed[:sha256.Size], c.mac(id, party, payload)) {
		return fresh
	}
	var opened Conversation
	if json.Unmarshal(payload, &opened) != nil {
		return fresh
	}
	age := c.now().Sub(time.Unix(opened.At, 0))
	if age > c.good || age < -stateClock {
		return fresh
	}
	opened.ID = id
	return opened
}

// Seal gives the state of a conversation for the caller to carry, of MaxState bytes at most: oldest
// turns that do not fit are left out.
func (c *Conversations) Seal(v Conversation, party string) string {
	v.At = c.now().Unix()
	for {
		payload, err := json.Marshal(v, json.Deterministic(true))
		if err == nil && base64.RawURLEncoding.EncodedLen(sha256.Size+len(payload)) <= MaxState {
			return base64.RawURLEncoding.EncodeToString(append(c.mac(v.ID, party, payload), payload...))
		}
		if len(v.Turns) == 0 {
			return ""
		}
		v.dropOldest() // it is too much, or no JSON
	}
}

// mac is over the state, and over whose and which conversation it is of.
func (c *Conversations) mac(id, party string, payload []byte) []byte {
	mac := hmac.New(sha256.New, c.key)
	for _, part := range []string{party, id} {
		var length [4]byte
		binary.BigEndian.PutUint32(length[:], uint32(len(part)))
		mac.Write(length[:])
		mac.Write([]byte(part))
	}
	mac.Write(payload)
	return mac.Sum(make([]byte, 0, sha256.Size+len(payload)))
}

// NewSecret makes a name under which a stranger's turns and promises can be kept: 128 random bits
// or more.
func (c *Conversations) NewSecret() string { return c.name() }
