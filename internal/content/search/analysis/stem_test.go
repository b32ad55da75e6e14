package analysis

import (
	"strings"
	"testing"
)

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for tag, lines := range map[string]string{
		"de": `Rezept Rezepte Rezepten Rezeptes Rezepts
			Schuh Schuhe Schuhen Schuhs
			Kind Kinder Kindern Kindes
			Haus Häuser Häusern Hauses
			Apfel Äpfel Äpfeln
			Kartoffel Kartoffeln
			Kuchen Kuchens
			Nuss Nüsse Nüssen
			vegan vegane veganer veganen veganes veganem
			rot rote roten
			Preis Preise Preisen Preises
			Gans Gänse Gänsen
			Hose Hosen
			Hotel Hotels
			Restaurant Restaurants
			Veranstaltung Veranstaltungen
			Rad Räder Rädern
			Museum Museen
			Thema Themen
			Öl Öle
			Buch Bücher Büchern Buches`,
		"pt": `bolo bolos
			receita receitas
			limão limões
			pão pães
			animal animais
			hotel hotéis
			mulher mulheres
			luz luzes
			viagem viagens
			sapato sapatos
			barril barris
			café cafés
			azul azuis
			fácil fáceis
			mês meses
			mão mãos
			português portuguesa portugueses
			maçã maçãs`,
		"en": `knife knives
			leaf leaves
			shelf shelves
			child children
			woman women
			mouse mice
			foot feet`,
		"fr": `vélo vélos
			tissu tissus
			menu menus
			jeu jeux
			bijou bijoux
			taxi taxis
			cheval chevaux
			gâteau gâteaux
			travail travaux
			œil yeux`,
		"es": `taller talleres
			luz luces
			sofá sofás
			café cafés
			menú menús
			jamón jamones
			noche noches
			calle calles
			mes meses
			red redes`,
		"it": `ricetta ricette
			uomo uomini
			uovo uova
			arancia arance
			gioco giochi
			torta torte
			libro libri
			lago laghi
			amica amiche
			veloce veloci`,
	} {
		for line := range strings.Lines(lines) {
			stems := map[string]bool{}
			for w := range a.Words(line, tag) {
				stems[w.Term] = true
			}
			if len(stems) != 1 {
				t.Errorf("%s: %v are stems of %s", tag, stems, strings.TrimSpace(line))
			}
		}
	}
}

func TestDifferentWordsKeepTheirStems(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for tag, lines := range map[string]string{
		"de": `Leber Leben
			Gans ganz
			Tee Teer
			Eis Ei
			Reis Rad`,
		"pt": `bolo bola
			mas mais
			pao pau`,
		"it": `torta torre tre`,
	} {
		for line := range strings.Lines(lines) {
			stems := map[string]bool{}
			for w := range a.Words(line, tag) {
				stems[w.Term] = true
			}
			if len(stems) != len(strings.Fields(line)) {
				t.Errorf("%s: %v are the stems of %s", tag, stems, strings.TrimSpace(line))
			}
		}
	}
}
