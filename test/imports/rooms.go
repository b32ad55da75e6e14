// Package imports holds the rules of who may import whom, as a table of rooms and a test that reads every Go file
// of the module. A package without a row fails, an import that its row does not name fails.
//
// The picture that the table draws:
//
//	cmd → cli → server → doors (nlweb, mcp, discovery, console) → desk → {answer, terms, content} → store
//	      answer → search      cli, server → ingest      everyone → fail
//
// A new edge is a decision about the house: it is made here, in a line that a reviewer sees.
package imports

// room is the row of one package.
type room struct {
	path string
	// inside are the packages of this module that it may import.
	inside []string
	// outside are prefixes of third-party import paths that it may import.
	outside []string
	// pure rooms have no I/O and no clock: of the standard library they may import only what pureStandard lists.
	pure bool
	// sql rooms own tables, and may import database/sql.
	sql bool
	// A tool runs other programs.
	tool bool
	// generated rooms hold code that a generator wrote, and may import unsafe as its library has it.
	generated bool
}

// Third-party libraries by what they are for.
const (
	sqlite      = "github.com/ncruces/go-sqlite3"
	postgres    = "github.com/jackc/pgx/v5"
	stemmer     = "github.com/kljensen/snowball"
	yaml        = "github.com/goccy/go-yaml"
	toml        = "github.com/pelletier/go-toml/v2"
	markdown    = "github.com/yuin/goldmark"
	feeds       = "github.com/mmcdole/gofeed"
	html        = "golang.org/x/net/html"
	text        = "golang.org/x/text"
	hostNames   = "golang.org/x/net/idna"
	jsonText    = "github.com/go-json-experiment/json"
	commandLine = "github.com/alecthomas/kong"
	frames      = "golang.org/x/net/http2"
	metrics     = "github.com/prometheus/client_golang"
	cache       = "github.com/maypok86/otter/v2"
	syncx       = "golang.org/x/sync"
	sysx        = "golang.org/x/sys"
	acme        = "github.com/caddyserver/certmagic"
	roots       = "golang.org/x/crypto/x509roots/fallback"
	acmeLog     = "go.uber.org/zap"
	mcpSDK      = "github.com/modelcontextprotocol/go-sdk"
	jsonSchema  = "github.com/google/jsonschema-go"
	schemas     = "github.com/santhosh-tekuri/jsonschema/v6"
	jose        = "github.com/go-jose/go-jose/v4"
	notes       = "golang.org/x/mod/sumdb/note"
	trees       = "golang.org/x/mod/sumdb/tlog"
	properties  = "pgregory.net/rapid"
	expressions = "cel.dev/cel-go"
	mail        = "github.com/wneessen/go-mail"
	protobuf    = "google.golang.org/protobuf"
	connect     = "connectrpc.com/connect"
	reflection  = "connectrpc.com/grpcreflect"
	webSocket   = "github.com/coder/websocket"
	curve       = "filippo.io/edwards25519"
)

// Rooms is the table. It is written from the bottom of the house to its top.
var rooms = []room{
	// Leaves: everyone may import them.
	{path: "internal/fail", pure: true},
	{path: "internal/event"},
	{path: "internal/release"},
	{path: "internal/accept"},
	{path: "internal/tool"},
	{path: "internal/plain", outside: []string{jsonText}, pure: true},
	{path: "internal/wellknown", outside: []string{jsonText}},

	// What goes over the wire: shared by server and clients, no I/O.
	{path: "wire/strictjson", inside: []string{"internal/fail"}, outside: []string{jsonText}, pure: true},
	{path: "wire/nlweb", inside: []string{"internal/fail", "wire/strictjson"}, outside: []string{jsonText}, pure: true},

	{path: "wire/sign", inside: []string{"wire/strictjson"}, outside: []string{jsonText}, pure: true},
	{path: "wire/contenthash", pure: true},
	{path: "wire/receipt", inside: []string{"wire/sign", "wire/strictjson"}, outside: []string{jsonText, notes, trees}, pure: true},
	{path: "wire/biscuit", outside: []string{protobuf}, pure: true},
	{path: "wire/document", inside: []string{"wire/sign", "wire/strictjson"}, outside: []string{schemas}, pure: true},
	{path: "wire/intent", inside: []string{"wire/document", "wire/sign", "wire/strictjson"}, outside: []string{jsonText}, pure: true},
	{path: "wire/intake", inside: []string{"wire/document", "wire/sign", "wire/strictjson"}, outside: []string{jsonText, schemas}, pure: true},

	{path: "wire/licence", outside: []string{html, text}, pure: true},
	{path: "wire/edge", inside: []string{"wire/strictjson"}, outside: []string{jsonText}, pure: true},
	{path: "wire/comp/v1", outside: []string{protobuf}, pure: true, generated: true},
	{path: "wire/ramp/v1", inside: []string{"wire/comp/v1"}, outside: []string{protobuf}, pure: true, generated: true},
	{path: "wire/ramp/v1/rampv1connect", inside: []string{"wire/ramp/v1"}, outside: []string{connect}},
	{path: "wire/delivery/v1", outside: []string{protobuf}, pure: true, generated: true},
	{path: "wire/delivery/v1/deliveryv1connect", inside: []string{"wire/delivery/v1"}, outside: []string{connect}},
	{path: "wire/grpc/health/v1", outside: []string{protobuf}, pure: true, generated: true},
	{path: "wire/grpc/health/v1/healthv1connect", inside: []string{"wire/grpc/health/v1"}, outside: []string{connect}},
	{path: "wire/ramp", inside: []string{"wire/comp/v1", "wire/contenthash", "wire/ramp/v1", "wire/sign", "wire/strictjson"}, outside: []string{jsonText, protobuf}, pure: true},

	// The guarded way to other people's addresses.
	{path: "internal/fetch/robots", pure: true},
	{path: "internal/fetch", inside: []string{"internal/fetch/robots"}, outside: []string{hostNames}},
	// The public SDK: it asks any front desk, and knows nothing of how ours works.
	{path: "client", inside: []string{"wire/biscuit", "wire/comp/v1", "wire/contenthash", "wire/document", "wire/intake", "wire/nlweb", "wire/intent", "wire/ramp", "wire/ramp/v1", "wire/receipt", "wire/sign", "wire/strictjson"}, outside: []string{jsonText, protobuf}},

	// The owner's own systems, told what happened.
	{path: "internal/post", inside: []string{"internal/fetch", "wire/sign", "wire/strictjson"}, outside: []string{mail}},
	// What is offered for what is submitted.
	{path: "internal/submission/engine", inside: []string{"internal/fail", "internal/fetch", "internal/plain", "internal/post", "internal/strictyaml", "wire/document", "wire/intake", "wire/sign", "wire/strictjson"}, outside: []string{expressions}},

	// Anybody's publisher, looked at from outside.
	{path: "internal/check", inside: []string{"wire/comp/v1", "wire/intake", "wire/intent", "wire/licence", "wire/ramp", "wire/ramp/v1", "wire/sign", "wire/strictjson"}, outside: []string{jsonText, protobuf}},

	// The owner's language model, by HTTP.
	{path: "internal/model"},

	// Configuration files read strictly, with line and column.
	{path: "internal/strictyaml", outside: []string{yaml}, pure: true},

	// The owner's rules: rules and facts in, a decision out.
	{path: "internal/terms", inside: []string{"internal/fail", "wire/licence"}, outside: []string{hostNames, text}, pure: true},

	// What can be done with items: released items in, actions out.
	{path: "internal/action", inside: []string{"internal/terms", "internal/strictyaml"}, pure: true},

	// Questions: what can be said of items, what is wanted, and what we say ourselves.
	{path: "internal/facet", outside: []string{jsonText, text}, pure: true},
	{path: "internal/understand", inside: []string{"internal/facet", "internal/phrase"}, outside: []string{jsonText, text}, pure: true},
	{path: "internal/phrase", outside: []string{text}, pure: true},
	{path: "internal/elicit", inside: []string{"internal/facet", "internal/phrase"}, outside: []string{jsonText}, pure: true},

	// Storage and what is built on it.
	{path: "internal/store", outside: []string{sqlite, postgres, syncx, sysx}, sql: true},
	{path: "internal/store/storetest", inside: []string{"internal/store"}, outside: []string{sqlite, postgres}, sql: true},
	{path: "internal/content", inside: []string{"internal/fail", "internal/plain", "internal/store"}, sql: true},
	{path: "internal/content/internal/classgen"},
	{path: "internal/backup", inside: []string{"internal/store"}},

	// What happened, kept so that nobody can change it unseen.
	{path: "internal/ledger", inside: []string{"internal/fail", "internal/store", "wire/receipt"}, outside: []string{notes, trees}, sql: true},

	// Who asks, and how often.
	{path: "internal/trust", inside: []string{"internal/fail", "internal/fetch", "internal/store", "wire/biscuit", "wire/edge", "wire/ramp", "wire/ramp/v1", "wire/sign", "wire/strictjson"}, outside: []string{jose, notes, protobuf}, sql: true},
	// What others say of content, and we do, signed.
	{path: "internal/keytable", outside: []string{curve}, pure: true},
	{path: "internal/attest", inside: []string{"internal/fail", "internal/keytable", "internal/store", "internal/trust", "wire/contenthash", "wire/ramp", "wire/ramp/v1"}, outside: []string{protobuf}, sql: true},
	{path: "internal/limit", inside: []string{"internal/store"}},
	// What the language model took of a day.
	{path: "internal/spend", inside: []string{"internal/model", "internal/store"}},
	// What was given passage by passage, and what is still to be done outside.
	{path: "internal/excerpt", inside: []string{"internal/store"}, outside: []string{jsonText}, sql: true},
	{path: "internal/outbox", inside: []string{"internal/store"}, sql: true},
	// What was offered and sold.
	{path: "internal/deal", inside: []string{"internal/content", "internal/store", "internal/terms"}, outside: []string{jsonText}, sql: true},
	// What is bought under delegations, counted.
	{path: "internal/delegation", inside: []string{"internal/store"}, sql: true},
	// What others logged of deliveries, beside our own records.
	{path: "internal/evidence", inside: []string{"internal/deal", "internal/fail", "internal/store"}, outside: []string{jsonText}, sql: true},
	// What is done about those between whom too much goes wrong.
	{path: "internal/measure", inside: []string{"internal/fail", "internal/ledger", "internal/store", "wire/receipt"}, outside: []string{notes}, sql: true},
	// What an edge delivered and whom it saw, in files until the Exchange has taken it.
	{path: "internal/traffic", inside: []string{"internal/store"}, sql: true},
	{path: "internal/spool", inside: []string{"internal/fetch", "wire/edge", "wire/sign", "wire/strictjson"}, outside: []string{jsonText}},
	// What agents submit and bind, sealed, and the engines that make offers.
	{path: "internal/submission", inside: []string{"internal/fail", "internal/store", "wire/intake", "wire/strictjson"}, outside: []string{jsonText}, sql: true},
	// What buyers paid in, what is held and charged of it, and what their subscriptions still give.
	{path: "internal/account", inside: []string{"internal/fail", "internal/store", "internal/terms"}, sql: true},
	// What providers push, and for whom the Exchange sells.
	{path: "internal/supply", inside: []string{"internal/fail", "internal/store", "internal/terms"}, outside: []string{jsonText}, sql: true},
	// What an operator's programs add to the owner's rules.
	{path: "internal/rulebook", inside: []string{"internal/fail", "internal/store", "internal/terms"}, sql: true},
	// What buyers dispute, and the rules that decide.
	{path: "internal/dispute", inside: []string{"internal/store"}, sql: true},
	// What was sold, written for other programs.
	{path: "internal/report", inside: []string{"internal/account", "internal/deal", "internal/dispute", "internal/evidence", "internal/fail", "internal/terms"}},
	// What a conversation needs beyond one request.
	{path: "internal/session", inside: []string{"internal/fail", "internal/store"}, outside: []string{jsonText}, sql: true},
	{path: "internal/search", inside: []string{"internal/fail"}, outside: []string{stemmer, text}},
	{path: "internal/eval", outside: []string{text}},
	{path: "internal/ingest/tree"},
	{path: "internal/ingest/passage", pure: true},
	{path: "internal/ingest/frontier", pure: true},
	{path: "internal/ingest/sitemap", inside: []string{"wire/licence"}, outside: []string{html}},
	{
		path: "internal/ingest",
		inside: []string{
			"internal/fail", "internal/release", "internal/content", "internal/fetch", "internal/ingest/tree", "internal/ingest/passage",
			"internal/ingest/frontier", "internal/ingest/sitemap", "internal/plain", "wire/licence",
		},
		outside: []string{feeds, yaml, toml, markdown, html, text, jsonText, syncx},
	},
	// What sites state of their addresses, read where it stands.
	{path: "internal/stated", inside: []string{"internal/fail", "internal/fetch", "internal/ingest/sitemap", "internal/store", "internal/terms", "wire/licence"}, sql: true},
	// What can be sold, found by its address.
	{path: "internal/catalog", inside: []string{"internal/content", "internal/plain", "internal/stated", "internal/store", "internal/supply", "internal/terms", "wire/contenthash"}, outside: []string{jsonText}},
	// Texts as vectors, which the model makes.
	{path: "internal/vector", inside: []string{"internal/content", "internal/model", "internal/search", "internal/store"}},
	{
		path:    "internal/answer",
		inside:  []string{"internal/fail", "internal/content", "internal/search", "internal/terms", "internal/facet", "internal/understand", "internal/phrase"},
		outside: []string{jsonText},
	},

	// The one door.
	{
		path: "internal/desk",
		inside: []string{
			"internal/fail", "internal/action", "internal/answer", "internal/content", "internal/search", "internal/terms",
			"internal/facet", "internal/understand", "internal/phrase", "internal/session", "internal/model", "internal/elicit",
			"internal/vector", "internal/store", "internal/trust", "internal/ledger", "internal/excerpt", "internal/outbox", "wire/intent", "wire/receipt",
			"internal/attest", "internal/catalog", "internal/deal", "internal/delegation", "internal/dispute", "internal/evidence", "internal/supply", "internal/traffic", "wire/contenthash", "wire/edge", "wire/licence", "wire/ramp/v1",
			"internal/account",
			"internal/submission", "internal/submission/engine", "wire/intake", "wire/ramp", "wire/sign", "wire/strictjson",
		},
		outside: []string{cache, jsonText, protobuf, syncx},
	},

	// Doors speak one protocol each: the desk, what goes over the wire, and nothing below or beside.
	{path: "internal/nlweb", inside: []string{"internal/fail", "internal/event", "internal/phrase", "internal/trust", "internal/desk", "internal/tool", "wire/nlweb", "wire/strictjson"}, outside: []string{jsonText}},
	{
		path:    "internal/mcp",
		inside:  []string{"internal/fail", "internal/event", "internal/desk", "internal/plain", "internal/tool", "wire/strictjson"},
		outside: []string{mcpSDK, jsonText},
	},
	{path: "internal/intent", inside: []string{"internal/fail", "internal/event", "internal/trust", "internal/desk", "internal/wellknown", "wire/intent", "wire/sign", "wire/strictjson"}, outside: []string{jsonText}},
	{path: "internal/intake", inside: []string{"internal/fail", "internal/event", "internal/desk", "internal/tool", "internal/wellknown", "wire/document", "wire/intake", "wire/strictjson"}, outside: []string{jsonText}},
	{
		path: "internal/ramp",
		inside: []string{
			"internal/accept", "internal/fail", "internal/event", "internal/trust", "internal/desk", "internal/tool", "internal/wellknown", "wire/comp/v1", "wire/contenthash", "wire/edge", "wire/grpc/health/v1", "wire/grpc/health/v1/healthv1connect",
			"wire/delivery/v1", "wire/delivery/v1/deliveryv1connect", "wire/ramp", "wire/ramp/v1", "wire/ramp/v1/rampv1connect", "wire/sign", "wire/strictjson",
		},
		outside: []string{connect, reflection, jsonText, protobuf, webSocket},
	},
	// RAMP's buyer side for others.
	{path: "internal/broker", inside: []string{"client", "internal/keytable", "internal/store", "internal/trust", "wire/biscuit", "wire/comp/v1", "wire/ramp", "wire/ramp/v1"}, outside: []string{protobuf}, sql: true},
	// The gate before an origin: of the house it knows the records and the limiter.
	{
		path:    "internal/edge",
		inside:  []string{"internal/event", "internal/fetch", "internal/limit", "internal/spool", "wire/edge", "wire/ramp", "wire/ramp/v1", "wire/sign"},
		outside: []string{text},
	},
	// The operator's own programs, over HTTP.
	{path: "internal/admin", inside: []string{"internal/accept", "internal/account", "internal/dispute", "internal/evidence", "internal/event", "internal/fail", "internal/report", "internal/rulebook", "internal/store", "internal/supply", "internal/terms", "internal/trust", "wire/contenthash", "wire/ramp", "wire/sign", "wire/strictjson"}},
	{path: "internal/discovery", inside: []string{"internal/fail", "internal/event", "internal/desk"}},
	{path: "internal/discovery/internal/openapigen", inside: []string{"wire/delivery/v1", "wire/edge", "wire/nlweb", "wire/ramp/v1", "wire/sign", "wire/strictjson"}, outside: []string{protobuf}},
	// The page on which people ask, and the owner's pages with narrow readers of what happened.
	{
		path: "internal/console",
		inside: []string{
			"internal/fail", "internal/phrase", "internal/trust", "internal/ledger", "internal/excerpt", "internal/desk", "internal/outbox", "internal/submission",
			"internal/account", "internal/deal", "internal/measure", "internal/dispute", "internal/evidence", "internal/report", "internal/submission/engine", "internal/supply", "internal/terms", "internal/traffic", "wire/receipt", "wire/strictjson",
		},
	},
	{path: "internal/demo", inside: []string{"internal/fail"}, outside: []string{yaml, markdown}},

	// The certificate of the public listener.
	{path: "internal/certs", outside: []string{acme, acmeLog}},

	// One who buys: the tools of an assistant, and the wallet that holds it to what a person allows.
	{path: "internal/buyer", inside: []string{"client", "internal/store", "internal/tool", "wire/comp/v1", "wire/ramp", "wire/ramp/v1", "wire/strictjson"}, sql: true},

	// What assembles the house.
	{
		path: "internal/server",
		inside: []string{
			"internal/account", "internal/admin", "internal/attest", "internal/broker", "internal/keytable", "internal/measure", "internal/edge", "internal/stated", "internal/supply", "internal/evidence", "internal/fail", "internal/ledger", "internal/report", "internal/rulebook", "internal/release", "internal/event", "internal/spool", "internal/fetch", "internal/action", "internal/elicit", "internal/backup", "internal/store", "internal/content", "internal/ingest", "internal/trust", "internal/limit", "internal/terms", "internal/desk",
			"internal/model", "internal/search", "internal/spend", "internal/understand", "internal/vector",
			"internal/session", "internal/nlweb", "internal/discovery", "internal/mcp", "internal/tool", "internal/console", "internal/demo", "internal/strictyaml", "internal/certs", "wire/receipt",
			"internal/catalog", "internal/deal", "internal/delegation", "internal/dispute", "internal/traffic", "internal/excerpt", "internal/outbox", "internal/intent", "internal/intake", "internal/ramp", "internal/submission", "internal/submission/engine", "internal/post", "internal/wellknown", "wire/contenthash", "wire/edge", "wire/intent", "wire/intake", "wire/ramp", "wire/ramp/v1", "wire/sign", "wire/strictjson",
		},
		outside: []string{notes, metrics, sysx, frames, connect, protobuf},
	},
	// A whole market in one process, put together of what others are.
	{path: "internal/market", inside: []string{"client", "internal/buyer", "internal/fail", "internal/fetch", "internal/ledger", "internal/server", "internal/tool", "wire/intake", "wire/receipt", "wire/strictjson"}},
	{
		path: "internal/cli",
		inside: []string{
			"internal/account", "internal/admin", "internal/dispute", "internal/evidence", "internal/fail", "internal/ledger", "internal/report", "wire/receipt", "internal/release", "internal/backup", "internal/store", "internal/content", "internal/ingest", "internal/trust", "internal/limit", "internal/terms", "internal/desk",
			"internal/server", "internal/buyer", "internal/market", "internal/mcp", "internal/tool", "internal/supply", "internal/eval", "internal/demo", "internal/strictyaml", "internal/check", "client", "wire/biscuit", "wire/comp/v1", "wire/contenthash", "wire/ramp", "wire/ramp/v1", "wire/nlweb", "wire/intake", "wire/intent",
			"wire/sign", "wire/strictjson",
		},
		outside: []string{commandLine, protobuf},
	},
	{path: "cmd/frontdesk", inside: []string{"internal/cli"}, outside: []string{roots}},

	// Black-box tests and their tools.
	{path: "test/imports"},
	{path: "test/suites", tool: true},
	{path: "test/figures", tool: true},
	{path: "test/clock"},
	{path: "test/transcript", outside: testTools},
	{path: "test/process", tool: true},
	{path: "test/business", inside: []string{"test/process"}},
	{path: "test/business/peer"},
	{path: "test/broker", inside: []string{"client", "test/exchange", "test/process", "wire/ramp/v1"}, outside: []string{protobuf}},
	{path: "test/broker/peer", inside: []string{"test/exchange", "wire/ramp", "wire/ramp/v1"}, outside: []string{protobuf}},
	{path: "test/exchange", inside: []string{"wire/comp/v1", "wire/ramp", "wire/ramp/v1", "wire/sign"}, outside: []string{protobuf}},
	{path: "test/offers", inside: []string{"test/business", "test/process"}},
	{path: "test/kill", inside: []string{"internal/account", "internal/deal", "internal/dispute", "internal/store", "internal/content", "internal/outbox", "internal/catalog", "internal/stated", "internal/supply", "test/process", "wire/ramp", "wire/ramp/v1", "wire/ramp/v1/rampv1connect", "wire/receipt", "wire/sign"}, outside: []string{protobuf, connect}},
	{path: "test/edge", inside: []string{"test/process", "wire/edge", "wire/sign"}, tool: true},
	{path: "test/market", inside: []string{"test/process"}},
	{path: "test/circle", inside: []string{"test/process"}, outside: []string{mcpSDK}},
	{path: "test/domain", inside: []string{"client", "test/process"}, tool: true},
	{path: "test/hostile", inside: []string{"test/process"}, outside: []string{frames}},
	{path: "test/docs", inside: []string{"test/process"}},
	{path: "test/frozen", inside: []string{"test/process"}, outside: []string{sqlite, yaml}, sql: true},
	{path: "test/model", inside: []string{"test/process"}},
	{path: "test/model/endpoint"},
	{path: "test/sdk", inside: []string{"test/process"}, tool: true},
	{path: "test/streams", inside: []string{"internal/account", "internal/store", "test/process", "client"}},
	{path: "test/mcp", inside: []string{"internal/server", "internal/content", "test/process"}, outside: []string{mcpSDK}},
	{path: "test/mcp/everything", inside: []string{"internal/mcp", "internal/tool"}, outside: []string{mcpSDK, jsonSchema}},
	{path: "test/load", inside: []string{"internal/store", "test/process", "client", "wire/ramp", "wire/ramp/v1", "wire/sign"}, outside: []string{protobuf, syncx}},
	{path: "test/pages", inside: []string{"test/process"}, outside: []string{html, text}},
	{path: "test/discovery", inside: []string{"test/process"}},
	{path: "test/tables", inside: []string{"wire/document", "wire/sign"}, outside: []string{properties}},
	{path: "test/publisher", inside: []string{"wire/intent", "wire/sign"}},
	{path: "test/agent", inside: []string{"test/process"}, tool: true},
	{path: "test/provider", inside: []string{"wire/intake", "wire/sign", "wire/strictjson"}},
	{path: "test/biscuit/peer", inside: []string{"wire/biscuit"}},
	{path: "test/ramp/peer", inside: []string{"test/ramp/made", "wire/ramp"}, outside: []string{protobuf}},
	{path: "test/ramp/made", inside: []string{"wire/comp/v1", "wire/ramp/v1"}, outside: []string{protobuf}},
	{path: "test/check", inside: []string{"internal/check", "test/process"}},
	{path: "test/intake", inside: []string{"internal/store", "test/process"}},
	{path: "test/retention", inside: []string{"test/process"}},
	{path: "test/intent", inside: []string{"internal/store", "test/process"}},
	{path: "test/conformance", inside: []string{"internal/store", "test/process"}},
	{path: "test/constrained", inside: []string{"internal/eval", "test/process"}},
}

// testTools are the third-party libraries that tests of every room may use.
var testTools = []string{
	"github.com/google/go-cmp", "pgregory.net/rapid", "github.com/rogpeppe/go-internal/testscript", "golang.org/x/tools/txtar", html,
	markdown,                                               // reads the Markdown that is written
	jose, "github.com/modelcontextprotocol/go-sdk/oauthex", // for authorization servers that tests play, and clients that look for them
}

// testRooms are the packages of ours that exist for the tests of other rooms.
var testRooms = []string{"internal/store/storetest", "test/transcript", "test/model", "test/clock", "test/publisher", "test/provider", "test/business", "test/tables", "test/ramp/made", "test/exchange"}

// guarded are packages of the standard library that only some rooms may import outside tests.
var guarded = map[string]func(room) bool{
	"database/sql":        func(r room) bool { return r.sql },
	"database/sql/driver": func(r room) bool { return r.sql },
	"os/exec":             func(r room) bool { return r.tool },
	"plugin":              func(room) bool { return false },
	"unsafe":              func(r room) bool { return r.generated },
	"C":                   func(room) bool { return false },
}

// pureStandard is what a room without I/O may import of the standard library.
var pureStandard = []string{
	"bufio", "bytes", "cmp", "container/heap", "crypto", "crypto/ecdsa", "crypto/ed25519", "crypto/elliptic", "crypto/hmac", "crypto/rsa", "crypto/sha1", "crypto/sha256", "crypto/sha512", "crypto/subtle", "crypto/x509", "embed", "encoding", "encoding/base32",
	"encoding/base64", "encoding/binary", "encoding/hex", "encoding/json", "encoding/xml", "encoding/pem", "errors", "fmt", "hash", "hash/fnv", "hash/maphash",
	"io", "iter", "maps", "math", "math/big", "math/bits",
	"net/netip", "net/url", "path", "reflect", "regexp", "regexp/syntax", "slices", "sort", "strconv", "strings", "sync", "sync/atomic", "time",
	"unicode", "unicode/utf16", "unicode/utf8", "unique",
}

// clock are the names of package time that read or wait for the clock: a pure room is handed the time instead.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}
