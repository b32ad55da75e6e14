package query

// english lists what English phrases mean to a question. The order of lines does not matter; the longest phrase wins.
const english = `
function: the a an and or of for with to in on is are be it its that which this these those my your our i we you me do does can could would should at by from as but not what how who when where why than then them they there have has had some any all more most very
under: under, below, less than, lower than, cheaper than, fewer than, shorter than, lighter than, smaller than, <, beneath, faster than, quicker than, not as much as, for less than, for under, in under, in less than
atmost: i can spend up to, can spend up to, i can spend, i could spend, spend up to, at most, up to, no more than, not more than, no longer than, not longer than, no higher than, maximum, max, maximum of, max of, a maximum of, a max of, not over, not above, not exceeding, within, in at most, <=, ≤, budget of, a budget of, budget is, budget, within a budget of, on a budget of, capped at, no greater than, ready in, done in, made in, takes, taking, i only have, only have, i have only, i have got, i have, weve got, ive got, ive only got, to spend, can spend, spend, want to spend, no later than
over: over, above, more than, greater than, higher than, longer than, heavier than, bigger than, larger than, better than, >, exceeding, upwards of, north of
atleast: at least, no less than, not less than, minimum, min, minimum of, a minimum of, from at least, starting at, starting from, >=, ≥, or over, at the least, not below, not under
about: about, around, approximately, approx, roughly, circa, ca, ~, close to, near, some, in the region of
between: between, from, ranging from, anywhere from, anywhere between, somewhere between
orless: or less, or under, or below, or cheaper, or fewer, or lower, or shorter, or faster, or quicker, and under, and below, and less, max, maximum, tops, at most, at the most, or so max, limit, budget, or sooner
ormore: or more, or above, or higher, or better, or up, or over, and up, and above, and over, and more, and higher, and better, plus, +, upwards, at least, minimum, min, or longer, or greater
without: any color but, any colour but, every color but, all colors but, excluding, exclude, excludes, except, except for, other than, leave out, leaving out, hold the, anything but, avoid, avoiding, skip the, skip, omit, omitting, apart from, aside from, rather than, instead of, cant eat, cannot eat, cant have, cannot have, do not eat, dont eat, does not eat, doesnt eat, cant stand, hate, i hate, hates, dislike, dont like, dont want, do not want, do not like, doesnt like, does not like, but no, and no, no, nothing from, not from, not by, not in, never, neither, nothing by, nothing of, outside of
without part: without, with out, without any, w/o, minus, sans, free of, free from, nothing with, none with, contains no, containing no, has no, have no, that has no, lacking, not containing, not contain, that do not contain, that dont contain, doesnt contain, does not contain, dont contain, not include, not including, doesnt include, doesnt have, dont have, does not have, do not have, with no, not with, having no, that dont need, that doesnt need, that do not need, that does not need, that need no, that needs no, which need no, which needs no, dont need, doesnt need
rather: preferably, ideally, if possible
kind TheaterEvent: theatre, theater, theatres, theaters, plays, stage plays
kind MusicEvent: music
kind SportsEvent: sport, sports
kind ChildrensEvent: with kids, with children, for kids, for children, for the kids, for the children, with the kids, with the children, for families, kids, children
kind ComedyEvent: comedy, comedies, stand up
unmade: not made of, not made from, not made out of, not of, not made with
not: not, isnt, arent, not too, not so, not very, non, is not, are not, but not, and not, just not, anything not
allergic: allergic to, im allergic to, i am allergic to, intolerant to, allergy to, intolerance to, allergies to, sensitive to, allergic against, cant tolerate, cannot tolerate
free: free
diet vegan: vegan, vegans, plant based, plantbased, fully plant based
diet vegetarian: vegetarian, vegetarians, veggie, veggies only, meatless, meat free, meatfree
diet glutenfree: gluten free, glutenfree, no gluten, coeliac, celiac, wheat free, gluten intolerant, coeliac friendly, celiac friendly, gf
diet dairyfree: dairy free, dairyfree, milk free, non dairy
diet lowlactose: lactose free, lactosefree, low lactose, lactose intolerant
diet nutfree: nut free, nutfree, tree nut free, free from nuts, nut allergy
diet peanutfree: peanut free, peanut allergy
diet eggfree: egg free, eggfree, eggless, egg allergy
diet soyfree: soy free, soya free, soyfree, soy allergy
diet fishfree: fish free, fish allergy
diet shellfishfree: shellfish free, shellfish allergy
diet sesamefree: sesame free, sesame allergy
diet lowcalorie: low calorie, low calories, low cal, light meal
diet lowfat: low fat, lowfat
diet lowsalt: low salt, low sodium, reduced salt
diet diabetic: diabetic, diabetic friendly, for diabetics, suitable for diabetics
diet halal: halal
diet kosher: kosher
diet hindu: hindu diet
diet pescatarian: pescatarian, pescetarian
diet keto: keto, ketogenic, keto friendly
diet paleo: paleo
slot price: price, prices, priced, cost, costs, costing, price range, price is, price tag, asking price
slot ratingValue: rating, ratings of, rated, score, scored, stars rating, average rating, review score, reviews of, rating is
slot totalTime: total time, time, ready, minutes total, total, overall, altogether, overall time, time is, in total, start to finish
slot prepTime: prep time, preparation time, prep, hands on time, active time, hands on, of prep, of preparation
slot cookTime: cook time, cooking time, cooks, baking time, bake time, in the oven, of cooking, oven time
slot duration: duration, long, lasting, runtime, running time, length
slot calories: calories, kcal, cal, cals, calorie, calories per serving
slot proteinContent: protein, proteins, of protein, protein content, protein rich
slot fatContent: fat, of fat, fat content
slot carbohydrateContent: carbs, carb, carbohydrates, carbohydrate, of carbs, of carbohydrates, net carbs
slot sugarContent: sugar, sugars, of sugar, sugar content
slot fiberContent: fiber, fibre, of fiber, of fibre, dietary fiber, dietary fibre
slot sodiumContent: sodium, salt, of sodium, of salt
slot weight: weight, weighs, weighing, heavy
slot width: width, wide
slot height: height, tall, high
slot depth: depth, deep
slot recipeYield: servings, serving, portions
slot brand: brand, brands, made by, manufacturer
slot author: author, written by, authors
slot recipeIngredient: ingredient, ingredients
slot material: material, materials
slot color: color, colour, colors, colours
slot location: location, venue, place
slot startDate: date, dates
slot recipeCuisine: cuisine
sort price: cheapest, cheapest first, least expensive, lowest price, lowest priced, lowest cost, sort by price, sorted by price, price low to high, lowest price first, by price, most affordable, price ascending, from cheapest to most expensive, cheapest to most expensive, best price, low to high, lowest first, for the least money, lowest prices, most inexpensive
sort -price: most expensive, priciest, dearest, highest paid, best paid, highest paying, best paying, highest price, highest priced, price high to low, most expensive first, most luxurious, price descending, highest price first
sort -datePublished: newest, latest, recent, most current, most recently released, most recent, newest first, latest first, most recently published, sort by date, sorted by date, most recent first, sort by newest, most up to date, freshest, recently added
sort datePublished: oldest, oldest first, earliest published
sort startDate: soonest, soonest first, earliest, sort by start date, coming up next, next up, earliest first, coming up first
sort -ratingValue: top rated, best rated, highest rated, highest rating, best reviewed, top reviewed, best ratings, sort by rating, sorted by rating, best rating, highest rated first, with the best ratings, with the best reviews, best scored, highest scoring, best rated first, with the highest rating, by rating, top rated first, best review scores
sort -ratingCount: most popular, most reviewed, most rated, bestselling, best selling, best seller, best sellers, bestsellers, most reviews, most ratings, by popularity, sort by popularity, with the most reviews, with the most ratings, most loved
sort totalTime: quickest, fastest, shortest, least time, quickest first, fastest first, shortest time, sort by time, quickest to make, fastest to make, takes the least time, the least time
sort -totalTime: longest, slowest
sort calories: lowest calorie, fewest calories, lowest in calories, least calories, lightest in calories, lowest calories, with the fewest calories
sort -calories: highest calorie, most calories, highest in calories
sort -proteinContent: highest protein, most protein, highest in protein, most protein rich, with the most protein, the most protein
sort fatContent: lowest fat, least fat, lowest in fat
sort carbohydrateContent: lowest carb, fewest carbs, lowest in carbs, least carbs
sort sugarContent: lowest sugar, least sugar
sort -fiberContent: highest fiber, highest fibre, most fiber, most fibre
sort weight: lightest
sort -weight: heaviest
high: high, high in, rich in, rich, packed, packed with, full of, loaded with, plenty of, lots of, a lot of, good source of, heavy, higher
low: low, low in, little, reduced, light on, light in, lower
quick: quick, fast, speedy, in a hurry, in no time, express, quickly, hurry
cheap: cheap, affordable, inexpensive, budget friendly, low cost, low price, low priced, bargain, bargains, not too expensive, not expensive, reasonably priced, wallet friendly, economical, good value, on a budget, low budget, cheaply, not too pricey, not pricey, not very expensive, not so expensive, easy on the wallet
praised: highly rated, well rated, well reviewed, good reviews, great reviews, with good ratings, good ratings, positive reviews, highly reviewed, highly recommended, well liked, good rating, great ratings, excellent reviews, excellent ratings, with good reviews
gratis: for free, free to attend, free to enter, free to join, without an entry fee, without entry fee, without paying, free of charge, free entry, free admission, no charge, no entry fee, without charge, at no cost, doesnt cost anything, costs nothing, cost nothing, with free entry, with free admission
day today: today, todays
day tonight: tonight, this evening
day tomorrow: tomorrow, tomorrows, tomorrow night
day yesterday: yesterday, yesterdays
day weekend: weekend, the weekend, weekends
day week: week, weeks
day month: month, months
day year: year, years
day monday: monday, mondays
day tuesday: tuesday, tuesdays
day wednesday: wednesday, wednesdays
day thursday: thursday, thursdays
day friday: friday, fridays
day saturday: saturday, saturdays
day sunday: sunday, sundays
day spring: spring
day summer: summer
day autumn: autumn
day winter: winter
since: since, starting, as of, dating from, newer than, starting from, later than
after: after, later than, following, past
before: before, prior to, older than, earlier than
until: until, till, by, through, up to, no later than
past: last, past, in the last, in the past, over the last, over the past, within the last, within the past, from the last, from the past, during the last, the last, the past, from last, previous, of the last, of the past
next: next, coming, in the next, within the next, over the next, upcoming, the next, the coming, during the next, this coming, following
this: this, in this, current, during this, later this, for this, on this
in: in, on, during, at, throughout, dated, from, for, of, in the colour, in the color, over
near: near, in, at, around, close to, nearby, near to, within, based in, located in, located at, held at, held in, by, from, next to, not far from, at the, in the, near the, around the, close to the
by: by, from, made by, written by, published by, by the, manufactured by, brand, from the brand, produced by, of the brand, designed by
made: made of, made from, made out of, in, of, out of
for: for
serves: serves, serving, feeds, to feed, feeding, enough for, for, to serve, that serves, that feeds, good for
type Recipe: recipe, recipes
type Event: event, events, happenings, what happens, what is happening, whats happening, whats on, what is on, what was on, things to do, going on
type MusicEvent: concert, concerts, gig, gigs, live music
type Festival: festival, festivals
type SportsEvent: sports event, sports events, sporting event, sporting events, sport events
type EducationEvent: workshop, workshops, masterclass, masterclasses
type ScreeningEvent: screening, screenings, film screening, film screenings, movie screening
type TheaterEvent: theatre performance, theater performances, theatre shows
type ExhibitionEvent: exhibition, exhibitions
type Product: product, products, merchandise
type Article: article, articles
type Article: news
type NewsArticle: news article, news articles, news stories, news story
type BlogPosting: blog post, blog posts, blog
type Book: book, books, novel, novels
type Course: course, courses
type JobPosting: job, jobs, vacancy, vacancies, job opening, job openings, job posting, job postings, job offers, open positions, positions, open position, job listings
type Hotel: hotel, hotels
type LodgingBusiness: lodging, lodgings, accommodation, accommodations, places to stay, place to stay, guesthouse, guesthouses, b and b
type Restaurant: restaurant, restaurants, eatery, eateries
type CafeOrCoffeeShop: cafe, cafes, coffee shop, coffee shops
type BarOrPub: bar, bars, pub, pubs
type LocalBusiness: local business, local businesses
type Store: store, stores, shop, shops
type Bakery: bakery, bakeries
type Movie: movie, movies, film, films
type TVSeries: tv series, tv shows
type PodcastEpisode: podcast episode, podcast episodes
type PodcastSeries: podcast, podcasts
type VideoObject: video, videos
type SoftwareApplication: app, apps, software
type MobileApplication: mobile app, mobile apps
type VideoGame: video game, video games
type Organization: organization, organizations, organisations, organisation
type Museum: museum, museums
type Review: review of, reviews of
type FAQPage: faq, faqs
type HowTo: how to guide, how to guides, tutorial, tutorials
type Apartment: apartment, apartments, flats
type Car: cars
type TouristAttraction: attraction, attractions, sights, tourist attraction, tourist attractions
thing: thing, things, item, items, something, anything, stuff, ideas, idea, options, option, suggestions, suggestion, ones, one, results, result, examples, picks, choices, recommendations, everything, pieces, piece, dish, dishes, meal, meals, food, foods
color black: black
color white: white, off white
color red: red, crimson, scarlet
color blue: blue
color green: green
color yellow: yellow
color orange: orange
color purple: purple, violet, lilac
color pink: pink
color brown: brown
color grey: grey, gray
color beige: beige
color gold: gold, golden
color silver: silver
color navy: navy, navy blue
color cream: cream coloured, cream colored
color turquoise: turquoise, teal
color multicolor: multicolor, multicolored, multicoloured
top: top, best, first, the best, the top, the first
out: out of stock, sold out, unavailable, not available, not in stock
stock: in stock, available now, currently available, in store now, available for delivery, only available
gone: past, previous, former, bygone, finished, ended, concluded, in the past, from the past, of the past, that are over, that is over, which are over, already over, are over, that have ended, that ended, that already ended, that are finished, already happened, that already happened, that have already happened, that took place, that already took place, that have taken place, gone by, old, older, earlier, recent
now: current, currently, ongoing, now, right now, at the moment, at present, on now, running now, running right now, currently running, happening now, in progress, still running, still on
upcoming: upcoming, next upcoming, coming up, in the future, still to come, future, forthcoming
tongue en: english
tongue de: german
tongue fr: french
tongue es: spanish
tongue pt: portuguese
tongue ja: japanese
tongue it: italian
stars: stars, star, stars out of 5, out of 5, out of five, of 5
reviews: reviews, ratings, people rated, reviewers, votes, customer reviews
people: people, persons, person, servings, guests, portions, diners, of us, friends, adults, eaters, mouths, serving
and: and, &, plus, as well as, nor
or: or
courtesy: nothing but, how many, anywhere, anything, i have all afternoon, i have all day, all afternoon, all day, no rush, can i serve, could i serve, should i serve, can i cook, could i cook, should i cook, can i make, could i make, should i make, can i buy, should i buy, in the shop, in the store, in your shop, in your store, on this site, on offer, here, you have, you sell, show, show me, find, find me, give me, give, list, list me, get me, i want, i need, i would like, id like, im looking for, i am looking for, looking for, search for, search, please, pls, can you, could you, can you find, could you find, do you have, have you got, are there, are there any, is there, is there a, is there any, tell me, tell me about, recommend, suggest, help me find, what are, what are the, what is, whats, which, what, we need, i am, im, hi, hello, hey, thanks, thank you, any, some, all, everything, all the, me, want, need, got any, got, have you, where can i find, what can i get, what can i make, what can i cook, what can i buy, i, we, my, us, can i get, can i, do, you, your, the, a, an, i can make, i can, to make, to buy, to cook, to read, to see, to do, sort, sorted, order, ordered
glue: cook, bake, bakes, baked, prepare, prepared, closing, closes, expiring, paying, paid, that pay, which pay, pays, pay, salary, starting, guest, guests, friend, friends, wife, husband, girlfriend, boyfriend, partner, son, daughter, mother, mum, mom, dad, father, sister, brother, weighing, weighs, weigh, released, cooks, cooked, that, which, who, are, is, be, was, were, can, cost, costs, costing, priced, price, for, in, with, ready, made, done, take, takes, taking, a, an, the, of, and, but, or, at, rated, having, has, have, by, only, just, also, my, it, its, to, from, on, i, me, ones, must, should, will, need, needs, written, published, posted, happening, held, on, taking place, sort, sorted, order, ordered, you, your, as, when, stay, keep, keeping, then, per, serving, each, than, do, does, not, contain, containing, contains, so, there, total, really, them, any, all
`
