package i18n

import "strings"

// page is before the key of every text of the page on which people ask.
const page = "page."

// PageTypes gives the words for types of the vocabulary, each by its name.
func (s Speaker) PageTypes() map[string]string { return s.types() }

// Page gives the texts of the page on which people ask, by name, with their places as they are: its script fills them in.
func (s Speaker) Page() map[string]string {
	said := map[string]string{
		"no_preference": s.Say(NoPreference), "quoted": s.Say(Quotes), "then": s.Say(Then), "yes": s.Say(Yes), "no": s.Say(No),
	}
	for key, text := range texts {
		if name, ok := strings.CutPrefix(key, page); ok {
			said[name] = text[s.tongue]
		}
	}
	return said
}

func init() {
	for name, said := range map[string][6]string{
		// The form.
		"headline":    {"What would you like to know?", "Was möchten Sie wissen?", "Que voulez-vous savoir ?", "¿Qué quieres saber?", "O que quer saber?", "何をお探しですか？"},
		"question":    {"Your question", "Ihre Frage", "Votre question", "Tu pregunta", "A sua pergunta", "ご質問"},
		"placeholder": {"Ask in your own words…", "In eigenen Worten …", "Avec vos propres mots…", "Con tus palabras…", "Com as suas palavras…", "自由にご質問ください…"},
		"key":         {"Press / to come back to the box", "Mit / zurück zum Feld", "Appuyez sur / pour revenir au champ", "Pulsa / para volver al campo", "Prima / para voltar à caixa", "/ キーで入力欄に戻ります"},
		"ask":         {"Ask", "Fragen", "Demander", "Preguntar", "Perguntar", "質問する"},
		"skip":        {"Skip to the answers", "Zu den Antworten", "Aller aux réponses", "Ir a las respuestas", "Ir para as respostas", "回答へ移動"},
		"from":        {"from", "von", "de", "de", "de", "サイト"},
		"site":        {"Site", "Site", "Site", "Sitio", "Site", "サイト"},
		"every_site":  {"every site", "allen Sites", "tous les sites", "todos los sitios", "todos os sites", "すべて"},
		"about":       {"about", "über", "sur", "sobre", "sobre", "種類"},
		"type":        {"Type", "Art", "Type", "Tipo", "Tipo", "種類"},
		"anything":    {"anything", "alles", "tout", "todo", "tudo", "すべて"},
		"summary":     {"with a summary", "mit Zusammenfassung", "avec un résumé", "con un resumen", "com um resumo", "要約つき"},
		"describe":    {"Ask %s a question in your own words.", "Fragen Sie %s in eigenen Worten.", "Posez une question à %s avec vos propres mots.", "Pregunta a %s con tus palabras.", "Pergunte a %s com as suas palavras.", "%sに自由に質問できます。"},
		"examples":    {"Questions to begin with", "Fragen für den Anfang", "Des questions pour commencer", "Preguntas para empezar", "Perguntas para começar", "質問の例"},
		"no_script": {
			"Answers appear here with the help of JavaScript, which is switched off. The desk speaks plain HTTP too:",
			"Antworten erscheinen hier mithilfe von JavaScript, das ausgeschaltet ist. Man kann auch über HTTP fragen:",
			"Les réponses s’affichent ici grâce à JavaScript, qui est désactivé. On peut aussi demander en HTTP :",
			"Las respuestas aparecen aquí con JavaScript, que está desactivado. También se puede preguntar por HTTP:",
			"As respostas aparecem aqui com JavaScript, que está desligado. Também se pode perguntar por HTTP:",
			"回答の表示にはJavaScriptが必要です。HTTPでも質問できます：",
		},
		"foot": {
			"Answered by ranking what these sites publish, by their owner’s terms.", "Beantwortet aus dem, was diese Sites veröffentlichen, nach den Regeln ihres Betreibers.",
			"Les réponses viennent de ce que publient ces sites, selon les règles de leur propriétaire.", "Se responde con lo que publican estos sitios, según las reglas de su dueño.",
			"Responde-se com o que estes sites publicam, segundo as regras do dono.", "各サイトの公開情報から、運営者の条件に従ってお答えします。",
		},
		"programs": {"Programs ask at", "Programme fragen unter", "Les programmes demandent à", "Los programas preguntan en", "Os programas perguntam em", "プログラムからの質問先："},

		// The answers.
		"answers":      {"Answers", "Antworten", "Réponses", "Respuestas", "Respostas", "回答"},
		"asking":       {"Asking…", "Wird gefragt …", "En cours…", "Preguntando…", "A perguntar…", "検索中…"},
		"count_one":    {"%s answer", "%s Antwort", "%s réponse", "%s respuesta", "%s resposta", "%s件"},
		"count_other":  {"%s answers", "%s Antworten", "%s réponses", "%s respuestas", "%s respostas", "%s件"},
		"so_far":       {"%s so far…", "%s bisher …", "%s jusqu’ici…", "%s hasta ahora…", "%s até agora…", "ここまで%s…"},
		"at_desk":      {"%s at the desk", "%s am Server", "%s au serveur", "%s en el servidor", "%s no servidor", "サーバー%s"},
		"in_all":       {"%s in all", "%s insgesamt", "%s en tout", "%s en total", "%s no total", "合計%s"},
		"more":         {"Show more", "Mehr zeigen", "En voir plus", "Ver más", "Ver mais", "もっと見る"},
		"in_short":     {"In short", "Kurz gesagt", "En bref", "En resumen", "Em resumo", "要約"},
		"summary_name": {"Summary", "Zusammenfassung", "Résumé", "Resumen", "Resumo", "要約"},
		"extractive": {
			"Extractive: sentences taken from the answers themselves, nothing added.", "Sätze aus den Antworten selbst, nichts hinzugefügt.",
			"Phrases tirées des réponses elles-mêmes, sans rien ajouter.", "Frases tomadas de las propias respuestas, sin añadir nada.",
			"Frases tiradas das próprias respostas, sem acrescentos.", "回答の文をそのまま抜き出したものです。",
		},
		"abstractive": {
			"Written by a model from the answers below; it may be wrong.", "Von einem Modell aus den Antworten geschrieben; es kann irren.",
			"Rédigé par un modèle à partir des réponses ; il peut se tromper.", "Escrito por un modelo a partir de las respuestas; puede equivocarse.",
			"Escrito por um modelo a partir das respostas; pode errar.", "回答をもとにモデルが作成したもので、誤りを含むことがあります。",
		},
		"licensed":       {"Licensed, excerpt only", "Lizenzpflichtig, nur Auszug", "Sous licence, extrait seulement", "Con licencia, solo un extracto", "Com licença, só um excerto", "要ライセンス（抜粋）"},
		"licensed_title": {"The whole text is for those who have a licence", "Der ganze Text ist für alle mit Lizenz", "Le texte entier est réservé aux titulaires d’une licence", "El texto entero es para quien tiene licencia", "O texto inteiro é para quem tem licença", "全文はライセンスをお持ちの方のみ"},
		"no_name":        {"Without a name", "Ohne Namen", "Sans nom", "Sin nombre", "Sem nome", "名称なし"},
		"takes":          {"Takes %s", "Dauert %s", "Durée : %s", "Tarda %s", "Demora %s", "所要時間%s"},
		"by":             {"By %s", "Von %s", "Par %s", "Por %s", "Por %s", "著者：%s"},
		"days":           {"%s d", "%s T", "%s j", "%s d", "%s d", "%s日"},
		"hours":          {"%s h", "%s h", "%s h", "%s h", "%s h", "%s時間"},
		"minutes":        {"%s min", "%s min", "%s min", "%s min", "%s min", "%s分"},
		"seconds":        {"%s s", "%s s", "%s s", "%s s", "%s s", "%s秒"},
		"rated":          {"Rated %s of %s", "Bewertet mit %s von %s", "Noté %s sur %s", "Valorado con %s de %s", "Avaliado com %s de %s", "評価%s／%s"},
		"ratings_one":    {"%s rating", "%s Bewertung", "%s avis", "%s valoración", "%s avaliação", "%s件の評価"},
		"ratings_other":  {"%s ratings", "%s Bewertungen", "%s avis", "%s valoraciones", "%s avaliações", "%s件の評価"},
		"suitable":       {"Suitable for", "Geeignet für", "Convient à", "Apto para", "Próprio para", "対応"},
		"fits":           {"Fits %s of 100", "Passt zu %s von 100", "Correspond à %s sur 100", "Encaja %s de 100", "Corresponde %s de 100", "適合度%s／100"},
		"free":           {"Free", "Kostenlos", "Gratuit", "Gratis", "Grátis", "無料"},
		"in_stock":       {"In stock", "Auf Lager", "En stock", "En existencias", "Em stock", "在庫あり"},
		"in_store":       {"In the store only", "Nur im Laden", "En magasin seulement", "Solo en tienda", "Só na loja", "店頭のみ"},
		"online":         {"Online only", "Nur online", "En ligne seulement", "Solo en línea", "Só online", "オンラインのみ"},
		"few_left":       {"Only a few left", "Nur noch wenige", "Plus que quelques-uns", "Quedan pocos", "Restam poucos", "残りわずか"},
		"in_advance":     {"Can be ordered in advance", "Vorbestellbar", "En précommande", "Se puede reservar", "Em pré-venda", "予約受付中"},
		"presale":        {"In advance sale", "Im Vorverkauf", "En prévente", "En preventa", "Em venda antecipada", "先行販売中"},
		"back_order":     {"On back order", "Wird nachbestellt", "En réapprovisionnement", "Bajo pedido", "Sob encomenda", "取り寄せ"},
		"to_order":       {"Made to order", "Auf Bestellung gefertigt", "Fabriqué sur commande", "Hecho por encargo", "Feito por encomenda", "受注生産"},
		"sold_out":       {"Sold out", "Ausverkauft", "Épuisé", "Agotado", "Esgotado", "売り切れ"},
		"discontinued":   {"No longer made", "Nicht mehr hergestellt", "N’est plus fabriqué", "Ya no se fabrica", "Já não é fabricado", "生産終了"},

		// What was understood, and going on.
		"understood":  {"What was understood", "Was verstanden wurde", "Ce qui a été compris", "Lo que se ha entendido", "O que foi entendido", "理解した内容"},
		"take_away":   {"Take away: %s", "Entfernen: %s", "Retirer : %s", "Quitar: %s", "Retirar: %s", "取り消す：%s"},
		"read_as":     {"Read as: %s", "Gelesen als: %s", "Compris comme : %s", "Leído como: %s", "Lido como: %s", "次のように解釈しました：%s"},
		"corrected":   {"Showing answers for %s.", "Antworten zu %s.", "Réponses pour %s.", "Respuestas para %s.", "Respostas para %s.", "%sの結果を表示しています。"},
		"instead":     {"Ask for %s instead", "Stattdessen %s fragen", "Demander plutôt %s", "Preguntar por %s", "Perguntar por %s", "%sで検索する"},
		"relaxed":     {"Nothing has all of that. Left out: %s.", "Nichts erfüllt das alles. Weggelassen: %s.", "Rien ne remplit tout cela. Laissé de côté : %s.", "Nada cumple todo eso. Se ha dejado fuera: %s.", "Nada cumpre tudo isso. Ficou de fora: %s.", "すべてを満たすものがないため、次の条件を外しました：%s"},
		"sort":        {"Sort by", "Sortieren nach", "Trier par", "Ordenar por", "Ordenar por", "並べ替え"},
		"sort_fit":    {"best fit", "passt am besten", "pertinence", "relevancia", "relevância", "関連度"},
		"sort_low":    {"price, lowest first", "Preis, niedrigster zuerst", "prix croissant", "precio, de menor a mayor", "preço, do menor ao maior", "価格の安い順"},
		"sort_high":   {"price, highest first", "Preis, höchster zuerst", "prix décroissant", "precio, de mayor a menor", "preço, do maior ao menor", "価格の高い順"},
		"sort_rating": {"rating", "Bewertung", "note", "valoración", "avaliação", "評価の高い順"},
		"sort_newest": {"newest", "neueste", "plus récents", "más recientes", "mais recentes", "新しい順"},
		"sort_soon":   {"date, soonest first", "Datum, nächste zuerst", "date, les prochains d’abord", "fecha, lo más próximo primero", "data, os próximos primeiro", "日付の近い順"},
		"sort_time":   {"time, shortest first", "Dauer, kürzeste zuerst", "durée, les plus courts d’abord", "tiempo, lo más corto primero", "tempo, o mais curto primeiro", "所要時間の短い順"},
		"follow":      {"Go on from here", "Weiterfragen", "Poursuivre", "Seguir preguntando", "Continuar", "続けて質問"},
		"follow_hint": {"“cheaper ones”, “without nuts?”", "„nur vegan“, „und ohne Nüsse?“", "« moins cher », « sans noix ? »", "«más baratos», «¿sin nueces?»", "“mais baratos”, “sem nozes?”", "「安い順」「ナッツなしは？」"},
		"follow_ask":  {"Ask on", "Weiterfragen", "Demander", "Preguntar", "Perguntar", "質問する"},
		"thread":      {"This conversation", "Dieses Gespräch", "Cette conversation", "Esta conversación", "Esta conversa", "これまでの質問"},

		// Questions asked back.
		"more_known": {"The desk would like to know a little more.", "Ein paar Angaben fehlen noch.", "Il manque quelques précisions.", "Hacen falta algunos detalles.", "Faltam alguns detalhes.", "もう少し教えてください。"},
		"reply":      {"Answer", "Antworten", "Répondre", "Responder", "Responder", "回答する"},
		"pass":       {"Show answers without saying", "Antworten ohne Angaben zeigen", "Voir les réponses sans préciser", "Ver respuestas sin decirlo", "Ver respostas sem dizer", "指定せずに結果を見る"},
		"asked_back": {"%s questions for you: %s", "%s Fragen an Sie: %s", "%s questions pour vous : %s", "%s preguntas para ti: %s", "%s perguntas para si: %s", "%s件の質問があります：%s"},

		// When there is no answer.
		"no_answers":    {"No answers", "Keine Antworten", "Aucune réponse", "Sin respuestas", "Sem respostas", "回答なし"},
		"no_answer":     {"No answer", "Keine Antwort", "Pas de réponse", "Sin respuesta", "Sem resposta", "回答なし"},
		"incomplete":    {"The answer is not complete", "Die Antwort ist nicht vollständig", "La réponse n’est pas complète", "La respuesta no está completa", "A resposta não está completa", "回答が途中で終わりました"},
		"none":          {"Nothing here answers that", "Dazu gibt es hier nichts", "Rien ici ne répond à cela", "Aquí nada responde a eso", "Nada aqui responde a isso", "該当するものがありません"},
		"none_try":      {"Try other words.", "Versuchen Sie andere Worte.", "Essayez d’autres mots.", "Prueba con otras palabras.", "Tente outras palavras.", "別の言葉でお試しください。"},
		"busy":          {"Too many questions at once", "Zu viele Fragen auf einmal", "Trop de questions à la fois", "Demasiadas preguntas a la vez", "Demasiadas perguntas de uma vez", "質問が集中しています"},
		"promised":      {"The answer is being worked on.", "An der Antwort wird gearbeitet.", "La réponse est en préparation.", "Se está preparando la respuesta.", "A resposta está a ser preparada.", "回答を準備しています。"},
		"progress":      {"Progress", "Fortschritt", "Avancement", "Progreso", "Progresso", "進行状況"},
		"left":          {"About %s left.", "Noch etwa %s.", "Encore %s environ.", "Quedan unos %s.", "Faltam cerca de %s.", "残り約%s。"},
		"cancel":        {"Cancel", "Abbrechen", "Annuler", "Cancelar", "Cancelar", "中止"},
		"cancelled":     {"Cancelled", "Abgebrochen", "Annulé", "Cancelado", "Cancelado", "中止しました"},
		"cancelled_try": {"The work has ended, and there will be no answer. Ask again if you want one.", "Die Arbeit ist beendet, es kommt keine Antwort. Fragen Sie noch einmal, wenn Sie eine möchten.", "Le travail est arrêté, il n’y aura pas de réponse. Reposez la question si vous en voulez une.", "El trabajo ha terminado y no habrá respuesta. Vuelve a preguntar si quieres una.", "O trabalho terminou e não haverá resposta. Pergunte de novo se quiser uma.", "作業を終了したため、回答はありません。必要な場合はもう一度質問してください。"},
		"wait":          {"Wait a moment and try again.", "Bitte gleich noch einmal versuchen.", "Attendez un instant et réessayez.", "Espera un momento y vuelve a intentarlo.", "Espere um momento e tente de novo.", "しばらくしてからお試しください。"},
		"wait_one":      {"Try again in %s second.", "In %s Sekunde noch einmal versuchen.", "Réessayez dans %s seconde.", "Vuelve a intentarlo en %s segundo.", "Tente de novo daqui a %s segundo.", "%s秒後にお試しください。"},
		"wait_other":    {"Try again in %s seconds.", "In %s Sekunden noch einmal versuchen.", "Réessayez dans %s secondes.", "Vuelve a intentarlo en %s segundos.", "Tente de novo daqui a %s segundos.", "%s秒後にお試しください。"},
		"long":          {"That question is too long", "Die Frage ist zu lang", "Cette question est trop longue", "La pregunta es demasiado larga", "A pergunta é longa demais", "質問が長すぎます"},
		"long_try":      {"Ask it in fewer words.", "Fragen Sie in weniger Worten.", "Posez-la en moins de mots.", "Hazla con menos palabras.", "Faça-a com menos palavras.", "短くしてお試しください。"},
		"slow":          {"That took too long", "Das hat zu lange gedauert", "Cela a pris trop de temps", "Ha tardado demasiado", "Demorou demais", "時間がかかりすぎました"},
		"slow_try":      {"Try again, or ask it in fewer words.", "Noch einmal versuchen, oder in weniger Worten.", "Réessayez, ou en moins de mots.", "Vuelve a intentarlo, o con menos palabras.", "Tente de novo, ou com menos palavras.", "もう一度、または短くしてお試しください。"},
		"unready":       {"The desk is not ready yet", "Noch nicht bereit", "Pas encore prêt", "Aún no está listo", "Ainda não está pronto", "準備中です"},
		"unreachable":   {"The desk cannot be reached", "Keine Verbindung", "Connexion impossible", "No se puede conectar", "Sem ligação", "接続できません"},
		"unreached":     {"The server did not answer. Check the connection and try again.", "Der Server hat nicht geantwortet. Verbindung prüfen und noch einmal versuchen.", "Le serveur n’a pas répondu. Vérifiez la connexion et réessayez.", "El servidor no respondió. Revisa la conexión y vuelve a intentarlo.", "O servidor não respondeu. Verifique a ligação e tente de novo.", "サーバーから応答がありません。接続を確認してお試しください。"},
		"cut":           {"The answer was cut off", "Die Antwort brach ab", "La réponse a été coupée", "La respuesta se cortó", "A resposta foi cortada", "回答が途切れました"},
		"not_an_answer": {"The server answered with status %s, which is not an answer to a question.", "Der Server antwortete mit dem Status %s; das ist keine Antwort auf eine Frage.", "Le serveur a répondu avec le statut %s, ce qui n’est pas une réponse à une question.", "El servidor respondió con el estado %s, que no es respuesta a una pregunta.", "O servidor respondeu com o estado %s, que não é resposta a uma pergunta.", "サーバーの応答（%s）は質問への回答ではありません。"},
		"cut_try":       {"Try again.", "Noch einmal versuchen.", "Réessayez.", "Vuelve a intentarlo.", "Tente de novo.", "もう一度お試しください。"},
		"failed":        {"The desk could not answer", "Die Frage konnte nicht beantwortet werden", "Impossible de répondre", "No se pudo responder", "Não foi possível responder", "回答できませんでした"},
		"again":         {"Try again", "Noch einmal", "Réessayer", "Reintentar", "Tentar de novo", "再試行"},
		"wider_sites":   {"Ask every site", "Alle Sites fragen", "Demander à tous les sites", "Preguntar a todos los sitios", "Perguntar a todos os sites", "すべてのサイトで検索"},
		"wider_types":   {"Look for anything", "Nach allem suchen", "Chercher de tout", "Buscar de todo", "Procurar tudo", "種類を限定しない"},

		// Request and response.
		"raw":       {"Raw JSON", "JSON", "JSON brut", "JSON", "JSON", "JSON"},
		"raw_label": {"Request and response", "Anfrage und Antwort", "Requête et réponse", "Petición y respuesta", "Pedido e resposta", "リクエストとレスポンス"},
		"command":   {"As a command", "Als Befehl", "En commande", "Como comando", "Como comando", "コマンド"},
		"request":   {"Request", "Anfrage", "Requête", "Petición", "Pedido", "リクエスト"},
		"response":  {"Response", "Antwort", "Réponse", "Respuesta", "Resposta", "レスポンス"},
		"copy":      {"Copy", "Kopieren", "Copier", "Copiar", "Copiar", "コピー"},
		"copied":    {"Copied", "Kopiert", "Copié", "Copiado", "Copiado", "コピーしました"},
		"selected":  {"Selected", "Markiert", "Sélectionné", "Seleccionado", "Selecionado", "選択しました"},
	} {
		in(page+name, said[0], said[1], said[2], said[3], said[4], said[5])
	}
}
