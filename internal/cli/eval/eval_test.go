package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

// The values on the right are computed by hand from the definitions.
func TestScoreGivesHandComputedFigures(t *testing.T) {
	t.Parallel()
	judged := map[string]int{"a": 3, "b": 2, "c": 1, "d": 0, "e": -1}
	log2 := math.Log2
	idealDCG := 3 + 2/log2(3) + 1/log2(4)
	tests := []struct {
		name  string
		found []string
		want  Figures
	}{
		{"ideal", []string{"a", "b", "c"}, Figures{1, 1, 0.3, 1}},
		{"nothing", nil, Figures{}},
		{"only irrelevant", []string{"d", "e", "x"}, Figures{}},
		{"mixed", []string{"d", "c", "x", "a"}, Figures{
			NDCG10: (1/log2(3) + 3/log2(5)) / idealDCG, MAP: (1.0/2 + 2.0/4) / 3, P10: 0.2, Recall100: 2.0 / 3}},
		{"repeats are passed over", []string{"a", "a", "b"}, Figures{
			NDCG10: (3 + 2/log2(3)) / idealDCG, MAP: 2.0 / 3, P10: 0.2, Recall100: 2.0 / 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Score(Qrels{"q": judged}, []Run{{Query: "q", Documents: test.found}})
			near(t, "nDCG@10", got.NDCG10, test.want.NDCG10)
			near(t, "MAP", got.MAP, test.want.MAP)
			near(t, "P@10", got.P10, test.want.P10)
			near(t, "recall@100", got.Recall100, test.want.Recall100)
		})
	}
}

func TestDepthsCutWhereTheyShould(t *testing.T) {
	t.Parallel()
	found := make([]string, 150)
	for i := range found {
		found[i] = fmt.Sprint("x", i)
	}
	judged := map[string]int{"x10": 1, "x99": 1, "x100": 1}
	got := Score(Qrels{"q": judged}, []Run{{Query: "q", Documents: found}})
	near(t, "nDCG@10 of rank 11", got.NDCG10, 0)
	near(t, "P@10 of rank 11", got.P10, 0)
	near(t, "recall@100 of ranks 11, 100, 101", got.Recall100, 2.0/3)
	near(t, "MAP over the whole depth", got.MAP, (1.0/11+2.0/100+3.0/101)/3)
}

func TestSilenceCountsAsZero(t *testing.T) {
	t.Parallel()
	qrels := Qrels{"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}}
	got := Score(qrels, []Run{{Query: "q1", Documents: []string{"a"}}, {Query: "q3", Documents: []string{"c"}}})
	if got.Queries != 2 || got.Answered != 1 || got.Unjudged != 1 {
		t.Errorf("queries %d, answered %d, unjudged %d; want 2, 1, 1", got.Queries, got.Answered, got.Unjudged)
	}
	near(t, "MAP", got.MAP, 0.5)
}

func TestScoreProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-e][0-9]`), 1, 30, rapid.ID).Draw(t, "names")
		judged := map[string]int{}
		for _, name := range names {
			judged[name] = rapid.IntRange(-1, 4).Draw(t, "grade")
		}
		if !hasRelevant(judged) {
			judged[names[0]] = 1
		}
		qrels := Qrels{"q": judged}
		found := rapid.Permutation(names).Draw(t, "found")
		score := func(found []string) Figures { return Score(qrels, []Run{{Query: "q", Documents: found}}).Figures }
		got := score(found)
		for name, value := range map[string]float64{
			"ndcg": got.NDCG10, "map": got.MAP, "p": got.P10, "recall": got.Recall100,
		} {
			if value < 0 || value > 1+1e-12 {
				t.Fatalf("%s = %v is outside 0..1", name, value)
			}
		}
		best := slices.Clone(found)
		slices.SortStableFunc(best, func(a, b string) int { return judged[b] - judged[a] })
		ideal := score(best)
		if math.Abs(ideal.NDCG10-1) > 1e-9 || math.Abs(ideal.MAP-1) > 1e-9 {
			t.Fatalf("the ideal order scores %+v", ideal)
		}
		// Moving a better document up by one place never lowers nDCG.
		for i := 1; i < len(found); i++ {
			if judged[found[i]] > judged[found[i-1]] {
				swapped := slices.Clone(found)
				swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
				if better := score(swapped); better.NDCG10 < got.NDCG10-1e-12 {
					t.Fatalf("nDCG fell from %v to %v when %s moved up", got.NDCG10, better.NDCG10, found[i])
				}
			}
		}
	})
}

func TestPercentileIsNearestRank(t *testing.T) {
	t.Parallel()
	var took []time.Duration
	for i := 1; i <= 200; i++ {
		took = append(took, time.Duration(i))
	}
	for p, want := range map[float64]time.Duration{0: 1, 50: 100, 95: 190, 99: 198, 100: 200} {
		if got := Percentile(took, p); got != want {
			t.Errorf("percentile %v = %d, want %d", p, got, want)
		}
	}
	if got := Percentile(nil, 50); got != 0 {
		t.Errorf("percentile of nothing = %d", got)
	}
	report := Score(Qrels{"q": {"a": 1}}, []Run{{Query: "q", Took: 5}, {Query: "other", Took: 7}})
	if report.Latency != (Latency{5, 7, 7}) {
		t.Errorf("latency = %+v", report.Latency)
	}
}

func TestReadersTakeGoodFiles(t *testing.T) {
	t.Parallel()
	queries, err := ReadQueries(strings.NewReader("\uFEFFq1\tred shoes\r\n\nq2\twith\ttab\n"))
	if err != nil || len(queries) != 2 || queries[0] != (Query{"q1", "red shoes"}) || queries[1].Text != "with\ttab" {
		t.Errorf("queries = %v, %v", queries, err)
	}
	qrels, err := ReadQrels(strings.NewReader("q1 0 https://a.example/1 3\nq1\t0\thttps://a.example/2\t-1\n"))
	if err != nil || qrels["q1"]["https://a.example/1"] != 3 || qrels["q1"]["https://a.example/2"] != -1 {
		t.Errorf("qrels = %v, %v", qrels, err)
	}
}

func TestReadersNameTheLine(t *testing.T) {
	t.Parallel()
	queries := func(s string) error { _, err := ReadQueries(strings.NewReader(s)); return err }
	qrels := func(s string) error { _, err := ReadQrels(strings.NewReader(s)); return err }
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"no tab", queries("q1\ta\nq2 b\n"), "queries: line 2: no tab"},
		{"empty text", queries("q1\t \n"), "line 1: the ID or the text is empty"},
		{"twice", queries("q1\ta\n\nq1\tb\n"), `line 3: query "q1" stands on line 1`},
		{"long line", queries("q1\ta\nq2\t" + strings.Repeat("x", maxLine)), "line 2: bufio.Scanner: token too long"},
		{"columns", qrels("q1 0 a 1\nq1 0 a b 1\n"), "judgments: line 2: 5 columns"},
		{"grade", qrels("q1 0 a high\n"), `line 1: grade "high" is not a whole number`},
		{"conflict", qrels("q1 0 a 1\nq1 0 a 2\n"), `line 2: document "a" of query "q1" was graded 1 before and 2 here`},
	}
	for _, test := range tests {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.name, test.err, test.want)
		}
	}
}

func TestRenderings(t *testing.T) {
	t.Parallel()
	report := Score(Qrels{"q": {"a": 1}}, []Run{{Query: "q", Documents: []string{"a"}, Took: 1500 * time.Microsecond}})
	var text, object strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteJSON(&object); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nDCG@10      1.0000", "MAP          1.0000", "latency p50  1.500 ms"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, text.String())
		}
	}
	for _, want := range []string{`"ndcg@10": 1`, `"p50_ns": 1500000`, `"query": "q"`} {
		if !strings.Contains(object.String(), want) {
			t.Errorf("no %q in:\n%s", want, object.String())
		}
	}
}

func FuzzReaders(f *testing.F) {
	f.Add("q1\ttext\n")
	f.Add("q1 0 doc 1\n")
	f.Fuzz(func(t *testing.T, s string) {
		if queries, err := ReadQueries(strings.NewReader(s)); err == nil {
			for _, q := range queries {
				if q.ID == "" || q.Text == "" {
					t.Errorf("an empty query came through: %+v", q)
				}
			}
		}
		if qrels, err := ReadQrels(strings.NewReader(s)); err == nil {
			Score(qrels, []Run{{Query: "q1", Documents: []string{"doc"}}})
		}
	})
}
