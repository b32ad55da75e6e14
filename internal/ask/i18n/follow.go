package i18n

// What is said when a question goes on with others.
var (
	NoMore = in("no_more", "There is nothing more that fits. Ask for something else, or leave out a condition.",
		"Mehr gibt es dazu nicht. Frag nach etwas anderem, oder lass eine Bedingung weg.",
		"Il n'y a rien de plus qui corresponde. Demandez autre chose, ou retirez une condition.",
		"No hay nada más que encaje. Pregunta por otra cosa o quita una condición.",
		"Não há mais nada que corresponda. Pergunte por outra coisa ou retire uma condição.",
		"これ以上は見つかりません。別の質問をするか、条件を減らしてください。")
	// NoSuchPlace has the number of items that were shown.
	NoSuchPlace = in("no_such_place", "There is no such item: the answer before had %d. Name the one that is meant.",
		"Den Eintrag gibt es nicht: Die Antwort davor hatte %d. Nenne den gemeinten beim Namen.",
		"Cet élément n'existe pas : la réponse précédente en comptait %d. Nommez celui dont il s'agit.",
		"No hay tal resultado: la respuesta anterior tenía %d. Nombra el que quieres decir.",
		"Esse item não existe: a resposta anterior tinha %d. Diga o nome do que pretende.",
		"その項目はありません。前の回答は%d件でした。名前を指定してください。")
)
