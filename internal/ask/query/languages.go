package query

// The lists of the other languages that are written in words. They hold the common forms of each kind of condition.
const german = `
function: der die das ein eine einen einem einer eines und oder von für mit zu zum zur im in auf ist sind war es sich dass dieser diese dieses mein meine unser wir ich du sie er hat haben kann können soll sollte bei aus als aber nicht was wie wer wo wann warum welche welcher welches als dann sie dort hier noch auch nur den dem des am an um bis
under: unter, weniger als, billiger als, günstiger als, kürzer als, niedriger als, für unter, in unter, kleiner als, leichter als, unterhalb von
atmost: höchstens, maximal, max, bis zu, nicht mehr als, nicht über, bis, in höchstens, höchstens für, nicht länger als, innerhalb von, budget von, budget, fertig in
over: über, mehr als, teurer als, länger als, höher als, besser als, größer als, schwerer als
atleast: mindestens, ab, nicht weniger als, minimum, wenigstens, nicht unter
about: etwa, ungefähr, circa, ca, rund, um die, zirka
between: zwischen, von, vom
orless: oder weniger, oder billiger, oder günstiger, max, maximal, höchstens, oder kürzer, oder darunter
ormore: oder mehr, oder besser, oder höher, und mehr, und besser, aufwärts, mindestens, oder länger
without: kein, keine, keinen, keiner, außer, ausser, ausgenommen, abgesehen von, bloß keine, mag keine, mag kein, nicht von, nicht vom, nicht aus, nichts von, nichts vom, nichts aus, weder, esse kein, esse keine, esse keinen, essen kein, essen keine, essen keinen, hasse, außerhalb von
without part: ohne, ohne jegliche, nichts mit, frei von, nicht mit, ohne einen, ohne eine, ohne ein
rather: am liebsten, vorzugsweise, möglichst, wenn möglich, bevorzugt
kind TheaterEvent: theater, theaterstücke, theaterstück, schauspiel
kind MusicEvent: musik
kind SportsEvent: sport
kind ChildrensEvent: mit kindern, für kinder, mit kind, für familien, kinder
kind ComedyEvent: comedy, kabarett
not: nicht, nicht zu, nicht so
allergic: allergisch gegen, allergisch auf, allergie gegen, allergien gegen, allergie auf, unverträglichkeit gegen, intolerant gegen, intoleranz gegen, vertrage kein, vertrage keine, vertrage keinen
free: frei, freie, freies, freier, freien
diet vegan: vegan, vegane, veganes, veganer, veganen, pflanzlich, rein pflanzlich
diet vegetarian: vegetarisch, vegetarische, vegetarisches, vegetarischer, vegetarischen, fleischlos, fleischlose, fleischfrei, fleischfreie
diet glutenfree: glutenfrei, glutenfreie, glutenfreies, glutenfreier, glutenfreien, ohne gluten
diet lowlactose: laktosefrei, laktosefreie, laktosefreies, laktosefreier, lactosefrei, lactosefreie, ohne laktose
diet dairyfree: milchfrei, milchfreie, milchfreies
diet nutfree: nussfrei, nussfreie, nussfreies
diet eggfree: eifrei, eifreie
diet soyfree: sojafrei, sojafreie
diet lowcalorie: kalorienarm, kalorienarme, kalorienarmes
diet lowfat: fettarm, fettarme, fettarmes
diet lowsalt: salzarm, salzarme
diet halal: halal
diet kosher: koscher
slot price: preis, preise, kosten, kostet
slot ratingValue: bewertung, bewertet, bewertungen von
slot totalTime: zeit, gesamtzeit, zubereitungszeit, dauert, fertig in, fertig
slot prepTime: vorbereitungszeit, vorbereitung
slot cookTime: kochzeit, backzeit, garzeit
slot duration: dauer, dauert
slot calories: kalorien, kcal
slot proteinContent: eiweiß, eiweiss, protein, proteine, proteinen
slot fatContent: fett
slot carbohydrateContent: kohlenhydrate, kohlenhydraten
slot sugarContent: zucker
slot fiberContent: ballaststoffe, ballaststoffen
slot weight: gewicht, wiegt, schwer
slot width: breite, breit
slot height: höhe, hoch
slot recipeYield: portionen
slot author: autor, autorin, geschrieben von
slot brand: marke
sort price: am billigsten, billigste, billigsten, billigster, billigstes, am günstigsten, günstigste, günstigsten, günstigster, günstigstes, nach preis, nach preis sortiert, preis aufsteigend
sort -price: bestbezahlte, bestbezahlten, am besten bezahlt, am besten bezahlte, am besten bezahlten, am teuersten, teuerste, teuersten, teuerster, teuerstes
sort -datePublished: neueste, neuesten, neuester, neuestes, aktuellste, aktuellsten, jüngste, zuletzt veröffentlicht
sort datePublished: älteste, ältesten, ältester
sort startDate: nächste, frühesten, früheste
sort -ratingValue: am besten bewertet, am besten bewertete, am besten bewerteten, bestbewertet, bestbewertete, bestbewerteten, bestbewertetes, höchste bewertung, nach bewertung, beste bewertung, besten bewertungen, am besten bewertetes
sort -ratingCount: beliebteste, beliebtesten, am beliebtesten, meistverkauft, meistverkaufte, bestseller
sort totalTime: schnellste, schnellsten, am schnellsten, schnellstes, kürzeste, kürzesten
sort calories: kalorienärmste, wenigsten kalorien
sort -proteinContent: eiweißreichste, meisten eiweiß, proteinreichste
high: viel, reich an, mit viel, hoher, hohem, reich
low: wenig, arm an, mit wenig
high proteinContent: eiweißreich, eiweißreiche, eiweißreiches, proteinreich, proteinreiche, proteinreiches
high fiberContent: ballaststoffreich, ballaststoffreiche
low carbohydrateContent: kohlenhydratarm, kohlenhydratarme
low sugarContent: zuckerarm, zuckerarme
quick: schnell, schnelle, schnelles, schneller, schnellen, rasch, flott
cheap: billig, billige, billiges, günstig, günstige, günstiges, günstiger, günstigen, preiswert, preiswerte, preiswertes, preisgünstig, preisgünstige, nicht zu teuer, nicht teuer, nicht so teuer, nicht zu teure, nicht teure, erschwinglich, erschwingliche, bezahlbar, bezahlbare
praised: gut bewertet, gut bewertete, gut bewertetes, gut bewerteten, mit guten bewertungen, gute bewertungen
gratis: kostenlos, kostenlose, kostenloses, kostenloser, kostenlosen, gratis, umsonst, eintritt frei, freier eintritt, kostenfrei, kostenfreie, mit freiem eintritt
day today: heute
day tonight: heute abend
day tomorrow: morgen
day yesterday: gestern
day weekend: wochenende
day week: woche
day month: monat
day year: jahr
day monday: montag
day tuesday: dienstag
day wednesday: mittwoch
day thursday: donnerstag
day friday: freitag
day saturday: samstag, sonnabend
day sunday: sonntag
day spring: frühling, frühjahr
day summer: sommer
day autumn: herbst
day winter: winter
since: seit, ab, ab dem, seit dem
after: nach, nach dem, später als
before: vor, vor dem, früher als, älter als
until: bis, bis zum, bis ende
past: letzte, letzten, letzter, letztes, letztem, vergangene, vergangenen, in den letzten, im letzten, in der letzten, vorige, vorigen, aus den letzten
next: nächste, nächsten, nächster, nächstes, kommende, kommenden, in den nächsten, im nächsten, in der nächsten, am nächsten, am kommenden
this: diese, dieses, diesen, diesem, dieser, in dieser, in diesem, am, an diesem
in: in, im, am, aus, vom, von, während
near: in, nahe, bei, in der nähe von, nahe bei, um, rund um, aus, im, am
by: von, der marke, von der marke, aus dem hause
made: aus
for: für
serves: für, reicht für
type Recipe: rezept, rezepte, rezepten
type Event: veranstaltung, veranstaltungen, termine, events
type MusicEvent: konzert, konzerte, konzerten
type EducationEvent: workshops, workshop
type Festival: festivals
type ExhibitionEvent: ausstellung, ausstellungen
type Article: artikel, beiträge, beitrag
type Product: produkt, produkte, produkten, artikel
type Article: nachrichten
type NewsArticle: meldungen
type Book: buch, bücher, büchern, roman, romane, romanen
type Course: kurs, kurse, kursen, lehrgang, lehrgänge
type JobPosting: stelle, stellen, jobs, job, stellenangebot, stellenangebote, stellenanzeigen
type Hotel: hotel, hotels
type Restaurant: restaurant, restaurants, lokale
type CafeOrCoffeeShop: café, cafés
type Movie: film, filme, filmen
type Museum: museum, museen
thing: dinge, sachen, etwas, ideen, idee, vorschläge, was, gericht, gerichte, essen
color black: schwarz, schwarze, schwarzer, schwarzes, schwarzen
color white: weiß, weiße, weißer, weißes, weißen
color red: rot, rote, roter, rotes, roten
color blue: blau, blaue, blauer, blaues, blauen
color green: grün, grüne, grüner, grünes, grünen
color yellow: gelb, gelbe, gelber, gelbes, gelben
color brown: braun, braune, brauner, braunes, braunen
color grey: grau, graue, grauer, graues, grauen
color pink: rosa
color purple: lila, violett
color orange: orange
top: die besten, besten, beste, die ersten, ersten, top
out: ausverkauft, nicht lieferbar
stock: auf lager, vorrätig, lieferbar, sofort lieferbar, verfügbar
gone: vergangene, vergangenen, vergangener, frühere, früheren, vorbei, schon vorbei, die vorbei sind, die schon vorbei sind, bereits vorbei, beendete, abgelaufene, in der vergangenheit, aus der vergangenheit, die schon stattgefunden haben, die bereits stattgefunden haben
now: aktuelle, aktuellen, aktuell, derzeit, derzeitige, laufende, laufenden, gerade, jetzt, momentan, im moment, zur zeit, zurzeit
upcoming: kommende, bevorstehende, anstehende, demnächst
tongue de: deutsch, deutscher sprache
tongue en: englisch, englischer sprache
tongue fr: französisch, französischer sprache
tongue es: spanisch, spanischer sprache
stars: sterne, sternen, stern
reviews: bewertungen, rezensionen
people: personen, leute, portionen, gäste, person, menschen
and: und, sowie
or: oder
courtesy: nichts als, zeig, zeig mir, zeige mir, suche, ich suche, ich möchte, ich will, gib mir, bitte, finde, ich brauche, wir suchen, welche, gibt es, was gibt es, hast du, habt ihr, kannst du, empfiehl mir, mir, alle, einige, hallo, ein paar, die, der, das, den, ein, eine, einen, mit, was kostet, was kann ich essen, was kann ich kochen, was koche ich, ich bin, wir sind, ich habe, wie viele, wieviele, haben sie, führt ihr, alles
glue: die, der, das, welche, sind, ist, kosten, kostet, für, in, mit, fertig, und, aber, ein, eine, einen, einem, einer, haben, hat, von, nur, am, im, bewertet, bewertung, an, zu, den, dem, erschienen, veröffentlicht, stattfinden, pro, portion, je, zum, preis, preise, sollen, soll, dauern, dauert, zubereitet
`

const french = `
function: le la les un une des du de et ou à au aux avec pour sans dans sur est sont ce cette ces mon ma mes notre nous je tu il elle qui que quoi dont où quand comment pourquoi quel quelle quels quelles en y ne pas plus par se son sa ses leur mais si l d j qu
under: moins de, à moins de, en moins de, inférieur à, inférieure à, au dessous de, sous, pour moins de, moins cher que, sous les
atmost: au plus, maximum, max, jusqu à, pas plus de, au maximum, dans un budget de, budget de, budget, prêt en, prête en, prêtes en
over: plus de, à plus de, supérieur à, supérieure à, au dessus de
atleast: au moins, minimum, à partir de, dès, au minimum, pas moins de
about: environ, autour de, vers, à peu près
between: entre, de, du
orless: ou moins, maximum, max, au maximum, au plus
ormore: ou plus, et plus, minimum, au moins, ou mieux
without: hormis, sauf, excepté, à part, pas de, ni, aucun, aucune, autre que, pas d, ne tolère pas, ne mange pas de, ne mangeons pas de, ne mange pas, ne veux pas de, ne veux pas, n aime pas, déteste, ne supporte pas, rien de, rien de chez, en dehors de, hors de
without part: sans, sans aucun, rien avec, sans le, sans la, sans les, rien avec, sans aucune, qui n a pas de, qui n ont pas de
rather: de préférence, si possible, idéalement
kind TheaterEvent: théâtre, théâtres, pièces de théâtre, pièce de théâtre
kind MusicEvent: musique
kind SportsEvent: sport, sports
kind ChildrensEvent: avec des enfants, avec les enfants, pour enfants, pour les enfants, pour les familles, enfants
kind ComedyEvent: humour, comédie
not: pas, pas trop, non
allergic: allergique à, allergique aux, allergique au, allergiques à, allergiques aux, allergiques au, allergie aux, allergie au, allergie à, allergies aux, intolérant au, intolérant à, intolérant aux, intolérante au, intolérante à, intolérante aux, intolérance au, intolérance à
diet vegan: vegan, végan, végane, véganes, végétalien, végétalienne, végétaliens, végétaliennes
diet vegetarian: végétarien, végétarienne, végétariens, végétariennes, sans viande, végé
diet glutenfree: sans gluten
diet lowlactose: sans lactose
diet dairyfree: sans produits laitiers, sans lait
diet nutfree: sans noix, sans fruits à coque
diet eggfree: sans oeufs, sans oeuf
diet soyfree: sans soja
diet lowcalorie: hypocalorique, peu calorique, léger en calories
diet lowfat: pauvre en graisses, allégé
diet lowsalt: sans sel ajouté, pauvre en sel
diet halal: halal
diet kosher: casher, kasher
slot price: prix, coût, coûtant, coûte, coûtent
slot ratingValue: note, noté, notée, notés, notées, évaluation
slot totalTime: temps, temps total, prêt, prête
slot prepTime: temps de préparation, préparation, de préparation
slot cookTime: temps de cuisson, cuisson, de cuisson
slot duration: durée, durant
slot calories: calories, kcal
slot proteinContent: protéines, protéine, de protéines
slot fatContent: matières grasses, lipides, graisses, de lipides
slot carbohydrateContent: glucides, de glucides
slot sugarContent: sucre, sucres, de sucre
slot fiberContent: fibres, de fibres
slot weight: poids
slot recipeYield: portions, parts
slot author: auteur, autrice, écrit par
slot brand: marque
sort price: moins cher, moins chère, moins chers, moins chères, les moins chers, le moins cher, la moins chère, les moins chères, meilleur prix, prix le plus bas, par prix, par prix croissant
sort -price: mieux payé, mieux payés, mieux payée, mieux payées, les mieux payés, les mieux payées, plus cher, plus chère, plus chers, plus chères, les plus chers, le plus cher, la plus chère, les plus chères
sort -datePublished: récent, récents, récente, récentes, plus récent, plus récents, plus récente, plus récentes, les plus récents, derniers articles, dernières nouvelles, les plus récentes, le plus récent, la plus récente
sort -ratingValue: mieux noté, mieux notés, mieux notée, mieux notées, les mieux notés, les mieux notées, meilleure note, le mieux noté, la mieux notée, meilleures notes
sort -ratingCount: plus populaire, plus populaires, les plus populaires, meilleures ventes
sort totalTime: plus rapide, plus rapides, les plus rapides, le plus rapide, la plus rapide
sort calories: moins calorique, moins caloriques
sort startDate: prochain, prochaine, prochains, prochaines
high: riche en, riches en, beaucoup de
low: pauvre en, pauvres en, peu de, faible en
quick: rapide, rapides, vite, rapidement, express, vite fait
cheap: pas cher, pas trop cher, pas trop chers, pas trop chère, pas trop chères, peu cher, peu chers, peu chère, peu chères, à petit prix, petits prix, peu coûteux, peu coûteuse, peu coûteuses, pas chère, pas chers, pas chères, bon marché, abordable, abordables, économique, économiques
praised: bien noté, bien notée, bien notés, bien notées, bons avis, avec de bons avis
gratis: gratuit, gratuite, gratuits, gratuites, gratuitement, entrée libre, entrée gratuite
day today: aujourd hui, aujourdhui
day tonight: ce soir
day tomorrow: demain
day yesterday: hier
day weekend: week end, weekend
day week: semaine
day month: mois
day year: année, an
day monday: lundi
day tuesday: mardi
day wednesday: mercredi
day thursday: jeudi
day friday: vendredi
day saturday: samedi
day sunday: dimanche
day spring: printemps
day summer: été
day autumn: automne
day winter: hiver
since: depuis, à partir de, à partir du, dès, depuis le
after: après, après le
before: avant, avant le, antérieur à
until: jusqu en, jusqu au, jusqu à
past: dernier, dernière, derniers, dernières, ces derniers, les derniers, au cours des derniers, la semaine dernière
next: prochain, prochaine, prochains, prochaines, les prochains, dans les prochains
this: ce, cette, cet, ces, en ce, le, ce prochain
in: en, à, au, dans, de, du, pendant, dans le, le
near: à, au, en, près de, dans, autour de, aux alentours de, proche de, du côté de, à la
by: de, par, de la marque, de chez, chez
made: en, en bois de
for: pour
serves: pour
type Recipe: recette, recettes
type Event: événement, événements, evenements, sorties, manifestations, spectacle, spectacles
type MusicEvent: concert, concerts
type EducationEvent: atelier, ateliers
type Festival: festivals
type ExhibitionEvent: exposition, expositions, expos
type Product: produit, produits
type Article: article, articles
type Article: nouvelles, actualités, actualité
type Book: livre, livres, roman, romans
type Course: cours, formation, formations
type JobPosting: emploi, emplois, offre d emploi, offres d emploi, postes, poste
type Hotel: hôtel, hôtels
type Restaurant: restaurant, restaurants, resto, restos
type CafeOrCoffeeShop: café, cafés
type Movie: film, films
type Museum: musée, musées
thing: choses, quelque chose, idée, idées, suggestions, chose, plat, plats, repas
color black: noir, noire, noirs, noires
color white: blanc, blanche, blancs, blanches
color red: rouge, rouges
color blue: bleu, bleue, bleus, bleues
color green: vert, verte, verts, vertes
color yellow: jaune, jaunes
color brown: marron, brun, brune
color grey: gris, grise, grises
color pink: rose, roses
color purple: violet, violette
top: les meilleurs, les meilleures, meilleurs, meilleures, top, les premiers
out: épuisé, en rupture de stock
stock: en stock, disponible, disponibles
gone: passé, passés, passée, passées, déjà passés, déjà passées, terminé, terminés, terminée, terminées, précédents, précédentes, qui ont déjà eu lieu, déjà eu lieu, qui ont eu lieu, dans le passé
now: actuel, actuels, actuelle, actuelles, actuellement, en cours, en ce moment, maintenant
upcoming: à venir, prochainement
tongue fr: français, langue française
tongue en: anglais, langue anglaise
tongue de: allemand, langue allemande
tongue es: espagnol, langue espagnole
stars: étoiles, étoile
reviews: avis, évaluations, notes
people: personnes, personne, portions, convives
and: et, ainsi que
or: ou
courtesy: rien que, montre moi, montrez moi, je cherche, je veux, je voudrais, j aimerais, trouve moi, donne moi, s il vous plaît, s il te plaît, cherche, cherchons, nous cherchons, il y a, y a t il, quels, quelles, quel, quelle, bonjour, des, les, le, la, une, un, avez vous, as tu, moi, une idée de, que, que puis je manger, que puis je cuisiner, je suis, nous sommes, j ai, combien de, tout, toute, tous, toutes, que faire, quoi faire
glue: qui, que, dont, sont, est, coûtent, coûte, coûtant, pour, en, avec, prêt, prête, prêts, prêtes, et, mais, un, une, des, de, du, les, le, la, l, d, à, au, ayant, noté, notée, notés, notées, par, seulement, publié, publiée, publiés, publiées, faire, prix, note, on, peut, portion, se, préparer, prépare, préparent, aux
`

const spanish = `
function: el la los las un una unos unas y o de del a al con para sin en es son este esta estos estas mi mis nuestro nosotros yo tú él ella que qué quién cómo cuándo dónde por cuál cuáles se su sus no más pero si lo me te nos hay muy algo como
under: menos de, por menos de, en menos de, inferior a, debajo de, por debajo de, más barato que, bajo
atmost: como máximo, máximo, max, hasta, no más de, a lo sumo, un máximo de, presupuesto de, presupuesto, listo en, listas en, de máximo, de hasta
over: más de, por más de, superior a, por encima de, encima de, mayor de
atleast: al menos, por lo menos, mínimo, desde, como mínimo, a partir de, no menos de, de al menos
about: unos, unas, alrededor de, cerca de, aproximadamente
between: entre, de, desde
orless: o menos, máximo, como máximo, max
ormore: o más, mínimo, como mínimo, o mejor, para arriba, en adelante
without: excepto, salvo, menos, que no sea, nada de, ningún, ninguna, no de, ni, no tolero, no tolera, no toleramos, no como, no comemos, no come, no tomo, no tomamos, no quiero, no queremos, no puedo comer, no puedo tomar, no podemos comer, no me gusta, no me gustan, odio, fuera de
without part: sin, sin nada de, que no tenga, que no tengan, que no lleve, que no lleven, que no contenga, que no contengan, nada con, sin ningún, sin ninguna
rather: preferiblemente, preferentemente, si es posible, a poder ser
kind TheaterEvent: teatro, obras de teatro
kind MusicEvent: música
kind SportsEvent: deporte, deportes
kind ChildrensEvent: con niños, para niños, niños
kind ComedyEvent: comedia, humor
not: no, no muy, no tan, que no sea
allergic: alérgico a, alérgica a, alérgico al, alérgica al, alérgicos a, alérgicas a, alérgicos al, alérgicas al, alergia a, alergia al, alergias a, intolerante a, intolerante al, intolerantes a, intolerantes al, intolerancia a, intolerancia al
diet vegan: vegano, vegana, veganos, veganas
diet vegetarian: vegetariano, vegetariana, vegetarianos, vegetarianas, sin carne
diet glutenfree: sin gluten, apto para celíacos, para celíacos, celíaco, celíaca, celíacos, celíacas
diet lowlactose: sin lactosa
diet dairyfree: sin lácteos, sin leche
diet nutfree: sin nueces, sin frutos secos
diet eggfree: sin huevo, sin huevos
diet soyfree: sin soja
diet lowcalorie: bajo en calorías, baja en calorías, bajas en calorías, bajos en calorías
diet lowfat: bajo en grasa, baja en grasa, bajas en grasa, bajos en grasa
diet lowsalt: bajo en sal, baja en sal, sin sal
diet halal: halal
diet kosher: kosher
slot price: precio, precios, cuesta, cuesten, cuestan
slot ratingValue: valoración, puntuación, calificación, valorado, valorada
slot totalTime: tiempo, tiempo total, listo
slot prepTime: tiempo de preparación, preparación, de preparación
slot cookTime: tiempo de cocción, cocción, de cocción
slot duration: duración
slot calories: calorías, kcal
slot proteinContent: proteína, proteínas, de proteína, de proteínas
slot fatContent: grasa, grasas, de grasa
slot carbohydrateContent: carbohidratos, hidratos, de carbohidratos
slot sugarContent: azúcar, azúcares, de azúcar
slot fiberContent: fibra, de fibra
slot weight: peso
slot recipeYield: porciones, raciones
slot author: autor, autora, escrito por
slot brand: marca
sort price: más barato, más barata, más baratos, más baratas, más económico, más económica, por precio, menor precio, precio más bajo, el más barato, la más barata, los más baratos, las más baratas
sort -price: mejor pagado, mejor pagados, mejor pagada, mejor pagadas, más caro, más cara, más caros, más caras, los más caros
sort -datePublished: reciente, recientes, más reciente, más recientes, más nuevo, más nueva, más nuevos, más nuevas, últimas noticias, los más recientes, las más recientes
sort -ratingValue: mejor valorado, mejor valorada, mejor valorados, mejor valoradas, mejor puntuado, mejor puntuados, mejor calificado, mejor calificados, mejores valoraciones
sort -ratingCount: más popular, más populares, más vendido, más vendidos
sort totalTime: más rápido, más rápida, más rápidos, más rápidas
sort calories: menos calorías, con menos calorías
sort -proteinContent: más proteína, con más proteína, más proteínas
high: alto en, alta en, altos en, altas en, rico en, rica en, ricos en, ricas en, mucha, mucho
low: bajo en, baja en, bajos en, bajas en, poca, poco, pobre en
quick: rápido, rápida, rápidos, rápidas
cheap: barato, barata, baratos, baratas, económico, económica, económicos, económicas, asequible, asequibles, de bajo coste, a buen precio, no muy caro, no muy cara, no muy caros, no muy caras, no demasiado caro, no demasiado cara, no demasiado caros, no demasiado caras, poco caro, poco cara
praised: bien valorado, bien valorada, bien valorados, bien valoradas, buenas valoraciones
gratis: gratis, gratuito, gratuita, gratuitos, gratuitas, entrada libre
day today: hoy
day tonight: esta noche
day tomorrow: mañana
day yesterday: ayer
day weekend: fin de semana
day week: semana
day month: mes
day year: año
day monday: lunes
day tuesday: martes
day wednesday: miércoles
day thursday: jueves
day friday: viernes
day saturday: sábado
day sunday: domingo
day spring: primavera
day summer: verano
day autumn: otoño
day winter: invierno
since: desde, a partir de, desde el
after: después de, tras
before: antes de, anterior a
until: hasta, hasta el
past: último, última, últimos, últimas, en los últimos, pasado, pasada, de los últimos
next: próximo, próxima, próximos, próximas, en los próximos, que viene, el próximo, la próxima
this: este, esta, estos, estas, en este, el
in: en, de, del, durante, el
near: en, cerca de, cerca del, alrededor de, por, junto a
by: de, por, de la marca
made: de, hecho de
for: para
serves: para
type Recipe: receta, recetas
type Event: evento, eventos, actividades
type MusicEvent: concierto, conciertos
type EducationEvent: taller, talleres
type Festival: festivales
type ExhibitionEvent: exposición, exposiciones
type Product: producto, productos
type Article: artículo, artículos
type Article: noticias
type Book: libro, libros, novela, novelas
type Course: curso, cursos
type JobPosting: empleo, empleos, trabajos, trabajo, ofertas de empleo
type Hotel: hotel, hoteles
type Restaurant: restaurante, restaurantes
type Movie: película, películas
type Museum: museo, museos
thing: cosas, algo, ideas, idea, sugerencias, plato, platos, comida, comidas
color black: negro, negra, negros, negras
color white: blanco, blanca, blancos, blancas
color red: rojo, roja, rojos, rojas
color blue: azul, azules
color green: verde, verdes
color yellow: amarillo, amarilla, amarillos, amarillas
color brown: marrón
color grey: gris, grises
color pink: rosa
top: los mejores, las mejores, mejores, los primeros, top
out: agotado, agotados
stock: en stock, disponible, disponibles
gone: pasados, pasadas, pasado, pasada, anteriores, terminados, terminadas, finalizados, finalizadas, ya celebrados, ya pasados, ya pasadas, que ya pasaron, que ya han pasado, que ya se celebraron
now: actuales, actual, actualmente, en curso, ahora, ahora mismo, en este momento
upcoming: próximos, futuros
tongue es: español, castellano
tongue en: inglés
tongue de: alemán
tongue fr: francés
stars: estrellas, estrella
reviews: reseñas, valoraciones, opiniones
people: personas, persona, porciones, raciones, comensales
and: y, e
or: o, u
courtesy: nada más que, muéstrame, busco, quiero, necesito, dame, por favor, encuentra, buscamos, quisiera, me gustaría, hay, tienes, tienen, qué, cuáles, recomiéndame, hola, una, un, unos, unas, el, la, los, las, algún, alguna, soy, somos, tengo, qué ceno, qué como, qué cocino, qué puedo comer, qué puedo cenar, qué puedo cocinar, para cenar, para comer, cuántos, cuántas, todo, todos, todas
glue: que, son, es, cuestan, cuesta, cuesten, para, en, con, listo, lista, listas, listos, y, pero, un, una, de, del, el, la, los, las, tengan, tenga, tienen, por, solo, publicado, publicados, publicada, publicadas, precio, al, a, hechas, hechos, se, preparan, valorados, valoradas
`

const portuguese = `
function: o a os as um uma uns umas e ou de do da dos das em no na nos nas com para sem por é são este esta estes estas meu minha nosso nós eu tu ele ela que quem como quando onde qual quais se seu sua não mais mas ao à pelo pela muito algo há
under: menos de, por menos de, em menos de, abaixo de, inferior a, debaixo de, mais barato que
atmost: no máximo, máximo, max, até, não mais de, não mais que, um máximo de, orçamento de, orçamento, pronto em, prontas em, prontos em, de até
over: mais de, por mais de, acima de, superior a
atleast: pelo menos, no mínimo, mínimo, a partir de, ao menos, de pelo menos
about: cerca de, aproximadamente, por volta de
between: entre, de
orless: ou menos, no máximo, máximo, max
ormore: ou mais, no mínimo, mínimo, ou melhor
without: exceto, menos, nada de, que não seja, nenhum, nenhuma, nem, não tolero, não como, não comemos, não quero, não posso comer, não gosto de, odeio, nada da, fora de
without part: sem, que não tenha, que não tenham, que não contenha, nada com, que não contenham, sem nenhum, sem nenhuma
rather: de preferência, preferencialmente, se possível
kind TheaterEvent: teatro, peças de teatro
kind MusicEvent: música
kind SportsEvent: esporte, esportes, desporto
kind ChildrensEvent: com crianças, para crianças, crianças
kind ComedyEvent: comédia, humor
not: não, não muito
allergic: alérgico a, alérgica a, alérgico ao, alérgica ao, alérgico aos, alérgica aos, alérgico à, alérgica à, alergia a, alergia ao, alergia aos, alergia à, intolerante a, intolerante ao, intolerante à, intolerância a, intolerância ao, intolerância à
diet vegan: vegano, vegana, veganos, veganas
diet vegetarian: vegetariano, vegetariana, vegetarianos, vegetarianas, sem carne
diet glutenfree: sem glúten, celíaco, celíaca, celíacos, para celíacos
diet lowlactose: sem lactose
diet dairyfree: sem leite, sem laticínios
diet nutfree: sem nozes
diet eggfree: sem ovo, sem ovos
diet soyfree: sem soja
diet lowcalorie: baixo em calorias, baixa em calorias, pouco calórico, baixas calorias
diet lowfat: baixo em gordura, baixa em gordura
diet lowsalt: sem sal, baixo em sal
diet halal: halal
slot price: preço, preços, custa, custam, custo
slot ratingValue: avaliação, classificação, avaliado, avaliada
slot totalTime: tempo, tempo total, pronto
slot prepTime: tempo de preparo, preparo, de preparo
slot cookTime: tempo de cozimento, cozimento, de cozimento
slot duration: duração
slot calories: calorias, kcal
slot proteinContent: proteína, proteínas, de proteína
slot fatContent: gordura, gorduras, de gordura
slot carbohydrateContent: carboidratos, hidratos, de carboidratos
slot sugarContent: açúcar, de açúcar
slot fiberContent: fibra, fibras, de fibra
slot weight: peso
slot recipeYield: porções
slot author: autor, autora, escrito por
slot brand: marca
sort price: mais barato, mais barata, mais baratos, mais baratas, menor preço, por preço, preço mais baixo, mais em conta, o mais barato, a mais barata, os mais baratos, as mais baratas
sort -price: mais caro, mais cara, mais caros, mais caras
sort -datePublished: recente, recentes, mais recente, mais recentes, mais novo, mais novos, mais nova, mais novas, últimas notícias, os mais recentes
sort -ratingValue: mais bem avaliado, mais bem avaliada, mais bem avaliados, mais bem avaliadas, melhor avaliado, melhor avaliados, melhor avaliada, melhores avaliações, melhor avaliadas
sort -ratingCount: mais popular, mais populares, mais vendido, mais vendidos
sort totalTime: mais rápido, mais rápida, mais rápidos, mais rápidas
sort calories: menos calorias, com menos calorias
high: alto em, alta em, altos em, rico em, rica em, ricos em, ricas em, muita, muito
low: baixo em, baixa em, pouca, pouco, pobre em
quick: rápido, rápida, rápidos, rápidas
cheap: barato, barata, baratos, baratas, em conta, acessível, acessíveis, econômico, econômica, econômicos, econômicas, de baixo custo, a bom preço, não muito caro, não muito cara, não muito caros, não muito caras, pouco caro, baratinho
praised: bem avaliado, bem avaliada, bem avaliados, bem avaliadas, boas avaliações
gratis: grátis, gratuito, gratuita, gratuitos, gratuitas, de graça, entrada livre, entrada gratuita
day today: hoje
day tonight: esta noite, hoje à noite
day tomorrow: amanhã
day yesterday: ontem
day weekend: fim de semana
day week: semana
day month: mês
day year: ano
day monday: segunda feira, segunda
day tuesday: terça feira, terça
day wednesday: quarta feira, quarta
day thursday: quinta feira, quinta
day friday: sexta feira, sexta
day saturday: sábado
day sunday: domingo
day spring: primavera
day summer: verão
day autumn: outono
day winter: inverno
since: desde, a partir de, desde o
after: depois de, após
before: antes de, anterior a
until: até, até o
past: último, última, últimos, últimas, nos últimos, nas últimas, passado, passada, dos últimos
next: próximo, próxima, próximos, próximas, nos próximos, nas próximas, que vem, no próximo, na próxima
this: este, esta, neste, nesta, no, na
in: em, no, na, de, do, durante
near: em, no, na, perto de, perto do, perto da, próximo a, ao redor de
by: de, da, do, por, da marca
made: de, feito de
for: para
serves: para
type Recipe: receita, receitas
type Event: evento, eventos
type MusicEvent: show, shows, concerto, concertos
type EducationEvent: oficina, oficinas
type Festival: festivais
type ExhibitionEvent: exposição, exposições
type Product: produto, produtos
type Article: artigo, artigos
type Article: notícias
type Book: livro, livros, romance, romances
type Course: curso, cursos
type JobPosting: emprego, empregos, vaga, vagas
type Hotel: hotel, hotéis
type Restaurant: restaurante, restaurantes
type Movie: filme, filmes
type Museum: museu, museus
thing: coisas, algo, ideias, ideia, sugestões, prato, pratos, comida, refeições
color black: preto, preta, pretos, pretas
color white: branco, branca, brancos, brancas
color red: vermelho, vermelha, vermelhos, vermelhas
color blue: azul, azuis
color green: verde, verdes
color yellow: amarelo, amarela, amarelos, amarelas
color brown: marrom
color grey: cinza
color pink: rosa
top: os melhores, as melhores, melhores, os primeiros, top
out: esgotado, esgotados
stock: em estoque, disponível, disponíveis
gone: passados, passadas, passado, passada, anteriores, encerrados, encerradas, terminados, terminadas, já realizados, que já aconteceram, que já passaram
now: atuais, atual, atualmente, em cartaz, em andamento, agora, neste momento, no momento
upcoming: próximos, futuros
tongue pt: português
tongue en: inglês
tongue es: espanhol
stars: estrelas, estrela
reviews: avaliações, opiniões
people: pessoas, pessoa, porções
and: e
or: ou
courtesy: nada mais que, mostre, mostre me, procuro, quero, preciso, preciso de, dê me, por favor, encontre, gostaria de, há, tem, quais, que, recomende, olá, sou, somos, tenho, quantos, quantas, tudo, todos, todas, um, uma, uns, umas, o, a, os, as
glue: que, são, é, custam, custa, custem, para, em, com, pronto, pronta, prontos, prontas, e, mas, um, uma, de, do, da, os, as, o, a, tenham, tenha, têm, por, só, publicado, publicados, publicada, publicadas, preço, feitas, feitos, ao, à, avaliados, avaliadas
`
