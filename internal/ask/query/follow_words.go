package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// phrases are the parts of lines between commas, folded.
func phrases(lines ...string) (all []string) {
	for _, line := range lines {
		for phrase := range strings.SplitSeq(line, ",") {
			if phrase = facets.Fold(phrase); phrase != "" {
				all = append(all, phrase)
			}
		}
	}
	return all
}

func set(lines ...string) map[string]bool {
	m := map[string]bool{}
	for _, phrase := range phrases(lines...) {
		m[phrase] = true
	}
	return m
}

// followLeads begin questions that go on with what was said.
var followLeads = append(phrases(
	"that are, that is, that can be, that, which of them are, which of those are, which of these are, which of them have, which of those have, which of these have, which ones are, which ones have, are any of them, do any of them have, and what about, and how about, what about, how about, and also, but only, and only, but not, ok but, okay but, ok, okay, and, but, or, only, just, also, make it, make them, same but, the same but, the same, now, then, rather, instead, actually",
	"was ist mit, wie wäre es mit, wie wärs mit, und was ist mit, und, aber, oder, nur, bloß, auch, lieber, stattdessen, jetzt, dann, das gleiche",
	"et pour, et si, qu en est il de, quen est il de, et, mais, ou, seulement, uniquement, plutôt, aussi, la même chose, maintenant",
	"y qué tal, qué tal, y qué hay de, qué hay de, y, pero, o, solo, sólo, solamente, únicamente, también, mejor, ahora, lo mismo",
	"e que tal, que tal, e quanto a, e, mas, ou, só, somente, apenas, também, agora, o mesmo",
), swapLeads...)

// swapLeads begin questions that put something in the place of something else, and swapWords say so anywhere.
var (
	swapLeads = phrases(
		"and what about, and how about, what about, how about, same but, the same but, make it, make them, actually",
		"was ist mit, und was ist mit, wie wäre es mit, wie wärs mit, lieber", "et pour, et si, qu en est il de, quen est il de, plutôt",
		"y qué tal, qué tal, y qué hay de, qué hay de, mejor", "e que tal, que tal, e quanto a",
	)
	swapWords = phrases("instead, rather", "stattdessen, lieber", "plutôt, à la place", "en su lugar, en vez", "em vez disso, ao invés")
)

// prepositions begin words that can stand behind any question.
var prepositions = phrases(
	"with, without, for, under, over, below, above, in, from, by, near, around, no, not, except, less than, more than, fewer than, between, at least, at most, up to, before, after, since, on, made",
	"mit, ohne, für, unter, über, ab, in, von, bei, aus, kein, keine, nicht, außer, weniger als, mehr als, zwischen, mindestens, höchstens, bis, vor, nach, seit, am, im",
	"avec, sans, pour, sous, de, dans, en, près de, pas, sauf, moins de, plus de, entre, au moins, jusqu à, avant, après, depuis",
	"con, sin, para, menos de, más de, bajo, en, de, cerca de, excepto, entre, al menos, hasta, antes de, después de, desde",
	"com, sem, menos de, mais de, abaixo de, em, perto de, exceto, pelo menos, até, antes de, depois de",
)

// standIns stand for what was spoken of before, lastStandIns where they end a question.
var (
	standIns = set("ones, those, these, them", "welche, davon, solche, diese", "ceux, celles, ceux ci", "esos, esas, estos, estas", "esses, essas, estes, estas")
	// "one" in the middle is mostly a number
	lastStandIns     = set("one, instead, too", "eins, eine, einen", "stattdessen", "aussi", "también", "também")
	japaneseStandIns = []string{"だけ", "のほうが", "の方が"}
)

// ties are words that tie a question to others and say nothing themselves.
var ties = set(
	"ones, those, these, them, instead, rather, please, also, too, either, though, well, only, just, any, anything, something, what, about, how, make, it, same, okay, ok, the, a, an, some, show, me, give, and, but, or, actually, now, then",
	"bitte, davon, welche, stattdessen, lieber, nur, auch, bloß, und, aber, oder, etwas, was, ist, wie, wäre, es, zeig, zeige, mir, der, die, das, dann, jetzt",
	"sil, te, vous, plaît, svp, plutôt, seulement, uniquement, aussi, et, mais, ou, montre, moi, le, la, les, des, un, une",
	"por, favor, solo, solamente, también, y, pero, o, muéstrame, el, los, las, unos, unas, qué, tal",
	"só, somente, apenas, também, e, mas, ou, mostre, me, os, as, uns, umas, que",
)

// small are the single words among the prepositions: no question is about them.
var small = func() map[string]bool {
	m := map[string]bool{}
	for _, phrase := range prepositions {
		if !strings.Contains(phrase, " ") {
			m[phrase] = true
		}
	}
	return m
}()

// details are words that ask to hear more of items that are pointed at.
var details = set("more, mehr, plus, más, mais, もっと, 詳しく")

// asides are words within a follow-up that say nothing themselves, wherever they stand.
var asides = set("please, instead, too, either, also, rather, though", "bitte, stattdessen, auch, lieber", "svp, plutôt, aussi", "también, mejor", "também")

// fillers are the words with which people are polite around a short wish.
var fillers = set(
	"please, show, me, tell, give, the, i, want, would, like, to, see, can, you, us, get, about, of, open, details, info, on, more info, let, s, lets, take, pick, choose, what, is, and, ok, okay, some, any, there, are, do, have, id, ill, go, with, for",
	"bitte, zeig, zeige, mir, gib, ich, möchte, will, nehme, die, das, den, dem, der, und, gibt, es, noch, hast, du, haben, sie, von",
	"sil, te, vous, plaît, svp, montre, montrez, moi, m, en, donne, je, veux, voudrais, le, la, les, et, il, y, a",
	"por, favor, muéstrame, dame, quiero, el, la, los, las, y, hay, ver",
	"mostre, mostra, me, quero, o, a, os, as, e, há, ver",
)

// furthers are whole questions that want further items; fillers are taken out of them before.
var furthers = set(
	"more, more results, more options, more ideas, more like this, more like these, more like that, next, next page, next ones, others, other, other ones, other options, another, another one, different, different ones, different options, something else, anything else, else, more please, further, further results, keep going, continue, alternatives, other ideas, something different, anything different",
	"mehr, weitere, weiter, mehr davon, andere, anderes, anderen, etwas anderes, was anderes, sonst, sonst etwas, welche, nächste, nächste seite, alternativen, mehr ergebnisse, weitere ergebnisse",
	"plus, encore, autres, autre, dautres, d autres, autre chose, suite, suivant, suivants, voir plus, plus de résultats, autres idées",
	"más, mas, otros, otras, otro, otra, otra cosa, algo más, siguiente, siguientes, más resultados, otras opciones",
	"mais, outros, outras, outro, outra, outra coisa, algo mais, próximo, próximos, mais resultados, outras opções",
)

var furtherJapanese = []string{"もっと", "もっと見せて", "もっと見る", "他には", "ほかには", "他にはありますか", "他の", "他のもの", "別の", "別のもの", "次", "次へ", "続き"}

// resets begin questions that leave everything behind.
var resets = phrases(
	"start over, new search, new question, forget that, forget it, forget about that, never mind, nevermind, reset, something completely different, different topic, on another note, change of topic, switching topics, next question, unrelated",
	"neue suche, neue frage, vergiss das, egal, anderes thema, themenwechsel, von vorne, ganz was anderes",
	"nouvelle recherche, nouvelle question, oublie ça, laisse tomber, autre sujet, recommençons",
	"nueva búsqueda, nueva pregunta, olvida eso, olvídalo, otro tema, empezar de nuevo", "nova busca, nova pesquisa, nova pergunta, esqueça isso, outro assunto, recomeçar",
)

// Reset takes the words off the beginning of a question that say it begins anew: "start over, show me lamps". A question
// that is nothing else stays as it is.
func Reset(text string) string {
	words := strings.Fields(text)
	for n := min(4, len(words)-1); n > 0; n-- {
		if slices.Contains(resets, facets.Fold(strings.Join(words[:n], " "))) {
			if len(letGo(" "+facets.Fold(text)+" ")) > 0 {
				return text // "forget the price" begins nothing anew
			}
			return strings.Join(words[n:], " ")
		}
	}
	return text
}

// comparisons are words that compare with what was shown, and the order that they wish for.
var comparisons = compared(
	"price<: cheaper, less expensive, lower priced, lower price, more affordable, less pricey; billiger, billigere, billigeres, günstiger, günstigere, günstigeres, preiswerter, preiswertere; moins cher, moins chère, moins chers, moins chères, meilleur marché; más barato, más barata, más baratos, más baratas, más económico, más económicos; mais barato, mais barata, mais baratos, mais baratas, mais em conta",
	"price>: more expensive, pricier, higher end, more premium; teurer, teurere, hochwertigere; plus cher, plus chère, plus chers; más caro, más cara, más caros, más caras; mais caro, mais cara, mais caros, mais caras",
	"totalTime<: faster, quicker, less time, speedier; schneller, schnellere, kürzer, kürzere; plus rapide, plus rapides; más rápido, más rápida, más rápidos, más rápidas; mais rápido, mais rápida, mais rápidos, mais rápidas",
	"totalTime>: slower; langsamer, langsamere",
	"datePublished>: newer, more recent, fresher; neuer, neuere, aktueller, aktuellere; plus récent, plus récents, plus récente, plus récentes; más nuevo, más nuevos, más nueva, más nuevas, más reciente, más recientes; mais novo, mais novos, mais nova, mais novas, mais recente, mais recentes",
	"datePublished<: older; älter, ältere; plus ancien, plus anciens, plus anciennes; más antiguo, más antiguos; mais antigo, mais antigos",
	"ratingValue>: better, better rated, higher rated, more popular; besser, bessere, besser bewertet, besser bewertete, beliebter; mieux noté, mieux notés, mieux notée, mieux notées, meilleur, meilleurs; mejor valorado, mejor valorados, mejor valoradas; mais bem avaliado, mais bem avaliados, melhor avaliado, melhor avaliados",
	"proteinContent>: more protein, higher protein, higher in protein; mehr protein, mehr eiweiß; plus de protéines; más proteína, más proteínas; mais proteína, mais proteínas",
	"calories<: fewer calories, less calories, lower calorie, lower in calories; weniger kalorien; moins de calories, moins calorique, moins caloriques; menos calorías; menos calorias",
	"carbohydrateContent<: fewer carbs, less carbs, lower carb; weniger kohlenhydrate; moins de glucides; menos carbohidratos; menos carboidratos",
	"sugarContent<: less sugar, lower sugar; weniger zucker; moins de sucre; menos azúcar; menos açúcar",
	"fatContent<: less fat, lower fat; weniger fett; moins de gras, moins de matières grasses; menos grasa; menos gordura",
	"sodiumContent<: less salt, less sodium, lower sodium; weniger salz; moins de sel; menos sal; menos sódio",
	"fiberContent>: more fiber, more fibre, higher fiber; mehr ballaststoffe; plus de fibres; más fibra; mais fibra",
)

// than makes a limit of a comparing word: "cheaper than $50".
var than = phrases("than, als, que, do que, de")

type compare struct {
	words string // folded, with a blank at both ends
	slot  facets.Slot
	down  bool
}

func compared(lines ...string) (all []compare) {
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, ":")
		slot, down := facets.Slot(strings.TrimRight(name, "<>")), strings.HasSuffix(name, ">")
		for _, phrase := range phrases(strings.ReplaceAll(rest, ";", ",")) {
			all = append(all, compare{" " + phrase + " ", slot, down})
		}
	}
	return all
}

// slotNames are words for what may no longer matter, and releases how that is said, with % for the name.
var (
	slotNames = map[facets.Slot][]string{
		facets.Price: phrases("price, budget, cost, preis, prix, precio, preço"), facets.Color: phrases("color, colour, farbe, couleur, cor"),
		facets.Brand: phrases("brand, marke, marque, marca"), facets.TotalTime: phrases("time, duration, zeit, dauer, durée, tiempo, tempo"),
		facets.Rating: phrases("rating, ratings, bewertung, note, valoración, avaliação"), facets.Diet: phrases("diet, ernährung, régime, dieta"),
		facets.Size: phrases("size, größe, taille, talla, tamanho"), facets.Location: phrases("place, location, city, ort, lieu, lugar, local"),
		facets.Material: phrases("material, matière"), facets.Category: phrases("category, kategorie, catégorie, categoría, categoria"),
		facets.Cuisine: phrases("cuisine, küche, cocina, cozinha"), facets.Start: phrases("date, day, datum, tag, jour, fecha, día, data, dia"),
	}
	releases = frames(
		"any %, % does not matter, % doesn't matter, no matter the %, whatever the %, regardless of %, regardless of the %, ignore the %, forget the %",
		"egal welche %, egal welcher %, egal welches %, % egal, % ist egal, jede %, jeder %, unabhängig vom %, peu importe le %, peu importe l %, quel que soit le %, quelle que soit la %, peu importe la %, n'importe quel %, n'importe quelle %",
		"da igual el %, da igual la %, no importa el %, no importa la %, cualquier %, sin importar el %, sin importar la %, qualquer %, não importa o %, não importa a %",
	)
)

// frames are phrases with a place for a name.
func frames(lines ...string) (all []string) {
	for _, line := range lines {
		for frame := range strings.SplitSeq(line, ",") {
			before, after, _ := strings.Cut(frame, "%")
			all = append(all, strings.TrimSpace(facets.Fold(before)+" % "+facets.Fold(after)))
		}
	}
	return all
}
