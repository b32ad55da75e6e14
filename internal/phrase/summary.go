package phrase

// The first sentence of a summary: how many items there are, of which types, and the range of their figures.
var (
	// SummaryKinds has a number and types with theirs; in English a summary has the types' words instead.
	SummaryKinds = in("summary_kinds", "%d items: %s", "%d Einträge: %s", "%d éléments : %s", "%d elementos: %s", "%d itens: %s", "%d件（%s）")
	SummaryKind  = in("summary_kind", "1 item: %s", "1 Eintrag: %s", "1 élément : %s", "1 elemento: %s", "1 item: %s", "1件（%s）")
	SummaryTime  = in("summary_time", "ready in %s", "fertig in %s", "prêt en %s", "listo en %s", "pronto em %s", "所要時間%s")
	SummaryPrice = in("summary_price", "priced %s", "Preis %s", "prix %s", "precio %s", "preço %s", "価格%s")
	SummaryRated = in("summary_rated", "rated %s", "Bewertung %s", "note %s", "valoración %s", "avaliação %s", "評価%s")
	SummaryOn    = in("summary_on", "on %s", "am %s", "le %s", "el %s", "em %s", "%s")
	SummaryFrom  = in("summary_from", "from %s to %s", "vom %s bis %s", "du %s au %s", "del %s al %s", "de %s a %s", "%sから%sまで")
	To           = in("range", "%s to %s", "%s bis %s", "%s à %s", "%s a %s", "%s a %s", "%s〜%s")
)

// What is said when nothing fits. The place is the types, or the sites, that were asked for.
var (
	NothingFits = in("nothing_fits", "Nothing here matches that question. Try other words.", "Nichts hier passt zu dieser Frage. Versuchen Sie es mit anderen Worten.",
		"Rien ici ne correspond à cette question. Essayez avec d’autres mots.", "Nada aquí coincide con esa pregunta. Pruebe con otras palabras.",
		"Nada aqui corresponde a essa pergunta. Tente outras palavras.", "該当するものが見つかりません。別の言葉でお試しください。")
	NothingOfType = in("nothing_of_type", "Nothing here of type %s matches that question. Try other words, or leave out the type.",
		"Nichts hier vom Typ %s passt zu dieser Frage. Versuchen Sie es mit anderen Worten oder ohne den Typ.",
		"Rien ici du type %s ne correspond à cette question. Essayez avec d’autres mots ou sans le type.",
		"Nada aquí del tipo %s coincide con esa pregunta. Pruebe con otras palabras o sin el tipo.",
		"Nada aqui do tipo %s corresponde a essa pergunta. Tente outras palavras ou sem o tipo.",
		"種類%sで該当するものが見つかりません。別の言葉にするか、種類を外してお試しください。")
	NothingOnSite = in("nothing_on_site", "Nothing on %s matches that question. Try other words, or ask all sites.",
		"Nichts auf %s passt zu dieser Frage. Versuchen Sie es mit anderen Worten, oder fragen Sie alle Sites.",
		"Rien sur %s ne correspond à cette question. Essayez avec d’autres mots ou interrogez tous les sites.",
		"Nada en %s coincide con esa pregunta. Pruebe con otras palabras o pregunte en todos los sitios.",
		"Nada em %s corresponde a essa pergunta. Tente outras palavras ou pergunte em todos os sites.",
		"%sには該当するものが見つかりません。別の言葉にするか、すべてのサイトでお試しください。")
)
