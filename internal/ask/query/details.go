package query

import (
	"strings"

	"frontdesk/internal/content/facets"
)

// detailNouns are words for what items say of themselves, folded, as questions for a detail of one item name it in any of our
// languages. Words that mean much else are not among them.
var detailNouns = func() map[string]facets.Slot {
	nouns := map[string]facets.Slot{}
	for slot, words := range map[facets.Slot]string{
		facets.Calories:     "calories, calorie count, kcal, kilocalories, kalorien, calorías, calorias, énergie",
		facets.Protein:      "protein, proteins, grams of protein, eiweiß, proteine, protéines, proteínas, proteína",
		facets.Fat:          "fat, grams of fat, fett, matières grasses, lipides, grasa, grasas, gordura, gorduras",
		facets.Carbohydrate: "carbs, carbohydrates, grams of carbs, kohlenhydrate, glucides, carbohidratos, hidratos, hidratos de carbono, carboidratos",
		facets.Sugar:        "sugar, grams of sugar, zucker, sucre, sucres, azúcar, açúcar", facets.Fiber: "fiber, fibre, ballaststoffe, fibres, fibra, fibras",
		facets.Sodium: "sodium, salt, natrium, salz, sel, sodio, sal, sódio",
		facets.Ingredient: "ingredients, ingredient list, list of ingredients, zutaten, zutatenliste, ingrédients, liste des ingrédients, ingredientes, " +
			"lista de ingredientes",
		facets.Yield:     "servings, portions, portionen, parts, personnes, personen, porciones, raciones, porções, personas, pessoas, people",
		facets.Price:     "price, cost, asking price, preis, prix, tarif, precio, coste, preço, custo, ticket price, entry fee, eintritt, eintrittspreis",
		facets.Rating:    "rating, ratings, score, average rating, bewertung, bewertungen, note, évaluation, valoración, puntuación, calificación, nota, avaliação, classificação, stars, sterne, étoiles, estrellas, estrelas",
		facets.Ratings:   "reviews, number of reviews, number of ratings, rezensionen, avis, reseñas, opiniones, comentários",
		facets.TotalTime: "total time, zubereitungszeit, gesamtzeit, temps total, tiempo total, tempo total",
		facets.PrepTime:  "prep time, preparation time, vorbereitungszeit, temps de préparation, tiempo de preparación, tempo de preparo, tempo de preparação",
		facets.CookTime:  "cook time, cooking time, baking time, kochzeit, backzeit, garzeit, temps de cuisson, tiempo de cocción, tempo de cozimento, tempo de cozedura",
		facets.Duration:  "duration, length, running time, runtime, dauer, länge, spieldauer, durée, duración, duração",
		facets.Start:     "date, start date, start time, datum, termin, beginn, date de début, fecha, fecha de inicio, data, data de início",
		facets.End:       "end date, end time, ende, enddatum, date de fin, fecha de fin, data de término",
		facets.Location:  "location, venue, address, ort, veranstaltungsort, adresse, lieu, lugar, ubicación, dirección, local, endereço",
		facets.Author:    "author, authors, writer, autor, autorin, verfasser, auteur, autrice, autora, escritor", "publisher": "publisher, verlag, éditeur, editorial, editora",
		facets.Published: "publication date, release date, publishing date, erscheinungsdatum, date de publication, fecha de publicación, data de publicação",
		facets.Brand:     "brand, manufacturer, maker, marke, hersteller, marque, fabricant, marca, fabricante",
		facets.Color:     "color, colour, colors, colours, farbe, farben, couleur, couleurs, colores, cor, cores",
		facets.Material:  "material, materials, materialien, matière, matériau, matériaux, materiales, materiais", facets.Size: "size, sizes, größe, größen, taille, tailles, talla, tallas, tamaño, tamanho",
		facets.Category: "category, categories, kategorie, kategorien, catégorie, catégories, categoría, categoria", "genre": "genre, genres, género, gênero",
		facets.Cuisine: "cuisine, küche, cocina, cozinha", facets.Language: "language, sprache, langue, idioma, língua",
		facets.Diet: "diet, diets, dietary information, ernährungsform, régime, régimes, dieta, dietas", facets.Allergens: "allergens, allergene, allergènes, alérgenos, alergénicos, alergênicos",
		facets.Availability: "availability, verfügbarkeit, disponibilité, disponibilidad, disponibilidade",
		facets.Employment:   "employment type, type of employment, anstellungsart, type de contrat, tipo de contrato, tipo de empleo",
		salary:              "salary, pay, wage, wages, gehalt, lohn, salaire, salario, sueldo, salário", deadline: "deadline, closing date, application deadline, bewerbungsschluss, bewerbungsfrist, date limite, fecha límite, prazo, data limite",
		"weight": "weight, gewicht, poids, peso", "width": "width, breite, largeur, anchura, ancho, largura", "height": "height, höhe, hauteur, altura, alto", "depth": "depth, tiefe, profondeur, profundidad, profundidade",
		"numberOfPages": "pages, number of pages, page count, seiten, seitenzahl, nombre de pages, páginas, número de páginas",
		"organizer":     "organizer, organiser, host, veranstalter, organisateur, organizador", "director": "director, regisseur, réalisateur, realizador, diretor",
		"instructor": "instructor, teacher, lehrer, kursleiter, formateur, instrutor, profesor", "performer": "performer, performers, artist, artists, künstler, artiste, artistes, artista, artistas",
		"hiringOrganization": "employer, company, arbeitgeber, employeur, empleador, empregador",
	} {
		for _, word := range phrases(words) {
			nouns[word] = slot
		}
	}
	return nouns
}()

// longestNoun is how many words of detailNouns there are at most.
const longestNoun = 4

var (
	// askers stand before such a noun, and says that it is asked for.
	askers = wordSet(`what whats which how many much is are the tell me us do you know can could show give please i would like to does did see its list
		was ist sind welche welchen welcher welches wie viele viel wieviele wieviel nenne nenn mir sag zeig zeige der die das den dem hat gibt es kannst du sagen
		quel quels quelle quelles est sont c que qu y a t il combien de d dis moi donne le la les l du des un une
		cuál cuáles es son qué cuánto cuánta cuántos cuántas dime dame muéstrame el los las tiene hay cual
		qual quais é são quanto quanta quantos quantas diga me mostre o os as tem há para por pour für`)
	// ofWords lead from the noun to the item.
	ofWords = wordSet("of for in from von vom der des im für de du des d dans pour del en para do da dos das no na")
	// hasWords do, too, where words before the noun ask.
	hasWords = wordSet(`does do is are has have are there in did contain contains makes make yields
		hat haben ist sind steckt stecken enthält enthalten ergibt ergeben
		a ont est sont contient contiennent possède fait donne y il elle t
		tiene tienen es son contiene contienen hay rinde da
		tem têm é são contém rende serve leva`)
	// lastWords may end the question behind the item.
	lastWords = wordSet(`have has had make makes yield yields contain contains serve serves feed feeds written in of there again come made exactly got cost
		hat haben enthält ergibt kostet reicht a contient sert tiene tienen contiene rinde tem têm contém rende`)
)

// readNoun reads a question that names a detail and the item: "ingredients of X", "what rating has X", "wie viele Kalorien hat X".
func (r *reader) readNoun(from, last int) bool {
	i := from
	for i < last && i < from+6 && askers[r.word(i)] && r.nounAt(i, last) == 0 {
		i++
	}
	n := r.nounAt(i, last)
	if n == 0 {
		return false
	}
	slot, k := detailNouns[r.phrase(i, i+n)], i+n
	linked := false
	for k < last && k < i+n+4 && !r.tokens[k].stop && !r.tokens[k].comma {
		word := r.word(k)
		if ofWords[word] || i > from && hasWords[word] {
			linked, k = true, k+1
			continue
		}
		break
	}
	if !linked || k >= last {
		return false
	}
	end := last
	for end > k+1 && lastWords[r.word(end-1)] {
		end--
	}
	name := r.name(k, end)
	return r.isName(name, k) && r.tell(name, slot, "")
}

// nounAt says how many tokens at i name a detail; 0 when they name none.
func (r *reader) nounAt(i, last int) int {
	for n := min(longestNoun, last-i); n > 0; n-- {
		if _, ok := detailNouns[r.phrase(i, i+n)]; ok && r.together(i, i+n) {
			return n
		}
	}
	return 0
}

// predicates are what can be asked of an item beside diets: "is X free", "is X remote". Each has the slot that answers and what
// is supposed of it.
func (r *reader) predicate(i, last int) (slot facets.Slot, supposed string, ok bool) {
	phrase := r.phrase(i, last)
	if name, is := facets.EmploymentOf(phrase); is {
		return facets.Employment, name, true
	}
	if facets.IsRemote(phrase) {
		return facets.Workplace, facets.Remote, true
	}
	if s, n := r.match(i, roleGratis); n > 0 && i+n == last && s.role == roleGratis || phrase == "free" && !r.without(i) {
		return facets.Price, "free", true
	}
	if s, n := r.match(i, roleDiet); n > 0 && i+n == last {
		return facets.Diet, s.arg, true
	}
	for _, role := range []role{roleStock, roleOut} {
		if _, n := r.match(i, role); n > 0 && i+n == last {
			return facets.Availability, "", true
		}
	}
	return "", "", false
}

// without says whether "free" at i tells what something is without: "BPA free".
func (r *reader) without(i int) bool {
	word := r.word(i - 1)
	_, class := facets.Class(word)
	_, diet := facets.DietOf(word + " free")
	return class || diet || freedoms[word] || r.tokens[i].glued && r.tokens[i].dash
}

// copulas are the words between an item and what is asked of it where the item stands first: "X est-il végan", "X es vegano".
var copulas = wordSet("is are ist sind est sont es son é são")

// readStated reads a question that is worded like a statement and ends in what is asked of an item: "X est-il végan ?".
func (r *reader) readStated(from, last int) bool {
	if !strings.ContainsAny(r.text, "?？") {
		return false
	}
	for i := from + 1; i+1 < last; i++ {
		if !copulas[r.word(i)] {
			continue
		}
		k := i + 1
		for k < last && (r.word(k) == "il" || r.word(k) == "elle" || r.word(k) == "t" || r.word(k) == "ils" || r.word(k) == "elles") {
			k++
		}
		if k >= last || relatives[r.word(i-1)] {
			return false
		}
		if slot, supposed, ok := r.predicate(k, last); ok {
			name := r.name(from, i)
			return r.isName(name, from) && !r.has(from, roleCourtesy) && r.tell(name, slot, supposed)
		}
	}
	return false
}

// relatives are words behind which a predicate is a wish: "a cake that is vegan".
var relatives = wordSet("that which who what die das der qui que quien o")
