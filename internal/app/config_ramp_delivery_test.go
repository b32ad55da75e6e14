package app

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

func TestWhoDeliversIsChecked(t *testing.T) {
	t.Parallel()
	const good = `name: cdn, match: {}, at: "https://cdn.example.net"`
	for text, want := range map[string]string{
		`{` + good + `, form: md5}`: "ramp.delivery[0].form",
		`{` + good + `, form: hmac, hash: sha1}`: "ramp.delivery[0].hash: " +
			"addresses of the form \"hmac\" have none",
		`{` + good + `, form: fastly, hash: md5}`: "ramp.delivery[0].hash",
		`{` + good + `, form: fastly, policy: custom}`: "ramp.delivery[0].policy: " +
			"addresses of the form \"fastly\" have none",
		`{` + good + `, form: cloudfront, policy: wide}`:                               "ramp.delivery[0].policy",
		`{` + good + `, form: fastly, token: url}`:                                     "ramp.delivery[0].token",
		`{` + good + `, form: akamai, token: both}`:                                    "ramp.delivery[0].token",
		`{` + good + `, form: akamai, salt: "a b"}`:                                    "ramp.delivery[0].salt",
		`{` + good + `, form: fastly, salt: pepper}`:                                   "ramp.delivery[0].salt",
		`{` + good + `, form: akamai, escape: true}`:                                   "ramp.delivery[0].escape",
		`{` + good + `, form: akamai, parameter: "a&b"}`:                               "ramp.delivery[0].parameter",
		`{name: "a b", match: {}, at: "https://cdn.example.net", form: hmac}`:          "ramp.delivery[0].name",
		`{name: cdn, match: {}, at: "https://cdn.example.net/x", form: hmac}`:          "ramp.delivery[0].at",
		`{name: cdn, match: {}, at: "https://me@cdn.example.net", form: hmac}`:         "ramp.delivery[0].at",
		`{name: cdn, match: {}, at: "ftp://cdn.example.net", form: hmac}`:              "ramp.delivery[0].at",
		`{name: cdn, match: {}, at: cdn.example.net, form: hmac}`:                      "ramp.delivery[0].at",
		`{name: cdn, match: {path: [a]}, at: "https://a.example", form: hmac}`:         "ramp.delivery[0].match.path[0]",
		`{` + good + `, form: hmac}, {` + good + `, form: hmac}`:                       "ramp.delivery[1].name: there is another",
		`{` + good + `, form: akamai, token: url, parameter: __token__}`:               "",
		`{name: c-1, match: {}, at: "http://127.0.0.1:81/", form: fastly, hash: sha1}`: "",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", "ramp: {delivery: ["+text+"]}\n")})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%s: said %q, want %q", text, said, want)
		}
	}
}

// TestTheFirstWhoDeliversSigns asks who delivers, before there is a key, with one, and after the
// entry has another form.
func TestTheFirstWhoDeliversSigns(t *testing.T) {
	t.Parallel()
	s, _ := open(t, `
url: https://shop.example
site: {name: Shop, hosts: [shop.example]}
ramp:
  enabled: true
  delivery:
    - {name: own, match: {path: "/own/**"}, at: "https://own.example.net", form: ed25519}
    - {name: cdn, match: {path: ["/own/**", "/reports/**"]}, at: "https://cdn.example.net/", form: fastly, hash: sha1}
`)
	ask, err := s.outlets.Compile()
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) policy.Facts { return policy.Facts{URL: "https://shop.example" + path} }
	if o := ask(at("/soup")); o != nil {
		t.Errorf("nobody delivers this: %+v", o)
	}
	grant := sign.URLGrant{Expires: time.Now().Add(time.Minute).Truncate(time.Second).UTC(), Agent: "a",
		Transaction: "t"}
	own := ask(at("/own/a"))
	keys, err := own.Keys(t.Context())
	if own.Name != "own" || err != nil || len(keys) != 1 || keys[0].ID != s.SiteKeys.Keys()[0].ID {
		t.Fatalf("%+v: %v, %v", own, keys, err)
	}
	address, err := sign.URLKeys{Origin: own.At, Keys: keys}.Sign(own.At+"/own/a", grant, time.Now())
	if err != nil || !strings.Contains(address, "&kid="+keys[0].ID+"&") {
		t.Errorf("%s, %v", address, err)
	}
	public := sign.URLKey{Form: sign.URLEd25519, ID: keys[0].ID, Public: s.SiteKeys.Keys()[0].Public}
	if _, got, err := (sign.URLKeys{Origin: own.At, Keys: []sign.URLKey{public}}).Verify(address,
		time.Now()); err != nil || got != grant {
		t.Errorf("the site's public key does not verify it: %v, %v", got, err)
	}
	cdn := ask(at("/reports/a"))
	if keys, err := cdn.Keys(t.Context()); err != nil || len(keys) != 0 || cdn.At != "https://cdn.example.net" {
		t.Errorf("%+v: %v, %v", cdn, keys, err)
	}
	for _, form := range []sign.URLForm{sign.URLFastly, sign.URLHMAC} { // of which the second is that of another entry
		made, _, err := s.Deliveries.Issue(t.Context(), "cdn", form, "", nil)
		if err == nil {
			_, err = s.Deliveries.Activate(t.Context(), made.ID, "", time.Minute)
		}
		if err != nil {
			t.Fatal(err)
		}
		keys, err := cdn.Keys(t.Context())
		if err != nil || len(keys) != 1 || keys[0].Form != sign.URLFastly || keys[0].Options.Hash != sign.URLSHA1 {
			t.Errorf("%s: %+v, %v", form, keys, err)
		}
	}
	entries := 0
	if err := s.db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM (SELECT leaf FROM ledger_entry UNION ALL SELECT leaf FROM ledger_pending) AS e
			WHERE CAST(leaf AS TEXT) LIKE '%"party":"delivery:cdn"%'`).Scan(&entries)
	}); err != nil || entries != 5 { // two made, two that sign, one that is followed
		t.Errorf("%d entries of the ledger tell of delivery keys: %v", entries, err)
	}
}
