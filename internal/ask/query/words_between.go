package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// concepts are words for the same thing in our languages, English, German, French, Spanish, Portuguese, Japanese: meals and dishes,
// what they are made of, and things that shops and calendars have. Each language's words stand between bars, the usual one
// first. They serve a question whose word no item has: it is read as the word for the same thing that items do have.
const concepts = `
breakfast,breakfasts|frühstück|petit déjeuner,petits déjeuners|desayuno,desayunos|café da manhã,pequeno almoço|朝食,朝ごはん
lunch,lunches|mittagessen|déjeuner,déjeuners|almuerzo,almuerzos|almoço,almoços|昼食,ランチ
dinner,dinners,supper|abendessen,abendbrot|dîner,dîners,souper|cena,cenas|jantar,jantares|夕食,晩ごはん,夕飯,ディナー
dessert,desserts,pudding|nachtisch,nachspeise,nachspeisen,dessert,desserts,nachtische|dessert,desserts|postre,postres|sobremesa,sobremesas|デザート
snack,snacks|imbiss,snack,snacks|en cas,encas,goûter|merienda,tentempié|lanche,lanches,petisco,petiscos|おやつ,軽食
starter,starters,appetizer,appetizers|vorspeise,vorspeisen|entrée,entrées|entrantes,entremeses|aperitivos|前菜
soup,soups|suppe,suppen|soupe,soupes,potage|sopa,sopas|sopa,sopas|スープ
salad,salads|salat,salate|salade,salades|ensalada,ensaladas|salada,saladas|サラダ
stew,stews|eintopf,eintöpfe|ragoût,ragoûts,mijoté|guiso,guisos,estofado,estofados|ensopado,ensopados,guisado,guisados|煮込み,シチュー
cake,cakes|kuchen,torte,torten|gâteau,gâteaux|pastel,pasteles,tarta,tartas,bizcocho|bolo,bolos|ケーキ
bread,breads|brot,brote|pain,pains|pan,panes|pão,pães|パン
cookies,cookie,biscuits,biscuit|kekse,keks,plätzchen|biscuits,biscuit|galletas,galleta|biscoitos,biscoito,bolachas|クッキー
pancakes,pancake|pfannkuchen|crêpes,crêpe|tortitas,panqueques|panquecas,panqueca|パンケーキ
pasta,noodles|nudeln,pasta|pâtes|pasta,fideos|massa,massas|パスタ
sandwich,sandwiches|belegtes brot,sandwich|sandwich,sandwichs|bocadillo,bocadillos,sándwich|sanduíche,sanduíches,sandes|サンドイッチ
sauce,sauces|soße,soßen,sauce|sauce,sauces||molho,molhos|ソース
drinks,drink,beverages|getränke,getränk|boissons,boisson|bebidas,bebida|bebidas,bebida|飲み物,ドリンク
tea,teas|tee,tees|thé,thés|té,tés|chá,chás|お茶,紅茶
coffee,coffees|kaffee|café,cafés|café,cafés|café,cafés|コーヒー
juice,juices|saft,säfte|jus|zumo,zumos,jugo|suco,sucos,sumo|ジュース
wine,wines|wein,weine|vin,vins|vino,vinos|vinho,vinhos|ワイン
beer,beers|bier,biere|bière,bières|cerveza,cervezas|cerveja,cervejas|ビール
chicken|huhn,hähnchen,hühnchen|poulet|pollo|frango|鶏肉,チキン
beef|rindfleisch|boeuf|ternera,carne de res|carne bovina,carne de vaca|牛肉,ビーフ
pork|schweinefleisch|porc|cerdo|porco|豚肉,ポーク
lamb|lamm,lammfleisch|agneau|cordero|cordeiro|ラム肉,羊肉
fish|fisch|poisson|pescado|peixe|魚
salmon|lachs|saumon|salmón|salmão|鮭,サーモン
shrimp,prawns,prawn|garnelen,garnele|crevettes,crevette|gambas,camarones|camarões,camarão|えび,エビ,海老
egg,eggs|ei,eier|oeuf,oeufs|huevo,huevos|ovo,ovos|卵,たまご
cheese|käse|fromage,fromages|queso,quesos|queijo,queijos|チーズ
butter|butter|beurre|mantequilla|manteiga|バター
potato,potatoes|kartoffel,kartoffeln|pomme de terre,pommes de terre|patata,patatas|batata,batatas|じゃがいも
tomato,tomatoes|tomate,tomaten|tomate,tomates|tomate,tomates|tomate,tomates|トマト
onion,onions|zwiebel,zwiebeln|oignon,oignons|cebolla,cebollas|cebola,cebolas|玉ねぎ,たまねぎ
garlic|knoblauch|ail|ajo|alho|にんにく,ニンニク
carrot,carrots|karotte,karotten,möhre,möhren|carotte,carottes|zanahoria,zanahorias|cenoura,cenouras|にんじん,人参
mushroom,mushrooms|pilz,pilze,champignons|champignon,champignons|champiñón,champiñones,seta,setas|cogumelo,cogumelos|きのこ
spinach|spinat|épinards|espinacas,espinaca|espinafre|ほうれん草
cabbage|kohl|chou|repollo|repolho,couve|キャベツ
beans,bean|bohnen,bohne|haricots,haricot|judías,frijoles,alubias|feijão,feijões|豆
lentils,lentil|linsen,linse|lentilles,lentille|lentejas,lenteja|lentilhas,lentilha|レンズ豆
chickpeas,chickpea|kichererbsen,kichererbse|pois chiches,pois chiche|garbanzos,garbanzo|grão de bico|ひよこ豆
rice|reis|riz|arroz|arroz|米,ご飯
apple,apples|apfel,äpfel|pomme,pommes|manzana,manzanas|maçã,maçãs|りんご
lemon,lemons|zitrone,zitronen|citron,citrons|limón,limones|limão,limões|レモン
strawberry,strawberries|erdbeere,erdbeeren|fraise,fraises|fresa,fresas|morango,morangos|いちご
chocolate|schokolade|chocolat|chocolate|chocolate|チョコレート,チョコ
almond,almonds|mandel,mandeln|amande,amandes|almendra,almendras|amêndoa,amêndoas|アーモンド
walnut,walnuts|walnuss,walnüsse|noix|nuez,nueces|noz,nozes|くるみ
ginger|ingwer|gingembre|jengibre|gengibre|生姜,しょうが
cinnamon|zimt|cannelle|canela|canela|シナモン
honey|honig|miel|miel|mel|はちみつ
vegetables,vegetable|gemüse|légumes,légume|verduras,verdura,hortalizas|legumes,verduras|野菜
fruit,fruits|obst,frucht,früchte|fruit,fruits|fruta,frutas|fruta,frutas|果物,フルーツ
lamp,lamps|lampe,lampen,leuchte,leuchten|lampe,lampes|lámpara,lámparas|lâmpada,lâmpadas,luminária,luminárias|ランプ,照明
lantern,lanterns|laterne,laternen|lanterne,lanternes|farol,linterna,linternas|lanterna,lanternas|ランタン
chair,chairs|stuhl,stühle|chaise,chaises|silla,sillas|cadeira,cadeiras|椅子
table,tables|tisch,tische|table,tables|mesa,mesas|mesa,mesas|テーブル
bed,beds|bett,betten|lit,lits|cama,camas|cama,camas|ベッド
shelf,shelves|regal,regale|étagère,étagères|estante,estantes,estantería|prateleira,prateleiras|棚
mirror,mirrors|spiegel|miroir,miroirs|espejo,espejos|espelho,espelhos|鏡
carpet,rug,rugs|teppich,teppiche|tapis|alfombra,alfombras|tapete,tapetes|ラグ,カーペット
blanket,blankets|wolldecke,decke,decken|couverture,couvertures|manta,mantas|cobertor,cobertores|毛布
pillow,pillows,cushion,cushions|kissen|oreiller,coussin,coussins|almohada,almohadas,cojín|travesseiro,almofada,almofadas|枕,クッション
towel,towels|handtuch,handtücher|serviette de bain,serviettes de bain|toalla,toallas|toalha,toalhas|タオル
knife,knives|messer|couteau,couteaux|cuchillo,cuchillos|faca,facas|ナイフ,包丁
spoon,spoons|löffel|cuillère,cuillères|cuchara,cucharas|colher,colheres|スプーン
plate,plates|teller|assiette,assiettes|plato,platos|prato,pratos|皿
bowl,bowls|schüssel,schüsseln,schale,schalen|bol,bols|cuenco,cuencos,tazón|tigela,tigelas|ボウル
cup,cups,mug,mugs|tasse,tassen,becher|tasse,tasses|taza,tazas|xícara,xícaras,caneca,canecas|カップ,マグカップ
pan,pans,frying pan,skillet|pfanne,pfannen|poêle,poêles|sartén,sartenes|frigideira,frigideiras|フライパン
pot,pots|kochtopf,topf,töpfe|casserole,casseroles,marmite|olla,ollas,cacerola|panela,panelas|鍋
kettle,kettles|wasserkocher|bouilloire,bouilloires|hervidor,hervidores|chaleira,chaleiras|やかん,ケトル
bottle,bottles|flasche,flaschen|bouteille,bouteilles,gourde|botella,botellas|garrafa,garrafas|ボトル,水筒
shoes,shoe|schuhe,schuh|chaussures,chaussure|zapatos,zapato|sapatos,sapato|靴
boots,boot|stiefel|bottes,botte|botas,bota|botas,bota|ブーツ
shirt,shirts|hemd,hemden|chemise,chemises|camisa,camisas|camisa,camisas|シャツ
trousers,pants|hose,hosen|pantalon,pantalons|pantalón,pantalones|calças,calça|ズボン,パンツ
dress,dresses|kleid,kleider|robe,robes|vestido,vestidos|vestido,vestidos|ドレス,ワンピース
jacket,jackets|jacke,jacken|veste,vestes|chaqueta,chaquetas|jaqueta,jaquetas,casaco|ジャケット
coat,coats|mantel,mäntel|manteau,manteaux|abrigo,abrigos|casaco,casacos|コート
sweater,sweaters,jumper,jumpers|pullover|pull,pulls|jersey,suéter,suéteres|suéter,camisola|セーター
socks,sock|socken,socke|chaussettes,chaussette|calcetines,calcetín|meias,meia|靴下
hat,hats|hut,hüte,mütze,mützen|chapeau,chapeaux,bonnet|sombrero,sombreros,gorro|chapéu,chapéus,gorro|帽子
scarf,scarves|schal,schals|écharpe,écharpes|bufanda,bufandas|cachecol,cachecóis|マフラー,スカーフ
gloves,glove|handschuhe,handschuh|gants,gant|guantes,guante|luvas,luva|手袋
belt,belts|gürtel|ceinture,ceintures|cinturón,cinturones|cinto,cintos|ベルト
bag,bags|tasche,taschen|sac,sacs|bolso,bolsos,bolsa|bolsa,bolsas|バッグ,かばん
backpack,backpacks,rucksack|rucksack,rucksäcke|sac à dos,sacs à dos|mochila,mochilas|mochila,mochilas|リュック,バックパック
wallet,wallets|geldbörse,geldbörsen,portemonnaie|portefeuille,portefeuilles|cartera,carteras|carteira,carteiras|財布
watch,watches|armbanduhr,armbanduhren|montre,montres|reloj,relojes|relógio,relógios|腕時計
necklace,necklaces|halskette,halsketten|collier,colliers|collar,collares|colar,colares|ネックレス
toys,toy|spielzeug,spielzeuge|jouets,jouet|juguetes,juguete|brinquedos,brinquedo|おもちゃ
games,game|spiele,spiel|jeux,jeu|juegos,juego|jogos,jogo|ゲーム
notebook,notebooks|notizbuch,notizbücher|carnet,carnets,cahier|cuaderno,cuadernos,libreta|caderno,cadernos|ノート
pen,pens|kugelschreiber,stift,stifte|stylo,stylos|bolígrafo,bolígrafos|caneta,canetas|ペン
headphones,earphones|kopfhörer|casque,écouteurs|auriculares|fones de ouvido,auscultadores|ヘッドホン,イヤホン
bicycle,bicycles,bike,bikes|fahrrad,fahrräder|vélo,vélos|bicicleta,bicicletas|bicicleta,bicicletas|自転車
tent,tents|zelt,zelte|tente,tentes|tienda de campaña|barraca,barracas|テント
tools,tool|werkzeug,werkzeuge|outils,outil|herramientas,herramienta|ferramentas,ferramenta|工具
hammer,hammers|hammer,hämmer|marteau,marteaux|martillo,martillos|martelo,martelos|ハンマー
saw,saws|säge,sägen|scie,scies|sierra,sierras|serrote,serra|のこぎり
axe,axes|axt,äxte,beil|hache,haches|hacha,hachas|machado,machados|斧
rope,ropes|seil,seile|corde,cordes|cuerda,cuerdas|corda,cordas|ロープ
candle,candles|kerze,kerzen|bougie,bougies|vela,velas|vela,velas|ろうそく,キャンドル
soap,soaps|seife,seifen|savon,savons|jabón,jabones|sabonete,sabonetes|石鹸
gift,gifts,present,presents|geschenk,geschenke|cadeau,cadeaux|regalo,regalos|presente,presentes|ギフト,プレゼント
plants,plant|pflanzen,pflanze|plantes,plante|plantas,planta|plantas,planta|植物
flowers,flower|blumen,blume|fleurs,fleur|flores,flor|flores,flor|花
garden,gardening|garten,gartenarbeit|jardin,jardinage|jardín,jardinería|jardim,jardinagem|庭,ガーデニング
kitchen|küche|cuisine|cocina|cozinha|キッチン
market,markets|markt,märkte|marché,marchés|mercado,mercados|mercado,mercados,feira|市場,マーケット
walk,walks,hike,hikes|spaziergang,spaziergänge,wanderung,wanderungen|promenade,promenades,randonnée,randonnées|paseo,paseos,caminata|passeio,passeios,caminhada|散歩,ハイキング
women,woman,ladies|damen,frauen,frau|femme,femmes|mujer,mujeres|mulher,mulheres|女性,レディース
men,man,mens|herren,männer,mann|homme,hommes|hombre,hombres|homem,homens|男性,メンズ
children,kids|kinder|enfants|niños|crianças|子供,子ども
family,families|familie,familien|famille,familles|familia,familias|família,famílias|家族
music|musik|musique|música|música|音楽
dance,dancing|tanz,tanzen|danse|baile,danza|dança|ダンス
theatre,theater|theater|théâtre|teatro|teatro|演劇,劇場
history|geschichte|histoire|historia|história|歴史
sea|meer|mer|mar|mar|海
harbour,harbor|hafen|port|puerto|porto|港
health|gesundheit|santé|salud|saúde|健康
`

// concept is one thing with its words, folded, in the order in which they are tried, and the languages that each is of.
type concept struct {
	words []string
	of    map[string]uint32
}

// conceptTongues are the languages of concepts in their order.
var conceptTongues = []string{"en", "de", "fr", "es", "pt", "ja"}

// conceptOf are the concepts by their words; what is a word for several, or a part of conditions, is none's. longestConcept is
// how many words one has at most, and japaneseWords are those that are found within a text, the longest first.
var conceptOf, longestConcept, japaneseWords = func() (of map[string]*concept, longest int, japanese []string) {
	of = map[string]*concept{}
	for line := range strings.Lines(concepts) {
		c := &concept{of: map[string]uint32{}}
		for t, list := range strings.Split(strings.TrimSpace(line), "|") {
			for word := range strings.SplitSeq(list, ",") {
				if word = facets.Fold(word); word == "" {
					continue
				}
				if !slices.Contains(c.words, word) {
					c.words = append(c.words, word)
				}
				c.of[word] |= 1 << slices.Index(tongues, conceptTongues[t])
			}
		}
		for _, word := range c.words {
			if len(vocabulary[word]) > 0 {
				continue
			}
			if _, twice := of[word]; twice {
				of[word] = nil
				continue
			}
			of[word] = c
			longest = max(longest, strings.Count(word, " ")+1)
			if word[0] >= 0xe3 {
				japanese = append(japanese, word)
			}
		}
	}
	slices.SortFunc(japanese, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return of, longest, japanese
}()

// elsewhere gives the word that items have for what a word or phrase means that none of them has; empty where they have it, or
// nothing for it. What is the name of a category or the like, and of the most items, goes first.
func (at *Asking) elsewhere(phrase string) string {
	c := conceptOf[phrase]
	if c == nil || at.hasAll(phrase) {
		return ""
	}
	best, most := "", -1
	for _, word := range c.words {
		if word == phrase || !at.hasAll(word) {
			continue
		}
		count := 0
		for _, m := range at.Lexicon.Meanings(word) {
			count = max(count, m.Count)
		}
		if count > most {
			best, most = word, count
		}
	}
	return best
}

// hasAll says whether items have each word of a phrase.
func (at *Asking) hasAll(phrase string) bool {
	for word := range strings.FieldsSeq(phrase) {
		if !at.Has(word) {
			return false
		}
	}
	return true
}

// between finds the longest phrase at token i whose thing items call otherwise: their word for it, and how many tokens it takes
// the place of.
func (l *line) between(i int, at *Asking) (word string, n int) {
	for n = min(longestConcept, len(l.tokens)-i); n > 0; n-- {
		if conceptOf[l.phrase(i, i+n)] == nil {
			continue
		}
		for k := i + 1; k < i+n; k++ {
			if l.tokens[k].comma || l.tokens[k].stop {
				return "", 0
			}
		}
		phrase := l.phrase(i, i+n)
		if word = at.elsewhere(phrase); word != "" && !l.speaks(conceptOf[phrase].of[phrase], n, at) {
			word = ""
		}
		return word, n
	}
	return "", 0
}

// speaks says whether a question may be in one of some languages, so that n words of it, which are of these, mean what they mean
// there: "pain" is no bread in English. Where its other words do not tell, the languages do that whoever asks prefers, and
// where there are none, it has to be all of the question.
func (l *line) speaks(in uint32, n int, at *Asking) bool {
	score, most := l.speech(), 0
	for _, s := range score {
		most = max(most, s)
	}
	if most > 0 {
		for t, s := range score {
			if s == most && in&(1<<t) != 0 {
				return true
			}
		}
		return false
	}
	for _, language := range at.Languages {
		if t := slices.Index(tongues, strings.ToLower(language[:min(2, len(language))])); t >= 0 {
			return in&(1<<t) != 0
		}
	}
	return n == len(l.tokens)
}

// betweenJapanese reads the words within a Japanese text as those that items have for the same things.
func betweenJapanese(text string, at *Asking) (string, []Correction) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x3040 && r <= 0x30ff || r >= 0x4e00 && r <= 0x9fff }) < 0 {
		return text, nil
	}
	var read []Correction
	for _, word := range japaneseWords {
		if len(read) == maxMended {
			break
		}
		if strings.Contains(text, word) {
			if known := at.elsewhere(word); known != "" {
				text = strings.Replace(text, word, " "+known+" ", 1)
				read = append(read, Correction{From: word, To: known})
			}
		}
	}
	return strings.TrimSpace(text), read
}
