package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
)

func TestAFrontDeskAnswersItsOwnChallenges(t *testing.T) {
	t.Parallel()
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
	put("own.example", "../../../etc/passwd", now.Add(10*time.Minute), 422)
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
	p.clock.Advance(10 * time.Minute)
	if code, told := get("", token); code != http.StatusNotFound {
		t.Errorf("after its end: %d %s", code, told)
	}
	if told := p.admin("GET", "/admin/answers", "", 200); strings.Contains(told, `"token"`) {
		t.Error(told)
	}
	for n := range identity.MaxChallengeResponses {
		put("own.example", fmt.Sprintf("token-number-%d", n), p.clock.Now().Add(time.Minute), 201)
	}
	put("own.example", "one-too-many", p.clock.Now().Add(time.Minute), 422)
}
