package ask

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// resolveSubjects finds the items that a comparison names. A question that names none is one for a
// list, and is read anew as that.
func (s *Service) resolveSubjects(ctx context.Context, in *askState) {
	u := &in.understood
	if u.Intent != query.Compare || in.only != nil {
		return
	}
	subjects, ok := s.subjects(ctx, in)
	if ok {
		in.telling = in.say(subjects)
		for _, one := range subjects {
			in.only = append(in.only, one.found)
		}
		return
	}
	at := s.asking(in)
	at.Types, at.Literal = in.asked.Types, true
	in.understood = query.Read(in.Text, at)
}

// subject is an item that a question names.
type subject struct {
	found
	card *released.RenderedItem
}

// subjects finds the items of the names; ok is false when one of them is none's name.
func (s *Service) subjects(ctx context.Context, in *askState) (all []subject, ok bool) {
	for _, name := range in.understood.Subjects {
		asked := index.Question{Text: name, Sites: in.asked.Sites, Types: in.asked.Types, MinScore: in.asked.MinScore,
			Limit: len(in.understood.Subjects) + 4, Prefer: in.asked.Prefer,
			AsSpelled: in.asked.AsSpelled, OwnWords: in.asked.OwnWords}
		a := s.find(in, asked)
		if len(a.parts) == 0 || a.closest {
			return nil, false
		}
		cards, err := a.render(ctx, a.parts[0])
		if err != nil {
			return nil, false
		}
		at, most := -1, leastNamed
		for i, c := range cards {
			if c == nil || taken(all, a.parts[0][i]) {
				continue
			}
			if share := named(name, c.Name(), c.Type()); share > most {
				at, most = i, share
			}
		}
		if at < 0 {
			return nil, false
		}
		all = append(all, subject{a.parts[0][at], cards[at]})
	}
	return all, len(all) > 0
}

func taken(all []subject, f found) bool {
	for _, s := range all {
		if s.listing == f.listing {
			return true
		}
	}
	return false
}

// leastNamed is the share of the words that an item's name has to have more of, to be the one that
// is named.
const leastNamed = 0.5

// named is how much of the words stands in an item's name, or says of what type the item is: "the
// accountant job". What stands behind the first comma or bracket of a long name counts half: there,
// shops tell what comes with a thing.
func named(words, name, typ string) float64 {
	head := name
	if at := strings.IndexAny(name, ",;(|"); at > 0 {
		head = name[:at]
	}
	first, whole := " "+singular(head)+" ", " "+singular(name)+" "
	n, in := 0, 0.0
	for word := range strings.FieldsSeq(facets.Fold(words)) {
		if len(word) < 3 || query.IsFunction(word) {
			continue
		}
		n++
		switch form := " " + facets.Singular(word) + " "; {
		case strings.Contains(first, form),
			slices.ContainsFunc(query.TypesOf(word), func(t string) bool { return content.IsA(typ, t) }):
			in++
		case strings.Contains(whole, form):
			in += 0.5
		}
	}
	if n == 0 {
		return 0
	}
	return in / float64(n)
}

// singular folds words and takes the plural off each.
func singular(words string) string {
	fields := strings.Fields(facets.Fold(words))
	for i, word := range fields {
		fields[i] = facets.Singular(word)
	}
	return strings.Join(fields, " ")
}

// say answers a comparison in a sentence, from what is released of the items. Where the terms keep
// the text of one from being made into other texts, nothing is said.
func (in *askState) say(subjects []subject) string {
	told := make([]source, len(subjects))
	for i, s := range subjects {
		if !s.card.Input() {
			return ""
		}
		told[i] = sourceOf(s.card.Result(s.hit()))
	}
	return compare(i18n.For(in.Languages...), told, in.understood.By)
}
