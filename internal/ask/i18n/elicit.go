package i18n

// What is said when a question is asked back.
var (
	// Choose begins an elicitation after a search; its place is how many items fit. ChooseOne is for one.
	Choose = in("elicit_choose",
		"%d items fit. Tell me a little more, to find the right one:",
		"%d Einträge passen. Mit ein paar Angaben mehr findet sich der richtige:",
		"%d éléments correspondent. Quelques précisions aideront à trouver le bon :",
		"%d resultados encajan. Con algún detalle más se encontrará el adecuado:",
		"%d itens correspondem. Com mais alguns detalhes encontra-se o certo:",
		"%d件見つかりました。もう少し詳しく教えてください。")

	ChooseOne = in("elicit_choose_one",
		"One item fits so far. Tell me a little more, to find the right one:",
		"Bisher passt ein Eintrag. Mit ein paar Angaben mehr findet sich der richtige:",
		"Un élément correspond pour l’instant. Quelques précisions aideront à trouver le bon :",
		"Por ahora encaja un resultado. Con algún detalle más se encontrará el adecuado:",
		"Até agora corresponde um item. Com mais alguns detalhes encontra-se o certo:",
		"今のところ1件見つかりました。もう少し詳しく教えてください。")

	AskDiet = in("ask_diet", "Do you keep to a diet?", "Gibt es eine Ernährungsweise zu beachten?", "Suivez-vous un régime particulier ?",
		"¿Sigues alguna dieta?", "Segue alguma dieta?", "食事の制限はありますか？")
	AskTime = in("ask_time", "How much time may it take?", "Wie lange darf es dauern?", "Combien de temps cela peut-il prendre ?",
		"¿Cuánto tiempo puede llevar?", "Quanto tempo pode demorar?", "所要時間はどれくらいがよいですか？")
	AskPrice = in("ask_price", "What may it cost?", "Wie viel darf es kosten?", "Quel est votre budget ?",
		"¿Cuánto puede costar?", "Quanto pode custar?", "ご予算はいくらですか？")
	AskCategory = in("ask_category", "Which category?", "Welche Kategorie?", "Quelle catégorie ?", "¿Qué categoría?", "Que categoria?", "どのカテゴリーですか？")
	AskCuisine  = in("ask_cuisine", "Which cuisine?", "Welche Küche?", "Quelle cuisine ?", "¿Qué cocina?", "Que cozinha?", "どの国の料理ですか？")
	AskBrand    = in("ask_brand", "Which brand?", "Welche Marke?", "Quelle marque ?", "¿Qué marca?", "Que marca?", "どのブランドですか？")
	AskColor    = in("ask_color", "Which colour?", "Welche Farbe?", "Quelle couleur ?", "¿Qué color?", "Que cor?", "何色がよいですか？")
	AskMaterial = in("ask_material", "Which material?", "Welches Material?", "Quelle matière ?", "¿Qué material?", "Que material?", "どの素材ですか？")
	AskSize     = in("ask_size", "Which size?", "Welche Größe?", "Quelle taille ?", "¿Qué talla o tamaño?", "Que tamanho?", "どのサイズですか？")
	AskAudience = in("ask_audience", "Who is it for?", "Für wen ist es?", "Pour qui est-ce ?", "¿Para quién es?", "Para quem é?", "どなた向けですか？")
	AskPlace    = in("ask_place", "Where?", "Wo?", "Où ?", "¿Dónde?", "Onde?", "どこですか？")
	AskAuthor   = in("ask_author", "By whom?", "Von wem?", "De qui ?", "¿De quién?", "De quem?", "誰の作品ですか？")
	AskType     = in("ask_type", "What kind of thing?", "Was für eine Art?", "Quel genre de chose ?", "¿Qué tipo de cosa?", "Que tipo de coisa?", "何をお探しですか？")

	// Ranges of a figure; the places are figures with their units.
	UpTo    = in("range_up_to", "up to %s", "bis %s", "jusqu’à %s", "hasta %s", "até %s", "%sまで")
	Between = in("range_between", "%s to %s", "%s bis %s", "de %s à %s", "de %s a %s", "de %s a %s", "%sから%s")
	From    = in("range_from", "%s and more", "%s und mehr", "%s et plus", "%s o más", "%s ou mais", "%s以上")
	Minutes = in("figure_minutes", "%s minutes", "%s Minuten", "%s minutes", "%s minutos", "%s minutos", "%s分")

	Yes = in("yes", "yes", "ja", "oui", "sí", "sim", "はい")
	No  = in("no", "no", "nein", "non", "no", "não", "いいえ")
)

// Diets are diets by the words under which items are found.
var Diets = Names{
	"vegan":         in("diet_vegan", "vegan", "vegan", "végan", "vegano", "vegano", "ヴィーガン"),
	"vegetarian":    in("diet_vegetarian", "vegetarian", "vegetarisch", "végétarien", "vegetariano", "vegetariano", "ベジタリアン"),
	"glutenfree":    in("diet_glutenfree", "gluten-free", "glutenfrei", "sans gluten", "sin gluten", "sem glúten", "グルテンフリー"),
	"lowlactose":    in("diet_lowlactose", "low lactose", "laktosearm", "pauvre en lactose", "bajo en lactosa", "baixo em lactose", "低乳糖"),
	"dairyfree":     in("diet_dairyfree", "dairy-free", "milchfrei", "sans lait", "sin lácteos", "sem laticínios", "乳製品不使用"),
	"nutsfree":      in("diet_nutfree", "nut-free", "nussfrei", "sans noix", "sin frutos secos", "sem nozes", "ナッツ不使用"),
	"eggsfree":      in("diet_eggfree", "egg-free", "eifrei", "sans œuf", "sin huevo", "sem ovo", "卵不使用"),
	"soyfree":       in("diet_soyfree", "soy-free", "sojafrei", "sans soja", "sin soja", "sem soja", "大豆不使用"),
	"sesamefree":    in("diet_sesamefree", "sesame-free", "sesamfrei", "sans sésame", "sin sésamo", "sem gergelim", "ごま不使用"),
	"sugarfree":     in("diet_sugarfree", "sugar-free", "zuckerfrei", "sans sucre", "sin azúcar", "sem açúcar", "砂糖不使用"),
	"peanutsfree":   in("diet_peanutsfree", "peanut-free", "erdnussfrei", "sans arachides", "sin cacahuetes", "sem amendoim", "落花生不使用"),
	"alcoholfree":   in("diet_alcoholfree", "alcohol-free", "alkoholfrei", "sans alcool", "sin alcohol", "sem álcool", "ノンアルコール"),
	"fishfree":      in("diet_fishfree", "fish-free", "ohne Fisch", "sans poisson", "sin pescado", "sem peixe", "魚不使用"),
	"shellfishfree": in("diet_shellfishfree", "shellfish-free", "ohne Schalentiere", "sans crustacés", "sin marisco", "sem marisco", "甲殻類・貝不使用"),
	"porkfree":      in("diet_porkfree", "pork-free", "ohne Schweinefleisch", "sans porc", "sin cerdo", "sem porco", "豚肉不使用"),
	"meatfree":      in("diet_meatfree", "meat-free", "fleischfrei", "sans viande", "sin carne", "sem carne", "肉不使用"),
	"pescatarian":   in("diet_pescatarian", "pescatarian", "pescetarisch", "pescétarien", "pescetariano", "pescetariano", "ペスカタリアン"),
	"lowcarb":       in("diet_lowcarb", "low in carbohydrates", "kohlenhydratarm", "pauvre en glucides", "bajo en carbohidratos", "baixo em carboidratos", "低糖質"),
	"highprotein":   in("diet_highprotein", "high in protein", "proteinreich", "riche en protéines", "alto en proteínas", "rico em proteínas", "高たんぱく"),
	"keto":          in("diet_keto", "keto", "ketogen", "cétogène", "cetogénica", "cetogénica", "ケトジェニック"),
	"paleo":         in("diet_paleo", "paleo", "paleo", "paléo", "paleo", "paleo", "パレオ"),
	"lowcalorie":    in("diet_lowcalorie", "low in calories", "kalorienarm", "peu calorique", "bajo en calorías", "baixo em calorias", "低カロリー"),
	"lowfat":        in("diet_lowfat", "low in fat", "fettarm", "pauvre en graisses", "bajo en grasa", "baixo em gordura", "低脂肪"),
	"lowsalt":       in("diet_lowsalt", "low in salt", "salzarm", "pauvre en sel", "bajo en sal", "baixo em sal", "減塩"),
	"diabetic":      in("diet_diabetic", "diabetic", "für Diabetiker", "pour diabétiques", "para diabéticos", "para diabéticos", "糖尿病向け"),
	"halal":         in("diet_halal", "halal", "halal", "halal", "halal", "halal", "ハラール"),
	"kosher":        in("diet_kosher", "kosher", "koscher", "casher", "kosher", "kosher", "コーシャ"),
	"hindu":         in("diet_hindu", "Hindu", "hinduistisch", "hindou", "hindú", "hindu", "ヒンドゥー"),
}

// IsNoPreference says whether an answer means that anything will do, in any language.
func IsNoPreference(said string) bool { return noPreference[fold(said)] }

var noPreference = func() map[string]bool {
	words := map[string]bool{}
	for _, said := range texts[NoPreference.key] {
		words[fold(said)] = true
	}
	for _, said := range []string{
		"", "any", "anything", "none", "no pref", "whatever", "doesn't matter", "does not matter", "don't care", "all", "-", "null",
		"keine", "keiner", "keins", "alles", "keine präferenz", "beliebig", "aucun", "aucune", "tout", "indifférent", "sans préférence", "ninguno", "ninguna",
		"cualquiera", "sin preferencia", "nenhum", "nenhuma", "qualquer", "sem preferência", "なし", "特になし", "どれでも", "何でも",
	} {
		words[fold(said)] = true
	}
	return words
}()
