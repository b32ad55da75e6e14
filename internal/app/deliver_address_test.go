package app

import (
	"bufio"
	"crypto/ed25519"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// purchased buys the soup under an id, and gives a function that asks for that, once more if it was
// called before, and gives the path and query at which it is delivered.
func (m *market) purchased(id string) func() string {
	m.t.Helper()
	object, _ := m.tools("ramp_discover", `{"id":"q-`+id+`","requester":`+m.requester()+`}`)
	var asked rampv1.ResourceResponse
	if err := ramp.Unmarshal([]byte(object), &asked); err != nil || len(asked.Offers) != 1 {
		m.t.Fatalf("%s: %v", object, err)
	}
	take := `{"id":"` + id + `","requester":` + m.requester() + `,"offer_id":"` + asked.Offers[0].OfferId + `","offer_signature":"` + asked.Offers[0].ExchangeSignature + `"}`
	return func() string {
		m.t.Helper()
		object, _ := m.tools("ramp_execute", take)
		var bought rampv1.TransactionResponse
		if err := ramp.Unmarshal([]byte(object), &bought); err != nil || bought.Package == nil {
			m.t.Fatalf("%s: %v", object, err)
		}
		return strings.TrimPrefix(bought.Package.Retrieval.GetEndpoint(), marketURL)
	}
}

// rawStatus sends a request line to a server as it stands, and gives the status of the answer; 0
// where it is none.
func rawStatus(t *testing.T, server *httptest.Server, target string) int {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: market.example\r\nConnection: close\r\n\r\n",
		target); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// TestAnAddressHasOneSpellingAtTheServer changes whatever can be changed of an address, and asks
// for it at a server that runs, by the bytes of the request line: nothing is delivered, and nothing
// is on record.
func TestAnAddressHasOneSpellingAtTheServer(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "limits: {rate: {address: \"\", failures: \"\"}}\n"+
		"ramp: {enabled: true, requesters: {registered: true}}\n"+soldSoup)
	m.credit(10_000_000)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.tools("ramp_register", `{"requester_id":"bot","domain":"`+m.domain()+`"}`)
	one := m.purchased("one")
	address, other := one(), m.purchased("two")()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	refused := func(what, target string) {
		t.Helper()
		if target == address {
			return
		}
		if status := rawStatus(t, server, target); status >= 200 && status < 300 {
			t.Errorf("%s: %s is answered with %d", what, target, status)
		}
	}
	path, query, _ := strings.Cut(address, "?")
	otherPath, otherQuery, _ := strings.Cut(other, "?")
	pairs := strings.Split(query, "&")
	for i := range address {
		for _, flip := range []byte{1, 4, 32} {
			refused("flipped", address[:i]+string(address[i]^flip)+address[i+1:])
		}
		refused("re-encoded", fmt.Sprintf("%s%%%02X%s", address[:i], address[i], address[i+1:]))
		refused("shortened", address[:i]+address[i+1:])
	}
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		rest := slices.Delete(slices.Clone(pairs), i, i+1)
		theirs := strings.Split(otherQuery, "&")[i]
		for what, changed := range map[string][]string{
			"gone": rest, "last": append(slices.Clone(rest), pair), "first": append([]string{pair}, rest...),
			"twice":          slices.Insert(slices.Clone(pairs), i, pair),
			"empty":          slices.Insert(slices.Clone(rest), i, name+"="),
			"without a sign": slices.Insert(slices.Clone(rest), i, name+value),
			"in capitals":    slices.Insert(slices.Clone(rest), i, strings.ToUpper(name)+"="+value),
			"another's":      slices.Insert(slices.Clone(rest), i, theirs),
			"with a blank":   slices.Insert(slices.Clone(rest), i, pair+"+"),
			"with a null":    slices.Insert(slices.Clone(rest), i, pair+"%00"),
		} {
			if target := path + "?" + strings.Join(changed, "&"); target != path+"?"+strings.Join(pairs, "&") {
				refused(name+" "+what, target)
			}
		}
	}
	for what, target := range map[string]string{
		"without a query": path, "with an empty one": path + "?", "something more": address + "&a=b",
		"nothing more": address + "&", "something before": path + "?a=b&" + query,
		"a semicolon": address + ";a=b", "a fragment": address + "#a", "another's query": path + "?" + otherQuery,
		"another's path": otherPath + "?" + query, "a slash more": path + "/?" + query, "two slashes": "/" + address,
		"a step up":          "/deliver/../deliver" + strings.TrimPrefix(address, "/deliver"),
		"a step nowhere":     "/deliver/." + strings.TrimPrefix(address, "/deliver"),
		"a step up, escaped": "/deliver/x%2f.." + strings.TrimPrefix(address, "/deliver"),
		"in capitals":        "/DELIVER" + strings.TrimPrefix(address, "/deliver"),
		"the stream of it":   path + "/stream?" + query, "another host": "http://other.example" + path + "/?" + query,
		"a backslash": strings.Replace(address, "/deliver/", "/deliver\\", 1),
		"a tab":       strings.Replace(address, "&", "&\t", 1), "half an escape": address + "%2",
	} {
		refused(what, target)
	}
	m.foreign(path, refused)
	if status := rawStatus(t, server, address); status != http.StatusOK {
		t.Errorf("the address itself: %d", status)
	}
	// What lives goes on through a rotation of the secret, and ends with a rotation after a leak.
	if _, err := m.RotateAddresses(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if before, after := rawStatus(t, server, address), m.purchased("three")(); before != http.StatusOK ||
		rawStatus(t, server, after) != http.StatusOK {
		t.Errorf("after a rotation: %d", before)
	}
	if again := one(); again == address || rawStatus(t, server, again) != http.StatusOK {
		t.Error("asked for once more it has the old secret's address, or does not open")
	}
	m.clock.Advance(time.Second)
	if _, err := m.RotateAddresses(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if status := rawStatus(t, server, address); status != http.StatusForbidden {
		t.Errorf("of a secret that leaked: %d", status)
	}
	live := one()
	m.clock.Advance(addressLife)
	refused("expired", live)
	if status := rawStatus(t, server, live); status != http.StatusForbidden {
		t.Errorf("expired: %d", status)
	}
	server.Close() // waits for what is in work
	n := 0
	for d, err := range transactions.NewReader(m.db).EachDelivery(t.Context(), transactions.DeliveryFilter{}) {
		if n++; err != nil || d.State != transactions.DeliveryEnded {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if n != 4 {
		t.Errorf("%d deliveries are on record", n)
	}
}

// foreign has addresses of the same path signed by others, in other forms, for longer, for others.
func (m *market) foreign(path string, refused func(what, target string)) {
	t := m.t
	t.Helper()
	keys, err := m.Addresses.Keys()
	if err != nil {
		t.Fatal(err)
	}
	now, id := m.clock.Now(), strings.TrimPrefix(path, "/deliver/")
	grant := sign.URLGrant{Expires: now.Add(time.Minute), Agent: ramp.AgentIdentityHash("bot", m.domain()),
		Transaction: id}
	signed := func(what string, k sign.URLKey, origin, content string, g sign.URLGrant, at time.Time) {
		t.Helper()
		address, err := sign.URLKeys{Origin: origin, Keys: []sign.URLKey{k}}.Sign(origin+content, g, at)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		refused(what, u.RequestURI())
	}
	secret := keys[0]
	_, private, _ := ed25519.GenerateKey(nil)
	for what, k := range map[string]sign.URLKey{
		"another secret":     {Form: sign.URLHMAC, Secret: []byte("another secret, 32 bytes long...")},
		"as akamai":          {Form: sign.URLAkamai, Secret: secret.Secret},
		"as akamai with url": {Form: sign.URLAkamai, Secret: secret.Secret, Options: sign.URLOptions{URL: true}},
		"as fastly":          {Form: sign.URLFastly, Secret: secret.Secret}, "as fastly with SHA-1": {
			Form: sign.URLFastly, Secret: secret.Secret, Options: sign.URLOptions{Hash: sign.URLSHA1},
		}, "as ed25519": {Form: sign.URLEd25519, ID: "k", Signer: private},
	} {
		signed(what, k, marketURL, path, grant, now)
	}
	signed("of another host", secret, "https://other.example", path, grant, now)
	signed("of the site's own address", secret, marketURL, "/soup", grant, now)
	theirs, unknown, later := grant, grant, grant
	theirs.Agent = strings.Repeat("0", 64)
	unknown.Transaction = transactions.NewID("txn", now)
	later.Expires = now.Add(sign.URLLife + time.Minute)
	signed("for another agent", secret, marketURL, path, theirs, now)
	signed("for another transaction", secret, marketURL, path, unknown, now)
	signed("for a transaction that there is not", secret, marketURL, "/deliver/"+unknown.Transaction, unknown, now)
	signed("for too long", secret, marketURL, path, later, now.Add(time.Minute))
}
