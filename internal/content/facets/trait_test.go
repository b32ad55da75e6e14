package facets

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryTraitHasWordsInEveryLanguage(t *testing.T) {
	t.Parallel()
	tables := traits()
	for _, a := range tables.attributes {
		if a.unit != "" {
			continue
		}
		for value := range a.parents {
			for i, language := range traitLanguages {
				found := false
				for _, senses := range tables.senses {
					found = found || slices.ContainsFunc(senses, func(s sense) bool {
						return s.Slot == a.slot && s.Value == value && s.in == 1<<i
					})
				}
				if !found {
					t.Errorf("%s has no word for %s %s", language, a.slot, value)
				}
			}
		}
	}
}

func TestDescribeReadsTraits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, object, language, want string }{
		{"a property beats the name", `{"name":"Orange Grove Mug","color":"navy blue"}`, "en", "=color:navy,justnavy,blue"},
		{"the name where no property states it", `{"name":"Becher Schieferblau 300 ml"}`, "de", "=color:blue,justblue"},
		{"adjectives in German", `{"name":"Rote Gießkanne"}`, "de", "=color:red,justred"},
		{"look-alikes", `{"name":"Golden Retriever calendar"}`, "en", ""},
		{"what a description mentions", `{"name":"Vestito a fiori","description":"Papaveri su fondo bianco."}`, "it", "~color:white"},
		{"additional properties", `{"name":"Kaffee","additionalProperty":{"name":"Röstgrad","value":"dunkel"}}`, "de", "=roast:dark,justdark"},
		{"used things", `{"name":"Kamera","offers":{"itemCondition":"https://schema.org/UsedCondition"}}`, "de", "=condition:used,justused"},
		{"refurbished ones", `{"name":"Ordinateur reconditionné"}`, "fr", "=condition:refurbished,justrefurbished,used"},
		{"what is used for something", `{"name":"Brush used for oil paint"}`, "en", ""},
		{"flags", `{"name":"Giacca","additionalProperty":{"name":"impermeabile","value":"sì"}}`, "it", "=waterproof:yes,justyes"},
		{"flags as booleans", `{"name":"Veste","additionalProperty":{"name":"Imperméable","value":false}}`, "fr", "=waterproof:no,justno"},
		{"what is denied", `{"name":"Manteau","description":"Chaud mais pas imperméable."}`, "fr", "=waterproof:no,justno"},
		{"what harms animals", `{"name":"Lily","additionalProperty":{"name":"Pets","value":"harmful to cats and dogs"}}`, "en", "=toxic:yes,justyes"},
		{"what harms none", `{"name":"Farn","additionalProperty":{"name":"Für Haustiere","value":"unbedenklich für Katzen"}}`, "de", "=toxic:no,justno"},
		{"whether animals may come", `{"name":"Loft","additionalProperty":{"name":"Pets","value":"no"}}`, "en", "=dogs:no,justno"},
		{"hand wash", `{"name":"Bowl","description":"Hand wash only."}`, "en", "=dishwasherSafe:no,justno"},
		{"words in between", `{"name":"Bowl","description":"Not dishwasher safe."}`, "en", "=dishwasherSafe:no,justno"},
		{"a cover of something else", `{"name":"Tent","description":"With a waterproof cover."}`, "en", ""},
		{"Japanese", `{"name":"赤いマグカップ","description":"食洗機不可。"}`, "ja", "=color:red,justred =dishwasherSafe:no,justno"},
		{"Japanese look-alikes", `{"name":"赤ちゃんの本"}`, "ja", "=audience:babies,justbabies"},
		{"both of two colours", `{"name":"Camiseta","color":"blanco/azul marino"}`, "es", "=color:white,justwhite,navy,justnavy,blue"},
		{"girls are not women", `{"name":"Vestito","audience":{"audienceType":"Bambina","suggestedGender":"female"}}`, "it", "=audience:girls,justgirls,children"},
		{"unisex is for both", `{"name":"Jacke","audience":{"audienceType":"Unisex"}}`, "de", "=audience:unisex,justunisex,women,men"},
		{"compounds", `{"name":"Damenschuhe"}`, "de", "=audience:women,justwomen"},
		{"watts", `{"name":"Kettle","additionalProperty":{"name":"Power","value":"2200 W"}}`, "en", "=powerSource:electric,justelectric"},
		{"the name beside the material", `{"name":"Teapot with wooden handle","material":"cast iron"}`, "en",
			"=material:wood,justwood,castiron,justcastiron,iron,metal"},
		{"sizes one by one", `{"name":"T-shirt","size":["S","M","XXL"]}`, "fr", "=size:s,m,2xl"},
		{"ranges of sizes", `{"name":"Scarpe","additionalProperty":{"name":"Taglie","value":"36-39"}}`, "it", "=size:36,37,38,39"},
		{"sizes in the description", `{"name":"Shirt","description":"In sizes S to XL."}`, "en", "=size:s,m,l,xl"},
		{"a variant's size", `{"name":"Shirt","hasVariant":[{"size":"M"},{"size":"L"}]}`, "en", "=size:m,l"},
		{"a quantity is no size", `{"name":"Olive oil","size":"500 ml"}`, "en", ""},
		{"a type of audience", `{"@type":"ChildrensEvent","name":"Puppets"}`, "en", "=audience:children,justchildren"},
		{"what is kind is no child", `{"name":"Kind soap","description":"Made for you and your skin."}`, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := traitsOf(Describe([]byte(test.object), test.language)); !sameWords(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDescribeReadsFiguresOfNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		object string
		slot   Slot
		want   float64
	}{
		{`{"name":"Glass Kettle 1.7 litre"}`, "capacity", 1700},
		{`{"name":"Topf","additionalProperty":{"name":"Fassungsvermögen","value":"3 l"}}`, "capacity", 3000},
		{`{"name":"Café en grains 1 kg"}`, "weight", 1000},
		{`{"name":"Farine","weight":"500 g"}`, "weight", 500},
	} {
		if f, ok := Describe([]byte(test.object), "").Figure(test.slot); !ok || f.Low != test.want {
			t.Errorf("%s: got %s %v, want %v", test.object, test.slot, f.Low, test.want)
		}
	}
}

// traitsOf writes the traits of facts by their slots.
func traitsOf(f Facts) string {
	values := map[Slot][]string{}
	var slots []Slot
	for _, w := range f.Words {
		if Derived(w.Slot) && w.Slot != Properties {
			if values[w.Slot] == nil {
				slots = append(slots, w.Slot)
			}
			values[w.Slot] = append(values[w.Slot], w.Text)
		}
	}
	slices.Sort(slots)
	var all []string
	for _, slot := range slots {
		all = append(all, string(slot)+":"+strings.Join(values[slot], ","))
	}
	return strings.Join(all, " ")
}

// sameWords compares lists of values whatever their order.
func sameWords(got, want string) bool {
	norm := func(s string) string {
		slots := strings.Fields(s)
		for i, slot := range slots {
			name, list, _ := strings.Cut(slot, ":")
			values := strings.Split(list, ",")
			slices.Sort(values)
			slots[i] = name + ":" + strings.Join(values, ",")
		}
		slices.Sort(slots)
		return strings.Join(slots, " ")
	}
	return norm(got) == norm(want)
}
