package phrase

import (
	"strconv"
	"strings"
	"unicode"
)

// Types that are met often, as people call them: one and several, in the order of Languages. Japanese needs no plural.
const things = `
Thing: item|items Eintrag|Einträge élément|éléments elemento|elementos item|itens 項目
Article: article|articles Artikel|Artikel article|articles artículo|artículos artigo|artigos 記事
NewsArticle: news_article|news_articles Nachrichtenartikel|Nachrichtenartikel article_d’actualité|articles_d’actualité noticia|noticias notícia|notícias ニュース記事
BlogPosting: blog_posting|blog_postings Blogbeitrag|Blogbeiträge billet_de_blog|billets_de_blog entrada_de_blog|entradas_de_blog publicação_de_blogue|publicações_de_blogue ブログ記事
TechArticle: tech_article|tech_articles Fachartikel|Fachartikel article_technique|articles_techniques artículo_técnico|artículos_técnicos artigo_técnico|artigos_técnicos 技術記事
ScholarlyArticle: scholarly_article|scholarly_articles Fachaufsatz|Fachaufsätze article_scientifique|articles_scientifiques artículo_científico|artículos_científicos artigo_científico|artigos_científicos 論文
Report: report|reports Bericht|Berichte rapport|rapports informe|informes relatório|relatórios レポート
HowTo: how_to|how_tos Anleitung|Anleitungen mode_d’emploi|modes_d’emploi guía|guías guia|guias 手順
FAQPage: FAQ_page|FAQ_pages FAQ-Seite|FAQ-Seiten page_de_FAQ|pages_de_FAQ página_de_preguntas|páginas_de_preguntas página_de_perguntas|páginas_de_perguntas よくある質問
WebPage: web_page|web_pages Webseite|Webseiten page_web|pages_web página_web|páginas_web página_web|páginas_web ウェブページ
AboutPage: about_page|about_pages Über-uns-Seite|Über-uns-Seiten page_de_présentation|pages_de_présentation página_de_presentación|páginas_de_presentación página_de_apresentação|páginas_de_apresentação 紹介ページ
ContactPage: contact_page|contact_pages Kontaktseite|Kontaktseiten page_de_contact|pages_de_contact página_de_contacto|páginas_de_contacto página_de_contacto|páginas_de_contacto お問い合わせページ
CollectionPage: collection_page|collection_pages Sammelseite|Sammelseiten page_de_collection|pages_de_collection página_de_colección|páginas_de_colección página_de_coleção|páginas_de_coleção 一覧ページ
WebSite: web_site|web_sites Website|Websites site_web|sites_web sitio_web|sitios_web site|sites ウェブサイト
CreativeWork: creative_work|creative_works Werk|Werke œuvre|œuvres obra|obras obra|obras 作品
Recipe: recipe|recipes Rezept|Rezepte recette|recettes receta|recetas receita|receitas レシピ
Product: product|products Produkt|Produkte produit|produits producto|productos produto|produtos 商品
ProductGroup: product_group|product_groups Produktreihe|Produktreihen gamme_de_produits|gammes_de_produits gama_de_productos|gamas_de_productos gama_de_produtos|gamas_de_produtos 商品群
ProductModel: product_model|product_models Modell|Modelle modèle|modèles modelo|modelos modelo|modelos 機種
Offer: offer|offers Angebot|Angebote offre|offres oferta|ofertas oferta|ofertas 販売情報
Service: service|services Dienstleistung|Dienstleistungen service|services servicio|servicios serviço|serviços サービス
Vehicle: vehicle|vehicles Fahrzeug|Fahrzeuge véhicule|véhicules vehículo|vehículos veículo|veículos 乗り物
Car: car|cars Auto|Autos voiture|voitures coche|coches carro|carros 車
Event: event|events Veranstaltung|Veranstaltungen événement|événements evento|eventos evento|eventos イベント
MusicEvent: music_event|music_events Konzert|Konzerte concert|concerts concierto|conciertos concerto|concertos 音楽イベント
SportsEvent: sports_event|sports_events Sportveranstaltung|Sportveranstaltungen événement_sportif|événements_sportifs evento_deportivo|eventos_deportivos evento_desportivo|eventos_desportivos スポーツイベント
TheaterEvent: theater_event|theater_events Theateraufführung|Theateraufführungen pièce_de_théâtre|pièces_de_théâtre función_de_teatro|funciones_de_teatro peça_de_teatro|peças_de_teatro 演劇
Festival: festival|festivals Festival|Festivals festival|festivals festival|festivales festival|festivais フェスティバル
ExhibitionEvent: exhibition_event|exhibition_events Ausstellung|Ausstellungen exposition|expositions exposición|exposiciones exposição|exposições 展覧会
EducationEvent: education_event|education_events Bildungsveranstaltung|Bildungsveranstaltungen événement_éducatif|événements_éducatifs evento_educativo|eventos_educativos evento_educativo|eventos_educativos 教育イベント
SocialEvent: social_event|social_events Treffen|Treffen rencontre|rencontres encuentro|encuentros encontro|encontros 交流イベント
FoodEvent: food_event|food_events Genussveranstaltung|Genussveranstaltungen événement_gourmand|événements_gourmands evento_gastronómico|eventos_gastronómicos evento_gastronómico|eventos_gastronómicos 食のイベント
BusinessEvent: business_event|business_events Geschäftsveranstaltung|Geschäftsveranstaltungen événement_professionnel|événements_professionnels evento_profesional|eventos_profesionales evento_profissional|eventos_profissionais ビジネスイベント
ChildrensEvent: childrens_event|childrens_events Kinderveranstaltung|Kinderveranstaltungen événement_pour_enfants|événements_pour_enfants evento_infantil|eventos_infantiles evento_infantil|eventos_infantis 子ども向けイベント
Course: course|courses Kurs|Kurse cours|cours curso|cursos curso|cursos 講座
CourseInstance: course_instance|course_instances Kurstermin|Kurstermine session_de_cours|sessions_de_cours edición_de_curso|ediciones_de_curso edição_de_curso|edições_de_curso 講座日程
Book: book|books Buch|Bücher livre|livres libro|libros livro|livros 本
Movie: movie|movies Film|Filme film|films película|películas filme|filmes 映画
TVSeries: TV_series|TV_series Fernsehserie|Fernsehserien série_télévisée|séries_télévisées serie_de_televisión|series_de_televisión série_de_televisão|séries_de_televisão テレビ番組
Episode: episode|episodes Folge|Folgen épisode|épisodes episodio|episodios episódio|episódios エピソード
PodcastEpisode: podcast_episode|podcast_episodes Podcastfolge|Podcastfolgen épisode_de_podcast|épisodes_de_podcast episodio_de_pódcast|episodios_de_pódcast episódio_de_podcast|episódios_de_podcast ポッドキャストの回
PodcastSeries: podcast_series|podcast_series Podcast|Podcasts podcast|podcasts pódcast|pódcast podcast|podcasts ポッドキャスト
VideoObject: video_object|video_objects Video|Videos vidéo|vidéos vídeo|vídeos vídeo|vídeos 動画
ImageObject: image_object|image_objects Bild|Bilder image|images imagen|imágenes imagem|imagens 画像
AudioObject: audio_object|audio_objects Tonaufnahme|Tonaufnahmen enregistrement|enregistrements audio|audios gravação|gravações 音声
MusicRecording: music_recording|music_recordings Musikaufnahme|Musikaufnahmen morceau|morceaux grabación|grabaciones gravação_musical|gravações_musicais 楽曲
MusicAlbum: music_album|music_albums Album|Alben album|albums álbum|álbumes álbum|álbuns アルバム
Game: game|games Spiel|Spiele jeu|jeux juego|juegos jogo|jogos ゲーム
VideoGame: video_game|video_games Videospiel|Videospiele jeu_vidéo|jeux_vidéo videojuego|videojuegos videojogo|videojogos ビデオゲーム
SoftwareApplication: software_application|software_applications Programm|Programme logiciel|logiciels aplicación|aplicaciones aplicação|aplicações アプリ
Dataset: dataset|datasets Datensatz|Datensätze jeu_de_données|jeux_de_données conjunto_de_datos|conjuntos_de_datos conjunto_de_dados|conjuntos_de_dados データセット
JobPosting: job_posting|job_postings Stellenangebot|Stellenangebote offre_d’emploi|offres_d’emploi oferta_de_empleo|ofertas_de_empleo oferta_de_emprego|ofertas_de_emprego 求人
Person: person|persons Person|Personen personne|personnes persona|personas pessoa|pessoas 人物
Organization: organization|organizations Organisation|Organisationen organisation|organisations organización|organizaciones organização|organizações 団体
LocalBusiness: local_business|local_businesses Geschäft|Geschäfte commerce|commerces negocio|negocios negócio|negócios 店舗
Store: store|stores Laden|Läden magasin|magasins tienda|tiendas loja|lojas 店
Restaurant: restaurant|restaurants Restaurant|Restaurants restaurant|restaurants restaurante|restaurantes restaurante|restaurantes レストラン
CafeOrCoffeeShop: cafe_or_coffee_shop|cafe_or_coffee_shops Café|Cafés café|cafés cafetería|cafeterías café|cafés カフェ
Hotel: hotel|hotels Hotel|Hotels hôtel|hôtels hotel|hoteles hotel|hotéis ホテル
LodgingBusiness: lodging_business|lodging_businesses Unterkunft|Unterkünfte hébergement|hébergements alojamiento|alojamientos alojamento|alojamentos 宿泊施設
Accommodation: accommodation|accommodations Unterkunft|Unterkünfte logement|logements alojamiento|alojamientos alojamento|alojamentos 宿泊先
Apartment: apartment|apartments Wohnung|Wohnungen appartement|appartements piso|pisos apartamento|apartamentos アパート
Place: place|places Ort|Orte lieu|lieux lugar|lugares lugar|lugares 場所
TouristAttraction: tourist_attraction|tourist_attractions Sehenswürdigkeit|Sehenswürdigkeiten site_touristique|sites_touristiques atracción_turística|atracciones_turísticas atração_turística|atrações_turísticas 観光スポット
TouristTrip: tourist_trip|tourist_trips Reise|Reisen voyage|voyages viaje|viajes viagem|viagens 旅行
Museum: museum|museums Museum|Museen musée|musées museo|museos museu|museus 博物館
Trip: trip|trips Reise|Reisen voyage|voyages viaje|viajes viagem|viagens 旅行
Review: review|reviews Rezension|Rezensionen critique|critiques reseña|reseñas crítica|críticas レビュー
Question: question|questions Frage|Fragen question|questions pregunta|preguntas pergunta|perguntas 質問
Action: action|actions Aktion|Aktionen action|actions acción|acciones ação|ações アクション
`

// thingOf has the words for a type: one and several, in the order of Languages.
var thingOf = func() map[string][][2]string {
	all := map[string][][2]string{}
	for line := range strings.Lines(strings.TrimSpace(things)) {
		typ, rest, _ := strings.Cut(line, ": ")
		for word := range strings.FieldsSeq(rest) {
			one, several, ok := strings.Cut(strings.ReplaceAll(word, "_", " "), "|")
			if !ok {
				several = one
			}
			all[typ] = append(all[typ], [2]string{one, several})
		}
	}
	return all
}()

// Kind names a type of the vocabulary beside what is of it. In English that is the type's own name; so it is for types for
// which there is no word.
func (s Speaker) Kind(typ string) string {
	if words, ok := thingOf[typ]; ok && s.tongue > 0 {
		return words[s.tongue][0]
	}
	return typ
}

// Kinds is Kind for several types.
func (s Speaker) Kinds(types []string) []string {
	names := make([]string, len(types))
	for i, typ := range types {
		names[i] = s.Kind(typ)
	}
	return names
}

// Things are what is of a type, in general: "recipes".
func (s Speaker) Things(typ string) string {
	if words, ok := thingOf[typ]; ok {
		return words[s.tongue][1]
	}
	if s.tongue > 0 {
		return typ
	}
	return plural(apart(typ))
}

// Several counts what is of a type: "4 recipes".
func (s Speaker) Several(n int, typ string) string {
	if _, known := thingOf[typ]; typ == "" || s.tongue > 0 && !known {
		if typ != "" {
			return s.Say(so, strconv.Itoa(n), typ)
		}
		typ = "Thing"
	}
	word := s.Things(typ)
	if n == 1 {
		word = apart(typ)
		if words, ok := thingOf[typ]; ok {
			word = words[s.tongue][0]
		}
	}
	return s.Say(so, strconv.Itoa(n), word)
}

// so is a number of things.
var so = in("so_many_things", "%s %s", "%s %s", "%s %s", "%s %s", "%s %s", "%[2]s%[1]s件")

// dietTypes are the diets of the vocabulary.
var dietTypes = map[string]Text{
	"VeganDiet": Diets["vegan"], "VegetarianDiet": Diets["vegetarian"], "GlutenFreeDiet": Diets["glutenfree"], "LowLactoseDiet": Diets["lowlactose"],
	"LowCalorieDiet": Diets["lowcalorie"], "LowFatDiet": Diets["lowfat"], "LowSaltDiet": Diets["lowsalt"], "DiabeticDiet": Diets["diabetic"],
	"HalalDiet": Diets["halal"], "KosherDiet": Diets["kosher"], "HinduDiet": Diets["hindu"],
}

// types gives the words for all types that have one, for the page, the diets among them.
func (s Speaker) types() map[string]string {
	words := map[string]string{}
	for typ, word := range thingOf {
		words[typ] = word[s.tongue][0]
	}
	for typ, text := range dietTypes {
		words[typ] = s.Say(text)
	}
	return words
}

// apart sets the words of a type's name apart: "NewsArticle" is "news article".
func apart(typ string) string {
	var b strings.Builder
	before := ' '
	for _, r := range typ {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return b.String()
}

// plural is that of an English word.
func plural(word string) string {
	switch {
	case strings.HasSuffix(word, "series"):
		return word
	case len(word) > 1 && strings.HasSuffix(word, "y") && !strings.ContainsAny(word[len(word)-2:len(word)-1], "aeiou"):
		return word[:len(word)-1] + "ies"
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "sh"):
		return word + "es"
	}
	return word + "s"
}

// Diet names a diet by the word under which items are found: "glutenfree" is "gluten-free".
func (s Speaker) Diet(name string) string {
	if text, ok := Diets[name]; ok {
		return s.Say(text)
	}
	return name
}

// Food names a class of food by the word under which items are found: "dairy".
func (s Speaker) Food(name string) string {
	if text, ok := foods[name]; ok {
		return s.Say(text)
	}
	return name
}

var foods = map[string]Text{
	"nuts":      in("food_nuts", "nuts", "Nüsse", "fruits à coque", "frutos secos", "frutos de casca rija", "ナッツ"),
	"peanuts":   in("food_peanuts", "peanuts", "Erdnüsse", "arachides", "cacahuetes", "amendoim", "ピーナッツ"),
	"dairy":     in("food_dairy", "dairy", "Milchprodukte", "produits laitiers", "lácteos", "laticínios", "乳製品"),
	"cheese":    in("food_cheese", "cheese", "Käse", "fromage", "queso", "queijo", "チーズ"),
	"eggs":      in("food_eggs", "eggs", "Eier", "œufs", "huevos", "ovos", "卵"),
	"gluten":    in("food_gluten", "gluten", "Gluten", "gluten", "gluten", "glúten", "グルテン"),
	"fish":      in("food_fish", "fish", "Fisch", "poisson", "pescado", "peixe", "魚"),
	"shellfish": in("food_shellfish", "shellfish", "Schalentiere", "crustacés", "marisco", "marisco", "甲殻類・貝類"),
	"seafood":   in("food_seafood", "seafood", "Meeresfrüchte", "fruits de mer", "pescado y marisco", "peixe e marisco", "魚介類"),
	"soy":       in("food_soy", "soy", "Soja", "soja", "soja", "soja", "大豆"),
	"sesame":    in("food_sesame", "sesame", "Sesam", "sésame", "sésamo", "sésamo", "ごま"),
	"mustard":   in("food_mustard", "mustard", "Senf", "moutarde", "mostaza", "mostarda", "からし"),
	"celery":    in("food_celery", "celery", "Sellerie", "céleri", "apio", "aipo", "セロリ"),
	"lupin":     in("food_lupin", "lupin", "Lupinen", "lupin", "altramuz", "tremoço", "ルピナス"),
	"meat":      in("food_meat", "meat", "Fleisch", "viande", "carne", "carne", "肉"),
	"pork":      in("food_pork", "pork", "Schweinefleisch", "porc", "cerdo", "porco", "豚肉"),
	"alcohol":   in("food_alcohol", "alcohol", "Alkohol", "alcool", "alcohol", "álcool", "アルコール"),
	"honey":     in("food_honey", "honey", "Honig", "miel", "miel", "mel", "はちみつ"),
	"gelatin":   in("food_gelatin", "gelatin", "Gelatine", "gélatine", "gelatina", "gelatina", "ゼラチン"),
	"sugar":     in("food_sugar", "sugar", "Zucker", "sucre", "azúcar", "açúcar", "砂糖"),
}

// Stock names an availability of the vocabulary: "InStock" is "In stock".
func (s Speaker) Stock(name string) string {
	if key, ok := stocks[name]; ok {
		return s.Say(Text{page + key})
	}
	return name
}

var stocks = map[string]string{
	"InStock": "in_stock", "InStoreOnly": "in_store", "OnlineOnly": "online", "LimitedAvailability": "few_left", "PreOrder": "in_advance",
	"PreSale": "presale", "BackOrder": "back_order", "MadeToOrder": "to_order", "OutOfStock": "sold_out", "SoldOut": "sold_out",
	"Discontinued": "discontinued",
}
