package ask

import (
	"context"
	"testing"
)

func TestWhoWritesTheWholeNameOfAnItemFindsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "all",
		item("shop", "a", "Product", "Canção rápida de algodão em Évora", "Uma cadeira."),
		item("shop", "b", "Product", "Canção caseira em Conceição", "Uma canção."),
		item("shop", "c", "Product", "Red chairs under 20 dollars", "A book about chairs."),
		item("shop", "d", "Product", "Chair", "Red, for 15 dollars."))
	for text, want := range map[string]string{
		"Canção rápida de algodão em Évora": "Canção rápida de algodão em Évora",
		"red chairs under 20 dollars":       "Red chairs under 20 dollars",
	} {
		reply, err := b.Ask(context.Background(), Question{Text: text})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for result, err := range reply.Answer.Results(context.Background()) {
			if err != nil || result.Name() != want {
				t.Errorf("%s: %q is first (%v)", text, result.Name(), err)
			}
			break
		}
	}
}
