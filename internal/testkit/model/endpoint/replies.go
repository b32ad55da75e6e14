package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
)

// chat replies as a chat model.
func chat(body map[string]any, b Behaviour) (text []byte, streamed bool) {
	said := b.Reply
	if said == "" {
		said = say(body)
	}
	usage := map[string]any{"prompt_tokens": len(fmt.Sprint(body["messages"])) / 4,
		"completion_tokens": len(said)/4 + 1}
	if b.Mode == "lie" {
		usage = map[string]any{"prompt_tokens": 1 << 50, "completion_tokens": -7}
	}
	if body["stream"] == true && !b.Deaf {
		if b.Mode == "forget" {
			return events(said, "", nil), true
		}
		return append(events(said, "stop", usage), "data: [DONE]\n\n"...), true
	}
	return encode(map[string]any{
		"id": "scripted", "object": "chat.completion", "usage": usage,
		"choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": said},
			"finish_reason": "stop"}},
	}), false
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// events are the events of a stream that says a text, a few letters at a time.
func events(said, finish string, usage any) []byte {
	var all []byte
	event := func(value any) { all = append(append(append(all, "data: "...), encode(value)...), "\n\n"...) }
	runes := []rune(said)
	for len(runes) > 0 {
		n := min(7, len(runes))
		event(map[string]any{"choices": []any{map[string]any{"index": 0,
			"delta": map[string]any{"content": string(runes[:n])}}}})
		runes = runes[n:]
	}
	if finish != "" {
		event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{},
			"finish_reason": finish}}})
	}
	if usage != nil {
		event(map[string]any{"choices": []any{}, "usage": usage})
	}
	return all
}

// say derives what to say from the last message, which is a JSON object: items are put into the
// opposite order; a summary names the first two; a conversation becomes its questions one behind
// the other.
func say(body map[string]any) string {
	messages, _ := body["messages"].([]any)
	if len(messages) == 0 {
		return "OK"
	}
	system, _ := messages[0].(map[string]any)["content"].(string)
	user, _ := messages[len(messages)-1].(map[string]any)["content"].(string)
	var asked struct {
		Items []struct {
			ID   int    `json:"id"`
			Name string `json:"name"`
		} `json:"items"`
		Earlier []string `json:"earlier"`
		Last    string   `json:"last"`
	}
	if json.Unmarshal([]byte(user), &asked) != nil {
		return "OK"
	}
	switch {
	case asked.Last != "":
		return string(encode(map[string]string{"question": strings.Join(append(asked.Earlier, asked.Last), " ")}))
	case strings.Contains(system, `"order"`):
		order := []int{}
		for _, item := range asked.Items {
			order = append([]int{item.ID}, order...)
		}
		return string(encode(map[string]any{"order": order}))
	}
	summary := "Of what was found,"
	for _, item := range asked.Items[:min(2, len(asked.Items))] {
		summary += fmt.Sprintf(" %s is worth a look [%d].", item.Name, item.ID)
	}
	return summary
}

// embed replies as a model for embeddings: texts that share groups of letters have vectors that
// point the same way.
func embed(body map[string]any, b Behaviour) (text []byte, streamed bool) {
	dimensions := b.Dimensions
	if dimensions == 0 {
		dimensions = 256
	}
	inputs, _ := body["input"].([]any)
	data := []any{}
	for i, input := range inputs {
		vector := embedding(fmt.Sprint(input), dimensions)
		if b.Mode == "ragged" && i%2 == 1 {
			vector = vector[1:]
		}
		if b.Mode == "zero" {
			clear(vector)
		}
		data = append(data, map[string]any{"index": i, "embedding": vector})
	}
	if b.Mode == "short" && len(data) > 0 {
		data = data[1:]
	}
	usage := map[string]any{"prompt_tokens": len(fmt.Sprint(inputs)) / 4}
	text = encode(map[string]any{"object": "list", "data": data, "usage": usage})
	if b.Mode == "nan" {
		text = []byte(strings.Replace(string(text), `"embedding":[`, `"embedding":[NaN,`, 1))
	}
	return text, false
}

// embedding is the text's groups of three letters, each counted in the place that its hash names.
func embedding(text string, dimensions int) []float64 {
	vector := make([]float64, dimensions)
	runes := []rune(" " + strings.ToLower(text) + " ")
	for i := 0; i+3 <= len(runes); i++ {
		h := fnv.New32a()
		h.Write([]byte(string(runes[i : i+3])))
		vector[int(h.Sum32())%dimensions]++
	}
	sum := 0.0
	for _, x := range vector {
		sum += x * x
	}
	for i := range vector {
		vector[i] /= max(math.Sqrt(sum), 1e-9)
	}
	return vector
}
