package story

import "testing"

func TestAWishIsToldFromItsStory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, wish string }{
		{"hi, my husband broke his ankle in March and he is bored at home all day. Do you have any jigsaw puzzles?",
			"Do you have any jigsaw puzzles?"},
		{"Letzten Sommer waren wir mit meinem Mann in Rom, es war viel zu heiß. Gibt es bei euch Führungen am Abend?",
			"Gibt es bei euch Führungen am Abend?"},
		{"En janvier ma fille a cassé son violon à Lyon, elle pleure encore tous les soirs, vous auriez un luthier ?",
			"vous auriez un luthier ?"},
		{"El mes pasado se nos inundó la cocina en Madrid y lo perdimos casi todo, busco una mesa pequeña para dos",
			"busco una mesa pequeña para dos"},
		{"A maggio mio marito compie gli anni e a Roma non troviamo niente che gli piaccia, avete un corso di pane?",
			"avete un corso di pane?"},
		{"Em setembro a minha avó mudou-se para o Porto e diz que sente falta do jardim. Têm vasos para uma varanda?",
			"Têm vasos para uma varanda?"},
	} {
		if got, told := Wish(c.text); got != c.wish || !told {
			t.Errorf("%q: the wish is %q, %v; want %q", c.text, got, told, c.wish)
		}
	}
}

func TestWhatIsAllWishTellsNoStory(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"red shoes for women in Berlin in May",
		"is there anything at all for children of seven and nine on a rainy Saturday in March near the river?",
		"", "...", "?!?",
	} {
		if wish, told := Wish(text); told {
			t.Errorf("%q: tells a story beside %q", text, wish)
		}
	}
}
