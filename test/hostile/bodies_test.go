package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestHostileBodiesGetAClearError sends one request each, and reads one answer.
func TestHostileBodiesGetAClearError(t *testing.T) {
	t.Parallel()
	s := start(t)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		z.Write(make([]byte, 1<<20))
	}
	z.Close()

	nested := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	for name, tc := range map[string]struct {
		request string
		status  int
		code    string
	}{
		"arrays 10,000 deep":             {post(nested("[", "", "]", 10_000)), 400, "INVALID_QUERY"},
		"arrays 400,000 deep":            {post(nested("[", "", "]", 400_000)), 400, "INVALID_QUERY"},
		"arrays opened and never closed": {post(nested("[", "", "", 500_000)), 400, "INVALID_QUERY"},
		"objects 10,000 deep":            {post(nested(`{"a":`, "1", "}", 10_000)), 400, "INVALID_QUERY"},
		"nesting inside a filter":        {post(`{"query":{"text":"supper","price":` + nested("[", "", "]", 10_000) + `}}`), 400, "INVALID_QUERY"},
		"nesting inside the session":     {post(`{"query":{"text":"supper"},"meta":{"session_context":` + nested(`{"a":`, "{}", "}", 10_000) + `}}`), 400, "INVALID_QUERY"},
		"invalid UTF-8 in the text":      {post("{\"query\":{\"text\":\"sup\xff\xfeper\"}}"), 400, "INVALID_QUERY"},
		"an overlong encoding":           {post("{\"query\":{\"text\":\"\xc0\xaf\"}}"), 400, "INVALID_QUERY"},
		"half a surrogate pair":          {post(`{"query":{"text":"\ud800"}}`), 400, "INVALID_QUERY"},
		"a member twice":                 {post(`{"query":{"text":"supper"},"query":{"text":"other"}}`), 400, "INVALID_QUERY"},
		"a member twice, escaped":        {post(`{"query":{"text":"supper","te\u0078t":"other"}}`), 400, "INVALID_QUERY"},
		"a number beyond every float":    {post(`{"query":{"text":"supper","limit":1e999}}`), 400, "INVALID_QUERY"},
		"a limit below zero":             {post(`{"query":{"text":"supper","limit":-5}}`), 400, "INVALID_QUERY"},
		"a limit without sense":          {post(`{"query":{"text":"supper","limit":999999999999}}`), 400, "INVALID_QUERY"},
		"a text of a megabyte nearly":    {post(`{"query":{"text":"` + strings.Repeat("a", 1_000_000) + `"}}`), 200, "TOKEN_LIMIT"},
		"a text of 100,000 words":        {post(`{"query":{"text":"` + strings.Repeat("a ", 100_000) + `"}}`), 200, "TOKEN_LIMIT"},
		"nul bytes for a body":           {post(strings.Repeat("\x00", 1000)), 400, "INVALID_QUERY"},
		"a byte order mark":              {post("\xef\xbb\xbf" + supper), 400, "INVALID_QUERY"},
		"a second document":              {post(supper + supper), 400, "INVALID_QUERY"},
		"a body compressed": {
			post(bomb.String(), "Content-Encoding: gzip"), 415, "UNSUPPORTED_MEDIA_TYPE",
		},
		"a body in an unknown coding": {post(supper, "Content-Encoding: br"), 415, "UNSUPPORTED_MEDIA_TYPE"},
		"a body of another type": {
			strings.Replace(post(supper), "application/json", "text/plain", 1), 415, "UNSUPPORTED_MEDIA_TYPE",
		},
		"a form": {strings.Replace(post("query=supper"), "application/json",
			"application/x-www-form-urlencoded", 1), 415, "UNSUPPORTED_MEDIA_TYPE"},
		"a body of no type": {
			strings.Replace(post(supper), "Content-Type: application/json\r\n", "", 1), 415, "UNSUPPORTED_MEDIA_TYPE",
		},
		"a broken type": {
			strings.Replace(post(supper), "application/json", "; ;", 1), 415, "UNSUPPORTED_MEDIA_TYPE",
		},
		"just over the size": {post(`{"query":{"text":"supper"},"x":"` + strings.Repeat("x", maxBody) + `"}`), 413, "TOO_LARGE"},
		"a gigabyte announced, not sent": {"POST /ask HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n", 413, "TOO_LARGE"},
		"a gigabyte announced and awaited": {"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
			"application/json\r\nContent-Length: 1073741824\r\nExpect: 100-continue\r\n\r\n", 413, "TOO_LARGE"},
		"a method of its own": {
			"SPLICE /ask HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "METHOD_NOT_ALLOWED",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, s.Addr)
			c.say(tc.request)
			c.hear().isFailure(t, tc.status, tc.code)
		})
	}
	healthy(t, s.Addr)
	s.bounded(t)
}

// TestManyMembersAreNoDenial sends bodies within the size whose shape costs the most per byte.
func TestManyMembersAreNoDenial(t *testing.T) {
	t.Parallel()
	s := startPatient(t)
	var members, sites strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&members, `,"m%d":0`, i)
		fmt.Fprintf(&sites, `,"s%d"`, i)
	}
	for name, body := range map[string]string{
		"members of the query": `{"query":{"text":"supper"` + members.String() + `}}`,
		"members of the body":  `{"query":{"text":"supper"}` + members.String() + `}`,
		"contexts":             `{"query":{"text":"supper"},"context":[{}` + strings.Repeat(",{}", 200_000) + `]}`,
		"sites":                `{"query":{"text":"supper","site":["s"` + sites.String() + `]}}`,
		"types":                `{"query":{"text":"supper","itemType":["s"` + sites.String() + `]}}`,
		"modes":                `{"query":{"text":"supper"},"prefer":{"mode":["s"` + sites.String() + `]}}`,
		"formats":              `{"query":{"text":"supper"},"prefer":{"response_format":["s"` + sites.String() + `]}}`,
		"commas":               `{"query":{"text":"supper","site":"` + strings.Repeat(",", 900_000) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := s.CPU(t)
			for range 5 {
				c := dial(t, s.Addr)
				c.say(post(body))
				r := c.hear()
				if r == nil || r.status >= 500 || r.status == http.StatusRequestEntityTooLarge {
					t.Fatalf("answer %+v to a body of %d bytes", r, len(body))
				}
				if len(r.body) > 1<<20 {
					t.Errorf("an answer of %d bytes", len(r.body))
				}
			}
			if spent := s.CPU(t) - before; spent > cpuLimit {
				t.Errorf("five such bodies cost %s of processor time, want at most %s", spent, cpuLimit)
			}
		})
	}
	healthy(t, s.Addr)
	s.bounded(t)
}
