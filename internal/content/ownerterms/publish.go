package ownerterms

import (
	"context"
	"strconv"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy/overrides"
)

// Maker is who publishes terms.
type Maker struct {
	By   string // as the ledger names them; empty for the command line
	Base *int64 // the last version that they knew, 0 for none; nil for whatever it is
}

// publish makes an edition, and puts it in force.
func (t *Terms) publish(ctx context.Context, e overrides.Edition, maker Maker) (overrides.Edition, error) {
	e.By = maker.By
	made, err := t.Store.Publish(ctx, e, t.File().Edition(), maker.Base)
	if err == nil {
		t.Apply(ctx)
	}
	return made, err
}

// PublishDocument puts the rules of a document in force.
func (t *Terms) PublishDocument(ctx context.Context, document string, maker Maker) (overrides.Edition, error) {
	_, e, _, err := t.Check(document)
	if err != nil {
		return e, err
	}
	return t.publish(ctx, e, maker)
}

// Find finds the version that is named; of the file it is what the file has now.
func (t *Terms) Find(ctx context.Context, version string) (overrides.Edition, error) {
	if version == overrides.FromFile {
		return t.File().Edition(), nil
	}
	number, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return overrides.Edition{}, fail.New(fail.NotFound, "there is no version %.40q of the terms; name one by its "+
			"number, or the file's as file", version)
	}
	return t.Edition(ctx, number)
}

// PutBack puts a version in force again that is named as for Find.
func (t *Terms) PutBack(ctx context.Context, version string, maker Maker) (none overrides.Edition, err error) {
	e, err := t.Find(ctx, version)
	if err != nil {
		return none, err
	}
	set, err := t.Store.Read(ctx)
	if err != nil {
		return none, err
	}
	last, published := set.InForce()
	file := t.File().Edition()
	switch {
	case published && e.Number == last.Number:
		return none, invalid("version %d is in force already", e.Number)
	case e.Source == overrides.FromFile && e.Version == file.Version:
		return t.putBackFile(ctx, file, set, maker)
	case e.Document == "":
		return none, invalid("version %d had no rules, and opened everything; to do that again, publish a rule with "+
			"`match: {}` and `access: open`", e.Number)
	}
	_, again, _, err := t.Check(e.Document)
	if err != nil {
		return none, err
	}
	again.Back = e.Number
	return t.publish(ctx, again, maker)
}

// putBackFile puts the terms of the file in force again.
func (t *Terms) putBackFile(
	ctx context.Context, file overrides.Edition, set overrides.RuleSet, maker Maker,
) (none overrides.Edition, err error) {
	last, published := set.InForce()
	if !published {
		return none, invalid("the terms of the file are in force already")
	}
	if file.Document == "" && last.FileVersion != file.Version {
		return none, invalid("the file has no terms any more, so that everything would be open; write `terms` into " +
			"it, or put back another version")
	}
	if _, err := t.with(file); err != nil {
		return none, err
	}
	return t.publish(ctx, file, maker)
}
