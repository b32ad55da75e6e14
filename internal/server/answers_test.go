package server

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/edge"
	"frontdesk/internal/trust"
)

func TestAFrontDeskAnswersItsOwnChallenges(t *testing.T) {
	p := openProving(t)
	const token = "abcdefghijklmnopqrstuvwxyz"
	get := func(host, token string) (int, string) {
		r := posted("GET", "/.well-known/ramp-verify/"+token, "")
		if host != "" {
			r.Host = host
		}
		w := send(p, r)
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	if code, told := get("", token); code != http.StatusNotFound {
		t.Errorf("before there is one: %d %s", code, told)
	}
	put := func(domain, token string, ends time.Time, status int) {
		t.Helper()
		p.admin("POST", "/admin/answers", fmt.Sprintf(`{"domain":%q,"token":%q,"expires_at":%q}`, domain, token, ends.Format(time.RFC3339)), status)
	}
	now := p.clock.Now()
	put("exchange.example.com", token, now.Add(10*time.Minute), 201)
	put("own.example", "another-token", now.Add(10*time.Minute), 201)
	put("cats.example", token, now.Add(10*time.Minute), 422)
	put("own.example", "short", now.Add(10*time.Minute), 422)
	put("own.example", "../../etc/passwd", now.Add(10*time.Minute), 422)
	put("own.example", "too-late-a-token", now.Add(2*time.Hour), 422)
	put("own.example", "over-already", now, 422)
	if code, told := get("", token); code != 200 || told != token {
		t.Errorf("%d %s", code, told)
	}
	if code, told := get("own.example", "another-token"); code != 200 || told != "another-token" {
		t.Errorf("of a site: %d %s", code, told)
	}
	for _, other := range []string{"another-token", token[:25], token + "x", "AAAAAAAAAAAAAAAAAAAAAAAAAA"} {
		if code, told := get("", other); code != http.StatusNotFound {
			t.Errorf("%s: %d %s", other, code, told)
		}
	}
	if told := p.admin("GET", "/admin/answers", "", 200); strings.Count(told, `"token"`) != 2 {
		t.Error(told)
	}
	p.admin("DELETE", "/admin/answers/own.example/another-token", "", 200)
	p.clock.Pass(10 * time.Minute)
	if code, told := get("", token); code != http.StatusNotFound {
		t.Errorf("after its end: %d %s", code, told)
	}
	if told := p.admin("GET", "/admin/answers", "", 200); strings.Contains(told, `"token"`) {
		t.Error(told)
	}
	for n := range trust.MostAnswers {
		put("own.example", fmt.Sprintf("token-number-%d", n), p.clock.Now().Add(time.Minute), 201)
	}
	put("own.example", "one-too-many", p.clock.Now().Add(time.Minute), 422)
}

func TestAKeyIsKeptForTheGateAndTheOneBeforeForAnHour(t *testing.T) {
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	a := &Answering{domain: "www.example.com", keys: filepath.Join(t.TempDir(), "keys"), now: func() time.Time { return now }}
	offer := func() OfferedKey {
		t.Helper()
		key, err := MakeKey("hmac", "", "")
		if err != nil {
			t.Fatal(err)
		}
		key.Stored.Exchange = "https://x.example"
		if err := a.Offer(key); err != nil {
			t.Fatal(err)
		}
		return key
	}
	first := offer()
	if key, ok := a.Pending("https://x.example", "hmac"); !ok || key.Text != first.Text {
		t.Errorf("%v, %t", key, ok)
	}
	if _, ok := a.Pending("https://y.example", "hmac"); ok {
		t.Error("another Exchange is given the key")
	}
	keep := func(key OfferedKey, id string) {
		t.Helper()
		if _, err := a.Keep(key, id, now.Add(90*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	keep(first, "k-2027-05-04-hmac")
	if _, ok := a.Pending("https://x.example", "hmac"); ok {
		t.Error("a key that is registered still waits")
	}
	now = now.Add(24 * time.Hour)
	keep(offer(), "../k-2027-05-05-hmac")
	files, err := filepath.Glob(filepath.Join(a.keys, "*.json"))
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "___k-2027-05-05-hmac.json" {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		key, err := edge.ReadStoredKey(file)
		if err != nil {
			t.Fatal(err)
		}
		want := now.Add(90*24*time.Hour + 5*time.Minute)
		if key.Secret == first.Stored.Secret {
			want = now.Add(time.Hour + 5*time.Minute)
		}
		if !key.Until.Equal(want) {
			t.Errorf("%s is good until %s, not %s", file, key.Until, want)
		}
	}
}
