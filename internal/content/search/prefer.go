package search

// otherLanguage is the part of its score that an item loses when it is in another language than is preferred.
const otherLanguage = 5

// prefer notes the language in which items are preferred; nothing when that makes no difference.
func (a *asking) prefer(tags []string) {
	a.preferred = 0
	for _, tag := range tags {
		t := a.snapshot.analyzer.tongue(tag)
		if t.tag == "" {
			continue
		}
		if items := a.snapshot.census.tongues[t.index]; items > 0 {
			if items < a.snapshot.Len() {
				a.preferred = 1 << t.index
			}
			return
		}
	}
}

// hold lowers the score of a candidate that is in another language. What it could have scored is not less, so that
// whether there is an answer does not depend on it.
func (a *asking) hold(v *view, c *candidate) {
	if a.preferred>>v.tongues[v.item[c.unit]]&1 == 0 {
		loss := c.score / otherLanguage
		c.score -= loss
		c.lift -= int32(loss)
	}
}
