package excerpts

import (
	"slices"
	"strings"

	"frontdesk/internal/content/index"
)

const (
	// aboutShare is the share of a domain's items that have a word which says what the domain is
	// about.
	aboutShare = 0.5
	// meantShare is the share of a question's weight that the words must have by which something is
	// found after all.
	meantShare = 0.25
	// tried is for how many words of a question it is tried whether a domain has them.
	tried = 24
)

// findWithin answers a question within an editorial domain. A word that the domain does not have
// weighs much, the more the less the domain has, and would leave nothing found; but whoever named
// the domain has said what the question is about. So where nothing is found, it is asked again with
// the words alone that the domain has, if these are a good part of the question or one of them says
// what the domain is about, which weighs least where all items have it.
func findWithin(view *index.View, q index.Question) index.Found {
	found := view.Find(q)
	if len(found.Hits) > 0 || len(found.Terms) > tried {
		return found
	}
	var words []string
	share, missing := 0.0, false
	for _, term := range found.Terms {
		if term.Weight == 0 {
			continue
		}
		alone := index.Question{Text: term.Word, Limit: 1, Within: q.Within, Literal: true}
		if len(view.Find(alone).Hits) == 0 {
			missing = true
			continue
		}
		words, share = append(words, term.Word), share+term.Weight
	}
	about := func(word string) bool { return view.Share(word, q.Within) >= aboutShare }
	if !missing || share < meantShare && !slices.ContainsFunc(words, about) {
		return found
	}
	q.Text = strings.Join(words, " ")
	return view.Find(q)
}
