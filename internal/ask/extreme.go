package ask

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/extremes"
	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/ask/telling"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/language"
)

// The bounds of looking at all items of a kind.
const (
	mostCompared = 2000 // items
	mostRead     = 200  // items whose text is read for a figure
	countedNames = 4    // names that are told beside how many there are
)

// resolveExtreme answers how many there are of a kind, and which of them is the cheapest, the
// biggest or the last, from all of its items that meet the question's conditions.
func (s *Service) resolveExtreme(ctx context.Context, in *askState) {
	if in.only != nil || in.asked.Literal || in.understood.Intent == query.Compare || in.Report != NoReport {
		return
	}
	wish, ok := extremes.Read(cmp.Or(in.understood.Asked, in.Text))
	if in.wish != nil {
		wish, ok = *in.wish, true
		wish.Subject, wish.First = in.understood.Text, in.understood.Text
	}
	if !ok {
		return
	}
	g := s.view(in)
	named := wish.Beside != "" && !g.Index.Titled(wish.Beside).And(g.Permit).Empty() // a name: "first aid"
	if named || wish.Owned() && !wish.NameOwn(g.Index.Lexicon()) {
		return
	}
	asked := in.asked
	asked.Text, asked.Within = "", g.Permit
	kind := s.kindOf(in, &wish, g, &asked)
	met := g.Index.Meeting(&asked)
	if kind != nil {
		items := measured(g, kind.And(met))
		switch {
		case len(items) == 0 || len(items) > mostCompared:
		case wish.Count():
			in.countThem(ctx, s, g, items, wish.Tag)
			return
		case s.findExtreme(ctx, in, g, &wish, items, ""):
			return
		}
	}
	if in.wish != nil {
		s.extremeShown(ctx, in, g, &wish)
		return
	}
	if wish.Count() || wish.Subject == "" {
		return
	}
	// A kind, and words for what is compared of it: "which plan keeps logs the longest".
	for at := strings.LastIndexByte(wish.Subject, ' '); at > 0; at = strings.LastIndexByte(wish.Subject[:at], ' ') {
		named := wish.Subject[:at]
		if kind := g.Index.KindExactly(named, typesNamed(named)...); kind != nil {
			items := measured(g, kind.And(met))
			if len(items) <= mostRead && s.findExtreme(ctx, in, g, &wish, items, wish.Subject[at+1:]) {
				return
			}
		}
	}
	// No name says it, but a text may: "a hall for 120 people".
	if items := things(measured(g, g.Index.Mentioning(wish.Subject).And(met))); len(items) <= mostRead {
		s.findExtreme(ctx, in, g, &wish, items, wish.Subject)
	}
}

// extremeShown compares or counts what was shown, where it is of no kind that has a name.
func (s *Service) extremeShown(ctx context.Context, in *askState, g *released.View, wish *extremes.Wish) {
	var items []measuredItem
	for _, f := range slices.Concat(s.find(in, in.asked).parts...) {
		items = append(items, measuredItem{Doc: f.listing})
	}
	if wish.Count() {
		in.countThem(ctx, s, g, items, wish.Tag)
	} else if len(items) > 0 {
		s.findExtreme(ctx, in, g, wish, items, "")
	}
}

// kindOf gives the items of the kind that a wish names, and takes the conditions that only name it
// from the question; nil where it names none.
func (s *Service) kindOf(in *askState, wish *extremes.Wish, g *released.View, asked *index.Question) *search.Selection {
	subject := wish.Subject
	asked.Constraints = slices.DeleteFunc(slices.Clone(asked.Constraints), func(c facets.Constraint) bool {
		if c.Slot == facets.Category && !c.Not || c.Soft && !c.Not ||
			c.Slot == facets.Audience && wish.Own == extremes.People {
			return true
		}
		subject = without(subject, c.Said)
		return false
	})
	if subject == "" {
		switch {
		case wish.Anything && !in.typed() && slices.Contains(wish.Measures(), "price"):
			asked.Types = nil // the shop of "the dearest thing in the shop" is none
			return g.Index.Kind("product")
		case len(asked.Types) > 0:
			return g.Permit
		case wish.Anything:
			return g.Index.Kind("product")
		}
		return nil
	}
	if wish.Count() && wish.First != wish.Subject && g.Index.Kind(wish.First, typesNamed(wish.First)...) == nil {
		return nil // "how many lumens has the lamp"
	}
	for _, named := range namings(wish, subject) {
		if kind := g.Index.KindExactly(named, typesNamed(named)...); kind != nil {
			asked.Types = nil
			if in.typed() {
				asked.Types = in.asked.Types
			}
			return kind
		}
	}
	if shorter := subject[:max(0, strings.LastIndexByte(subject, ' '))]; strings.Contains(shorter, " ") {
		if titled := g.Index.Titled(shorter); !titled.Empty() {
			return titled
		}
	}
	if titled := g.Index.Titled(subject); !titled.Empty() && (wish.Count() || len(things(measured(g, titled))) > 0) {
		return titled
	}
	if broad := broadTypes(facets.Fold(subject)); len(broad) > 0 {
		if of := g.Index.Meeting(&index.Question{Types: broad, Within: g.Permit}); !of.Empty() {
			asked.Types = nil
			return of
		}
	}
	if wish.Contained {
		return g.Index.Kind("product")
	}
	return nil
}

// broadTypes are the types of which a folded word may stand for whatever there is: "overnight
// stay".
func broadTypes(word string) (types []string) {
	for list := range language.Each("broad") {
		if _, known := content.KnownType(list.Argument); known &&
			slices.ContainsFunc(list.Phrases, func(p string) bool { return facets.Fold(p) == word }) {
			types = append(types, list.Argument)
		}
	}
	return types
}

// namings are the words that may name a kind: those of a subject, and those without what the thing
// is in.
func namings(wish *extremes.Wish, subject string) []string {
	if wish.Inner == wish.Subject || wish.Inner == "" {
		return []string{subject}
	}
	return []string{subject, wish.Inner}
}

// things are the items whose names say what they are: a page about postage is no parcel.
func things(items []measuredItem) []measuredItem {
	return slices.DeleteFunc(items, func(item measuredItem) bool { return !item.SaysKind() })
}

// typesNamed gives the types that words are for, as questions or answers call them, or those that
// each of them is for: "job vacancies".
func typesNamed(words string) []string {
	types := append(query.TypesOf(facets.Fold(words)), i18n.TypesCalled(words)...)
	if first, rest, several := strings.Cut(words, " "); several && len(types) == 0 {
		others := typesNamed(rest)
		types = slices.DeleteFunc(typesNamed(first), func(t string) bool { return !slices.Contains(others, t) })
	}
	return types
}

// without takes words out of a text.
func without(text, words string) string {
	if words == "" {
		return text
	}
	drop := strings.Fields(facets.Fold(words))
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(word string) bool {
		return slices.Contains(drop, facets.Fold(word))
	}), " ")
}

// measuredItem is an item and the figure that is compared.
type measuredItem struct {
	*index.Doc
	value extremes.Value
	words string // for the value, where it is told as the item states it
	known bool
}

// measured gives the items of a selection, one for each address.
func measured(g *released.View, items *search.Selection) (all []measuredItem) {
	seen := map[Place]bool{}
	for _, ref := range items.All() {
		l := ref.(*index.Doc)
		at := Place{l.Site, l.URL}
		if !seen[at] && released.Decide(g.Terms, l).Allows(released.Search) {
			seen[at] = true
			all = append(all, measuredItem{Doc: l})
		}
		if len(all) > mostCompared {
			break
		}
	}
	return all
}

// countThem tells how many there are.
func (in *askState) countThem(ctx context.Context, s *Service, g *released.View, items []measuredItem, tag string) {
	in.show(items)
	var names []string
	for _, source := range s.sources(ctx, g, items[:min(len(items), countedNames)]) {
		if source.Name != "" {
			names = append(names, source.Name)
		}
	}
	if len(names) == 0 { // what they say may not be told
		return
	}
	say := in.speaker(tag)
	in.telling = extremes.SayCount(say.Language(), len(items), len(names), say.Number(float64(len(items)), 0),
		say.List(names))
}

// findExtreme puts the items into the order of what is wanted and tells the first; false where none
// states any figure. Where beside is not empty, only figures of sentences with its words count, and
// only items that state one.
func (s *Service) findExtreme(
	ctx context.Context, in *askState, g *released.View, wish *extremes.Wish, items []measuredItem, beside string,
) bool {
	say := in.speaker(wish.Tag)
	measure := s.measure(ctx, g, wish, items, beside, say.Language())
	if measure == "" {
		return false
	}
	items = slices.DeleteFunc(items, func(item measuredItem) bool {
		return beside != "" && !item.known || wish.Paid && item.known && item.value.Figure.High == 0
	})
	if len(items) == 0 {
		return false
	}
	most := wish.Most(measure)
	slices.SortStableFunc(items, func(a, b measuredItem) int {
		switch {
		case a.known != b.known:
			if a.known {
				return -1
			}
			return 1
		case most:
			return cmp.Compare(b.value.Figure.High, a.value.Figure.High)
		}
		return cmp.Compare(a.value.Figure.Low, b.value.Figure.Low)
	})
	in.show(items)
	first := s.sources(ctx, g, items[:1])
	if len(first) == 0 || first[0].Name == "" {
		return true
	}
	value := cmp.Or(items[0].words, items[0].value.Say(say, most))
	in.telling = wish.Say(say.Language(), first[0].Name, value)
	return true
}

// measure finds the figures of items and names the measure that they are of; empty where no item
// states any. Of the measures that may be meant it takes the likeliest, unless more than twice as
// many items state another.
func (s *Service) measure(
	ctx context.Context, g *released.View, wish *extremes.Wish, items []measuredItem, beside, language string,
) (measure string) {
	var texts []source
	best, most := []extremes.Value(nil), 0
	for _, name := range wish.Measures() {
		values, n := make([]extremes.Value, len(items)), 0
		ranked := rankedBy(g, extremes.Trait(name))
		for i, item := range items {
			value, ok := ranked[item.Doc]
			if !ok && wish.Per == "" && beside == "" {
				value, ok = wish.Stated(g.Index.Figures(item.Doc), name)
			}
			if !ok && len(items) <= mostRead {
				if texts == nil {
					texts = s.sources(ctx, g, items)
				}
				if len(texts) == len(items) {
					if stated := telling.ValueOf(texts[i], beside); stated != "" {
						value, ok = extremes.Told(stated, name, wish.Per, wish.Most(name))
						items[i].words = stated
					} else {
						value, ok = extremes.Told(about(texts[i], beside), name, wish.Per, wish.Most(name))
					}
				}
			}
			if name == "salary" && texts == nil && len(items) <= mostRead {
				texts = s.sources(ctx, g, items)
			}
			if name == "salary" && len(texts) == len(items) {
				said, period := texts[i].Object.Pay(language)
				value, items[i].words = value.Paid(period), said
			}
			if ok {
				values[i], n = value, n+1
			}
		}
		if n > 2*most {
			best, most, measure = values, n, name
		}
	}
	unit := extremes.CommonUnit(best)
	for i := range items {
		if best != nil && (best[i].Unit != "" && best[i].Unit == unit || best[i].Nothing()) {
			items[i].value, items[i].known = best[i], true
		}
	}
	return measure
}

// rankedBy gives where items stand on the scale of an attribute.
func rankedBy(g *released.View, attribute facets.Slot) map[*index.Doc]extremes.Value {
	ranked := map[*index.Doc]extremes.Value{}
	for n, value := range facets.TraitScale(attribute) {
		wanted := []facets.Constraint{{Slot: attribute, Values: []string{value}}}
		has := index.Question{Within: g.Permit, Constraints: wanted}
		for _, ref := range g.Index.Meeting(&has).All() {
			ranked[ref.(*index.Doc)] = extremes.Ranked(attribute, n)
		}
	}
	return ranked
}

// about is the text of an item: its name and description, or those of its sentences that have some
// words.
func about(item source, words string) string {
	if words == "" {
		return item.Name + "\n" + item.Text
	}
	var with []string
	for _, sentence := range quote.Split(item.Text) {
		said := " " + singular(sentence) + " "
		if !slices.ContainsFunc(strings.Fields(singular(words)),
			func(w string) bool { return !strings.Contains(said, " "+w+" ") }) {
			with = append(with, sentence)
		}
	}
	return strings.Join(with, "\n")
}

// sources gives what is released of items. It is empty for an item whose text the terms keep from
// other texts.
func (s *Service) sources(ctx context.Context, g *released.View, items []measuredItem) []source {
	listings := make([]*index.Doc, len(items))
	for i, item := range items {
		listings[i] = item.Doc
	}
	cards, err := g.Render(ctx, listings)
	if err != nil {
		return nil
	}
	all := make([]source, len(items))
	for i, card := range cards {
		if card != nil && card.Input() {
			r := card.Result(index.Hit{Doc: listings[i]})
			all[i] = sourceOf(r)
			all[i].Object = facts.Read(r.AppendObject(nil))
		}
	}
	return all
}

// show makes items the answer, in their order.
func (in *askState) show(items []measuredItem) {
	for i, item := range items[:min(len(items), in.most())] {
		in.only = append(in.only, found{listing: item.Doc, score: float32(max(1, 100-i))})
	}
	in.understood.Intent = query.List
}
