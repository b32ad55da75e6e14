package client

import (
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// TestAnAgentSignsEachRequest: a server that has the agent's directory knows who asks, when the
// request is made anew, too.
func TestAnAgentSignsEachRequest(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	own := Agent{Directory: "https://bots.example.com/keys", Key: ed25519.NewKeyFromSeed(make([]byte, 32))}
	var nonces []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		claims, bad := botauth.Read(r.Header)
		if bad != nil || len(claims) != 1 || claims[0].Agent != own.Directory {
			t.Errorf("claims %+v, %v", claims, bad)
			return
		}
		nonces = append(nonces, claims[0].Signature.Nonce)
		request := sign.Request{Method: r.Method, Target: "https://" + r.Host + r.RequestURI, Header: r.Header}
		if err := claims[0].Verify(own.Key.Public(), request); err != nil || claims[0].Check(at) != nil {
			t.Errorf("it does not verify: %v, %v", err, claims[0].Check(at))
		}
		if len(nonces) == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		says(200, "application/json", whole)(w, r)
	}))
	defer server.Close()
	options := Options{HTTP: server.Client(), Agent: &own, Now: func() time.Time { return at }}
	c, err := New(server.URL, options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err != nil {
		t.Fatal(err)
	}
	if len(nonces) != 2 || nonces[0] == nonces[1] {
		t.Errorf("the nonces are %q", nonces)
	}
}
