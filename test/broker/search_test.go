package broker

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

// TestARunningBrokerFindsWhatIsNotNamed asks the built program by words instead of addresses: it
// searches its own sources, buys the one thing that fits at an Exchange that takes what is not
// signed, tells a price without buying, and refuses filters that it would not heed.
func TestARunningBrokerFindsWhatIsNotNamed(t *testing.T) {
	t.Parallel()
	port := process.FreePort(t)
	url, dir := "http://127.0.0.1:"+port, t.TempDir()
	goods := write(t, filepath.Join(dir, "goods.jsonl"), `{"@type":"Article","url":"`+url+`/premium/dredge","name":"Dredging the harbour","articleBody":"Why the mud of the harbour is so expensive to dredge, and who pays for it in the end."}
{"@type":"Article","url":"`+url+`/premium/soup","name":"Lentil soup at sea","datePublished":"2020-05-01","articleBody":"A soup of lentils that can be made in a storm, with one hand."}
`)
	shop := write(t, filepath.Join(dir, "shop.yaml"), `
listen: 127.0.0.1:`+port+`
url: `+url+`
data: `+dir+`/data
metrics: {listen: "off"}
fetch: {allow: [127.0.0.0/8]}
site: {id: news, name: News, url: "`+url+`"}
sources: [{path: `+goods+`}]
terms:
  - {match: {}, access: licensed, functions: {permit: [ai-input]}, price: {model: per_access, rate: "0.02", currency: USD}}
ramp: {enabled: true, signatures: none, domain: shop.example}
`)
	process.MustRun(t, "ramp", "account", "open", "buyer.example.com/bot", "USD", "--config", shop)
	process.MustRun(t, "ramp", "account", "credit", "buyer.example.com/bot", "1", "USD", "--config", shop)
	process.Start(t, "serve", "--config", shop)
	config, at := brokerConfig(t, `
site: {id: news, name: News, url: "`+url+`"}
sources: [{path: `+goods+`}]
terms: [{match: {}, access: open}]
ramp: {signatures: none}
`, "shop.example="+url)
	process.MustRun(t, "ingest", "--config", config)
	process.Start(t, "broker", "--config", config)
	ask := func(rest string) (status int, answer string) {
		response, err := http.Post(at+"/broker/v1/resolve", "application/json",
			strings.NewReader(`{"ver":"1.0","requester":{"id":"bot","domain":"buyer.example.com","type":"REQUESTER_TYPE_AGENT","intended_use":["FUNCTION_AI_INPUT"]},`+rest+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	var bought struct {
		Transaction string `json:"transaction_id"`
		Package     struct{ Title string }
		Cost        struct{ Amount float64 }
		Fee         struct{ Amount float64 } `json:"broker_fee"`
	}
	status, answer := ask(`"id":"told","search_filters":{"topic":"lentil soup at sea"},"ext":{"ramp.dry_run":true}`)
	if status != http.StatusOK || !strings.Contains(answer, "/premium/soup") ||
		strings.Contains(answer, "transaction_id") {
		t.Errorf("what it would cost: %d %s", status, answer)
	}
	status, answer = ask(`"id":"bought","query":"why is dredging mud expensive"`)
	if json.Unmarshal([]byte(answer), &bought) != nil || status != http.StatusOK || bought.Transaction == "" ||
		bought.Package.Title != "Dredging the harbour" || bought.Cost.Amount != 0.02 || bought.Fee.Amount != 0.002 {
		t.Errorf("what was found is bought: %d %s", status, answer)
	}
	if status, answer = ask(`"id":"numbers","search_filters":{"academic.cites_min":19}`); status != http.StatusBadRequest || !strings.Contains(answer, "cites_min") {
		t.Errorf("a filter that is neither a text nor a year: %d %s", status, answer)
	}
	for year, want := range map[string]int{"2019": http.StatusOK, "2021": http.StatusNotFound} {
		status, answer = ask(`"id":"years ` + year + `","search_filters":{"academic.topic":"lentil soup at sea","academic.year_min":` + year + `},"ext":{"ramp.dry_run":true}`)
		if status != want || strings.Contains(answer, "DISCOVERY_METHOD_SEARCH") != (want == http.StatusOK) {
			t.Errorf("from %s on: %d %s", year, status, answer)
		}
	}
	if status, answer = ask(`"id":"nothing","query":"zeppelin quartz umlaut"`); status != http.StatusNotFound {
		t.Errorf("what nobody has: %d %s", status, answer)
	}
	if list := process.MustRun(t, "ramp", "account", "list", "--config", shop); !strings.Contains(list, "0.98") {
		t.Errorf("one thing for 0.02 was bought of 1: %s", list)
	}
}
