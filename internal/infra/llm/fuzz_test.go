package llm_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"frontdesk/internal/infra/llm"
)

// FuzzReplies reads what an endpoint may send in each way in which replies are read.
func FuzzReplies(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"{\"order\":[2,1]}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}`,
		"data: {\"choices\":[{\"delta\":{\"content\":\"a [1]\"}}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"<think>x\"},\"finish_reason\":\"length\"}]}",
		`{"data":[{"index":1,"embedding":[1e38,3]},{"index":0,"embedding":[0.5,-1]}]}`,
		"```json\n{\"question\":\"vegan muffins\"}\n```", `{"order":["3",2,{}]}`, "\xff\xfe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, streamed := range []bool{false, true} {
			text, err := llm.ReadReply(body, streamed)
			var fault *llm.Error
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("%v is no fault", err)
			}
			if !utf8.ValidString(text) || len(text) > 4096 {
				t.Errorf("a text of %d bytes, valid %v", len(text), utf8.ValidString(text))
			}
		}
		if order, err := llm.ParseOrder(body, 3); err == nil {
			if slices.Sort(order); !slices.Equal(order, []int{0, 1, 2}) {
				t.Errorf("the order %v is no permutation", order)
			}
		}
		if question, err := llm.ParseQuestion(body, "vegan muffins"); err == nil &&
			(question == "" || utf8.RuneCountInString(question) > 300) {
			t.Errorf("the question %q", question)
		}
		vectors, err := llm.ReadVectors(body, 2)
		if err != nil {
			return
		}
		if len(vectors) != 2 || len(vectors[0]) != len(vectors[1]) || len(vectors[0]) == 0 {
			t.Fatalf("vectors %v", vectors)
		}
		for _, x := range slices.Concat(vectors...) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Errorf("a vector with %v", x)
			}
		}
	})
}
