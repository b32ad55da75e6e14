package ask

import "testing"

func TestWhatAStoryTellsIsNoCondition(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	stick := item("shop", "stick", "Product", "Walking stick", "A stick of ash wood to lean on.")
	stock := item("shop", "stock", "Product", "Gehstock aus Esche", "Ein Gehstock, auf den man sich gut stützt.")
	fair := item("shop", "fair", "Event", "Spring fair in Dulwich", "Stalls, music and cakes for all.")
	fair.Object = []byte(`{"@type":"Event","name":"Spring fair in Dulwich","startDate":"2027-03-06",` +
		`"location":{"@type":"Place","name":"Dulwich"}}`)
	b.fill(t, "shop", "all", stick, stock, fair)
	for question, first := range map[string]string{
		"In March my husband fell in Dulwich and hurt his knee, he leans on me. Do you have a walking stick?": "stick",
		"Mein Mann fiel im März in Dulwich hin, das Knie tut ihm weh. Habt ihr einen Gehstock aus Esche?":     "stock",
	} {
		answer, err := b.Ask(t.Context(), Question{Text: question})
		if err != nil {
			t.Fatal(question, err)
		}
		for _, filter := range answer.Understood.Filters {
			if !filter.Soft {
				t.Errorf("%q: %s is a condition", question, filter.Text)
			}
		}
		if got := b.asked(t, Question{Text: question}); got[0]["url"] != "https://shop.example/"+first {
			t.Errorf("%q: %v comes first", question, got[0]["url"])
		}
	}
	answer, err := b.Ask(t.Context(), Question{Text: "what is on in Dulwich in March"})
	if err != nil || len(answer.Understood.Filters) == 0 {
		t.Errorf("a question without a story has no condition: %v", err)
	}
}
