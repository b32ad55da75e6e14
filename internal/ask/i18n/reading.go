package i18n

// How and where one works, what costs nothing and little, and other details of items that questions ask for.
var (
	Employment  = in("employment", "employment", "Anstellung", "contrat", "contrato", "contrato", "雇用形態")
	Workplace   = in("workplace", "place of work", "Arbeitsort", "lieu de travail", "lugar de trabajo", "local de trabalho", "勤務地")
	RemoteWork  = in("remote_work", "remote", "ortsunabhängig", "à distance", "a distancia", "à distância", "リモート勤務")
	Free        = in("free_of_charge", "free of charge", "kostenlos", "gratuit", "gratis", "grátis", "無料")
	LowPrice    = in("low_price", "low price", "niedriger Preis", "prix bas", "precio bajo", "preço baixo", "低価格")
	OverBefore  = in("over_before", "over before %s", "vorbei vor dem %s", "terminé avant le %s", "terminado antes del %s", "encerrado antes de %s", "%sより前に終了")
	Ended       = in("ended", "end", "Ende", "fin", "fin", "fim", "終了日")
	Ingredients = in("ingredients", "ingredients", "Zutaten", "ingrédients", "ingredientes", "ingredientes", "材料")
	Genre       = in("genre", "genre", "Genre", "genre", "género", "gênero", "ジャンル")
	Pages       = in("number_of_pages", "number of pages", "Seitenzahl", "nombre de pages", "número de páginas", "número de páginas", "ページ数")
	Organizer   = in("organizer", "organizer", "Veranstalter", "organisateur", "organizador", "organizador", "主催者")
	Performer   = in("performer", "performer", "Mitwirkende", "artiste", "artista", "artista", "出演者")
	Director    = in("director", "director", "Regie", "réalisateur", "director", "diretor", "監督")
	Instructor  = in("instructor", "instructor", "Kursleitung", "formateur", "instructor", "instrutor", "講師")
	Employer    = in("employer", "employer", "Arbeitgeber", "employeur", "empleador", "empregador", "雇用主")
	Publisher   = in("publisher", "publisher", "Verlag", "éditeur", "editorial", "editora", "出版社")
)

// Jobs are ways to be employed by schema.org's words: "FULL_TIME" is "full time", and work from anywhere is "remote".
var Jobs = Names{
	"FULL_TIME":   in("job_full_time", "full time", "Vollzeit", "temps plein", "tiempo completo", "tempo integral", "フルタイム"),
	"PART_TIME":   in("job_part_time", "part time", "Teilzeit", "temps partiel", "tiempo parcial", "meio período", "パートタイム"),
	"INTERN":      in("job_intern", "internship", "Praktikum", "stage", "prácticas", "estágio", "インターンシップ"),
	"CONTRACTOR":  in("job_contractor", "freelance", "freiberuflich", "indépendant", "autónomo", "autônomo", "業務委託"),
	"TEMPORARY":   in("job_temporary", "temporary", "befristet", "temporaire", "temporal", "temporário", "期間限定"),
	"VOLUNTEER":   in("job_volunteer", "volunteering", "ehrenamtlich", "bénévolat", "voluntariado", "voluntariado", "ボランティア"),
	"PER_DIEM":    in("job_per_diem", "paid by the day", "tageweise", "à la journée", "por día", "por dia", "日雇い"),
	"TELECOMMUTE": RemoteWork,
}
