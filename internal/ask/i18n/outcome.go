package i18n

// What is said when there is no answer, or not the whole of it. In places go names of types or of sites.
var (
	NoneOfType = in("none_of_type", "Nothing here of type %s matches that question. Try other words, or leave out the type.",
		"Dazu gibt es hier nichts der Art %s. Versuchen Sie andere Worte, oder lassen Sie die Art weg.",
		"Rien ici du type %s ne correspond à cette question. Essayez d’autres mots, ou retirez le type.",
		"Aquí nada del tipo %s responde a esa pregunta. Prueba con otras palabras o quita el tipo.",
		"Nada aqui do tipo %s corresponde a essa pergunta. Tente outras palavras ou retire o tipo.",
		"種類「%s」には該当するものがありません。別の言葉を使うか、種類の指定を外してください。")
	NoneOnSite = in("none_on_site", "Nothing on %s matches that question. Try other words, or ask all sites.",
		"Auf %s gibt es dazu nichts. Versuchen Sie andere Worte, oder fragen Sie alle Sites.",
		"Rien sur %s ne correspond à cette question. Essayez d’autres mots, ou demandez à tous les sites.",
		"En %s nada responde a esa pregunta. Prueba con otras palabras o pregunta a todos los sitios.",
		"Nada em %s corresponde a essa pergunta. Tente outras palavras ou pergunte a todos os sites.",
		"%sには該当するものがありません。別の言葉を使うか、すべてのサイトで検索してください。")
	None = in("none", "Nothing here matches that question. Try other words.",
		"Dazu gibt es hier nichts. Versuchen Sie andere Worte.",
		"Rien ici ne correspond à cette question. Essayez d’autres mots.",
		"Aquí nada responde a esa pregunta. Prueba con otras palabras.",
		"Nada aqui corresponde a essa pergunta. Tente outras palavras.",
		"該当するものがありません。別の言葉でお試しください。")
	// FoundSoFar has how many items were found, of how many, and the name of the last.
	FoundSoFar = in("found_so_far", "%d of %d: %s", "%d von %d: %s", "%d sur %d : %s", "%d de %d: %s", "%d de %d: %s", "%[2]d件中%[1]d件：%[3]s")
	// Partial has how many results were ready.
	Partial = in("partial", "the time allowed ran out before the answer was ready; these %d results were",
		"Die Zeit reichte nicht für die ganze Antwort; diese %d Ergebnisse waren fertig.",
		"Le temps imparti n’a pas suffi pour toute la réponse ; ces %d résultats étaient prêts.",
		"El tiempo no bastó para toda la respuesta; estos %d resultados estaban listos.",
		"O tempo não chegou para a resposta inteira; estes %d resultados estavam prontos.",
		"時間内に回答がすべてはそろいませんでした。ここまでの%d件を表示しています。")
)

// What is said in place of an answer when something went wrong that is no fault of the request's. In English the failure's
// own words say more.
var (
	TooSlow = in("too_slow", "That took longer than it may. Try again, or ask for less.",
		"Das hat länger gedauert, als es darf. Versuchen Sie es noch einmal, oder fragen Sie nach weniger.",
		"Cela a pris plus de temps que permis. Réessayez, ou demandez moins.",
		"Ha tardado más de lo permitido. Vuelve a intentarlo o pide menos.",
		"Demorou mais do que o permitido. Tente de novo ou peça menos.",
		"時間がかかりすぎました。もう一度お試しになるか、条件を絞ってください。")
	TooMany = in("too_many", "Too many questions at once. Wait a moment and try again.",
		"Zu viele Fragen auf einmal. Bitte warten Sie einen Moment und versuchen Sie es noch einmal.",
		"Trop de questions à la fois. Attendez un instant et réessayez.",
		"Demasiadas preguntas a la vez. Espera un momento y vuelve a intentarlo.",
		"Demasiadas perguntas de uma vez. Espere um momento e tente de novo.",
		"質問が集中しています。しばらくしてからお試しください。")
	NotNow = in("not_now", "No answer can be given at the moment. Wait a moment and try again.",
		"Im Moment ist keine Antwort möglich. Bitte warten Sie kurz und versuchen Sie es noch einmal.",
		"Aucune réponse n’est possible pour le moment. Attendez un instant et réessayez.",
		"En este momento no se puede responder. Espera un momento y vuelve a intentarlo.",
		"De momento não é possível responder. Espere um momento e tente de novo.",
		"現在回答できません。しばらくしてからお試しください。")
	TakenBack = in("taken_back", "The question was taken back; ask it again for an answer.",
		"Die Frage wurde zurückgenommen; stellen Sie sie noch einmal, wenn Sie eine Antwort möchten.",
		"La question a été retirée ; posez-la de nouveau pour avoir une réponse.",
		"La pregunta se retiró; hazla de nuevo para tener respuesta.",
		"A pergunta foi retirada; faça-a de novo para ter resposta.",
		"質問は取り消されました。回答が必要な場合はもう一度質問してください。")
	NoPromise = in("no_promise", "There is no promise of that token: it is mistyped, too old, or somebody else's. Ask the question again.",
		"Zu diesem Token wartet keine Antwort: Er ist vertippt, zu alt oder gehört jemand anderem. Stellen Sie die Frage noch einmal.",
		"Aucune réponse n’attend pour ce jeton : il est mal saisi, trop ancien, ou à quelqu’un d’autre. Posez de nouveau la question.",
		"No hay respuesta pendiente para ese token: está mal escrito, es demasiado antiguo o es de otra persona. Haz la pregunta de nuevo.",
		"Não há resposta à espera para esse token: está mal escrito, é antigo demais ou é de outra pessoa. Faça a pergunta de novo.",
		"このトークンの回答はありません。入力の誤りか、期限切れか、別の方のものです。もう一度質問してください。")
	WentWrong = in("went_wrong", "Something went wrong here. Try again.",
		"Hier ist etwas schiefgegangen. Versuchen Sie es noch einmal.",
		"Une erreur s’est produite ici. Réessayez.",
		"Aquí algo ha fallado. Vuelve a intentarlo.",
		"Algo correu mal aqui. Tente de novo.",
		"こちらで問題が発生しました。もう一度お試しください。")
	QuestionTooLong = in("question_too_long", "The question is too long. Ask it in fewer words.",
		"Die Frage ist zu lang. Stellen Sie sie in weniger Worten.",
		"La question est trop longue. Posez-la en moins de mots.",
		"La pregunta es demasiado larga. Hazla con menos palabras.",
		"A pergunta é longa demais. Faça-a com menos palavras.",
		"質問が長すぎます。短くしてお試しください。")
)
