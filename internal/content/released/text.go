package released

import (
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// Texts are what of an item the terms let a model see, by passage: nothing, or what is released of it. Each begins with
// the item's name.
func (c *Corpus) Texts(rules *policy.Terms, e *content.Entry) []string {
	l := &index.Listing{Ref: e.Ref, URL: e.URL, Types: e.Types, Language: e.Language, Own: policy.Markup(e.Types, e.Object, content.IsA)}
	decision := Decide(rules, l)
	if !c.options.Served[l.Site] || !decision.Allows(Search) || !decision.Allows(Input) {
		return nil
	}
	name, description, passages := e.Name, e.Description, e.Passages
	if !rules.OpensAll() && (sieve{rules, l}).holdsText(e.Object) {
		description, passages = ownDescription(e.Object), nil
	}
	if decision.Access != policy.Open {
		if calledByText(e.Item) {
			name = Excerpt(name, decision.ExcerptWords)
		}
		description, passages = Excerpt(description, decision.ExcerptWords), nil
	}
	texts := make([]string, max(1, len(passages)))
	texts[0] = strings.TrimSpace(name + "\n" + description)
	for i, p := range passages {
		texts[i] = strings.TrimSpace(name + "\n" + p.Text)
	}
	return texts
}

// Article is what the terms let out of an item passage by passage, to platforms that answer questions with it.
type Article struct {
	Rule     int               // that decides, by its index; -1 is the default
	Title    string            // its name; of a licensed item that is called by its text, an excerpt
	Words    int               // how many words of it may be displayed
	Passages []content.Passage // none where some of the words are of things that are not open
}

// ArticleOf gives what the terms let out of an item passage by passage. Whether they let a platform have passages at all is
// not asked here.
func ArticleOf(rules *policy.Terms, l *index.Listing, item *content.Item) Article {
	decision := Decide(rules, l)
	a := Article{Rule: decision.Rule, Title: item.Name}
	if decision.Access != policy.Open && calledByText(*item) {
		a.Title = Excerpt(item.Name, decision.ExcerptWords)
	}
	if !(sieve{rules, l}).holdsText(item.Object) {
		a.Passages, a.Words = item.Passages, decision.DisplayWords
	}
	return a
}
