package agents

import (
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// standing is an agent with a clock that stands.
type standing struct {
	*Own
	keys *identity.SiteKeys
	at   time.Time
}

func newStanding(t *testing.T, public string) *standing {
	t.Helper()
	s := &standing{at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { return s.at }
	var err error
	if s.keys, err = identity.OpenBotKeys(t.TempDir(), now); err != nil {
		t.Fatal(err)
	}
	if s.Own = NewOwn(s.keys, public, now); s.Own == nil {
		return s
	}
	if err := s.EnsureKey(); err != nil {
		t.Fatal(err)
	}
	return s
}

// served is the directory as it is served to who asks a host for it.
func (s *standing) served(t *testing.T, host string) (*botauth.Directory, *httptest.ResponseRecorder) {
	t.Helper()
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "https://"+host+botauth.DirectoryPath, nil))
	d, err := botauth.ReadDirectory(answer.Body.Bytes(), true)
	if err != nil {
		t.Fatal(err)
	}
	return d, answer
}

func (s *standing) proves(t *testing.T, host string) error {
	t.Helper()
	d, answer := s.served(t, host)
	_, err := botauth.Proven(d, answer.Body.Bytes(), sign.Response{Header: answer.Header(),
		Request: sign.Request{Method: http.MethodGet, Target: "https://" + host + botauth.DirectoryPath}}, s.at)
	return err
}

func TestTheDirectoryIsThatOfItsOwnAddressAlone(t *testing.T) {
	t.Parallel()
	s := newStanding(t, "https://desk.example")
	_, answer := s.served(t, "desk.example")
	if got := answer.Header().Get("Content-Type"); got != botauth.MediaType {
		t.Errorf("the media type is %q", got)
	}
	if err := s.proves(t, "desk.example"); err != nil {
		t.Errorf("at its own address: %v", err)
	}
	if s.proves(t, "evil.example") == nil {
		t.Error("who asks by another name gets a proof for that name")
	}
}

// TestANewKeySignsWhenItIsKnown: others may keep a directory for an hour, and must always know the
// key that signs.
func TestANewKeySignsWhenItIsKnown(t *testing.T) {
	t.Parallel()
	s := newStanding(t, "https://desk.example")
	first := s.Key()
	kept, _ := s.served(t, "desk.example")
	s.at = s.at.Add(2 * time.Hour)
	made, err := s.keys.Rotate(24 * time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if from := s.SignsFrom(made); !from.Equal(s.at.Add(time.Hour)) {
		t.Errorf("the new key signs from %v", from)
	}
	if d, _ := s.served(t, "desk.example"); len(d.Keys) != 2 || len(kept.Keys) != 1 {
		t.Errorf("%d keys are published, %d were", len(d.Keys), len(kept.Keys))
	}
	if !s.Key().Equal(first) {
		t.Error("the new key signs before others know it")
	}
	s.at = s.at.Add(time.Hour)
	if s.Key().Equal(first) {
		t.Error("the old key signs on")
	}
	s.at = s.at.Add(24 * time.Hour)
	if d, _ := s.served(t, "desk.example"); len(d.Keys) != 1 || d.Keys[0].ID != made.ID {
		t.Errorf("published are %v", d.Keys)
	}
	last, err := s.keys.Rotate(0)
	if err != nil {
		t.Fatal(err)
	}
	if from := s.SignsFrom(last); !from.Equal(s.at) || !s.Key().Public().(ed25519.PublicKey).Equal(last.Public) {
		t.Errorf("a key that ends the one before it at once signs from %v", from)
	}
}

// TestWhatIsSignedHereVerifiesHere: another front desk that has the directory knows who asks.
func TestWhatIsSignedHereVerifiesHere(t *testing.T) {
	t.Parallel()
	s := newStanding(t, "https://www.example.com")
	_, directory := s.served(t, "www.example.com")
	var w web
	w.answer(s.Address(), &fetch.Response{Status: 200, Header: directory.Header(), Body: directory.Body.Bytes()})
	v := New(Config{Now: func() time.Time { return s.at }, Fetch: w.get})
	ask := func(sent *http.Request) Agent {
		s.Sign(sent)
		return v.Identify(t.Context(), Request{Method: sent.Method, Target: sent.URL.String(), Header: sent.Header})
	}
	get := httptest.NewRequest(http.MethodGet, "https://other.example/page?x=1", nil)
	if got := ask(get); got.Known != BySignature || got.Operator != "https://www.example.com" {
		t.Errorf("the other knows %+v", got)
	}
	if got := ask(get); got.Signature != Invalid {
		t.Errorf("the same request, sent again, is %+v", got)
	}
	if got := ask(httptest.NewRequest(http.MethodGet, "http://other.example/page", nil)); got.Signature != "" {
		t.Errorf("a request that is not encrypted is signed: %+v", got)
	}
}

func TestWhoHasNoAddressSignsNothing(t *testing.T) {
	t.Parallel()
	s := newStanding(t, "http://localhost:8080")
	if s.Own != nil {
		t.Fatal("there is an agent without an https address")
	}
	r := httptest.NewRequest(http.MethodGet, "https://other.example/page", nil)
	s.Sign(r)
	if len(r.Header) > 0 || s.EnsureKey() != nil || s.Retire() != nil {
		t.Errorf("it signed %v", r.Header)
	}
}
