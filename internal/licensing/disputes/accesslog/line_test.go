package accesslog

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// second is the time of the lines below.
var second = time.Date(2027, 1, 31, 12, 30, 5, 0, time.UTC)

// signed is the query of an address as the generic form signs it.
const signed = "expires=1801398900&agent_id=ab12&txn_id=txn-1&sig=5ec2e7"

// columnsOf is the head of a log of CloudFront's, as it was given out in 2027.
const columnsOf = "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status " +
	"cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type " +
	"x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher " +
	"x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields " +
	"c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end"

// fetched is what the lines below say.
func fetched(change func(*line)) line {
	l := line{at: second, method: "GET", host: "cdn.example.net", path: "/premium/a.html", transaction: "txn-1",
		status: 200, bytes: 4711}
	if change != nil {
		change(&l)
	}
	return l
}

var lines = []struct {
	name string
	form Form
	head string
	text string
	want line
}{
	{"our own", Frontdesk, "", `{"time":"2027-01-31T12:30:05Z","transaction":"txn-1","method":"GET","host":"cdn.example.net","url":"/premium/a.html","status":200,"bytes":4711,"cache":"hit"}`,
		fetched(func(l *line) { l.cache = "hit" })},
	{"our own with an address, cut", Frontdesk, "", `{"time":1801398605,"method":"GET","url":"https://CDN.example.net:443/premium/a.html?` + signed + `","status":"200","bytes":"4711","length":5000}`,
		fetched(func(l *line) { l.host, l.cut = "cdn.example.net:443", true; l.host = bare(l.host) })},
	{"CloudFront", CloudFront, columnsOf,
		"2027-01-31\t12:30:05\tFRA60-P1\t5211\t192.0.2.7\tGET\td111.cloudfront.net\t/premium/a.html\t200\t-\t" +
			"bot/1.0%20(+https://buyer.example)\t" +
			"agent_id=ab12&txn_id=txn-1&Expires=1801398900&Signature=x~y_&Key-Pair-Id=K2\t-\tHit\tid==\t" +
			"cdn.example.net\thttps\t431\t0.002\t-\tTLSv1.3\tTLS_AES\tHit\tHTTP/2.0\t-\t-\t443\t" +
			"0.002\tHit\ttext/html\t4711\t-\t-",
		fetched(func(l *line) { l.cache = "hit" })},
	{"CloudFront, cut", CloudFront, columnsOf,
		"2027-01-31\t12:30:05\tFRA60-P1\t3000\t192.0.2.7\tGET\td111.cloudfront.net\t/premium/a.html\t200\t-\tbot\t" +
			signed +
			"\t-\tMiss\tid==\tcdn.example.net\thttps\t431\t0.002\t-\t-\t-\tMiss\tHTTP/2.0\t-\t-\t443\t0.002\t" +
			"ClientCommError\ttext/html\t4711\t-\t-",
		fetched(func(l *line) { l.bytes, l.cut, l.cache = 3000, true, "miss" })},
	{"CloudFront, the client went away", CloudFront, columnsOf,
		"2027-01-31\t12:30:05\tFRA60-P1\t0\t192.0.2.7\tGET\td111.cloudfront.net\t/premium/a.html\t000\t-\tbot\t" +
			signed +
			"\t-\tError\tid==\tcdn.example.net\thttps\t431\t0.002\t-\t-\t-\tError\tHTTP/2.0\t-\t-\t443\t" +
			"0.002\tClientCommError\t-\t-\t-\t-",
		fetched(func(l *line) { l.bytes, l.bound, l.cut, l.status, l.cache = 0, true, true, 0, "error" })},
	{"CloudFront as JSON", CloudFront, "",
		`{"date":"2027-01-31","time":"12:30:05","x-edge-location":"FRA60-P1","sc-bytes":"5211","c-ip":"192.0.2.7","cs-method":"GET","cs(Host)":"d111.cloudfront.net","cs-uri-stem":"/premium/a.html","sc-status":"403","cs-uri-query":"` + signed + `","x-edge-result-type":"Error","x-host-header":"cdn.example.net","sc-content-len":"-"}`,
		fetched(func(l *line) { l.status, l.bytes, l.bound, l.cache = 403, 5211, true, "error" })},
	{"CloudFront as JSON with milliseconds", CloudFront, "",
		`{"timestamp(ms)":"1801398605000","cs-method":"GET","x-host-header":"cdn.example.net","cs-uri-stem":"/premium/a.html","sc-status":200,"cs-uri-query":"` + signed + `","sc-bytes":5211,"sc-content-len":4711}`,
		fetched(nil)},
	{"Akamai", Akamai, "",
		`{"version":"1","streamId":"12345","cp":"123456","reqId":"1239f220","reqTimeSec":"1801398605.000","bytes":"4711","cliIP":"192.0.2.7","statusCode":"200","proto":"HTTPS","reqHost":"cdn.example.net","reqMethod":"GET","reqPath":"/premium/a.html","reqPort":"443","queryStr":"hdnts=exp=1801398900~acl=/premium/a.html~data=ab12.txn-1~hmac=5ec2e7","cacheStatus":"1"}`,
		fetched(func(l *line) { l.cache = "hit" })},
	{"Akamai, escaped", Akamai, "",
		`{"reqTimeSec":1801398605,"bytes":4711,"statusCode":200,"reqHost":"cdn.example.net","reqMethod":"GET","reqPath":"/premium/a.html","queryStr":"p=1&__token__=exp%3D1801398900%7Edata%3Dab12.txn-1%7Ehmac%3D5ec2e7","cacheStatus":0}`,
		fetched(func(l *line) { l.cache = "miss" })},
	{"a host with a query", Akamai, "",
		`{"reqTimeSec":1801398605,"bytes":4711,"statusCode":200,"reqHost":"cdn.example.net?hdnts=1","reqMethod":"GET","reqPath":"/premium/a.html","queryStr":"txn_id=txn-1"}`,
		fetched(func(l *line) { l.host = "" })},
	{"Akamai's values", Akamai, "",
		`1 12345 123456 1239f220 1801398605 4711 192.0.2.7 200 HTTPS cdn.example.net GET /premium/a.html 443 5000 text/html Mozilla%2F5.0 0 TLSv1 484 484 232 0 hdnts=exp=1801398900~acl=/premium/a.html~data=ab12.txn-1~hmac=5ec2e7 //BC/%5Ba=23.33.41.20%5D en-US`,
		fetched(nil)},
	{"Fastly", Fastly, "",
		`{"timestamp":"2027-01-31T12:30:05+0000","client_ip":"192.0.2.7","host":"cdn.example.net","url":"/premium/a.html?agent_id=ab12&txn_id=txn-1&token=1801398900_5ec2e7","request_method":"GET","request_user_agent":"bot \"x\"","response_state":"HIT-CLUSTER","response_status":200,"response_body_size":4711,"fastly_is_edge":true}`,
		fetched(func(l *line) { l.cache = "hit-cluster" })},
	{"Fastly's shield", Fastly, "",
		`{"timestamp":"2027-01-31T12:30:05+0000","host":"cdn.example.net","url":"/premium/a.html?` + signed + `","request_method":"GET","response_state":"MISS","response_status":200,"response_body_size":4711,"fastly_is_edge":false}`,
		fetched(func(l *line) { l.cache, l.transaction = "miss", "" })},
	{"Cloudflare", Cloudflare, "",
		`{"ClientIP":"192.0.2.7","ClientRequestHost":"cdn.example.net","ClientRequestMethod":"GET","ClientRequestURI":"/premium/a.html?` + signed + `","EdgeEndTimestamp":"2027-01-31T12:30:06Z","EdgeResponseBytes":5211,"EdgeResponseStatus":200,"EdgeStartTimestamp":"2027-01-31T12:30:05Z","RayID":"1a","CacheCacheStatus":"hit"}`,
		fetched(func(l *line) { l.bytes, l.bound, l.cache = 5211, true, "hit" })},
	{"Cloudflare with nanoseconds and the body", Cloudflare, "",
		`{"ClientRequestHost":"cdn.example.net","ClientRequestMethod":"GET","ClientRequestURI":"/premium/a.html?` + signed + `","EdgeResponseBodyBytes":4711,"EdgeResponseBytes":5211,"EdgeResponseStatus":200,"EdgeStartTimestamp":1801398605000000000}`,
		fetched(nil)},
	{"nginx", Combined, "", `192.0.2.7 - - [31/Jan/2027:13:30:05 +0100] "GET /premium/a.html?` + signed + ` HTTP/1.1" 200 4711 "-" "bot"`, fetched(func(l *line) { l.host = "" })},
	{"Apache with its host", Combined, "", `cdn.example.net:443 2001:db8::7 - a b [31/Jan/2027:12:30:05 +0000] "GET /premium/a.html?` + signed + ` HTTP/1.1" 200 4711 "https://x.example/\"" "bot"`, fetched(nil)},
	{"nginx, the client went away", Combined, "", `192.0.2.7 - - [31/Jan/2027:12:30:05 +0000] "GET /premium/a.html?` + signed + ` HTTP/1.1" 499 0 "-" "bot"`,
		fetched(func(l *line) { l.host, l.status, l.bytes, l.cut = "", 0, 0, true })},
	{"a quotation mark in a request", Combined, "", `192.0.2.7 - - [31/Jan/2027:12:30:05 +0000] "GET /premium/a.html\" 500 1 HTTP/1.1" 404 - "-" "bot"`,
		fetched(func(l *line) { l.host, l.path, l.transaction, l.status, l.bytes = "", `/premium/a.html\"`, "", 404, 0 })},
	{"our own delivery before a proxy", Combined, "", `192.0.2.7 - - [31/Jan/2027:12:30:05 +0000] "GET /deliver/txn-1?expires=1801398900&sig=5ec2e7 HTTP/1.1" 502 150 "-" "bot"`,
		fetched(func(l *line) { l.host, l.path, l.status, l.bytes = "", "/deliver/txn-1", 502, 150 })},
}

func TestLinesOfEveryForm(t *testing.T) {
	t.Parallel()
	for _, l := range lines {
		for _, form := range []Form{l.form, Auto} {
			r := &reader{form: form}
			if l.head != "" {
				if _, ok, err := r.read([]byte(l.head)); ok || err != nil {
					t.Errorf("%s: the head is %v, %v", l.name, ok, err)
				}
			}
			got, ok, err := r.read([]byte(l.text))
			if err != nil || !ok || !reflect.DeepEqual(got, l.want) || r.form != l.form {
				t.Errorf("%s, as %s, is read as %s:\n%+v\n%+v\n%v, %v", l.name, form, r.form, got, l.want, ok, err)
			}
		}
	}
}

func TestLinesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, l := range []struct {
		form Form
		text string
		want error
	}{
		{Auto, "hello", errNoForm},
		{Auto, `{"a":1}`, errNoForm},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z","status":200`, errJSON},
		{Frontdesk, `[1]`, errJSON},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z","status":200,"status":500}`, errJSON},
		{Frontdesk, `{"time":"yesterday","status":200}`, errTime},
		{Frontdesk, `{"time":7,"status":200}`, errTime},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z"}`, errStatus},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z","status":7}`, errStatus},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z","status":200,"bytes":-1}`, errBytes},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z","status":200,"bytes":"1e3"}`, errBytes},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z","status":200,"url":"/a?txn_id=a&txn_id=b"}`, errTwo},
		{Frontdesk, `{"time":"2027-01-31T12:30:05Z","status":200,"url":"/a?txn_id=a&hdnts=data=x.b~hmac=1"}`, errTwo},
		{CloudFront, "2027-01-31\t12:30:05", errNoFields},
		{Akamai, "1 2 3", errColumns},
		{Combined, `192.0.2.7 - - [31/Feb/2027:12:30:05 +0000] "GET / HTTP/1.1" 200 1`, errTime},
		{Combined, `192.0.2.7 - - [31/Jan/2027:12:30:05 +0000] "GET / HTTP/1.1`, errRequest},
		{Combined, `192.0.2.7 - - [31/Jan/2027:12:30:05 +0000] "GET / HTTP/1.1"`, errStatus},
		{Combined, `x`, errRequest},
	} {
		r := &reader{form: l.form}
		if got, ok, err := r.read([]byte(l.text)); ok || !errors.Is(err, l.want) {
			t.Errorf("%s: %+v, %v; want %v", l.text, got, err, l.want)
		}
	}
}

func TestWhatNamesNoTransaction(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "a=b", "txn_id=", "txn_id=a%20b", "txn_id=" + strings.Repeat("a", maxID+1),
		"xtxn_id=a", "hdnts=exp=1~hmac=2", "hdnts=data=ab~hmac=2", "hdnts=%zzhmac"} {
		w := raw{time: "2027-01-31T12:30:05Z", status: "200", query: query}
		if l, err := w.line(); err != nil || l.transaction != "" {
			t.Errorf("%s: %q, %v", query, l.transaction, err)
		}
	}
}

// checkLine holds what is true of any line that could be read.
func checkLine(t *testing.T, l line) {
	switch {
	case l.at.Unix() < firstTime || l.at.Unix() > lastTime || l.at.Location() != time.UTC:
		t.Errorf("the time %s", l.at)
	case l.status != 0 && (l.status < 100 || l.status > 999):
		t.Errorf("the status %d", l.status)
	case l.bytes < 0:
		t.Errorf("%d bytes", l.bytes)
	case l.transaction != "" && !isID(l.transaction):
		t.Errorf("the transaction %q", l.transaction)
	case len(l.place()) > maxPlace || strings.ContainsAny(l.place(), "\n\x00") ||
		strings.ToValidUTF8(l.place(), "") != l.place():
		t.Errorf("the place %q", l.place())
	case len(l.cache) > maxWord:
		t.Errorf("the cache %q", l.cache)
	}
}

// fuzz reads anything as a form.
func fuzz(f *testing.F, form Form) {
	for _, l := range lines {
		if l.form == form || form == Auto {
			f.Add(l.head, l.text)
		}
	}
	f.Fuzz(func(t *testing.T, head, text string) {
		r := &reader{form: form}
		for _, one := range []string{head, text, text} {
			if one = strings.TrimSpace(strings.Map(func(r rune) rune {
				if r == '\n' {
					return -1
				}
				return r
			}, one)); one == "" {
				continue
			}
			if l, ok, err := r.read([]byte(one)); ok {
				if err != nil {
					t.Errorf("it is read, with %v", err)
				}
				checkLine(t, l)
				if strings.Contains(l.place(), "?") {
					t.Errorf("a query is kept: %q", l.place())
				}
			}
		}
	})
}

func FuzzFrontdesk(f *testing.F)  { fuzz(f, Frontdesk) }
func FuzzCloudFront(f *testing.F) { fuzz(f, CloudFront) }
func FuzzAkamai(f *testing.F)     { fuzz(f, Akamai) }
func FuzzFastly(f *testing.F)     { fuzz(f, Fastly) }
func FuzzCloudflare(f *testing.F) { fuzz(f, Cloudflare) }
func FuzzCombined(f *testing.F)   { fuzz(f, Combined) }
func FuzzAuto(f *testing.F)       { fuzz(f, Auto) }
