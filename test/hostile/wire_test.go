package hostile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for the server to answer or to close, far beyond the short
// timeouts that the server is configured with here.
const patience = 20 * time.Second

// conn is a raw connection to the server.
type conn struct {
	net.Conn
	t      *testing.T
	answer *bufio.Reader
}

func dial(t *testing.T, addr string) *conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &conn{Conn: c, t: t, answer: bufio.NewReader(c)}
}

// say writes what may be refused half-way: that the server stops listening is no fault.
func (c *conn) say(parts ...string) bool {
	for _, part := range parts {
		if _, err := io.WriteString(c, part); err != nil {
			return false
		}
	}
	return true
}

// reply is an answer on a raw connection.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// hear reads one answer; nil when the server closed the connection without one. Silence until
// patience ends is a failure of the test.
func (c *conn) hear() *reply {
	c.t.Helper()
	response, err := http.ReadResponse(c.answer, nil)
	if err != nil {
		c.mustBeClosed(err)
		return nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.mustBeClosed(err)
	}
	return &reply{status: response.StatusCode, header: response.Header, body: body}
}

// mustBeClosed fails the test when a read ended because the server kept silent.
func (c *conn) mustBeClosed(err error) {
	c.t.Helper()
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		c.t.Errorf("the server neither answered nor closed the connection within %s", patience)
	}
}

// closes holds that the server ends the connection.
func (c *conn) closes() {
	c.t.Helper()
	if _, err := io.Copy(io.Discard, c.answer); err != nil {
		c.mustBeClosed(err)
	}
}

// isFailure holds that an answer is a status with the failure envelope.
func (r *reply) isFailure(t *testing.T, status int, code string) {
	t.Helper()
	if r == nil {
		t.Errorf("the connection was closed without an answer, want status %d with code %s", status, code)
		return
	}
	var body struct {
		Meta struct {
			ResponseType string `json:"response_type"`
		} `json:"_meta"`
		Error struct{ Code, Message string } `json:"error"`
	}
	err := json.Unmarshal(r.body, &body)
	switch {
	case r.status != status:
		t.Errorf("status %d, want %d: %.300q", r.status, status, r.body)
	case err != nil:
		t.Errorf("the body is no JSON: %v: %.300q", err, r.body)
	case body.Meta.ResponseType != "failure" || body.Error.Code != code || body.Error.Message == "":
		t.Errorf("the body is no failure with code %s and a message: %.300q", code, r.body)
	}
}

// post forms a request with a body of JSON, and more header lines.
func post(body string, headers ...string) string {
	head := fmt.Sprintf("POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n", len(body))
	for _, line := range headers {
		head += line + "\r\n"
	}
	return head + "\r\n" + body
}

// supper is a question that the content answers.
const supper = `{"query": {"text": "supper", "limit": 100}}`

// healthy holds that the server still does its work.
//
// A question that takes the server longer than its short timeouts, as on a busy machine, is let go
// like any other, and asked again.
func healthy(t *testing.T, addr string) {
	t.Helper()
	c := dial(t, addr)
	c.say("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if r := c.hear(); r == nil || r.status != http.StatusOK {
		t.Errorf("/healthz after the attack: %+v", r)
	}
	var r *reply
	for began := time.Now(); r == nil && time.Since(began) < patience; {
		c.say(post(supper))
		if r = c.hear(); r == nil {
			c = dial(t, addr)
		}
	}
	if r == nil || r.status != http.StatusOK || !strings.Contains(string(r.body), `"results":[`) {
		t.Errorf("a question after the attack: %+v", r)
	}
}
