package main

import (
	"slices"
	"strings"
)

// section is a part of the page: what is measured, by which command, and the table that shows it.
type section struct {
	name    string // for -only
	heading string
	about   string // without figures
	command string // as a person runs it in the root of the repository; $DATA is the folder of -data
	runs    int
	columns []string
	rows    []row
}

// row is a line of the table. The forms of cells are those of samples.value; an empty one stays
// empty.
type row struct {
	label string
	cells []string
}

func (s section) needsData() bool { return strings.Contains(s.command, "$DATA") }

// inTurns is the usual table of a benchmark that does the work and its floor in turns.
var inTurns = []string{"time", "its floor", "times the floor"}

// turns is a row of that table.
func turns(label, benchmark, work string) row {
	return row{label,
		[]string{benchmark + ":" + work + "-ns/op", benchmark + ":floor-ns/op", "x " + benchmark + ":times-floor"}}
}

// beside is a row of that table whose floor is a benchmark of its own.
func beside(label, benchmark, floor string) row {
	return row{label, []string{benchmark + ":ns/op", floor + ":ns/op", benchmark + ":ns/op / " + floor + ":ns/op"}}
}

// peers are the engines on one collection, with how much longer than ours each takes.
func peers(collection, what string) (rows []row) {
	for _, engine := range []string{"Frontdesk", "bleve, one field", "bleve, fields", "SQLite FTS5"} {
		ours := collection + "/frontdesk"
		is := collection + "/" + strings.NewReplacer(", ", "-", " ", "-", "Frontdesk", "frontdesk").Replace(engine)
		r := row{what + ": " + engine,
			[]string{is + ":build-s", is + ":nDCG@10", is + ":MAP", is + ":median-ms", is + ":p99-ms", "", ""}}
		if engine != "Frontdesk" {
			r.cells[5], r.cells[6] = is+":median-ms / "+ours+":median-ms", is+":p99-ms / "+ours+":p99-ms"
		}
		rows = append(rows, r)
	}
	return rows
}

// ranked is the section on how well a collection's questions are answered.
func ranked(collection, what string) section {
	return section{
		name: "ranking-" + what, heading: "Ranking of " + what + " through the whole program", runs: 1,
		about: "How well the " + what + " are ranked that questions ask for, as people judged them: with spelling, " +
			"feedback and understanding, as `/ask` ranks.",
		command: strings.ReplaceAll("go run ./cmd/frontdesk eval --items $DATA/X/items.jsonl.gz "+
			"--queries $DATA/X/queries.tsv --qrels $DATA/X/qrels.txt --json", "X", collection),
		columns: []string{"nDCG@10", "MAP", "P@10", "recall@100", "answered", "of questions"},
		rows: []row{{what,
			[]string{"json:ndcg@10", "json:map", "json:p@10", "json:recall@100", "json:answered", "json:queries"}}},
	}
}

// stages are the stages of a question, each beside the words as they stand.
func stages(names ...string) (rows []row) {
	for _, name := range names {
		is := "Stages:" + strings.ReplaceAll(name, " ", "-")
		rows = append(rows,
			row{name, []string{is + "-p50-µs", is + "-p95-µs", is + "-p50-µs / Stages:words-as-they-stand-p50-µs",
				is + "-first-p50-µs"}})
	}
	return rows
}

// starts are those of a server with so many passages.
func starts(passages, words string) (rows []row) {
	is := "Start/" + passages + ":"
	for _, start := range []string{"first", "next"} {
		ingest := ""
		if start == "first" {
			ingest = is + "s/ingest"
		}
		rows = append(rows,
			row{words + " passages, " + start + " start", []string{ingest, is + "s/" + start, is + "cpu-s/" + start,
				is + "anonymous-MiB/" + start, is + "mapped-MiB/" + start, is + "ms/p50-" + start,
				is + "ms/p99-" + start}})
	}
	return rows
}

// consolePages are pages of the console over made-up sales, each beside one on which nothing is.
func consolePages(names ...string) (rows []row) {
	for _, name := range names {
		is := "PagesOfSales/" + strings.ReplaceAll(name, " ", "_")
		rows = append(rows, row{name, []string{is + ":ms-median", "x " + is + ":x-floor"}})
	}
	return rows
}

// pushes are the ways to push entries.
func pushes() (rows []row) {
	for _, way := range []struct{ label, name string }{
		{"Connect", "plain/connect"}, {"gRPC", "plain/grpc"}, {"Connect, one attestation each", "attested/connect"},
		{"gRPC, one attestation each", "attested/grpc"},
	} {
		is := "Push/" + way.name
		rows = append(rows,
			row{way.label, []string{is + ":entries/s", "x " + is + ":x-floor", is + ":ms/discover-meanwhile",
				is + ":ms/discover", is + ":MiB"}})
	}
	return rows
}

// sections are the page.
var sections = []section{
	{
		name: "peers", heading: "The search engine beside its peers", runs: 1,
		about: "The same documents and questions, in one process on one core, ten results; for each question the " +
			"fastest pass counts. The peers give the order alone; ours corrects misspelt words, asks again " +
			"with what the best items have in common where none has the whole question, and names the best " +
			"passage of each item. Questions about abstracts are asked again far more often than those about " +
			"products. `bench/go.mod` has the peers' versions.",
		command: "go -C bench run . --passes 7 --keep 0 --go $DATA/esci $DATA/cranfield",
		columns: []string{"build", "nDCG@10", "MAP", "median", "p99", "median, of ours", "p99, of ours"},
		rows:    slices.Concat(peers("esci", "products"), peers("cranfield", "abstracts")),
	},
	ranked("esci", "products"),
	ranked("cranfield", "abstracts"),
	{
		name: "answered", heading: "Whether there is an answer", runs: 1,
		about: "At the usual least score: how many judged questions are answered, and how many that ask for what " +
			"neither collection has (`bench/foreign.txt`).",
		command: "go -C bench run . --foreign foreign.txt --go $DATA/esci $DATA/cranfield",
		columns: []string{"judged, answered", "of judged questions", "foreign, answered", "of foreign questions"},
		rows: []row{
			{"products", []string{"Answered/esci:judged", "Answered/esci:of-judged", "Answered/esci:foreign",
				"Answered/esci:of-foreign"}},
			{"abstracts", []string{"Answered/cranfield:judged", "Answered/cranfield:of-judged",
				"Answered/cranfield:foreign", "Answered/cranfield:of-foreign"}},
		},
	},
	{
		name: "ask", heading: "A whole ask", runs: 5,
		about: "`POST /ask` over loopback with a kept connection, JSON, ten results out of made-up items, with " +
			"all that a request passes (event, log line, counters, limits). The floor is a handler that drops " +
			"the request's body and writes the same bytes from memory. Finding and rendering takes longer " +
			"between two system calls than in a loop, where the processor's caches are its own; \"beside its " +
			"search\" takes the one within the handler off.",
		command: "go test ./internal/app -run xxx -bench '^BenchmarkAsk$' -benchtime 1s",
		columns: []string{"time", "times the floor"},
		rows: []row{
			{"the same bytes from memory (floor)", []string{"Ask/floor:ns/op", ""}},
			{"the same, after finding and rendering",
				[]string{"Ask/search:ns/op", "Ask/search:ns/op / Ask/floor:ns/op"}},
			{"the whole ask", []string{"Ask/ask:ns/op", "Ask/ask:ns/op / Ask/floor:ns/op"}},
			{"the whole ask beside its search", []string{"", "x Ask/ask:over-floor"}},
			{"finding and rendering alone, in a loop",
				[]string{"Ask/select:ns/op", "Ask/select:ns/op / Ask/floor:ns/op"}},
		},
	},
	{
		name: "stages", heading: "A question by its stages", runs: 3,
		about: "Each question of a made-up shop goes through every stage, one right after the other, and its " +
			"fastest pass counts: first as its words stand, then corrected and fed back, then understood. The " +
			"first time is that of a view that nobody has asked anything, when the items that meet a " +
			"condition are not known yet. `FRONTDESK_STAGES_ITEMS` makes up more items, `FRONTDESK_STAGES` " +
			"names a database that `frontdesk ingest` filled and `FRONTDESK_STAGES_QUESTIONS` a file of " +
			"questions for it, and `FRONTDESK_STAGES_EACH=1` prints every question.",
		command: "go test ./internal/ask -run xxx -bench Stages -benchtime 100x",
		columns: []string{"p50", "p95", "p50, of the words as they stand", "the first time, p50"},
		rows:    stages("words as they stand", "words alone", "understand", "find", "ask back", "whole ask"),
	},
	{
		name: "conditions", heading: "Conditions", runs: 3,
		about: "What meets a condition is remembered with the state of the catalog. A question under conditions " +
			"stands beside the same by words alone, and conditions that nobody has asked for yet beside one " +
			"that is known, over more items.",
		command: "go test ./internal/content/index -run xxx -bench '^Benchmark(Find|Condition)$' -benchtime 1000x",
		columns: inTurns,
		rows: []row{
			beside("words and known conditions; floor: the words", "Find/words+conditions", "Find/words"),
			beside("words and new conditions; floor: the words", "Find/words+new_conditions", "Find/words"),
			beside("a new narrow price range; floor: a known one", "Condition/narrow", "Condition/known"),
			beside("a new wide price range; floor: a known narrow one", "Condition/wide", "Condition/known"),
			beside("new values; floor: a known price range", "Condition/values", "Condition/known"),
		},
	},
	{
		name: "mcp", heading: "A tool call over MCP", runs: 5,
		about: "`tools/call ask` through the whole server, in turns with a tool of the same SDK that returns the " +
			"same bytes from memory, over loopback with kept connections. Most of the time is the SDK's: it " +
			"starts a session for every request, and writes the object twice, as text and as structured " +
			"content.",
		command: "go test ./test/mcp -run xxx -bench ToolsCall -benchtime 1s",
		columns: inTurns,
		rows:    []row{{"ask", []string{"ToolsCall:µs/ask", "ToolsCall:µs/sdk", "x ToolsCall:of-sdk"}}},
	},
	{
		name: "pages", heading: "Pages of HTML", runs: 3,
		about: "Pages of about a hundred kilobytes, as sites write them, from memory on all cores, without " +
			"storing them.",
		command: "go test ./internal/content/ingest -run xxx -bench PageOf -benchtime 5x",
		columns: []string{"pages a second", "times the first"},
		rows: []row{
			{"the main text has to be found", []string{"PageOfText:pages/s", ""}},
			{"the data says enough", []string{"PageOfData:pages/s", "PageOfData:pages/s / PageOfText:pages/s"}},
		},
	},
	{
		name: "ledger", heading: "The ledger", runs: 3,
		about: "Entries in batches, until they are durable, in their places and signed for; the floor writes the " +
			"same rows in batches of the same size. And one entry in a transaction of its own, beside one " +
			"row. `FRONTDESK_TEST_POSTGRES` and `/postgres` measure the second engine.",
		command: "go test ./internal/ledger -run xxx -bench '^BenchmarkAppend(Floor|One)?$/sqlite' -benchtime 1s",
		columns: []string{"entries a second", "time", "its floor, a second", "its floor", "times the floor"},
		rows: []row{
			{"in batches", []string{"Append/sqlite:entries/s", "", "AppendFloor/sqlite:entries/s", "",
				"AppendFloor/sqlite:entries/s / Append/sqlite:entries/s"}},
			{"one by one", []string{"", "AppendOne/sqlite/ledger:ns/op", "", "AppendOne/sqlite/floor:ns/op",
				"AppendOne/sqlite/ledger:ns/op / AppendOne/sqlite/floor:ns/op"}},
		},
	},
	{
		name: "proof", heading: "Proofs of the ledger", runs: 1,
		about: "Proofs in a tree of ten million hashes, each of another place. The floor reads three tiles, each " +
			"in a transaction of its own.",
		command: "go test ./internal/ledger -run xxx -bench '^BenchmarkProof$/sqlite' -benchtime 2000x",
		columns: inTurns,
		rows: []row{
			beside("inclusion, made and checked", "Proof/sqlite/inclusion", "Proof/sqlite/floor"),
			beside("consistency, made", "Proof/sqlite/consistency", "Proof/sqlite/floor"),
		},
	},
	{
		name: "retrieve", heading: "Passages for platforms", runs: 3,
		about: "Every question is another one and every session new, over twenty thousand items of five " +
			"passages. The floor is the signature, the same search, and one durable commit of a row of the " +
			"size of the entry that an answer leaves in the ledger. An answer writes its nonce, the request, " +
			"what the session has seen, and the entry with its place in the signed tree. Articles are loaded " +
			"before anybody asks for them, up to `ask.cache`.",
		command: "go test ./internal/excerpts -run xxx -bench '^BenchmarkRetrieve$' -benchtime 2000x",
		columns: inTurns,
		rows: []row{
			turns("in turns, one after the other", "Retrieve/in_turns", "retrieve"),
			beside("64 clients at once, each", "Retrieve/retrieve/clients=64", "Retrieve/floor/clients=64"),
		},
	},
	{
		name: "discover", heading: "A query for offers (RAMP)", runs: 3,
		about: "A query for one address, in JSON, through the whole handler without a network, the requester's " +
			"keys at hand. The floor is one Ed25519 verification, one signature and one durable commit of a " +
			"row of the offer's size. What is sold is found in memory; the database is asked for the buyer's " +
			"subscriptions alone. Offers of clients at once share commits.",
		command: "go test ./internal/licensing/rampapi -run xxx -bench '^BenchmarkDiscover$' -benchtime 1s",
		columns: inTurns,
		rows: []row{turns("alone", "Discover/alone", "door"),
			turns("64 clients at once, each", "Discover/clients=64", "door")},
	},
	{
		name: "commit", heading: "A purchase (RAMP)", runs: 3,
		about: "A purchase of one offer, in turns with one durable row behind the same signatures. Pages are " +
			"those that it writes to SQLite's log, which other work does not change. A purchase by an offer " +
			"that this process made lately reads neither the offer nor whether it was answered before, which " +
			"is found when it is recorded.",
		command: "go test ./internal/licensing/exchange -run xxx -bench '^BenchmarkCommit$/in_turns' -benchtime 2000x",
		columns: append(slices.Clone(inTurns), "pages of the log"),
		rows:    []row{paged(turns("a purchase", "Commit/in_turns", "commit"))},
	},
	{
		name: "dispute", heading: "A dispute (RAMP)", runs: 3,
		about: "A dispute that is decided at once and paid back, in turns with one durable row. It writes the " +
			"dispute and its request, two steps with their entries in the ledger, the purchase, and a line of " +
			"the account.",
		command: "go test ./internal/licensing/exchange -run xxx -bench '^BenchmarkDispute$/in_turns' -benchtime 500x",
		columns: append(slices.Clone(inTurns), "pages of the log"),
		rows:    []row{paged(turns("a dispute with its credit", "Dispute/in_turns", "dispute"))},
	},
	{
		name: "broker", heading: "A Broker's choice", runs: 3,
		about: "Eight Exchanges on sockets in the same process answer with ready bytes. Each wins some of twenty " +
			"addresses. The floor of choosing decodes the same answers on as many " +
			"processors, and verifies the offers that win with `crypto/ed25519`. The floor of buying adds the " +
			"purchases as bytes over the same sockets, and two durable commits. Ratios are of medians of what " +
			"is done in turns.",
		command: "go test ./internal/licensing/broker -run xxx -bench Resolve -benchtime 100x",
		columns: inTurns,
		rows: []row{
			broker("choosing, JSON", "json", "choose", "floor"), broker("buying, JSON", "json", "buy", "buyfloor"),
			broker("choosing, binary", "binary", "choose", "floor"),
			broker("buying, binary", "binary", "buy", "buyfloor"),
		},
	},
	{
		name: "push", heading: "What is pushed", runs: 3,
		about: "Entries in batches of a thousand from four connections into the running program, the client on " +
			"the same processors, while somebody asks for an offer every 20 ms. The floor reads the same " +
			"messages, verifies one Ed25519 signature for each attestation as the standard library does, and " +
			"inserts rows of that size, one durable transaction a batch.",
		command: "FRONTDESK_PUSH=20000 go test ./test/load -run xxx -bench Push -benchtime 1x",
		columns: []string{"entries a second", "times the floor", "an offer meanwhile, median", "without pushes",
			"memory, MiB"},
		rows: pushes(),
	},
	{
		name: "submit", heading: "Submissions by agents", runs: 3,
		about: "An intake with six members and rules of three expressions, every session new. The floor is " +
			"strict decoding, validation against the same schema, and one durable commit of what was " +
			"submitted. A submission writes its record, sealed, and the entry with its place in the signed " +
			"tree.",
		command: "go test ./internal/intake -run xxx -bench '^BenchmarkSubmit$' -benchtime 1000x",
		columns: inTurns,
		rows: []row{
			turns("in turns, one after the other", "Submit/in_turns", "submit"),
			beside("64 clients at once, each", "Submit/submit/clients=64", "Submit/floor/clients=64"),
		},
	},
	{
		name: "counted", heading: "Submissions that are counted", runs: 3,
		about: "Where an intake declares limits its requests are counted in the store. The floor is the same " +
			"request at an intake without limits.",
		command: "go test ./internal/app -run xxx -bench SubmitCounted -benchtime 300x",
		columns: inTurns,
		rows: []row{
			beside("one after the other", "SubmitCounted/counted/in_turns", "SubmitCounted/free/in_turns"),
			beside("32 at once, each", "SubmitCounted/counted/at_once", "SubmitCounted/free/at_once"),
		},
	},
	{
		name: "delegation", heading: "Delegation tokens", runs: 3,
		about: "From a token's text to the decision on one item. The floor is the verifications of Ed25519 that " +
			"the token contains. A token that was seen lately is not read again.",
		command: "go test ./internal/identity/requesters -run xxx -bench Delegation -benchtime 2000x",
		columns: inTurns,
		rows: []row{turns("never seen", "Delegation/never_seen", "check"),
			turns("seen lately", "Delegation/seen_lately", "check")},
	},
	{
		name: "catalog", heading: "What can be sold", runs: 1,
		about: "A hundred thousand articles; `FRONTDESK_ENTRIES` takes more. From the database every item is " +
			"read whole and hashed, by two goroutines beside the one that reads.",
		command: "go test ./internal/licensing/catalog -run xxx -bench '^BenchmarkCatalog$/sqlite' -benchtime 1x",
		columns: []string{"time", "of processors", "of the load from the file"},
		rows: []row{
			{"load from the file", []string{"Catalog/sqlite:s/load-file", "Catalog/sqlite:cpu-s/load-file", ""}},
			{"load from the database", []string{"Catalog/sqlite:s/load-sql", "Catalog/sqlite:cpu-s/load-sql",
				"Catalog/sqlite:cpu-s/load-sql / Catalog/sqlite:cpu-s/load-file"}},
			{"write the file", []string{"Catalog/sqlite:s/save", "", ""}},
			{"find an address that is there", []string{"Catalog/sqlite:ns/lookup", "Catalog/sqlite:cpu-ns/lookup", ""}},
			{"find one that is not", []string{"Catalog/sqlite:ns/miss", "", ""}},
			{"memory, in bytes an entry", []string{"Catalog/sqlite:bytes/entry-file", "", ""}},
		},
	},
	{
		name: "start", heading: "Starts of a server", runs: 1,
		about: "Made-up articles of five passages, that were read before. The first start reads and analyses " +
			"them; the next one maps the files that the first has left. Memory is the process's share after ten " +
			"thousand questions: what it made, and what it has mapped from files, which the system takes back " +
			"where it needs room. `FRONTDESK_LOAD=1000000` is a million passages.",
		command: "go test ./test/load -run xxx -bench Start -benchtime 1x -timeout 1h",
		columns: []string{"ingest", "start", "of processors", "memory, MiB", "mapped, MiB", "p50", "p99"},
		rows:    slices.Concat(starts("10000", "10 thousand"), starts("100000", "100 thousand")),
	},
	{
		name: "console", heading: "Pages of the console", runs: 1,
		about: "Pages are rendered whole, by a viewer who is logged in, over ten thousand made-up transactions " +
			"with their holds, deliveries and revenue; `FRONTDESK_SALES` takes more. The floor is a page on " +
			"which nothing is. A list that is filtered looks at a bounded number of rows for a page.",
		command: "go test ./internal/app -run xxx -bench PagesOfSales -benchtime 20x",
		columns: []string{"time", "times the floor"},
		rows: consolePages("sales", "transactions", "transactions of a site", "deliveries",
			"deliveries that broke off", "bots", "bots of an agent", "leakage", "reports due"),
	},
	{
		name: "counting", heading: "What counting costs an ask", runs: 3,
		about:   "What keeps a question takes its share of an ask; it is written down beside the ask, many at once.",
		command: "go test ./internal/ask/questions -run xxx -bench '(Keep|Write)$' -benchtime 1s",
		columns: []string{"time", "of processors"},
		rows: []row{
			{"keep a question, in the ask", []string{"Keep:ns/op", "Keep:cpu-ns/op"}},
			{"write it down, beside it", []string{"Write:ns/op", "Write:cpu-ns/op"}},
		},
	},
	{
		name: "rsl", heading: "Licences by address", runs: 5,
		about: "Addresses are resolved by an RSL document of ten thousand patterns, of three shapes. The floor " +
			"looks at all of them.",
		command: "go test ./internal/policy -run xxx -bench RSL -benchtime 2000x",
		columns: inTurns,
		rows: []row{
			beside("folders, such as `/a/b/`", "RSL/folders", "RSL/folders/floor"),
			beside("folders, `/a/*.pdf$`, `/*/a/`, `/a?id=`", "RSL/mixed", "RSL/mixed/floor"),
			beside("`/*a*b$` alone, which all begin alike", "RSL/stars", "RSL/stars/floor"),
		},
	},
	{
		name: "gate", heading: "The gate before a site", runs: 3,
		about: "Requests through `frontdesk edge` to an origin, with client and origin in the same process and " +
			"counted in. The floor is the standard library's reverse proxy alone. The gate verifies each " +
			"signed address, and records the delivery.",
		command: "go test ./internal/licensing/edge -run xxx -bench Gate -benchtime 1s",
		columns: []string{"time", "of processors", "of processors, times the floor"},
		rows: []row{
			{"the bare proxy (floor)", []string{"Gate/bare:ns/op", "Gate/bare:cpu-ns/op", ""}},
			{"people",
				[]string{"Gate/people:ns/op", "Gate/people:cpu-ns/op", "Gate/people:cpu-ns/op / Gate/bare:cpu-ns/op"}},
			{"signed addresses",
				[]string{"Gate/hmac:ns/op", "Gate/hmac:cpu-ns/op", "Gate/hmac:cpu-ns/op / Gate/bare:cpu-ns/op"}},
		},
	},
}

// paged adds the pages of SQLite's log to a row of inTurns.
func paged(r row) row {
	benchmark, _, _ := strings.Cut(r.cells[0], ":")
	r.cells = append(r.cells, benchmark+":pages/op")
	return r
}

// broker is a row on the Broker, whose ratios are those of what is done in turns.
func broker(label, form, work, floor string) row {
	is := "Resolve/" + form + "/"
	return row{label, []string{is + work + ":ns/op", is + floor + ":ns/op", "x " + is + "ratios:" + work + "/" + floor}}
}
