package rampapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/transactions"
)

// forms are what the story at "a" is in each form.
var forms = map[string]string{
	"text/plain; charset=utf-8":    "One two three four.",
	"text/markdown; charset=utf-8": "# On a\n\nOne two three four.\n",
	"text/html; charset=utf-8": "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>On " +
		"a</title>\n<link rel=\"canonical\" href=\"https://site.example/a\">\n</head>\n" +
		"<body>\n<article>\n<h1>On a</h1>\n<p>One two three four.</p>\n</article>\n</body>\n</html>\n",
	"application/ld+json": `{"@type":"NewsArticle","author":{"name":"Ada"},"identifier":"doi:10.1234/a","text":"One two three four."}`,
}

// opened is a shop that has sold an article, and the request that fetches it.
func opened(t *testing.T) (s *shop, request func(method string, header ...string) *http.Request) {
	t.Helper()
	s = newShop(t, "USD", 100_000_000)
	offer := s.offer("a")
	bought := s.bought(buys("opened", offer))
	at, err := url.Parse(bought.GetPackage().GetRetrieval().GetEndpoint())
	if err != nil {
		t.Fatal(err)
	}
	return s, func(method string, header ...string) *http.Request {
		r := httptest.NewRequest(method, at.String(), nil)
		ctx, _ := httpx.BeginEvent(r.Context())
		r = r.WithContext(ctx)
		r.SetPathValue(DeliverID, strings.TrimPrefix(at.Path, "/deliver/"))
		for i := 0; i < len(header); i += 2 {
			r.Header.Add(header[i], header[i+1])
		}
		return r
	}
}

// fresh are the deliveries that are on record since it was asked last.
func (s *shop) fresh() (all []transactions.Delivery) {
	s.t.Helper()
	if s.known == nil {
		s.known = map[string]bool{}
	}
	for d, err := range transactions.NewReader(s.DB).EachDelivery(s.t.Context(), transactions.DeliveryFilter{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		if !s.known[d.ID] {
			s.known[d.ID], all = true, append(all, d)
		}
	}
	return all
}

// TestEachFormHasADigestOfItsOwn, and the offer's is that of the form that is given unasked.
func TestEachFormHasADigestOfItsOwn(t *testing.T) {
	t.Parallel()
	s, request := opened(t)
	tags := map[string]bool{}
	for media, text := range forms {
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			w := httptest.NewRecorder()
			s.deliver.ServeHTTP(w, request(method, "Accept", media))
			sum := sha256.Sum256([]byte(text))
			want := map[string]string{
				"Content-Type": media, "Content-Length": fmt.Sprint(len(text)),
				"Etag": `"` + hex.EncodeToString(sum[:]) + `"`, "Accept-Ranges": "bytes", "Vary": "Accept",
				"Repr-Digest":   "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
				"Cache-Control": "private, no-store", "Link": `<https://site.example/a>; rel="canonical"`,
				"X-Robots-Tag": "noindex",
			}
			got := map[string]string{}
			for name := range w.Header() {
				got[name] = w.Header().Get(name)
			}
			if w.Code != http.StatusOK || !maps.Equal(got, want) {
				t.Errorf("%s %s: %d\n%v\n%v", method, media, w.Code, got, want)
			}
			tags[want["Etag"]] = true
			all := s.fresh()
			if method == http.MethodHead {
				if w.Body.Len() != 0 || len(all) != 0 {
					t.Errorf("HEAD sends %d bytes, and records %d deliveries", w.Body.Len(), len(all))
				}
				continue
			}
			if w.Body.String() != text || len(all) != 1 {
				t.Fatalf("%s: %q, %d records", media, w.Body, len(all))
			}
			if d := all[0]; d.Media != media || d.Status != 200 || d.Bytes != int64(len(text)) ||
				d.Announced != d.Bytes || !bytes.Equal(d.Sum, sum[:]) || d.State != transactions.DeliveryEnded {
				t.Errorf("%+v", d)
			}
		}
	}
	if len(tags) != len(forms) {
		t.Errorf("%d tags of %d forms", len(tags), len(forms))
	}
	w := httptest.NewRecorder()
	s.deliver.ServeHTTP(w, request(http.MethodGet))
	sum := sha256.Sum256(w.Body.Bytes())
	if hash := s.offer("a").GetIdentity().GetContentHash(); !strings.HasSuffix(hash, hex.EncodeToString(sum[:])) {
		t.Errorf("the offer's hash is %s, of what is given unasked %x", hash, sum)
	}
}

// TestWhatIsRecordedIsWhatLeft asks for parts, for what is there already, and for what there is
// not.
func TestWhatIsRecordedIsWhatLeft(t *testing.T) {
	t.Parallel()
	s, request := opened(t)
	sum := sha256.Sum256([]byte("One two three four."))
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	many := "bytes=0-0" + strings.Repeat(",2-2", maxParts)
	for name, c := range map[string]struct {
		header []string
		status int
		text   string
		bytes  int64 // on record; -1 for no record
	}{
		"all of it":                    {nil, 200, "One two three four.", 19},
		"a part":                       {[]string{"Range", "bytes=0-2"}, 206, "One", 3},
		"the unit in capitals":         {[]string{"Range", "Bytes=0-2"}, 206, "One", 3},
		"the end":                      {[]string{"Range", "bytes=-5"}, 206, "four.", 5},
		"from somewhere":               {[]string{"Range", "bytes=14-"}, 206, "four.", 5},
		"further than there is":        {[]string{"Range", "bytes=14-99"}, 206, "four.", 5},
		"beyond the end":               {[]string{"Range", "bytes=19-"}, 416, "", -1},
		"no range":                     {[]string{"Range", "bytes=b-a"}, 416, "", -1},
		"another unit":                 {[]string{"Range", "words=0-1"}, 200, "One two three four.", 19},
		"more parts than anyone needs": {[]string{"Range", many}, 200, "One two three four.", 19},
		"more than there is, in parts": {[]string{"Range", "bytes=0-18,0-18"}, 200, "One two three four.", 19},
		"a part of what was seen":      {[]string{"Range", "bytes=0-2", "If-Range", tag}, 206, "One", 3},
		"a part of what was there before": {[]string{"Range", "bytes=0-2", "If-Range", `"other"`}, 200,
			"One two three four.", 19},
		"a part, if it is weakly so": {[]string{"Range", "bytes=0-2", "If-Range", "W/" + tag}, 200,
			"One two three four.", 19},
		"what is there already": {[]string{"If-None-Match", tag}, 304, "", -1},
		"weakly":                {[]string{"If-None-Match", `"x", W/` + tag}, 304, "", -1},
		"whatever it is":        {[]string{"If-None-Match", "*"}, 304, "", -1},
		"in another form": {[]string{"If-None-Match", tag, "Accept", "text/markdown"}, 200,
			forms["text/markdown; charset=utf-8"], 28},
		"what was there before": {[]string{"If-None-Match", `"other"`}, 200, "One two three four.", 19},
		"only that":             {[]string{"If-Match", tag}, 200, "One two three four.", 19},
		"only another":          {[]string{"If-Match", `"other"`}, 412, "", -1},
		"since long ago": {[]string{"If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"}, 200,
			"One two three four.", 19},
		"in no form that there is": {[]string{"Accept", "image/png"}, 406, "", -1},
	} {
		w := httptest.NewRecorder()
		s.deliver.ServeHTTP(w, request(http.MethodGet, c.header...))
		all := s.fresh()
		if w.Code != c.status || c.bytes >= 0 && w.Body.String() != c.text {
			t.Errorf("%s: %d %q", name, w.Code, w.Body)
		}
		if c.bytes < 0 {
			failed := c.status != 304
			if strings.Contains(w.Body.String(), "One") || len(all) != 0 ||
				failed != strings.HasPrefix(w.Body.String(), `{"code":`) || failed &&
				(w.Header().Get("Etag") != "" || w.Header().Get("Repr-Digest") != "") {
				t.Errorf("%s: %d records, %v %s", name, len(all), w.Header(), w.Body)
			}
			continue
		}
		if len(all) != 1 || all[0].Status != c.status || all[0].Bytes != c.bytes || all[0].Announced != c.bytes ||
			all[0].State != transactions.DeliveryEnded || !all[0].Whole {
			t.Errorf("%s: %+v", name, all)
		}
	}
	w := httptest.NewRecorder()
	s.deliver.ServeHTTP(w, request(http.MethodGet, "Range", "bytes=99-"))
	if got := w.Header().Get("Content-Range"); got != "bytes */19" {
		t.Errorf("beyond the end: %q", got)
	}
	w = httptest.NewRecorder()
	s.deliver.ServeHTTP(w, request(http.MethodHead, "Range", "bytes=0-2"))
	if w.Code != http.StatusOK || w.Header().Get("Content-Length") != "19" {
		t.Errorf("HEAD of a part: %d %v", w.Code, w.Header())
	}
}

// TestPartsAreSentTogether asks for two parts at once.
func TestPartsAreSentTogether(t *testing.T) {
	t.Parallel()
	s, request := opened(t)
	w := httptest.NewRecorder()
	s.deliver.ServeHTTP(w, request(http.MethodGet, "Range", "bytes=0-2, -5"))
	size := int64(w.Body.Len())
	media, parameters, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if err != nil || media != "multipart/byteranges" || w.Code != http.StatusPartialContent {
		t.Fatal(w.Code, w.Header(), err)
	}
	parts := multipart.NewReader(w.Body, parameters["boundary"])
	for _, want := range []string{"bytes 0-2/19 One", "bytes 14-18/19 four."} {
		part, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if got := part.Header.Get("Content-Range") + " " + string(text); err != nil || got != want ||
			part.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := parts.NextPart(); err != io.EOF {
		t.Errorf("after them: %v", err)
	}
	if all := s.fresh(); len(all) != 1 || all[0].Status != 206 || all[0].Bytes != size || all[0].Announced != size ||
		all[0].State != transactions.DeliveryEnded {
		t.Errorf("%d bytes: %+v", size, all)
	}
}

// leaving is a client that goes away after some bytes.
type leaving struct {
	*httptest.ResponseRecorder
	takes int
	flush error
}

func (l *leaving) Write(p []byte) (int, error) {
	n := min(len(p), l.takes)
	l.takes -= n
	_, _ = l.ResponseRecorder.Write(p[:n])
	if n < len(p) {
		return n, errors.New("the client is gone")
	}
	return n, nil
}

func (l *leaving) FlushError() error { return l.flush }

func TestWhoLeavesIsOnRecordWithWhatItGot(t *testing.T) {
	t.Parallel()
	s, request := opened(t)
	for _, c := range []struct {
		takes int
		flush error
		state transactions.DeliveryState
		bytes int64
	}{{7, nil, transactions.DeliveryCut, 7}, {0, nil, transactions.DeliveryCut, 0},
		{19, nil, transactions.DeliveryEnded, 19}, {19, errors.New("the client is gone"), transactions.DeliveryCut,
			18}} {
		s.deliver.ServeHTTP(&leaving{httptest.NewRecorder(), c.takes, c.flush}, request(http.MethodGet))
		all := s.fresh()
		if len(all) != 1 || all[0].State != c.state || all[0].Bytes != c.bytes || all[0].Announced != 19 ||
			all[0].Bound {
			t.Errorf("%+v: %+v", c, all)
		}
	}
}

// TestNothingIsSentThatIsNotOnRecord has an address opened more often than it opens: the last
// answers have nothing of the text, in whatever parts it is asked for.
func TestNothingIsSentThatIsNotOnRecord(t *testing.T) {
	t.Parallel()
	s, request := opened(t)
	n := 0
	for code := 0; code != http.StatusTooManyRequests; n++ {
		w := httptest.NewRecorder()
		s.deliver.ServeHTTP(w, request(http.MethodGet, "Range", "bytes=0-0"))
		if code = w.Code; n > 1000 {
			t.Fatal("it opens as often as anybody likes")
		}
	}
	if got := len(s.fresh()); got != n-1 {
		t.Errorf("%d deliveries are on record of %d", got, n-1)
	}
	for _, header := range [][]string{nil, {"Range", "bytes=0-2"}, {"Range", "bytes=0-0,2-2"},
		{"Accept", "text/html"}} {
		w := httptest.NewRecorder()
		s.deliver.ServeHTTP(w, request(http.MethodGet, header...))
		if w.Code != http.StatusTooManyRequests || strings.Contains(w.Body.String(), "two") ||
			!strings.HasPrefix(w.Body.String(), `{"code":"resource_exhausted"`) ||
			w.Header().Get("Content-Range")+w.Header().Get("Etag")+w.Header().Get("Repr-Digest")+
				w.Header().Get("Accept-Ranges") != "" || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%v: %d %v %s", header, w.Code, w.Header(), w.Body)
		}
	}
	w := httptest.NewRecorder()
	s.deliver.ServeHTTP(w, request(http.MethodHead))
	if w.Code != http.StatusOK {
		t.Errorf("HEAD: %d", w.Code)
	}
}
