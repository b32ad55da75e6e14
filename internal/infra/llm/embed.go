package llm

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"time"
)

// The bounds of a call for vectors.
const (
	MaxTexts      = 256  // texts of one call
	MaxEmbedRunes = 8000 // of one text; what is longer is cut
	maxDimensions = 8192
	longEmbed     = 2 * time.Minute // for a call whose context has no deadline
)

type embedRequest struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Encoding string   `json:"encoding_format"`
}

type embedReply struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Usage *struct {
		Prompt int `json:"prompt_tokens"`
	} `json:"usage"`
}

// Embed turns texts into vectors, one for each in their order, all of the same length and without
// values that are no numbers. It is one call, of MaxTexts at most; a text that is longer than
// MaxEmbedRunes is cut. It takes as long as ctx allows, and no more than a part of a day's bounds
// (DailyLimit). Its error is an *Error.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if !c.Enabled(Embed) {
		return nil, fault(Refused, "there is no model for embeddings")
	}
	if len(texts) == 0 {
		return nil, nil
	}
	if len(texts) > MaxTexts {
		return nil, fault(TooLong, "%d texts in one call; at most %d", len(texts), MaxTexts)
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, longEmbed, errSlow)
		defer cancel()
	}
	most := size{beside: true}
	for _, text := range texts {
		most.input += min(len(text), 4*MaxEmbedRunes)/3 + 16
	}
	var vectors [][]float32
	_, err := c.within(ctx, Embed, embedPath, most, func(ctx context.Context) (usage Usage, err error) {
		vectors, usage, err = c.embed(ctx, texts)
		return usage, err
	})
	return vectors, err
}

// embed makes one call for vectors.
func (c *Client) embed(ctx context.Context, texts []string) ([][]float32, Usage, error) {
	input, size := make([]string, len(texts)), 0
	for i, text := range texts {
		input[i] = shorten(text, MaxEmbedRunes)
		if input[i] == "" {
			input[i] = " " // which some servers refuse to be nothing
		}
		size += len(input[i]) + 16
	}
	var reply embedReply
	build := func() any { return embedRequest{c.options.Embedding, input, "float"} }
	err := c.post(ctx, embedPath, build, func(response *http.Response) error {
		text, err := readBounded(response.Body, int64(len(texts))*maxVector+maxReply)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &reply); err != nil {
			return fault(Malformed, "the reply is not the JSON of embeddings")
		}
		return nil
	})
	if err != nil {
		return nil, Usage{}, err
	}
	counted := 0
	if reply.Usage != nil {
		counted = reply.Usage.Prompt
	}
	usage := c.counted(embedPath, counted, 0, size, 0)
	vectors, err := reply.vectors(len(texts))
	return vectors, usage, err
}

// vectors are the reply's, in the order of the texts, if all are there and can be used.
func (r *embedReply) vectors(n int) ([][]float32, error) {
	if len(r.Data) != n {
		return nil, fault(Malformed, "%d vectors for %d texts", len(r.Data), n)
	}
	vectors := make([][]float32, n)
	for i, entry := range r.Data {
		at := i
		if entry.Index != nil {
			at = *entry.Index
		}
		if at < 0 || at >= n || vectors[at] != nil {
			return nil, fault(Malformed, "a vector has the index %d, which is another's or nobody's", at)
		}
		if err := usable(entry.Embedding); err != nil {
			return nil, err
		}
		vectors[at] = entry.Embedding
		if len(entry.Embedding) != len(r.Data[0].Embedding) {
			return nil, fault(Malformed, "vectors of %d and of %d numbers", len(r.Data[0].Embedding),
				len(entry.Embedding))
		}
	}
	return vectors, nil
}

// usable says what is wrong with a vector: it must have a direction.
func usable(vector []float32) error {
	if len(vector) == 0 || len(vector) > maxDimensions {
		return fault(Malformed, "a vector of %d numbers", len(vector))
	}
	sum := 0.0
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fault(Malformed, "a vector without a direction")
	}
	return nil
}
