package i18n

// The first sentence of a summary, of parts: how many items of which kind, and what their figures range over.
var (
	ReadyIn = in("ready_in", "ready in %s", "fertig in %s", "prêts en %s", "listos en %s", "prontos em %s", "所要時間%s")
	Priced  = in("priced", "priced %s", "zum Preis von %s", "au prix de %s", "con precio de %s", "ao preço de %s", "価格%s")
	Rated   = in("rated", "rated %s", "bewertet mit %s", "notés %s", "valorados con %s", "avaliados com %s", "評価%s")
	On      = in("on_that_day", "on %s", "am %s", "le %s", "el %s", "em %s", "%s")
	Ranging = in("ranging", "%s to %s", "%s bis %s", "%s à %s", "%s a %s", "%s a %s", "%s〜%s")
	During  = in("during", "from %s to %s", "vom %s bis zum %s", "du %s au %s", "del %s al %s", "de %s a %s", "%sから%sまで")
	Stop    = in("stop", ".", ".", ".", ".", ".", "。")
	Then    = in("then", ", ", ", ", ", ", ", ", ", ", "、")
	Quotes  = in("quotes", "“%s”", "„%s“", "« %s »", "«%s»", "“%s”", "「%s」")
)
