package ask

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/story"
	"frontdesk/internal/ask/wording"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
)

// Understanding is what a question was taken to want, told to whoever asked, in the language of the
// answer.
type Understanding struct {
	Query     string // the question made to stand by itself; empty where it does already
	Text      string // all that was understood, in plain words
	Filters   []Filter
	Sort      *Order // nil for by how well items fit
	Count     int    // how many items were asked for; 0 for no number
	Intent    string // "compare" or "detail"; empty for a list
	Answer    string // the outcome of a comparison or the detail asked for, in words; empty where the items do not say
	Corrected []Correction
	Relaxed   []Relaxation
	Ignored   []Ignored
}

// Empty says whether there is nothing to tell but words that were searched for.
func (u *Understanding) Empty() bool {
	return u.Query == "" && len(u.Filters) == 0 && u.Sort == nil && u.Count == 0 && u.Intent == "" && u.Answer == "" &&
		len(u.Corrected) == 0 && len(u.Relaxed) == 0
}

// Filter is one condition that the items were held to.
type Filter struct {
	Name         string // of the attribute that filters so
	Text         string // in plain words
	Min, Max     *float64
	Above, Below bool // Min or Max itself is outside
	Unit         string
	From, To     time.Time // from From on, before To; zero for open
	Values       []string
	Not, Soft    bool
	Source       string // "question", "attribute" and so on
}

// Order is an order of the items.
type Order struct {
	By         string
	Descending bool
	Text       string
}

// Correction is a word that was read as another.
type Correction struct{ From, To string }

// Relaxation is a filter that was let go since nothing met it.
type Relaxation struct{ Name, Text string }

// Ignored is an attribute of the question that has no effect, or anything else of the request by
// its JSON pointer.
type Ignored struct{ Name, Reason string }

// understand settles what the question wants: its words, as they go on with the questions before
// it, its attributes, which win, and last what is known beside it.
func (s *Service) understand(ctx context.Context, in *askState) error {
	in.understood = s.read(in, in.Text, in.asked.Types)
	if err := s.follow(ctx, in); err != nil {
		return err
	}
	if in.anyType() {
		in.understood.Types = nil
		in.understood.Constraints = slices.DeleteFunc(in.understood.Constraints, func(c facets.Constraint) bool {
			return c.Slot == facets.OfType
		})
	}
	s.resolveSubjects(ctx, in)
	s.applyAttributes(in, &in.understood, in.Attributes)
	s.applyContext(in)
	in.asked = s.toQuery(in.asked, &in.understood)
	in.asked.Within = in.among
	s.resolveExtreme(ctx, in)
	if count := in.understood.Count; count > 0 && !in.Numbered {
		in.asked.Limit = in.atMost(count)
	}
	s.heed(in)
	return nil
}

// read understands a text by itself, for types that are wanted already.
func (s *Service) read(in *askState, text string, types []string) query.Understood {
	u := s.readPlain(in, text, types)
	// which words that stand in a name must not undo
	excludes := slices.ContainsFunc(u.Constraints, func(c facets.Constraint) bool { return c.Not })
	if u.Intent == query.List && len(u.Constraints) > 0 && !excludes && mayName(text) {
		if g := s.view(in); g.Index.Named(text, g.Permit) {
			u.Literally(text)
		}
	}
	return u
}

// readPlain is read, also where the text is the name of an item.
func (s *Service) readPlain(in *askState, text string, types []string) query.Understood {
	at := s.asking(in)
	at.Types = types
	u := query.Read(text, at)
	if wish, told := story.Wish(text); told && len(u.Constraints) > 0 {
		circumstances(&u, query.Read(wish, at).Constraints)
	}
	return u
}

// circumstances makes what a story tells of times, places and people no condition of what is wished
// for after it: a time tells nothing of it, a place or a person may.
func circumstances(u *query.Understood, wished []facets.Constraint) {
	told := u.Constraints
	u.Constraints = nil
	for _, c := range told {
		timed := !c.From.IsZero() || !c.To.IsZero()
		aside := !c.Not && (timed || c.Slot == facets.Location || c.Slot == facets.Audience) &&
			!slices.ContainsFunc(wished, func(w facets.Constraint) bool { return w.Slot == c.Slot && !w.Not })
		switch {
		case aside && timed:
			continue
		case aside:
			c.Soft = true
		}
		u.Constraints = append(u.Constraints, c)
	}
}

// mayName says whether a text is long enough to be meant as a name where it is one: "red shoes" is
// a wish, even if some shoes are called so.
func mayName(text string) bool {
	words := strings.Fields(text)
	says := slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return query.IsFunction(facets.Fold(word))
	})
	return len(words) >= 4 && len(says) >= 3 ||
		len(words) == 1 && len(text) > utf8.RuneCountInString(text) && utf8.RuneCountInString(text) >= 6
}

// applyAttributes holds what was understood of a question to its attributes, which win.
func (s *Service) applyAttributes(in *askState, u *query.Understood, attributes map[string]jsontext.Value) {
	if len(attributes) > 0 {
		u.Heed(attributes, facets.FromAttribute, s.asking(in))
	}
}

// asking is what a question is read with.
func (s *Service) asking(in *askState) query.Asking {
	view := s.view(in).Index
	at := query.Asking{Lexicon: view.Lexicon(), IsA: content.IsA, Now: s.deps.Now().In(s.deps.Reading.Place),
		Languages: in.Languages, Met: view.Met}
	if !in.asked.Literal && !in.asked.AsSpelled {
		at.Has = view.Has
	}
	return at
}

// typed says whether the question names types beside its words.
func (in *askState) typed() bool {
	return slices.ContainsFunc(in.Types, func(name string) bool { return !query.Indifferent(name) })
}

// anyType says whether the question says that its items may be of any type, whatever its words say.
func (in *askState) anyType() bool { return len(in.Types) > 0 && !in.typed() }

// toQuery brings what was understood to the library's terms.
func (s *Service) toQuery(asked index.Question, u *query.Understood) index.Question {
	asked.Guessed = len(asked.Types) == 0
	asked.Text, asked.Broad, asked.Beside, asked.Types = u.Text, u.Broad, u.Beside, u.Types
	asked.Constraints, asked.Soft, asked.Sort = u.Constraints, u.Soft, u.Sort
	if !slices.ContainsFunc(u.Constraints, func(c facets.Constraint) bool { return c.Not }) {
		asked.Meant = u.Asked
	}
	now := s.deps.Now().In(s.deps.Reading.Place)
	asked.Today = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	return asked
}

// explainer speaks to whoever reads how the question was read.
func (in *askState) explainer() i18n.Speaker {
	if len(in.Context.Explained) > 0 {
		return i18n.For(in.Context.Explained...)
	}
	return i18n.For(in.Languages...)
}

// explain words what was understood.
func (in *askState) explain() Understanding {
	u, speaker := &in.understood, in.explainer()
	told := Understanding{Text: u.Say(speaker), Count: u.Count, Answer: in.telling}
	if in.among != nil { // which says of what it is asked
		told.Text = u.Asked
	}
	if u.Intent != query.List {
		told.Intent = u.Intent.String()
	}
	if u.Asked != in.Text {
		told.Query = u.Asked
	}
	if len(u.Types) > 0 && !in.typed() {
		told.Filters = append(told.Filters, Filter{
			Name: query.TypeName, Text: u.SayTypes(speaker), Values: u.Types, Source: facets.FromText.String(),
		})
	}
	for i := range u.Constraints {
		c := &u.Constraints[i]
		told.Filters = append(told.Filters, Filter{
			Name: slotCalled(c.Slot), Text: wording.Constraint(speaker, c), Min: c.Min, Max: c.Max, Above: c.Above,
			Below: c.Below, Unit: c.UnitName(), From: c.From, To: c.To, Values: c.Values, Not: c.Not, Soft: c.Soft,
			Source: c.Source.String(),
		})
	}
	if u.Sort.By != "" {
		told.Sort = &Order{By: string(u.Sort.By), Descending: u.Sort.Descending, Text: wording.Sort(speaker, u.Sort)}
	}
	told.Corrected = in.tuned.corrected()
	for _, c := range u.Corrections {
		told.Corrected = append(told.Corrected, Correction(c))
	}
	for _, i := range u.Ignored {
		told.Ignored = append(told.Ignored, Ignored(i))
	}
	told.Ignored = append(told.Ignored, in.ignored...)
	return told
}

// explainRelaxed words the conditions that gave way, since nothing met them.
func (in *askState) explainRelaxed(relaxed []index.Relaxed) (told []Relaxation) {
	speaker := in.explainer()
	for i := range relaxed {
		r := &relaxed[i]
		text := wording.Constraint(speaker, &r.Constraint)
		switch {
		case r.Words:
			text = strings.Join(r.Constraint.Values, " ")
		case r.Types:
			text = in.understood.SayTypes(speaker)
		case r.Unknown:
			text = speaker.Say(i18n.NotSaid, text)
		}
		told = append(told, Relaxation{Name: slotCalled(r.Constraint.Slot), Text: text})
	}
	return told
}

// slotCalled is what answers call a slot: that of the figures in a unit is called by the unit.
func slotCalled(slot facets.Slot) string { return strings.TrimPrefix(string(slot), "=") }
