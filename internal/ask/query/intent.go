package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// asks are the forms of questions for a detail of one item: the words before its name, and those behind. An empty end
// means that the name is the rest.
type ask struct {
	lead string
	ends []string
	slot facets.Slot
}

// asks by the first word of the lead.
var asks = func() map[string][]ask {
	forms := map[string][]ask{}
	for _, a := range []ask{
		{lead: "how long does it take to make|how long does it take to cook|how long to make|how long to cook|how long does it take to prepare|how long would it take to make|what is the total time of|what is the total time for|whats the total time for", slot: facets.TotalTime},
		{lead: "how long does|how long do|how long will|how long would", ends: []string{"take to make", "take to cook", "take to prepare", "need to cook", "take", "need", "last", "run", "go on"}, slot: facets.TotalTime},
		{lead: "how long is|how long are|how long was", slot: facets.Duration},
		{lead: "what is the prep time of|what is the prep time for|whats the prep time for|prep time of|prep time for", slot: facets.PrepTime},
		{lead: "what is the cook time of|what is the cooking time of|what is the cooking time for|cooking time for|cooking time of", slot: facets.CookTime},
		{lead: "how much does|how much do|what does|what do|how much would", ends: []string{"cost", "costs", "go for", "sell for", "cost me"}, slot: facets.Price},
		{lead: "how much does|how much do", ends: []string{"weigh"}, slot: "weight"},
		{lead: "how much does|how much do|what does|what do", ends: []string{"pay", "earn"}, slot: salary},
		{lead: "what is the salary of|what is the salary for|whats the salary of|whats the salary for", slot: salary},
		{lead: "how much is|how much are|how much for|how expensive is|how expensive are|what is the price of|whats the price of|what is the cost of|whats the cost of|price of|cost of|what is the price for|how much was", slot: facets.Price},
		{lead: "how heavy is|how heavy are|what is the weight of", slot: "weight"},
		{lead: "how wide is", slot: "width"},
		{lead: "how tall is|how high is", slot: "height"},
		{lead: "how many calories are in|how many calories in|how many calories are there in|how many calories has|calories in|how many kcal in|what are the calories in|how many calories per serving in|how many calories does one serving of", slot: facets.Calories},
		{lead: "how many calories does|how many calories do", ends: []string{"have", "contain", "has"}, slot: facets.Calories},
		{lead: "how much protein is in|how much protein is there in|how much protein in|how much protein does|protein in|how many grams of protein are in", ends: []string{"have", "contain", ""}, slot: facets.Protein},
		{lead: "how much fat is in|how much fat is there in|how much fat in|how much fat does", ends: []string{"have", "contain", ""}, slot: facets.Fat},
		{lead: "how many carbs are in|how many carbs in|how many carbs does|how many carbohydrates are in", ends: []string{"have", "contain", ""}, slot: facets.Carbohydrate},
		{lead: "how much sugar is in|how much sugar in|how much sugar does", ends: []string{"have", "contain", ""}, slot: facets.Sugar},
		{lead: "how many people does|how many does|how many servings does|how many portions does|for how many people is", ends: []string{"serve", "feed", "make", "yield", "have", ""}, slot: facets.Yield},
		{lead: "how many servings are in|how many servings in|how many servings is|how many portions are in", slot: facets.Yield},
		{lead: "when does|when do|what time does|when did", ends: []string{"start", "begin", "take place", "happen", "open", "kick off"}, slot: facets.Start},
		{lead: "when is|when are|what date is|what day is|on what date is|what time is|when will", ends: []string{"starting", "taking place", "happening", "on", "held", "take place", ""}, slot: facets.Start},
		{lead: "when was|when were", ends: []string{"published", "written", "posted", "released"}, slot: facets.Published},
		{lead: "where is|where are|where does|where do|where will", ends: []string{"held", "taking place", "happening", "take place", "located", "being held", "start", "be held", ""}, slot: facets.Location},
		{lead: "who wrote|who is the author of|whos the author of|who is the writer of|author of|by whom is|who authored", slot: facets.Author},
		{lead: "who makes|who made|who manufactures|what brand is|which brand is|what brand are", slot: facets.Brand},
		{lead: "what color is|what colour is|which colour is|which color is|what colors does|what colours does|what color are|what colour are", ends: []string{"come in", "have", ""}, slot: facets.Color},
		{lead: "what is|what are|whats", ends: []string{"made of", "made from", "made out of"}, slot: facets.Material},
		{lead: "what material is|what materials are", slot: facets.Material},
		{lead: "what is the rating of|whats the rating of|how well rated is|how highly rated is|how is|rating of|what rating does|how good are the reviews of|how good is", ends: []string{"rated", "have", ""}, slot: facets.Rating},
		{lead: "what are the ingredients of|what are the ingredients in|what are the ingredients for|ingredients of|ingredients for|ingredients in|what ingredients are in|what ingredients do i need for|what do i need for|what goes into|what ingredients does|whats in|what is in", ends: []string{"need", "have", ""}, slot: facets.Ingredient},
		{lead: "what does|what do", ends: []string{"contain", "contain exactly", "consist of", "include"}, slot: facets.Ingredient},
		{lead: "what is inside|whats inside|what is there in|what do i need to make|what do i need to cook|what do you need for", slot: facets.Ingredient},
		{lead: "when does|when do|when did|what time does|when will|until when does", ends: []string{"end", "finish", "stop", "close", "be over", "last", "run"}, slot: facets.End},
		{lead: "when is|when was", ends: []string{"over"}, slot: facets.End},
		{lead: "until when is|until when are|how long is", ends: []string{"on", "open", "running"}, slot: facets.End},
		{lead: "who organizes|who organises|who hosts|who is hosting|who is organizing|who runs|who is behind", slot: "organizer"},
		{lead: "who directed|who is the director of", slot: "director"},
		{lead: "who performs in|who performs at|who plays at|who plays in|who is performing at|who is playing at|who stars in|who acts in|who is in", slot: "performer"},
		{lead: "who teaches|who gives|who leads", slot: "instructor"},
		{lead: "who published|who publishes", slot: "publisher"},
		{lead: "who is|whos", ends: []string{"by"}, slot: facets.Author},
		{lead: "who", ends: []string{"by"}, slot: facets.Author},
		{lead: "how many people rated|how many people have rated|how many people reviewed|how many ratings does|how many reviews does|how often was", ends: []string{"have", "rated", ""}, slot: facets.Ratings},
		{lead: "what language is|which language is|in what language is|in which language is", ends: []string{"in", "written in", ""}, slot: facets.Language},
		{lead: "what genre is|which genre is|what kind of book is", slot: "genre"},
		{lead: "what category is|which category is|what category does", ends: []string{"in", "belong to", ""}, slot: facets.Category},
		{lead: "what cuisine is|which cuisine is", slot: facets.Cuisine},
		{lead: "how big is|what size is|how large is", slot: facets.Size},
		{lead: "how deep is", slot: "depth"},
		{lead: "is|are", ends: []string{"in stock", "available", "sold out", "still available"}, slot: facets.Availability},

		{lead: "was ist in|was steckt in|was enthält|woraus besteht|was brauche ich für|was kommt in", ends: []string{"drin", "enthalten", "rein", ""}, slot: facets.Ingredient},
		{lead: "wie ist", ends: []string{"bewertet"}, slot: facets.Rating},
		{lead: "wie gut ist", ends: []string{"bewertet", ""}, slot: facets.Rating},
		{lead: "wer ist der autor von|wer ist die autorin von|von wem ist", slot: facets.Author},
		{lead: "wer veranstaltet|wer organisiert", slot: "organizer"},
		{lead: "wann endet|bis wann geht|bis wann läuft", slot: facets.End},
		{lead: "wo findet", ends: []string{"statt"}, slot: facets.Location},
		{lead: "wie schwer ist", slot: "weight"}, {lead: "wie hoch ist", slot: "height"}, {lead: "wie breit ist", slot: "width"},
		{lead: "aus welchem material ist|woraus ist", ends: []string{"gemacht", ""}, slot: facets.Material},
		{lead: "welche farbe hat", slot: facets.Color}, {lead: "von welcher marke ist", slot: facets.Brand},
		{lead: "wann erschien|wann ist", ends: []string{"erschienen"}, slot: facets.Published},
		{lead: "für wie viele personen ist|für wie viele personen reicht|für wie viele ist|für wie viele reicht", ends: []string{"gedacht", ""}, slot: facets.Yield},
		{lead: "que contient|que contiennent|qu y a t il dans|qu est ce qu il y a dans|de quoi est fait|de quoi est faite", slot: facets.Ingredient},
		{lead: "pour combien de personnes est|combien de portions pour|combien de personnes pour|combien de parts pour", slot: facets.Yield},
		{lead: "quand finit|quand se termine|jusqu à quand dure", slot: facets.End},
		{lead: "qui organise", slot: "organizer"}, {lead: "qui est l auteure de|qui est l autrice de|de qui est", slot: facets.Author},
		{lead: "combien pèse", slot: "weight"}, {lead: "de quelle couleur est", slot: facets.Color}, {lead: "de quelle marque est", slot: facets.Brand},
		{lead: "en quelle matière est|en quoi est", slot: facets.Material},
		{lead: "quand est sorti|quand est paru|quand a été publié", slot: facets.Published},
		{lead: "qué contiene|qué contienen|qué lleva|qué hay en|de qué está hecho|de qué está hecha", slot: facets.Ingredient},
		{lead: "para cuántas personas es|cuántas personas comen con", slot: facets.Yield},
		{lead: "cuándo termina|cuándo acaba|hasta cuándo es", slot: facets.End}, {lead: "quién organiza", slot: "organizer"},
		{lead: "cuánto pesa", slot: "weight"}, {lead: "de qué color es", slot: facets.Color}, {lead: "de qué marca es", slot: facets.Brand},
		{lead: "de qué material es", slot: facets.Material}, {lead: "cuándo se publicó|cuándo salió", slot: facets.Published},
		{lead: "o que contém|que contém|o que leva|o que há em|o que tem em|do que é feito|do que é feita", slot: facets.Ingredient},
		{lead: "para quantas pessoas é", slot: facets.Yield}, {lead: "quando termina|quando acaba", slot: facets.End}, {lead: "quem organiza", slot: "organizer"},
		{lead: "quanto pesa", slot: "weight"}, {lead: "de que cor é", slot: facets.Color}, {lead: "de que marca é", slot: facets.Brand},
		{lead: "de que material é", slot: facets.Material}, {lead: "quando foi publicado|quando foi publicada", slot: facets.Published},
		{lead: "wie lange dauert|wie lange braucht|wie lang dauert|wie lange dauern", slot: facets.TotalTime},
		{lead: "was kostet|was kosten|wie viel kostet|wie viel kosten|wieviel kostet|wie teuer ist|preis von", slot: facets.Price},
		{lead: "wie viele kalorien hat|wieviele kalorien hat|wie viel kalorien hat|kalorien von", slot: facets.Calories},
		{lead: "wann ist|wann beginnt|wann findet|wann sind|wann fängt", ends: []string{"statt", "an", ""}, slot: facets.Start},
		{lead: "wo ist|wo findet|wo sind", ends: []string{"statt", ""}, slot: facets.Location},
		{lead: "wer hat|wer schrieb", ends: []string{"geschrieben", ""}, slot: facets.Author},
		{lead: "für wie viele personen ist|für wie viele personen reicht|wie viele portionen ergibt", slot: facets.Yield},
		{lead: "combien coûte|combien coûtent|quel est le prix de|prix de|quel est le prix du|combien vaut", slot: facets.Price},
		{lead: "combien", ends: []string{"coûte", "coûtent", "vaut"}, slot: facets.Price},
		{lead: "quand", ends: []string{"a lieu", "commence"}, slot: facets.Start},
		{lead: "combien de temps prend|combien de temps faut il pour|combien de temps dure|quelle est la durée de|combien de temps pour", slot: facets.TotalTime},
		{lead: "quand a lieu|quand est|quand commence|quelle est la date de|quelle est la date du", slot: facets.Start},
		{lead: "où a lieu|où est|où se trouve|où se déroule", slot: facets.Location},
		{lead: "qui a écrit|qui est l auteur de|qui est l auteur du", slot: facets.Author},
		{lead: "combien de calories dans|combien de calories contient|combien de calories a", slot: facets.Calories},
		{lead: "cuánto cuesta|cuánto cuestan|cuánto vale|precio de|cuál es el precio de|qué precio tiene", slot: facets.Price},
		{lead: "cuánto tarda|cuánto tiempo lleva|cuánto dura|cuánto se tarda en hacer|cuánto tiempo tarda", slot: facets.TotalTime},
		{lead: "cuándo es|cuándo empieza|cuándo comienza", slot: facets.Start},
		{lead: "dónde es|dónde está|dónde se celebra", slot: facets.Location},
		{lead: "quién escribió|quién es el autor de", slot: facets.Author},
		{lead: "cuántas calorías tiene|cuántas calorías tienen", slot: facets.Calories},
		{lead: "quanto custa|quanto custam|qual é o preço de|qual o preço de|qual é o preço do|preço de", slot: facets.Price},
		{lead: "quanto tempo leva|quanto tempo demora|quanto dura", slot: facets.TotalTime},
		{lead: "quando é|quando começa", slot: facets.Start},
		{lead: "onde é|onde fica|onde acontece", slot: facets.Location},
		{lead: "quem escreveu|quem é o autor de", slot: facets.Author},
		{lead: "quantas calorias tem|quantas calorias têm", slot: facets.Calories},
	} {
		for lead := range strings.SplitSeq(a.lead, "|") {
			one := ask{lead: facets.Fold(lead), slot: a.slot}
			for _, end := range a.ends {
				one.ends = append(one.ends, facets.Fold(end))
			}
			first, _, _ := strings.Cut(one.lead, " ")
			forms[first] = append(forms[first], one)
		}
	}
	for _, list := range forms {
		slices.SortStableFunc(list, func(a, b ask) int { return len(b.lead) - len(a.lead) })
	}
	return forms
}()

// readIntent reads questions that are not for a list: for a comparison, or for a detail. It says whether this is one.
func (r *reader) readIntent() bool {
	from := r.opened()
	if from >= len(r.tokens) {
		return false
	}
	return r.readComparison(from) || r.readDetail(from) || r.readJapaneseDetail()
}

// opened is the token behind greetings.
func (r *reader) opened() int {
	i := 0
	for i < len(r.tokens) && greetings[r.word(i)] {
		i++
	}
	return i
}

var greetings = wordSet("hi hello hey please so ok okay and but und et y e bitte hallo bonjour hola ola well um")

// readComparison reads "compare A and B", "A vs B", "what is the difference between A and B", "which is cheaper, A or B".
func (r *reader) readComparison(from int) bool {
	if names, ok := r.versus(from); ok {
		return r.compare(names, "")
	}
	phrases := func(words ...string) int {
		for _, phrase := range words {
			if n := strings.Count(phrase, " ") + 1; from+n < len(r.tokens) && r.phrase(from, from+n) == phrase {
				return n
			}
		}
		return 0
	}
	n := phrases("can you compare", "could you compare", "compare", "comparing", "comparison of", "comparison between", "what is the difference between", "whats the difference between",
		"difference between", "differences between", "what are the differences between", "vergleiche", "vergleich", "vergleich von", "unterschied zwischen", "was ist der unterschied zwischen",
		"comparer", "comparez", "compare", "difference entre", "quelle est la difference entre", "compara", "comparar", "compare", "diferencia entre", "cual es la diferencia entre", "diferenca entre", "qual e a diferenca entre")
	if n > 0 {
		if names := r.enumerated(from+n, len(r.tokens), true); len(names) > 1 {
			return r.compare(names, "")
		}
		return false
	}
	for _, lead := range []string{"which is", "what is", "whats", "which one is", "is", "was ist", "que es", "cual es", "quel est le", "qual e"} {
		n := phrases(lead)
		if n == 0 {
			continue
		}
		slot, ok := comparatives[r.word(from+n)]
		k := from + n + 1
		if ok && r.word(from+n) == "better" && r.word(k) == "rated" {
			slot, k = facets.Rating, k+1
		}
		if ok && k < len(r.tokens) {
			if names := r.enumerated(k, len(r.tokens), false); len(names) > 1 {
				return r.compare(names, slot)
			}
		}
	}
	return false
}

// comparatives are words by which things are compared, with the slot that tells.
var comparatives = map[string]facets.Slot{
	"cheaper": facets.Price, "better": "", "quicker": facets.TotalTime, "faster": facets.TotalTime, "healthier": facets.Calories, "lighter": "weight", "heavier": "weight",
	"dearer": facets.Price, "newer": facets.Published, "longer": facets.TotalTime, "shorter": facets.TotalTime, "billiger": facets.Price, "gunstiger": facets.Price,
	"schneller": facets.TotalTime, "besser": "", "teurer": facets.Price, "moins": facets.Price, "mejor": "", "melhor": "", "earlier": facets.Start, "later": facets.Start,
}

// versus finds names on both sides of "vs".
func (r *reader) versus(from int) (names []string, ok bool) {
	for i := from + 1; i+1 < len(r.tokens); i++ {
		switch r.word(i) {
		case "vs", "versus", "gegenuber":
			names = append(names, r.name(from, i))
			from = i + 1
		}
	}
	if len(names) == 0 {
		return nil, false
	}
	names = append(names, r.name(from, len(r.tokens)))
	return names, !slices.Contains(names, "") && len(names) <= mostSubjects
}

// mostSubjects is how many items are compared at most.
const mostSubjects = 4

// enumerated splits the tokens from i to before j at "and", "or", "with" and commas into names. With both, "and" joins too.
func (r *reader) enumerated(i, j int, both bool) (names []string) {
	start := i
	for k := i; k <= j; k++ {
		cut := 0
		switch {
		case k == j:
			cut = 1
		case r.has(k, roleOr), both && (r.has(k, roleAnd) || joins[r.word(k)]):
			cut = 1
		case k > start && (r.tokens[k].comma || r.tokens[k].stop):
			if name := r.name(start, k); name != "" {
				names = append(names, name)
			}
			start = k
		}
		if cut > 0 {
			if name := r.name(start, min(k, j)); name != "" {
				names = append(names, name)
			}
			start = k + 1
		}
	}
	if len(names) > mostSubjects {
		return nil
	}
	return names
}

var joins = map[string]bool{"with": true, "to": true, "against": true, "mit": true, "avec": true, "con": true, "com": true}

// name is the words from token i to before j without articles around them, as they were written.
func (r *reader) name(i, j int) string {
	for i < j && (articles[r.word(i)] || r.word(i) == "your" || r.word(i) == "this" || r.word(i) == "that") && r.word(i) != "all" {
		i++
	}
	if i >= j {
		return ""
	}
	return r.said(i, j)
}

// compare settles a comparison.
func (r *reader) compare(names []string, slot facets.Slot) bool {
	r.out.Intent, r.out.Subjects, r.out.Detail = Compare, names, slot
	r.out.Text = strings.Join(names, " ")
	return true
}

// readDetail reads a question for a detail of one item.
func (r *reader) readDetail(from int) bool {
	last := len(r.tokens)
	for last > from+2 && (r.word(last-1) == "please" || r.word(last-1) == "bitte" || r.word(last-1) == "again") {
		last--
	}
	for _, a := range asks[r.word(from)] {
		n := strings.Count(a.lead, " ") + 1
		if from+n >= last || r.phrase(from, from+n) != a.lead {
			continue
		}
		if end, ok := r.ends(a.ends, from+n, last); ok {
			if name := r.name(from+n, end); r.isName(name, from+n) {
				return r.tell(name, a.slot, "")
			}
		}
	}
	return r.readNoun(from, last) || r.readProperty(from, last) || r.readStated(from, last)
}

// ends finds which of the ends the tokens from i to before j have, and where it begins.
func (r *reader) ends(ends []string, i, j int) (int, bool) {
	if len(ends) == 0 {
		return j, true
	}
	for _, end := range ends {
		if end == "" {
			return j, true
		}
		n := strings.Count(end, " ") + 1
		if j-n > i && r.phrase(j-n, j) == end {
			return j - n, true
		}
	}
	return 0, false
}

// itself are pronouns that stand for an item in the other languages.
var itself = wordSet("es er sie ihn dies dieses ça cela ceci il elle eso esto ello isso isto ele ela")

// isName says whether words may be the name of an item.
func (r *reader) isName(name string, i int) bool {
	if itself[facets.Fold(name)] {
		return false
	}
	switch r.word(i) {
	case "there", "it", "you", "they", "too", "many", "much", "this", "i", "we", "possible":
		return false
	}
	return name != ""
}

// readProperty reads "is X vegan", "does X contain nuts", "are there eggs in X", and their like: "enthält X Nüsse".
func (r *reader) readProperty(from, last int) bool {
	switch r.word(from) {
	case "is", "are", "ist", "sind", "es", "son", "est", "e", "sao", "was":
		start := from + 1
		if r.word(from) == "est" && r.word(start) == "ce" { // "est-ce que X est végan"
			start = r.behindThat(start)
		}
		if r.word(from+1) == "there" {
			for i := last - 2; i > from+2; i-- {
				if r.word(i) == "in" {
					return r.tell(r.name(i+1, last), facets.Ingredient, r.name(from+2, i))
				}
			}
		}
		for i := start + 1; i < last; i++ {
			if slot, supposed, ok := r.predicate(i, last); ok {
				end := i
				if copulas[r.word(end-1)] && end-1 > start {
					end--
				}
				if name := r.name(start, end); r.isName(name, start) {
					return r.tell(name, slot, supposed)
				}
			}
		}
	case "does", "do":
		for i := from + 2; i+1 < last; i++ {
			switch r.word(i) {
			case "contain", "include", "contains":
				if name := r.name(from+1, i); r.isName(name, from+1) && r.known(facets.Ingredient) {
					return r.tell(name, facets.Ingredient, r.name(i+1, last))
				}
			case "have", "use":
				if what := r.name(i+1, last); r.known(facets.Ingredient) && r.eaten(what) {
					if name := r.name(from+1, i); r.isName(name, from+1) {
						return r.tell(name, facets.Ingredient, what)
					}
				}
			}
		}
	case "contient", "contem", "contiene", "enthalt":
		for i := last - 1; i > from+1; i-- { // what is in it stands behind the name
			if what := r.name(i, last); r.eaten(what) && r.known(facets.Ingredient) {
				if name := strings.TrimSuffix(r.name(from+1, r.unled(from+1, i)), " "); r.isName(name, from+1) {
					return r.tell(name, facets.Ingredient, what)
				}
			}
		}
	}
	return false
}

// behindThat is the token behind "ce que" at i.
func (r *reader) behindThat(i int) int {
	if r.word(i+1) == "que" || r.word(i+1) == "qu" {
		return i + 2
	}
	return i + 1
}

// unled is the end of the words from i to before j without articles at their end.
func (r *reader) unled(i, j int) int {
	for j > i+1 && articles[r.word(j-1)] {
		j--
	}
	return j
}

// eaten says whether words are for something that food is made of.
func (r *reader) eaten(what string) bool {
	folded := facets.Fold(what)
	if _, ok := facets.Class(folded); ok {
		return true
	}
	for _, m := range r.at.Lexicon.Meanings(folded) {
		if m.Slot == facets.Ingredient {
			return true
		}
	}
	last := folded[strings.LastIndexByte(folded, ' ')+1:]
	return facets.IsFood(facets.Singular(last))
}

// tell settles a question for a detail.
func (r *reader) tell(name string, slot facets.Slot, value string) bool {
	if name == "" || value != "" && slot != facets.Price && len(r.at.Lexicon.Types()) > 0 && !r.known(slot) {
		return false
	}
	r.out.Intent, r.out.Subjects, r.out.Detail, r.out.DetailValue = Tell, []string{name}, slot, value
	r.out.Text = name
	return true
}
