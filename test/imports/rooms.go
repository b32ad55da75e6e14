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
	{path: "internal/infra/fail", pure: true},
	{path: "internal/infra/build"},
	{path: "internal/infra/httpx", outside: []string{jsonText}},
	{path: "internal/infra/plain", outside: []string{jsonText}, pure: true},

	// What goes over the wire: shared by server and clients, no I/O.
	{path: "wire/strictjson", inside: []string{"internal/infra/fail"}, outside: []string{jsonText}, pure: true},
	{path: "wire/nlweb", inside: []string{"internal/infra/fail", "wire/strictjson"}, outside: []string{jsonText}, pure: true},

	{path: "wire/sign", inside: []string{"wire/strictjson"}, outside: []string{jsonText}, pure: true},
	{path: "wire/contenthash", pure: true},
	{path: "wire/receipt", inside: []string{"wire/sign", "wire/strictjson"}, outside: []string{jsonText, notes, trees}, pure: true},
	{path: "biscuit", outside: []string{protobuf}, pure: true},
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
	{path: "internal/infra/fetch/robots", pure: true},
	{path: "internal/infra/fetch", inside: []string{"internal/infra/fetch/robots"}, outside: []string{hostNames}},
	// The public SDK: it asks any front desk, and knows nothing of how ours works.
	{path: "client", inside: []string{"biscuit", "wire/comp/v1", "wire/contenthash", "wire/document", "wire/intake", "wire/nlweb", "wire/intent", "wire/ramp", "wire/ramp/v1", "wire/receipt", "wire/sign", "wire/strictjson"}, outside: []string{jsonText, protobuf}},

	// The owner's own systems, told what happened.
	{path: "internal/infra/notify", inside: []string{"internal/infra/fetch", "wire/sign", "wire/strictjson"}, outside: []string{mail}},
	// What is offered for what is submitted.
	{path: "internal/intake/offers", inside: []string{"internal/infra/fail", "internal/infra/fetch", "internal/infra/plain", "internal/infra/notify", "internal/infra/yamlconf", "wire/document", "wire/intake", "wire/sign", "wire/strictjson"}, outside: []string{expressions}},

	// Anybody's publisher, looked at from outside.
	{path: "check", inside: []string{"wire/comp/v1", "wire/intake", "wire/intent", "wire/licence", "wire/ramp", "wire/ramp/v1", "wire/sign", "wire/strictjson"}, outside: []string{jsonText, protobuf}},

	// The owner's language model, by HTTP.
	{path: "internal/infra/llm", inside: []string{"internal/infra/store"}, sql: true},

	// Configuration files read strictly, with line and column.
	{path: "internal/infra/yamlconf", outside: []string{yaml}, pure: true},

	// The owner's rules: rules and facts in, a decision out.
	{path: "internal/policy", inside: []string{"internal/infra/fail", "wire/licence"}, outside: []string{hostNames, text}, pure: true},

	// What can be done with items: released items in, actions out.
	{path: "internal/ask/actions", inside: []string{"internal/policy", "internal/infra/yamlconf"}, pure: true},

	// Questions: what can be said of items, what is wanted, and what we say ourselves.
	{path: "internal/content/facets", outside: []string{jsonText, text}, pure: true},
	{path: "internal/ask/query", inside: []string{"internal/content/facets", "internal/ask/i18n"}, outside: []string{jsonText, text}, pure: true},
	{path: "internal/ask/i18n", outside: []string{text}, pure: true},
	{path: "internal/ask/elicitation", inside: []string{"internal/content/facets", "internal/ask/i18n"}, outside: []string{jsonText}, pure: true},

	// Storage and what is built on it.
	{path: "internal/infra/store", outside: []string{sqlite, postgres, syncx, sysx}, sql: true},
	{path: "internal/testkit/storetest", inside: []string{"internal/infra/store"}, outside: []string{sqlite, postgres}, sql: true},
	{path: "internal/content", inside: []string{"internal/infra/fail", "internal/infra/plain", "internal/infra/store"}, sql: true},
	{path: "internal/content/internal/classgen"},
	{path: "internal/infra/store/backup", inside: []string{"internal/infra/store"}},

	// What happened, kept so that nobody can change it unseen.
	{path: "internal/ledger", inside: []string{"internal/infra/fail", "internal/infra/store", "wire/receipt"}, outside: []string{notes, trees}, sql: true},

	// Who asks, and how often.
	{path: "internal/identity", inside: []string{"internal/infra/fail", "internal/infra/fetch", "internal/infra/store", "biscuit", "wire/edge", "wire/ramp", "wire/ramp/v1", "wire/sign", "wire/strictjson"}, outside: []string{jose, notes, protobuf}, sql: true},
	// What others say of content, and we do, signed.
	{path: "internal/licensing/keytable", outside: []string{curve}, pure: true},
	{path: "internal/licensing/attestation", inside: []string{"internal/infra/fail", "internal/licensing/keytable", "internal/infra/store", "internal/identity", "wire/contenthash", "wire/ramp", "wire/ramp/v1"}, outside: []string{protobuf}, sql: true},
	{path: "internal/infra/ratelimit", inside: []string{"internal/infra/store"}},
	// What was given passage by passage, and what is still to be done outside.
	{path: "internal/excerpts/grants", inside: []string{"internal/infra/store"}, outside: []string{jsonText}, sql: true},
	{path: "internal/infra/outbox", inside: []string{"internal/infra/store"}, sql: true},
	// What was offered and sold.
	{path: "internal/licensing/transactions", inside: []string{"internal/content", "internal/infra/store", "internal/policy"}, outside: []string{jsonText}, sql: true},
	// What is bought under delegations, counted.
	{path: "internal/licensing/accounts/counts", inside: []string{"internal/infra/store"}, sql: true},
	// What others logged of deliveries, beside our own records.
	{path: "internal/licensing/disputes/accesslog", inside: []string{"internal/licensing/transactions", "internal/infra/fail", "internal/infra/store"}, outside: []string{jsonText}, sql: true},
	// What is done about those between whom too much goes wrong.
	{path: "internal/licensing/disputes/enforcement", inside: []string{"internal/infra/fail", "internal/ledger", "internal/infra/store", "wire/receipt"}, outside: []string{notes}, sql: true},
	// What an edge delivered and whom it saw, in files until the Exchange has taken it.
	{path: "internal/licensing/delivery/botstats", inside: []string{"internal/infra/store"}, sql: true},
	{path: "internal/licensing/edge/deliverylog", inside: []string{"internal/infra/fetch", "wire/edge", "wire/sign", "wire/strictjson"}, outside: []string{jsonText}},
	// What agents submit and bind, sealed, and the engines that make offers.
	{path: "internal/intake/vault", inside: []string{"internal/infra/fail", "internal/infra/store", "wire/intake", "wire/strictjson"}, outside: []string{jsonText}, sql: true},
	// What buyers paid in, what is held and charged of it, and what their subscriptions still give.
	{path: "internal/licensing/accounts", inside: []string{"internal/infra/fail", "internal/infra/store", "internal/policy"}, sql: true},
	// What providers push, and for whom the Exchange sells.
	{path: "internal/licensing/catalog/push", inside: []string{"internal/infra/fail", "internal/infra/store", "internal/policy"}, outside: []string{jsonText}, sql: true},
	// What an operator's programs add to the owner's rules.
	{path: "internal/policy/overrides", inside: []string{"internal/infra/fail", "internal/infra/store", "internal/policy"}, sql: true},
	// What buyers dispute, and the rules that decide.
	{path: "internal/licensing/disputes", inside: []string{"internal/infra/store"}, sql: true},
	// What was sold, written for other programs.
	{path: "internal/licensing/reports", inside: []string{"internal/licensing/accounts", "internal/licensing/transactions", "internal/licensing/disputes", "internal/licensing/disputes/accesslog", "internal/infra/fail", "internal/policy"}},
	// What a conversation needs beyond one request.
	{path: "internal/ask/session", inside: []string{"internal/infra/fail", "internal/infra/store"}, outside: []string{jsonText}, sql: true},
	{path: "internal/content/search", inside: []string{"internal/infra/fail"}, outside: []string{stemmer, text}},
	{path: "internal/cli/eval", outside: []string{text}},
	{path: "internal/content/ingest/jsonrepair"},
	{path: "internal/content/ingest/passage", pure: true},
	{path: "internal/content/ingest/frontier", pure: true},
	{path: "internal/content/ingest/sitemap", inside: []string{"wire/licence"}, outside: []string{html}},
	{
		path: "internal/content/ingest",
		inside: []string{
			"internal/infra/fail", "internal/infra/build", "internal/content", "internal/infra/fetch", "internal/content/ingest/jsonrepair", "internal/content/ingest/passage",
			"internal/content/ingest/frontier", "internal/content/ingest/sitemap", "internal/infra/plain", "wire/licence",
		},
		outside: []string{feeds, yaml, toml, markdown, html, text, jsonText, syncx},
	},
	// What sites state of their addresses, read where it stands.
	{path: "internal/policy/imported", inside: []string{"internal/infra/fail", "internal/infra/fetch", "internal/content/ingest/sitemap", "internal/infra/store", "internal/policy", "wire/licence"}, sql: true},
	// What can be sold, found by its address.
	{path: "internal/licensing/catalog", inside: []string{"internal/content", "internal/infra/plain", "internal/policy/imported", "internal/infra/store", "internal/licensing/catalog/push", "internal/policy", "wire/contenthash"}, outside: []string{jsonText}},
	// Texts as vectors, which the model makes.
	{path: "internal/content/vector", inside: []string{"internal/content", "internal/infra/llm", "internal/content/search", "internal/infra/store"}},
	{
		path:    "internal/content/index",
		inside:  []string{"internal/infra/fail", "internal/content", "internal/content/search", "internal/policy", "internal/content/facets", "internal/ask/query", "internal/ask/i18n"},
		outside: []string{jsonText},
	},

	// The one door.
	{
		path: "internal/desk",
		inside: []string{
			"internal/infra/fail", "internal/ask/actions", "internal/content/index", "internal/content", "internal/content/search", "internal/policy",
			"internal/content/facets", "internal/ask/query", "internal/ask/i18n", "internal/ask/session", "internal/infra/llm", "internal/ask/elicitation",
			"internal/content/vector", "internal/infra/store", "internal/identity", "internal/ledger", "internal/excerpts/grants", "internal/infra/outbox", "wire/intent", "wire/receipt",
			"internal/licensing/attestation", "internal/licensing/catalog", "internal/licensing/transactions", "internal/licensing/accounts/counts", "internal/licensing/disputes", "internal/licensing/disputes/accesslog", "internal/licensing/catalog/push", "internal/licensing/delivery/botstats", "wire/contenthash", "wire/edge", "wire/licence", "wire/ramp/v1",
			"internal/licensing/accounts",
			"internal/intake/vault", "internal/intake/offers", "wire/intake", "wire/ramp", "wire/sign", "wire/strictjson",
		},
		outside: []string{cache, jsonText, protobuf, syncx},
	},

	// Doors speak one protocol each: the desk, what goes over the wire, and nothing below or beside.
	{path: "internal/ask/nlweb", inside: []string{"internal/infra/fail", "internal/infra/httpx", "internal/ask/i18n", "internal/identity", "internal/desk", "internal/infra/httpx", "wire/nlweb", "wire/strictjson"}, outside: []string{jsonText}},
	{
		path:    "internal/app/mcp",
		inside:  []string{"internal/infra/fail", "internal/infra/httpx", "internal/desk", "internal/infra/plain", "internal/infra/httpx", "wire/strictjson"},
		outside: []string{mcpSDK, jsonText},
	},
	{path: "internal/excerpts/aip", inside: []string{"internal/infra/fail", "internal/infra/httpx", "internal/identity", "internal/desk", "internal/infra/httpx", "wire/intent", "wire/sign", "wire/strictjson"}, outside: []string{jsonText}},
	{path: "internal/intake/api", inside: []string{"internal/infra/fail", "internal/infra/httpx", "internal/desk", "internal/infra/httpx", "internal/infra/httpx", "wire/document", "wire/intake", "wire/strictjson"}, outside: []string{jsonText}},
	{
		path: "internal/licensing/rampapi",
		inside: []string{
			"internal/infra/httpx", "internal/infra/fail", "internal/infra/httpx", "internal/identity", "internal/desk", "internal/infra/httpx", "internal/infra/httpx", "wire/comp/v1", "wire/contenthash", "wire/edge", "wire/grpc/health/v1", "wire/grpc/health/v1/healthv1connect",
			"wire/delivery/v1", "wire/delivery/v1/deliveryv1connect", "wire/ramp", "wire/ramp/v1", "wire/ramp/v1/rampv1connect", "wire/sign", "wire/strictjson",
		},
		outside: []string{connect, reflection, jsonText, protobuf, webSocket},
	},
	// RAMP's buyer side for others.
	{path: "internal/licensing/broker", inside: []string{"client", "internal/licensing/keytable", "internal/infra/store", "internal/identity", "biscuit", "wire/comp/v1", "wire/ramp", "wire/ramp/v1"}, outside: []string{protobuf}, sql: true},
	// The gate before an origin: of the house it knows the records and the limiter.
	{
		path:    "internal/licensing/edge",
		inside:  []string{"internal/infra/httpx", "internal/infra/fetch", "internal/infra/ratelimit", "internal/licensing/edge/deliverylog", "wire/edge", "wire/ramp", "wire/ramp/v1", "wire/sign"},
		outside: []string{text},
	},
	// The operator's own programs, over HTTP.
	{path: "internal/operator/api", inside: []string{"internal/infra/httpx", "internal/licensing/accounts", "internal/licensing/disputes", "internal/licensing/disputes/accesslog", "internal/infra/httpx", "internal/infra/fail", "internal/licensing/reports", "internal/policy/overrides", "internal/infra/store", "internal/licensing/catalog/push", "internal/policy", "internal/identity", "wire/contenthash", "wire/ramp", "wire/sign", "wire/strictjson"}},
	{path: "internal/app/discovery", inside: []string{"internal/infra/fail", "internal/infra/httpx", "internal/desk"}},
	{path: "internal/app/discovery/internal/openapigen", inside: []string{"wire/delivery/v1", "wire/edge", "wire/nlweb", "wire/ramp/v1", "wire/sign", "wire/strictjson"}, outside: []string{protobuf}},
	// The page on which people ask, and the owner's pages with narrow readers of what happened.
	{
		path: "internal/operator/console",
		inside: []string{
			"internal/infra/fail", "internal/ask/i18n", "internal/identity", "internal/ledger", "internal/excerpts/grants", "internal/desk", "internal/infra/outbox", "internal/intake/vault",
			"internal/licensing/accounts", "internal/licensing/transactions", "internal/licensing/disputes/enforcement", "internal/licensing/disputes", "internal/licensing/disputes/accesslog", "internal/licensing/reports", "internal/intake/offers", "internal/licensing/catalog/push", "internal/policy", "internal/licensing/delivery/botstats", "wire/receipt", "wire/strictjson",
		},
	},
	{path: "internal/app/demo", inside: []string{"internal/infra/fail"}, outside: []string{yaml, markdown}},

	// The certificate of the public listener.
	{path: "internal/infra/tls", outside: []string{acme, acmeLog}},

	// One who buys: the tools of an assistant, and the wallet that holds it to what a person allows.
	{path: "internal/licensing/buyer", inside: []string{"client", "internal/infra/store", "internal/infra/httpx", "wire/comp/v1", "wire/ramp", "wire/ramp/v1", "wire/strictjson"}, sql: true},

	// What assembles the house.
	{
		path: "internal/app/server",
		inside: []string{
			"internal/licensing/accounts", "internal/operator/api", "internal/licensing/attestation", "internal/licensing/broker", "internal/licensing/keytable", "internal/licensing/disputes/enforcement", "internal/licensing/edge", "internal/policy/imported", "internal/licensing/catalog/push", "internal/licensing/disputes/accesslog", "internal/infra/fail", "internal/ledger", "internal/licensing/reports", "internal/policy/overrides", "internal/infra/build", "internal/infra/httpx", "internal/licensing/edge/deliverylog", "internal/infra/fetch", "internal/ask/actions", "internal/ask/elicitation", "internal/infra/store/backup", "internal/infra/store", "internal/content", "internal/content/ingest", "internal/identity", "internal/infra/ratelimit", "internal/policy", "internal/desk",
			"internal/infra/llm", "internal/content/search", "internal/infra/llm", "internal/ask/query", "internal/content/vector",
			"internal/ask/session", "internal/ask/nlweb", "internal/app/discovery", "internal/app/mcp", "internal/infra/httpx", "internal/operator/console", "internal/app/demo", "internal/infra/yamlconf", "internal/infra/tls", "wire/receipt",
			"internal/licensing/catalog", "internal/licensing/transactions", "internal/licensing/accounts/counts", "internal/licensing/disputes", "internal/licensing/delivery/botstats", "internal/excerpts/grants", "internal/infra/outbox", "internal/excerpts/aip", "internal/intake/api", "internal/licensing/rampapi", "internal/intake/vault", "internal/intake/offers", "internal/infra/notify", "internal/infra/httpx", "wire/contenthash", "wire/edge", "wire/intent", "wire/intake", "wire/ramp", "wire/ramp/v1", "wire/sign", "wire/strictjson",
		},
		outside: []string{notes, metrics, sysx, frames, connect, protobuf},
	},
	// A whole market in one process, put together of what others are.
	{path: "internal/app/demo/market", inside: []string{"client", "internal/licensing/buyer", "internal/infra/fail", "internal/infra/fetch", "internal/ledger", "internal/app/server", "internal/infra/httpx", "wire/intake", "wire/receipt", "wire/strictjson"}},
	{
		path: "internal/cli",
		inside: []string{
			"internal/licensing/accounts", "internal/operator/api", "internal/licensing/disputes", "internal/licensing/disputes/accesslog", "internal/infra/fail", "internal/ledger", "internal/licensing/reports", "wire/receipt", "internal/infra/build", "internal/infra/store/backup", "internal/infra/store", "internal/content", "internal/content/ingest", "internal/identity", "internal/infra/ratelimit", "internal/policy", "internal/desk",
			"internal/app/server", "internal/licensing/buyer", "internal/app/demo/market", "internal/app/mcp", "internal/infra/httpx", "internal/licensing/catalog/push", "internal/cli/eval", "internal/app/demo", "internal/infra/yamlconf", "check", "client", "biscuit", "wire/comp/v1", "wire/contenthash", "wire/ramp", "wire/ramp/v1", "wire/nlweb", "wire/intake", "wire/intent",
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
	{path: "test/kill", inside: []string{"internal/licensing/accounts", "internal/licensing/transactions", "internal/licensing/disputes", "internal/infra/store", "internal/content", "internal/infra/outbox", "internal/licensing/catalog", "internal/policy/imported", "internal/licensing/catalog/push", "test/process", "wire/ramp", "wire/ramp/v1", "wire/ramp/v1/rampv1connect", "wire/receipt", "wire/sign"}, outside: []string{protobuf, connect}},
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
	{path: "test/streams", inside: []string{"internal/licensing/accounts", "internal/infra/store", "test/process", "client"}},
	{path: "test/mcp", inside: []string{"internal/app/server", "internal/content", "test/process"}, outside: []string{mcpSDK}},
	{path: "test/mcp/everything", inside: []string{"internal/app/mcp", "internal/infra/httpx"}, outside: []string{mcpSDK, jsonSchema}},
	{path: "test/load", inside: []string{"internal/infra/store", "test/process", "client", "wire/ramp", "wire/ramp/v1", "wire/sign"}, outside: []string{protobuf, syncx}},
	{path: "test/pages", inside: []string{"test/process"}, outside: []string{html, text}},
	{path: "test/discovery", inside: []string{"test/process"}},
	{path: "test/tables", inside: []string{"wire/document", "wire/sign"}, outside: []string{properties}},
	{path: "test/publisher", inside: []string{"wire/intent", "wire/sign"}},
	{path: "test/agent", inside: []string{"test/process"}, tool: true},
	{path: "test/provider", inside: []string{"wire/intake", "wire/sign", "wire/strictjson"}},
	{path: "test/biscuit/peer", inside: []string{"biscuit"}},
	{path: "test/ramp/peer", inside: []string{"test/ramp/made", "wire/ramp"}, outside: []string{protobuf}},
	{path: "test/ramp/made", inside: []string{"wire/comp/v1", "wire/ramp/v1"}, outside: []string{protobuf}},
	{path: "test/check", inside: []string{"check", "test/process"}},
	{path: "test/intake", inside: []string{"internal/infra/store", "test/process"}},
	{path: "test/retention", inside: []string{"test/process"}},
	{path: "test/intent", inside: []string{"internal/infra/store", "test/process"}},
	{path: "test/conformance", inside: []string{"internal/infra/store", "test/process"}},
	{path: "test/constrained", inside: []string{"internal/cli/eval", "test/process"}},
}

// testTools are the third-party libraries that tests of every room may use.
var testTools = []string{
	"github.com/google/go-cmp", "pgregory.net/rapid", "github.com/rogpeppe/go-internal/testscript", "golang.org/x/tools/txtar", html,
	markdown,                                               // reads the Markdown that is written
	jose, "github.com/modelcontextprotocol/go-sdk/oauthex", // for authorization servers that tests play, and clients that look for them
}

// testRooms are the packages of ours that exist for the tests of other rooms.
var testRooms = []string{"internal/testkit/storetest", "test/transcript", "test/model", "test/clock", "test/publisher", "test/provider", "test/business", "test/tables", "test/ramp/made", "test/exchange"}

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
