package offers

import (
	"os"
	"regexp"
	"testing"

	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

var answerSchema = regexp.MustCompile("(?s)<!-- the schema of answers -->\n```json\n(.*?)```")

// TestAnswersAreTakenByTheSchemaThatIsDocumented has the schema of docs/offer-webhooks.md and the
// reading of answers agree on what is an answer.
func TestAnswersAreTakenByTheSchemaThatIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/offer-webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	found := answerSchema.FindSubmatch(page)
	if found == nil {
		t.Fatal("docs/offer-webhooks.md shows no schema of answers")
	}
	documented, err := intake.CompileSchema(found[1])
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, reply := range []string{
		`{"status":"offer","offer":{"summary":"Yes."}}`,
		`{"status":"offer","offer":{"summary":"Yes."},"decline_reason":null}`,
		`{"status":"offer","offer":{"summary":"Yes.","details":null,"expires":null,"bind_requires":null,"terms_url":null}}`,
		`{"status":"offer","offer":{"summary":"Yes.","details":{"a":{"b":[1]}},"expires":"2027-05-05T14:00:00+02:00","bind_requires":["email"],"terms_url":"https://a.example/t"}}`,
		`{"status":"declined","decline_reason":"We are full."}`,
		`{"status":"declined","decline_reason":"We are full.","offer":null}`,
		`{"status":"declined","decline_reason":" "}`,
		`{"status":"declined","decline_reason":null}`,
		`{"status":"declined"}`, `{"status":"offer"}`, `{"status":"offer","offer":null}`, `{}`, `[]`, `null`, `"offer"`,
		`{"status":"pending"}`, `{"status":"error","error":{"code":"X","message":"y"}}`,
		`{"status":"declined","decline_reason":"x","offer":{"summary":"Yes."}}`,
		`{"status":"offer","decline_reason":"x","offer":{"summary":"Yes."}}`,
		`{"status":"offer","offer":{"summary":""}}`, `{"status":"offer","offer":{"summary":null}}`, `{"status":"offer","offer":{"summary":7}}`, `{"status":"offer","offer":{}}`,
		`{"status":"offer","offer":{"summary":"Yes.","id":"1"}}`, `{"status":"offer","offer":{"summary":"Yes."},"aip_version":"0.1.0"}`,
		`{"status":"offer","offer":{"summary":"Yes.","details":{"a":1e400}}}`, `{"status":"offer","offer":{"summary":"Yes.","details":{"a":[-1e309]}}}`,
		`{"status":"offer","offer":{"summary":"Yes.","details":{"a":12345678901234567890}}}`,
		`{"status":"offer","offer":{"summary":"Yes.","details":[]}}`, `{"status":"offer","offer":{"summary":"Yes.","details":"x"}}`,
		`{"status":"offer","offer":{"summary":"Yes.","expires":"tomorrow"}}`, `{"status":"offer","offer":{"summary":"Yes.","expires":7}}`,
		`{"status":"offer","offer":{"summary":"Yes.","bind_requires":"email"}}`, `{"status":"offer","offer":{"summary":"Yes.","bind_requires":[""]}}`,
		`{"status":"offer","offer":{"summary":"Yes.","bind_requires":["a","a"]}}`, `{"status":"offer","offer":{"summary":"Yes.","bind_requires":[1]}}`,
		`{"status":"offer","offer":{"summary":"Yes.","terms_url":"terms"}}`, `{"status":"offer","offer":{"summary":"Yes.","terms_url":"ftp://a.example/"}}`,
	} {
		_, err := readAnswer(&fetch.Response{Header: map[string][]string{"Content-Type": {"application/json"}},
			Body: []byte(reply)}, noon)
		wrong := documented.Validate(strictjson.Value(reply))
		if (err == nil) != (len(wrong) == 0) {
			t.Errorf("%s: read with %v, by the schema %v", reply, err, wrong)
		}
		if err == nil {
			taken++
		}
	}
	if taken != 7 {
		t.Errorf("%d were taken, want 7", taken)
	}
}
