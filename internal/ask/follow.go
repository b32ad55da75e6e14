package ask

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/extremes"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/llm"
)

// thread is what the questions before this one came to.
type thread struct {
	wanted query.Understood
	plain  *query.Understood // the same where it is no name; nil where it was not taken for one
	types  []string          // that were named beside the words
	sites  []string          // ids; nil for all
	skip   int               // items that were given before the last answer to it
	shown  int               // items that the last answer could show
	places []int             // of the items that were spoken of last, in the last answer
}

// thread reads the questions before this one, each as it goes on with those before it; nil when
// there are none.
func (s *Service) thread(in *askState) *thread {
	var t *thread
	for _, turn := range in.earlier {
		text := query.Reset(turn.Text)
		said := s.read(in, text, turn.Types)
		goes := query.Turn{}
		if t != nil && text == turn.Text {
			goes = query.Relate(text, &said, &t.wanted)
		}
		if goes.Relation == query.Apart && t != nil && turn.Whole != "" { // a model knew better
			said, goes.Relation = s.read(in, turn.Whole, turn.Types), query.Apart
		}
		shown := turn.Given
		if shown == 0 && said.Count > 0 {
			shown = said.Count
		} else if shown == 0 {
			shown = in.asked.Limit
		}
		switch goes.Relation {
		case query.Apart:
			if _, bare := bareWish(text); t != nil && bare {
				break // it asked of what was wanted before it
			}
			if t != nil {
				hold(&said, t.wanted.Constraints, text == turn.Text)
			}
			t = &thread{wanted: said, types: turn.Types, shown: shown}
			if plain := s.readPlain(in, text, turn.Types); len(plain.Constraints) > len(said.Constraints) {
				t.plain = &plain
			}
			t.sites, _ = s.deps.Corpus.Sites().Resolve(turn.Sites)
		case query.Onward, query.Among:
			t = &thread{wanted: s.onward(in, text, said, t, turn.Types), types: t.types, sites: t.sites, shown: shown}
		case query.More:
			t.skip, t.shown, t.places = t.skip+t.shown, shown, nil
		case query.Pick:
			if !goes.Same {
				t.places = goes.Places
			}
		}
		s.applyAttributes(in, &t.wanted, turn.Attributes)
		if t.plain != nil {
			s.applyAttributes(in, t.plain, turn.Attributes)
		}
	}
	return t
}

// follow makes the question one with those before it, where it goes on with them.
func (s *Service) follow(ctx context.Context, in *askState) error {
	t := s.thread(in)
	text := query.Reset(in.Text)
	if text != in.Text {
		in.understood = s.read(in, text, in.asked.Types)
	}
	goes := query.Turn{}
	if t != nil && text == in.Text {
		goes = query.Relate(text, &in.understood, &t.wanted)
	}
	in.before = t
	if (goes.Relation == query.Onward || goes.Relation == query.Among) && s.beyond(in, t, text) {
		return nil
	}
	if wish, bare := bareWish(text); t != nil && bare && goes.Relation != query.Pick &&
		len(in.understood.Constraints) == 0 {
		in.wish, in.understood = wish, t.wanted
		in.keep(t)
		return nil
	}
	switch goes.Relation {
	case query.Apart:
		if goes.Unsure && s.reword(ctx, in) {
			return nil
		}
		if t != nil {
			hold(&in.understood, t.wanted.Constraints, text == in.Text)
		}
		if !slices.ContainsFunc(in.understood.Constraints, lasts) {
			in.talk.Turns = nil // what comes goes on with this question alone
		}
		return nil
	case query.Onward, query.Among:
		view := s.view(in)
		asked, gone := instead(text, &in.understood, t.wanted.Asked, view.Index)
		if asked != "" || goes.Rest == "" || !s.among(ctx, in, t, goes) {
			in.understood = s.onward(in, text, in.understood, t, in.asked.Types)
			if asked != "" {
				in.among = view.Permit.Without(gone)
			}
		}
	case query.More:
		in.understood, in.skip, in.NoQuestions = t.wanted, t.skip+t.shown, true
		in.understood.Ignored = nil
	case query.Pick:
		return s.pick(ctx, in, t, goes)
	}
	in.keep(t)
	return nil
}

// bareWish reads a question for a count or an extreme that names no kind.
func bareWish(text string) (*extremes.Wish, bool) {
	wish, ok := extremes.Read(text)
	return &wish, ok && wish.Bare()
}

// hold keeps what a person must not or will not have, said before, until a question says otherwise:
// it holds in a question about something else, too. Where a conversation begins anew, only what
// harms is kept.
func hold(u *query.Understood, before []facets.Constraint, all bool) {
	var held []facets.Constraint
	for _, c := range before {
		if c.Allergy || all && lasts(c) {
			c.Source = min(c.Source, facets.FromEarlier)
			held = append(held, c)
		}
	}
	u.Remind(held, nil)
}

// lasts says whether a condition is one of what is in things, which goes with the person rather
// than with what is wanted.
func lasts(c facets.Constraint) bool {
	switch c.Slot {
	case facets.Ingredient, facets.Material:
		return c.Not
	case facets.Diet:
		return slices.ContainsFunc(c.Values, func(v string) bool { return strings.HasSuffix(v, "free") })
	}
	return c.Allergy
}

// onward makes a question that goes on with a thread one that stands by itself. Types that were
// named beside the words hold until others are.
func (s *Service) onward(in *askState, text string, said query.Understood, t *thread, types []string) query.Understood {
	if len(types) > 0 {
		t.types = types
	}
	if t.plain != nil {
		// of a name that is asked for otherwise, the words count: "hiking boots for men", "and for
		// women?"
		t.wanted = *t.plain
	}
	index := s.view(in).Index
	if asked, _ := instead(text, &said, t.wanted.Asked, index); asked != "" {
		next := s.read(in, asked, t.types)
		next.Asked = asked
		hold(&next, t.wanted.Constraints, true)
		return next
	}
	kind := func(words string) bool { return words != "" && index.KindExactly(words, typesNamed(words)...) != nil }
	instead := len(said.Constraints) == 0 && kind(said.Text) && kind(t.wanted.Text) // "and bread?" after cake
	return query.Follow(text, said, t.wanted, instead, func(asked string) query.Understood {
		return s.read(in, asked, t.types)
	})
}

// beyond asks for what goes further than the item that was shown first, where nothing that was
// wanted does: those of its kind that meet the same conditions, whatever else was said of it.
// "Anything cheaper?" behind the only orthopaedic bed wants other beds.
func (s *Service) beyond(in *askState, t *thread, text string) bool {
	order, compares := query.Compares(" " + facets.Fold(text) + " ")
	if !compares {
		return false
	}
	view, wanted := s.view(in), s.toQuery(in.asked, &t.wanted)
	wanted.Sites, wanted.Limit = t.sites, t.skip+1
	shown := s.find(in, wanted)
	shown.cut(t.skip)
	if len(shown.parts) == 0 || shown.closest {
		return false
	}
	figure := func(l *index.Doc) (figure facets.Figure, ok bool) {
		for _, f := range view.Index.Figures(l) {
			if f.Slot == order.By {
				return f, true
			}
		}
		return figure, false
	}
	least, ok := figure(shown.parts[0][0].listing)
	further := func(l *index.Doc) bool {
		f, states := figure(l)
		return states && f.Unit == least.Unit && f.Low != least.Low && f.Low > least.Low == order.Descending
	}
	wanted.Limit, wanted.Sort = MaxLimit, order
	hits := slices.Concat(s.find(in, wanted).parts...)
	if !ok || slices.ContainsFunc(hits, func(f found) bool { return further(f.listing) }) {
		return false
	}
	others := map[*index.Doc]bool{}
	first, _, _ := strings.Cut(t.wanted.Text, " ")
	for _, words := range []string{t.wanted.Text, first} { // a name may begin with the kind: "Haus Moor"
		kind := view.Index.KindBroadly(words, typesNamed(words)...)
		if kind == nil || len(others) > 0 {
			continue
		}
		wanted.Within = kind.And(view.Permit)
		for _, ref := range view.Index.Meeting(&wanted).All() {
			if l := ref.(*index.Doc); further(l) {
				others[l] = true
			}
		}
	}
	if len(others) == 0 {
		return false
	}
	in.understood = t.wanted
	in.understood.Text, in.understood.Sort = "", order
	in.understood.Constraints = slices.DeleteFunc(slices.Clone(t.wanted.Constraints), func(c facets.Constraint) bool {
		return c.Soft && !c.Not
	})
	in.among = view.Index.Select(func(l *index.Doc) bool { return others[l] })
	in.keep(t)
	return true
}

// mostInstead is how many words of a follow-up stand in the place of one at most.
const mostInstead = 2

// instead is what was asked before with a follow-up's own words in the place of one of its words,
// where both are the title of an item, and no title has both: "and for go?" after "python client
// library" asks for the "go client library". They also take the place of what stands behind the
// same preposition, where only then an item has all the words: "and for kittens?" after "food for
// puppies". It is empty where there is no such item. Gone are the items whose title no longer is
// asked for.
func instead(
	text string, said *query.Understood, before string, view *index.View,
) (asked string, gone *search.Selection) {
	words, own := strings.Fields(strings.Trim(before, "?？ ")), query.Own(text)
	if len(said.Constraints) > 0 || said.Sort.By != "" || len(words) < 2 || len(own) == 0 || len(own) > mostInstead {
		return "", nil
	}
	none := view.Titled("")
	both := slices.Concat(words, own)
	titled := view.Titled(before)
	swaps := !titled.Empty() && saying(both, view.Titled).Empty()
	mentions := func(word string) *search.Selection {
		return view.Mentioning(word).Or(cmp.Or(view.Kind(word), none))
	}
	led := saying(both, mentions).Empty()
	for i, word := range words {
		asked := strings.Join(slices.Concat(words[:i], own, words[i+1:]), " ")
		if swaps && !view.Titled(asked).Empty() {
			return asked, titled
		}
		behind := facets.Fold(" " + word + " " + strings.Join(own, " ") + " ")
		other, after := slices.Concat(words[:i+1], own), len(words)-i-1
		if led && i > 0 && after > 0 && after <= mostInstead &&
			strings.Contains(" "+facets.Fold(text)+" ", " "+behind+" ") && !saying(other, mentions).Empty() {
			return strings.Join(other, " "), none
		}
	}
	return "", nil
}

// saying gives the items that say each of some words, of those that say anything.
func saying(words []string, say func(string) *search.Selection) (all *search.Selection) {
	for _, word := range words {
		switch {
		case query.IsFunction(facets.Fold(word)):
		case all == nil:
			all = say(word)
		default:
			all = all.And(say(word))
		}
	}
	return cmp.Or(all, say(""))
}

// among asks for those of the items of the answer before for which the rest of a question holds:
// "which one is waterproof?", "and for children?". It says whether it holds for any.
func (s *Service) among(ctx context.Context, in *askState, t *thread, goes query.Turn) bool {
	// of which what is asked goes on, and not what was shown
	_, detail := details.Read(in.earlier[len(in.earlier)-1].Text)
	wanted := s.toQuery(in.asked, &t.wanted)
	wanted.Sites, wanted.Limit = t.sites, MaxLimit
	before := s.findBehind(in, wanted, leading{}, s.otherwise(in, &t.wanted))
	said := s.readPlain(in, goes.Rest, t.wanted.Types)
	said.Types = t.wanted.Types
	if before.closest || len(before.parts) == 0 || said.Text == "" && len(said.Constraints) == 0 ||
		goes.Relation == query.Onward && (detail || !said.OfWhom() || said.Replaces(cmp.Or(t.plain, &t.wanted))) {
		return false
	}
	shown := map[*index.Doc]bool{}
	for _, f := range slices.Concat(before.parts...) {
		shown[f.listing] = true
	}
	in.among = before.view.Index.Select(func(l *index.Doc) bool { return shown[l] })
	if !s.holds(in, t, &said, goes.Rest) {
		in.among = nil
		if goes.Relation == query.Among || !s.alike(ctx, before, &said) || !s.holds(in, t, &said, goes.Rest) {
			return false
		}
	}
	said.Asked = cmp.Or(t.wanted.Asked, in.earlier[len(in.earlier)-1].Text) + " " + goes.Rest
	in.understood, in.NoQuestions = said, true
	return true
}

// holds says whether what was said holds for some item.
func (s *Service) holds(in *askState, t *thread, said *query.Understood, words string) bool {
	asked := s.toQuery(in.asked, said)
	asked.Sites, asked.Within, asked.Meant, asked.Guessed = t.sites, in.among, words, false
	found := s.find(in, asked)
	return !found.closest && len(found.parts) > 0 && len(found.relaxed) == 0
}

// alike makes what was said ask for items like the first that was shown; false where its type and
// category say little.
func (s *Service) alike(ctx context.Context, before *Answer, said *query.Understood) bool {
	cards, err := before.render(ctx, before.parts[0][:1])
	if err != nil || cards[0] == nil {
		return false
	}
	first := cards[0].Result(before.parts[0][0].hit())
	categories := first.Facts().Values(facets.Category)
	if content.IsA(first.Type(), "Article") || content.IsA(first.Type(), "WebPage") ||
		content.IsA(first.Type(), "Product") && len(categories) == 0 {
		return false
	}
	said.Types = []string{first.Type()}
	if len(categories) > 0 {
		said.Constraints = append(said.Constraints, facets.Constraint{Slot: facets.Category, Values: categories[:1],
			Source: facets.FromEarlier, Said: categories[0]})
	}
	return true
}

// keep asks where the questions before asked, unless this one says itself where.
func (in *askState) keep(t *thread) {
	if len(in.Sites) == 0 {
		in.asked.Sites = t.sites
	}
}

// reword has a model say what a question wants of which it is open whether it goes on with others.
func (s *Service) reword(ctx context.Context, in *askState) bool {
	if !in.tab.Enabled(llm.Rewrite) {
		return false
	}
	var before []string
	for _, turn := range in.earlier {
		before = append(before, turn.Text)
	}
	question, ok := in.tab.Rewrite(ctx, before, in.Text)
	if !ok || question == in.Text {
		return false
	}
	in.understood = s.read(in, question, in.asked.Types)
	in.understood.Asked = question
	return true
}

// pick settles a question about items of the answer before: they alone are the answer, or what is
// asked of them is asked by their names.
func (s *Service) pick(ctx context.Context, in *askState, t *thread, goes query.Turn) error {
	places := goes.Places
	if goes.Same && len(t.places) > 0 {
		places = t.places
	}
	in.keep(t)
	in.NoQuestions = true
	asked := s.toQuery(in.asked, &t.wanted)
	asked.Sites, asked.Limit = t.sites, min(t.skip+max(t.shown, slices.Max(places)+1), MaxLimit)
	first := s.leadingOf(in, &asked, false, t.wanted.Asked)
	a := s.findBehind(in, asked, first, s.otherwise(in, &t.wanted))
	a.cut(t.skip)
	hits := slices.Concat(a.parts...)
	var chosen []found
	for _, place := range places {
		if place < 0 {
			place += len(hits)
		}
		if place >= 0 && place < len(hits) && (place < t.shown || goes.Same) {
			chosen = append(chosen, hits[place])
		}
	}
	if len(chosen) == 0 {
		in.understood = query.Understood{Asked: in.Text}
		return fail.New(fail.NoResults, "%s", i18n.For(in.Languages...).Say(i18n.NoSuchPlace, min(len(hits), t.shown)))
	}
	cards, err := a.render(ctx, chosen)
	if err != nil {
		return err
	}
	var names []string
	for i, c := range cards {
		if c != nil {
			names = append(names, c.Result(chosen[i].hit()).Name())
		}
	}
	together := i18n.For(in.Languages...).List(names)
	if goes.Before == "" && goes.After == "" {
		in.understood = query.Understood{Asked: together, Types: t.wanted.Types}
		in.only, in.tuned.pointed, in.tuned.leading.written = chosen, true, first.written
		return nil
	}
	gap := " "
	if strings.HasPrefix(goes.After, "?") || strings.HasPrefix(goes.After, "？") {
		gap = ""
	}
	question := strings.TrimSpace(goes.Before + " " + together + gap + goes.After)
	in.understood = s.read(in, question, in.asked.Types)
	in.understood.Asked, in.named = question, question
	return nil
}

// cut takes the first so many items off an answer.
func (a *Answer) cut(n int) {
	a.given += n
	for ; n > 0 && len(a.parts) > 0; a.parts = a.parts[1:] {
		if part := a.parts[0]; n < len(part) {
			a.parts = append([][]found{part[n:]}, a.parts[1:]...)
			if a.ready != nil {
				a.ready = a.ready[n:]
			}
			return
		}
		n -= len(a.parts[0])
		a.ready = nil
	}
}

// those is the answer that is made of items that were pointed at.
func (s *Service) those(in *askState) *Answer {
	return &Answer{
		service: s, view: s.view(in), asked: in.asked, parts: [][]found{in.tuned.leading.leadOf(in.only)},
		leading: in.tuned.leading,
	}
}

// lookFor finds what the question wants.
func (s *Service) lookFor(in *askState) *Answer {
	if in.only != nil {
		return s.those(in)
	}
	asked := in.wide()
	asked.Limit = max(asked.Limit, in.most())
	return s.findBehind(in, asked, in.tuned.leading, in.tuned.otherwise)
}

// most is how many items are looked for: those that were given already, and those to come.
func (in *askState) most() int { return min(in.asked.Limit+in.skip, MaxLimit) }

// noMore says that there is nothing, or nothing more.
func (in *askState) noMore() error {
	if in.skip > 0 {
		return fail.New(fail.NoResults, "%s", i18n.For(in.Languages...).Say(i18n.NoMore))
	}
	return in.noResults()
}
