package released

import (
	"context"
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// ModelTexts are what of an item the terms let a model see, by passage: nothing, or what is
// released of it. Each begins with the item's name.
func (c *Corpus) ModelTexts(rules *policy.Terms, e *content.Entry) []string {
	l := &index.Doc{Ref: e.Ref, URL: e.URL, Types: e.Types, Language: e.Language,
		Own: policy.Markup(e.Types, e.Object, content.IsA)}
	decision := Decide(rules, l)
	if !c.options.Sites.Serves(l.Site) || !decision.Allows(Search) || !decision.Allows(Input) {
		return nil
	}
	name, description, passages := shownTexts(rules, l, decision, e)
	texts := make([]string, max(1, len(passages)))
	texts[0] = strings.TrimSpace(name + "\n" + description)
	for i, p := range passages {
		texts[i] = strings.TrimSpace(name + "\n" + p.Text)
	}
	return texts
}

// shownTexts are what of an item's texts is shown where it is found.
func shownTexts(
	rules *policy.Terms, l *index.Doc, decision policy.Decision, e *content.Entry,
) (name, description string, passages []content.Passage) {
	name, description, passages = e.Name, e.Description, e.Passages
	if !rules.OpensAll() && (redactor{rules, l}).withholdsText(e.Object) {
		description, passages = ownDescription(e.Object), nil
	}
	if decision.Access != policy.Open {
		if calledByText(e.Item) {
			name = Excerpt(name, decision.ExcerptWords)
		}
		description, passages = Excerpt(description, decision.ExcerptWords), nil
	}
	return name, description, passages
}

// meant is the title and the first text of an item that the index makes its direction of: nothing
// of what may not be found.
func meant(rules *policy.Terms, l *index.Doc, e *content.Entry) (title, text string) {
	decision := Decide(rules, l)
	if !decision.Allows(Search) {
		return "", ""
	}
	title, text, passages := shownTexts(rules, l, decision, e)
	if len(passages) == 0 {
		return title, text
	}
	var all strings.Builder
	for _, p := range passages {
		if all.Len() < index.MeantBytes {
			all.WriteString(p.Text + "\n")
		}
	}
	return title, all.String()
}

// Article is what the terms let out of an item passage by passage, to platforms that answer
// questions with it. Whether they let a platform have passages at all is not asked here.
type Article struct {
	Item                     *index.Doc
	Title                    string // the item's name; of a licensed item that is called by its text, an excerpt
	URL, Publisher, Language string
	Rule                     int               // that decides, by its index; -1 is the default
	Words                    int               // how many words of it may be displayed; 0 for no bound
	Passages                 []content.Passage // none where some of the words are of things that are not open
}

// Articles loads items for their passages; nil for one whose version was swept from the store. It
// returns fail.Timeout and fail.Unavailable.
func (v *View) Articles(ctx context.Context, items []*index.Doc) ([]*Article, error) {
	refs := make([]content.Ref, len(items))
	for i, l := range items {
		refs[i] = l.Ref
	}
	loaded, err := v.corpus.load(ctx, refs)
	if err != nil {
		return nil, err
	}
	articles := make([]*Article, len(items))
	for i := range loaded {
		if loaded[i].URL != "" {
			articles[i] = v.article(items[i], &loaded[i])
		}
	}
	return articles, nil
}

// ArticlesAt loads the items at an address of a site as they are published now, one for each source
// that has it.
func (v *View) ArticlesAt(ctx context.Context, site, address string) (articles []*Article, err error) {
	refs, err := v.corpus.options.Catalog.Find(ctx, site, address)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		found, err := v.corpus.LoadVersion(ctx, ref)
		if err != nil {
			return nil, err
		}
		if found != nil {
			articles = append(articles, v.article(found.listing(), found.item))
		}
	}
	return articles, nil
}

func (v *View) article(l *index.Doc, item *content.Item) *Article {
	decision := Decide(v.Terms, l)
	a := &Article{Item: l, Title: item.Name, URL: item.URL, Publisher: item.Publisher, Language: item.Language,
		Rule: decision.Rule}
	if decision.Access != policy.Open && calledByText(*item) {
		a.Title = Excerpt(item.Name, decision.ExcerptWords)
	}
	if !(redactor{v.Terms, l}).withholdsText(item.Object) {
		a.Passages, a.Words = item.Passages, decision.DisplayWords
	}
	return a
}
