package overview

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
	"frontdesk/wire/strictjson"
)

// What can be wrong with an item, as a list can be asked for it.
const (
	NoText    = "no_text" // it has no running text
	NoName    = "no_name"
	IsBlocked = "blocked" // the terms show it to nobody of whom nothing is known
)

// Faults are what can be wrong with an item.
var Faults = []string{NoText, NoName, IsBlocked}

// Filter says which items are listed.
type Filter struct {
	Search       string // words that stand in the name or the address
	Type         string // a schema.org type, or one below it
	Language     string // a tag, or one that it begins, such as pt of pt-br
	Site, Source string
	Fault        string    // of Faults
	Since, Until time.Time // between which they came, or changed last; zero for any time
	After        string    // the place behind which the list begins
	Limit        int
}

// Item is an item of a list.
type Item struct {
	Site     string   `json:"site"`
	Source   string   `json:"source" column:"5:SOURCE"`
	URL      string   `json:"url" column:"6:ADDRESS"`
	Name     string   `json:"name" column:"1:NAME"`
	Types    []string `json:"types" column:"2:TYPE"`
	Language string   `json:"language,omitempty"`
	Origin   string   `json:"origin"`                   // where it was found
	Words    int      `json:"words" column:"3:WORDS"`   // of its running text
	Access   string   `json:"access" column:"4:ACCESS"` // open, licensed or blocked, for somebody of whom nothing is known
	Rule     int      `json:"rule"`                     // of the terms that decides, from 1; 0 where none matches
	Line     int      `json:"line,omitempty"`           // of the rule in the file
	Reason   string   `json:"reason"`                   // why, in a sentence
}

// checked reads the place behind which a list begins.
func (f Filter) checked() (after int64, err error) {
	if f.Fault != "" && !slices.Contains(Faults, f.Fault) {
		return 0, fail.New(fail.Invalid, "fault: %.40q is none; it is one of %s", f.Fault, strings.Join(Faults, ", "))
	}
	if f.After != "" {
		if after, err = strconv.ParseInt(f.After, 10, 64); err != nil || after < 0 {
			return 0, fail.New(fail.Invalid, "after: %.40q is no place of a list; take the next of the one before",
				f.After)
		}
	}
	return after, nil
}

// admits says whether an item is wanted. Words are folded as strings.ToLower does, so that both
// engines of the store find the same.
func (f Filter) admits(r *content.Row, words []string) bool {
	text := ""
	for _, word := range words {
		if text == "" {
			text = strings.ToLower(r.Name + "\n" + r.URL)
		}
		if !strings.Contains(text, word) {
			return false
		}
	}
	switch language := strings.ToLower(f.Language); {
	case language == "" || r.Language == language || strings.HasPrefix(r.Language, language+"-"):
	default:
		return false
	}
	if f.Type != "" && !slices.ContainsFunc(r.Types, func(t string) bool { return content.IsA(t, f.Type) }) {
		return false
	}
	return (f.Fault != NoText || r.Passages == 0) && (f.Fault != NoName || r.Name == "")
}

// Items lists items in the order in which they were read. next is the place at which the list goes
// on; empty at its end.
func (o *Overview) Items(ctx context.Context, f Filter) (all []Item, next string, err error) {
	after, err := f.checked()
	if err != nil {
		return nil, "", err
	}
	if known, ok := content.KnownType(policy.BareType(f.Type)); ok {
		f.Type = known
	}
	words, rules := strings.Fields(strings.ToLower(f.Search)), o.Corpus.Terms()
	in, err := o.revisions(ctx, f)
	if err != nil {
		return nil, "", err
	}
	wanted := func(key content.SourceKey) bool {
		_, some := in[key]
		return (f.Site == "" || key.Site == f.Site) && (f.Source == "" || key.Source == f.Source) && (in == nil || some)
	}
	var rows []content.Row
	err = o.Catalog.List(ctx, after, wanted, func(r content.Row) bool {
		facts := policy.Facts{Site: r.Site, Source: r.Source, URL: r.URL, Types: r.Types}
		blocked := f.Fault == IsBlocked // by a rule: no item blocks itself
		span := in[content.SourceKey{Site: r.Site, Source: r.Source}]
		if in != nil && (r.Since < span[0] || r.Since > span[1]) {
			return ctx.Err() == nil
		}
		if f.admits(&r, words) && (!blocked || rules.Decide(facts).Access == policy.Blocked) {
			rows = append(rows, r)
		}
		return ctx.Err() == nil && len(rows) <= f.Limit
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, "", err
	}
	if len(rows) > f.Limit {
		rows = rows[:f.Limit]
		next = strconv.FormatInt(rows[f.Limit-1].Place, 10)
	}
	refs := make([]content.Ref, len(rows))
	for i := range rows {
		refs[i] = rows[i].Ref
	}
	items, err := o.Catalog.LoadItems(ctx, refs...)
	if err != nil {
		return nil, "", err
	}
	for i := range items {
		if items[i].URL != "" { // it is still there
			all = append(all, itemOf(refs[i], &items[i], rules))
		}
	}
	return all, next, nil
}

// revisions are those of the time of a filter, by source; nil for any time.
func (o *Overview) revisions(ctx context.Context, f Filter) (map[content.SourceKey][2]int64, error) {
	if f.Since.IsZero() && f.Until.IsZero() {
		return nil, nil
	}
	return o.Catalog.RevisionsOf(ctx, f.Since, f.Until)
}

func factsOf(ref content.Ref, i *content.Item) policy.Facts {
	return policy.Facts{Site: ref.Site, Source: ref.Source, URL: i.URL, Types: i.Types,
		Own: policy.Markup(i.Types, i.Object, content.IsA)}
}

func itemOf(ref content.Ref, i *content.Item, rules *policy.Terms) Item {
	d := rules.Decide(factsOf(ref, i))
	out := Item{
		Site: ref.Site, Source: ref.Source, URL: i.URL, Name: i.Name, Types: i.Types, Language: i.Language,
		Origin: i.Origin, Access: string(d.Access), Rule: d.Rule + 1, Line: d.Line, Reason: d.Reason,
	}
	for _, p := range i.Passages {
		out.Words += len(strings.Fields(p.Text))
	}
	return out
}

// WholeItem is an item with all that was read of it, and what others see of it.
type WholeItem struct {
	Item
	Description string           `json:"description,omitempty"`
	Publisher   string           `json:"publisher,omitempty"`
	Image       string           `json:"image,omitempty"`
	Published   time.Time        `json:"published,omitzero"`
	Modified    time.Time        `json:"modified,omitzero"`
	Object      strictjson.Value `json:"object"` // its properties
	Passages    []Passage        `json:"passages"`
	Views       []View           `json:"views"`
}

// Passage is a piece of the running text of an item.
type Passage struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// View is an item as a party sees it.
type View struct {
	As       string `json:"as"` // stranger, platform or buyer
	Access   string `json:"access"`
	Decision string `json:"decision"` // all that the terms say, in a line
	Reason   string `json:"reason"`
	Steps    []Step `json:"steps"`          // the rules in order, up to the one that decides
	Found    bool   `json:"found"`          // it is among the answers to questions
	Name     string `json:"name,omitempty"` // as it is shown, as is what follows
	Text     string `json:"text,omitempty"`
	// Sent is what an answer has of it, without score.
	Sent  strictjson.Value `json:"sent,omitempty"`
	Sold  bool             `json:"sold,omitempty"`  // whole, for the price
	Price string           `json:"price,omitempty"` // as the terms state it
}

// Step is a rule that was tried.
type Step struct {
	Rule       int    `json:"rule"` // from 1
	Line       int    `json:"line,omitempty"`
	Named      string `json:"named,omitempty"`
	Matched    bool   `json:"matched"`
	Conditions string `json:"conditions"`
	Why        string `json:"why"`
}

// ItemAt gives the items at an address: one of each source that has it. The address may be written
// as people do. A site narrows it down; empty is any.
func (o *Overview) ItemAt(ctx context.Context, site, address string) (all []WholeItem, err error) {
	sources, err := o.Catalog.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var sites []string
	for _, s := range sources {
		if (site == "" || s.Site == site) && !slices.Contains(sites, s.Site) {
			sites = append(sites, s.Site)
		}
	}
	var refs []content.Ref
	for _, one := range sites {
		for _, spelling := range Spellings(address) {
			found, err := o.Catalog.Find(ctx, one, spelling)
			if err != nil {
				return nil, err
			}
			if refs = append(refs, found...); len(found) > 0 {
				break
			}
		}
	}
	items, err := o.Catalog.LoadItems(ctx, refs...)
	if err != nil {
		return nil, err
	}
	for i := range items {
		if items[i].URL == "" {
			continue
		}
		whole, err := o.whole(ctx, refs[i], &items[i])
		if err != nil {
			return nil, err
		}
		all = append(all, whole)
	}
	return all, nil
}

func (o *Overview) whole(ctx context.Context, ref content.Ref, i *content.Item) (WholeItem, error) {
	out := WholeItem{
		Item: itemOf(ref, i, o.Corpus.Terms()), Description: i.Description, Publisher: i.Publisher, Image: i.Image,
		Published: i.Published, Modified: i.Modified, Object: i.Object, Passages: []Passage{},
	}
	if len(out.Object) == 0 {
		out.Object = strictjson.Value("{}")
	}
	for _, p := range i.Passages {
		out.Passages = append(out.Passages, Passage(p))
	}
	current := o.Corpus.Current()
	var doc *index.Doc // as it is in the index; nil where the terms keep it out for everybody
	current.Index.Select(func(l *index.Doc) bool {
		if l.Ref == ref {
			doc = l
		}
		return false
	})
	version, err := o.Corpus.LoadVersion(ctx, ref)
	if err != nil || version == nil {
		return out, err
	}
	for _, p := range policy.Shown {
		v, err := view(ctx, current.For(p.Party), doc, version)
		if err != nil {
			return out, err
		}
		v.As = p.As
		out.Views = append(out.Views, v)
	}
	return out, nil
}

// view is an item as those see it for whom a view of the content is.
func view(ctx context.Context, of *released.View, doc *index.Doc, version *released.ItemVersion) (v View, err error) {
	e := of.Terms.Explain(version.Facts())
	d := e.Decision
	v = View{
		Access: string(d.Access), Decision: d.String(), Reason: d.Reason, Price: d.Price.String(), Steps: []Step{},
	}
	v.Sold = d.Access == policy.Licensed && v.Price != "" && len(version.MediaTypes(of.Terms)) > 0
	for _, s := range e.Steps {
		v.Steps = append(v.Steps, Step{s.Rule + 1, s.Line, s.Named, s.Matched, s.Conditions, s.Why})
	}
	if doc == nil || !d.Allows(released.Search) {
		return v, nil
	}
	results, err := of.Results(ctx, []*index.Doc{doc})
	if err != nil || len(results) == 0 {
		return v, err
	}
	shown := results[0]
	v.Found, v.Name, v.Sent = true, shown.Name(), shown.AppendItem(nil)
	// The text of an item whose members hold it is those members.
	v.Text = strings.TrimSuffix(shown.Text(), string(shown.AppendObject(nil)))
	v.Text = strings.TrimSpace(v.Text)
	return v, nil
}

// Spellings are the ways in which a catalog may have written a URL that a person writes: as it is
// first, then with scheme and host in lower case, with and without a slash at the end, by https and
// by http.
func Spellings(address string) []string {
	all := []string{address}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return all
	}
	u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Host), "", ""
	for _, scheme := range []string{"https", "http"} {
		if u.Scheme != "https" && u.Scheme != "http" {
			scheme = u.Scheme
		}
		other := *u
		other.Scheme = scheme
		path := strings.TrimRight(u.EscapedPath(), "/")
		for _, end := range []string{"", "/"} {
			if other.RawPath = path + end; path+end == "" {
				continue
			}
			other.Path, _ = url.PathUnescape(other.RawPath)
			if text := other.String(); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}
