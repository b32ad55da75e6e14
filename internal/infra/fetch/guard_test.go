package fetch_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/infra/fetch"
)

// attempt is one row of the table: what somebody wants fetched, and how the guard answers.
type attempt struct {
	what    string   // what the attempt tries
	address string   // PORT stands for that of a server of this machine
	name    string   // a host that the world knows for this row
	leads   []string // its addresses
	allow   string   // a network in fetch.allow
	own     bool     // the operator typed the host
	want    fetch.Reason
	dials   string // the only address that may be dialled
}

const (
	good  = fetch.Reason("") // the document comes
	stop  = fetch.Refused
	gone  = fetch.Unreachable
	there = "93.184.215.14"
)

// attempts is the table of what strangers try, beside what must go on working.
var attempts = []attempt{
	// What is public, by name and by number.
	{what: "a public name", address: "https://public.example/", name: "public.example", leads: []string{there},
		want: good, dials: there + ":443"},
	{what: "a public name, IPv6", address: "https://public.example/", name: "public.example",
		leads: []string{"2606:2800::1"}, want: good, dials: "[2606:2800::1]:443"},
	{what: "a public number", address: "https://93.184.215.14/", want: good, dials: there + ":443"},
	{what: "a public number, IPv6", address: "https://[2606:2800::1]/", want: good, dials: "[2606:2800::1]:443"},
	{what: "a public number, IPv4 in IPv6", address: "https://[::ffff:93.184.215.14]/", want: good,
		dials: there + ":443"},
	{what: "a public number through NAT64", address: "https://public.example/", name: "public.example",
		leads: []string{"64:ff9b::5db8:d70e"}, want: good, dials: "[64:ff9b::5db8:d70e]:443"},
	{what: "capitals", address: "HTTPS://PUBLIC.Example/", name: "public.example", leads: []string{there}, want: good,
		dials: there + ":443"},
	{what: "a trailing dot", address: "https://public.example./", name: "public.example", leads: []string{there},
		want: good, dials: there + ":443"},
	{what: "another port", address: "https://public.example:8443/", name: "public.example", leads: []string{there},
		want: good, dials: there + ":8443"},
	{what: "a name in another script", address: "https://bücher.example/", name: "xn--bcher-kva.example",
		leads: []string{there}, want: good, dials: there + ":443"},
	{what: "just below private", address: "https://9.255.255.255/", want: good, dials: "9.255.255.255:443"},
	{what: "just above private", address: "https://172.32.0.0/", want: good, dials: "172.32.0.0:443"},
	{what: "just above carrier-grade NAT", address: "https://100.128.0.1/", want: good, dials: "100.128.0.1:443"},
	{what: "a host that is not there", address: "https://absent.example/", want: gone},

	// IPv4 that is not public, by number.
	{what: "private, 10/8", address: "https://10.0.0.1/", want: stop},
	{what: "private, end of 10/8", address: "https://10.255.255.255/", want: stop},
	{what: "private, 172.16/12", address: "https://172.16.0.1/", want: stop},
	{what: "private, end of 172.16/12", address: "https://172.31.255.255/", want: stop},
	{what: "private, 192.168/16", address: "https://192.168.1.1/", want: stop},
	{what: "loopback", address: "https://127.0.0.1:PORT/", want: stop},
	{what: "loopback, another of its addresses", address: "https://127.8.9.10:PORT/", want: stop},
	{what: "this host (0.0.0.0)", address: "https://0.0.0.0:PORT/", want: stop},
	{what: "this network", address: "https://0.1.2.3/", want: stop},
	{what: "link-local", address: "https://169.254.1.1/", want: stop},
	{what: "cloud metadata", address: "https://169.254.169.254/latest/meta-data/", want: stop},
	{what: "cloud metadata, http", address: "http://169.254.169.254/latest/meta-data/", want: stop},
	{what: "credentials of containers", address: "https://169.254.170.2/v2/credentials", want: stop},
	{what: "cloud metadata within carrier-grade NAT", address: "https://100.100.100.200/", want: stop},
	{what: "cloud metadata at a public number", address: "https://168.63.129.16/", want: stop},
	{what: "cloud metadata in the protocols' block", address: "https://192.0.0.192/", want: stop},
	{what: "carrier-grade NAT", address: "https://100.64.0.1/", want: stop},
	{what: "end of carrier-grade NAT", address: "https://100.127.255.255/", want: stop},
	{what: "protocol assignments", address: "https://192.0.0.8/", want: stop},
	{what: "documentation", address: "https://203.0.113.9/", want: stop},
	{what: "measurements", address: "https://198.19.255.255/", want: stop},
	{what: "6to4 relay", address: "https://192.88.99.1/", want: stop},
	{what: "multicast", address: "https://224.0.0.1/", want: stop},
	{what: "reserved", address: "https://240.0.0.1/", want: stop},
	{what: "broadcast", address: "https://255.255.255.255/", want: stop},

	// IPv6 that is not public, and IPv4 dressed as IPv6.
	{what: "loopback, IPv6", address: "https://[::1]:PORT/", want: stop},
	{what: "loopback, IPv6 written out", address: "https://[0:0:0:0:0:0:0:1]:PORT/", want: stop},
	{what: "unspecified, IPv6", address: "https://[::]:PORT/", want: stop},
	{what: "mapped loopback", address: "https://[::ffff:127.0.0.1]:PORT/", want: stop},
	{what: "mapped loopback in hex", address: "https://[::ffff:7f00:1]:PORT/", want: stop},
	{what: "mapped metadata", address: "https://[::ffff:a9fe:a9fe]/", want: stop},
	{what: "mapped unspecified", address: "https://[::ffff:0.0.0.0]:PORT/", want: stop},
	{what: "compatible loopback", address: "https://[::127.0.0.1]:PORT/", want: stop},
	{what: "compatible public", address: "https://[::93.184.215.14]/", want: stop},
	{what: "translated (SIIT) loopback", address: "https://[::ffff:0:127.0.0.1]/", want: stop},
	{what: "NAT64 loopback", address: "https://[64:ff9b::127.0.0.1]/", want: stop},
	{what: "NAT64 metadata", address: "https://[64:ff9b::a9fe:a9fe]/", want: stop},
	{what: "NAT64 private", address: "https://[64:ff9b::10.0.0.1]/", want: stop},
	{what: "local NAT64", address: "https://[64:ff9b:1::5db8:d70e]/", want: stop},
	{what: "6to4 loopback", address: "https://[2002:7f00:1::]/", want: stop},
	{what: "6to4 metadata", address: "https://[2002:a9fe:a9fe::1]/", want: stop},
	{what: "Teredo", address: "https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", want: stop},
	{what: "ISATAP private", address: "https://[2606:2800::5efe:a00:1]/", want: stop},
	{what: "link-local, IPv6", address: "https://[fe80::1]/", want: stop},
	{what: "link-local with zone", address: "https://[fe80::1%25lo]/", want: stop},
	{what: "loopback with zone", address: "https://[::1%25lo]:PORT/", want: stop},
	{what: "site-local", address: "https://[fec0::1]/", want: stop},
	{what: "unique local", address: "https://[fc00::1]/", want: stop},
	{what: "cloud metadata, IPv6", address: "https://[fd00:ec2::254]/", want: stop},
	{what: "another cloud's metadata, IPv6", address: "https://[fd20:ce::254]/", want: stop},
	{what: "multicast, IPv6", address: "https://[ff02::1]/", want: stop},
	{what: "documentation, IPv6", address: "https://[2001:db8::1]/", want: stop},
	{what: "discard", address: "https://[100::1]/", want: stop},
	{what: "not assigned, IPv6", address: "https://[4000::1]/", want: stop},

	// Numbers in forms that some programs read as IPv4.
	{what: "octal", address: "https://0177.0.0.1:PORT/", want: stop},
	{what: "octal, one number", address: "https://017700000001:PORT/", want: stop},
	{what: "leading zeros", address: "https://127.0.0.01:PORT/", want: stop},
	{what: "hex", address: "https://0x7f.0.0.1:PORT/", want: stop},
	{what: "hex, one number", address: "https://0x7f000001:PORT/", want: stop},
	{what: "hex in capitals", address: "https://0X7F000001:PORT/", want: stop},
	{what: "one decimal number", address: "https://2130706433:PORT/", want: stop},
	{what: "one decimal number, overflowing", address: "https://4294967297:PORT/", want: stop},
	{what: "two numbers", address: "https://127.1:PORT/", want: stop},
	{what: "three numbers", address: "https://127.0.1:PORT/", want: stop},
	{what: "five numbers", address: "https://127.0.0.1.1:PORT/", want: stop},
	{what: "an empty hex number", address: "https://0x.0x.0:PORT/", want: stop},
	{what: "trailing dot after a number", address: "https://127.0.0.1.:PORT/", want: stop},
	{what: "octal of a public number", address: "https://0135.0270.0327.016/", want: stop},

	// Digits and names in other scripts, which become ASCII.
	{what: "full-width digits", address: "https://１２７.０.０.１:PORT/", want: stop},
	{what: "circled digits", address: "https://①②⑦.⓪.⓪.①:PORT/", want: stop},
	{what: "ideographic dots", address: "https://127。0。0。1:PORT/", want: stop},
	{what: "full-width localhost", address: "https://ｌｏｃａｌｈｏｓｔ:PORT/", want: stop},
	{what: "circled localhost", address: "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/", want: stop},
	{what: "soft hyphen in localhost", address: "https://local\u00adhost:PORT/", want: stop},
	{what: "right-to-left override", address: "https://public.example\u202e/", want: stop},

	// Names that lead inside.
	{what: "localhost", address: "https://localhost:PORT/", want: stop},
	{what: "localhost with a dot", address: "https://localhost.:PORT/", want: stop},
	{what: "localhost in capitals", address: "https://LOCALHOST:PORT/", want: stop},
	{what: "a name below localhost", address: "https://app.localhost:PORT/", name: "app.localhost",
		leads: []string{there}, want: stop},
	{what: "a name that leads to loopback", address: "https://inside.example:PORT/", name: "inside.example",
		leads: []string{"127.0.0.1"}, want: stop},
	{what: "a name that leads to loopback, IPv6", address: "https://inside.example:PORT/", name: "inside.example",
		leads: []string{"::1"}, want: stop},
	{what: "a name that leads to mapped loopback", address: "https://inside.example:PORT/", name: "inside.example",
		leads: []string{"::ffff:127.0.0.1"}, want: stop},
	{what: "a name that leads to metadata", address: "https://metadata.google.internal/",
		name: "metadata.google.internal", leads: []string{"169.254.169.254"}, want: stop},
	{what: "a name that leads through NAT64 inside", address: "https://inside.example/", name: "inside.example",
		leads: []string{"64:ff9b::a00:1"}, want: stop},
	{what: "a name that leads to several inside", address: "https://inside.example/", name: "inside.example",
		leads: []string{"10.0.0.1", "fe80::1", "127.0.0.1"}, want: stop},
	{what: "private before public", address: "https://mixed.example/", name: "mixed.example",
		leads: []string{"10.0.0.1", there}, want: good, dials: there + ":443"},
	{what: "loopback after a public one that is down", address: "https://mixed.example:PORT/", name: "mixed.example",
		leads: []string{"93.184.215.66", "127.0.0.1"}, want: gone, dials: "93.184.215.66:PORT"},

	// Spellings that readers divide differently.
	{what: "user before loopback", address: "https://public.example@127.0.0.1:PORT/", want: stop},
	{what: "loopback as user", address: "https://127.0.0.1@public.example/", name: "public.example",
		leads: []string{there}, want: stop},
	{what: "user and password", address: "https://user:hush@public.example/", name: "public.example",
		leads: []string{there}, want: stop},
	{what: "two users", address: "https://a@public.example@127.0.0.1:PORT/", want: stop},
	{what: "backslash before a user", address: `https://public.example\@127.0.0.1:PORT/`, want: stop},
	{what: "backslashes for slashes", address: `https:\\127.0.0.1:PORT/`, want: stop},
	{what: "percent-encoded digits", address: "https://%31%32%37.0.0.1:PORT/", want: stop},
	{what: "percent-encoded end of text", address: "https://127.0.0.1%00.public.example/", want: stop},
	{what: "tab within the host", address: "https://127.0.\t0.1:PORT/", want: stop},
	{what: "line feed within the host", address: "https://127.0.0.1\n.public.example/", want: stop},
	{what: "blank before the address", address: " https://127.0.0.1:PORT/", want: stop},
	{what: "no slashes", address: "https:127.0.0.1:PORT/", want: stop},
	{what: "three slashes", address: "https:///127.0.0.1:PORT/", want: stop},
	{what: "no scheme", address: "//127.0.0.1:PORT/", want: stop},
	{what: "no host", address: "https:///", want: stop},
	{what: "only dots for a host", address: "https://./", want: stop},
	{what: "empty label", address: "https://public..example/", want: stop},
	{what: "a host beyond any name's length", address: "https://" + strings.Repeat("a.", 200) + "example/", want: stop},
	{what: "an address beyond any length", address: "https://public.example/" + strings.Repeat("a", 9000), want: stop},

	// Other protocols, by scheme and by port.
	{what: "a file", address: "file:///etc/passwd", want: stop},
	{what: "a file of a host", address: "file://public.example/etc/passwd", want: stop},
	{what: "ftp", address: "ftp://public.example/", want: stop},
	{what: "gopher", address: "gopher://127.0.0.1:6379/_INFO", want: stop},
	{what: "data", address: "data:text/html,hello", want: stop},
	{what: "javascript", address: "javascript:alert(1)", want: stop},
	{what: "http over the internet", address: "http://public.example/", name: "public.example", leads: []string{there},
		want: stop},
	{what: "http over the internet at the port of https", address: "http://public.example:443/", name: "public.example",
		leads: []string{there}, want: stop},
	{what: "port of a mail server", address: "https://public.example:25/", name: "public.example",
		leads: []string{there}, want: stop},
	{what: "port of a shell", address: "https://public.example:22/", name: "public.example", leads: []string{there},
		want: stop},
	{what: "port of a database", address: "https://public.example:6379/", name: "public.example",
		leads: []string{there}, want: stop},
	{what: "port of a cache", address: "https://public.example:11211/", name: "public.example", leads: []string{there},
		want: stop},
	{what: "port 0", address: "https://public.example:0/", name: "public.example", leads: []string{there}, want: stop},
	{what: "a port beyond 65535, which may wrap", address: "https://public.example:65558/", name: "public.example",
		leads: []string{there}, want: stop},
	{what: "a port that is no number", address: "https://public.example:44e1/", name: "public.example",
		leads: []string{there}, want: stop},
	{what: "a port with leading zeros", address: "https://public.example:0022/", name: "public.example",
		leads: []string{there}, want: stop},

	// What the operator permits, and what that does not extend to.
	{what: "the operator's own machine", own: true, address: "http://localhost:8000/", want: good,
		dials: "127.0.0.1:8000"},
	{what: "the operator's own machine by number", own: true, address: "http://127.0.0.1:8000/", want: good,
		dials: "127.0.0.1:8000"},
	{what: "the operator's own machine by number, IPv6", own: true, address: "http://[::1]:8000/", want: good,
		dials: "[::1]:8000"},
	{what: "the operator's own machine with TLS", own: true, address: "https://127.0.0.1:8000/", want: good,
		dials: "127.0.0.1:8000"},
	{what: "a private host that the operator typed and did not allow", own: true, address: "http://10.0.0.1/",
		want: stop},
	{what: "metadata that the operator typed", own: true, address: "http://169.254.169.254/", want: stop},
	{what: "this host (0.0.0.0) that the operator typed", own: true, address: "http://0.0.0.0:PORT/", want: stop},
	{what: "http over the internet that the operator typed", own: true, address: "http://93.184.215.14/", want: stop},
	{what: "an allowed network", allow: "10.1.0.0/16", address: "https://10.1.2.3/", want: good, dials: "10.1.2.3:443"},
	{what: "an allowed network, http", allow: "10.1.0.0/16", address: "http://10.1.2.3:8080/", want: good,
		dials: "10.1.2.3:8080"},
	{what: "an allowed network, by name", allow: "10.1.0.0/16", address: "http://wiki.example/", name: "wiki.example",
		leads: []string{"10.1.2.3"}, want: good, dials: "10.1.2.3:80"},
	{what: "an allowed network, IPv4 in IPv6", allow: "10.1.0.0/16", address: "http://[::ffff:10.1.2.3]/", want: good,
		dials: "10.1.2.3:80"},
	{what: "an allowed network written as IPv6", allow: "::ffff:10.1.0.0/112", address: "http://10.1.2.3/", want: good,
		dials: "10.1.2.3:80"},
	{what: "beside an allowed network", allow: "10.1.0.0/16", address: "http://10.2.0.1/", want: stop},
	{what: "loopback is not in an allowed network", allow: "10.0.0.0/8", address: "http://127.0.0.1:PORT/", want: stop},
	{what: "metadata in an allowed network", allow: "169.254.0.0/16", address: "http://169.254.169.254/", want: stop},
	{what: "link-local in an allowed network", allow: "169.254.0.0/16", address: "http://169.254.1.1/", want: good,
		dials: "169.254.1.1:80"},
	{what: "metadata where everything is allowed", allow: "0.0.0.0/0", address: "http://169.254.169.254/", want: stop},
	{what: "metadata that is allowed by itself", allow: "169.254.169.254/32", address: "http://169.254.169.254/",
		want: good, dials: "169.254.169.254:80"},
	{what: "a bad port in an allowed network", allow: "10.1.0.0/16", address: "http://10.1.2.3:6379/", want: stop},
	{what: "an octal number in an allowed network", allow: "10.1.0.0/16", address: "http://012.1.2.3/", want: stop},
}

// TestTheGuardHolds makes every attempt of the table: in a world where every address is answered,
// and, when it must fail, once more on this machine's real network, beside a server on all its
// addresses that must not be reached.
func TestTheGuardHolds(t *testing.T) {
	t.Parallel()
	if len(attempts) < 60 {
		t.Fatalf("the table has %d rows", len(attempts))
	}
	w := newWorld(t, "public.example", "mixed.example", "xn--bcher-kva.example", there,
		"2606:2800::1", "9.255.255.255", "172.32.0.0",
		"100.128.0.1", "127.0.0.1", "10.1.2.3")
	w.down = []string{"93.184.215.66"}
	var reached atomic.Int64
	canary := onEveryAddress(t, func() { reached.Add(1) })
	for _, a := range attempts {
		t.Run(a.what, func(t *testing.T) {
			a.address = strings.ReplaceAll(a.address, "PORT", canary)
			a.dials = strings.ReplaceAll(a.dials, "PORT", canary)
			a.inWorld(t, w)
			if a.want != good && a.dials == "" {
				a.onMachine(t, w)
			}
		})
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the server of this machine was reached %d times", n)
	}
}

func (a attempt) inWorld(t *testing.T, w *world) {
	w.names, w.dialled = map[string][][]string{a.name: {a.leads}}, nil
	f := newFetcher(t, a.options(w.options()))
	response, err := f.Get(t.Context(), fetch.Request{URL: a.address, Own: a.own})
	switch {
	case a.want == good && err != nil:
		t.Errorf("it should be fetched: %v", err)
	case a.want == good && !strings.HasPrefix(string(response.Body), "this is "):
		t.Errorf("another document came: %q", response.Body)
	case a.want != good && reasonOf(err) != a.want:
		t.Errorf("it should be %s: %v", a.want, err)
	}
	if err != nil && strings.Contains(err.Error(), "hush") {
		t.Errorf("the error tells the password: %v", err)
	}
	var wanted []string
	if a.dials != "" {
		wanted = []string{a.dials}
	}
	if !slices.Equal(w.dialled, wanted) {
		t.Errorf("dialled %v, wanted %v", w.dialled, wanted)
	}
}

// onMachine makes the attempt with the real dialer.
func (a attempt) onMachine(t *testing.T, w *world) {
	options := a.options(w.options())
	options.Dial = nil
	_, err := newFetcher(t, options).Get(t.Context(), fetch.Request{URL: a.address, Own: a.own})
	if reasonOf(err) != a.want {
		t.Errorf("on the real network it should be %s: %v", a.want, err)
	}
}

func (a attempt) options(options fetch.Options) fetch.Options {
	if a.allow != "" {
		options.Allow = []netip.Prefix{netip.MustParsePrefix(a.allow)}
	}
	return options
}

// onEveryAddress is a server on all addresses of this machine that tells of each connection; it
// gives its port.
func onEveryAddress(t *testing.T, connected func()) string {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener,
		Config: &http.Server{ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connected()
			}
		}}}
	server.Start()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestAnAddressIsJudgedOnceMoreWhenItIsDialled holds the dialer itself to the rules, whatever was
// judged before.
func TestAnAddressIsJudgedOnceMoreWhenItIsDialled(t *testing.T) {
	t.Parallel()
	server := peer(t, func(http.ResponseWriter, *http.Request) {})
	to := netip.MustParseAddrPort(server.Listener.Addr().String())
	if conn, err := newFetcher(t, fetch.Options{}).Connect(t.Context(), to); reasonOf(err) != fetch.Refused {
		t.Errorf("%s was dialled: %v %v", to, conn, err)
	}
	allowing := newFetcher(t, fetch.Options{Allow: []netip.Prefix{netip.PrefixFrom(to.Addr(), 32)}})
	conn, err := allowing.Connect(t.Context(), to)
	if err != nil {
		t.Fatalf("an allowed address: %v", err)
	}
	conn.Close()
}
