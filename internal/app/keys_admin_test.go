package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
)

// TestKeysAndPeopleAreKeptOverHTTP issues, uses, rolls, suspends and revokes a key, and invites
// somebody, by requests alone.
func TestKeysAndPeopleAreKeptOverHTTP(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://desk.example\nauth: {required: [ask]}")
	today := time.Now().UTC().Format(time.DateOnly)
	admin, _, err := s.Keys.Create(t.Context(), identity.Key{Name: "tools", Scopes: []string{doorAdmin}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, path, body string, status int, into any) string {
		t.Helper()
		w := send(s, posted(method, path, body, "Authorization", "Bearer "+admin))
		if w.Code != status {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		if into != nil {
			if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
				t.Fatal(err)
			}
		}
		return w.Body.String()
	}
	asks := func(key string, status int) {
		t.Helper()
		if w := send(s, with(asking("lentil"), "X-API-Key", key)); w.Code != status {
			t.Errorf("%d, want %d: %s", w.Code, status, w.Body)
		}
	}
	var one, two keyring.Key
	call("POST", "/admin/keys", `{"kind":"api","name":"Partner","doors":["ask"],"ends":"2028-01-01"}`, 201, &one)
	asks(one.Secret, 200)
	if told := call("GET", "/admin/keys/api/"+one.ID, "", 200, nil); strings.Contains(told, one.Secret) ||
		!strings.Contains(told, `"last_used":"`+today+`"`) || !strings.Contains(told, `"from":"192.0.2.0/24"`) {
		t.Errorf("%s", told)
	}
	call("POST", "/admin/keys/api/"+one.ID, `{"overlap":"1h"}`, 201, &two)
	asks(one.Secret, 200)
	asks(two.Secret, 200)
	call("PATCH", "/admin/keys/api/"+two.ID, `{"state":"suspended"}`, 200, nil)
	asks(two.Secret, 401)
	call("PATCH", "/admin/keys/api/"+two.ID, `{"state":"active"}`, 200, nil)
	asks(two.Secret, 200)
	call("DELETE", "/admin/keys/api/"+one.ID, "", 200, nil)
	asks(one.Secret, 401)
	call("PATCH", "/admin/keys/api/"+two.ID, `{"state":"gone"}`, 422, nil)
	call("POST", "/admin/keys", `{"kind":"requester","name":"x"}`, 422, nil)
	for _, wrong := range []string{"/admin/keys?kind=gold", "/admin/keys?state=good", "/admin/people?state=good"} {
		call("GET", wrong, "", 422, nil)
	}
	call("GET", "/admin/keys/api/none", "", 404, nil)
	call("GET", "/admin/keys/api/", "", 404, nil)
	var list struct{ Keys []keyring.Key }
	if call("GET", "/admin/keys?kind=api&state=ended&q=partner", "", 200, &list); len(list.Keys) != 1 {
		t.Errorf("%+v", list)
	}

	var link keyring.Invitation
	call("POST", "/admin/invitations", `{"name":"Bo","role":"owner","good":"24h"}`, 201, &link)
	if link.Link != "https://desk.example/console/begin#"+link.Code {
		t.Errorf("%+v", link)
	}
	_, session, in, err := s.Logins().Accept(t.Context(), link.Code, "b",
		identity.Person{Name: "Bo", Zone: "UTC"}, time.Hour)
	if err != nil || in.Role != identity.Owner {
		t.Fatalf("%+v, %v", in, err)
	}
	r := httptest.NewRequest("GET", "https://desk.example/console/", nil)
	r.AddCookie(&http.Cookie{Name: "frontdesk_console", Value: session})
	if w := send(s, r); w.Code != 200 {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	if told := call("GET", "/admin/people", "", 200, nil); !strings.Contains(told, `"sessions":1`) ||
		!strings.Contains(told, `"last_used":"`+today+`"`) {
		t.Errorf("%s", told)
	}
	call("DELETE", "/admin/people/"+in.Key+"/sessions", "", 200, nil)
	if w := send(s, r); w.Code != http.StatusSeeOther {
		t.Errorf("signed out: %d", w.Code)
	}
	for _, body := range []string{`{"role":"viewer"}`, `{"state":"suspended"}`, `{"role":"king"}`, `{}`} {
		call("PATCH", "/admin/people/"+in.Key, body, 422, nil)
	}
	call("DELETE", "/admin/people/"+in.Key, "", 422, nil)
	call("DELETE", "/admin/keys/console/"+in.Key, "", 422, nil)
	call("POST", "/admin/keys/console/"+in.Key, `{}`, 422, nil)
	call("POST", "/admin/invitations", `{"name":"Cy","role":"viewer"}`, 201, &link)
	call("DELETE", "/admin/invitations/"+link.ID, "", 200, nil)
	call("DELETE", "/admin/invitations/"+link.ID, "", 404, nil)
	for _, path := range []string{"/admin/keys", "/admin/people", "/admin/invitations", "/admin/people/" + in.Key} {
		for _, key := range []string{"", two.Secret} {
			if w := send(s, with(httptest.NewRequest("GET", path, nil), "X-API-Key", key)); w.Code < 400 {
				t.Errorf("%s for %q: %d", path, key, w.Code)
			}
		}
	}
}
