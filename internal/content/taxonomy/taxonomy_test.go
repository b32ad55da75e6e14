package taxonomy

import (
	"slices"
	"testing"
)

func TestTextsStateClasses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text                        string
		how                         How
		has, traces, free, mentions string
	}{
		// Statements of content, in our languages.
		{"Contains hazelnuts, milk and soya.", Mentioned, "dairy hazelnuts nuts soy", "butter cheese", "", ""},
		{"Contains oats. May contain traces of nuts and sesame.", Mentioned, "",
			"almonds brazilnuts cashews hazelnuts macadamias nuts pecans pinenuts pistachios sesame walnuts", "", ""},
		{"Made without dairy or egg. Contains wheat.", Mentioned, "gluten", "barley rye",
			"butter cheese dairy eggs", ""},
		{"Dominican cocoa with Maldon salt, no milk.", Mentioned, "", "", "butter cheese dairy", ""},
		{"No milk, hazelnut filling.", Mentioned, "", "", "butter cheese dairy", "hazelnuts"},
		{"Simmer it in milk.", Mentioned, "", "", "", ""},
		{"Enthält keine Nüsse.", Mentioned, "", "",
			"almonds brazilnuts cashews hazelnuts macadamias nuts pecans pinenuts pistachios walnuts", ""},
		{"Kann Spuren von Erdnüssen enthalten.", Mentioned, "", "peanuts", "", ""},
		{"Contient du lait et des oeufs.", Mentioned, "dairy eggs", "butter cheese", "", ""},
		{"Peut contenir des traces de soja", Mentioned, "", "soy", "", ""},
		{"Puede contener trazas de huevo.", Mentioned, "", "eggs", "", ""},
		{"Può contenere tracce di arachidi.", Mentioned, "", "peanuts", "", ""},
		{"Pode conter amendoim.", Mentioned, "", "peanuts", "", ""},
		{"Non tira i capelli. Senza lattice.", Mentioned, "", "", "latex", ""},
		{"Senza gomma e senza lattice.", Mentioned, "", "", "latex rubber", ""},
		{"Sem glúten, com avelãs.", Mentioned, "hazelnuts nuts", "", "barley gluten rye", ""},
		{"卵・乳不使用", Mentioned, "", "", "butter cheese dairy eggs", ""},
		{"小麦を使用。", Mentioned, "gluten", "barley rye", "", ""},
		{"ナッツが混入する可能性があります", Mentioned, "",
			"almonds brazilnuts cashews hazelnuts macadamias nuts pecans pinenuts pistachios walnuts", "", ""},
		// Names.
		{"Hazelnut Praline Truffles", Implied, "hazelnuts nuts", "", "", ""},
		{"Coconut Crunch Vegan Gluten Free 150 g", Implied, "", "", "barley gluten rye", ""},
		{"Piumino senza piuma Brina", Implied, "", "", "down", ""},
		{"Piumino leggero", Implied, "down", "", "", ""},
		{"nussfreier Kuchen", Implied, "", "",
			"almonds brazilnuts cashews hazelnuts macadamias nuts pecans pinenuts pistachios walnuts", ""},
		{"Haselnussnougat", Implied, "hazelnuts nuts", "", "", ""},
		{"Decaffeinated Earl Grey Tea", Implied, "", "", "caffeine", ""},
		{"Vegan Leather Wallet", Implied, "", "", "leather suede", ""},
		// What looks like a class and is none.
		{"400 ml coconut milk", Has, "", "", "", ""},
		{"Kakaobutter", Has, "", "", "", ""},
		{"cocoa butter", Has, "", "", "", ""},
		{"nutmeg", Has, "", "", "", ""},
		{"noce moscata", Has, "", "", "", ""},
		{"noix de coco", Has, "", "", "", ""},
		{"nuez moscada", Has, "", "", "", ""},
		{"noz-moscada", Has, "", "", "", ""},
		{"peanut butter", Has, "peanuts", "", "", ""},
		{"buckwheat flour", Has, "", "", "", ""},
		{"grano saraceno", Has, "", "", "", ""},
		{"trigo sarraceno", Has, "", "", "", ""},
		{"glass noodles", Has, "", "", "", ""},
		{"milk thistle", Has, "", "", "", ""},
		{"Kaffeegenuss", Has, "", "", "", ""},
		{"für Flachs und Diebstahl", Has, "", "", "", ""},
		{"アーモンドミルク", Has, "almonds nuts", "", "", ""},
		{"faux fur collar", Has, "", "", "", ""},
		{"Mandelmilch", Has, "almonds nuts", "", "", ""},
		{"sit down and eat", Mentioned, "", "", "", ""},
	} {
		var c Contents
		c.Add(row.text, row.how)
		for _, part := range []struct {
			what string
			got  []string
			want string
		}{{"states", c.Has(), row.has}, {"may have", c.Traces(), row.traces}, {"is free of", c.Free(), row.free},
			{"speaks of", c.Mentioned(), row.mentions}} {
			slices.Sort(part.got)
			if got := joined(part.got); got != part.want {
				t.Errorf("%q %s %q, want %q", row.text, part.what, got, part.want)
			}
		}
	}
}

func joined(list []string) (all string) {
	for _, s := range list {
		if all != "" {
			all += " "
		}
		all += s
	}
	return all
}

func TestPropertiesStateClasses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, value, has, free string }{
		{"Contains", "wheat, milk", "gluten dairy", ""},
		{"Contains", "oats (certified gluten free), milk", "dairy", "gluten barley rye"},
		{"Caffeine", "none", "", "caffeine"},
		{"Caffeine", "high", "caffeine", ""},
		{"Gluten free", "yes", "", "gluten barley rye"},
		{"Gluten free", "no", "", ""},
		{"Tea bag material", "plant-based, plastic free", "", "plastic nylon polyester"},
		{"Material", "lana merino", "merino wool", ""},
		{"Drive", "electric", "electricity", ""},
		{"Drive", "manual", "", "electricity"},
		{"Frei von", "Laktose", "", "lactose"},
	} {
		var c Contents
		c.AddProperty(row.name, row.value)
		if got := joined(c.Has()); got != row.has {
			t.Errorf("%s: %s states %q, want %q", row.name, row.value, got, row.has)
		}
		if got := joined(c.Free()); got != row.free {
			t.Errorf("%s: %s is free of %q, want %q", row.name, row.value, got, row.free)
		}
	}
}

func TestClassesAreCalledByTheirNames(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"hazelnuts": "hazelnuts", "Haselnüsse": "hazelnuts", "Haselnuss": "hazelnuts", "nocciole": "hazelnuts",
		"noisettes": "hazelnuts", "avellanas": "hazelnuts", "avelãs": "hazelnuts", "avelas": "hazelnuts",
		"ヘーゼルナッツ": "hazelnuts", "nuts": "nuts", "nusse": "nuts", "noix": "nuts", "milch": "dairy", "leche": "dairy",
		"leite": "dairy", "卵": "eggs", "fleisch": "meat", "milk": "dairy", "lait": "dairy", "latte": "dairy",
		"lattosio": "lactose", "gluten": "gluten", "wool": "wool", "lana": "wool", "piume": "down", "für": "",
		"Fell": "fur",
	} {
		if got, _ := Named(said); got != want {
			t.Errorf("%q calls %q, want %q", said, got, want)
		}
	}
	if got := Within("nuts"); !slices.Contains(got, "hazelnuts") || !slices.Contains(got, "peanuts") {
		t.Errorf("who leaves out nuts leaves out %q", got)
	}
	if got := Within("hazelnuts"); len(got) != 1 {
		t.Errorf("who leaves out hazelnuts leaves out %q", got)
	}
}

func TestEachClassHasANameInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, name := range tables().order {
		for _, language := range Languages {
			if tables().classes[name].names[language] == "" {
				t.Errorf("%s has no name in %s", name, language)
			}
		}
	}
}
