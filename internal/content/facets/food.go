package facets

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A class is a kind of food that people leave out: an allergen, or what a diet forbids. Words are folded. They were
// gathered for what recipes and groceries really say; a class is a reason to leave an item out, never a promise that
// something is not in it.
type class struct {
	asked []string // how questions call the class
	words []string // what belongs to it, in the singular; plurals are recognised
	not   []string // what a word of it may stand behind without belonging to it: "coconut milk"
	after []string // words behind it that make something else of it: "butter beans"
}

var classes = map[string]class{
	"nuts": {
		asked: split("nut,nuts,tree nut,tree nuts,nuss,nusse,schalenfruchte,noix,fruits a coque,fruit a coque,frutos secos,fruto seco,nueces,nuez,nozes,noz,frutos de casca rija,castanhas,ナッツ,木の実"),
		words: split("nut,almond,walnut,hazelnut,cashew,pistachio,pecan,macadamia,brazil nut,pine nut,praline,marzipan,frangipane,nutella,gianduja,nuss,mandel,walnuss,haselnuss,pistazie,noix,amande,noisette,noix de cajou,pistache,nuez,nueces,almendra,avellana,anacardo,pistacho,noz,nozes,amendoa,avela,castanha de caju,アーモンド,くるみ,クルミ,カシューナッツ,ピスタチオ,ヘーゼルナッツ,ナッツ,nusse,walnusse,haselnusse,pekannusse,paranusse,cashewkerne,pinienkerne,cashewkern,pekannuss,macadamianuss,paranuss,pinienkern,krokant,nougat,noix de pecan,pignon,noix du bresil,massepain,pralin,pinon,nuez de brasil,mazapan,turron,castanha,pinhao,noz peca,macapao,piniao,マカダミア,ピーカンナッツ,カシュー"),
		after: split("squash"), not: split("pea,tiger,dough"),
	},
	"peanuts": {
		asked: split("peanut,peanuts,groundnut,groundnuts,erdnuss,erdnusse,cacahuete,cacahuetes,arachide,arachides,mani,amendoim,ピーナッツ,落花生"),
		words: split("peanut,groundnut,satay,erdnuss,erdnusse,cacahuete,arachide,mani,amendoim,ピーナッツ,落花生"),
	},
	"dairy": {
		asked: split("dairy,milk,lactose,milch,laktose,milchprodukte,produits laitiers,lait,lacteos,leche,lactosa,laticinios,leite,乳製品,牛乳,乳"),
		words: split("milk,butter,cream,cheese,yoghurt,yogurt,skyr,quark,kefir,buttermilk,whey,casein,ghee,custard,creme fraiche,feta,halloumi,parmesan,mozzarella,ricotta,mascarpone,cheddar,gruyere,pecorino,gorgonzola,brie,camembert,paneer,labneh,gouda,emmental,cottage cheese,cream cheese,condensed milk,ice cream,milch,sahne,rahm,kase,joghurt,schmand,lait,beurre,creme,fromage,yaourt,leche,mantequilla,nata,queso,yogur,leite,manteiga,queijo,iogurte,natas,requeijao,牛乳,バター,チーズ,生クリーム,ヨーグルト,molke,frischkase,hirtenkase,buttermilch,sauerrahm,butterschmalz,schlagsahne,kondensmilch,lait concentre,petit suisse,babeurre,creme glacee,fromage blanc,faisselle,requeson,cuajada,nata liquida,suero de leche,leche condensada,queijo fresco,leite condensado,soro de leite,sorvete,練乳,粉チーズ,アイスクリーム,脱脂粉乳"),
		not:   split("coconut,almond,oat,soy,soya,rice,plant,vegan,peanut,cocoa,cashew,nut,hazelnut,apple,body,shea,free,hemp,de coco,d amande,sonnencreme,shaving,hand,face,kokos,mandel,hafer,soja,soia,アーモンド,豆"),
		after: split("bean,beans,lettuce,squash,of tartar,cracker,crackers,de coco,de soja,d amande,d avoine,de amendoas,de almendras,de avena"),
	},
	"cheese": {
		asked: split("cheese,kase,fromage,queso,queijo,チーズ"),
		words: split("cheese,feta,halloumi,parmesan,mozzarella,ricotta,mascarpone,cheddar,gruyere,pecorino,gorgonzola,brie,camembert,paneer,gouda,emmental,roquefort,stilton,manchego,kase,fromage,queso,queijo,チーズ"),
		not:   split("vegan"),
	},
	"eggs": {
		asked: split("egg,eggs,ei,eier,oeuf,oeufs,huevo,huevos,ovo,ovos,卵,たまご,玉子,タマゴ"),
		words: split("egg,egg yolk,egg white,mayonnaise,meringue,aioli,ei,eier,eigelb,eiweiss,oeuf,huevo,ovo,卵,たまご,玉子,タマゴ,マヨネーズ"),
		not:   split("vegan"), after: split("plant,replacer,free"),
	},
	"gluten": {
		asked: split("gluten,wheat,weizen,ble,trigo,小麦,小麦粉,グルテン"),
		words: split("wheat,plain flour,self raising flour,wholemeal flour,bread flour,strong flour,all purpose flour,white flour,flour,bread,breadcrumb,toast,sourdough,baguette,brioche,ciabatta,couscous,bulgur,semolina,spelt,rye,barley,farro,freekeh,seitan,malt,pasta,spaghetti,linguine,tagliatelle,macaroni,lasagne,lasagna,orzo,noodle,udon,ramen,filo,puff pastry,shortcrust,pastry,cracker,tortilla,pitta,pita,naan,beer,weizen,mehl,brot,dinkel,roggen,gerste,griess,nudel,ble,farine,pates,orge,seigle,semoule,trigo,harina,cebada,farinha,pao,cevada,小麦,パン,うどん,薄力粉,強力粉,中力粉,中華麺,ラーメン,そうめん,パスタ,スパゲッティ,weizenmehl,dinkelmehl,roggenmehl,brotchen,semmel,semmelbrosel,paniermehl,toastbrot,spatzle,knodel,zwieback,blatterteig,filoteig,hefeteig,grunkern,malz,bier,pain,chapelure,vermicelle,nouille,biscotte,pate brisee,pate feuilletee,pate sablee,epeautre,boulgour,biere,crouton,pan rallado,de pan,panecillo,galleta,fideo,espagueti,macarron,tallarin,centeno,cuscus,masa quebrada,hojaldre,cerveza,pao ralado,macarrao,massa folhada,centeio,cuscuz,bolacha,biscoito,cerveja,食パン,パン粉,麩,マカロニ,焼きそば麺,ビール,大麦,ライ麦,セモリナ"),
		not:   split("gluten free,rice,buckwheat,almond,corn,maize,chickpea,gram,oat,coconut,tapioca,potato,glass,cassava,teff,glutenfrei,reis,mais,buchweizen,kartoffel,sans gluten,de riz,sin gluten,de arroz,sem gluten,ginger,root"),
		after: split("de riz,de mais,de arroz,de maiz,de milho,de sarrasin,de pois chiches"),
	},
	"fish": {
		asked: split("fish,fisch,poisson,pescado,peixe,魚"),
		words: split("fish,salmon,haddock,coley,cod,mackerel,trout,herring,tuna,anchovy,anchovies,sardine,sea bass,halibut,sole,plaice,pollock,hake,monkfish,swordfish,tilapia,kipper,eel,caviar,roe,worcestershire sauce,fish sauce,fisch,lachs,thunfisch,forelle,hering,kabeljau,dorsch,makrele,sardelle,poisson,saumon,thon,cabillaud,truite,hareng,maquereau,anchois,pescado,atun,bacalao,trucha,merluza,peixe,atum,bacalhau,truta,sardinha,魚,鮭,サーモン,まぐろ,マグロ,ツナ,さば"),
	},
	"shellfish": {
		asked: split("shellfish,crustacean,crustaceans,mollusc,molluscs,mollusk,mollusks,krustentiere,meeresfruchte,weichtiere,fruits de mer,crustaces,mariscos,marisco,甲殻類,貝,えび,エビ,海老,かに,カニ,蟹"),
		words: split("shellfish,crab,prawn,shrimp,lobster,crayfish,langoustine,mussel,clam,oyster,scallop,squid,octopus,calamari,cockle,whelk,cuttlefish,crustacean,mollusc,krabbe,garnele,hummer,muschel,auster,tintenfisch,crevette,moule,homard,huitre,crabe,calmar,gamba,camaron,mejillon,almeja,ostra,calamar,pulpo,camarao,mexilhao,lula,polvo,えび,エビ,海老,かに,カニ,蟹,ほたて,ホタテ,あさり,アサリ,貝,牡蠣,いか,たこ"),
		after: split("mushroom,mushrooms"),
	},
	"seafood": {asked: split("seafood,シーフード,海鮮")},
	"soy": {
		asked: split("soy,soya,soja,soia,大豆"),
		words: split("soy,soya,tofu,tempeh,edamame,miso,tamari,soja,sojasauce,大豆,豆腐,味噌,醤油"),
	},
	"sesame": {
		asked: split("sesame,sesam,sesamo,gergelim,ごま,胡麻"),
		words: split("sesame,tahini,tahin,sesam,sesamo,gergelim,hummus,za atar,zaatar,ごま,胡麻"),
	},
	"mustard": {asked: split("mustard,senf,moutarde,mostaza,mostarda,からし"), words: split("mustard,senf,moutarde,mostaza,mostarda,からし,マスタード")},
	"celery":  {asked: split("celery,sellerie,celeri,apio,aipo,セロリ"), words: split("celery,celeriac,sellerie,celeri,apio,aipo,セロリ")},
	"lupin":   {asked: split("lupin,lupine,lupinen,altramuz"), words: split("lupin,lupine,altramuz")},
	"meat": {
		asked: split("meat,meats,fleisch,viande,carne,肉,お肉"),
		words: split("meat,beef,chicken,pork,bacon,ham,lamb,turkey,duck,veal,sausage,salami,chorizo,prosciutto,pancetta,mince,steak,goose,venison,rabbit,pheasant,mutton,goat,oxtail,liver,meatball,pepperoni,mortadella,gammon,lardon,chicken stock,beef stock,beef broth,bone broth,lard,suet,fleisch,rind,rindfleisch,huhn,hahnchen,schwein,schweinefleisch,speck,schinken,lamm,pute,ente,wurst,hackfleisch,viande,boeuf,poulet,porc,jambon,agneau,dinde,canard,saucisse,veau,carne,ternera,vacuno,pollo,cerdo,jamon,cordero,pavo,pato,tocino,salchicha,frango,porco,presunto,cordeiro,linguica,肉,鶏肉,豚肉,牛肉,鶏,豚,チキン,ささみ,ベーコン,ハム,ソーセージ"),
		not:   split("vegan,vegetarian,veggie,mushroom,tofu,cauliflower,celeriac,vegane,vegetarische,soya,soy,no,plant"),
		after: split("substitute,alternative,tomato,tomatoes,free,cheese,milk,butter"),
	},
	"pork": {
		asked: split("pork,schwein,schweinefleisch,porc,cerdo,porco,豚,豚肉"),
		words: split("pork,bacon,ham,prosciutto,pancetta,lardon,gammon,salami,chorizo,pepperoni,lard,schwein,schweinefleisch,speck,schinken,porc,jambon,cerdo,jamon,tocino,porco,presunto,豚肉,豚,ベーコン,ハム"),
		not:   split("turkey,vegan,vegetarian"),
	},
	"poultry": {asked: split("鶏肉,鶏,とり肉"), words: split("鶏,チキン,ささみ,とり肉")},
	"beef":    {asked: split("牛肉"), words: split("牛肉,牛もも,牛バラ,牛すじ,牛ひき,和牛,ビーフ")},
	"alcohol": {
		asked: split("alcohol,alkohol,alcool,alcol,アルコール,酒"),
		words: split("alcohol,wine,beer,cider,rum,brandy,vodka,whisky,whiskey,gin,sherry,marsala,port wine,liqueur,champagne,prosecco,vermouth,cointreau,wein,bier,schnaps,vin,biere,vino,cerveza,vinho,cerveja,ワイン,ビール,日本酒"),
		not:   split("alcohol free,non alcoholic,alkoholfrei,apple,root,ginger"), after: split("vinegar,glass,glasses,gum"),
	},
	"honey":   {asked: split("honey,honig,miel,mel,はちみつ,蜂蜜"), words: split("honey,honig,miel,はちみつ,蜂蜜"), after: split("melon,dew,mustard free")},
	"gelatin": {asked: split("gelatin,gelatine,gelatina,ゼラチン"), words: split("gelatin,gelatine,gelatina,ゼラチン,marshmallow")},
	"sugar":   {asked: split("sugar,added sugar,zucker,sucre,azucar,acucar,砂糖"), words: split("sugar,syrup,zucker,sucre,azucar,acucar,砂糖"), after: split("snap,snaps,free")},
}

func split(list string) []string { return strings.Split(list, ",") }

// A diet forbids classes. implied are diets that hold where it does.
type diet struct {
	said    []string // folded, in our languages
	forbids []string
	implies []string
}

var diets = map[string]diet{
	"vegan": {
		said:    split("vegan,plant based,plantbased,vegane,veganes,veganer,veganen,vegetalien,vegana,vegano,veganas,veganos,vegans,ビーガン,ヴィーガン"),
		forbids: split("meat,fish,shellfish,dairy,eggs,honey,gelatin"), implies: split("vegetarian,dairyfree,eggsfree,meatfree,fishfree,shellfishfree,porkfree"),
	},
	"vegetarian": {
		said:    split("vegetarian,veggie,meatless,meat free,vegetarisch,vegetarische,vegetarisches,vegetarischer,vegetarischen,fleischlos,vegetarien,vegetarienne,vegetariens,vegetariano,vegetariana,vegetarianos,vegetarianas,ベジタリアン,vegetarians"),
		forbids: split("meat,fish,shellfish,gelatin"), implies: split("meatfree,fishfree,shellfishfree,porkfree"),
	},
	"pescatarian": {said: split("pescatarian,pescetarian"), forbids: split("meat,gelatin"), implies: split("meatfree,porkfree")},
	"glutenfree": {
		said:    split("gluten free,glutenfree,coeliac,celiac,glutenfrei,glutenfreie,glutenfreies,glutenfreier,glutenfreien,sans gluten,sin gluten,sem gluten,グルテンフリー,gf"),
		forbids: split("gluten"),
	},
	"lowlactose": {
		said:    split("low lactose,lactose free,lactosefree,laktosefrei,laktosefreie,sans lactose,sin lactosa,sem lactose"),
		forbids: nil,
	},
	"dairyfree":     {said: split("dairy free,dairyfree,milk free,milchfrei,sans produits laitiers,sin lacteos,sem laticinios"), forbids: split("dairy"), implies: split("lowlactose")},
	"nutsfree":      {said: split("nut free,nutfree,nussfrei,sans noix,sin frutos secos"), forbids: split("nuts,peanuts")},
	"eggsfree":      {said: split("egg free,eggfree,eifrei,sans oeuf,sin huevo,sem ovo"), forbids: split("eggs")},
	"soyfree":       {said: split("soy free,soya free,sojafrei"), forbids: split("soy")},
	"sesamefree":    {said: split("sesame free"), forbids: split("sesame")},
	"peanutsfree":   {said: split("peanut free"), forbids: split("peanuts")},
	"alcoholfree":   {said: split("alcohol free,non alcoholic,alkoholfrei,sans alcool,sin alcohol,sem alcool,ノンアルコール"), forbids: split("alcohol")},
	"sugarfree":     {said: split("sugar free,sugarfree,zuckerfrei,sans sucre,sin azucar,sem acucar,無糖"), forbids: split("sugar")},
	"halal":         {said: split("halal,ハラール,ハラル"), forbids: split("pork,alcohol")},
	"kosher":        {said: split("kosher,koscher,casher,コーシャ"), forbids: split("pork,shellfish")},
	"hindu":         {said: nil},
	"diabetic":      {said: split("diabetic,diabetic friendly,diabetiker")},
	"lowcalorie":    {said: split("low calorie,low cal,kalorienarm,basses calories,bajo en calorias,baixas calorias")},
	"lowfat":        {said: split("low fat,fettarm,faible en gras,bajo en grasa,baixo teor de gordura")},
	"lowsalt":       {said: split("low salt,low sodium,salzarm,pauvre en sel,bajo en sal,baixo teor de sal")},
	"lowcarb":       {said: split("low carb,lowcarb,kohlenhydratarm")},
	"highprotein":   {said: split("high protein,proteinreich,riche en proteines,alto en proteinas,rico em proteinas")},
	"keto":          {said: split("keto,ketogenic,ketogen")},
	"paleo":         {said: split("paleo")},
	"meatfree":      {forbids: split("meat")},
	"fishfree":      {forbids: split("fish")},
	"shellfishfree": {said: split("shellfish free"), forbids: split("shellfish")},
	"porkfree":      {said: split("pork free"), forbids: split("pork")},
}

var (
	classAsked = map[string]string{}
	classWords = map[string][]string{} // the last word of what belongs to a class, to the classes
	foodWords  = map[string]bool{}     // what belongs to a class in one word, in the singular
	dietSaid   = map[string]string{}
)

func init() {
	for name, c := range classes {
		for _, word := range c.asked {
			classAsked[word] = name
		}
		for _, phrase := range c.words {
			last := Singular(phrase[strings.LastIndexByte(phrase, ' ')+1:])
			if !strings.Contains(phrase, " ") {
				foodWords[last] = true
			}
			if !slices.Contains(classWords[last], name) {
				classWords[last] = append(classWords[last], name)
			}
		}
	}
	for name, d := range diets {
		dietSaid[name] = name
		for _, said := range d.said {
			dietSaid[said] = name
		}
	}
	for said, name := range map[string]string{"hindu": "hindu", "nutfree": "nutsfree", "eggfree": "eggsfree", "peanutfree": "peanutsfree", "wheatfree": "glutenfree", "lactosefree": "lowlactose", "milkfree": "dairyfree", "soyafree": "soyfree", "lowsodium": "lowsalt"} {
		dietSaid[said] = name
	}
	for _, names := range classWords {
		slices.Sort(names) // so that reading is deterministic
	}
}

// Class finds the class of food that a folded word or phrase names: "nuts", "dairy", "meat", in any of our languages. An
// item with a food of a class has the class among its words of the slot Contains.
func Class(phrase string) (name string, ok bool) {
	name, ok = classAsked[phrase]
	return name, ok
}

// ClassesOf gives the classes whose absence a class's absence means: fish and shellfish for seafood, peanuts too for nuts.
func ClassesOf(name string) []string {
	switch name {
	case "seafood":
		return []string{"fish", "shellfish"}
	case "fish":
		return []string{"fish", "shellfish"}
	case "nuts":
		return []string{"nuts", "peanuts"}
	}
	return []string{name}
}

// DietOf finds the diet that folded words or a schema.org name say: "gluten free", "GlutenFreeDiet", "vegane". The result
// is a value of the slot Diet.
func DietOf(said string) (name string, ok bool) {
	name, ok = dietSaid[said]
	if !ok {
		name, ok = dietSaid[strings.TrimSuffix(strings.ReplaceAll(Fold(said), " ", ""), "diet")]
	}
	return name, ok
}

// Forbids gives the classes of food that a diet forbids.
func Forbids(diet string) []string { return diets[diet].forbids }

// Implied gives the diets that hold where a diet does.
func Implied(diet string) []string { return diets[diet].implies }

// FreeOf gives the class that a diet is free of and nothing more: nuts for "nutsfree". Whether it holds can be told from a
// list of ingredients.
func FreeOf(diet string) (class string, ok bool) {
	switch class, ok = strings.CutSuffix(diet, "free"); class {
	case "gluten", "sugar":
		return "", false // in too much that does not say so
	}
	_, known := classes[class]
	return class, ok && known
}

// dietName brings a declared diet to our name: schema.org's without "Diet", in lower case.
func dietName(declared string) string {
	if name, ok := DietOf(Fold(enumerated(declared))); ok {
		return name
	}
	name := strings.ToLower(enumerated(declared))
	return strings.TrimSuffix(strings.ReplaceAll(name, " ", ""), "diet")
}

// diets adds the diets that keywords, categories and the name say, what declared ones imply, and the classes of food that
// the name gives away.
func (r *reader) diets(name string) {
	var food bool
	for _, w := range slices.Clone(r.Words) {
		switch w.Slot {
		case Keywords, Category, "recipeCategory":
			if diet, ok := dietSaid[Fold(w.Text)]; ok {
				r.word(Diet, diet)
			}
		case Ingredient, Diet, Cuisine:
			food = true
		}
	}
	words := strings.Fields(Fold(name))
	for i := range words {
		for n := 1; n <= 2 && i+n <= len(words); n++ {
			if diet, ok := dietSaid[strings.Join(words[i:i+n], " ")]; ok && diet != "hindu" && len(words[i]) > 2 {
				r.word(Diet, diet)
			}
		}
	}
	for _, diet := range r.Values(Diet) {
		for _, implied := range diets[diet].implies {
			r.word(Diet, implied)
			for _, further := range diets[implied].implies {
				r.word(Diet, further)
			}
		}
	}
	slot := Called
	if food {
		slot = Contains
	}
	for _, class := range classesIn(Fold(name)) {
		r.word(slot, class)
	}
	r.figures()
}

// figures adds the diets that figures say: at most 300 kcal a serving is low in calories, 20 g of protein is high, 20 g of
// carbohydrates and 140 mg of sodium are low.
func (r *reader) figures() {
	for _, rule := range []struct {
		slot     Slot
		diet     string
		min, max float64
	}{{Calories, "lowcalorie", 1, 300}, {Protein, "highprotein", 20, math.MaxFloat64}, {Carbohydrate, "lowcarb", 0, 20}, {Sodium, "lowsalt", 0, 140}} {
		if f, ok := r.Figure(rule.slot); ok && f.Low >= rule.min && f.High <= rule.max {
			r.word(Diet, rule.diet)
		}
	}
}

// ingredient keeps what a line of a recipe is about: "3 bulbs fennel, in wedges" is "bulbs fennel".
func (r *reader) ingredient(line string) {
	folded := Fold(line)
	for _, class := range classesIn(folded) {
		r.contains(class)
	}
	if at := strings.IndexAny(line, ",(;"); at > 0 {
		folded = Fold(line[:at])
	}
	words := strings.Fields(folded)
	for len(words) > 1 {
		_, number := NumberWord(words[0])
		_, measure := units[words[0]]
		_, digits := ReadNumber(words[0])
		if !number && !measure && digits == 0 && !spoons[words[0]] {
			break
		}
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if len(text) > maxRunes {
		text = strings.ToValidUTF8(text[:maxRunes], "")
	}
	r.word(Ingredient, text)
}

// spoons are measures that are no units.
var spoons = func() map[string]bool {
	m := map[string]bool{}
	for _, word := range split("tbsp,tsp,tablespoon,tablespoons,teaspoon,teaspoons,el,tl,cup,cups,pinch,handful,clove,cloves,of,a,an,small,medium,large,bunch,sprig,sprigs,can,tin,slice,slices,few,piece,pieces,big,fresh,dried,eine,ein,prise,zehe,zehen,bund,dose,de,d,c,a soupe,cuillere,cuilleres,soupe,cafe,pincee,gousse,gousses,cucharada,cucharadas,cucharadita,colher,colheres,sopa,cha,about,half,some,little,ripe,firm,x,stk,packung,pkg,package,pack,jar,strip,knob,bulb,bulbs,stick,sticks,dash") {
		m[word] = true
	}
	return m
}()

func (r *reader) contains(class string) { r.word(Contains, class) }

// compounds are the German foods that words end or begin with ("Vollmilch", "Mandelmehl"), folded, by class. Where a word
// ends with one, what stands before it must not make something else of it.
var compounds = []struct {
	food, class string
	unlike      []string // what a word is not to begin with
	first       bool     // words that begin with it are of the class, too
}{
	{food: "haselnuss", class: "nuts", first: true}, {food: "walnuss", class: "nuts", first: true}, {food: "mandel", class: "nuts", first: true}, {food: "pistazien", class: "nuts", first: true},
	{food: "nuss", class: "nuts", unlike: split("kokos,muskat,erd,betel,kola,tiger")}, {food: "nusse", class: "nuts", unlike: split("kokos,muskat,erd,betel,kola,tiger")},
	{food: "nusskerne", class: "nuts", unlike: split("erd")},
	{food: "erdnuss", class: "peanuts", first: true}, {food: "erdnusse", class: "peanuts"},
	{food: "vollmilch", class: "dairy", first: true}, {food: "milch", class: "dairy", first: true, unlike: split("kokos,mandel,hafer,soja,reis,dinkel,hanf,lupinen,cashew,haselnuss,nuss,erbsen,sonnen,korper,reinigungs,pflanzen,mohn")},
	{food: "kase", class: "dairy", first: true}, {food: "quark", class: "dairy", first: true}, {food: "joghurt", class: "dairy", unlike: split("soja,kokos,hafer,mandel,lupinen")},
	{food: "sahne", class: "dairy", first: true, unlike: split("soja,hafer,kokos,reis,mandel,pflanzen")}, {food: "butterschmalz", class: "dairy"},
	{food: "fleisch", class: "meat", unlike: split("frucht,zahn,tomaten,kokos,kurbis,soja,jackfrucht,mango,avocado,oliven,thunfisch,fisch,krebs,krabben,muschel,hummer")},
	{food: "schinken", class: "meat", first: true}, {food: "speck", class: "meat"}, {food: "wurst", class: "meat"}, {food: "wurstchen", class: "meat"}, {food: "salami", class: "meat"},
	{food: "lachs", class: "fish", first: true}, {food: "forelle", class: "fish"}, {food: "thunfisch", class: "fish", first: true},
	{food: "garnele", class: "shellfish"}, {food: "garnelen", class: "shellfish", first: true},
}

// shortest is how many bytes what is read as a compound has at least, and one more.
const shortest = 4

// compoundClass is the class of food that a folded German compound belongs to; empty for none.
func compoundClass(word string) string {
	for _, c := range compounds {
		before, ends := strings.CutSuffix(word, c.food)
		if ends && !slices.ContainsFunc(c.unlike, func(other string) bool { return strings.HasPrefix(before, other) || strings.HasSuffix(before, other) }) {
			return c.class
		}
		if c.first && strings.HasPrefix(word, c.food) && !strings.Contains(word, "frei") {
			return c.class
		}
	}
	return ""
}

// classesIn gives the classes of food that a folded text mentions.
func classesIn(folded string) (found []string) {
	words := strings.Fields(folded)
	for i, word := range words {
		if len(word) > shortest {
			name := compoundClass(word)
			if singular, ok := strings.CutSuffix(word, "n"); ok && name == "" {
				name = compoundClass(singular)
			}
			if name != "" && !slices.Contains(found, name) && !denied(words, i) {
				found = append(found, name)
			}
		}
		for _, name := range classWords[Singular(word)] {
			if !slices.Contains(found, name) && classes[name].at(words, i) {
				found = append(found, name)
			}
		}
		if word != "" && word[0] >= 0x80 { // scripts without blanks: a class's word within a longer one
			for last, names := range classWords {
				if last[0] >= 0xe3 && strings.Contains(word, last) {
					for _, name := range names {
						if !slices.Contains(found, name) {
							found = append(found, name)
						}
					}
				}
			}
			slices.Sort(found)
		}
	}
	return found
}

// at says whether a food of the class ends at word i.
func (c class) at(words []string, i int) bool {
	hit := false
	for _, phrase := range c.words {
		n := strings.Count(phrase, " ") + 1
		if i+1 < n {
			continue
		}
		is := true
		for k, part := range strings.Fields(phrase) {
			if Singular(words[i+1-n+k]) != Singular(part) {
				is = false
				break
			}
		}
		if is {
			hit = true
			break
		}
	}
	if !hit {
		return false
	}
	before, after := strings.Join(words[max(0, i-2):i], " "), strings.Join(words[i+1:min(len(words), i+3)], " ")
	for _, lead := range c.not {
		if before == lead || strings.HasSuffix(before, " "+lead) {
			return false
		}
	}
	for _, tail := range append([]string{"free", "frei"}, c.after...) {
		if after == tail || strings.HasPrefix(after, tail+" ") {
			return false
		}
	}
	return !denied(words, i)
}

// denied says whether the word at i is said not to be there.
func denied(words []string, i int) bool {
	if i == 0 {
		return false
	}
	switch words[i-1] {
	case "no", "without", "not", "ohne", "sans", "sin", "sem":
		return true
	}
	return false
}

// Singular takes the ending of a plural off a folded word, where the rule is plain: "bags" becomes "bag".
func Singular(word string) string {
	n := len(word)
	switch {
	case n > 4 && strings.HasSuffix(word, "ies") && word != "cookies":
		return word[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(word, "oes") || strings.HasSuffix(word, "shes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes")):
		return word[:n-2]
	case n > 3 && word[n-1] == 's' && word[n-2] != 's' && word[n-2] != 'u' && word[n-2] != 'i':
		return word[:n-1]
	}
	return word
}

// jsonNumber reads a number as JSON writes it.
func jsonNumber(s string) (float64, bool) {
	if s == "" || len(s) > 40 || s[0] != '-' && (s[0] < '0' || s[0] > '9') || s[len(s)-1] < '0' || s[len(s)-1] > '9' {
		return 0, false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// IsFood says whether a folded word in the singular is a food that belongs to a class: "chicken", "cashew".
func IsFood(word string) bool { return foodWords[word] }
