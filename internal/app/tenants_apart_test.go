package app

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/identity"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/edge"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// Who may open a door, as far as tenants are concerned.
const (
	everybody = "everybody" // what it tells is told to all, and nothing of it is one tenant's alone
	operators = "operators" // no key of a tenant opens it
	callers   = "callers"   // each for its tenants
	providers = "providers" // each for its hosts
	edges     = "edges"     // each for its sites
	buyers    = "buyers"    // each for what it asked for and bought itself; no tenant is one
)

// tenantDoors are all addresses of a server that sells for tenants. A route that is added needs a
// row here: say who may open it, and the test tries it with every tenant's keys against every other
// tenant.
var tenantDoors = map[string][]string{
	everybody: {
		"/", "/{$}", "/ask", "/ask/click", "/assets/", "/widget/", "/connect", "/await", "/sites", "/who",
		"/sessions/{id}", "/feeds/{site}/{part}", "/healthz", "/readyz", "/llms.txt", "/mcp", "/mcp/server-card",
		"/openapi.json", "/robots.txt", "/rsl.txt", "/schemamap.xml", "/.well-known/api-catalog",
		"/.well-known/jwks.json", "/.well-known/http-message-signatures-directory",
		"/.well-known/mcp/catalog.json", "/.well-known/mcp/server-card.json", "/.well-known/ramp-exchange.json",
		"/.well-known/ramp-verifier.json", "/.well-known/ramp.json", "/exchange/v1/keys",
		"/exchange/v1/requesters/register", "/grpc.health.v1.Health/", "/fora.v1.ExchangeService/",
		"/ramp.v2.ExchangeService/", "/grpc.reflection.v1.ServerReflection/",
		"/grpc.reflection.v1alpha.ServerReflection/", "/ledger/checkpoint", "/ledger/tile/{tile...}",
		"/provider/{domain}/access-policy.json", "/provider/{domain}/ramp-verifier.json",
		"/provider/{domain}/ramp.json", "/provider/{domain}/rsl.txt", "/ramp.v1.CatalogService/",
		"/ramp.v1.ExchangeService/", "/ramp.v1.ExchangeService/ConfirmDomainVerification",
		"/ramp.v1.ExchangeService/DiscoverResources", "/ramp.v1.ExchangeService/RequestDomainVerification",
		"/ramp-sitemap.xml", "/provider/{domain}/ramp-sitemap.xml", "/.well-known/ramp-verify/{token}",
		"/.well-known/ramp-agent.json",
	},
	operators: {
		"/admin/", "/admin/accounts", "/admin/accounts/", "/admin/accounts/{currency}",
		"/admin/accounts/{currency}/{domain}", "/admin/accounts/{currency}/{domain}/{id...}", "/admin/callers",
		"/admin/callers/{id}", "/admin/content-rules", "/admin/content-rules/{id}", "/admin/content-changed",
		"/admin/domains", "/admin/domains/{domain}", "/admin/domains/{domain}/challenges", "/admin/keys",
		"/admin/keys/{kind}/{id...}", "/admin/people", "/admin/people/{id}", "/admin/people/{id}/sessions",
		"/admin/invitations", "/admin/invitations/{id}", "/admin/answers", "/admin/answers/{domain}/{token}",
		"/admin/delivery-logs", "/admin/disputes", "/admin/disputes/", "/admin/disputes/{id}", "/admin/disputes/{id}/",
		"/admin/disputes/{id}/decide", "/admin/disputes/{id}/description", "/admin/licenses", "/admin/licenses/{id...}",
		"/admin/requesters", "/admin/requesters/", "/admin/requesters/{domain}", "/admin/requesters/{domain}/{id...}",
		"/admin/subscriptions", "/admin/subscriptions/{id...}", "/admin/tenants", "/admin/tenants/{id}",
		"/admin/tenants/{id}/pricing", "/admin/tenants/{id}/rejections", "/admin/tenants/{id}/signing-keys",
		"/admin/tenants/{id}/signing-keys/{key_id}", "/admin/tenants/{id}/signing-keys/{key_id}/activate",
		"/api/v1/reports/", "/api/v1/reports/{name}", "/console", "/console/", "/ledger/receipt/{id}",
		"/admin/visitors", "/admin/visitors/{agent}", "/admin/visitors/{agent}/treatment", "/admin/questions",
		"/admin/questions/{id}", "/admin/questions/{id}/ignored", "/admin/tuning", "/admin/tuning/{id}",
		"/admin/tuning/{id}/on", "/admin/tuning/{id}/off", "/admin/tuning/export", "/admin/tuning/import",
		"/admin/tuning/preview", "/admin/receipts/{id}/share", "/admin/receipts/verify",
		"/admin/sources", "/admin/sources/look", "/admin/sources/{site}/{source}",
		"/admin/sources/{site}/{source}/read", "/admin/content", "/admin/content/item", "/admin/content/problems",
		"/admin/settings", "/admin/settings/export", "/admin/settings/first-steps",
		"/admin/terms", "/admin/terms/check", "/admin/terms/explain", "/admin/terms/history",
		"/admin/terms/history/{version}", "/admin/terms/history/{version}/put-back",
	},
	callers: {"/ramp.v1.CatalogService/PushResources", "/ramp.v1.CatalogService/RefreshCatalog",
		"/ramp.v1.CatalogService/RemoveResources"},
	providers: {"/provider/{domain}/transactions"},
	edges:     {"/exchange/v1/deliveries", "/exchange/v1/edge-policy"},
	buyers: {
		"/deliver/{transaction}", "/deliver/{transaction}/stream", "/frontdesk.delivery.v1.DeliveryService/Stream",
		"/ramp.v1.ExchangeService/DisputeTransaction", "/ramp.v1.ExchangeService/ExecuteTransaction",
		"/ramp.v1.ExchangeService/ReportUsage", "/broker/v1/resolve", "/ramp.v1.BrokerService/",
		"/ramp.v1.BrokerService/Resolve",
	},
}

// tenantTools are the tools of /mcp that know the Exchange. They have no more than its RPCs do, for
// buyers.
var tenantTools = map[string][]string{
	everybody: {"ramp_discover", "ramp_status"},
	buyers:    {"ramp_execute", "ramp_report", "ramp_dispute", "fetch_licensed", "ramp_register"},
}

// tenantKeys is what a tenant holds, and what is its own.
type tenantKeys struct {
	id, host   string
	provider   string // an API key for its audit view
	edge       identity.EdgeKey
	secret     sign.WebhookSecret
	signingKey string // that signs its addresses
	sale       string // of its content
}

// settle puts a tenant in that has something of everything, with its mark.
func (s *supplied) settle(id string) tenantKeys {
	s.t.Helper()
	k := tenantKeys{id: id, host: "www." + id + ".example"}
	s.admin("POST", "/admin/tenants", fmt.Sprintf(`{"tenant_id":%q,"name":"Name of %s","domains":[%q],"price":{"model":"free"},"delivery":{"at":"https://cdn.%s.example","form":"hmac"}}`, id, id, k.host, id), 201)
	s.caller(id, "", id)
	var made struct {
		KeyID string `json:"key_id"`
	}
	if err := json.Unmarshal([]byte(s.admin("POST", "/admin/tenants/"+id+"/signing-keys", `{"cdn_type":"hmac"}`, 201)),
		&made); err != nil || made.KeyID == "" {
		s.t.Fatal(made, err)
	}
	k.signingKey = made.KeyID
	s.admin("POST", "/admin/tenants/"+id+"/signing-keys/"+k.signingKey+"/activate", "", 200)
	s.admin("POST", "/admin/tenants/"+id+"/signing-keys", `{"cdn_type":"hmac"}`, 201) // which waits
	k.provider, _ = makeKey(s.t, s.App, identity.Key{Name: "provider " + id, Scopes: []string{"provider:" + k.host}})
	var err error
	if k.edge, k.secret, err = s.Edges.Issue(s.t.Context(), "edge-"+id, []string{id}); err != nil {
		s.t.Fatal(err)
	}
	if got := s.push(id, id, entryAt(k.host, "/a"), entryAt("refused-"+id+".example", "/x")); got != `{"accepted":1,"rejected":1}` {
		s.t.Fatal(got)
	}
	k.sale = s.sold("https://" + k.host + "/a")
	return k
}

// sold has somebody buy what is at an address for nothing, and gives the transaction's id.
func (s *supplied) sold(uri string) string {
	s.t.Helper()
	offer := s.offered(uri)
	if offer == nil {
		s.t.Fatal("nothing is offered at", uri)
	}
	body := fmt.Sprintf(`{"ver":"1.0","id":"buy %s","offer_id":%q,"offer_signature":%q,"requester":{"id":"bot","domain":"buyer.example","uris":[%q]}}`, uri, offer.OfferId, offer.ExchangeSignature, uri)
	w := send(s,
		posted("POST", "/ramp.v1.ExchangeService/ExecuteTransaction", body, "Content-Type", "application/json"))
	var told struct {
		ID string `json:"transaction_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || told.ID == "" {
		s.t.Fatal(w.Code, w.Body)
	}
	return told.ID
}

// standing is all that is a tenant's, as the operator and the tenant itself see it.
func (s *supplied) standing(k tenantKeys) string {
	s.t.Helper()
	var all strings.Builder
	for _, path := range []string{"/admin/tenants/" + k.id, "/admin/tenants/" + k.id + "/pricing",
		"/admin/tenants/" + k.id + "/signing-keys", "/admin/callers/" + k.id} {
		all.WriteString(s.admin("GET", path, "", 200))
	}
	w := send(s, posted("GET", "/provider/"+k.host+"/transactions", "", identity.KeyHeader, k.provider))
	if w.Code != 200 || !strings.Contains(w.Body.String(), k.sale) {
		s.t.Errorf("%s does not see its own sale: %d %s", k.id, w.Code, w.Body)
	}
	all.WriteString(w.Body.String())
	offer := s.offered("https://" + k.host + "/a")
	fmt.Fprint(&all, offer.GetPackage().GetTitle(), offer.GetPricing())
	return all.String()
}

// marks are what nobody else may see.
func (k tenantKeys) marks() []string {
	return []string{k.sale, k.signingKey, "refused-" + k.id, "Name of " + k.id, "cdn." + k.id, `"` + k.id + `"`}
}

// address is that of a route for what is a tenant's.
func (k tenantKeys) address(pattern string) string {
	return strings.NewReplacer("{domain}", k.host, "{id}", k.id, "{id...}", k.id, "{key_id}", k.signingKey,
		"{transaction}", k.sale, "{name}", "transactions.csv?format=csv", "{currency}", "USD",
		"{site}", k.id, "{part}", "1.jsonl", "{tile...}", "0/000", "{$}", "").Replace(pattern)
}

func TestTenantsAreStrictlyApartAtEveryDoor(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	listed := map[string]string{}
	for who, patterns := range tenantDoors {
		for _, pattern := range patterns {
			listed[pattern] = who
		}
	}
	for pattern := range s.front.Known {
		if listed[pattern] == "" {
			t.Errorf("the route %s has no row among tenantDoors: say there who may open it", pattern)
		}
	}
	for pattern := range listed {
		if s.front.Known[pattern] == nil {
			t.Errorf("there is no route %s any more: take its row out", pattern)
		}
	}
	var tools []string
	for _, all := range tenantTools {
		tools = append(tools, all...)
	}
	for _, tool := range s.exchange.rampTools() {
		if !slices.Contains(tools, tool.Name) {
			t.Errorf("the tool %s has no row among tenantTools", tool.Name)
		}
	}
	rings := []tenantKeys{s.settle("acme"), s.settle("globex"), s.settle("initech")}
	before := map[string]string{}
	for _, k := range rings {
		before[k.id] = s.standing(k)
	}
	for _, pattern := range slices.Sorted(maps.Keys(listed)) {
		for _, thief := range rings {
			for _, victim := range rings {
				if thief.id != victim.id {
					s.try(pattern, listed[pattern], thief, victim)
				}
			}
		}
	}
	for _, k := range rings {
		if now := s.standing(k); now != before[k.id] {
			t.Errorf("something of %s was changed:\n%s\n%s", k.id, before[k.id], now)
		}
		if told := s.admin("GET", "/admin/tenants/"+k.id+"/rejections?limit=1000", "", 200); strings.Count(told,
			`"caller_id"`) != strings.Count(told, `"caller_id":"`+k.id+`"`) || !strings.Contains(told, "refused-"+k.id) {
			t.Errorf("entries of others are refused in the name of %s: %s", k.id, told)
		}
		// What is its own it may, so that nothing above is refused for another reason.
		if got := s.push(k.id, k.id, entryAt(k.host, "/b")); got != `{"accepted":1,"rejected":0}` || s.offered("https://"+k.host+"/b") == nil {
			t.Errorf("%s may not push for itself: %s", k.id, got)
		}
		if w := s.tells(k, k.sale, k.host); w.Code != 200 {
			t.Errorf("the edge of %s: %d %s", k.id, w.Code, w.Body)
		}
	}
}

// try tries a door with all keys of one tenant for what is another's.
func (s *supplied) try(pattern, who string, thief, victim tenantKeys) {
	s.t.Helper()
	switch who {
	case callers:
		s.tryCaller(pattern, thief, victim)
		return
	case edges:
		for host, want := range map[string]int{victim.host: 404, thief.host: 200} {
			if w := s.edgeAsks(thief, host); pattern == edge.PolicyPath && w.Code != want {
				s.t.Errorf("the edge of %s asks of %s: %d %s", thief.id, host, w.Code, w.Body)
			}
		}
		if w := s.tells(thief, victim.sale, victim.host); w.Code != 200 {
			s.t.Errorf("the edge of %s: %d %s", thief.id, w.Code, w.Body)
		}
		// it is taken as one of which no transaction of its own is known
		rows, _, err := s.ReadDeals.Deliveries(s.t.Context(),
			transactions.DeliveryFilter{Site: victim.id, By: "edge-" + thief.id, Limit: 9})
		if err != nil || len(rows) != 0 {
			s.t.Errorf("an edge of %s tells of what was delivered for %s: %+v %v", thief.id, victim.id, rows, err)
		}
		return
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(thief.id+":"+thief.provider))
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		for _, headers := range [][]string{
			nil, {identity.KeyHeader, thief.provider}, {"Authorization", "Bearer " + thief.provider},
			{"Authorization", basic}, {edge.KeyHeader, thief.edge.ID}, {"Cookie", "console=" + thief.provider},
		} {
			body := fmt.Sprintf(`{"tenant_id":%q,"domains":[%q],"caller_id":%q,"tenants":[%q],"transaction_id":%q}`, victim.id, victim.host, thief.id, victim.id, victim.sale)
			w := send(s, posted(method, victim.address(pattern), body, headers...))
			if who != everybody && w.Code < 300 || w.Code == 500 {
				s.t.Errorf("%s %s is answered to %s with %v: %d %.300s", method, victim.address(pattern), thief.id,
					headers, w.Code, w.Body)
			}
			for _, mark := range victim.marks() {
				if who == everybody && mark == `"`+victim.id+`"` {
					continue // its id is in the address that was asked
				}
				if strings.Contains(w.Body.String(), mark) && !strings.Contains(victim.address(pattern), mark) {
					s.t.Errorf("%s %s tells %s of %s: %.300s", method, victim.address(pattern), thief.id, mark, w.Body)
				}
			}
		}
	}
	if pattern == "/console/" {
		r := httptest.NewRequest("POST", "/console/login", strings.NewReader("token="+thief.provider))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://example.com")
		if w := send(s, r); w.Code != 403 {
			s.t.Errorf("the console lets %s in: %d %v", thief.id, w.Code, w.Header())
		}
	}
}

// tryCaller calls a method for another tenant, in its own name and in that tenant's.
func (s *supplied) tryCaller(pattern string, thief, victim tenantKeys) {
	s.t.Helper()
	method := pattern[strings.LastIndexByte(pattern, '/')+1:]
	for _, name := range []string{thief.id, victim.id} {
		for _, tenant := range []string{thief.id, victim.id} {
			if name == thief.id && tenant == thief.id && method == "RefreshCatalog" {
				continue // its own
			}
			var m proto.Message
			switch method {
			case "PushResources":
				entry := entryAt(victim.host, "/a")
				entry.Title = proto.String("Stolen by " + thief.id)
				m = &rampv1.PushResourcesRequest{TenantId: tenant, CallerId: name,
					Entries: []*rampv1.ResourceEntry{entry, entryAt(victim.host, "/*"),
						entryAt("WWW."+victim.id+".EXAMPLE.", "/a")}}
			case "RemoveResources":
				m = &rampv1.RemoveResourcesRequest{TenantId: tenant,
					Paths: []string{"https://" + victim.host + "/a", "https://" + victim.host + ":443/a"}}
			default:
				m = &rampv1.RefreshCatalogRequest{TenantId: tenant}
			}
			status, told := s.call(method, name, supplierKey(thief.id), m, true)
			if status < 300 && told != `{"accepted":0,"rejected":3}` && strings.TrimSpace(told) != "" {
				s.t.Errorf("%s as %s for %s, by %s: %d %s", method, name, tenant, thief.id, status, told)
			}
			if tenant == victim.id && status < 300 {
				s.t.Errorf("%s as %s for %s is answered to %s: %s", method, name, tenant, thief.id, told)
			}
		}
	}
}

// tells has the edge of a tenant tell of a delivery.
func (s *supplied) tells(by tenantKeys, sale, host string) *httptest.ResponseRecorder {
	s.t.Helper()
	now := s.clock.Now()
	s.batches++
	b := edge.Batch{Version: edge.Version, ID: "b" + strconv.Itoa(s.batches), Deliveries: []edge.Delivery{{
		ID: "d" + strconv.Itoa(s.batches), Transaction: sale, URI: "https://" + host + "/a", Form: "hmac",
		State: edge.Ended, Status: 200, Bytes: 7, Announced: 7, At: now, Ended: now,
	}}}
	body, err := b.Text()
	if err != nil {
		s.t.Fatal(err)
	}
	return s.asEdge(by, edge.Path, b.ID, body)
}

// edgeAsks has a tenant's edge ask for the policy of a host.
func (s *supplied) edgeAsks(by tenantKeys, host string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.asEdge(by, edge.PolicyPath, "asked", []byte(fmt.Sprintf(`{"id":"asked","host":%q}`, host)))
}

// asEdge sends what a tenant's edge has signed.
func (s *supplied) asEdge(by tenantKeys, path, id string, body []byte) *httptest.ResponseRecorder {
	now := s.clock.Now()
	return send(s, posted("POST", path, string(body), edge.KeyHeader, by.edge.ID, sign.WebhookID, id,
		sign.WebhookTimestamp, strconv.FormatInt(now.Unix(), 10), sign.WebhookSignature, by.secret.Sign(id, now, body)))
}

// TestTenantsHostsHaveTheirDocuments reads what edges and readers of licences look for at a
// tenant's host, and at none that nobody has.
func TestTenantsHostsHaveTheirDocuments(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", cents, "www.acme.example")
	s.admin("POST", "/admin/content-rules", `{"id":"closed","match":{"site":["acme"],"path":["/private/**"]},"access":"blocked"}`, 201)
	for document, wants := range map[string][]string{
		"ramp.json":          {`"provider":"www.acme.example"`, `"endpoint"`},
		"access-policy.json": {`"default_policy":"RESOURCE_ACCESS_POLICY_LICENSED"`, `"pattern":"/private/*","policy":"RESOURCE_ACCESS_POLICY_BLOCKED"`},
		"rsl.txt":            {`https://www.acme.example`, `0.02`, `USD`, `/private/`},
	} {
		w := send(s, httptest.NewRequest("GET", "/provider/www.acme.example/"+document, nil))
		text := strings.NewReplacer(" ", "", "\n", "").Replace(w.Body.String())
		for _, want := range wants {
			if w.Code != 200 || !strings.Contains(text, want) {
				t.Errorf("%s lacks %s: %d %s", document, want, w.Code, w.Body)
			}
		}
		for _, host := range []string{"acme", "acme.example", "other.example"} {
			if w := send(s, httptest.NewRequest("GET", "/provider/"+host+"/"+document, nil)); w.Code != 404 {
				t.Errorf("%s of %s: %d %s", document, host, w.Code, w.Body)
			}
		}
	}
	s.admin("DELETE", "/admin/tenants/acme", "", 200)
	for _, document := range []string{"ramp.json", "access-policy.json", "rsl.txt"} {
		if w := send(s, httptest.NewRequest("GET", "/provider/www.acme.example/"+document, nil)); w.Code != 404 {
			t.Errorf("%s of a tenant that was removed: %d", document, w.Code)
		}
	}
}

// TestTooManyWrongKeysAreLimitedAtTheOperatorsDoors holds that an address that guesses is told to
// wait, there as elsewhere.
func TestTooManyWrongKeysAreLimitedAtTheOperatorsDoors(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "ramp: {enabled: true, domain: exchange.example.com}\nlimits: {rate: {failures: 2/1m}}\n")
	for i, want := range []int{401, 401, 429, 429} {
		if w := send(s, posted("GET", "/admin/tenants", "", identity.KeyHeader, "fd_wrong_wrong")); w.Code != want {
			t.Errorf("the guess %d is answered with %d, want %d: %s", i+1, w.Code, want, w.Body)
		}
	}
}
