package extremes

import (
	"testing"

	"frontdesk/internal/content/facets"
)

func TestReadsWhatIsComparedOrCounted(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]Wish{
		"What is your cheapest lawnmower?":    {Superlative: "cheapest", Subject: "lawnmower"},
		"which tent is the biggest":           {Superlative: "largest", Subject: "tent"},
		"which garage is cheaper per day":     {Superlative: "cheapest", Subject: "garage", Per: "day"},
		"how many bicycles do you sell":       {Subject: "bicycles"},
		"the dearest thing you have":          {Superlative: "dearest", Anything: true},
		"Welches ist euer günstigstes Zelt?":  {Superlative: "cheapest", Subject: "Zelt"},
		"wie viele Wanderungen gibt es":       {Subject: "Wanderungen"},
		"quel est votre gîte le plus grand ?": {Superlative: "largest", Subject: "gîte"},
		"combien de vélos avez-vous":          {Subject: "vélos"},
		"la bicicleta más ligera":             {Superlative: "lightest", Subject: "bicicleta"},
		"¿cuántas cabañas hay?":               {Subject: "cabañas"},
		"qual é a tenda mais barata":          {Superlative: "cheapest", Subject: "tenda"},
		"la tenda più leggera":                {Superlative: "lightest", Subject: "tenda"},
		"quante tende avete?":                 {Subject: "tende"},
		"which job pays the most":             {Superlative: "bestpaid", Subject: "job"},
		"la oferta mejor pagada":              {Superlative: "bestpaid", Subject: "oferta"},
		"the cheapest paid course":            {Superlative: "cheapest", Subject: "course", Paid: true},
		"the dearest treatment of the centre": {Superlative: "dearest", Subject: "treatment"},
		"which is the biggest house":          {Superlative: "largest", Subject: "house"},
		"das teuerste Gericht auf der Karte":  {Superlative: "dearest", Subject: "Gericht"},
		"いちばん高い鉢植えは？":                         {Superlative: "dearest", Subject: "鉢植え"},
		"一番安いテントはどれですか":                       {Superlative: "cheapest", Subject: "テント"},
		// The same in the words of each language.
		"how many different mugs do you have":     {Subject: "mugs"},
		"wie viele verschiedene Tassen habt ihr":  {Subject: "Tassen"},
		"quantas canecas diferentes têm à venda?": {Subject: "canecas"},
		"combien de modèles de tasse vendez-vous": {Subject: "tasse"},
		"cuántos modelos de taza tenéis":          {Subject: "taza"},
		"quanti tipi di tazza avete?":             {Subject: "tazza"},
		"マグカップは何種類ありますか":                          {Subject: "マグカップ"},
		"which mug costs the least":               {Superlative: "cheapest", Subject: "mug"},
		"welche Tasse kostet am wenigsten":        {Superlative: "cheapest", Subject: "Tasse"},
		"quelle tasse coûte le moins":             {Superlative: "cheapest", Subject: "tasse"},
		"qué taza cuesta menos":                   {Superlative: "cheapest", Subject: "taza"},
		"la tazza che costa meno":                 {Superlative: "cheapest", Subject: "tazza"},
		"a caneca que custa menos":                {Superlative: "cheapest", Subject: "caneca"},
		"値段が一番安いマグカップ":                            {Superlative: "cheapest", Subject: "マグカップ"},
		"which walk takes the longest":            {Superlative: "longest", Subject: "walk"},
		"längste Tour, die ihr anbietet":          {Superlative: "longest", Subject: "Tour"},
		"la balade qui dure le plus longtemps":    {Superlative: "longest", Subject: "balade"},
		"qual o passeio mais demorado":            {Superlative: "longest", Subject: "passeio"},
		"la ruta que dura más":                    {Superlative: "longest", Subject: "ruta"},
		"quale passeggiata dura di più":           {Superlative: "longest", Subject: "passeggiata"},
		// Where all is says no kind, unless it is a part of its name.
		"cheapest house plant":                   {Superlative: "cheapest", Subject: "house plant"},
		"how many card games are in the shop":    {Subject: "card games"},
		"the priciest mug on your shelves":       {Superlative: "dearest", Subject: "mug"},
		"der teuerste Becher im Regal":           {Superlative: "dearest", Subject: "Becher"},
		"le truc le moins cher du rayon déco":    {Superlative: "cheapest", Subject: "déco", Anything: true},
		"lo más caro de la carta de vinos":       {Superlative: "dearest", Subject: "vinos"},
		"l'articolo più caro del reparto giochi": {Superlative: "dearest", Subject: "giochi", Anything: true},
		"a coisa mais barata da secção de chá":   {Superlative: "cheapest", Subject: "chá", Anything: true},
		// The dearest of all that there is names no kind; a place that is asked for is one.
		"the most expensive of the whole shop": {Superlative: "dearest", Anything: true},
		"das Teuerste im Laden":                {Superlative: "dearest", Anything: true},
		"das Billigste im ganzen Geschäft":     {Superlative: "cheapest", Anything: true},
		"le plus cher de tout le magasin":      {Superlative: "dearest", Anything: true},
		"lo más caro de toda la tienda":        {Superlative: "dearest", Anything: true},
		"il più caro di tutto il negozio":      {Superlative: "dearest", Anything: true},
		"o mais caro de toda a loja":           {Superlative: "dearest", Anything: true},
		"the cheapest hotel":                   {Superlative: "cheapest", Subject: "hotel"},
		"el hotel más barato de la ciudad":     {Superlative: "cheapest", Subject: "hotel ciudad"},
		// What a thing is in says no more of its kind.
		"the biggest bag of dog food you've got": {Superlative: "largest", Subject: "bag dog food", Inner: "dog food"},
		"die günstigste Flasche Wein":            {Superlative: "cheapest", Subject: "Flasche Wein", Inner: "Wein"},
		"la bouteille de vin la moins chère":     {Superlative: "cheapest", Subject: "bouteille vin", Inner: "vin"},
		"la botella de vino más barata":          {Superlative: "cheapest", Subject: "botella vino", Inner: "vino"},
		"la bottiglia di vino più economica":     {Superlative: "cheapest", Subject: "bottiglia vino", Inner: "vino"},
		"a garrafa de vinho mais barata":         {Superlative: "cheapest", Subject: "garrafa vinho", Inner: "vinho"},
		// What is compared may be a place on a scale, or any dimension.
		"the easiest walk":          {Superlative: "easiest", Subject: "walk"},
		"die anspruchsvollste Tour": {Superlative: "hardest", Subject: "Tour"},
		"le plat le plus épicé":     {Superlative: "spiciest", Subject: "plat"},
		"la ruta más fácil":         {Superlative: "easiest", Subject: "ruta"},
		"which sauna is hottest":    {Superlative: "hottest", Subject: "sauna"},
		"die heißeste Sauna":        {Superlative: "hottest", Subject: "Sauna"},
		"la sauna más caliente":     {Superlative: "hottest", Subject: "sauna"},
		"il percorso più difficile": {Superlative: "hardest", Subject: "percorso"},
		"o trilho mais fácil":       {Superlative: "easiest", Subject: "trilho"},
		"一番難しいコース":                  {Superlative: "hardest", Subject: "コース"},
		"your deepest lake":         {Superlative: "deepest", Subject: "lake"},
		"das breiteste Regal":       {Superlative: "widest", Subject: "Regal"},
		"la piscina más profunda":   {Superlative: "deepest", Subject: "piscina"},
	} {
		got, ok := Read(question)
		got.Beside, got.First, got.Tag, got.Contained = "", "", "", false
		if got.Inner == got.Subject || want.Inner == "" {
			got.Inner = ""
		}
		if !ok || got != want {
			t.Errorf("%q reads %+v, %v; want %+v", question, got, ok, want)
		}
	}
	for _, question := range []string{"a tent for two", "ein Zelt", "when do you open", "テント",
		"wie viel kostet ein Zelt", "une tente à moins de 20 euros"} {
		if got, ok := Read(question); ok {
			t.Errorf("%q reads %+v, want nothing", question, got)
		}
	}
}

func TestFiguresOfText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text, measure, per string
		want               float64
	}{
		{"Zaino Sentiero 18 litri", "volume", "", 18000},
		{"Teapot 0.9 litre", "volume", "", 900},
		{"Mit 95 Grad nichts für Zaghafte", "temperature", "", 95},
		{"The water is 32 °C", "temperature", "", 32},
		{"Saal für 120 Personen, zwei Zimmer", "people", "", 120},
		{"Pour six personnes.", "people", "", 6},
		{"Plots of 125 square metres", "area", "", 125},
		{"85 spaces, £2 an hour, £9 a day", "price", "hour", 2},
		{"85 spaces, £2 an hour, £9 a day", "price", "day", 9},
		{"12,50 Euro pro Stunde", "price", "hour", 12.5},
		{"Trecento grammi", "volume", "", 0},
		{"Open day and night", "price", "", 0},
	} {
		got, ok := Told(row.text, row.measure, row.per, true)
		if ok != (row.want > 0) || got.Figure.High != row.want {
			t.Errorf("%q says of %s %+v, %v; want %v", row.text, row.measure, got, ok, row.want)
		}
	}
}

func TestFiguresOfFacts(t *testing.T) {
	t.Parallel()
	room := facets.Read([]byte(`{"@type":"HotelRoom","occupancy":{"@type":"QuantitativeValue","maxValue":3},
		"floorSize":{"@type":"QuantitativeValue","value":38},"offers":{"price":"150","priceCurrency":"EUR"},
		"additionalProperty":[{"name":"Capacity","value":"2 l"}]}`)).Figures
	for measure, want := range map[string]float64{"area": 38, "people": 3, "price": 150, "volume": 2000, "weight": 0} {
		if got, _ := (&Wish{Superlative: "largest"}).Stated(room, measure); got.Figure.High != want {
			t.Errorf("the %s is %+v, want %v", measure, got, want)
		}
	}
}

func TestPayByTheHourIsNotComparedWithPayByTheYear(t *testing.T) {
	t.Parallel()
	pay := valueOf(2600, "EUR")
	all := []Value{pay.Paid("MON"), valueOf(24000, "EUR").Paid("ANN"), valueOf(15, "EUR").Paid("HUR"),
		valueOf(16, "EUR").Paid("HUR")}
	if all[0].Figure.High != 31200 || CommonUnit(all) != "EUR" || all[2].Unit == "EUR" {
		t.Errorf("%+v, compared in %s", all, CommonUnit(all))
	}
}

func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	english := in("en")
	for _, table := range tables() {
		for key := range english.texts {
			if table.texts[key] == "" {
				t.Errorf("%s has no %q", table.tag, key)
			}
		}
		for name := range table.phrases {
			if name != "anything" && name != "count" && superlatives()[name].measures == nil &&
				english.phrases[name] == nil {
				t.Errorf("%s: %q is no name", table.tag, name)
			}
		}
	}
	for name, s := range superlatives() {
		for _, m := range s.measures {
			if measureOf(m).names == nil {
				t.Errorf("%s compares %s, which is no measure", name, m)
			}
		}
	}
}
