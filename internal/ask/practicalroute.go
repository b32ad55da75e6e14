package ask

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/owner"
	"frontdesk/internal/ask/practical"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// The bounds of the practical route.
const (
	maxOwnerPages = 4000 // items that may answer: answered questions first, then those with the shortest addresses
	maxPractical  = 1000 // bytes of a question that is read as a practical one
	maxChat       = 6    // words of a greeting, or of thanks
	maxExamples   = 3    // questions that a greeting is answered with
	leastAsked    = 0.35 // from which a question may be a practical one
	leastKin      = 0.25 // from which it is known what a practical question asks for
)

// ownerPages are the items of a view that may answer practical questions, made when first asked
// for.
type ownerPages struct {
	turn     chan struct{} // holds one while somebody makes or reads them
	made     *owner.Directory
	listings []*index.Doc
}

type ownerPagesKey struct{}

// ownerPages gives the directory of what the sites of a view say of their owners.
func (s *Service) ownerPages(ctx context.Context, g *released.View) (*owner.Directory, []*index.Doc, error) {
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
	var listings []*index.Doc
	for _, l := range g.Directory() {
		if owner.Concerns(l.Types[0]) {
			listings = append(listings, l)
		}
	}
	if len(listings) > maxOwnerPages {
		slices.SortStableFunc(listings, func(a, b *index.Doc) int {
			return owner.Rank(a.Types[0], a.URL) - owner.Rank(b.Types[0], b.URL)
		})
		listings = listings[:maxOwnerPages]
	}
	var pages []owner.Page
	var kept []*index.Doc
	for part := range slices.Chunk(listings, released.Chunk) {
		cards, err := g.Render(ctx, part)
		if err != nil {
			return nil, nil, err
		}
		for i, c := range cards {
			if c != nil {
				pages, kept = append(pages, owner.PageOf(part[i], c)), append(kept, part[i])
			}
		}
	}
	o.made, o.listings = owner.New(pages), kept
	return o.made, o.listings, nil
}

// practical is what the sites say of their owner to a question that may be for them rather than for
// items; nil where it is none, or nothing here answers it.
func (s *Service) practical(ctx context.Context, in *askState) (*proposal, error) {
	bound := in.skip > 0 || in.only != nil || in.among != nil || in.typed() || len(in.Attributes) > 0 ||
		in.understood.Selects()
	if bound || in.Fresh || in.Report != NoReport || in.Text == "" || len(in.Text) > maxPractical {
		return nil, nil
	}
	asked, before, ok := s.readPractical(in)
	if !ok && len(in.earlier) > 0 {
		return nil, nil
	}
	g := s.view(in)
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
	chat := ok && practical.IntentOf(asked.Intent).Is("chat")
	switch {
	case !ok:
		told, ok = directory.AnswerSame(q)
	case chat:
		told, listings, err = s.chat(ctx, g, directory, q, listings)
	default:
		told, ok = directory.Answer(q)
	}
	if !ok || err != nil || len(told.Items) == 0 {
		return nil, err
	}
	p := &proposal{
		view: g, telling: told.Text, certain: chat, reading: told.By,
		understood: query.Understood{Asked: in.Text, Text: in.Text},
	}
	for n, at := range told.Items[:min(len(told.Items), in.asked.Limit)] {
		p.items = append(p.items, found{listing: listings[at], score: float32(100 - 10*n)})
	}
	return p, nil
}

// readPractical reads the question as a practical one, as it goes on with those before it, and
// gives the text that it goes on with; false where it is none.
func (s *Service) readPractical(in *askState) (asked practical.Asked, before string, ok bool) {
	var earlier []string
	for _, turn := range in.earlier {
		earlier = append(earlier, turn.Text)
	}
	now := s.deps.Now().In(s.deps.Reading.Place)
	asked, before, last := practical.ReadAfter(earlier, in.Text, i18n.For(in.Languages...).Language(), now)
	if before != "" && details.Says(in.Text, "after") {
		return asked, "", false // of what was shown
	}
	if len(earlier) > 0 && before == "" {
		if asked.Has("it") && asked.IsPractical(strings.Join(asked.Subject(in.Text), " ")) ||
			last.Sure() < practical.Sure &&
				(practical.IntentOf(asked.Intent).Is("item") || in.understood.Asked != in.Text) {
			return asked, "", false // of what was shown
		}
	}
	chat := practical.IntentOf(asked.Intent).Is("chat")
	if chat && (asked.Sure() < practical.Sure || len(strings.Fields(in.Text)) > maxChat) {
		return asked, "", false
	}
	return asked, before, asked.KinSure() >= leastKin && asked.Practical >= leastAsked
}

// chat answers a greeting, thanks, or a question for help with what the sites have, and with
// questions that they can answer: practical ones, or else for items of several kinds. The pages of
// the answer are among the listings that it gives.
func (s *Service) chat(
	ctx context.Context, g *released.View, directory *owner.Directory, q owner.Question, listings []*index.Doc,
) (_ owner.Answer, _ []*index.Doc, err error) {
	examples, items := directory.Examples(q, maxExamples)
	if len(examples) == 0 {
		if examples, listings, err = g.Exemplary(ctx, q.Sites, maxExamples); err != nil || len(examples) == 0 {
			return owner.Answer{}, nil, err
		}
		for at := range listings {
			items = append(items, at)
		}
	}
	var kinds []string
	for _, t := range g.Types() {
		if len(kinds) < 4 && t.Name != "WebPage" && t.Name != "Thing" {
			kinds = append(kinds, i18n.For(q.Language).Several(t.Items, t.Name))
		}
	}
	return owner.Answer{Text: practical.Chat(q.Language, q.Asked.Intent, kinds, examples), Items: items}, listings, nil
}
