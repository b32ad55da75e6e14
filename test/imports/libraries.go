package imports

// library says which packages, and those below them, a third-party library is there for. Their
// tests may use it, too.
type library struct {
	path string
	in   string
}

var libraries = []library{
	{"cel.dev/cel-go", "internal/intake/offers"},
	{"connectrpc.com/connect", "internal/licensing/rampapi internal/app test/kill " +
		"wire/delivery/v1/deliveryv1connect wire/grpc/health/v1/healthv1connect wire/ramp/v1/rampv1connect"},
	{"connectrpc.com/grpcreflect", "internal/licensing/rampapi"},
	{"github.com/alecthomas/kong", "internal/cli"},
	{"github.com/caddyserver/certmagic", "internal/infra/tls"},
	{"github.com/coder/websocket", "internal/licensing/rampapi"},
	{"github.com/dlclark/regexp2", "internal/cli/eval"},
	{"github.com/dunglas/httpsfv", "wire/sign"},
	{"github.com/edsrzf/mmap-go", "internal/content/vector internal/infra/sealed"},
	{"github.com/go-jose/go-jose/v4", "internal/identity"},
	{"github.com/go-json-experiment/json", "wire client check internal/infra/httpx internal/infra/plain " +
		"internal/content/facets internal/content/released " +
		"internal/ask internal/excerpts internal/intake internal/licensing internal/app/mcp"},
	{"github.com/goccy/go-yaml",
		"internal/infra/yamlconf internal/content/ingest/document internal/app/demo test/frozen test/reference"},
	{"github.com/google/jsonschema-go", "test/mcp/everything"},
	{"github.com/jackc/pgx/v5", "internal/infra/store"},
	{"github.com/kljensen/snowball", "internal/content/search/analysis"},
	{"github.com/maypok86/otter/v2", "internal/infra/cache"},
	{"github.com/mmcdole/gofeed", "internal/content/ingest/document"},
	{"github.com/modelcontextprotocol/go-sdk", "internal/app test/circle test/mcp"},
	{"github.com/ncruces/go-sqlite3", "internal/infra/store internal/testkit/storetest test/frozen"},
	{"github.com/pelletier/go-toml/v2", "internal/content/ingest/document"},
	{"github.com/prometheus/client_golang",
		"internal/infra/metrics internal/licensing/broker internal/app"},
	{"github.com/santhosh-tekuri/jsonschema/v6", "wire/document wire/intake"},
	{"github.com/wneessen/go-mail", "internal/infra/notify"},
	{"github.com/yuin/goldmark", "internal/content/ingest/document internal/app/demo internal/app/docsite"},
	{"go.uber.org/zap", "internal/infra/tls"},
	{"golang.org/x/crypto/x509roots/fallback", "cmd/frontdesk"},
	{"golang.org/x/mod/semver", "internal/cli"},
	{"golang.org/x/mod/sumdb/note", "wire/receipt internal/ledger internal/identity internal/app " +
		"internal/licensing/disputes/enforcement"},
	{"golang.org/x/mod/sumdb/tlog", "wire/receipt internal/ledger"},
	{
		"golang.org/x/net/html",
		"wire/licence internal/content/ingest/charset internal/content/ingest/markup internal/ask/widget",
	},
	{"golang.org/x/net/http2", "internal/app test/hostile"},
	{"golang.org/x/net/idna", "internal/infra/fetch internal/policy"},
	{"golang.org/x/net/publicsuffix", "internal/identity/agents"},
	{"golang.org/x/sync", "internal/content/ingest internal/intake internal/licensing/exchange test/load"},
	{"golang.org/x/sys", "internal/infra/store internal/app/http"},
	{"golang.org/x/text", "internal/policy internal/content/facets internal/content/taxonomy internal/content/ingest " +
		"internal/content/search/analysis internal/content/vector/words internal/ask/i18n internal/licensing/edge " +
		"internal/cli/eval test/pages"},
	{"google.golang.org/protobuf", "wire biscuit client check internal/identity internal/licensing internal/app " +
		"internal/cli internal/testkit test"},
	{"rsc.io/qr", "internal/operator/console/embedding"},
}

// testTools are what any test may use.
var testTools = []string{
	"github.com/google/go-cmp", "github.com/rogpeppe/go-internal/testscript", "golang.org/x/tools/txtar",
	"pgregory.net/rapid",
	"github.com/yuin/goldmark", "golang.org/x/net/html", // read what was written
	// Authorization servers that tests play, and clients that look for them.
	"github.com/go-jose/go-jose/v4", "github.com/modelcontextprotocol/go-sdk/oauthex",
}
