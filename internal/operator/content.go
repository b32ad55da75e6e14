package operator

import (
	"context"
	"fmt"
	"strings"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/overview"
	"frontdesk/internal/infra/fail"
)

const (
	sourcesPath = "/admin/sources"
	sourcePath  = sourcesPath + "/{site}/{source}"
	contentPath = "/admin/content"
)

// What was read, and what others see of it.
var contentOperations = []Operation{
	Define[ListSources]("sources", "GET", sourcesPath, "List the sources of content, and how they are"),
	Define[LookAtAddress]("lookAtSource", "POST", sourcesPath+"/look",
		"Look what is at an address of the web, before it is made a source"),
	Define[ShowSource]("source", "GET", sourcePath, "Tell of a source, and of what of it could not be used"),
	Define[ReadSource]("readSource", "POST", sourcePath+"/read", "Read a source anew"),
	Define[ListItems]("items", "GET", contentPath, "List the items that were read"),
	Define[ShowItem]("itemAt", "GET", contentPath+"/item", "Read an item as it was read, and as others see it"),
	Define[ListProblems]("contentProblems", "GET", contentPath+"/problems",
		"List what could not be used of all sources, and how to mend it"),
}

// Content is what was read.
type Content struct {
	*overview.Overview
	// Read begins to read a source anew, and says whether it does: not while it is read.
	Read func(site, source string) (begun bool)
	// Reread begins to read a site anew, and says whether it does: not where that is going on, nor
	// where nothing is to be read. Where paths are named, no more is asked for, as far as that can
	// be done.
	Reread func(site string, paths []string) (begun bool)
	// Look tells what is at an address of the web, which may be anybody's word.
	Look func(ctx context.Context, address string) (ingest.Found, error)
	// Load has the content be there, in a process that answers nobody; nil where it is.
	Load func(context.Context) error
}

// ListSources lists the sources.
type ListSources struct{ Printed }

// SourceList is all sources.
type SourceList struct {
	Sources []overview.SourceStatus `json:"sources"`
}

func (ListSources) Do(ctx context.Context, o *Operator) (SourceList, error) {
	all, err := o.Content.Sources(ctx)
	return SourceList{each(all, func(s overview.SourceStatus) overview.SourceStatus { return s })}, err
}

// SourceName names a source.
type SourceName struct {
	Site   string `json:"-" path:"site" arg:"" help:"The id of its site."`
	Source string `json:"-" path:"source" arg:"" help:"Its name."`
}

func (in SourceName) of(ctx context.Context, o *Operator) (s overview.SourceStatus, err error) {
	all, err := o.Content.Sources(ctx)
	if err != nil {
		return s, err
	}
	for _, s := range all {
		if s.Site == in.Site && s.Name == in.Source {
			return s, nil
		}
	}
	return s, fail.New(fail.NotFound, "there is no source %.100q of a site %.100q", in.Source, in.Site)
}

// ShowSource tells of a source.
type ShowSource struct{ SourceName }

// SourceDetails are a source and what of it could not be used.
type SourceDetails struct {
	Source       overview.SourceStatus `json:"source"`
	Problems     []overview.Problem    `json:"problems"`      // the first ones
	ProblemCount int                   `json:"problem_count"` // of all
}

func (in ShowSource) Do(ctx context.Context, o *Operator) (out SourceDetails, err error) {
	s, err := in.of(ctx, o)
	return SourceDetails{s, s.Problems(), s.ProblemCount()}, err
}

// ReadSource reads a source anew.
type ReadSource struct{ SourceName }

// SourceReading says whether a source is read anew.
type SourceReading struct {
	Site    string `json:"site"`
	Source  string `json:"source"`
	Started bool   `json:"started"` // not where it is read just now
}

// Accepted says that it is done later.
func (SourceReading) Accepted() {}

// Bodiless says that a request has nothing to say.
func (ReadSource) Bodiless() {}

func (in ReadSource) Do(ctx context.Context, o *Operator) (out SourceReading, err error) {
	s, err := in.of(ctx, o)
	switch {
	case err != nil:
		return out, err
	case !s.Configured:
		return out, invalid("the source %.100q is not in the configuration any more; nobody knows where to read it",
			s.Name)
	case o.Content.Read == nil:
		return out, invalid("nothing is read in the background here; run frontdesk ingest")
	}
	return SourceReading{s.Site, s.Name, !s.Reading && o.Content.Read(s.Site, s.Name)}, nil
}

// LookAtAddress looks what is at an address.
type LookAtAddress struct {
	URL string `json:"url" arg:"" help:"The address, such as https://www.example.com/." required:""`
}

// SeenAddress is what is at an address, and what makes it a source.
type SeenAddress struct {
	URL string `json:"url"`
	ingest.Found
	YAML string `json:"yaml"` // the lines for the configuration
}

// Page tells of it, as the command prints it.
func (s SeenAddress) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", s.URL, s.Kind)
	if s.Addresses > 0 {
		fmt.Fprintf(&b, ", %d pages seen so far", s.Addresses)
	}
	fmt.Fprintf(&b, ", %d items read\n", s.Items)
	for _, name := range s.Names {
		fmt.Fprintf(&b, "  %s\n", name)
	}
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Origin, p.Reason)
	}
	if s.Items > 0 {
		fmt.Fprintf(&b, "\nTo read it every day, run frontdesk settings add-source %s, or add to frontdesk.yaml:\n\n%s",
			s.URL, s.YAML)
	}
	return b.String()
}

// maxAddress is how long an address may be.
const maxAddress = 2048

func (in LookAtAddress) Do(ctx context.Context, o *Operator) (out SeenAddress, err error) {
	address, err := webAddress(in.URL)
	if err != nil {
		return out, err
	}
	all, err := o.Content.Sources(ctx)
	if err != nil {
		return out, err
	}
	for _, s := range all {
		if s.Configured && s.Where == address {
			return out, invalid("%.200s is read already, as the source %.100s", address, s.Name)
		}
	}
	out = SeenAddress{URL: address, YAML: fmt.Sprintf("sources:\n  - url: %s\n", yamlText(address))}
	if sites := o.Content.Corpus.Sites().All(); len(sites) > 1 {
		out.YAML += fmt.Sprintf("    site: %s # or another one of yours\n", yamlText(sites[0].ID))
	}
	out.Found, err = o.Content.Look(ctx, address)
	return out, err
}

// yamlText is a text as a value of YAML in one line.
func yamlText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

// ListItems lists items in the order in which they were read.
type ListItems struct {
	Search   string `json:"-" query:"q" placeholder:"WORDS" help:"Words that the name or the address has in it."`
	Type     string `json:"-" query:"type" placeholder:"TYPE" help:"A schema.org type, with those below it."`
	Language string `json:"-" query:"language" placeholder:"TAG" help:"A language, such as de."`
	Site     string `json:"-" query:"site" placeholder:"SITE" help:"The id of a site."`
	Source   string `json:"-" query:"source" placeholder:"NAME" help:"The name of a source."`
	Fault    string `json:"-" query:"fault" placeholder:"FAULT" help:"What is wrong with them: no_text, no_name or blocked."`
	After    string `json:"-" query:"after" help:"The next of the list before, to go on behind it."`
	Limit    int    `json:"-" query:"limit" most:"1000" usual:"100" default:"100" help:"How many at most, up to 1000."`
	Printed
}

// ItemList is a part of the items.
type ItemList struct {
	Items []overview.Item `json:"items"`
	Next  string          `json:"next,omitempty"` // where the list goes on; none at its end
}

// Empty is what the command says where there are none.
func (ListItems) Empty() string { return "There is no such item." }

// Note says on the command line that the list goes on.
func (l ItemList) Note() []string { return QuestionList{Next: l.Next}.Note() }

// Filter is what the operation is told as the reader has it.
func (in ListItems) Filter() overview.Filter {
	return overview.Filter{
		Search: in.Search, Type: in.Type, Language: in.Language, Site: in.Site, Source: in.Source, Fault: in.Fault,
		After: in.After, Limit: in.Limit,
	}
}

func (in ListItems) Do(ctx context.Context, o *Operator) (ItemList, error) {
	all, next, err := o.Content.Items(ctx, in.Filter())
	return ItemList{each(all, func(i overview.Item) overview.Item { return i }), next}, err
}

// ShowItem reads an item.
type ShowItem struct {
	URL  string `json:"-" query:"url" arg:"" help:"Its address."`
	Site string `json:"-" query:"site" placeholder:"SITE" help:"The id of its site; without it, any."`
}

// FoundItems are the items at an address, one of each source that has it.
type FoundItems struct {
	Items []overview.WholeItem `json:"items"`
}

// Page tells of the items, as the command prints it.
func (f FoundItems) Page() string {
	var b strings.Builder
	for _, i := range f.Items {
		fmt.Fprintf(&b, "%s\n%s of %s/%s, read at %s, %d words\n%s\n", i.URL, strings.Join(i.Types, ", "), i.Site,
			i.Source, i.Origin, i.Words, i.Object)
		for _, p := range i.Passages {
			fmt.Fprintf(&b, "\n%s\n", p.Text)
		}
		for _, v := range i.Views {
			fmt.Fprintf(&b, "\nAs a %s sees it: %s (%s)\n", v.As, v.Decision, v.Reason)
			if v.Found {
				fmt.Fprintf(&b, "  %s\n  %s\n", v.Name, strings.ReplaceAll(v.Text, "\n", "\n  "))
			}
		}
	}
	return b.String()
}

func (in ShowItem) Do(ctx context.Context, o *Operator) (out FoundItems, err error) {
	if o.Content.Load != nil {
		if err := o.Content.Load(ctx); err != nil {
			return out, err
		}
	}
	out.Items, err = o.Content.ItemAt(ctx, in.Site, in.URL)
	if err == nil && len(out.Items) == 0 {
		err = fail.New(fail.NotFound, "no item was read at %.200q", in.URL)
	}
	return out, err
}

// ListProblems lists what could not be used.
type ListProblems struct {
	Site   string `json:"-" query:"site" placeholder:"SITE" help:"The id of a site."`
	Source string `json:"-" query:"source" placeholder:"NAME" help:"The name of a source."`
	Printed
}

// ProblemList is what could not be used of the last run of each source, up to a hundred of each.
type ProblemList struct {
	Problems []overview.Problem `json:"problems"`
}

// Empty is what the command says where there are none.
func (ListProblems) Empty() string { return "All that was found could be used." }

func (in ListProblems) Do(ctx context.Context, o *Operator) (out ProblemList, err error) {
	out.Problems = []overview.Problem{}
	all, err := o.Content.Sources(ctx)
	for _, s := range all {
		if (in.Site == "" || s.Site == in.Site) && (in.Source == "" || s.Name == in.Source) {
			out.Problems = append(out.Problems, s.Problems()...)
		}
	}
	return out, err
}
