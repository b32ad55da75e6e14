package app

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"frontdesk/internal/identity"
)

// call calls a method of mcp.Settings, as the stateless revision has it.
func call(id int, method, params string) *http.Request {
	r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)))
	return with(calling("192.0.2.1:1", r), "Content-Type", "application/json", "Accept",
		"application/json, text/event-stream")
}

// toolCall asks a question by the tool.
func toolCall(id int) *http.Request {
	return call(id, "tools/call", `{"name":"ask","arguments":{"query":{"text":"soup"}}}`)
}

// toolResult reads the result of a call, whether it came as JSON or as an event.
func toolResult(t *testing.T, w *httptest.ResponseRecorder) (result struct {
	IsError    bool
	Structured struct {
		Error struct{ Code, Message string }
	} `json:"structuredContent"`
}) {
	t.Helper()
	body := w.Body.String()
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(data, `"result"`) {
			body = data
		}
	}
	var message struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(body), &message); err != nil || message.Result == nil {
		t.Fatalf("%d, no result: %v: %s", w.Code, err, w.Body)
	}
	if err := json.Unmarshal(message.Result, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAgentsAreToldOfTheLimitByATool(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s, _ := open(t, "{url: 'http://localhost', limits: {rate: {address: 2/1m}}}", c.set)
	for i := range 2 {
		if w := send(s, toolCall(i)); w.Code != 200 || toolResult(t, w).IsError ||
			w.Header().Get("RateLimit-Remaining") != fmt.Sprint(1-i) {
			t.Fatalf("call %d: %d %v %s", i, w.Code, w.Header(), w.Body)
		}
	}
	w := send(s, toolCall(3))
	if result := toolResult(t, w); w.Code != 200 || !result.IsError || result.Structured.Error.Code != "RATE_LIMITED" ||
		!strings.Contains(result.Structured.Error.Message, "30 seconds") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := send(s, calling("192.0.2.1:2", asking("soup"))); w.Code != 429 {
		t.Errorf("the doors do not count together: %d %s", w.Code, w.Body)
	}
	// What is told in the protocol's own words has an end, too.
	send(s, toolCall(4))
	if w := send(s, toolCall(5)); w.Code != 429 || w.Header().Get("Retry-After") != "30" ||
		read(t, w).Error.Code != "RATE_LIMITED" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	c.advance(30 * time.Second)
	if w := send(s, toolCall(6)); w.Code != 200 || toolResult(t, w).IsError {
		t.Errorf("after Retry-After: %d %s", w.Code, w.Body)
	}
}

func TestAgentsNeedACredentialWhereTheDoorIsClosed(t *testing.T) {
	t.Parallel()
	issuer, token, _ := authority(t)
	s, _ := open(t, `{url: "http://localhost", auth: {required: [ask, mcp], oauth: {issuer: "`+issuer+`", jwks: "`+issuer+`/keys"}}}`)
	key, _ := makeKey(t, s, identity.Key{Name: "Partner", Scopes: []string{"mcp"}})
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"nothing":       {nil, 401},
		"a wrong token": {[]string{"Authorization", "Bearer x.y.z"}, 401},
		"a token":       {[]string{"Authorization", "Bearer " + token("http://localhost/mcp", "")}, 200},
		"a key":         {[]string{"X-API-Key", key}, 200},
	} {
		for _, request := range []*http.Request{toolCall(1), call(2, "tools/list", "{}")} {
			w := send(s, with(request, c.headers...))
			if w.Code != c.status {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
			const metadata = `resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"`
			if c.status == 401 && (read(t, w).Error.Code != "UNAUTHORIZED" ||
				!strings.Contains(w.Header().Get("WWW-Authenticate"), metadata)) {
				t.Errorf("%s: %v %s", name, w.Header(), w.Body)
			}
		}
	}
	if w := send(s, with(asking("soup"), "X-API-Key", key)); w.Code != 403 {
		t.Errorf("the key of agents at another door: %d", w.Code)
	}
}

// TestOfficialClientFindsTheAuthorizationServer has the MCP SDK's own reader follow a refusal over
// the network, and a token that is got for the resource it found open the door.
func TestOfficialClientFindsTheAuthorizationServer(t *testing.T) {
	t.Parallel()
	issuer, token, _ := authority(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	desk := "http://" + listener.Addr().String() + "/desk"
	s, _ := open(t, `{url: "`+desk+`", auth: {required: [ask, mcp], oauth: {issuer: "`+issuer+`", jwks: "`+issuer+`/keys", scopes: [desk.use]}}}`, func(o *Options) { o.Listener = listener })
	run(t, s)
	for _, door := range []string{"/mcp", "/ask"} {
		response, err := http.Post(desk+door, "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		challenges, err := oauthex.ParseWWWAuthenticate(response.Header.Values("WWW-Authenticate"))
		if err != nil || len(challenges) != 1 || response.StatusCode != 401 || challenges[0].Scheme != "bearer" ||
			challenges[0].Params["scope"] != "desk.use" {
			t.Fatalf("%d %v %v", response.StatusCode, challenges, err)
		}
		found, err := oauthex.GetProtectedResourceMetadata(t.Context(), challenges[0].Params["resource_metadata"],
			desk+door, http.DefaultClient)
		if err != nil || len(found.AuthorizationServers) != 1 || found.AuthorizationServers[0] != issuer ||
			strings.Join(found.ScopesSupported, " ") != "desk.use" {
			t.Fatalf("%+v, %v", found, err)
		}
		request, err := http.NewRequestWithContext(t.Context(), "POST", desk+door, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping","query":{"text":"soup"}}`))
		if err != nil {
			t.Fatal(err)
		}
		with(request, "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
			"Authorization", "Bearer "+token(found.Resource, "desk.use"))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 {
			t.Errorf("%s with a token for %s: %s", door, found.Resource, answer.Status)
		}
	}
}

// TestToolsOfTheExchangeTellOfTheLimit holds that who asks too often from one address is told so by
// these tools, too, and sold nothing.
func TestToolsOfTheExchangeTellOfTheLimit(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\nmcp: {hosts: [localhost]}\nlimits: {rate: {address: 1/1m}}\n"+soldSoup)
	if object, failed := m.tools("ramp_register", `{"requester_id":"bot","domain":"`+m.domain()+`"}`); failed {
		t.Fatalf("the first: %s", object)
	}
	for tool, arguments := range map[string]string{
		"ramp_discover": `{"id":"q","requester":` + m.requester() + `}`, "ramp_register": `{"requester_id":"bot","domain":"` + m.domain() + `"}`,
	} {
		object, failed := m.tools(tool, arguments)
		if !failed || !strings.Contains(object, `"code":"resource_exhausted"`) || !strings.Contains(object, `"retry_after":60`) {
			t.Errorf("%s: %s", tool, object)
		}
		m.clock.Advance(time.Minute)
		if object, failed := m.tools(tool, arguments); failed {
			t.Errorf("%s, after a minute: %s", tool, object)
		}
	}
}

// TestOtherMethodsAreRefusedInJSONRPC holds that the whole server, too, refuses what is no POST in
// the words of the Model Context Protocol.
func TestOtherMethodsAreRefusedInJSONRPC(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		r := httptest.NewRequest(method, "/mcp", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		if w := send(s, r); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" ||
			!strings.Contains(w.Body.String(), `"code":-32600`) {
			t.Errorf("%s: %d %v %s", method, w.Code, w.Header(), w.Body)
		}
	}
}
