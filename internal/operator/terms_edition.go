package operator

import (
	"context"
	"fmt"

	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/policy/overrides"
)

// TermsBase names the version that somebody saw before changing the terms.
type TermsBase struct {
	Base *int64 `json:"base,omitempty" name:"base" placeholder:"N" help:"Only if N is still the last version, 0 for none; without it, whatever it is."`
}

// TermsEdition is a version of the owner's terms.
type TermsEdition struct {
	Number  int64   `json:"number" column:"1:VERSION"`
	Source  string  `json:"source" column:"2:SOURCE"`                    // file or published
	Back    int64   `json:"back,omitempty"`                              // the version that was put back
	By      string  `json:"by" column:"4:BY"`                            // who made it; empty for the command line
	Made    Instant `json:"made" column:"3:SINCE"`                       //
	Current bool    `json:"in_force" cli:"in_force" column:"5:IN FORCE"` //
}

func (o *Operator) showEdition(e overrides.Edition) TermsEdition {
	return TermsEdition{
		Number: e.Number, Source: e.Source, Back: e.Back, By: e.By, Made: Instant{e.Made},
		Current: e.Number == o.Terms.Added().Latest.Number,
	}
}

// PublishTerms puts other terms in force.
type PublishTerms struct {
	TermsDocument
	TermsBase
}

// Example is one of the command.
func (PublishTerms) Example() string {
	return "The terms of the file are not in force any more then, until `frontdesk terms put-back file`. See before " +
		"what would change with `frontdesk terms diff`.\n\nExample:\n\n\tfrontdesk terms publish stricter.yaml"
}

// Say tells what is in force.
func (PublishTerms) Say(out TermsEdition) string {
	return fmt.Sprintf("Version %d of the terms is published. It is in force within about a second, in the place of "+
		"the file's terms.", out.Number)
}

func (in PublishTerms) Do(ctx context.Context, o *Operator) (TermsEdition, error) {
	made, err := o.Terms.PublishDocument(ctx, in.YAML, ownerterms.Maker{By: Actor(ctx), Base: in.Base})
	return o.showEdition(made), err
}

// TermsHistory lists the versions of the terms.
type TermsHistory struct{ Printed }

// TermsEditions is the last versions, the very last first.
type TermsEditions struct {
	Versions []TermsEdition `json:"versions"`
}

// listedEditions is how many versions are listed.
const listedEditions = 200

// Empty is what the command says where there are none.
func (TermsHistory) Empty() string {
	return "No terms were published; those of the configuration file are in force."
}

func (TermsHistory) Do(ctx context.Context, o *Operator) (TermsEditions, error) {
	all, err := o.Terms.Editions(ctx, listedEditions)
	return TermsEditions{each(all, o.showEdition)}, err
}

// EditionName names a version of the terms.
type EditionName struct {
	Version string `json:"-" path:"version" arg:"" name:"version" help:"The number of the version, as frontdesk terms history lists it, or file."`
}

// ShowEdition tells of a version of the terms.
type ShowEdition struct{ EditionName }

// ShownEdition is a version of the terms with what it has and does.
type ShownEdition struct {
	TermsEdition
	YAML string `json:"yaml"` // empty where the file had no terms
	// Then is what it changed against the version before, by the items that are here now; left out
	// where its rules do not hold any more.
	Then *ownerterms.Effect `json:"then,omitempty"`
	// Now is what putting it back would change.
	Now *ownerterms.Effect `json:"now,omitempty"`
}

func (in ShowEdition) Do(ctx context.Context, o *Operator) (out ShownEdition, err error) {
	t := &o.Terms
	if err := t.Ready(ctx); err != nil {
		return out, err
	}
	e, err := t.Find(ctx, in.Version)
	if err != nil {
		return out, err
	}
	out = ShownEdition{TermsEdition: o.showEdition(e), YAML: e.Document}
	after, err := t.As(e)
	if err != nil {
		return out, nil // the configuration changed since
	}
	if out.Now, err = t.Compare(ctx, t.InForce(), after); err != nil || e.Number < 2 {
		return out, err
	}
	before, err := t.Edition(ctx, e.Number-1)
	if err != nil {
		return out, nil // it was forgotten
	}
	was, err := t.As(before)
	if err != nil {
		return out, nil
	}
	out.Then, err = t.Compare(ctx, was, after)
	return out, err
}

// PutBackTerms puts a version of the terms in force again.
type PutBackTerms struct {
	EditionName
	TermsBase
}

// Example is one of the command.
func (PutBackTerms) Example() string {
	return "With file, the terms of the configuration file are in force again, and follow it when it changes.\n\n" +
		"Examples:\n\n\tfrontdesk terms put-back 3\n\tfrontdesk terms put-back file"
}

// Say tells what is in force.
func (in PutBackTerms) Say(out TermsEdition) string {
	if out.Source == overrides.FromFile {
		return fmt.Sprintf("The terms of the file are in force again within about a second, as version %d.", out.Number)
	}
	return fmt.Sprintf("Version %s of the terms is in force again within about a second, as version %d.", in.Version,
		out.Number)
}

func (in PutBackTerms) Do(ctx context.Context, o *Operator) (TermsEdition, error) {
	made, err := o.Terms.PutBack(ctx, in.Version, ownerterms.Maker{By: Actor(ctx), Base: in.Base})
	return o.showEdition(made), err
}
