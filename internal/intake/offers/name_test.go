package offers

import (
	"strings"
	"testing"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/strictjson"
)

// shelf is a schema with names in German and Japanese, and names that are no words.
const shelf = `{"type": "object", "required": ["länge_cm", "böden", "holz-art", "maße"], "properties": {
	"länge_cm": {"type": "number"}, "böden": {"type": "integer"}, "geölt": {"type": "boolean"}, "holz-art": {"enum": ["Fichte", "Nuß"]}, "größte last": {"type": "integer"},
	"maße": {"type": "array", "maxItems": 5, "items": {"type": "object", "required": ["höhe"], "properties": {"höhe": {"type": "number"}, "tür": {"type": "string", "maxLength": 9}}}},
	"色": {"type": "string", "maxLength": 9}, "extra": {"type": "object", "additionalProperties": {"type": "string"}}}}`

const oak = `{"länge_cm": 120.5, "böden": 3, "holz-art": "Nuß", "maße": [{"höhe": 2.5, "tür": "links"}, {"höhe": 1}], "色": "白", "extra": {"größe": "M", "_0ue4u0_": "x"}}`

func shelves(t *testing.T, r Rules) (Outcome, error) {
	t.Helper()
	e, err := NewRules(r, strictjson.Value(shelf))
	if err != nil {
		t.Fatal(err)
	}
	return e.Offer(t.Context(), Request{ID: "q1", Intake: "shelves", Data: strictjson.Value(oak), Now: noon})
}

func TestNamesAreOfAnyLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{data.länge_cm} cm, {data.böden} Böden":                                             "120.5 cm, 3 Böden",
		"{data.`holz-art`}":                                                                  "Nuß",
		"{data.?geölt.orValue(false)} {has(data.geölt) && data.geölt}":                       "false false",
		"{data.?`größte last`.orValue(7)} {has(data.`größte last`)}":                         "7 false",
		"{data.?色.orValue('黒')}":                                                             "白",
		"{data.maße[0].höhe} {join(data.maße.map(maß, maß.?tür.orValue('keine')), ' und ')}": "2.5 links und keine",
		"{data.?extra[?'größe'].orValue('-')}":                                               "M",
		"{'länge' + \"größe\"}":                                                              "längegröße",
		"{tables.preis[data.`holz-art`]} {tables.für.größe} {tables.preis['Nuß']}":           "9 x 9",
		"{ölmenge} {fläche}":                                                                 "361.5 6",
	} {
		r := one(text)
		r.Tables = `{"preis":{"Fichte":3,"Nuß":9},"für":{"größe":"x","zahl":1}}`
		r.Let = `{"ölmenge":"data.länge_cm * double(data.böden)","fläche":"data.böden * 2"}`
		if o, err := shelves(t, r); err != nil || o.Summary != want {
			t.Errorf("%s: %q, %v", text, o.Summary, err)
		}
	}
}

func TestNamesAreAnsweredAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	r := one("Ja.")
	r.Offers[0].Details = `{"maße":"{data.maße}","größe":"{data.länge_cm}","alles":"{ {'ä': data.maße[0]} }","mehr":"{data.?extra}"}`
	o, err := shelves(t, r)
	if want := `{"maße":[{"höhe":2.5,"tür":"links"},{"höhe":1}],"größe":120.5,"alles":{"ä":{"höhe":2.5,"tür":"links"}},"mehr":{"_0ue4u0_":"x","größe":"M"}}`; err != nil || string(o.Details) != want {
		t.Errorf("%s, %v", o.Details, err)
	}
}

func TestFindingsAreToldWithNamesAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		column       int
		told, advise string
	}{
		{"{data.länge}", 0, "there is no member länge", "länge_cm"},
		{"{data.geölt}", 5, "data.geölt is optional; ask has(data.geölt) first", "data.?geölt.orValue(...)"},
		{"Öl: {data.böden + 1 > 2 && data.geölt}", 0, "data.geölt is optional", ""},
		{"{data.`größte last`}", 0, "data.`größte last` is optional", "data.?`größte last`.orValue(...)"},
		{"{data.böden * data.länge_cm}", 0, "* does not go with", ""},
		{"{höhe}", 0, "there is no höhe", ""},
		{"{tables.preis.Nuß}", 0, "write ['Nuß'] for .Nuß", ""},
		{"{data.böden +}", 0, "", ""},
	} {
		r := one(c.text)
		r.Tables = yamlconf.Object(`{"preis":{"Fichte":3,"Nuß":9}}`)
		_, err := NewRules(r, strictjson.Value(shelf))
		if err == nil || !strings.Contains(err.Error(), c.told) || !strings.Contains(err.Error(), c.advise) ||
			strings.Contains(err.Error(), "_0u") {
			t.Errorf("%s: %v", c.text, err)
		}
	}
	// Columns count the letters as they were written.
	_, err := NewRules(one("Öl: {data.böden > 2 && data.geölt}"), strictjson.Value(shelf))
	if e, is := err.(interface{ Unwrap() []error }).Unwrap()[0].(*Error); !is || e.Column != 27 {
		t.Errorf("%+v", err.(interface{ Unwrap() []error }).Unwrap()[0])
	}
}

func FuzzSpelling(f *testing.F) {
	f.Add("data.länge > 1 ? 'ä' : r\"\\\" + ü")
	f.Fuzz(func(t *testing.T, source string) {
		source = strings.ToValidUTF8(source, "?")
		out, from := spelledOut(source)
		if len(from) != runes(out)+1 || from[len(from)-1] != runes(source) {
			t.Errorf("%q becomes %q, with %d places", source, out, len(from))
		}
		if !strings.Contains(source, "_0u") && unspelled(out) != source {
			t.Errorf("%q becomes %q, and that %q", source, out, unspelled(out))
		}
		if name := spelled(source); unspelled(name) != source {
			t.Errorf("the name %q is spelled %q, and that read %q", source, name, unspelled(name))
		}
	})
}
