package edge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile are requests that want to get past the gate. None may bring the origin a request for what
// is kept back, nor a request that the gate has not judged by itself. In them HOST is the site, and
// AGENT the line with which an agent names itself.
var hostile = []struct {
	name, raw string
	// status is what is answered first; 0 where the connection may be closed without an answer.
	status []int
	// passes are the targets that the origin may get.
	passes []string
}{
	// Two requests in one.
	{"length and chunks", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"0\r\n\r\nGET /premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{200, 400}, []string{"/a"}},
	{"chunks and length", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\nContent-Length: 60\r\n\r\n" +
		"0\r\n\r\nGET /premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{200, 400}, []string{"/a"}},
	{"two lengths", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length: 0\r\nContent-Length: 50\r\n\r\n" +
		"GET /premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"two lengths in one", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length: 0, 50\r\n\r\nGET /premium/x HTTP/1.1\r\n" +
		"HOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a length with a sign", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length: +5\r\n\r\nabcde", []int{400}, nil},
	{"a negative length", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length: -1\r\n\r\n", []int{400}, nil},
	{"a length in hex", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length: 0x5\r\n\r\nabcde", []int{400}, nil},
	{"a length beyond all", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length: 99999999999999999999\r\n\r\n",
		[]int{400}, nil},
	{"a length with a blank before the colon", "POST /a HTTP/1.1\r\nHOST\r\nContent-Length : 5\r\n\r\nabcde",
		[]int{400}, nil},
	{"chunks with a blank before the colon", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
		[]int{400}, nil},
	{"xchunked", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc",
		[]int{400, 501}, nil},
	{"chunked twice", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"0\r\n\r\n", []int{400, 501}, nil},
	{"chunked and identity", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		[]int{400, 501}, nil},
	{"gzip and chunked", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		[]int{400, 501}, nil},
	{"chunked with a vertical tab", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
		[]int{400, 501}, nil},
	{"chunked with a control character", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\x00\r\n\r\n0\r\n\r\n",
		[]int{400, 501}, nil},
	{"chunks on a folded line", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
		[]int{200, 400, 501}, []string{"/a"}},
	{"chunks in HTTP/1.0", "POST /a HTTP/1.0\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
		"GET /premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{200, 400, 501}, []string{"/a"}},
	{"a chunk's size with a sign", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n",
		[]int{400, 502, 0}, []string{"/a"}},
	{"a chunk's size beyond all", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"fffffffffffffffff\r\na\r\n0\r\n\r\n", []int{400, 502, 0}, []string{"/a"}},
	{"a chunk without its end", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXX0\r\n\r\n" +
		"GET /premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400, 502, 0}, []string{"/a"}},
	{"a request in a chunk's extension", "POST /a HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n1;x=\n" +
		"GET /premium/x HTTP/1.1\r\na\r\n0\r\n\r\n", []int{200, 400, 502, 0}, []string{"/a"}},
	{"a request as a body of GET", "GET /a HTTP/1.1\r\nHOST\r\nContent-Length: 66\r\n\r\nGET /premium/x HTTP/1.1\r\n" +
		"HOST\r\nAGENT\r\n\r\n                    ", []int{200, 0}, []string{"/a"}},
	{"a second request, as it may come",
		"GET /a HTTP/1.1\r\nHOST\r\n\r\nGET /premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{200}, []string{"/a"}},
	{"a head that ends in line feeds", "GET /a HTTP/1.1\nHOST\n\nGET /premium/x HTTP/1.1\nHOST\nAGENT\n\n",
		[]int{200, 400}, []string{"/a"}},
	{"a carriage return in a header", "GET /a HTTP/1.1\r\nHOST\r\nX: a\rGET /premium/x HTTP/1.1\r\n\r\n",
		[]int{400}, nil},
	{"a zero in a header", "GET /a HTTP/1.1\r\nHOST\r\nX: a\x00b\r\n\r\n", []int{400}, nil},
	{"a header without a name", "GET /a HTTP/1.1\r\nHOST\r\n: a\r\n\r\n", []int{400}, nil},
	{"a header with a blank in its name", "GET /a HTTP/1.1\r\nHOST\r\nX Y: a\r\n\r\n", []int{400}, nil},
	{"a blank before the first header", "GET /a HTTP/1.1\r\n HOST\r\n\r\n", []int{400}, nil},
	{"a line without a colon", "GET /a HTTP/1.1\r\nHOST\r\nabc\r\n\r\n", []int{400}, nil},
	{"a method with a blank", "GE T /a HTTP/1.1\r\nHOST\r\n\r\n", []int{400}, nil},
	{"a version that there is not", "GET /a HTTP/9.9\r\nHOST\r\n\r\n", []int{400, 505}, nil},
	{"no version", "GET /premium/x\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"an upgrade to h2c", "GET /a HTTP/1.1\r\nHOST\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
		"HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n", []int{200}, []string{"/a"}},
	{"an upgrade to a tunnel", "GET /a HTTP/1.1\r\nHOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\nGET /premium/x HTTP/1.1\r\n" +
		"HOST\r\nAGENT\r\n\r\n", []int{501}, nil},
	{"the gate's own headers as a hop's",
		"GET /premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\nConnection: User-Agent, Host\r\n\r\n", []int{403}, nil},

	// Paths that are read in two ways.
	{"up", "GET /news/../premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"up, escaped", "GET /news/%2e%2e/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"up, escaped in part", "GET /news/.%2E/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"up, escaped twice", "GET /news/%252e%252e/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"up, with a parameter", "GET /news/..;/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"up, with an escaped parameter", "GET /news/..%3B/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"up at the end", "GET /premium/x/.. HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a step on the spot", "GET /./premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"two slashes", "GET //premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"two slashes within", "GET /premium//x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"an escaped slash", "GET /premium%2Fx HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a slash escaped twice", "GET /premium%252Fx HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a backslash", "GET /news\\..\\premium\\x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"an escaped backslash", "GET /premium%5Cx HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"an escaped letter", "GET /%70remium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a letter escaped twice", "GET /%2570remium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"capitals", "GET /PREMIUM/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a parameter of a segment", "GET /premium;a=b/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a dot at the end of a segment", "GET /premium./x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a blank at the end of a segment", "GET /premium%20/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a segment that is a parameter", "GET /;x/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a segment that is an escaped parameter", "GET /%3Bx/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n",
		[]int{403}, nil},
	{"a segment that is a blank", "GET /%20/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a segment of dots", "GET /.../premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"an escaped question mark", "GET /premium%3F/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"an escaped hash", "GET /premium%23/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a question mark escaped twice", "GET /premium%253Fx HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"a stream of a file", "GET /premium::$INDEX_ALLOCATION/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"the path in a trailer", "POST /news HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n" +
		"Trailer: X-Original-Url\r\n\r\n0\r\nX-Original-Url: /premium/x\r\n\r\n", []int{200}, []string{"/news"}},
	{"the usual port", "GET /premium/x HTTP/1.1\r\nHost: www.example.com:443\r\nAGENT\r\n\r\n", []int{403}, nil},
	{"another port", "GET /a HTTP/1.1\r\nHost: www.example.com:8443\r\n\r\n", []int{421}, nil},
	{"a host with a zone", "GET /a HTTP/1.1\r\nHost: [fe80::1%25lo]\r\n\r\n", []int{400, 421}, nil},
	{"a second line of the user agent", "GET /premium/x HTTP/1.1\r\nHOST\r\nUser-Agent: a\r\n b GPTBot\r\n\r\n",
		[]int{400, 403}, nil},
	{"the site's address with a user of its own",
		"GET http://user:secret@www.example.com/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400, 403}, nil},
	{"the site's address without a path", "GET http://www.example.com?/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n",
		[]int{200, 400}, []string{"/?/premium/x"}},
	{"HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET /premium/x", []int{0, 400}, nil},
	{"up, with a blank", "GET /news/..%20/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a zero in the path", "GET /news%00/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a line feed in the path", "GET /news%0a/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"UTF-8 that is too long", "GET /news/%c0%ae%c0%ae/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"another encoding's escape", "GET /%u0070remium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"half an escape", "GET /premium%2/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"bytes that are no ASCII", "GET /premi\xc3\xbcm/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a fragment", "GET /news#/../premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"the path in a header", "GET /news HTTP/1.1\r\nHOST\r\nAGENT\r\nX-Original-URL: /premium/x\r\n" +
		"X-Rewrite-URL: /premium/x\r\nX_Original_Url: /premium/x\r\n\r\n", []int{200}, []string{"/news"}},
	{"the method in a header", "POST /news HTTP/1.1\r\nHOST\r\nX-HTTP-Method-Override: DELETE\r\n" +
		"Content-Length: 0\r\n\r\n", []int{200}, []string{"/news"}},

	// Ways to somewhere else.
	{"another host", "GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n", []int{421}, nil},
	{"another host's address", "GET http://evil.example/a HTTP/1.1\r\nHOST\r\n\r\n", []int{421}, nil},
	{"the site's address, another Host",
		"GET http://www.example.com/premium/x HTTP/1.1\r\nHost: evil.example\r\nAGENT\r\n\r\n", []int{403, 400}, nil},
	{"the site's address in full", "GET http://www.example.com/a HTTP/1.1\r\nHOST\r\n\r\n", []int{200}, []string{"/a"}},
	{"the site's address with a user", "GET http://www.example.com@evil.example/a HTTP/1.1\r\nHOST\r\n\r\n",
		[]int{400, 421}, nil},
	{"another scheme", "GET ftp://www.example.com/premium/x HTTP/1.1\r\nHOST\r\nAGENT\r\n\r\n", []int{400}, nil},
	{"a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", []int{400, 421}, nil},
	{"a tunnel to the site", "CONNECT www.example.com HTTP/1.1\r\nHOST\r\n\r\n", []int{400, 405}, nil},
	{"the server as a whole", "OPTIONS * HTTP/1.1\r\nHOST\r\n\r\n", []int{200, 400}, nil},
	{"TRACE", "TRACE /a HTTP/1.1\r\nHOST\r\n\r\n", []int{400, 405}, nil},
	{"two hosts", "GET /a HTTP/1.1\r\nHOST\r\nHost: evil.example\r\n\r\n", []int{400}, nil},
	{"no host", "GET /a HTTP/1.1\r\n\r\n", []int{400}, nil},
	{"a host with a path", "GET /a HTTP/1.1\r\nHost: www.example.com/premium\r\n\r\n", []int{400, 421}, nil},
	{"a host with a user", "GET /a HTTP/1.1\r\nHost: evil@www.example.com\r\n\r\n", []int{400, 421}, nil},
	{"a host with a blank", "GET /a HTTP/1.1\r\nHost: www.example.com evil.example\r\n\r\n", []int{400}, nil},
	{"a host with a dot at the end", "GET /premium/x HTTP/1.1\r\nHost: www.example.com.\r\nAGENT\r\n\r\n",
		[]int{421}, nil},
	{"another host in a header", "GET /a HTTP/1.1\r\nHOST\r\nX-Forwarded-Host: evil.example\r\n" +
		"Forwarded: host=evil.example\r\nX-Host: evil.example\r\n\r\n", []int{200}, []string{"/a"}},
	{"an address that begins with a host", "GET //evil.example/a HTTP/1.1\r\nHOST\r\n\r\n", []int{200},
		[]string{"//evil.example/a"}},
}

func TestNothingGetsPastTheGate(t *testing.T) {
	t.Parallel()
	if len(hostile) < 60 {
		t.Fatalf("only %d cases", len(hostile))
	}
	w := start(t, "", "")
	for _, c := range hostile {
		raw := strings.ReplaceAll(strings.ReplaceAll(c.raw, "HOST", "Host: "+domain), "AGENT", "User-Agent: "+robot)
		conn, err := net.Dial("tcp", w.Addr)
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(patience))
		io.WriteString(conn, raw)
		in := bufio.NewReader(conn)
		method, _, _ := strings.Cut(raw, " ")
		first := hear(t, in, method)
		if !slices.Contains(c.status, first.status) {
			t.Errorf("%s: answered with %d, want one of %v: %s", c.name, first.status, c.status, first.body)
		}
		io.WriteString(conn, "GET /end HTTP/1.1\r\nHost: "+domain+"\r\nConnection: close\r\n\r\n")
		rest, _ := io.ReadAll(in) // also what comes of a second request
		conn.Close()
		if strings.Contains(first.body+string(rest), text("/premium/x")) {
			t.Errorf("%s: the client got what is kept back", c.name)
		}
		var passed []string
		for _, got := range w.origin.got() {
			if got.target == "/end" {
				continue
			}
			passed = append(passed, got.target)
			if got.host != domain || got.header.Get("X-Forwarded-Host") != domain || got.header.Get("X-Original-Url")+
				got.header.Get("X-Rewrite-Url")+got.header.Get("X_original_url") != "" ||
				got.header.Get("X-Http-Method-Override")+got.header.Get("X-Host")+got.header.Get("Forwarded")+
					got.header.Get("Upgrade") != "" || got.header.Get("X-Forwarded-For") != "127.0.0.1" {
				t.Errorf("%s: the origin got %+v", c.name, got)
			}
		}
		if fmt.Sprint(passed) != fmt.Sprint(c.passes) && len(passed) > 0 {
			t.Errorf("%s: the origin got requests for %q, may have those for %q", c.name, passed, c.passes)
		}
		if len(c.passes) > 0 && len(c.status) == 1 && len(passed) == 0 {
			t.Errorf("%s: nothing came to the origin", c.name)
		}
	}
	if r := w.get(t, "/after", person); r.status != 200 {
		t.Errorf("afterwards: %d", r.status)
	}
}
