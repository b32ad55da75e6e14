package eval

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBootstrapIntervalOfKnownValues(t *testing.T) {
	t.Parallel()
	same := Bootstrap{Resamples: 200}.Mean([]float64{0.25, 0.25, 0.25})
	near(t, "low of equal values", same.Low, 0.25)
	near(t, "high of equal values", same.High, 0.25)
	if none := (Bootstrap{}).Mean(nil); none != (Interval{}) {
		t.Errorf("interval of nothing = %+v", none)
	}
	// The mean of n draws of 0 and 1 is binomial: with n = 400, 95 in 100 are within 1.96 * 0.5 /
	// 20 of a half.
	coins := make([]float64, 400)
	for i := range coins {
		coins[i] = float64(i % 2)
	}
	got := Bootstrap{Seed: 7}.Mean(coins)
	near(t, "mean", got.Mean, 0.5)
	if math.Abs(got.Low-0.451) > 0.005 || math.Abs(got.High-0.549) > 0.005 {
		t.Errorf("interval %.4f to %.4f, want about 0.451 to 0.549", got.Low, got.High)
	}
	narrow := Bootstrap{Seed: 7, Level: 0.5}.Mean(coins)
	if narrow.High-narrow.Low >= got.High-got.Low {
		t.Errorf("half of the means take %v, and 95 in 100 only %v", narrow, got)
	}
}

func TestBootstrapProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 40).Draw(t, "values")
		b := Bootstrap{Resamples: 100, Seed: rapid.Uint64().Draw(t, "seed")}
		got := b.Mean(values)
		if got != b.Mean(values) {
			t.Fatal("the same seed drew something else")
		}
		if !(-1-1e-9 <= got.Low && got.Low <= got.High && got.High <= 1+1e-9) {
			t.Fatalf("interval %+v", got)
		}
		wider := Bootstrap{Resamples: b.Resamples, Seed: b.Seed, Level: 0.999}.Mean(values)
		if wider.Low > got.Low || wider.High < got.High {
			t.Fatalf("a higher level gives less: %+v within %+v", wider, got)
		}
	})
}

// A change that is the same for every question is certain, however much the questions differ among
// themselves.
func TestCompareIsByQuestion(t *testing.T) {
	t.Parallel()
	var before, after Report
	for i, id := range []string{"a", "b", "c", "d"} {
		before.ByQuery = append(before.ByQuery, QueryFigures{id, Figures{NDCG10: float64(i) / 5, MAP: 0.5}})
		after.ByQuery = append(after.ByQuery,
			QueryFigures{id, Figures{NDCG10: float64(i)/5 + 0.1, MAP: 0.5 - float64(i%2)/10}})
	}
	after.ByQuery = append(after.ByQuery, QueryFigures{"new", Figures{NDCG10: 1}})
	got := Bootstrap{Resamples: 500}.Compare(before, after)
	ndcg, ap := got[0], got[1]
	if ndcg.Figure != "nDCG@10" || ndcg.Questions != 4 || ndcg.Better != 4 || ndcg.Worse != 0 {
		t.Errorf("nDCG: %+v", ndcg)
	}
	near(t, "before", ndcg.Before, 0.3)
	near(t, "after", ndcg.After, 0.4)
	near(t, "low", ndcg.Change.Low, 0.1)
	near(t, "high", ndcg.Change.High, 0.1)
	near(t, "change of MAP", ap.Change.Mean, -0.05)
	if ap.Better != 0 || ap.Worse != 2 || !(ap.Change.Low < ap.Change.Mean && ap.Change.Mean < ap.Change.High) {
		t.Errorf("MAP: %+v", ap)
	}
	var text strings.Builder
	if err := got.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if want := "nDCG@10     0.3000  0.4000  +0.1000  +0.1000 to +0.1000  4       0 of 4"; !strings.Contains(
		text.String(), want) {
		t.Errorf("no %q in:\n%s", want, text.String())
	}
}

func TestConstrainedCompareIsByQuestion(t *testing.T) {
	t.Parallel()
	before := Summarize([]ConstrainedResult{{ID: "a", ConstrainedFigures: ConstrainedFigures{0.5, 1}}, {ID: "gone"}})
	after := Summarize([]ConstrainedResult{{ID: "a", ConstrainedFigures: ConstrainedFigures{1, 0.5}}})
	got := Bootstrap{Resamples: 10}.Constrained(before, after)
	if got[0].Questions != 1 || got[0].Better != 1 || got[0].Change.Mean != 0.5 || got[1].Worse != 1 {
		t.Errorf("comparison = %+v", got)
	}
}

func TestReportsComeBackFromJSON(t *testing.T) {
	t.Parallel()
	report := Score(Qrels{"q": {"a": 1}}, []Run{{Query: "q", Documents: []string{"b", "a"}, Took: 3}})
	var object strings.Builder
	if err := report.WriteJSON(&object); err != nil {
		t.Fatal(err)
	}
	again, err := ReadReport(strings.NewReader(object.String()))
	if err != nil || again.MAP != 0.5 || len(again.ByQuery) != 1 || again.ByQuery[0] != report.ByQuery[0] {
		t.Errorf("read again: %+v, %v", again, err)
	}
	if _, err := ReadReport(strings.NewReader("nDCG 0.5")); err == nil ||
		!strings.Contains(err.Error(), "eval --json") {
		t.Errorf("a table: %v", err)
	}
}
