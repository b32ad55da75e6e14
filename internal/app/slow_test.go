package app

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestBodyThatDoesNotComeInTimeGetsAnAnswer sends half of a body and waits: the client is told, and
// the log does not say that it left.
func TestBodyThatDoesNotComeInTimeGetsAnAnswer(t *testing.T) {
	t.Parallel()
	s, log := open(t, "limits: {header_timeout: 1s, read_timeout: 1500ms}\nlog: {level: debug}\n"+
		"ramp: {enabled: true, domain: desk.example}\n")
	address, stop := run(t, s)
	const rest = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	head, agent, buyer := "POST /ask"+rest, "POST /mcp"+rest, "POST /ramp.v1.ExchangeService/ReportUsage"+rest
	var all sync.WaitGroup
	for name, request := range map[string]string{
		"a length":         head + "Content-Length: 100\r\n\r\n{\"query\":",
		"a great length":   head + "Content-Length: 100000\r\n\r\n{\"query\":",
		"chunks":           head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"que\r\n",
		"nothing at all":   head + "Content-Length: 100\r\n\r\n",
		"an agent":         agent + "Content-Length: 100\r\n\r\n{\"jsonrpc\":",
		"an agent's chunk": agent + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\n",
		"a buyer":          buyer + "Content-Length: 100\r\n\r\n{\"ver\":",
		"a waiting client": head + "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
	} {
		all.Go(func() { // each waits until the time is over
			connection, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Error(err)
				return
			}
			defer connection.Close()
			io.WriteString(connection, request)
			reader := bufio.NewReader(connection)
			response, err := http.ReadResponse(reader, nil)
			if err == nil && response.StatusCode == http.StatusContinue {
				response, err = http.ReadResponse(reader, nil)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			body, _ := io.ReadAll(response.Body)
			if response.StatusCode != http.StatusRequestTimeout || !response.Close ||
				!strings.Contains(string(body), "the body did not come in time") {
				t.Errorf("%s: %s, close %v: %s", name, response.Status, response.Close, body)
			}
		})
	}
	all.Wait()
	stop()
	if !strings.Contains(log.String(), `"status":408`) || strings.Contains(log.String(), `"status":499`) {
		t.Errorf("the log does not say 408, or says that a client left:\n%s", log)
	}
}

func TestBodyThatDoesNotComeInTimeGetsAnAnswerOverHTTP2(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {header_timeout: 1s, read_timeout: 1500ms}\n")
	address, _ := run(t, s)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	body, pipe := io.Pipe()
	defer pipe.Close()
	go io.WriteString(pipe, `{"query":`)
	request, err := http.NewRequestWithContext(t.Context(), "POST", address+"/ask", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("%s over %s", response.Status, response.Proto)
	}
}

// TestClientThatLeavesIsNotCalledSlow is the opposite.
func TestClientThatLeavesIsNotCalledSlow(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	address, stop := run(t, s)
	connection, err := new(net.Dialer).DialContext(context.Background(), "tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(connection,
		"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	connection.Close()
	stop()
	if strings.Contains(log.String(), `"status":408`) {
		t.Errorf("a client that left is called slow:\n%s", log)
	}
}

// TestBodyThatIsAnnouncedTooLargeIsNotWaitedFor sends none of it.
func TestBodyThatIsAnnouncedTooLargeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "ramp: {enabled: true, domain: desk.example}\n")
	address, _ := run(t, s)
	for _, path := range []string{"/ask", "/mcp", "/ramp.v1.ExchangeService/DiscoverResources"} {
		connection, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		io.WriteString(connection, "POST "+path+
			" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if response.StatusCode != http.StatusRequestEntityTooLarge || !response.Close {
			t.Errorf("%s: %s, close %v", path, response.Status, response.Close)
		}
	}
}
