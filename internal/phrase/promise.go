package phrase

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
