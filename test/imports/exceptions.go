package imports

import (
	"fmt"
	"slices"
	"strings"
)

// exception lets one reason stand for some faults. From names packages, separated by spaces, and
// covers what is below them; to names likewise what they import, or the type that is too large, and
// empty covers all. One name of either that nothing needs any more fails the test.
type exception struct {
	rule string
	from string
	to   string
	size int // for sizes: what it has today, lines rounded up to the next hundred
	why  string
}

// exceptions is the list. It may only shrink: who mends one deletes its line.
var exceptions = []exception{
	// What later work removes.
	{
		rule: edges, from: "internal/cli",
		to: "internal/ask internal/content internal/identity internal/infra internal/ledger internal/licensing " +
			"internal/policy",
		why: "commands open the store themselves; they go through operator when its operations are one table",
	},
	{
		rule: standard, to: "database/sql",
		from: "internal/ask/session internal/content internal/excerpts/grants internal/identity " +
			"internal/infra/outbox " +
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
		rule: handlers, from: "internal/ask/nlweb", to: "internal/content/released",
		why: "it writes the results of answers as they were released",
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

	{
		rule: releasing, from: "internal/licensing/catalog",
		why: "it hashes and counts what is delivered, and keeps none of the text",
	},
	{rule: releasing, from: "internal/cli", why: "the owner looks at what terms say, and measures answers"},

	// Sizes.
	{rule: packageSize, from: "internal/app", size: 8300, why: "capabilities go to packages of their own"},
	{rule: packageSize, from: "internal/ask/query", size: 6000, why: "to be replaced"},
	{rule: packageSize, from: "client", size: 5300, why: "one public package speaks all four protocols"},

	{rule: structSize, from: "internal/licensing/rampapi", to: "Config", size: 29, why: "configuration"},
	{rule: structSize, from: "internal/licensing/broker", to: "Config", size: 23, why: "configuration"},
	{rule: structSize, from: "internal/content", to: "Run", size: 24, why: "a row of its table"},
	{rule: structSize, from: "internal/licensing/accounts", to: "Hold", size: 21, why: "a row of its table"},
	{rule: structSize, from: "internal/licensing/disputes", to: "Case", size: 27, why: "a row of its table"},
	{rule: structSize, from: "internal/licensing/transactions", to: "Transaction", size: 29, why: "a row of its table"},
}

// settle holds faults against exceptions. It returns a sentence for each fault that none covers,
// and for each exception that nothing needs.
func settle(list []exception, faults []fault) []string {
	var out []string
	needs := make([]need, len(list))
	for _, f := range faults {
		i, from, to := find(list, f)
		if i < 0 {
			out = append(out, f.text)
			continue
		}
		needs[i].add(from, to, f.size)
		if most := list[i].size; f.size > most {
			out = append(out, fmt.Sprintf("%s, and %d by its exception, which may only shrink", f.text, most))
		}
	}
	for i, e := range list {
		out = append(out, needs[i].unneeded(e)...)
	}
	return out
}

// find gives the place of the first exception that covers a fault, and by which of its names; -1
// where none does.
func find(list []exception, f fault) (i int, from, to string) {
	for i, e := range list {
		from, ok := covering(e.from, f.from)
		to, all := covering(e.to, f.to)
		if e.rule == f.rule && ok && (all || e.to == "") {
			return i, from, to
		}
	}
	return -1, "", ""
}

// covering finds the name in a list, separated by spaces, that covers a path.
func covering(names, path string) (string, bool) {
	for name := range strings.FieldsSeq(names) {
		if covers(name, path) {
			return name, true
		}
	}
	return "", false
}

// need is what of an exception some fault needs.
type need struct {
	names []string
	size  int // the largest
}

func (n *need) add(from, to string, size int) {
	n.names = append(n.names, "from "+from, "to "+to)
	n.size = max(n.size, size)
}

func (n *need) unneeded(e exception) []string {
	var out []string
	say := func(kind, names string) {
		for name := range strings.FieldsSeq(names) {
			if !slices.Contains(n.names, kind+" "+name) {
				const format = "nothing needs the exception of %q %s %s any more (%s): delete it"
				out = append(out, fmt.Sprintf(format, e.rule, kind, name, e.why))
			}
		}
	}
	say("from", e.from)
	say("to", e.to)
	if len(out) == 0 && n.size < e.size*9/10 {
		const format = "%s %s has %d %s, and its exception allows %d: lower it"
		out = append(out, fmt.Sprintf(format, e.from, e.to, n.size, e.rule, e.size))
	}
	return out
}
