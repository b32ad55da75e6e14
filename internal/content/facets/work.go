package facets

import "strings"

// Slots of how and where one works.
const (
	Employment Slot = "employmentType"  // schema.org's values: "FULL_TIME", "PART_TIME", "INTERN" and the like
	Workplace  Slot = "jobLocationType" // Remote, or as the item says it
)

// Remote is the value of Workplace for work that can be done from anywhere.
const Remote = "TELECOMMUTE"

// EmploymentOf finds the value of Employment that folded words say in one of our languages: "full time", "Teilzeit".
func EmploymentOf(folded string) (name string, ok bool) {
	name, ok = employments[folded]
	return name, ok
}

// IsRemote says whether folded words mean work that can be done from anywhere.
func IsRemote(folded string) bool { return remote[folded] }

// employments are the ways to be employed, by how they are said.
var employments = func() map[string]string {
	all := map[string]string{}
	for name, said := range map[string]string{
		"FULL_TIME":  "full time,fulltime,vollzeit,in vollzeit,vollzeitstelle,vollzeitstellen,temps plein,à temps plein,plein temps,à plein temps,temps complet,à temps complet,tiempo completo,a tiempo completo,jornada completa,a jornada completa,tempo integral,a tempo integral,em tempo integral,período integral,tempo inteiro,a tempo inteiro,tempo pieno,a tempo pieno,フルタイム,正社員,常勤",
		"PART_TIME":  "part time,parttime,teilzeit,in teilzeit,teilzeitstelle,teilzeitstellen,temps partiel,à temps partiel,mi temps,à mi temps,tiempo parcial,a tiempo parcial,media jornada,a media jornada,jornada parcial,meio período,de meio período,tempo parcial,a tempo parcial,em tempo parcial,tempo parziale,a tempo parziale,パートタイム,パート,アルバイト,非常勤",
		"INTERN":     "intern,interns,internship,internships,trainee,traineeship,traineeships,praktikum,praktika,praktikant,praktikantin,praktikumsplatz,praktikumsplätze,praktikumsstelle,praktikumsstellen,stage,stages,stagiaire,stagiaires,prácticas,becario,becaria,pasantía,pasantías,estágio,estágios,estagiário,estagiária,tirocinio,tirocini,tirocinante,stagista,stagisti,インターン,インターンシップ",
		"CONTRACTOR": "contractor,contractors,contract,contract work,freelance,freelancer,freelancers,self employed,freiberuflich,freiberufliche,freier mitarbeiter,freie mitarbeit,en freelance,indépendant,autónomo,autónoma,por cuenta propia,autônomo,autônoma,libero professionista,liberi professionisti,partita iva,フリーランス,業務委託",
		"TEMPORARY":  "temporary,temp,seasonal,fixed term,befristet,befristete,aushilfe,saisonal,temporaire,temporaires,intérim,cdd,saisonnier,saisonniers,temporal,temporales,de temporada,temporário,temporária,temporários,temporárias,tempo determinato,a tempo determinato,stagionale,stagionali,契約社員,派遣,期間限定",
		"VOLUNTEER":  "volunteer,volunteers,volunteering,voluntary,ehrenamt,ehrenamtlich,ehrenamtliche,bénévole,bénévoles,bénévolat,voluntario,voluntaria,voluntariado,voluntário,voluntária,volontario,volontaria,volontari,volontariato,ボランティア",
		"PER_DIEM":   "per diem",
	} {
		for _, form := range split(said) {
			all[Fold(form)] = name
		}
		all[Fold(name)] = name
	}
	return all
}()

var remote = func() map[string]bool {
	all := map[string]bool{}
	for _, form := range split("telecommute,telecommuting,telework,teleworking,remote,remotely,fully remote,remote work,remote first,work from home,working from home,from home,work from anywhere,wfh,home office,homeoffice,im homeoffice,im home office,ortsunabhängig,von zuhause,von zu hause,von zu hause aus,fernarbeit,télétravail,en télétravail,à distance,teletrabajo,en remoto,remoto,remota,remotos,remotas,a distancia,desde casa,teletrabalho,em teletrabalho,à distância,a distância,em casa,de casa,telelavoro,in telelavoro,da remoto,lavoro da remoto,lavoro agile,da casa,lavoro da casa,リモート,リモートワーク,在宅,在宅勤務,テレワーク,フルリモート") {
		all[Fold(form)] = true
	}
	return all
}()

// employment reads how one is employed, in schema.org's words where they can be told.
func (r *reader) employment(_ string, v *node) {
	v.each(func(n *node) {
		for part := range splitList(enumerated(n.name())) {
			if name, ok := EmploymentOf(Fold(part)); ok {
				part = name
			}
			r.word(Employment, part)
		}
	})
}

// workplace reads where one works.
func (r *reader) workplace(_ string, v *node) {
	v.each(func(n *node) {
		where := strings.TrimSpace(enumerated(n.name()))
		if IsRemote(Fold(where)) {
			where = Remote
		}
		r.word(Workplace, where)
	})
}
