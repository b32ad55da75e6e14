package i18n

// What is said while an answer is promised (NLWeb 0.55 §4.1.2).
var (
	PromiseWaiting = in("promise_waiting", "Your question waits for its turn.", "Ihre Frage wartet, bis sie an der Reihe ist.",
		"Votre question attend son tour.", "Su pregunta espera su turno.", "A sua pergunta aguarda a sua vez.", "ご質問は順番を待っています。")
	PromiseWorking = in("promise_working", "The answer is being worked on.", "An der Antwort wird gearbeitet.",
		"La réponse est en préparation.", "Se está preparando la respuesta.", "A resposta está a ser preparada.", "回答を準備しています。")
	PromiseReading = in("promise_reading", "The site is being read again.", "Die Website wird noch einmal gelesen.",
		"Le site est en cours de relecture.", "Se está volviendo a leer el sitio.", "O site está a ser lido novamente.", "サイトを読み直しています。")
	PromiseReadPages = in("promise_read_pages", "The site is being read again: %d pages so far.", "Die Website wird noch einmal gelesen: bisher %d Seiten.",
		"Le site est en cours de relecture : %d pages jusqu’ici.", "Se está volviendo a leer el sitio: %d páginas hasta ahora.",
		"O site está a ser lido novamente: %d páginas até agora.", "サイトを読み直しています（これまで%dページ）。")
	PromiseCounting = in("promise_counting", "Everything that matches is being counted.", "Alles, was passt, wird gezählt.",
		"Tout ce qui correspond est en train d’être compté.", "Se está contando todo lo que coincide.", "Tudo o que corresponde está a ser contado.",
		"該当するものをすべて数えています。")
	PromiseAgain = in("promise_again", "The terms of this site have changed; the answer is being made anew.",
		"Die Regeln dieser Website haben sich geändert; die Antwort wird neu erstellt.", "Les conditions de ce site ont changé ; la réponse est refaite.",
		"Las condiciones de este sitio han cambiado; la respuesta se está rehaciendo.", "As condições deste site mudaram; a resposta está a ser refeita.",
		"このサイトの条件が変わったため、回答を作り直しています。")
)

// What a report says in words.
var (
	ReportItems = in("report_items", "%d items match: %s.", "%d Einträge passen: %s.", "%d éléments correspondent : %s.", "%d elementos coinciden: %s.",
		"%d itens correspondem: %s.", "該当するものは%d件です（%s）。")
	ReportPrices = in("report_prices", "%d tell a price: from %s to %s, half of them at most %s.", "%d nennen einen Preis: von %s bis %s, die Hälfte höchstens %s.",
		"%d indiquent un prix : de %s à %s, la moitié au plus %s.", "%d indican un precio: de %s a %s, la mitad como máximo %s.",
		"%d indicam um preço: de %s a %s, metade no máximo %s.", "価格があるものは%d件で、%sから%s、半数は%s以下です。")
	ReportRatings = in("report_ratings", "%d are rated: from %s to %s, half of them at most %s.", "%d sind bewertet: von %s bis %s, die Hälfte höchstens %s.",
		"%d sont notés : de %s à %s, la moitié au plus %s.", "%d tienen valoración: de %s a %s, la mitad como máximo %s.",
		"%d têm avaliação: de %s a %s, metade no máximo %s.", "評価があるものは%d件で、%sから%s、半数は%s以下です。")
)
