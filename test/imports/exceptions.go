package imports

import (
	"fmt"
	"strings"
)

// exception lets one reason stand for some faults. From names packages, separated by spaces, and covers what is below
// them; to names what they import, or the type that is too large, and empty covers all. Each name in from needs its
// exception: one that nothing needs any more fails the test.
type exception struct {
	rule string
	from string
	to   string
	size int // for sizes: what it has today, lines rounded up to the next hundred
	why  string
}

// exceptions is the list. It may only shrink: who mends one deletes its line.
var exceptions = []exception{
	// What the rest of the way to the tree removes.
	{
		rule: inTree, from: "internal/desk",
		why: "its use cases go to ask, excerpts, intake and licensing, one after another",
	},
	{
		rule: handlers, to: "internal/desk",
		from: "internal/ask/nlweb internal/excerpts/aip internal/intake/api internal/licensing/rampapi",
		why:  "their services are still in the desk",
	},
	{rule: edges, from: "internal/operator/console internal/cli", to: "internal/desk", why: "so is what these show"},
	{
		rule: edges, from: "internal/content/index", to: "internal/ask",
		why: "constraints go to content/facets, and the sentences of summaries and counts to ask",
	},
	{
		rule: edges, from: "internal/policy/imported", to: "internal/content/ingest/sitemap",
		why: "the sitemap reader goes to wire/licence",
	},
	{
		rule: ledgering, from: "internal/desk internal/app/server",
		why: "use cases go to services; what owners change goes to operator, which then records it",
	},

	// What later work removes.
	{
		rule: edges, from: "internal/cli", to: "internal",
		why: "commands open the store themselves; they go through operator when its operations are one table",
	},
	{
		rule: standard, to: "database/sql",
		from: "internal/ask/session internal/content internal/excerpts/grants internal/identity internal/infra/outbox " +
			"internal/intake/vault internal/ledger internal/licensing/accounts internal/licensing/broker " +
			"internal/licensing/buyer internal/licensing/catalog/push internal/licensing/disputes " +
			"internal/licensing/transactions",
		why: "they own tables, and name no more of it than ErrNoRows, RawBytes and the Null types",
	},

	// What is meant.
	{
		rule: handlers, from: "internal/ask/nlweb", to: "internal/ask/i18n",
		why: "answers and failures of NLWeb are told in the asker's language",
	},
	{
		rule: edges, from: "client internal/cli internal/licensing/broker", to: "biscuit",
		why: "who buys for somebody else narrows the delegation before passing it on",
	},
	{
		rule: purity, from: "wire/delivery/v1/deliveryv1connect wire/grpc/health/v1/healthv1connect " +
			"wire/ramp/v1/rampv1connect",
		why: "generated: how Connect serves and calls the protocol",
	},
	{
		rule: ledgering, from: "internal/licensing/disputes/enforcement",
		why: "its daily run suspends and warns, and records that in the same transaction",
	},

	// Sizes.
	{rule: packageSize, from: "internal/desk", size: 13800, why: "goes"},
	{rule: packageSize, from: "internal/app/server", size: 16200, why: "becomes modules"},
	{rule: packageSize, from: "internal/cli", size: 10900, why: "owner commands become operator's operations"},
	{rule: packageSize, from: "internal/operator/console", size: 5400, why: "pages become operator's operations"},
	{rule: packageSize, from: "internal/ask/query", size: 8400, why: "to be replaced; six languages"},
	{rule: packageSize, from: "internal/content/ingest", size: 9700, why: "a reader for each kind of source"},
	{rule: packageSize, from: "internal/content/search", size: 6800, why: "one engine"},
	{rule: packageSize, from: "internal/identity", size: 6700, why: "seven registries of credentials become one"},
	{rule: packageSize, from: "client", size: 6400, why: "one public package speaks all four protocols"},

	{rule: structSize, from: "internal/desk", to: "Desk", size: 32, why: "goes"},
	{rule: structSize, from: "internal/desk", to: "Config", size: 22, why: "goes"},
	{rule: structSize, from: "internal/desk", to: "Excerpts", size: 23, why: "becomes the Deps of excerpts"},
	{rule: structSize, from: "internal/desk", to: "Question", size: 21, why: "goes to ask"},
	{rule: structSize, from: "internal/desk", to: "Stream", size: 21, why: "goes to licensing/delivery"},
	{rule: structSize, from: "internal/app/server", to: "House", size: 53, why: "becomes modules"},
	{rule: structSize, from: "internal/app/server", to: "Server", size: 24, why: "becomes modules"},
	{rule: structSize, from: "internal/licensing/rampapi", to: "Config", size: 29, why: "configuration"},
	{rule: structSize, from: "internal/licensing/broker", to: "Config", size: 23, why: "configuration"},
	{rule: structSize, from: "internal/content", to: "Run", size: 24, why: "a row of its table"},
	{rule: structSize, from: "internal/licensing/accounts", to: "Hold", size: 21, why: "a row of its table"},
	{rule: structSize, from: "internal/licensing/disputes", to: "Case", size: 27, why: "a row of its table"},
	{rule: structSize, from: "internal/licensing/transactions", to: "Transaction", size: 29, why: "a row of its table"},
	{rule: structSize, from: "internal/licensing/catalog", to: "Entry", size: 29, why: "what is pushed, beside the row"},
	{rule: structSize, from: "internal/licensing/disputes", to: "Facts", size: 22, why: "what a judgment rests on"},
	{rule: structSize, from: "internal/content/ingest", to: "crawl", size: 29, why: "to be split into its parts"},
	{rule: structSize, from: "internal/content/ingest", to: "visit", size: 25, why: "to be split into its parts"},
	{rule: structSize, from: "internal/content/search", to: "asking", size: 31, why: "what one query reuses"},
	{rule: structSize, from: "internal/content/vector", to: "Keeper", size: 21, why: "to be split into its parts"},
	{rule: structSize, from: "internal/licensing/edge/deliverylog", to: "Spool", size: 24, why: "SQLite may replace it"},

	{rule: methodCount, from: "internal/desk", to: "Desk", size: 76, why: "becomes five services"},
	{rule: methodCount, from: "internal/app/server", to: "House", size: 26, why: "becomes modules"},
	{rule: methodCount, from: "internal/licensing/catalog/push", to: "Tenants", size: 23, why: "to be split"},
	{rule: methodCount, from: "internal/ask/i18n", to: "Speaker", size: 22, why: "one method for each kind of sentence"},
}

// settle holds faults against exceptions. It returns a sentence for each fault that none covers, and for each
// exception that nothing needs.
func settle(list []exception, faults []fault) []string {
	var out []string
	needed := map[string]int{} // the largest size that each part of an exception covers
	for _, f := range faults {
		if why := excuse(list, f, needed); why != "" {
			out = append(out, why)
		}
	}
	for i, e := range list {
		for _, from := range strings.Fields(e.from) {
			size, used := needed[part(i, from)]
			name := fmt.Sprintf("the exception of %q for %s", e.rule, strings.TrimSpace(from+" "+e.to))
			switch {
			case !used:
				out = append(out, name+" is needed no more: delete it")
			case size < e.size*9/10:
				out = append(out, fmt.Sprintf("%s allows %d, and %d is what there is: lower it", name, e.size, size))
			}
		}
	}
	return out
}

// excuse says what is wrong with a fault that no exception covers; empty when one does.
func excuse(list []exception, f fault, needed map[string]int) string {
	for i, e := range list {
		for _, from := range strings.Fields(e.from) {
			if e.rule != f.rule || !covers(from, f.from) || e.to != "" && !covers(e.to, f.to) {
				continue
			}
			needed[part(i, from)] = max(needed[part(i, from)], f.size)
			if f.size > e.size {
				return fmt.Sprintf("%s, and %d by its exception, which may only shrink", f.text, e.size)
			}
			return ""
		}
	}
	return f.text
}

func part(i int, from string) string { return fmt.Sprintf("%d %s", i, from) }
