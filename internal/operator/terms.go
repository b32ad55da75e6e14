package operator

import (
	"context"

	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

// The owner's terms are those of the configuration file until others are published. Those stay in
// force, whatever the file says then, until the file's are put back.
const (
	termsPath   = "/admin/terms"
	historyPath = termsPath + "/history"
	editionPath = historyPath + "/{version}"
)

var termsOperations = []Operation{
	Define[ListTerms]("terms", "GET", termsPath, "List the rules in force, with how many items each decides on"),
	Define[PublishTerms]("publishTerms", "PUT", termsPath, "Put other terms in force, in the place of the file's"),
	Define[CheckTerms]("checkTerms", "POST", termsPath+"/check",
		"Say what other terms would change, without changing anything"),
	Define[ExplainTerms]("explainTerms", "GET", termsPath+"/explain",
		"Say what is decided on an item for each kind of party, and why"),
	Define[TermsHistory]("termsHistory", "GET", historyPath, "List the versions of the terms, the last first"),
	Define[ShowEdition]("termsVersion", "GET", editionPath,
		"Read a version of the terms, and what putting it back would change"),
	Define[PutBackTerms]("putBackTerms", "POST", editionPath+"/put-back",
		"Put a version of the terms in force again, or those of the file"),
}

// ListTerms lists the rules in force.
type ListTerms struct{}

// TermsInForce is the terms in force, and where they are from.
type TermsInForce struct {
	Source string `json:"source"`           // file or published
	File   string `json:"file,omitempty"`   // the name of the configuration file
	Number int64  `json:"number,omitempty"` // of the last version that was published or put back
	By     string `json:"by,omitempty"`     // who did that; empty for the command line
	// Made is when that was done.
	Made Instant `json:"made,omitzero"`
	// FileDiffers says that the file has other terms now than when these were published. They are
	// not in force.
	FileDiffers bool                    `json:"file_differs,omitempty"`
	Version     string                  `json:"version"` // as the ledger names the terms in force
	Items       int                     `json:"items"`
	Unmatched   int                     `json:"unmatched"` // items that no rule is for, which are blocked
	Rules       []ownerterms.ListedRule `json:"rules"`
	YAML        string                  `json:"yaml"` // the owner's rules as a document; empty where there are none
}

func (ListTerms) Do(ctx context.Context, o *Operator) (out TermsInForce, err error) {
	t := &o.Terms
	if err := t.Ready(ctx); err != nil {
		return out, err
	}
	now, set, file := t.InForce(), t.Added(), t.File()
	last, published := set.InForce()
	out = TermsInForce{
		Source: overrides.FromFile, File: file.Name, Number: last.Number, By: last.By, Made: Instant{last.Made},
		Version: now.Version(), YAML: file.Document,
	}
	if published {
		out.Source, out.YAML = last.Source, last.Document
		out.FileDiffers = policy.RulesVersion(file.Rules) != last.FileVersion
	}
	out.Rules, out.Unmatched, err = t.Rules(ctx, now)
	out.Items = out.Unmatched
	for _, r := range out.Rules {
		out.Items += r.Items
	}
	return out, err
}

// TermsDocument is terms as somebody wants them.
type TermsDocument struct {
	File string `json:"-" arg:"" placeholder:"FILE" help:"A file with the rules under terms, and nothing else; - for standard input."`
	YAML string `json:"yaml" kong:"-"`
}

// MaxBody is how many bytes a request may have.
func (*TermsDocument) MaxBody() int64 { return 2 * overrides.MaxDocument }

// ReadFiles reads the file of the command line.
func (in *TermsDocument) ReadFiles(files Files) error {
	text, err := files.ReadFile(in.File)
	in.YAML = string(text)
	return err
}

// CheckTerms says what other terms would change.
type CheckTerms struct{ TermsDocument }

// CheckedTerms is what other terms would do.
type CheckedTerms struct {
	ownerterms.Effect
	Rules []ownerterms.ListedRule `json:"rules"`
}

func (in CheckTerms) Do(ctx context.Context, o *Operator) (out CheckedTerms, err error) {
	after, _, odd, err := o.Terms.Check(in.YAML)
	if err != nil {
		return out, err
	}
	if err := o.Terms.Ready(ctx); err != nil {
		return out, err
	}
	effect, err := o.Terms.Compare(ctx, o.Terms.InForce(), after)
	if err != nil {
		return out, err
	}
	out.Effect, out.Warnings = *effect, odd
	out.Rules, _, err = o.Terms.Rules(ctx, after)
	return out, err
}

// ExplainTerms says what is decided on an item.
type ExplainTerms struct {
	URL string `json:"-" query:"url"`
}

func (in ExplainTerms) Do(ctx context.Context, o *Operator) (ownerterms.Explained, error) {
	return o.Terms.Explain(ctx, in.URL)
}
