// Package overview tells the owner of a site what was read of it: how each source is, what could
// not be used and how to mend that, and each item as it was read and as the terms show it to
// others. Nothing of it is for anybody else.
//
// Enter at Overview. Record writes what a run did, in the form that Sources reads.
package overview

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/store"
)

// Overview reads what is there. It may be used from many goroutines.
type Overview struct {
	Catalog *content.Catalog
	Corpus  *released.Corpus
	// Configured gives the sources of the configuration, with defaults filled in.
	Configured func() []ingest.SourceSettings
	// Warn and Critical are how old what was read of the web may be.
	Warn, Critical time.Duration
	Vectors        *store.DB // where a model's vectors of the texts are kept; nil for none
	Now            func() time.Time
}

// Age says how old what was last read is allowed to be (RAMP v1, Ingestion).
type Age string

// The ages.
const (
	Recent   Age = ""
	Stale    Age = "stale"
	Critical Age = "critical"
)

// AgeOf is the age of what was last read, or tried first; the zero time is no age.
func AgeOf(read, now time.Time, warn, critical time.Duration) Age {
	switch age := now.Sub(read); {
	case read.IsZero() || age <= warn:
		return Recent
	case age <= critical:
		return Stale
	}
	return Critical
}

// The states of a source, in the order in which they are looked for.
const (
	Unused  = "not_configured" // nobody reads it any more, and its items are still there
	Failing = "failing"
	Never   = "never_read"
	Old     = "stale"
	InPart  = "in_part" // something of it could not be used
	Well    = "well"
)

// SourceStatus is how a source is.
type SourceStatus struct {
	Site       string `json:"site" column:"1:SITE"`
	Name       string `json:"name" column:"2:SOURCE"`
	State      string `json:"state" column:"3:STATE"` // well, in_part, stale, failing, never_read or not_configured
	Reading    bool   `json:"reading,omitempty"`      // it is read just now
	Where      string `json:"where,omitempty"`        // its path or address
	Configured bool   `json:"configured"`
	Added      bool   `json:"added,omitempty"` // the owner added it without the configuration file
	Items      int    `json:"items" column:"4:ITEMS"`
	Passages   int    `json:"passages"`
	// LastRun is when its content was last taken over, Summary what that changed.
	LastRun time.Time `json:"last_run,omitzero"`
	// AgeSeconds is how long ago that was, and Age whether that is too long ago of a source of the
	// web.
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
	// Vectors is how far its texts are turned into vectors, where a model does that and a server
	// has run with it.
	Vectors *VectorStatus `json:"vectors,omitempty"`
}

// Key identifies the source.
func (s *SourceStatus) Key() content.SourceKey {
	return content.SourceKey{Site: s.Site, Source: s.Name}
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

// MaxProblems bounds what is recorded of problems.
const MaxProblems = 100

// Record notes what came of an attempt to read a source, and when the next is due; zero for never.
func Record(
	ctx context.Context, catalog *content.Catalog, began, next time.Time, report ingest.Report,
) error {
	detail, err := json.Marshal(Attempt{
		Seconds: report.Elapsed.Seconds(), Files: report.Files, Read: report.Read, Kept: report.Kept,
		Skipped: report.SkippedCount, Partial: report.Partial, Web: report.Web,
		Problems: report.Skipped[:min(len(report.Skipped), MaxProblems)],
	})
	if err != nil {
		return err
	}
	return catalog.RecordAttempt(ctx, content.SourceKey{Site: report.Site, Source: report.Name},
		content.Attempt{StartedAt: began, Next: next, Detail: string(detail)})
}

// Sources tells how the configured sources are, and those that are in the catalog and no longer
// configured.
func (o *Overview) Sources(ctx context.Context) (all []SourceStatus, err error) {
	stored, err := o.Catalog.Sources(ctx)
	if err != nil {
		return nil, err
	}
	now := o.Now()
	for _, source := range o.Configured() {
		status := SourceStatus{Site: source.Site, Name: source.Name}
		i := slices.IndexFunc(stored, func(s content.Source) bool { return s.SourceKey == status.Key() })
		if i >= 0 {
			status = StatusOf(stored[i])
			stored = slices.Delete(stored, i, i+1)
		}
		status.Where, status.Configured, status.Added = source.Where(), true, source.Stored
		if !status.LastRun.IsZero() {
			status.AgeSeconds = int64(now.Sub(status.LastRun).Seconds())
		}
		if source.URL != "" {
			status.Age = AgeOf(status.LastRun, now, o.Warn, o.Critical)
		}
		all = append(all, status)
	}
	for _, s := range stored {
		status := StatusOf(s)
		status.NextRun = time.Time{} // nobody will
		all = append(all, status)
	}
	for i := range all {
		all[i].State = all[i].state()
	}
	return all, o.addVectors(ctx, all)
}

func (s *SourceStatus) state() string {
	switch {
	case !s.Configured:
		return Unused
	case s.Error != "":
		return Failing
	case s.LastRun.IsZero():
		return Never
	case s.Age != Recent:
		return Old
	case s.Attempt != nil && s.Attempt.Skipped > 0:
		return InPart
	}
	return Well
}

// addVectors tells with each source how far its vectors are.
func (o *Overview) addVectors(ctx context.Context, all []SourceStatus) error {
	if o.Vectors == nil {
		return nil
	}
	states, err := vector.Sources(ctx, o.Vectors)
	if err != nil {
		return err
	}
	for i := range all {
		if s, ok := states[all[i].Key()]; ok {
			all[i].Vectors = &VectorStatus{Texts: s.Texts, Ready: s.Ready, Error: s.Error, Failed: s.Failed}
		}
	}
	return nil
}

// StatusOf is a source as the catalog has it, whatever the configuration says.
func StatusOf(s content.Source) SourceStatus {
	status := SourceStatus{
		Site: s.Site, Name: s.Source, Items: s.Items, Passages: s.Passages, Reading: s.Busy,
		LastRun: s.LastRun, Tried: s.Attempt.StartedAt, Error: s.LastError, NextRun: s.Attempt.Next,
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
