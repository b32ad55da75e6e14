package app

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/vector"
)

// SourceStatus is how a source stands.
type SourceStatus struct {
	Site       string `json:"site"`
	Name       string `json:"name"`
	Where      string `json:"where,omitempty"` // its path or address
	Configured bool   `json:"configured"`
	Items      int    `json:"items"`
	Passages   int    `json:"passages"`
	// LastRun is when its content was last taken over, Summary what that changed.
	LastRun time.Time `json:"last_run,omitzero"`
	// AgeSeconds is how long ago that was, and Age whether that is too long ago of a source of the web.
	AgeSeconds int64            `json:"age_seconds,omitempty"`
	Age        Age              `json:"age,omitempty"`
	Summary    *content.Summary `json:"summary,omitempty"`
	// Tried is when it was last read, whatever came of it, and Attempt what did.
	Tried   time.Time `json:"tried,omitzero"`
	Attempt *Attempt  `json:"attempt,omitempty"`
	// Error is why the last attempt changed nothing.
	Error string `json:"error,omitempty"`
	// NextRun is when a running server reads it again.
	NextRun time.Time `json:"next_run,omitzero"`
	// Vectors is how far its texts are turned into vectors, where a model does that and a server has run with it.
	Vectors *VectorStatus `json:"vectors,omitempty"`
}

// VectorStatus is how far the texts of a source are turned into vectors.
type VectorStatus struct {
	Texts int `json:"texts"`
	Ready int `json:"ready"`
	// Error is why texts have none yet, when something went wrong, and Failed when that was.
	Error  string    `json:"error,omitempty"`
	Failed time.Time `json:"failed,omitzero"`
}

// Attempt is what an attempt to read a source did.
type Attempt struct {
	Seconds  float64            `json:"seconds"`
	Files    int                `json:"files"`   // or addresses
	Read     int                `json:"read"`    // things that could have been items
	Kept     int                `json:"kept"`    // that became items
	Skipped  int                `json:"skipped"` // that could not be used
	Partial  bool               `json:"partial,omitempty"`
	Web      *ingest.WebReport  `json:"web,omitempty"`
	Problems []document.Problem `json:"problems,omitempty"` // the first few
}

// mostProblems bounds what is recorded of problems.
const mostProblems = 20

// record notes what came of an attempt.
func (s *sources) record(ctx context.Context, source ingest.SourceSettings, began time.Time, report ingest.Report, failed error) error {
	a := Attempt{
		Seconds: report.Elapsed.Seconds(), Files: report.Files, Read: report.Read, Kept: report.Kept, Skipped: report.SkippedCount,
		Partial: report.Partial, Web: report.Web, Problems: report.Skipped[:min(len(report.Skipped), mostProblems)],
	}
	detail, err := json.Marshal(a)
	if err != nil {
		return err
	}
	attempt := content.Attempt{StartedAt: began, Detail: string(detail)}
	if source.Every > 0 {
		attempt.Next = began.Add(source.Every)
		if failed != nil {
			attempt.Next = began.Add(min(source.Every, tryAgain))
		}
	}
	return s.Catalog.RecordAttempt(ctx, content.SourceKey{Site: source.Site, Source: source.Name}, attempt)
}

// Sources tells how the configured sources stand, and those that are in the catalog and no longer configured.
func (s *sources) Sources(ctx context.Context) ([]SourceStatus, error) {
	configured := s.config.AllSources()
	stored, err := s.Catalog.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var all []SourceStatus
	for _, source := range configured {
		status := SourceStatus{Site: source.Site, Name: source.Name}
		if i := slices.IndexFunc(stored, func(s content.Source) bool { return s.Site == source.Site && s.Source == source.Name }); i >= 0 {
			status = statusOf(stored[i])
			stored = slices.Delete(stored, i, i+1)
		}
		status.Where, status.Configured = source.Where(), true
		if !status.LastRun.IsZero() {
			status.AgeSeconds = int64(s.now().Sub(status.LastRun).Seconds())
		}
		if source.URL != "" {
			status.Age = ageOf(s.config.Licences, status.LastRun, s.now())
		}
		all = append(all, status)
	}
	for _, s := range stored {
		status := statusOf(s)
		status.NextRun = time.Time{} // nobody will
		all = append(all, status)
	}
	return all, s.addVectors(ctx, all)
}

// addVectors tells with each source how far its vectors are.
func (s *sources) addVectors(ctx context.Context, all []SourceStatus) error {
	if !s.vectors {
		return nil
	}
	states, err := vector.Sources(ctx, s.db)
	if err != nil {
		return err
	}
	for i := range all {
		if s, ok := states[content.SourceKey{Site: all[i].Site, Source: all[i].Name}]; ok {
			all[i].Vectors = &VectorStatus{Texts: s.Texts, Ready: s.Ready, Error: s.Error, Failed: s.Failed}
		}
	}
	return nil
}

func statusOf(s content.Source) SourceStatus {
	status := SourceStatus{
		Site: s.Site, Name: s.Source, Items: s.Items, Passages: s.Passages, LastRun: s.LastRun, Tried: s.Attempt.StartedAt, Error: s.LastError, NextRun: s.Attempt.Next,
	}
	if !s.LastRun.IsZero() {
		status.Summary = &s.Last
	}
	var attempt Attempt
	if s.Attempt.Detail != "" && json.Unmarshal([]byte(s.Attempt.Detail), &attempt) == nil {
		status.Attempt = &attempt
	}
	return status
}
