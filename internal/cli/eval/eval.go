// Package eval measures how well a search ranks: judged questions in, figures out. It is pure;
// whoever has a search runs the questions and hands over what came back and how long it took.
//
// The figures are the usual ones of retrieval, computed as trec_eval does with its -c option: a
// judged question that was not answered counts as zero, so that no search can gain by staying
// silent. It stands below cli, which asks the questions.
package eval

import (
	"math"
	"slices"
	"time"
)

// Query is one judged question.
type Query struct {
	ID   string
	Text string
}

// Qrels are the judgments: by query, then by document, a grade; 1 and more is relevant.
type Qrels map[string]map[string]int

// Run is what a search gave for one query.
type Run struct {
	Query     string        // the query's ID
	Documents []string      // best first; a document that comes again is passed over
	Took      time.Duration // zero when it was not measured
}

// The depths at which the figures are taken.
const (
	depthNDCG      = 10
	depthPrecision = 10
	depthRecall    = 100
)

// Figures are the measures of one query, or their means.
type Figures struct {
	// NDCG10 is nDCG at 10 with linear gain; the ideal ranking is made of all judged documents.
	NDCG10 float64 `json:"ndcg@10"`
	// MAP is the mean average precision over the whole depth that was asked for.
	MAP float64 `json:"map"`
	// P10 is the share of relevant documents among the first ten.
	P10 float64 `json:"p@10"`
	// Recall100 is the share of all relevant documents that is among the first hundred.
	Recall100 float64 `json:"recall@100"`
}

// Report is what a set of runs amounts to.
type Report struct {
	// Queries is how many queries the means are taken over: those with at least one relevant
	// document.
	Queries int `json:"queries"`
	// Answered is how many of them got any result.
	Answered int `json:"answered"`
	// Unjudged is how many runs were left out because their query has no relevant document in the
	// judgments.
	Unjudged int `json:"unjudged"`
	Figures
	// Latency is over all runs that were measured, judged or not.
	Latency Latency `json:"latency"`
	// ByQuery are the figures of each query, in the order of the runs; queries without a run come
	// last, by ID.
	ByQuery []QueryFigures `json:"by_query,omitempty"`
}

// QueryFigures are the figures of one query.
type QueryFigures struct {
	Query string `json:"query"`
	Figures
}

// Score measures the runs against the judgments. Of several runs of one query the first counts.
func Score(qrels Qrels, runs []Run) Report {
	var report Report
	var took []time.Duration
	seen := make(map[string]bool, len(runs))
	for _, run := range runs {
		if run.Took > 0 {
			took = append(took, run.Took)
		}
		if seen[run.Query] {
			continue
		}
		seen[run.Query] = true
		if !hasRelevant(qrels[run.Query]) {
			report.Unjudged++
			continue
		}
		if len(run.Documents) > 0 {
			report.Answered++
		}
		report.ByQuery = append(report.ByQuery, QueryFigures{run.Query, measure(qrels[run.Query], run.Documents)})
	}
	report.addSilent(qrels, seen)
	report.Queries = len(report.ByQuery)
	report.Figures = mean(report.ByQuery)
	report.Latency = latency(took)
	return report
}

// addSilent adds zeros for judged queries that have no run.
func (r *Report) addSilent(qrels Qrels, seen map[string]bool) {
	var silent []string
	for query, judged := range qrels {
		if !seen[query] && hasRelevant(judged) {
			silent = append(silent, query)
		}
	}
	slices.Sort(silent)
	for _, query := range silent {
		r.ByQuery = append(r.ByQuery, QueryFigures{Query: query})
	}
}

func hasRelevant(judged map[string]int) bool {
	for _, grade := range judged {
		if grade >= 1 {
			return true
		}
	}
	return false
}

func mean(all []QueryFigures) Figures {
	var sum Figures
	for _, f := range all {
		sum.NDCG10 += f.NDCG10
		sum.MAP += f.MAP
		sum.P10 += f.P10
		sum.Recall100 += f.Recall100
	}
	n := float64(max(len(all), 1))
	return Figures{sum.NDCG10 / n, sum.MAP / n, sum.P10 / n, sum.Recall100 / n}
}

// measure computes the figures of one query; judged has at least one relevant document.
func measure(judged map[string]int, documents []string) Figures {
	var f Figures
	var dcg float64
	relevant, rank := 0, 0
	seen := make(map[string]bool, len(documents))
	for _, document := range documents {
		if seen[document] {
			continue
		}
		seen[document] = true
		rank++
		grade := judged[document]
		if rank <= depthNDCG {
			dcg += gain(grade, rank)
		}
		if grade < 1 {
			continue
		}
		relevant++
		f.MAP += float64(relevant) / float64(rank)
		if rank <= depthPrecision {
			f.P10 += 1.0 / depthPrecision
		}
		if rank <= depthRecall {
			f.Recall100++
		}
	}
	total, ideal := ideal(judged)
	f.NDCG10 = dcg / ideal
	f.MAP /= float64(total)
	f.Recall100 /= float64(total)
	return f
}

// ideal gives the number of relevant documents and the discounted gain of the best possible first
// ten.
func ideal(judged map[string]int) (relevant int, dcg float64) {
	var grades []int
	for _, grade := range judged {
		if grade >= 1 {
			grades = append(grades, grade)
		}
	}
	slices.SortFunc(grades, func(a, b int) int { return b - a })
	for i, grade := range grades[:min(depthNDCG, len(grades))] {
		dcg += gain(grade, i+1)
	}
	return len(grades), dcg
}

// gain is the linear gain of a grade at a rank, which counts from 1.
func gain(grade, rank int) float64 {
	return float64(max(grade, 0)) / math.Log2(float64(rank+1))
}
