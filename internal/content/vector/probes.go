package vector

// probes are questions on all kinds of matters, most of which a catalog has nothing on, whatever it
// is about. How much its items resemble these tells how much an item must resemble a question to be
// an answer without sharing a word with it: more than chance gives, by this model and in this
// catalog.
var probes = []string{
	"who won the world cup final", "how to renew a passport", "average rainfall in November",
	"causes of the French revolution", "how does photosynthesis work", "train times to the airport",
	"stock market news", "treatment for back pain", "best time to prune roses", "population of Brazil",
	"how to change a flat tyre", "income tax deadline", "history of jazz music", "distance from the earth to the moon",
	"what is machine learning", "divorce lawyer fees", "currency exchange rates", "how to write a cover letter",
	"vegetarian lasagne", "used cars for sale", "opening hours of the town library", "symptoms of measles",
	"ancient Greek philosophy", "how to knit a scarf", "cheap flights in summer", "chess openings for beginners",
	"how bridges are built", "migration of birds", "painting a bedroom wall", "mortgage calculator",
	"learn Spanish online", "electric guitar strings", "first aid for burns", "waterproof hiking boots",
	"solar panels on a flat roof", "puppy training classes", "wedding speech examples", "how to file a patent",
	"earthquake safety", "recipe for sourdough bread", "jobs in nursing", "famous paintings of the Renaissance",
	"password reset", "noise cancelling headphones", "theory of relativity explained", "concert tickets tonight",
	"school holidays calendar", "vitamin D deficiency", "wie wird das Wetter morgen", "Steuererklärung für Studenten",
	"comment apprendre le piano", "horaires du musée", "cómo plantar tomates", "historia de la fotografía",
	"como fazer um currículo", "receita de bolo de cenoura", "東京の天気", "英語の勉強方法", "ricetta del tiramisù",
	"hoe werkt een warmtepomp", "what is the capital of Mongolia", "lost luggage compensation", "build a garden shed",
	"children's bedtime stories",
}
