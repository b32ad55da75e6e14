package client_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/publisher"
	"frontdesk/wire/nlweb"
)

// sample is a front desk that knows two soups, so that the examples run by themselves.
func sample() *httptest.Server {
	const lentil = `{"@type":"Recipe","name":"Lentil soup","url":"https://www.example.com/lentil","score":91,"totalTime":"PT25M"}`
	const tomato = `{"@type":"Recipe","name":"Tomato soup","url":"https://www.example.com/tomato","score":64,"totalTime":"PT40M"}`
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch question := string(body); {
		case strings.Contains(question, "zebra"):
			io.WriteString(w, `{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"NO_RESULTS","message":"Nothing here matches."}}`)
		case strings.Contains(question, `"streaming":true`):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: start\ndata: {\"_meta\":{\"response_type\":\"answer\",\"version\":\"0.55\"}}\n\n")
			fmt.Fprintf(w, "event: result\ndata: {\"index\":0,\"item\":%s}\n\n", lentil)
			fmt.Fprintf(w, "event: result\ndata: {\"index\":1,\"item\":%s}\n\n", tomato)
			fmt.Fprintf(w, "event: complete\ndata: {\"_meta\":{\"response_type\":\"answer\",\"version\":\"0.55\"}}\n\n")
		default:
			fmt.Fprintf(w, `{"_meta":{"response_type":"answer","version":"0.55"},"results":[%s,%s]}`, lentil, tomato)
		}
	}))
}

func Example() {
	server := sample()
	defer server.Close()

	desk, err := client.New(server.URL, client.Options{UserAgent: "my-agent/1.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := desk.Ask(context.Background(),
		client.Question{Text: "a quick soup", Types: []string{"Recipe"}, Limit: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, result := range answer.Results {
		fmt.Printf("%s, %s, score %.0f\n", result.Name, result.URL, result.Score)
	}
	// Output:
	// Lentil soup, https://www.example.com/lentil, score 91
	// Tomato soup, https://www.example.com/tomato, score 64
}

func ExampleClient_Stream() {
	server := sample()
	defer server.Close()
	desk, err := client.New(server.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	stream, err := desk.Stream(context.Background(), client.Question{Text: "a quick soup"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stream.Close()
	for result, err := range stream.Results() {
		if err != nil {
			fmt.Println(err) // the results before it are good
			break
		}
		fmt.Println(result.Index, result.Name)
	}
	// Output:
	// 0 Lentil soup
	// 1 Tomato soup
}

func ExampleResult_Decode() {
	server := sample()
	defer server.Close()
	desk, err := client.New(server.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := desk.Ask(context.Background(), client.Question{Text: "a quick soup"})
	if err != nil {
		fmt.Println(err)
		return
	}

	for _, result := range answer.Results {
		var recipe struct {
			TotalTime string `json:"totalTime"`
		}
		if err := result.Decode(&recipe); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Type(), result.Name, recipe.TotalTime)
	}
	// Output:
	// Recipe Lentil soup PT25M
	// Recipe Tomato soup PT40M
}

func ExampleFailure() {
	server := sample()
	defer server.Close()
	desk, err := client.New(server.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	_, err = desk.Ask(context.Background(), client.Question{Text: "a zebra"})
	var failure *client.Failure
	switch {
	case errors.As(err, &failure) && failure.Code == nlweb.CodeNoResults:
		fmt.Println("nothing found:", failure.Message)
	case errors.As(err, &failure) && failure.RetryAfter > 0:
		fmt.Println("come back in", failure.RetryAfter.Round(time.Second))
	case err != nil:
		fmt.Println("no answer:", err)
	}
	// Output:
	// nothing found: Nothing here matches.
}

func ExampleOptions_token() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Authorization"))
		io.WriteString(w, `{"_meta":{"response_type":"answer","version":"0.55"},"results":[]}`)
	}))
	defer server.Close()

	desk, err := client.New(server.URL, client.Options{
		Token: func(context.Context) (string, error) { return "a-token-renewed-when-needed", nil },
		HTTP:  &http.Client{Timeout: 10 * time.Second},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := desk.Ask(context.Background(), client.Question{Text: "anything"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Bearer a-token-renewed-when-needed
}

// An agent has the licensed text of what a question found. What must not be lost when the program
// stops is written down in Before.
func ExampleClient_Fetch() {
	var key ed25519.PrivateKey // whose public half https://buyer.example.com/.well-known/ramp-agent.json tells
	desk, err := client.New("https://www.example.com",
		client.Options{Buyer: client.Buyer{ID: "research-bot", Domain: "buyer.example.com", Key: key}})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := desk.Ask(context.Background(), client.Question{Text: "how are oil lamps trimmed?"})
	if err != nil || len(answer.Results) == 0 || !answer.Results[0].ForSale() {
		fmt.Println("nothing that is sold:", err)
		return
	}
	limit := client.Fetching{Most: client.Price{Amount: 0.05, Currency: "USD"}, Uses: []string{"ai-input"}}
	got, err := desk.Fetch(context.Background(), answer.Results[0], limit)
	var unfinished *client.Unfinished
	if errors.As(err, &unfinished) && unfinished.Step == client.StepBuy {
		got, err = desk.Finish(context.Background(), unfinished.Purchase, limit) // which buys nothing twice
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s for %s\n%s", got.Purchase.Transaction(), got.Purchase.Cost(), got.Content.Body)
}

// A platform asks a publisher of the Agentic Intent Protocol, and tells it what was shown.
func ExamplePublisher() {
	site := httptest.NewServer(publisher.New()) // in place of https://www.example.com
	defer site.Close()

	platform := client.Platform{ID: publisher.Platform, Key: client.NewKey(publisher.KeyID, []byte(publisher.Secret)),
		RequireSigned: true}
	food, err := client.OpenPublisher(context.Background(), site.URL, platform, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	passages, err := food.Retrieve(context.Background(),
		client.Retrieval{Domain: "food", Query: "how do I season a pan?", Session: "s1", Turn: 3})
	if err != nil {
		fmt.Println(err) // *client.Denied, *client.Failed, *client.Invalid, client.ErrForged, ...
		return
	}
	for _, chunk := range passages.Answer.Content.Chunks {
		fmt.Println(chunk.Text)
	}
	shown, err := passages.Shown(passages.Answer.Citations[0].SourceURL, "footnote")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(food.Cite(context.Background(), shown))
	_, err = food.Retrieve(context.Background(), client.Retrieval{Domain: "sports"})
	fmt.Println(err)
	// Output:
	// The first passage about food.
	// The second passage, of three.
	// <nil>
	// the publisher denies it: out_of_scope
}
