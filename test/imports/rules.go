// Package imports holds the rules of who may import whom, and of how large things may become, by a
// test that reads every Go file of the module.
//
// The rules stand in tables: layers says what each of the twelve packages under internal may
// import, libraries which packages a third-party library is there for, and the lists below what is
// pure and who writes to the ledger. What breaks a rule today stands in exceptions with the reason.
// A line there that nothing needs any more fails the test, so the list can only shrink.
package imports

// The names of the rules. An exception names the rule that it suspends.
const (
	inTree      = "tree"      // a package lies in one of the places that layers names
	edges       = "edges"     // a package imports what its layer allows
	handlers    = "handlers"  // a protocol's handlers import their service and what goes over the wire
	forTests    = "tests"     // only tests import the test helpers
	ledgering   = "ledger"    // only services write to the ledger
	releasing   = "released"  // only content/released reads items to let them out
	purity      = "pure"      // what decides and what is parsed has no I/O and no clock
	standard    = "standard"  // some packages of the standard library belong to a few of ours
	sqlText     = "sql"       // SQL text stands in packages that own tables
	thirdParty  = "libraries" // a library belongs to the packages that it is there for
	packageSize = "lines"     // no package has over 4,400 lines of code
	structSize  = "fields"    // no struct has over 20 fields
	methodCount = "methods"   // no type has over 20 exported methods
	lineWidth   = "columns"   // code ends at column 120, comments at 100
	naming      = "names"     // names that were given up do not come back
)

// layer says what the packages at path may import, beside wire and each other. Paths cover what is
// below them, and the longest that covers a package is its layer. Names in may are separated by
// spaces.
type layer struct {
	path string
	may  string
	// Of a protocol's handlers: may is all, exactly, not what lies below it and nothing of their
	// neighbours.
	handlers bool
}

const (
	foundations = "internal/policy internal/identity internal/ledger internal/infra"
	below       = "internal/content " + foundations
	services    = "internal/ask internal/excerpts internal/intake internal/licensing"
	answering   = " internal/identity internal/infra/fail internal/infra/httpx"
)

var layers = []layer{
	{path: "wire"},
	{path: "biscuit"},
	{path: "client"},
	{path: "docs"},
	{path: "check", may: "client"},
	{path: "internal/infra"},
	{path: "internal/ledger", may: "internal/infra"},
	{path: "internal/policy", may: "internal/infra"},
	{path: "internal/identity", may: "internal/infra biscuit"},
	{path: "internal/content", may: "internal/policy internal/infra"},
	{path: "internal/ask", may: below},
	{path: "internal/ask/front", may: below + " client"},
	{path: "internal/excerpts", may: below},
	{path: "internal/intake", may: below},
	{path: "internal/licensing", may: below},
	{path: "internal/licensing/broker", may: below + " internal/licensing client"},
	{path: "internal/licensing/buyer", may: below + " internal/licensing client"},
	{path: "internal/operator", may: services + " " + below},
	{path: "internal/app", may: "internal client check biscuit docs"},
	{path: "internal/cli", may: "internal/app internal/operator client check"},
	{path: "cmd", may: "internal/cli"},
	{path: "internal/testkit", may: "internal client check biscuit"},
	{path: "test", may: "internal client check biscuit"},

	{path: "internal/ask/nlweb", handlers: true, may: "internal/ask internal/ask/front" + answering},
	{path: "internal/excerpts/aip", handlers: true, may: "internal/excerpts" + answering},
	{path: "internal/intake/api", handlers: true, may: "internal/intake" + answering},
	{
		path: "internal/licensing/rampapi", handlers: true,
		may: "internal/licensing/exchange internal/licensing/delivery internal/licensing/published " +
			"internal/identity/requesters" + answering,
	},
}

// testHelpers are there for tests alone.
var testHelpers = []string{"test", "internal/testkit"}

// ledgerWriters are the services, whose use cases write to the ledger in their transactions, what
// records the changes of operators, and the ledger itself. None of these names covers what is below
// it.
var ledgerWriters = []string{
	"internal/ledger", "internal/ask", "internal/excerpts", "internal/intake",
	"internal/licensing/exchange", "internal/licensing/delivery", "internal/operator/record",
}

// appends are the methods by which one writes to the ledger, with how many arguments each takes.
var appends = map[string]int{"Append": 3, "AppendAll": 3, "AppendChange": 5}

// itemReaders are the packages that read whole items from the store: to find them again,
// content/released to let out what the terms allow, and content/overview to show them to their
// owner. None of these names covers what is below it.
var itemReaders = []string{"internal/content", "internal/content/index", "internal/content/vector",
	"internal/content/released", "internal/content/overview"}

// reads are the methods of the content's catalog that give whole items.
var reads = []string{"LoadItems", "Changes", "EachItem"}

// pure packages have no I/O and are handed the time: of ours they import only each other, of the
// standard library what pureStandard lists. Those under wire and biscuit are pure with all that is
// below them.
var pure = []string{
	"internal/policy", "internal/ask/query", "internal/ask/refusals", "internal/ask/remarks",
	"internal/ask/properties", "internal/ask/wording", "internal/content/facets", "internal/content/taxonomy",
	// What these stand on, and others that were written so.
	"internal/infra/fail", "internal/infra/plain", "internal/infra/yamlconf", "internal/infra/fetch/robots",
	"internal/infra/language", "internal/infra/sealed/layout",
	"internal/ask/i18n", "internal/ask/facts", "internal/ask/practical", "internal/ask/actions",
	"internal/ask/elicitation",
	"internal/content/search/analysis", "internal/content/search/concepts",
	"internal/content/search/segment", "internal/content/search/slips",
	"internal/content/vector/words",
	"internal/content/ingest/passage", "internal/content/ingest/frontier", "internal/content/ingest/pageurl",
	"internal/content/ingest/charset",
}

var pureBelow = []string{"wire", "biscuit"}

var pureStandard = []string{
	"bufio", "bytes", "cmp", "container/heap", "crypto", "crypto/ecdsa", "crypto/ed25519", "crypto/elliptic",
	"crypto/hmac", "crypto/rsa", "crypto/sha1", "crypto/sha256", "crypto/sha512", "crypto/subtle", "crypto/x509",
	"embed", "encoding", "encoding/base32", "encoding/base64", "encoding/binary", "encoding/hex", "encoding/json",
	"encoding/pem", "encoding/xml", "errors", "fmt", "hash", "hash/fnv", "hash/maphash", "io", "iter", "maps", "math",
	"math/big", "math/bits", "net/netip", "net/url", "path", "reflect", "regexp", "regexp/syntax", "slices", "sort",
	"strconv", "strings", "sync", "sync/atomic", "time", "unicode", "unicode/utf16", "unicode/utf8", "unique",
	"unsafe", // generated code; guarded holds it
}

// clock are the names of package time that read or wait for the clock.
var clock = []string{
	"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer",
}

// guarded are packages of the standard library that only the named packages of ours may import, and
// tests.
var guarded = map[string]string{
	"database/sql":        "internal/infra/store internal/testkit/storetest",
	"database/sql/driver": "internal/infra/store internal/testkit/storetest",
	"os/exec":             "test internal/testkit/process",
	"unsafe": "internal/infra/sealed/layout wire/comp/v1 wire/ramp/v1 wire/delivery/v1 " +
		"wire/grpc/health/v1",
	"plugin": "",
	"C":      "",
}

// sqlOwners write SQL without a schema of their own: the store, and what makes databases for tests.
var sqlOwners = []string{"internal/infra/store", "internal/testkit/storetest"}

const (
	mostLines   = 4400
	mostFields  = 20
	mostMethods = 20
)
