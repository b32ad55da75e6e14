package elicitation

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// Facet is how items are spread over one slot.
type Facet struct {
	Slot  facets.Slot
	Known int // items of which it is known
	// Values are the words that items have, of slots of words. An item may have several.
	Values []Count
	// Figures are what items have, in any order, of slots of figures; Unit is their unit, where the
	// slot has several.
	Figures []float64
	Unit    string
}

// Count is how many items have a value.
type Count struct {
	Value string
	Items int
}

// topic is a slot about which something can be asked that helps to choose.
type topic struct {
	slot   facets.Slot
	text   i18n.Text
	kind   Kind
	weight float64 // how much it helps, beside how evenly items are spread over it
}

// topics are asked about when items differ in them. Slots that are not here, such as authors' names
// by the dozen or figures that nobody chooses by, are not asked about.
var topics = []topic{
	{facets.Diet, i18n.AskDiet, MultiSelect, 1},
	{facets.TotalTime, i18n.AskTime, SingleSelect, 0.95},
	{facets.Price, i18n.AskPrice, SingleSelect, 0.95},
	{facets.Category, i18n.AskCategory, SingleSelect, 0.95},
	{facets.Cuisine, i18n.AskCuisine, SingleSelect, 0.85},
	{facets.Location, i18n.AskPlace, SingleSelect, 0.85},
	{facets.Audience, i18n.AskAudience, SingleSelect, 0.8},
	{facets.Duration, i18n.AskTime, SingleSelect, 0.8},
	{facets.Color, i18n.AskColor, MultiSelect, 0.8},
	{facets.Brand, i18n.AskBrand, MultiSelect, 0.8},
	{facets.Size, i18n.AskSize, SingleSelect, 0.7},
	{facets.Material, i18n.AskMaterial, MultiSelect, 0.7},
	{facets.Author, i18n.AskAuthor, SingleSelect, 0.5},
}

// What a facet must be like to be asked about.
const (
	leastKnown  = 0.6 // share of the items of which it is known
	largest     = 0.8 // share of the largest choice, at most
	leastShare  = 0.08
	leastScore  = 0.5 // of known × even × weight
	mostOptions = 6
)

// choice is something that can be asked, with its worth.
type choice struct {
	prompt Prompt
	score  float64
}

// split makes questions of the facets over which the items are spread most evenly.
func (a *Asker) split(n *Need) []Prompt {
	var choices []choice
	for _, f := range n.Facets {
		at := slices.IndexFunc(topics, func(t topic) bool { return t.slot == f.Slot })
		if at < 0 || n.Matches == 0 || !n.new(string(f.Slot), string(f.Slot)) {
			continue
		}
		known := math.Min(1, float64(f.Known)/float64(n.Matches))
		if known < leastKnown {
			continue
		}
		t := topics[at]
		options, even := f.options(n)
		if score := known * even * t.weight; len(options) >= 2 && score >= leastScore {
			prompt := Prompt{ID: string(t.slot), Text: n.Speaker.Say(t.text), Kind: t.kind,
				Options: append(options, n.Speaker.Say(i18n.NoPreference))}
			choices = append(choices, choice{prompt, score})
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.score, a.score) })
	var prompts []Prompt
	for _, c := range choices[:min(len(choices), a.config.Questions)] {
		prompts = append(prompts, c.prompt)
	}
	return prompts
}

// follows are the diets that hold of what others hold of, and of much else: nobody chooses by them
// when asked.
var follows = map[string]bool{"meatfree": true, "fishfree": true, "shellfishfree": true, "porkfree": true}

// options are the choices that a facet offers, and how evenly the items are spread over them, from
// 0 to 1.
func (f *Facet) options(n *Need) (options []string, even float64) {
	if len(f.Figures) > 0 {
		return f.ranges(n.Speaker)
	}
	said := " " + strings.Join(words(n.Text), " ") + " "
	var counts []Count
	total := 0
	for _, c := range f.Values {
		word := strings.Join(words(c.Value), " ")
		if _, diet := i18n.Diets[c.Value]; word == "" || len(c.Value) > maxText ||
			f.Slot == facets.Diet && (!diet || follows[c.Value]) {
			continue // nothing that people would choose by
		}
		if strings.Contains(said, " "+word+" ") {
			return nil, 0 // the question says it already
		}
		counts = append(counts, c)
		total += c.Items
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Items, a.Items), strings.Compare(a.Value, b.Value))
	})
	least := max(2, int(math.Ceil(leastShare*float64(f.Known))))
	for _, c := range counts[:min(len(counts), mostOptions)] {
		if c.Items >= least {
			options = append(options, label(f.Slot, c.Value, n.Speaker))
		}
	}
	if len(options) < 2 || float64(counts[0].Items) > largest*float64(f.Known) {
		return nil, 0
	}
	covered := 0
	for _, c := range counts[:len(options)] {
		covered += c.Items
	}
	shares := make([]float64, len(options))
	for i, c := range counts[:len(options)] {
		shares[i] = float64(c.Items) / float64(covered)
	}
	// What the options leave out cannot be chosen.
	return options, evenness(shares) * float64(covered) / float64(total)
}

// evenness is the entropy of shares, 1 when all are the same.
func evenness(shares []float64) float64 {
	if len(shares) < 2 {
		return 0
	}
	h := 0.0
	for _, p := range shares {
		if p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h / math.Log(float64(len(shares)))
}

// label is a value as people read it.
func label(slot facets.Slot, value string, speaker i18n.Speaker) string {
	if slot == facets.Diet {
		return i18n.Diets.In(speaker, value)
	}
	return value
}

// ranges cuts the figures in three, or in two, at figures that people would name.
func (f *Facet) ranges(speaker i18n.Speaker) (options []string, even float64) {
	figures := slices.Sorted(slices.Values(f.Figures))
	n := len(figures)
	if n < 4 {
		return nil, 0
	}
	var breaks []float64
	for _, at := range []float64{figures[n/3], figures[2*n/3]} {
		at = nice(at, f.Slot)
		if !slices.Contains(breaks, at) && at > figures[0] && at < figures[n-1] {
			breaks = append(breaks, at)
		}
	}
	if len(breaks) == 0 {
		return nil, 0
	}
	shares := make([]float64, len(breaks)+1)
	for _, figure := range figures {
		bucket := 0
		for bucket < len(breaks) && figure > breaks[bucket] {
			bucket++
		}
		shares[bucket] += 1 / float64(n)
	}
	if slices.Max(shares) > largest || slices.Min(shares) < leastShare {
		return nil, 0
	}
	for i := range shares {
		r := span{unit: f.unit()}
		if i > 0 {
			r.min = &breaks[i-1]
		}
		if i < len(breaks) {
			r.max = &breaks[i]
		}
		options = append(options, r.label(speaker))
	}
	return options, evenness(shares)
}

// unit is that of a facet's figures as span writes it.
func (f *Facet) unit() string {
	if slices.Contains(times, f.Slot) {
		return minutes
	}
	return f.Unit
}

// nice is the figure near one that people would name.
func nice(figure float64, slot facets.Slot) float64 {
	steps := []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}
	if slices.Contains(times, slot) && figure <= 300 {
		return nearest(figure, []float64{5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300})
	}
	if figure < 10 {
		return math.Max(1, math.Round(figure))
	}
	scale := math.Pow(10, math.Floor(math.Log10(figure)))
	return math.Round(nearest(figure/scale, steps) * scale)
}

func nearest(figure float64, among []float64) float64 {
	return slices.MinFunc(among, func(a, b float64) int { return cmp.Compare(math.Abs(a-figure), math.Abs(b-figure)) })
}
