package i18n

// Answers to questions for a detail and to comparisons, made of items' own facts.
var (
	Tells     = in("tells", "%s: %s.", "%s: %s.", "%s : %s.", "%s: %s.", "%s: %s.", "%s：%s。")
	TellsNot  = in("tells_not", "%s: %s is not stated.", "%s: %s ist nicht angegeben.", "%s : %s non précisé.", "%s: %s no se indica.", "%s: %s não está indicado.", "%s：%sの記載がありません。")
	Is        = in("is_so", "yes, %s", "ja, %s", "oui, %s", "sí, %s", "sim, %s", "はい、%s")
	IsNot     = in("is_not_so", "no, not %s", "nein, nicht %s", "non, pas %s", "no, no %s", "não, não %s", "いいえ、%sではありません")
	HasIn     = in("has_in", "contains %s", "enthält %s", "contient %s", "contiene %s", "contém %s", "%sを含みます")
	HasNotIn  = in("has_not_in", "%s is not among the ingredients", "%s ist nicht unter den Zutaten", "%s ne figure pas parmi les ingrédients", "%s no está entre los ingredientes", "%s não está entre os ingredientes", "%sは材料にありません")
	SetBeside = in("set_beside", "%s: %s", "%s: %s", "%s : %s", "%s: %s", "%s: %s", "%s：%s")
	Lowest    = in("lowest", "lowest: %s", "am niedrigsten: %s", "le plus bas : %s", "el más bajo: %s", "o mais baixo: %s", "最も低い：%s")
	Highest   = in("highest", "highest: %s", "am höchsten: %s", "le plus élevé : %s", "el más alto: %s", "o mais alto: %s", "最も高い：%s")
	Soonest   = in("soonest", "earliest: %s", "am frühesten: %s", "le plus tôt : %s", "el primero: %s", "o primeiro: %s", "最も早い：%s")
)
