package accesslog

import (
	"bytes"
	"errors"
	"math"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Form is how the lines of a log are written.
type Form string

// The forms. CloudFront and Akamai have two each, of which a line shows by its first letter which
// it is.
const (
	Auto       Form = "auto"       // the first line shows which it is
	Frontdesk  Form = "frontdesk"  // JSON of our own, for whoever writes his own
	CloudFront Form = "cloudfront" // Amazon CloudFront, standard logs: W3C extended with #Fields, or JSON
	Akamai     Form = "akamai"     // Akamai DataStream 2: JSON, or values with blanks between
	Fastly     Form = "fastly"     // Fastly, JSON as its guide configures it
	Cloudflare Form = "cloudflare" // Cloudflare Logpush, data set http_requests
	Combined   Form = "combined"   // the combined form of nginx and Apache, also with the virtual host before it
)

// Forms are all forms, Auto first.
var Forms = []Form{Auto, Frontdesk, CloudFront, Akamai, Fastly, Cloudflare, Combined}

// line is what a line of a log says.
type line struct {
	at          time.Time
	method      string
	host, path  string
	transaction string // "" for none
	status      int
	bytes       int64
	bound, cut  bool
	cache       string
}

// raw is a line as its form names its parts; an empty text is what it does not say.
type raw struct {
	time, method, host, path, query, transaction, status, cache string
	body                                                        string // bytes of the answer's body
	whole                                                       string // bytes of the answer with its head
	length                                                      string // bytes that the body was to have
}

// reader reads the lines of one log. It remembers what a line says about those behind it, and is of
// one goroutine.
type reader struct {
	form   Form
	given  []string // the columns that the caller named
	fields []string // the columns of lines with values alone
}

// Errors of lines. Their texts hold nothing of the line.
var (
	errNoForm   = errors.New("this is no line of a known form; name the form")
	errJSON     = errors.New("this is no JSON object that stands in one line")
	errColumns  = errors.New("it has fewer values than there are columns")
	errNoFields = errors.New("no #Fields line stands before it, and no columns were named")
	errTime     = errors.New("it says no time that can be read")
	errStatus   = errors.New("it says no HTTP status")
	errBytes    = errors.New("it says a number of bytes that is none")
	errRequest  = errors.New("it says no request that can be read")
	errTwo      = errors.New("its address names two transactions")
)

// read reads a line. ok is false for one that tells of no request, such as a head of columns.
func (r *reader) read(text []byte) (l line, ok bool, err error) {
	if r.form == Auto {
		if r.form = sniff(text); r.form == Auto {
			return line{}, false, errNoForm
		}
	}
	if text[0] == '#' && r.form != Combined {
		if names, is := bytes.CutPrefix(text, []byte("#Fields:")); is {
			r.fields = strings.Fields(string(names))
		}
		return line{}, false, nil
	}
	w, err := r.parts(text)
	if err != nil {
		return line{}, false, err
	}
	l, err = w.line()
	return l, err == nil, err
}

// parts takes a line apart.
func (r *reader) parts(text []byte) (raw, error) {
	object := text[0] == '{'
	switch {
	case r.form == Combined:
		return combined(string(text))
	case r.form == CloudFront && !object:
		return r.columns(text, cloudFrontNames)
	case r.form == Akamai && !object:
		return r.columns(text, akamaiNames)
	case !object:
		return raw{}, errJSON
	}
	return objects[r.form](text)
}

// sniff says of which form a line is; Auto for none.
func sniff(text []byte) Form {
	has := func(name string) bool { return bytes.Contains(text, []byte(`"`+name+`"`)) }
	switch {
	case text[0] == '#':
		return CloudFront
	case text[0] != '{':
		if _, err := combined(string(text)); err == nil {
			return Combined
		}
		if f := bytes.Fields(text); len(f) > 8 && number(string(f[0])) && number(string(f[1])) {
			return Akamai
		}
	case has("EdgeResponseStatus"):
		return Cloudflare
	case has("sc-status"):
		return CloudFront
	case has("statusCode") && has("reqTimeSec"):
		return Akamai
	case has("response_status"):
		return Fastly
	case has("status") && has("time"):
		return Frontdesk
	}
	return Auto
}

func number(text string) bool {
	_, err := strconv.ParseUint(text, 10, 63)
	return err == nil
}

// loose is a member that is a text or a number, as one vendor or one stream has it.
type loose string

// UnmarshalJSONFrom takes a text, a number or a truth; anything else is nothing.
func (l *loose) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	switch in.PeekKind() {
	case '{', '[', 'n':
		*l = ""
		return in.SkipValue()
	}
	token, err := in.ReadToken()
	if err == nil {
		*l = loose(token.String())
	}
	return err
}

// decode reads an object. Members twice are an error: what comes from a request could say so what
// was answered.
func decode(text []byte, into any) error {
	if json.Unmarshal(text, into, jsontext.AllowInvalidUTF8(true)) != nil {
		return errJSON
	}
	return nil
}

// objects read lines of JSON.
var objects = map[Form]func([]byte) (raw, error){
	Frontdesk: func(text []byte) (raw, error) {
		var o struct {
			Time        loose `json:"time"`
			Transaction loose `json:"transaction"`
			Method      loose `json:"method"`
			Host        loose `json:"host"`
			URL         loose `json:"url"`
			Status      loose `json:"status"`
			Bytes       loose `json:"bytes"`
			Length      loose `json:"length"`
			Cache       loose `json:"cache"`
		}
		err := decode(text, &o)
		w := raw{time: string(o.Time), transaction: string(o.Transaction), method: string(o.Method),
			host: string(o.Host), status: string(o.Status), body: string(o.Bytes), length: string(o.Length),
			cache: string(o.Cache)}
		w.split(string(o.URL))
		return w, err
	},
	CloudFront: func(text []byte) (raw, error) {
		var o struct {
			Date    loose `json:"date"`
			Time    loose `json:"time"`
			Stamp   loose `json:"timestamp"`
			Millis  loose `json:"timestamp(ms)"`
			Method  loose `json:"cs-method"`
			Host    loose `json:"cs(Host)"`
			Viewed  loose `json:"x-host-header"`
			Path    loose `json:"cs-uri-stem"`
			Query   loose `json:"cs-uri-query"`
			Status  loose `json:"sc-status"`
			Bytes   loose `json:"sc-bytes"`
			Length  loose `json:"sc-content-len"`
			Outcome loose `json:"x-edge-result-type"`
		}
		err := decode(text, &o)
		w := raw{method: string(o.Method), host: first(o.Viewed, o.Host), path: string(o.Path), query: string(o.Query),
			status: string(o.Status), whole: string(o.Bytes), length: string(o.Length), cache: string(o.Outcome)}
		if w.time = first(o.Millis, o.Stamp); w.time == "" {
			w.time = string(o.Date) + "T" + string(o.Time) + "Z"
		}
		return w, err
	},
	Akamai: func(text []byte) (raw, error) {
		var o struct {
			Time   loose `json:"reqTimeSec"`
			Method loose `json:"reqMethod"`
			Host   loose `json:"reqHost"`
			Path   loose `json:"reqPath"`
			Query  loose `json:"queryStr"`
			Status loose `json:"statusCode"`
			Bytes  loose `json:"bytes"`
			Cache  loose `json:"cacheStatus"`
		}
		err := decode(text, &o)
		return akamai(raw{time: string(o.Time), method: string(o.Method), host: string(o.Host), path: string(o.Path),
			query: string(o.Query), status: string(o.Status), body: string(o.Bytes), cache: string(o.Cache)}), err
	},
	Fastly: func(text []byte) (raw, error) {
		var o struct {
			Stamp  loose `json:"timestamp"`
			Time   loose `json:"time"`
			Start  loose `json:"time_start"`
			Method loose `json:"request_method"`
			Host   loose `json:"host"`
			URL    loose `json:"url"`
			Status loose `json:"response_status"`
			Bytes  loose `json:"response_body_size"`
			State  loose `json:"response_state"`
			Cache  loose `json:"cache_status"`
			Edge   loose `json:"fastly_is_edge"`
		}
		err := decode(text, &o)
		w := raw{time: first(o.Stamp, o.Start, o.Time), method: string(o.Method), host: string(o.Host),
			status: string(o.Status), body: string(o.Bytes), cache: first(o.State, o.Cache)}
		w.split(string(o.URL))
		if o.Edge == "false" { // the shield before the origin, which the edge has asked
			w.query = ""
		}
		return w, err
	},
	Cloudflare: func(text []byte) (raw, error) {
		var o struct {
			Start  loose `json:"EdgeStartTimestamp"`
			End    loose `json:"EdgeEndTimestamp"`
			Method loose `json:"ClientRequestMethod"`
			Host   loose `json:"ClientRequestHost"`
			URL    loose `json:"ClientRequestURI"`
			Status loose `json:"EdgeResponseStatus"`
			Body   loose `json:"EdgeResponseBodyBytes"`
			Bytes  loose `json:"EdgeResponseBytes"`
			Cache  loose `json:"CacheCacheStatus"`
		}
		err := decode(text, &o)
		w := raw{time: first(o.Start, o.End), method: string(o.Method), host: string(o.Host), status: string(o.Status),
			body: string(o.Body), whole: string(o.Bytes), cache: string(o.Cache)}
		w.split(string(o.URL))
		return w, err
	},
}

func first(of ...loose) string {
	for _, l := range of {
		if l != "" && l != "-" {
			return string(l)
		}
	}
	return ""
}

// akamai has the words of others for what Akamai's cache did.
func akamai(w raw) raw {
	switch w.cache {
	case "1":
		w.cache = "hit"
	case "0":
		w.cache = "miss"
	}
	return w
}

// cloudFrontNames are the columns of CloudFront that matter, and where they go.
var cloudFrontNames = map[string]func(*raw) *string{
	"timestamp": func(w *raw) *string { return &w.time }, "timestamp(ms)": func(w *raw) *string { return &w.time },
	"cs-method": func(w *raw) *string { return &w.method }, "cs(Host)": func(w *raw) *string { return &w.host },
	"cs-uri-stem": func(w *raw) *string { return &w.path }, "cs-uri-query": func(w *raw) *string { return &w.query },
	"sc-status": func(w *raw) *string { return &w.status }, "sc-bytes": func(w *raw) *string { return &w.whole },
	"sc-content-len":     func(w *raw) *string { return &w.length },
	"x-edge-result-type": func(w *raw) *string { return &w.cache },
	// The host that the viewer asked for, which stands behind that of the distribution and counts
	// instead of it.
	"x-host-header": func(w *raw) *string { return &w.host },
}

// akamaiNames are those of Akamai, by their keys in JSON.
var akamaiNames = map[string]func(*raw) *string{
	"reqTimeSec": func(w *raw) *string { return &w.time }, "reqMethod": func(w *raw) *string { return &w.method },
	"reqHost": func(w *raw) *string { return &w.host }, "reqPath": func(w *raw) *string { return &w.path },
	"queryStr": func(w *raw) *string { return &w.query }, "statusCode": func(w *raw) *string { return &w.status },
	"bytes": func(w *raw) *string { return &w.body }, "cacheStatus": func(w *raw) *string { return &w.cache },
}

// akamaiColumns are those of the structured lines of DataStream 2 in the order in which a stream
// has them unless it is given another.
var akamaiColumns = strings.Fields(`version streamId cp reqId reqTimeSec bytes cliIP statusCode proto reqHost reqMethod reqPath reqPort rspContentLen rspContentType UA
	tlsOverheadTimeMSec tlsVersion objSize uncompressedSize overheadBytes totalBytes queryStr`)

// columns reads a line of values, whose columns were named by a line before it, by the caller, or
// by custom.
func (r *reader) columns(text []byte, names map[string]func(*raw) *string) (w raw, err error) {
	columns := r.fields
	if columns == nil {
		columns = r.given
	}
	if columns == nil && r.form == Akamai {
		columns = akamaiColumns
	}
	if columns == nil {
		return w, errNoFields
	}
	rest, separator := string(text), " "
	if strings.Contains(rest, "\t") {
		separator = "\t"
	}
	var date, clock string
	for _, name := range columns {
		value, behind, more := strings.Cut(rest, separator)
		if value == "" && !more {
			return w, errColumns
		}
		rest = behind
		if value == "-" {
			continue
		}
		switch into := names[name]; {
		case into != nil:
			*into(&w) = value
		case name == "date":
			date = value
		case name == "time":
			clock = value
		}
	}
	if w.time == "" && date != "" {
		w.time = date + "T" + clock + "Z"
	}
	if r.form == Akamai {
		return akamai(w), nil
	}
	return w, nil
}

// combined reads a line of the combined form: `IP - USER [TIME] "METHOD TARGET HTTP/1.1" STATUS
// BYTES …`. What a client sends stands in it without quotation marks, which servers escape, so the
// first of them begins the request.
func combined(text string) (w raw, err error) {
	before, rest, ok := strings.Cut(text, `] "`)
	open := strings.LastIndexByte(before, '[')
	end := quoted(rest)
	if !ok || open < 0 || end < 0 {
		return w, errRequest
	}
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", before[open+1:])
	if err != nil {
		return w, errTime
	}
	w.time = at.UTC().Format(time.RFC3339)
	if name, _, more := strings.Cut(before, " "); more {
		if _, err := netip.ParseAddr(name); err != nil {
			w.host = name
		}
	}
	method, target, _ := strings.Cut(rest[:end], " ")
	target, _, _ = strings.Cut(target, " ")
	w.method = method
	w.split(target)
	after := strings.Fields(rest[end+1:])
	if len(after) < 2 {
		return w, errStatus
	}
	w.status, w.body = after[0], after[1]
	return w, nil
}

// quoted is where a text ends that stands in quotation marks; -1 for nowhere.
func quoted(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// split takes a request's target apart, or a whole address.
func (w *raw) split(target string) {
	if at := strings.Index(target, "://"); at > 0 && at < 8 {
		host, rest, _ := strings.Cut(target[at+3:], "/")
		target = "/" + rest
		if w.host == "" {
			w.host = host
		}
	}
	w.path, w.query, _ = strings.Cut(target, "?")
}

// line reads the values of the parts.
func (w raw) line() (l line, err error) {
	if l.at, err = moment(w.time); err != nil {
		return l, err
	}
	l.method, l.host, l.cache = w.method, bare(w.host), word(w.cache)
	l.path, _, _ = strings.Cut(w.path, "?") // where a form has the query apart
	if l.status, err = strconv.Atoi(w.status); err != nil || l.status < 0 || l.status > 999 ||
		(l.status > 0 && l.status < 100) {
		return l, errStatus
	}
	if l.status == 499 { // nginx: the client went away before it was answered
		l.status = 0
	}
	if err := w.count(&l); err != nil {
		return l, err
	}
	l.cut = l.cut || l.status == 0
	l.transaction = w.transaction
	if l.transaction == "" {
		if l.transaction, err = named(w.query, w.path); err != nil {
			return l, err
		}
	}
	if !isID(l.transaction) {
		l.transaction = ""
	}
	return l, nil
}

// count reads how many bytes there were.
func (w raw) count(l *line) error {
	n := func(text string) (int64, bool, error) {
		if text == "" || text == "-" {
			return 0, false, nil
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > 1<<53 {
			return 0, false, errBytes
		}
		return n, true, nil
	}
	body, hasBody, err := n(w.body)
	whole, hasWhole, err2 := n(w.whole)
	length, hasLength, err3 := n(w.length)
	if err := errors.Join(err, err2, err3); err != nil {
		return errBytes
	}
	switch {
	case hasBody:
		l.bytes, l.cut = body, hasLength && body < length
	case hasWhole && hasLength:
		l.bytes, l.cut = min(whole, length), whole < length
	case hasWhole:
		l.bytes, l.bound = whole, true
	}
	return nil
}

// Times that logs tell are of this span.
const (
	firstTime = 946684800  // 2000
	lastTime  = 4102444800 // 2100
)

// moment reads a time: RFC 3339, or so many seconds, thousandths or thousand-millionths of them
// since 1970.
func moment(text string) (t time.Time, err error) {
	switch {
	case text == "":
		return t, errTime
	case len(text) > 4 && text[4] == '-':
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05"} {
			if t, err = time.Parse(layout, text); err == nil {
				break
			}
		}
		if err != nil {
			return t, errTime
		}
	case strings.Contains(text, "."):
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds > firstTime && seconds < lastTime) {
			return t, errTime
		}
		whole, part := math.Modf(seconds)
		t = time.Unix(int64(whole), int64(math.Round(part*1e6))*1000)
	default:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return t, errTime
		}
		switch {
		case n > lastTime*1e6:
			t = time.Unix(0, n)
		case n > lastTime:
			t = time.UnixMilli(n)
		default:
			t = time.Unix(n, 0)
		}
	}
	if t.Unix() < firstTime || t.Unix() > lastTime {
		return t, errTime
	}
	return t.UTC().Truncate(time.Microsecond), nil
}

// named is the transaction that an address names: in txn_id, as most signed addresses do; behind
// the agent in the data of an Akamai token; or in the path of what this front desk delivers itself.
// It is empty where there is none. Two are none that somebody signed.
func named(query, path string) (id string, err error) {
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		found := ""
		if name == "txn_id" {
			found = value
		} else if strings.Contains(value, "hmac") {
			found = ofToken(value)
		}
		if found == "" {
			continue
		}
		if id != "" {
			return "", errTwo
		}
		id = found
	}
	if id == "" {
		if rest, ok := strings.CutPrefix(path, "/deliver/"); ok {
			id, _, _ = strings.Cut(rest, "/")
		}
	}
	return id, nil
}

// ofToken is the transaction in an Akamai token, which may be escaped as a value of a query.
func ofToken(token string) string {
	if strings.Contains(token, "%") {
		plain, err := url.QueryUnescape(token)
		if err != nil {
			return ""
		}
		token = plain
	}
	for field := range strings.SplitSeq(token, "~") {
		if data, ok := strings.CutPrefix(field, "data="); ok {
			_, id, _ := strings.Cut(data, ".")
			return id
		}
	}
	return ""
}

// maxID is how long the id of a transaction may be.
const maxID = 100

// isID says whether a text can be the id of a transaction: letters, digits, - and _.
func isID(text string) bool {
	if text == "" || len(text) > maxID {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// maxWord is how much is kept of what a cache did.
const maxWord = 24

// word is a word of a log, such as what the cache did.
func word(text string) string {
	if len(text) > maxWord {
		text = text[:maxWord]
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' {
			return ""
		}
	}
	if text == "-" {
		return ""
	}
	return strings.ToLower(text)
}

// bare is a host without its port, and nothing for what is none: a query may hang on it, and what
// signs an address is not kept.
func bare(host string) string {
	if at := strings.LastIndexByte(host, ':'); at > 0 && number(host[at+1:]) {
		host = host[:at]
	}
	if len(host) > 253 || strings.ContainsAny(host, `/?#@\ `) {
		return ""
	}
	return strings.ToLower(host)
}

// maxPlace is how much is kept of a host and a path.
const maxPlace = 500

// place is where a line says that it was fetched, without a query.
func (l line) place() string {
	text := strings.ToValidUTF8(l.host+l.path, "")
	if len(text) > maxPlace {
		text = strings.ToValidUTF8(text[:maxPlace], "")
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}
