package ask

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/owner"
	"frontdesk/internal/ask/practical"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// The bounds of the practical route.
const (
	maxOwnerPages = 4000 // items that may answer: answered questions first, then those with the shortest addresses
	maxPractical  = 400  // bytes of a question that is read as a practical one
	maxChat       = 6    // words of a greeting, or of thanks
	maxExamples   = 3    // questions that a greeting is answered with
	leastKin      = 0.25 // from which it is known what a practical question asks for
)

// ownerPages are the items of a view that may answer practical questions, made when first asked for.
type ownerPages struct {
	turn     chan struct{} // holds one while somebody makes or reads them
	made     *owner.Directory
	listings []*index.Listing
}

type ownerPagesKey struct{}

// ownerPages gives the directory of what the sites of a view say of their owners.
func (s *Service) ownerPages(ctx context.Context, g *released.View) (*owner.Directory, []*index.Listing, error) {
	o := released.Memo(g, ownerPagesKey{}, func() *ownerPages { return &ownerPages{turn: make(chan struct{}, 1)} })
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if o.made != nil {
		return o.made, o.listings, nil
	}
	var listings []*index.Listing
	for _, l := range g.Directory() {
		if owner.Concerns(l.Types[0]) {
			listings = append(listings, l)
		}
	}
	if len(listings) > maxOwnerPages {
		order := func(l *index.Listing) int {
			if content.IsA(l.Types[0], "Question") {
				return 0
			}
			return len(l.URL)
		}
		slices.SortStableFunc(listings, func(a, b *index.Listing) int { return order(a) - order(b) })
		listings = listings[:maxOwnerPages]
	}
	var pages []owner.Page
	var kept []*index.Listing
	for part := range slices.Chunk(listings, chunk) {
		cards, err := g.Render(ctx, part)
		if err != nil {
			return nil, nil, err
		}
		for i, c := range cards {
			if c != nil {
				pages, kept = append(pages, ownerPage(part[i], c)), append(kept, part[i])
			}
		}
	}
	o.made, o.listings = owner.New(pages), kept
	return o.made, o.listings, nil
}

// ownerPage is an item as far as it was released. What the terms keep from being made into other texts has its name alone.
func ownerPage(l *index.Listing, c *released.Card) owner.Page {
	r := c.As(index.Hit{Listing: l})
	page := owner.Page{Site: l.Site, URL: l.URL, Type: r.Type(), Name: r.Name(), Language: r.Language()}
	if !c.Input() || r.Licensed() {
		return page
	}
	page.Object = r.AppendObject(nil)
	page.Texts = append(page.Texts, r.Description())
	for n := 0; ; n++ {
		text := c.As(index.Hit{Listing: l, Passage: n}).Passage()
		if text == "" {
			return page
		}
		page.Texts = append(page.Texts, text)
	}
}

// practical answers a question that is for the sites' owner rather than for items; nil where it is none, or nothing here
// answers it.
func (s *Service) practical(ctx context.Context, in *askState) (*Answer, error) {
	bound := in.skip > 0 || in.only != nil || in.typed() || len(in.Attributes) > 0
	if bound || in.Fresh || in.Report != NoReport || in.Text == "" || len(in.Text) > maxPractical {
		return nil, nil
	}
	asked, before, ok := s.readPractical(in)
	if !ok && len(in.earlier) > 0 {
		return nil, nil
	}
	g := s.deps.Corpus.Current()
	directory, listings, err := s.ownerPages(ctx, g)
	if err != nil {
		return nil, err
	}
	language := i18n.For(in.Languages...).Language()
	if len(in.Languages) == 0 { // which question is asked in tells it
		language = asked.Language
	}
	q := owner.Question{
		Text: in.Text, Before: before, Asked: asked, Language: language,
		Now: s.deps.Now().In(s.deps.Reading.Place), Sites: in.asked.Sites,
	}
	var told owner.Answer
	switch {
	case !ok:
		told, ok = directory.AnswerSame(q)
	case practical.IntentOf(asked.Intent).Is("chat"):
		told, listings, err = s.chat(ctx, g, directory, q, listings)
		ok = len(told.Items) > 0
	default:
		told, ok = directory.Answer(q)
		ok = ok && !s.namesItem(ctx, in, &asked, told, listings)
	}
	if !ok || err != nil {
		return nil, err
	}
	return s.tellPractical(ctx, in, g, told, listings)
}

// tellPractical makes the answer ready.
func (s *Service) tellPractical(
	ctx context.Context, in *askState, g *released.View, told owner.Answer, listings []*index.Listing,
) (*Answer, error) {
	var items []found
	for n, at := range told.Items[:min(len(told.Items), in.asked.Limit)] {
		items = append(items, found{listing: listings[at], score: float32(100 - 10*n)})
	}
	if len(items) == 0 {
		return nil, nil
	}
	in.only, in.telling = items, told.Text
	in.understood = query.Understood{Asked: in.Text, Text: in.Text}
	a := s.those(in)
	a.view, a.factual = g, told.Text != ""
	if whole, err := a.preload(ctx); !whole || err != nil {
		return nil, err
	}
	a.improve(ctx, in)
	return a, nil
}

// readPractical reads the question as a practical one, as it goes on with those before it, and gives the text that it goes on
// with; false where it is none.
func (s *Service) readPractical(in *askState) (asked practical.Asked, before string, ok bool) {
	now := s.deps.Now().In(s.deps.Reading.Place)
	language := i18n.For(in.Languages...).Language()
	asked = practical.Read(in.Text, language, now)
	if n := len(in.earlier); n > 0 {
		var last practical.Asked
		text := ""
		for _, turn := range in.earlier {
			one := practical.Read(turn.Text, language, now)
			onward := false
			if last.Sure() >= practical.Sure {
				one, onward = last.Onward(turn.Text, one)
			}
			if !onward {
				text = turn.Text
			}
			last = one
		}
		onward := false
		strange := func(word string) bool { return !asked.IsPractical(word) }
		if last.Sure() >= practical.Sure {
			asked, onward = last.Onward(in.Text, asked)
		}
		switch item := practical.IntentOf(asked.Intent).Is("item"); {
		case onward:
			before = text
		case asked.Has("it") && !slices.ContainsFunc(subjectOf(in.Text, &asked), strange),
			last.Sure() < practical.Sure && (item || in.understood.Asked != in.Text):
			return asked, "", false // of what was shown
		}
	}
	chat := practical.IntentOf(asked.Intent).Is("chat")
	if chat && (asked.Sure() < practical.Sure || len(strings.Fields(in.Text)) > maxChat) {
		return asked, "", false
	}
	least := leastKin
	if len(strings.Fields(in.Text)) <= 2 {
		least = practical.Sure
	}
	return asked, before, asked.Practical >= practical.Sure && asked.KinSure() >= least
}

// namesItem says whether the question names another item than those that answer it: one that is called by all that it is
// asked of, where items are asked the same, or one whose whole name stands in it. Of products the latter counts only where
// items are asked the same: others are delivered, returned and repaired.
func (s *Service) namesItem(
	ctx context.Context, in *askState, asked *practical.Asked, told owner.Answer, listings []*index.Listing,
) bool {
	const few, leastWords, mostNamed = 3, 2, 0.75
	item := practical.IntentOf(asked.Intent).Is("item")
	subject := strings.Join(subjectOf(in.Text, asked), " ")
	for _, text := range []string{subject, in.Text} {
		if text == "" {
			continue
		}
		a := s.find(index.Question{
			Text: text, Sites: in.asked.Sites, Limit: few, Prefer: in.asked.Prefer, AsSpelled: true, OwnWords: true,
		})
		if len(a.parts) == 0 {
			continue
		}
		cards, err := a.render(ctx, a.parts[0])
		if err != nil {
			return false
		}
		for i, c := range cards {
			l := a.parts[0][i].listing
			if c == nil || slices.ContainsFunc(told.Items, func(at int) bool { return listings[at].URL == l.URL }) {
				continue
			}
			if item && i == 0 && subject != "" && !owner.Concerns(l.Types[0]) && named(subject, c.Name(), c.Type()) >= 0.99 {
				return true
			}
			if (item || !content.IsA(l.Types[0], "Product")) && len(strings.Fields(c.Name())) >= leastWords &&
				named(c.Name(), in.Text, "") >= mostNamed {
				return true
			}
		}
	}
	return false
}

// subjectOf are the words of a question but those by which anybody asks for its intent.
func subjectOf(text string, asked *practical.Asked) (subject []string) {
	for word := range strings.FieldsSeq(facets.Fold(text)) {
		if !asked.Common(word) && !asked.Usual(word) {
			subject = append(subject, word)
		}
	}
	return subject
}

// chat answers a greeting, thanks, or a question for help with what the sites have, and with questions that they can answer:
// practical ones, or else for items of several kinds. The pages of the answer are among the listings that it gives.
func (s *Service) chat(
	ctx context.Context, g *released.View, directory *owner.Directory, q owner.Question, listings []*index.Listing,
) (owner.Answer, []*index.Listing, error) {
	speaker := i18n.For(q.Language)
	examples, items := directory.Examples(q, maxExamples)
	if len(examples) == 0 {
		var err error
		if examples, listings, err = exemplary(ctx, g, q.Sites); err != nil || len(examples) == 0 {
			return owner.Answer{}, nil, err
		}
		for at := range listings {
			items = append(items, at)
		}
	}
	var kinds []string
	for _, t := range g.Types() {
		if len(kinds) < 4 && t.Name != "WebPage" && t.Name != "Thing" {
			kinds = append(kinds, speaker.Several(t.Items, t.Name))
		}
	}
	has := ""
	if len(kinds) > 0 {
		has = practical.Say(q.Language, "has", "kinds", speaker.List(kinds))
	}
	for i := range examples {
		examples[i] = speaker.Say(i18n.Quotes, examples[i])
	}
	text := practical.Say(q.Language, q.Asked.Intent, "has", has, "examples", speaker.Any(examples))
	return owner.Answer{Text: strings.Join(strings.Fields(text), " "), Items: items}, listings, nil
}

// exemplary are items of the most frequent kinds, one of each, and their names.
func exemplary(ctx context.Context, g *released.View, sites []string) (names []string, items []*index.Listing, err error) {
	var found []*index.Listing
	for _, t := range g.Types() {
		at := slices.IndexFunc(g.Directory(), func(l *index.Listing) bool {
			return l.Types[0] == t.Name && (sites == nil || slices.Contains(sites, l.Site))
		})
		if at >= 0 && len(found) < maxExamples {
			found = append(found, g.Directory()[at])
		}
	}
	cards, err := g.Render(ctx, found)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range cards {
		if c != nil && c.Name() != "" {
			names, items = append(names, c.Name()), append(items, found[i])
		}
	}
	return names, items, nil
}
