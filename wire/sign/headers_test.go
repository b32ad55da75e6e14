package sign_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/wire/sign"
)

// vector is a message, and its signature as openssl made it.
type vector struct {
	name, firstLine, path, body string
	signature                   string
}

// The secret, timestamp and nonce of all vectors.
const (
	secret    = "an example secret, not for use"
	timestamp = "2025-11-14T18:22:01Z"
	nonce     = "9f2c4b7a1d"
)

var vectors = []vector{
	{"a request", "POST", "/pag/retrieve", `{"aip_version":"0.1"}`, "v1=254gyQg+CESB6PPzI0Ia/0del8r4sx6/F4ILK4jzYcM="},
	{"a query", "POST", "/pag/retrieve?a=1&b=%20x", `{"aip_version":"0.1"}`, "v1=qd7y90MO9h3GIQFNNsdjs1+mbFk6WzstLRlYxN1POEg="},
	{"an escaped path", "POST", "/a%2Fb/c%20d", `{"aip_version":"0.1"}`, "v1=+LfanHvto1AMHGUOBE7l5em9VlI+MIn+ZEdtX3Qp+7k="},
	{"an empty body", "GET", "/.well-known/aip/capabilities", "", "v1=zYYXXQFfFgPv/awf2n71EQw/fypYu65OeFIpu39SKcE="},
	{"an answer", "200", "/pag/retrieve", "{\"status\":\"ok\",\"text\":\"Grüße\\n\"}\n",
		"v1=sJqthdBPkhMqzbhd8O1ykc72IasFptekleUhZKoH/5M="},
}

func headers() sign.Headers {
	return sign.Headers{Version: "0.1", KeyID: "plat_live_92xk", Timestamp: timestamp, Nonce: nonce}
}

func TestSignaturesAreThoseOfTheVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors {
		if got := sign.HMAC([]byte(secret), v.firstLine, v.path, []byte(v.body), timestamp, nonce); got != v.signature {
			t.Errorf("%s: %s, want %s", v.name, got, v.signature)
		}
		signed := headers().Signed([]byte(secret), v.firstLine, v.path, []byte(v.body))
		if signed.Signature != v.signature || !signed.Verify([]byte(secret), v.firstLine, v.path, []byte(v.body)) {
			t.Errorf("%s does not verify", v.name)
		}
	}
}

// TestSignaturesAreThoseOfOpenSSL makes the vectors again with openssl alone: the hash of the body,
// the five lines, the HMAC.
func TestSignaturesAreThoseOfOpenSSL(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		if os.Getenv("FRONTDESK_TEST_ALL") == "1" {
			t.Fatal("openssl is not installed: apt-get install openssl")
		}
		t.Skip("openssl is not installed")
	}
	for _, v := range vectors {
		hash := hex.EncodeToString(run(t, openssl, v.body, "dgst", "-sha256", "-binary"))
		message := v.firstLine + "\n" + v.path + "\n" + hash + "\n" + timestamp + "\n" + nonce
		mac := run(t, openssl, message, "dgst", "-sha256", "-hmac", secret, "-binary")
		if got := "v1=" + base64.StdEncoding.EncodeToString(mac); got != v.signature {
			t.Errorf("%s: openssl says %s, the vector %s", v.name, got, v.signature)
		}
	}
}

func run(t *testing.T, program, input string, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stdin = strings.NewReader(input)
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", program, strings.Join(args, " "), err)
	}
	return output
}

func TestVerifyReadsBothDialectsOfBase64(t *testing.T) {
	t.Parallel()
	body := []byte("body 4") // whose signature has both characters in which the alphabets differ
	h := headers().Signed([]byte(secret), "POST", "/", body)
	for i := 0; !strings.Contains(h.Signature, "+") || !strings.Contains(h.Signature, "/"); i++ {
		body = append(body, byte('a'+i%26))
		h = headers().Signed([]byte(secret), "POST", "/", body)
	}
	standard := strings.TrimPrefix(h.Signature, "v1=")
	url := strings.NewReplacer("+", "-", "/", "_").Replace(standard)
	for _, good := range []string{standard, strings.TrimRight(standard, "="), url, strings.TrimRight(url, "=")} {
		h.Signature = "v1=" + good
		if !h.Verify([]byte(secret), "POST", "/", body) {
			t.Errorf("%s is refused", h.Signature)
		}
	}
	for _, bad := range []string{
		"", "v1=", standard, "V1=" + standard, "v2=" + standard, "v1=v1=" + standard, "v1=" + standard + "=",
		"v1=" + standard + ",v1=" + standard,
		"v1=" + standard[:10] + "\n" + standard[10:], "v1=" + standard[:len(standard)-4],
		"v1=" + strings.ToLower(standard), "v1= " + standard,
	} {
		if h.Signature = bad; h.Verify([]byte(secret), "POST", "/", body) {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestVerifyWithoutASecretVerifiesNothing(t *testing.T) {
	t.Parallel()
	for _, other := range [][]byte{nil, {}, []byte("there is no such key")} {
		h := headers().Signed(other, "POST", "/", nil)
		if h.Verify(nil, "POST", "/", nil) || h.Verify([]byte{}, "POST", "/", nil) {
			t.Errorf("a signature with %q is accepted for a key that is not", other)
		}
	}
}

// Whatever is signed, any other first line, path, body, timestamp, nonce or secret is refused.
func TestVerifyRefusesAnythingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := make([]string, 6)
		for i := range parts {
			parts[i] = rapid.StringMatching(`[!-~]{1,30}`).Draw(t, "part")
		}
		h := sign.Headers{Timestamp: parts[3], Nonce: parts[4]}.Signed([]byte(parts[5]), parts[0], parts[1],
			[]byte(parts[2]))
		if !h.Verify([]byte(parts[5]), parts[0], parts[1], []byte(parts[2])) {
			t.Fatal("what was signed is refused")
		}
		i := rapid.IntRange(0, 5).Draw(t, "changed")
		changed := rapid.StringMatching(`[!-~]{1,30}`).Filter(func(s string) bool { return s != parts[i] }).Draw(t, "into")
		parts[i] = changed
		h.Timestamp, h.Nonce = parts[3], parts[4]
		if h.Verify([]byte(parts[5]), parts[0], parts[1], []byte(parts[2])) {
			t.Fatalf("part %d changed, and is accepted", i)
		}
	})
}

func TestReadTakesEachHeaderOnce(t *testing.T) {
	t.Parallel()
	good := func() http.Header {
		header := http.Header{}
		headers().Signed([]byte(secret), "POST", "/", nil).Write(header)
		return header
	}
	h, err := sign.Read(good())
	if err != nil || !h.Verify([]byte(secret), "POST", "/", nil) || h.KeyID != "plat_live_92xk" || h.Version != "0.1" {
		t.Fatalf("what Write wrote is read as %+v, %v", h, err)
	}
	if !sign.Any(good()) || sign.Any(http.Header{"X-Other": {"1"}}) {
		t.Error("Any does not see whether a message claims to be signed")
	}
	for _, name := range sign.Names {
		for what, change := range map[string]func(http.Header){
			"missing":     func(h http.Header) { h.Del(name) },
			"empty":       func(h http.Header) { h.Set(name, "") },
			"twice":       func(h http.Header) { h.Add(name, h.Get(name)) },
			"with blanks": func(h http.Header) { h.Set(name, h.Get(name)+", "+h.Get(name)) },
			"not ASCII":   func(h http.Header) { h.Set(name, h.Get(name)+"é") },
			"too long":    func(h http.Header) { h.Set(name, strings.Repeat("x", 257)) },
		} {
			header := good()
			change(header)
			_, err := sign.Read(header)
			var wrong *sign.HeaderError
			if !errors.As(err, &wrong) || wrong.Name != name {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
	}
	short := good()
	short.Set("X-AIP-Nonce", "a")
	if _, err := sign.Read(short); err != nil {
		t.Errorf("a short nonce is refused: %v", err)
	}
	stale := good()
	stale.Set("X-AIP-Timestamp", "yesterday")
	if _, err := sign.Read(stale); err == nil {
		t.Error("a timestamp that is none is accepted")
	}
}

func TestFreshIsFiveMinutesEitherWay(t *testing.T) {
	t.Parallel()
	at, err := sign.ParseTime(timestamp)
	if err != nil {
		t.Fatal(err)
	}
	for away, want := range map[time.Duration]bool{
		0: true, 300 * time.Second: true, -300 * time.Second: true, 301 * time.Second: false, -301 * time.Second: false,
		300*time.Second + 1: false, 24 * time.Hour: false,
	} {
		if got := headers().Fresh(at.Add(away)); got != want {
			t.Errorf("%s away: %v", away, got)
		}
	}
	if until := headers().UsedUntil(); !until.Equal(at.Add(300 * time.Second)) {
		t.Errorf("the nonce may be forgotten at %s", until)
	}
}

func TestParseTimeReadsRFC3339AndNothingElse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2025-11-14T18:22:01Z":           "2025-11-14T18:22:01Z",
		"2025-11-14t18:22:01z":           "2025-11-14T18:22:01Z",
		"2025-11-14T18:22:01.5+01:00":    "2025-11-14T17:22:01Z",
		"2025-11-14T18:22:01.123456789Z": "2025-11-14T18:22:01Z",
		"2016-12-31T23:59:60Z":           "2016-12-31T23:59:59Z",
	} {
		got, err := sign.ParseTime(text)
		if err != nil || sign.FormatTime(got) != want {
			t.Errorf("%s: %s, %v", text, sign.FormatTime(got), err)
		}
	}
	for _, text := range []string{
		"", "2025-11-14", "2025-11-14 18:22:01Z", "2025-11-14T18:22:01", "2025-11-14T8:22:01Z",
		"2025-11-14T18:22:01,5Z", "2025-02-30T18:22:01Z",
		"2025-11-14T24:00:00Z", "2025-11-14T18:22:61Z", "2025-11-14T18:22:01+25:00", "1731608521", "2025-11-14T18:22Z",
		"2025-11-14T18:22:01Z ",
		"2025-11-14T18:22:01." + strings.Repeat("1", 100) + "Z", "9999-12-31T23:59:59-00:01",
		"0000-01-01T00:00:00+00:01",
	} {
		if got, err := sign.ParseTime(text); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

// FuzzVerify feeds signatures: none may panic, and whatever verifies is the right one in some
// dialect.
func FuzzVerify(f *testing.F) {
	right := sign.HMAC([]byte(secret), "POST", "/", nil, timestamp, nonce)
	for _, seed := range []string{right, "v1=", "v1=====", strings.ReplaceAll(right, "/", "_"), right[:20]} {
		f.Add(seed, timestamp, nonce)
	}
	normal := strings.NewReplacer("-", "+", "_", "/", "=", "")
	f.Fuzz(func(t *testing.T, signature, timestamp, nonce string) {
		h := headers()
		h.Signature, h.Timestamp, h.Nonce = signature, timestamp, nonce
		h.Fresh(time.Unix(1763144521, 0))
		want := sign.HMAC([]byte(secret), "POST", "/", nil, timestamp, nonce)
		if h.Verify([]byte(secret), "POST", "/", nil) && normal.Replace(signature) != normal.Replace(want) {
			t.Fatalf("%q passes for %q", signature, want)
		}
	})
}
