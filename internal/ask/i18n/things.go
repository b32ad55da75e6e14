package i18n

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
Blog: blog|blogs Blog|Blogs blog|blogs blog|blogs blogue|blogues ブログ
OpinionNewsArticle: opinion_piece|opinion_pieces Kommentar|Kommentare tribune|tribunes artículo_de_opinión|artículos_de_opinión artigo_de_opinião|artigos_de_opinião オピニオン記事
LiveBlogPosting: live_blog|live_blogs Liveticker|Liveticker direct|directs crónica_en_directo|crónicas_en_directo cobertura_ao_vivo|coberturas_ao_vivo ライブブログ
SocialMediaPosting: social_media_post|social_media_posts Beitrag|Beiträge publication|publications publicación|publicaciones publicação|publicações 投稿
DiscussionForumPosting: forum_post|forum_posts Forenbeitrag|Forenbeiträge message_de_forum|messages_de_forum mensaje_de_foro|mensajes_de_foro mensagem_de_fórum|mensagens_de_fórum フォーラムの投稿
QAPage: question_and_answer_page|question_and_answer_pages Frageseite|Frageseiten page_de_questions|pages_de_questions página_de_preguntas|páginas_de_preguntas página_de_perguntas|páginas_de_perguntas Q&Aページ
Answer: answer|answers Antwort|Antworten réponse|réponses respuesta|respuestas resposta|respostas 回答
Comment: comment|comments Kommentar|Kommentare commentaire|commentaires comentario|comentarios comentário|comentários コメント
ItemPage: item_page|item_pages Detailseite|Detailseiten page_de_détail|pages_de_détail página_de_detalle|páginas_de_detalle página_de_detalhe|páginas_de_detalhe 詳細ページ
ProfilePage: profile_page|profile_pages Profilseite|Profilseiten page_de_profil|pages_de_profil página_de_perfil|páginas_de_perfil página_de_perfil|páginas_de_perfil プロフィール
MedicalWebPage: medical_page|medical_pages Gesundheitsseite|Gesundheitsseiten page_médicale|pages_médicales página_médica|páginas_médicas página_médica|páginas_médicas 医療情報ページ
ItemList: list|lists Liste|Listen liste|listes lista|listas lista|listas 一覧
Collection: collection|collections Sammlung|Sammlungen collection|collections colección|colecciones coleção|coleções コレクション
Guide: guide|guides Ratgeber|Ratgeber guide|guides guía|guías guia|guias ガイド
Quotation: quotation|quotations Zitat|Zitate citation|citations cita|citas citação|citações 引用
DefinedTerm: term|terms Begriff|Begriffe terme|termes término|términos termo|termos 用語
ClaimReview: fact_check|fact_checks Faktencheck|Faktenchecks vérification|vérifications verificación|verificaciones verificação|verificações ファクトチェック
CriticReview: critic’s_review|critics’_reviews Kritik|Kritiken critique|critiques crítica|críticas crítica|críticas 評論
UserReview: user_review|user_reviews Bewertung|Bewertungen avis|avis opinión|opiniones opinião|opiniões 口コミ
Audiobook: audiobook|audiobooks Hörbuch|Hörbücher livre_audio|livres_audio audiolibro|audiolibros audiolivro|audiolivros オーディオブック
BookSeries: book_series|book_series Buchreihe|Buchreihen série_de_livres|séries_de_livres colección_de_libros|colecciones_de_libros coleção_de_livros|coleções_de_livros 本のシリーズ
Chapter: chapter|chapters Kapitel|Kapitel chapitre|chapitres capítulo|capítulos capítulo|capítulos 章
ShortStory: short_story|short_stories Kurzgeschichte|Kurzgeschichten nouvelle|nouvelles cuento|cuentos conto|contos 短編
Periodical: periodical|periodicals Zeitschrift|Zeitschriften périodique|périodiques revista|revistas periódico|periódicos 定期刊行物
Newspaper: newspaper|newspapers Zeitung|Zeitungen journal|journaux periódico|periódicos jornal|jornais 新聞
PublicationIssue: issue|issues Ausgabe|Ausgaben numéro|numéros número|números edição|edições 号
Thesis: thesis|theses Abschlussarbeit|Abschlussarbeiten thèse|thèses tesis|tesis tese|teses 学位論文
Map: map|maps Karte|Karten carte|cartes mapa|mapas mapa|mapas 地図
Photograph: photograph|photographs Foto|Fotos photo|photos fotografía|fotografías fotografia|fotografias 写真
Painting: painting|paintings Gemälde|Gemälde tableau|tableaux pintura|pinturas pintura|pinturas 絵画
Sculpture: sculpture|sculptures Skulptur|Skulpturen sculpture|sculptures escultura|esculturas escultura|esculturas 彫刻
VisualArtwork: artwork|artworks Kunstwerk|Kunstwerke œuvre_d’art|œuvres_d’art obra_de_arte|obras_de_arte obra_de_arte|obras_de_arte 美術作品
Play: play|plays Theaterstück|Theaterstücke pièce|pièces obra_de_teatro|obras_de_teatro peça|peças 戯曲
TVEpisode: TV_episode|TV_episodes Fernsehfolge|Fernsehfolgen épisode_télévisé|épisodes_télévisés episodio_de_televisión|episodios_de_televisión episódio_de_televisão|episódios_de_televisão テレビ番組の回
TVSeason: TV_season|TV_seasons Staffel|Staffeln saison|saisons temporada|temporadas temporada|temporadas シーズン
RadioSeries: radio_series|radio_series Radioserie|Radioserien série_radio|séries_radio serie_de_radio|series_de_radio série_de_rádio|séries_de_rádio ラジオ番組
RadioEpisode: radio_episode|radio_episodes Radiofolge|Radiofolgen épisode_radio|épisodes_radio episodio_de_radio|episodios_de_radio episódio_de_rádio|episódios_de_rádio ラジオ番組の回
MovieSeries: film_series|film_series Filmreihe|Filmreihen série_de_films|séries_de_films saga_de_películas|sagas_de_películas série_de_filmes|séries_de_filmes 映画シリーズ
MusicPlaylist: playlist|playlists Playlist|Playlists playlist|playlists lista_de_reproducción|listas_de_reproducción lista_de_reprodução|listas_de_reprodução プレイリスト
MusicGroup: music_group|music_groups Musikgruppe|Musikgruppen groupe_de_musique|groupes_de_musique grupo_musical|grupos_musicales grupo_musical|grupos_musicais 音楽グループ
MusicComposition: composition|compositions Komposition|Kompositionen composition|compositions composición|composiciones composição|composições 楽曲作品
MusicVideoObject: music_video|music_videos Musikvideo|Musikvideos clip|clips videoclip|videoclips videoclipe|videoclipes ミュージックビデオ
EventSeries: event_series|event_series Veranstaltungsreihe|Veranstaltungsreihen série_d’événements|séries_d’événements ciclo_de_eventos|ciclos_de_eventos série_de_eventos|séries_de_eventos 連続イベント
ScreeningEvent: screening|screenings Filmvorführung|Filmvorführungen projection|projections proyección|proyecciones sessão_de_cinema|sessões_de_cinema 上映会
LiteraryEvent: literary_event|literary_events Lesung|Lesungen rencontre_littéraire|rencontres_littéraires acto_literario|actos_literarios evento_literário|eventos_literários 文学イベント
DanceEvent: dance_event|dance_events Tanzveranstaltung|Tanzveranstaltungen spectacle_de_danse|spectacles_de_danse espectáculo_de_danza|espectáculos_de_danza espetáculo_de_dança|espetáculos_de_dança ダンスイベント
ComedyEvent: comedy_event|comedy_events Comedyabend|Comedyabende spectacle_d’humour|spectacles_d’humour espectáculo_de_humor|espectáculos_de_humor espetáculo_de_humor|espetáculos_de_humor お笑いイベント
SaleEvent: sale|sales Verkaufsaktion|Verkaufsaktionen vente|ventes rebajas|rebajas promoção|promoções セール
VisualArtsEvent: art_event|art_events Kunstveranstaltung|Kunstveranstaltungen événement_artistique|événements_artistiques evento_artístico|eventos_artísticos evento_artístico|eventos_artísticos アートイベント
Hackathon: hackathon|hackathons Hackathon|Hackathons hackathon|hackathons hackatón|hackatones hackathon|hackathons ハッカソン
LearningResource: learning_resource|learning_resources Lernmaterial|Lernmaterialien ressource_pédagogique|ressources_pédagogiques recurso_educativo|recursos_educativos recurso_educativo|recursos_educativos 教材
Quiz: quiz|quizzes Quiz|Quiz quiz|quiz cuestionario|cuestionarios questionário|questionários クイズ
EducationalOccupationalProgram: programme_of_study|programmes_of_study Studiengang|Studiengänge formation|formations programa_de_estudios|programas_de_estudios programa_de_estudos|programas_de_estudos 教育プログラム
Occupation: occupation|occupations Beruf|Berufe métier|métiers profesión|profesiones profissão|profissões 職業
WebApplication: web_application|web_applications Webanwendung|Webanwendungen application_web|applications_web aplicación_web|aplicaciones_web aplicação_web|aplicações_web ウェブアプリ
MobileApplication: mobile_application|mobile_applications App|Apps application_mobile|applications_mobiles aplicación_móvil|aplicaciones_móviles aplicação_móvel|aplicações_móveis モバイルアプリ
SoftwareSourceCode: source_code|source_code Quelltext|Quelltexte code_source|codes_source código_fuente|códigos_fuente código-fonte|códigos-fonte ソースコード
APIReference: API_reference|API_references API-Referenz|API-Referenzen référence_d’API|références_d’API referencia_de_API|referencias_de_API referência_de_API|referências_de_API APIリファレンス
DataCatalog: data_catalogue|data_catalogues Datenkatalog|Datenkataloge catalogue_de_données|catalogues_de_données catálogo_de_datos|catálogos_de_datos catálogo_de_dados|catálogos_de_dados データカタログ
DigitalDocument: document|documents Dokument|Dokumente document|documents documento|documentos documento|documentos 文書
IndividualProduct: product|products Produkt|Produkte produit|produits producto|productos produto|produtos 商品
ProductCollection: product_collection|product_collections Kollektion|Kollektionen collection_de_produits|collections_de_produits colección_de_productos|colecciones_de_productos coleção_de_produtos|coleções_de_produtos 商品コレクション
AggregateOffer: offers|offers Angebote|Angebote offres|offres ofertas|ofertas ofertas|ofertas 販売情報
Motorcycle: motorcycle|motorcycles Motorrad|Motorräder moto|motos motocicleta|motocicletas moto|motos オートバイ
Drug: medicine|medicines Arzneimittel|Arzneimittel médicament|médicaments medicamento|medicamentos medicamento|medicamentos 医薬品
DietarySupplement: food_supplement|food_supplements Nahrungsergänzungsmittel|Nahrungsergänzungsmittel complément_alimentaire|compléments_alimentaires complemento_alimenticio|complementos_alimenticios suplemento_alimentar|suplementos_alimentares サプリメント
MedicalCondition: medical_condition|medical_conditions Krankheit|Krankheiten maladie|maladies enfermedad|enfermedades doença|doenças 病気
ExercisePlan: exercise_plan|exercise_plans Trainingsplan|Trainingspläne programme_d’entraînement|programmes_d’entraînement plan_de_ejercicios|planes_de_ejercicios plano_de_exercícios|planos_de_exercícios 運動プラン
Menu: menu|menus Speisekarte|Speisekarten carte|cartes carta|cartas ementa|ementas メニュー
MenuItem: dish|dishes Gericht|Gerichte plat|plats plato|platos prato|pratos 料理
City: city|cities Stadt|Städte ville|villes ciudad|ciudades cidade|cidades 都市
Country: country|countries Land|Länder pays|pays país|países país|países 国
Park: park|parks Park|Parks parc|parcs parque|parques parque|parques 公園
Beach: beach|beaches Strand|Strände plage|plages playa|playas praia|praias ビーチ
Mountain: mountain|mountains Berg|Berge montagne|montagnes montaña|montañas montanha|montanhas 山
LandmarksOrHistoricalBuildings: landmark|landmarks Baudenkmal|Baudenkmäler monument|monuments monumento|monumentos monumento|monumentos 名所・史跡
Church: church|churches Kirche|Kirchen église|églises iglesia|iglesias igreja|igrejas 教会
Zoo: zoo|zoos Zoo|Zoos zoo|zoos zoo|zoos jardim_zoológico|jardins_zoológicos 動物園
Library: library|libraries Bibliothek|Bibliotheken bibliothèque|bibliothèques biblioteca|bibliotecas biblioteca|bibliotecas 図書館
MovieTheater: cinema|cinemas Kino|Kinos cinéma|cinémas cine|cines cinema|cinemas 映画館
PerformingArtsTheater: theatre|theatres Theater|Theater théâtre|théâtres teatro|teatros teatro|teatros 劇場
EventVenue: venue|venues Veranstaltungsort|Veranstaltungsorte salle|salles recinto|recintos recinto|recintos 会場
School: school|schools Schule|Schulen école|écoles escuela|escuelas escola|escolas 学校
CollegeOrUniversity: university|universities Hochschule|Hochschulen université|universités universidad|universidades universidade|universidades 大学
Hospital: hospital|hospitals Krankenhaus|Krankenhäuser hôpital|hôpitaux hospital|hospitales hospital|hospitais 病院
Physician: doctor|doctors Arztpraxis|Arztpraxen médecin|médecins médico|médicos médico|médicos 医師
Dentist: dentist|dentists Zahnarztpraxis|Zahnarztpraxen dentiste|dentistes dentista|dentistas dentista|dentistas 歯科
MedicalClinic: clinic|clinics Klinik|Kliniken clinique|cliniques clínica|clínicas clínica|clínicas 診療所
Pharmacy: pharmacy|pharmacies Apotheke|Apotheken pharmacie|pharmacies farmacia|farmacias farmácia|farmácias 薬局
Bakery: bakery|bakeries Bäckerei|Bäckereien boulangerie|boulangeries panadería|panaderías padaria|padarias ベーカリー
BarOrPub: bar|bars Bar|Bars bar|bars bar|bares bar|bares バー
FoodEstablishment: place_to_eat|places_to_eat Lokal|Lokale établissement|établissements local_de_comidas|locales_de_comidas estabelecimento|estabelecimentos 飲食店
FastFoodRestaurant: fast_food_restaurant|fast_food_restaurants Imbiss|Imbisse restauration_rapide|restaurations_rapides restaurante_de_comida_rápida|restaurantes_de_comida_rápida restaurante_de_comida_rápida|restaurantes_de_comida_rápida ファストフード店
Winery: winery|wineries Weingut|Weingüter domaine_viticole|domaines_viticoles bodega|bodegas adega|adegas ワイナリー
Brewery: brewery|breweries Brauerei|Brauereien brasserie|brasseries cervecería|cervecerías cervejaria|cervejarias 醸造所
BedAndBreakfast: bed_and_breakfast|bed_and_breakfasts Pension|Pensionen chambre_d’hôtes|chambres_d’hôtes pensión|pensiones pousada|pousadas B&B
Hostel: hostel|hostels Hostel|Hostels auberge|auberges albergue|albergues albergue|albergues ホステル
Campground: campsite|campsites Campingplatz|Campingplätze camping|campings camping|campings parque_de_campismo|parques_de_campismo キャンプ場
Resort: resort|resorts Ferienanlage|Ferienanlagen village_vacances|villages_vacances resort|resorts resort|resorts リゾート
VacationRental: holiday_home|holiday_homes Ferienunterkunft|Ferienunterkünfte location_de_vacances|locations_de_vacances alquiler_vacacional|alquileres_vacacionales alojamento_local|alojamentos_locais 貸別荘
HotelRoom: hotel_room|hotel_rooms Hotelzimmer|Hotelzimmer chambre_d’hôtel|chambres_d’hôtel habitación_de_hotel|habitaciones_de_hotel quarto_de_hotel|quartos_de_hotel ホテルの部屋
Room: room|rooms Zimmer|Zimmer chambre|chambres habitación|habitaciones quarto|quartos 部屋
House: house|houses Haus|Häuser maison|maisons casa|casas casa|casas 一戸建て
SingleFamilyResidence: single_family_home|single_family_homes Einfamilienhaus|Einfamilienhäuser maison_individuelle|maisons_individuelles vivienda_unifamiliar|viviendas_unifamiliares moradia|moradias 一戸建て住宅
RealEstateListing: property_listing|property_listings Immobilienangebot|Immobilienangebote annonce_immobilière|annonces_immobilières anuncio_inmobiliario|anuncios_inmobiliarios anúncio_imobiliário|anúncios_imobiliários 不動産物件
RealEstateAgent: estate_agent|estate_agents Immobilienmakler|Immobilienmakler agence_immobilière|agences_immobilières agencia_inmobiliaria|agencias_inmobiliarias agência_imobiliária|agências_imobiliárias 不動産会社
ClothingStore: clothing_store|clothing_stores Modegeschäft|Modegeschäfte magasin_de_vêtements|magasins_de_vêtements tienda_de_ropa|tiendas_de_ropa loja_de_roupa|lojas_de_roupa 衣料品店
BookStore: bookshop|bookshops Buchhandlung|Buchhandlungen librairie|librairies librería|librerías livraria|livrarias 書店
GroceryStore: grocery_store|grocery_stores Lebensmittelgeschäft|Lebensmittelgeschäfte épicerie|épiceries tienda_de_alimentación|tiendas_de_alimentación mercearia|mercearias 食料品店
HardwareStore: hardware_store|hardware_stores Baumarkt|Baumärkte quincaillerie|quincailleries ferretería|ferreterías loja_de_ferragens|lojas_de_ferragens 金物店
ElectronicsStore: electronics_store|electronics_stores Elektronikmarkt|Elektronikmärkte magasin_d’électronique|magasins_d’électronique tienda_de_electrónica|tiendas_de_electrónica loja_de_eletrónica|lojas_de_eletrónica 家電店
FurnitureStore: furniture_store|furniture_stores Möbelhaus|Möbelhäuser magasin_de_meubles|magasins_de_meubles tienda_de_muebles|tiendas_de_muebles loja_de_móveis|lojas_de_móveis 家具店
HealthClub: health_club|health_clubs Fitnessstudio|Fitnessstudios salle_de_sport|salles_de_sport gimnasio|gimnasios ginásio|ginásios フィットネスクラブ
HairSalon: hairdresser|hairdressers Friseursalon|Friseursalons salon_de_coiffure|salons_de_coiffure peluquería|peluquerías cabeleireiro|cabeleireiros 美容室
BeautySalon: beauty_salon|beauty_salons Kosmetikstudio|Kosmetikstudios institut_de_beauté|instituts_de_beauté salón_de_belleza|salones_de_belleza salão_de_beleza|salões_de_beleza エステサロン
AutoRepair: garage|garages Autowerkstatt|Autowerkstätten garage|garages taller_mecánico|talleres_mecánicos oficina|oficinas 自動車整備工場
AutoDealer: car_dealer|car_dealers Autohaus|Autohäuser concessionnaire|concessionnaires concesionario|concesionarios concessionário|concessionários 自動車販売店
TravelAgency: travel_agency|travel_agencies Reisebüro|Reisebüros agence_de_voyages|agences_de_voyages agencia_de_viajes|agencias_de_viajes agência_de_viagens|agências_de_viagens 旅行代理店
Flight: flight|flights Flug|Flüge vol|vols vuelo|vuelos voo|voos フライト
Corporation: company|companies Unternehmen|Unternehmen entreprise|entreprises empresa|empresas empresa|empresas 企業
NGO: NGO|NGOs NGO|NGOs ONG|ONG ONG|ONG ONG|ONG NGO
GovernmentOrganization: public_authority|public_authorities Behörde|Behörden administration|administrations organismo_público|organismos_públicos organismo_público|organismos_públicos 行政機関
GovernmentService: public_service|public_services Behördenleistung|Behördenleistungen service_public|services_publics servicio_público|servicios_públicos serviço_público|serviços_públicos 行政サービス
EducationalOrganization: educational_organization|educational_organizations Bildungseinrichtung|Bildungseinrichtungen établissement_d’enseignement|établissements_d’enseignement centro_educativo|centros_educativos estabelecimento_de_ensino|estabelecimentos_de_ensino 教育機関
SportsTeam: sports_team|sports_teams Sportmannschaft|Sportmannschaften équipe_sportive|équipes_sportives equipo_deportivo|equipos_deportivos equipa_desportiva|equipas_desportivas スポーツチーム
Brand: brand|brands Marke|Marken marque|marques marca|marcas marca|marcas ブランド
FinancialProduct: financial_product|financial_products Finanzprodukt|Finanzprodukte produit_financier|produits_financiers producto_financiero|productos_financieros produto_financeiro|produtos_financeiros 金融商品
Legislation: law|laws Rechtsvorschrift|Rechtsvorschriften texte_de_loi|textes_de_loi norma_legal|normas_legales diploma_legal|diplomas_legais 法令
Project: project|projects Projekt|Projekte projet|projets proyecto|proyectos projeto|projetos プロジェクト
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

// Names are words for values of an attribute, by the words under which items are found.
type Names map[string]Text

// In names a value in a language; a value that has no word stays as it is.
func (n Names) In(s Speaker, value string) string {
	if text, ok := n[value]; ok {
		return s.Say(text)
	}
	return value
}

// Foods are classes of food: "dairy".
var Foods = Names{
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

// Colors are colours by their English names.
var Colors = Names{
	"black":     in("color_black", "black", "schwarz", "noir", "negro", "preto", "黒"),
	"white":     in("color_white", "white", "weiß", "blanc", "blanco", "branco", "白"),
	"red":       in("color_red", "red", "rot", "rouge", "rojo", "vermelho", "赤"),
	"blue":      in("color_blue", "blue", "blau", "bleu", "azul", "azul", "青"),
	"green":     in("color_green", "green", "grün", "vert", "verde", "verde", "緑"),
	"yellow":    in("color_yellow", "yellow", "gelb", "jaune", "amarillo", "amarelo", "黄色"),
	"brown":     in("color_brown", "brown", "braun", "marron", "marrón", "castanho", "茶色"),
	"grey":      in("color_grey", "grey", "grau", "gris", "gris", "cinzento", "グレー"),
	"pink":      in("color_pink", "pink", "rosa", "rose", "rosa", "cor-de-rosa", "ピンク"),
	"purple":    in("color_purple", "purple", "lila", "violet", "morado", "roxo", "紫"),
	"orange":    in("color_orange", "orange", "orange", "orange", "naranja", "laranja", "オレンジ"),
	"beige":     in("color_beige", "beige", "beige", "beige", "beis", "bege", "ベージュ"),
	"gold":      in("color_gold", "gold", "gold", "or", "dorado", "dourado", "金色"),
	"silver":    in("color_silver", "silver", "silber", "argent", "plateado", "prateado", "銀色"),
	"navy":      in("color_navy", "navy", "marineblau", "bleu marine", "azul marino", "azul-marinho", "紺"),
	"turquoise": in("color_turquoise", "turquoise", "türkis", "turquoise", "turquesa", "turquesa", "ターコイズ"),
}

// Stocks are availabilities of the vocabulary: "InStock" is "In stock".
var Stocks = Names{
	"InStock": {page + "in_stock"}, "InStoreOnly": {page + "in_store"}, "OnlineOnly": {page + "online"}, "LimitedAvailability": {page + "few_left"}, "PreOrder": {page + "in_advance"},
	"PreSale": {page + "presale"}, "BackOrder": {page + "back_order"}, "MadeToOrder": {page + "to_order"}, "OutOfStock": {page + "sold_out"}, "SoldOut": {page + "sold_out"},
	"Discontinued": {page + "discontinued"},
}
