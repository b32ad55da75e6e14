package edge

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	wire "frontdesk/wire/edge"
)

const logged = `{"delivery":"dlv_1","transaction":"txn-1","agent":"ab","form":"hmac","uri":"https://www.example.com/a","status":200,"bytes":17,"ended":1790000000.250,"seconds":0.250,"completion":"OK"}`

func TestALineOfALogTellsHowADeliveryEnded(t *testing.T) {
	t.Parallel()
	d, ok, err := ReadLine([]byte(logged))
	if err != nil || !ok || d.ID != "dlv_1" || d.State != wire.Ended || d.Bytes != 17 || d.Status != 200 ||
		d.Ended.Sub(d.At).Seconds() != 0.25 {
		t.Errorf("%+v %t %v", d, ok, err)
	}
	if d, ok, _ := ReadLine([]byte(strings.Replace(logged, `"OK"`, `""`, 1))); !ok || d.State != wire.Cut {
		t.Errorf("one that broke off: %+v", d)
	}
	if _, ok, err := ReadLine([]byte(strings.Replace(logged, `"dlv_1"`, `""`, 1))); ok || err != nil {
		t.Errorf("one that is no delivery: %t %v", ok, err)
	}
	for _, text := range []string{``, `127.0.0.1 - - [x] "GET /"`, `[]`, strings.Replace(logged, "17", "-17", 1),
		strings.Replace(logged, "https://", "ftp://", 1), strings.Replace(logged, "1790000000.250", "1e300", 1)} {
		if _, ok, err := ReadLine([]byte(text)); ok || !errors.Is(err, errLine) {
			t.Errorf("%s: %t %v", text, ok, err)
		}
	}
}

func FuzzReadLine(f *testing.F) {
	f.Add([]byte(logged))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, ok, err := ReadLine(text)
		if !ok || err != nil {
			return
		}
		if err := (wire.Batch{Version: wire.Version, ID: "x", Deliveries: []wire.Delivery{d}}).Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestALogIsFollowedOverItsRotation writes it in parts, moves it away, cuts it, and begins anew in
// the middle.
func TestALogIsFollowedOverItsRotation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "edge.json")
	var got []string
	follower := func() *Follower {
		return &Follower{Path: path, State: filepath.Join(dir, "state", "log.json"), Log: slog.New(slog.DiscardHandler),
			Put: func(d wire.Delivery) error {
				got = append(got, d.ID)
				return nil
			}}
	}
	f := follower()
	write := func(file, text string) {
		t.Helper()
		out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if _, err := out.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	line := func(id string) string { return strings.Replace(logged, "dlv_1", id, 1) + "\n" }
	look := func(want string) {
		t.Helper()
		if err := f.ReadNew(); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(got, " "); all != want {
			t.Fatalf("read %q, want %q", all, want)
		}
	}
	look("")
	write(path, line("a")+line("b")[:20])
	look("a")
	write(path, line("b")[20:]+"garbage\n"+strings.Repeat("x", 2*maxLine)+"\n"+line("c"))
	look("a b c")
	write(path, line("d"))
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	look("a b c d")
	write(path+".1", line("e")) // by a server that has not heard of it yet
	write(path, line("f"))
	look("a b c d e f")
	text, err := os.ReadFile(f.State)
	if err != nil {
		t.Fatal(err)
	}
	f = follower() // after a restart
	if err := json.Unmarshal(text, &f.at); err != nil {
		t.Fatal(err)
	}
	write(path, line("g"))
	look("a b c d e f g")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	write(path, line("h"))
	look("a b c d e f g h")
}
