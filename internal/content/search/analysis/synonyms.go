package analysis

import (
	"slices"
	"strings"
)

// synonyms are, by language, groups of words that stand for one another in questions: other
// spellings, forms that no rule of stemming brings together, and names for the same thing. Words
// that mean something else, too, are not among them, nor what is only akin, nor names of several
// words. Japanese has none: its words are looked up by pairs of characters.
var synonyms = map[string]string{
	"en": `
		woman women
		man men
		child children kid
		foot feet
		tooth teeth
		mouse mice
		goose geese
		knife knives
		leaf leaves
		loaf loaves
		shelf shelves
		half halves
		scarf scarves
		wolf wolves
		calf calves
		color colour
		gray grey
		aluminum aluminium
		tire tyre
		jewelry jewellery
		yogurt yoghurt
		donut doughnut
		theater theatre
		center centre
		flavor flavour
		flavored flavoured
		fiber fibre
		liter litre
		meter metre
		catalog catalogue
		pajamas pyjamas
		mold mould
		plow plough
		whiskey whisky
		omelet omelette
		barbecue barbeque bbq
		mom mum mommy
		mother mama
		father dad daddy
		grandma grandmother granny
		grandpa grandfather
		tv television
		fridge refrigerator
		sofa couch settee
		bike bicycle
		motorbike motorcycle
		movie film
		photo photograph
		phone telephone
		smartphone cellphone
		earbud earphone
		eggplant aubergine
		zucchini courgette
		cilantro coriander
		chickpea garbanzo
		arugula rucola
		beet beetroot
		shrimp prawn
		diaper nappy
		stroller pushchair pram
		airplane aeroplane
		automobile car
		lawyer attorney
		veggie vegetable
		sweater pullover
		trash garbage rubbish
		drape curtain
		math maths mathematics
		bookstore bookshop
		ad advertisement advert
		exam examination
		gym gymnasium
		vet veterinarian
		dr doctor
		kg kilogram kilo
		lb pound
		oz ounce
		cm centimeter centimetre
		mm millimeter millimetre
		ml milliliter millilitre`,
	"de": `
		fernseher tv fernsehgerät
		handy smartphone mobiltelefon
		fahrrad velo
		sofa couch
		möhre karotte
		sahne rahm obers
		quark topfen
		brötchen semmel
		kartoffel erdapfel
		tomate paradeiser
		aprikose marille
		hackfleisch faschiertes
		pilz schwammerl
		johannisbeere ribisel
		samstag sonnabend
		metzger fleischer
		auto pkw
		foto fotografie
		computer rechner
		arzt ärztin doktor
		laptop notebook
		ferien urlaub
		mais kukuruz
		joghurt jogurt
		delfin delphin
		portemonnaie geldbeutel geldbörse`,
	"fr": `
		télé télévision téléviseur
		vélo bicyclette
		voiture auto automobile
		ordinateur pc
		frigo réfrigérateur
		canapé sofa
		photo photographie
		œil yeux
		ciné cinéma
		resto restaurant
		appart appartement
		yaourt yogourt
		médecin docteur
		vacances congés
		emploi job
		livre bouquin
		travail travaux
		cheval chevaux
		journal journaux
		animal animaux`,
	"es": `
		tele televisión televisor
		coche auto carro automóvil
		ordenador computadora computador
		móvil celular
		zumo jugo
		melocotón durazno
		aguacate palta
		judía frijol alubia
		bici bicicleta
		foto fotografía
		frigorífico nevera refrigerador heladera
		gafas lentes anteojos
		maíz choclo
		gamba camarón
		fresa frutilla
		sofá couch
		peli película
		empleo trabajo
		cacahuete maní cacahuate`,
	"pt": `
		tv televisão televisor tevê
		celular telemóvel
		ônibus autocarro
		geladeira frigorífico
		abacaxi ananás
		carro automóvel
		bicicleta bike
		foto fotografia
		sofá couch
		emprego trabalho
		esporte desporto
		xícara chávena
		camarão gamba
		aluguel aluguer`,
}

// sameWords gives, by folded word, the others of its groups in a language.
func sameWords(tag string) map[string][]string {
	same := map[string][]string{}
	for line := range strings.Lines(synonyms[tag]) {
		group := strings.Fields(line)
		for _, word := range group {
			for _, other := range group {
				if key := Fold(word); other != word && !slices.Contains(same[key], other) {
					same[key] = append(same[key], other)
				}
			}
		}
	}
	return same
}
