package ask

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"unicode/utf8"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// tuned is what the owner said for a question, as it goes through the stages.
type tuned struct {
	rules   *tuning.Rules
	asked   string        // the question before its words were read as others
	read    []tuning.Read // words that were
	leading leading
	pointed bool // the question points at items of an answer: they alone are meant
	// otherwise are the question in other words that stand for its own, where there are any.
	otherwise []reading
}

// reading is a question in other words.
type reading struct {
	text       string
	understood query.Understood
	asked      index.Question
}

// leading is what comes before the items that are found.
type leading struct {
	first   []found // a written answer, then pinned items
	written *written
}

// written is an answer in the owner's words, which is first.
type written struct {
	listing *index.Doc
	card    *released.RenderedItem
	text    string
}

// Tuned is the service with other rules of its owner, to try them out: it counts nothing, keeps
// nothing, and asks no model.
func (s *Service) Tuned(rules *tuning.Rules) *Service {
	other := *s
	other.deps.Tuning = rules.Uncounted
	other.deps.Admit = func(context.Context, []string) error { return nil }
	other.deps.LLM, other.deps.Elicitation = nil, nil
	other.promises = &Promises{store: nothingPromised{}}
	other.memory, other.carries, other.remembers = forgetful{}, false, false
	return &other
}

// tune reads the words of the question, and of those before it, as the owner said.
func (s *Service) tune(in *askState) {
	in.tuned.rules, in.tuned.asked = s.deps.Tuning(), in.Text
	if in.tuned.rules == nil || literal(in.Attributes[spellingName]) {
		return
	}
	now := s.deps.Now()
	said := in.tuned.rules.Reword(in.Text, in.Languages, now)
	if utf8.RuneCountInString(said.Text) <= MaxText {
		in.Text, in.tuned.read = said.Text, said.Read
		for _, e := range said.Entries {
			in.tuned.rules.Used(e)
		}
	}
	in.Context.Previous = slices.Clone(in.Context.Previous)
	for i, text := range in.Context.Previous {
		in.Context.Previous[i] = in.tuned.rules.Reword(text, in.Languages, now).Text
	}
}

// heed settles what the owner said for a question that is understood.
func (s *Service) heed(in *askState) {
	if in.tuned.rules == nil || in.tuned.pointed {
		return
	}
	whole := cmp.Or(in.understood.Asked, in.Text)
	about := []string{whole}
	if in.before == nil { // else the words say nothing by themselves
		about = []string{in.tuned.asked, in.Text, whole}
	}
	in.tuned.leading = s.leadingOf(in, &in.asked, true, about...)
	if in.only == nil && !in.asked.Literal {
		in.tuned.otherwise = s.otherwise(in, &in.understood)
	}
}

// otherwise reads a question that is understood in the other words that stand for its own.
func (s *Service) otherwise(in *askState, understood *query.Understood) (all []reading) {
	whole := cmp.Or(understood.Asked, in.Text)
	for _, text := range in.tuned.rules.Reword(whole, in.Languages, s.deps.Now()).Also {
		u := s.read(in, text, in.types)
		u.Constraints = slices.DeleteFunc(u.Constraints, func(c facets.Constraint) bool {
			return c.Source != facets.FromText
		})
		for _, c := range understood.Constraints {
			if c.Source != facets.FromText { // what is known beside the words holds for any words
				u.Constraints = append(u.Constraints, c)
			}
		}
		u.Soft, u.Sort = understood.Soft, cmp.Or(u.Sort, understood.Sort)
		all = append(all, reading{text, u, s.toQuery(in.asked, &u)})
	}
	return all
}

// leadingOf gives what comes before what is found for a question, which is the first of some texts
// for which the owner said something. Whatever he said, an item is there only if it may be found by
// who asks, is of the sites and types that are asked for, and breaks nothing that the asker must
// not have or has said beside the question's words.
func (s *Service) leadingOf(in *askState, q *index.Question, count bool, about ...string) (a leading) {
	rules, now := in.tuned.rules, s.deps.Now()
	use := func(e *tuning.Entry) {
		if count {
			rules.Used(e)
		}
	}
	if e := rules.For(tuning.Answer, now, about...); e != nil {
		if a.written = s.writtenAnswer(in, q, e); a.written != nil {
			a.first = append(a.first, found{listing: a.written.listing, score: 100})
			use(e)
		}
	}
	if e := rules.For(tuning.Pin, now, about...); e != nil {
		if pinned := s.pinned(in, q, e.Items); len(pinned) > 0 {
			a.first = append(a.first, pinned...)
			use(e)
		}
	}
	if e := rules.For(tuning.Ignore, now, about...); e != nil {
		use(e)
	}
	return a
}

// writtenAnswer is an answer that the owner wrote, for a question to some sites; nil where it is of
// another site, or what is asked for is no answer.
func (s *Service) writtenAnswer(in *askState, q *index.Question, e *tuning.Entry) *written {
	sites := s.deps.Corpus.Sites()
	site := ""
	if at, err := url.Parse(e.Link); err == nil {
		site, _ = sites.Find(at.Hostname())
	}
	switch {
	case site != "" && len(q.Sites) > 0 && !slices.Contains(q.Sites, site), in.typed() || in.among != nil:
		return nil
	case site == "" && len(q.Sites) > 0:
		site = q.Sites[0]
	case site == "" && len(sites.All()) > 0:
		site = sites.All()[0].ID
	}
	w := &written{text: e.Text}
	w.listing, w.card = released.Written{Question: e.Question, Text: e.Text, URL: e.Link, Site: site}.Render()
	return w
}

// pinned are the items at some addresses that may be shown first.
func (s *Service) pinned(in *askState, q *index.Question, addresses []string) (all []found) {
	g := s.view(in)
	within := q.Within
	if within == nil {
		within = g.Permit
	}
	bounds := index.Question{Within: within.And(g.Permit), Sites: q.Sites}
	if in.typed() {
		bounds.Types = in.types
	}
	for _, c := range q.Constraints {
		if !c.Soft && (c.Not || c.Slot == facets.Diet || c.Source != facets.FromText) {
			bounds.Constraints = append(bounds.Constraints, c)
		}
	}
	may := g.Index.Meeting(&bounds)
	for _, address := range addresses {
		for _, l := range g.At(address) {
			if may.Holds(l.Place) {
				all = append(all, found{listing: l.Doc, score: 100})
			}
		}
	}
	return all
}

// tellOtherwise chooses among what may be answered to the question in other words, where its own
// have nothing to tell.
func (s *Service) tellOtherwise(ctx context.Context, in *askState) (*Answer, error) {
	for _, r := range in.tuned.otherwise {
		other := *in
		other.Text, other.understood, other.asked = r.text, r.understood, r.asked
		told, err := s.choose(ctx, &other)
		if told != nil || err != nil {
			in.only, in.telling, in.understood = other.only, other.telling, other.understood
			return told, err
		}
	}
	return nil, nil
}

// look finds the hits of the question in all its words.
func (a *Answer) look() index.Found {
	all := a.view.Index.Find(a.asked)
	for _, r := range a.otherwise {
		asked := r.asked
		asked.Limit, asked.Within, asked.Near = a.asked.Limit, a.asked.Within, a.asked.Near
		all = a.together(all, a.view.Index.Find(asked))
	}
	return all
}

// together are the hits of one question in different words. What gives way, or is no answer, stands
// behind what need not.
func (a *Answer) together(one, other index.Found) index.Found {
	if gave, less := givesWay(one), givesWay(other); gave != less {
		if less < gave {
			return other
		}
		return one
	}
	best := map[*index.Doc]index.Hit{}
	for _, hit := range slices.Concat(other.Hits, one.Hits) {
		if before, known := best[hit.Doc]; !known || before.Score <= hit.Score {
			best[hit.Doc] = hit
		}
	}
	one.Terms = append(slices.Clip(one.Terms), other.Terms...)
	if a.asked.Sort.By != "" {
		sorted := a.asked
		sorted.Text, sorted.Beside, sorted.Meant = "", "", ""
		sorted.Within = a.view.Index.Select(func(l *index.Doc) bool { _, in := best[l]; return in })
		one.Hits = a.view.Index.Find(sorted).Hits
		return one
	}
	one.Hits = slices.SortedFunc(maps.Values(best), func(x, y index.Hit) int {
		if x.Doubt != y.Doubt {
			return map[bool]int{true: 1, false: -1}[x.Doubt]
		}
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.URL, y.URL), cmp.Compare(x.Site, y.Site))
	})
	return one
}

// givesWay says how far what was found is from what was asked for.
func givesWay(f index.Found) int {
	switch {
	case len(f.Hits) == 0:
		return 3
	case f.Closest:
		return 2
	case len(f.Relaxed) > 0:
		return 1
	}
	return 0
}

// lead puts what comes first before hits.
func (a leading) lead(hits []index.Hit) []index.Hit {
	if len(a.first) == 0 {
		return hits
	}
	lead := make([]index.Hit, len(a.first), len(a.first)+len(hits))
	for i, f := range a.first {
		lead[i] = f.hit()
	}
	for _, hit := range hits {
		at := slices.IndexFunc(a.first, func(f found) bool {
			return f.listing.URL == hit.URL && f.listing.Site == hit.Site
		})
		if at < 0 {
			lead = append(lead, hit)
		} else {
			lead[at].Passage = hit.Passage
		}
	}
	return lead
}

// leadOf is lead for items that were pointed at.
func (a leading) leadOf(items []found) []found {
	if len(a.first) == 0 {
		return items
	}
	rest := slices.DeleteFunc(slices.Clone(items), func(f found) bool {
		return slices.ContainsFunc(a.first, func(first found) bool { return first.listing == f.listing })
	})
	return slices.Concat(a.first, rest)
}

// corrected are the words that were read as others.
func (t *tuned) corrected() (told []Correction) {
	for _, r := range t.read {
		told = append(told, Correction(r))
	}
	return told
}

// render returns the ready form of each hit, nil for one whose version is gone.
func (a *Answer) render(ctx context.Context, hits []found) ([]*released.RenderedItem, error) {
	items := make([]*index.Doc, len(hits))
	for i, hit := range hits {
		items[i] = hit.listing
	}
	if a.written == nil {
		return a.view.Render(ctx, items)
	}
	at := slices.Index(items, a.written.listing)
	if at < 0 {
		return a.view.Render(ctx, items)
	}
	cards, err := a.view.Render(ctx, slices.Delete(items, at, at+1))
	if err != nil {
		return nil, err
	}
	return slices.Insert(cards, at, a.written.card), nil
}
