package ask

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

// Where BenchmarkStages takes its items and questions from, instead of making them up: a database
// that `frontdesk ingest` filled, the id of its site, and a file of questions, each behind the last
// tab of a line.
const (
	stagesDatabase  = "FRONTDESK_STAGES"
	stagesSite      = "FRONTDESK_STAGES_SITE"
	stagesQuestions = "FRONTDESK_STAGES_QUESTIONS"
	stagesItems     = "FRONTDESK_STAGES_ITEMS" // how many are made up
)

// stage is a part of what a question goes through.
type stage struct {
	name string
	run  func(d *Service, on *staged) error
}

// staged is a question on its way through the stages.
type staged struct {
	in     *askState
	plain  index.Question // the words alone
	answer *Answer
}

// stages are, first, what a question costs that is taken for its words alone, as they stand and
// then with spelling and feedback, and then what it costs to understand it and to find what was
// understood.
var stages = []stage{
	{"words as they stand", func(d *Service, on *staged) error {
		asked := on.plain
		asked.Literal = true
		on.answer = d.find(on.in, asked)
		return nil
	}},
	{"words alone", func(d *Service, on *staged) error {
		on.answer = d.find(on.in, on.plain)
		return nil
	}},
	{"understand", func(d *Service, on *staged) error {
		d.recall(context.Background(), on.in)
		d.applyAnswers(on.in)
		on.in.applySpelling()
		return d.understand(context.Background(), on.in)
	}},
	{"find", func(d *Service, on *staged) error {
		on.answer = d.lookFor(on.in)
		return nil
	}},
	{"ask back", func(d *Service, on *staged) error { // which looks once more, at what the items differ in
		on.in.AnswersOnly = false
		d.askBack(context.Background(), on.in)
		on.in.AnswersOnly = true
		return nil
	}},
	{"render", func(_ *Service, on *staged) error {
		if on.answer.Len() == 0 {
			return nil
		}
		_, err := on.answer.preload(context.Background())
		return err
	}},
	{"tell", func(_ *Service, on *staged) error {
		_ = on.in.explain()
		return nil
	}},
	{"whole ask", func(d *Service, on *staged) error {
		_, err := d.Ask(context.Background(), on.in.Question)
		if coded := fail.From(err); coded != nil && coded.Code == fail.NoResults {
			return nil
		}
		return err
	}},
}

// pass sends each question through all stages, and notes for each stage and question the shortest
// time so far.
func pass(b *testing.B, d *Service, questions []string, fastest [][]time.Duration) {
	b.Helper()
	for i, text := range questions {
		q := Question{Text: text, AnswersOnly: true}
		on := &staged{in: &askState{Question: q}}
		var err error
		if on.in.asked, err = d.check(q); err != nil {
			b.Fatal(err)
		}
		on.plain = on.in.asked
		for s, stage := range stages {
			began := time.Now()
			if err := stage.run(d, on); err != nil {
				b.Fatalf("%s of %q: %v", stage.name, text, err)
			}
			if took := time.Since(began); fastest[s][i] == 0 || took < fastest[s][i] {
				fastest[s][i] = took
			}
		}
	}
}

// backAsker asks back as the configuration does where it says `mode: auto` and nothing else.
var backAsker = elicitation.New(
	elicitation.Config{Mode: elicitation.Auto, Rounds: 2, Questions: 3, MoreThan: 12, Words: 2})

// BenchmarkStages breaks a question down: how long each stage takes, of the fastest of all passes
// for each question, and with a view that nobody has asked anything yet. The stages of a question
// follow each other at once, so that the ratios hold on a machine that has other work.
func BenchmarkStages(b *testing.B) {
	catalog, site, questions := stageContent(b)
	fresh := func() *Service {
		rules, err := policy.Options{IsA: content.IsA}.New(nil)
		if err != nil {
			b.Fatal(err)
		}
		corpus, err := released.New(released.Deps{
			Catalog: catalog, Sites: released.NewSites(released.Site{ID: site}), Terms: func() *policy.Terms {
				return rules
			},
		})
		if err != nil {
			b.Fatal(err)
		}
		d, err := New(Deps{Corpus: corpus, Reading: Reading{MinScore: 20}, Elicitation: backAsker})
		if err == nil {
			err = corpus.Load(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		return d
	}
	first, fastest := durations(len(questions)), durations(len(questions))
	for range 3 {
		pass(b, fresh(), questions, first)
	}
	d := fresh()
	for b.Loop() {
		pass(b, d, questions, fastest)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%d items, %d questions, microseconds\n%-20s %8s %8s %8s %8s | first %8s %8s %8s\n",
		d.deps.Corpus.Items(), len(questions), "", "p50", "p95", "p99", "most", "p50", "p95", "most")
	for s, stage := range stages {
		fmt.Fprintf(&table, "%-20s %8.1f %8.1f %8.1f %8.1f |       %8.1f %8.1f %8.1f\n", stage.name,
			quantile(fastest[s], 50), quantile(fastest[s], 95), quantile(fastest[s], 99), quantile(fastest[s], 100),
			quantile(first[s], 50), quantile(first[s], 95), quantile(first[s], 100))
	}
	b.Log(table.String())
	if os.Getenv("FRONTDESK_STAGES_EACH") != "" {
		for i, text := range questions {
			var line strings.Builder
			for s := range stages {
				fmt.Fprintf(&line, "%7.0f/%-7.0f", quantile(fastest[s][i:i+1], 0), quantile(first[s][i:i+1], 0))
			}
			b.Logf("%s %s", line.String(), text)
		}
	}
	words, whole := quantile(fastest[0], 50), quantile(fastest[2], 50)+quantile(fastest[3], 50)
	b.ReportMetric(whole/words, "understood/words")
	for s, stage := range stages {
		unit := strings.ReplaceAll(stage.name, " ", "-")
		b.ReportMetric(quantile(fastest[s], 50), unit+"-p50-µs")
		b.ReportMetric(quantile(fastest[s], 95), unit+"-p95-µs")
		b.ReportMetric(quantile(first[s], 50), unit+"-first-p50-µs")
	}
	b.ReportMetric(0, "ns/op")
}

func durations(questions int) [][]time.Duration {
	all := make([][]time.Duration, len(stages))
	for s := range all {
		all[s] = make([]time.Duration, questions)
	}
	return all
}

// quantile is the time, in microseconds, that so many of a hundred do not exceed.
func quantile(all []time.Duration, percent int) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return float64(sorted[min(len(sorted)-1, len(sorted)*percent/100)].Nanoseconds()) / 1e3
}

// stageContent is the shop that is asked, and what it is asked for.
func stageContent(b *testing.B) (catalog *content.Catalog, site string, questions []string) {
	b.Helper()
	if path := os.Getenv(stagesDatabase); path != "" {
		db, err := store.Open(b.Context(),
			store.Config{DSN: path, Schemas: []store.Schema{content.Schema, vector.Schema}})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		lines, err := os.ReadFile(os.Getenv(stagesQuestions))
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(lines)) {
			line = strings.TrimSpace(line)
			questions = append(questions, line[strings.LastIndexByte(line, '\t')+1:])
		}
		if site = os.Getenv(stagesSite); site == "" {
			site = "local"
		}
		return content.New(db, content.Options{}), site, questions
	}
	db := storetest.Chosen(b, content.Schema, vector.Schema)
	catalog = content.New(db, content.Options{})
	n := 7000
	if text := os.Getenv(stagesItems); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatalf("%s is %q; give a number of items", stagesItems, text)
		}
	}
	items, questions := inventedShop(n)
	run, err := catalog.Begin(b.Context(), "shop", "shelf")
	for part := range slices.Chunk(items, 1000) {
		if err == nil {
			err = run.Put(b.Context(), part...)
		}
	}
	if err == nil {
		_, err = run.Commit(b.Context(), content.CommitOptions{})
	}
	if err != nil {
		b.Fatal(err)
	}
	return catalog, "shop", questions
}

// inventedShop makes up n products, and questions for them as people write them: a third of words
// alone.
func inventedShop(n int) (items []content.Item, questions []string) {
	random := rand.New(rand.NewPCG(7, 11))
	pick := func(all []string) string {
		f := random.Float64()
		return all[int(f*f*float64(len(all)))]
	}
	things := strings.Fields("shirt shoes dress bag lamp bottle knife guitar slippers sandals belt pencil toothpaste " +
		"feeder drill whisk glasses thermostat headphones curtain carpet kettle pillow tent")
	kinds := strings.Fields("large small slim wireless folding stainless wooden cotton leather portable vintage " +
		"waterproof electric ceramic padded quilted")
	colours := strings.Fields(
		"black white red blue green grey yellow brown pink silver gold purple beige orange navy teal")
	people := []string{"Women", "Men", "Kids", "Toddlers", "Adults", "Boys", "Girls"}
	brands := make([]string, 200)
	for i := range brands {
		brands[i] = fmt.Sprintf("%c%s%c%s", 'B'+i%20, "aeiou"[i%5:i%5+1], 'l'+i/20,
			[]string{"ora", "ix", "ano", "umi"}[i%4])
	}
	vocabulary := make([]string, 6000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%c%c%cord%d", 'a'+i%26, 'a'+i/26%26, 'a'+i/676, i%97)
	}
	for i := range n {
		thing, kind, colour, who, brand := pick(things), pick(kinds), pick(colours), pick(people), pick(brands)
		text := make([]string, 80)
		for w := range text {
			text[w] = pick(vocabulary)
		}
		name := fmt.Sprintf("%s %s %s for %s, %s %s", brand, kind, thing, who, colour, pick(vocabulary))
		body := strings.Join(text, " ") + " for " + strings.ToLower(who) + " in " + colour
		url := fmt.Sprintf("https://shop.example/p/%d", i)
		items = append(items, content.Item{
			URL: url, Types: []string{"Product"}, Name: name, Description: body, Language: "en",
			Keys: brand + " " + colour, Passages: []content.Passage{{ID: content.PassageID(body, 0), Text: body}},
			Object: fmt.Appendf(nil, `{"@type":"Product","url":%q,"name":%q,"description":%q,"brand":%q,"color":%q,"category":"%s > %s","audience":%q,`+
				`"aggregateRating":{"ratingValue":%.1f,"reviewCount":%d},"offers":{"price":%.2f,"priceCurrency":"USD"}}`,
				url, name, body, brand, colour, who, thing, who, 2+3*random.Float64(), random.IntN(900),
				5+random.Float64()*random.Float64()*400),
		})
	}
	for range 96 {
		thing, kind := pick(things), pick(kinds)
		questions = append(questions, [...]string{
			kind + " " + thing,
			thing + " " + pick(vocabulary) + " " + pick(vocabulary),
			pick(brands) + " " + thing,
			thing + " for " + strings.ToLower(pick(people)),
			pick(colours) + " " + thing + " without " + pick(kinds),
			fmt.Sprintf("%s %s under $%d", kind, thing, 20+random.IntN(200)),
			"cheapest " + thing + " for " + strings.ToLower(pick(people)),
			fmt.Sprintf("best rated %s %s between %d and %d dollars", pick(colours), thing, 10+random.IntN(20),
				50+random.IntN(90)),
			kind + " " + thing[:len(thing)-1] + " " + pick(vocabulary),
		}[random.IntN(9)])
	}
	return items, questions
}
