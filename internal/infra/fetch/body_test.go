package fetch_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
)

// scripted is a peer that reads the head of each request and then says what it likes, until the
// other side hangs up.
func scripted(t *testing.T, say func(w io.Writer)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					say(conn)
				}
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return "http://" + listener.Addr().String() + "/"
}

// forever says a text again and again until nobody listens.
func forever(w io.Writer, text string) {
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

// until hangs until the other side hangs up, as a server does that says nothing more.
func until(w io.Writer) {
	io.Copy(io.Discard, w.(net.Conn))
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

const (
	okHead   = "HTTP/1.1 200 OK\r\n"
	gzipHead = okHead + "Content-Encoding: gzip\r\n"
)

// answers are what servers say that mean no good, or know no better. Bodies may have 64 KiB.
var answers = []struct {
	what string
	say  func(w io.Writer)
	want fetch.Reason
	body string // when it is good
}{
	{"a body of the largest size", say(okHead + "Content-Length: 65536\r\n\r\n" + strings.Repeat("a", 65536)), good,
		strings.Repeat("a", 65536)},
	{"a body one byte larger", say(okHead + "Content-Length: 65537\r\n\r\n" + strings.Repeat("a", 65537)),
		fetch.TooLarge, ""},
	{"a body that claims to be huge", say(okHead + "Content-Length: 9000000000000\r\n\r\nabc"), fetch.Undecodable, ""},
	{"an endless body", func(w io.Writer) {
		io.WriteString(w, okHead+"\r\n")
		forever(w, strings.Repeat("a", 4096))
	}, fetch.TooLarge, ""},
	{"an endless body in pieces", func(w io.Writer) {
		io.WriteString(w, okHead+"Transfer-Encoding: chunked\r\n\r\n")
		forever(w, "1\r\na\r\n")
	}, fetch.TooLarge, ""},
	{"a packed body", say(gzipHead + "\r\n" + gzipped("hello")), good, "hello"},
	{"a packed body that unpacks to much", say(gzipHead + "\r\n" + gzipped(strings.Repeat("\x00", 8<<20))),
		fetch.TooLarge, ""},
	{"a packed body of the largest size", say(gzipHead + "\r\n" + gzipped(strings.Repeat("a", 65536))), good,
		strings.Repeat("a", 65536)},
	{"a body packed twice", say(okHead + "Content-Encoding: gzip, gzip\r\n\r\n" + gzipped(gzipped("hello"))),
		fetch.Undecodable, ""},
	{"endless packages of nothing", func(w io.Writer) {
		io.WriteString(w, gzipHead+"\r\n")
		forever(w, gzipped(""))
	}, fetch.TooLarge, ""},
	{"a packed body that breaks off", say(gzipHead + "\r\n" + gzipped("hello hello hello")[:20]), fetch.Undecodable,
		""},
	{"a packed body whose sum is wrong",
		say(gzipHead + "\r\n" + strings.Replace(gzipped("hello"), "\x86\xa6\x106", "\x86\xa6\x107", 1)),
		fetch.Undecodable, ""},
	{"a body that is not packed as it says", say(gzipHead + "\r\nhello"), fetch.Undecodable, ""},
	{"nothing, packed", say(gzipHead + "Content-Length: 0\r\n\r\n"), good, ""},
	{"a body packed in a way that nobody asked for", say(okHead + "Content-Encoding: br\r\n\r\nabc"), fetch.Undecodable,
		""},
	{"a body that is packed as itself", say(okHead + "Content-Encoding: identity\r\n\r\nabc"), good, "abc"},
	{"a body that breaks off", say(okHead + "Content-Length: 10\r\n\r\nabc"), fetch.Undecodable, ""},
	{"two lengths", say(okHead + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), fetch.Unreachable, ""},
	{"a negative length", say(okHead + "Content-Length: -1\r\n\r\nabcd"), fetch.Unreachable, ""},
	{"a flood of headers", func(w io.Writer) {
		io.WriteString(w, okHead)
		forever(w, "X-Flood: aaaaaaaaaaaaaaaa\r\n")
	}, fetch.TooLarge, ""},
	{"one endless header", func(w io.Writer) {
		io.WriteString(w, okHead+"X-Flood: ")
		forever(w, "aaaaaaaaaaaaaaaa")
	}, fetch.TooLarge, ""},
	{"an endless status line", func(w io.Writer) { forever(w, "HTTP/1.1 200 OK") }, fetch.TooLarge, ""},
	{"a flood of interim answers", func(w io.Writer) {
		forever(w, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
	}, fetch.TooLarge, ""},
	{"another protocol", say("220 mail.example ESMTP\r\n"), fetch.Unreachable, ""},
	{"a status that is no number", say("HTTP/1.1 2OO OK\r\n\r\nabc"), fetch.Unreachable, ""},
	{"nothing at all", say(""), fetch.Unreachable, ""},
	{"a server that stays silent", until, fetch.TimedOut, ""},
	{"a head that never ends", func(w io.Writer) {
		io.WriteString(w, okHead+"X-Slow: ")
		until(w)
	}, fetch.TimedOut, ""},
	{"a body that never comes", func(w io.Writer) {
		io.WriteString(w, okHead+"Content-Length: 3\r\n\r\n")
		until(w)
	}, fetch.TimedOut, ""},
	{"a packed body that never comes", func(w io.Writer) {
		io.WriteString(w, gzipHead+"\r\n"+gzipped("abc")[:12])
		until(w)
	}, fetch.TimedOut, ""},
	{"a redirect whose body never ends", func(w io.Writer) {
		io.WriteString(w, "HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\n\r\n")
		forever(w, "a")
	}, fetch.Refused, ""},
	{"a redirect with a control character in it",
		say("HTTP/1.1 302 Found\r\nLocation: /a\x0bb\r\nContent-Length: 0\r\n\r\n"), fetch.Unreachable, ""},
	{"a redirect with a tab in it", say("HTTP/1.1 302 Found\r\nLocation: /a\tb\r\nContent-Length: 0\r\n\r\n"),
		fetch.Refused, ""},
}

// say says one text and hangs up.
func say(text string) func(io.Writer) {
	return func(w io.Writer) { io.WriteString(w, text) }
}

func TestNoAnswerTakesMoreThanItMay(t *testing.T) {
	for _, answer := range answers {
		t.Run(answer.what, func(t *testing.T) {
			t.Parallel()
			options := fetch.Options{MaxBytes: 64 << 10, Timeout: 30 * time.Second}
			if answer.want == fetch.TimedOut {
				options.Timeout = 100 * time.Millisecond
			}
			response, err := newFetcher(t, options).Get(t.Context(),
				fetch.Request{URL: scripted(t, answer.say), Own: true})
			switch {
			case answer.want != good && reasonOf(err) != answer.want:
				t.Errorf("it should be %s: %v", answer.want, err)
			case answer.want == good && err != nil:
				t.Errorf("it should be taken: %v", err)
			case answer.want == good && string(response.Body) != answer.body:
				t.Errorf("the body is %q", response.Body)
			}
		})
	}
}

func TestABodyMayBeCutOnRequest(t *testing.T) {
	t.Parallel()
	server := peer(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("0123456789", 10)) })
	request := fetch.Request{URL: server.URL, Own: true, MaxBytes: 25, Truncate: true}
	response, err := newFetcher(t, fetch.Options{}).Get(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if string(response.Body) != "0123456789012345678901234" {
		t.Errorf("the body is %q", response.Body)
	}
	request.MaxBytes = 100
	if response, err = newFetcher(t, fetch.Options{}).Get(t.Context(), request); err != nil ||
		len(response.Body) != 100 {
		t.Errorf("a body that fits is whole: %v", err)
	}
}
