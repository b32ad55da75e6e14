package ramp_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/ramp"
)

func TestClaimsHaveTheFormsOfTheVocabulary(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0a", 32)
	for _, c := range []struct{ claims, wrong, unknown string }{
		{`{}`, "", ""},
		{`{"estimated_quantity":3200,"word_count":0,"language":"en","iab_categories":["52","1"],"content_hash":"sha256:` + sum + `","hash_method":"sha256","title":"A"}`, "", ""},
		{`{"content_hash":"simhash-v1:00000000000000ff","hash_method":"SimHash-v1"}`, "", ""},
		{`{"content_hash":"SHA-256:` + sum + `","hash_method":"sha256"}`, "", ""},
		{`{"content_hash":"blake3:00ff"}`, "", ""},
		{`{"z.trust":0.9,"a":null,"language":"de"}`, "", "a z.trust"},
		{`{"estimated_quantity":1.5}`, "claims.estimated_quantity", ""},
		{`{"estimated_quantity":"3200"}`, "claims.estimated_quantity", ""},
		{`{"word_count":-1}`, "claims.word_count", ""},
		{`{"word_count":3000000000}`, "claims.word_count", ""},
		{`{"language":"english"}`, "claims.language", ""},
		{`{"language":7}`, "claims.language", ""},
		{`{"iab_categories":"52"}`, "claims.iab_categories", ""},
		{`{"iab_categories":[52]}`, "claims.iab_categories", ""},
		{`{"content_hash":"` + sum + `"}`, "claims.content_hash", ""},
		{`{"content_hash":"sha256:00ff"}`, "claims.content_hash", ""},
		{`{"content_hash":"sha256:"}`, "claims.content_hash", ""},
		{`{"content_hash":"md9:xyz"}`, "claims.content_hash", ""},
		{`{"content_hash":"sha256:` + sum + `","hash_method":"simhash-v1"}`, "claims.hash_method", ""},
		{`{"hash_method":256}`, "claims.hash_method", ""},
		{`{"title":["A"]}`, "claims.title", ""},
	} {
		claims := &structpb.Struct{}
		if err := claims.UnmarshalJSON([]byte(c.claims)); err != nil {
			t.Fatal(err)
		}
		unknown, err := ramp.CheckClaims(claims)
		var invalid *ramp.Invalid
		if errors.As(err, &invalid); c.wrong == "" && err != nil || c.wrong != "" &&
			(invalid == nil || invalid.Path != c.wrong) || strings.Join(unknown, " ") != c.unknown {
			t.Errorf("%s: %v, %v", c.claims, unknown, err)
		}
	}
	if unknown, err := ramp.CheckClaims(nil); unknown != nil || err != nil {
		t.Error(unknown, err)
	}
}

func TestClaimsSchemaIsRead(t *testing.T) {
	t.Parallel()
	text, err := ramp.WriteVerifierKeys("v.example", "V",
		map[string]ramp.Claim{"trust": {Type: "number", Description: "from 0 to 1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := ramp.ReadClaims(text); err != nil || len(all) != 1 ||
		all["trust"] != (ramp.Claim{Type: "number", Description: "from 0 to 1"}) {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := ramp.ReadClaims([]byte(`{"claims_schema":{"x":{"type":"string","more":1}},"other":[]}`)); err != nil || all["x"].Type != "string" {
		t.Errorf("with members that nobody knows: %v, %v", all, err)
	}
	if all, err := ramp.ReadClaims([]byte(`{"keys":[]}`)); err != nil || all == nil || len(all) != 0 {
		t.Errorf("without: %v, %v", all, err)
	}
	for _, wrong := range []string{`{"claims_schema":[]}`, `{"claims_schema":{"x":"y"}}`, `{`, strings.Repeat(" ", ramp.MaxDocument) + "{}"} {
		if _, err := ramp.ReadClaims([]byte(wrong)); err == nil {
			t.Errorf("%.40q is read", wrong)
		}
	}
}
