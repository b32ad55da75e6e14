package app

import (
	"net/http"

	"frontdesk/internal/app/asked"
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/ask/nlweb"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/operator"
)

// kept is what keeps questions; nil where none are kept.
func (q *questions) kept() *askquestions.Keeper {
	if q.config.Questions.Keep > 0 {
		return q.Questions
	}
	return nil
}

// store reads what is kept; nil where nothing is.
func (q *questions) store() (kept *askquestions.Store) {
	if q.config.Questions.Keep > 0 {
		kept = askquestions.NewStore(q.db, q.now)
	}
	return kept
}

// asked has the questions of a handler be kept.
func (q *questions) asked(protocol string, next http.Handler) http.Handler {
	byOwner := func(r *http.Request) bool { return q.byOwner != nil && q.byOwner(r) } // which is known later
	return asked.Handler(q.kept(), protocol, byOwner, next)
}

// keptModule keeps questions, and counts what is followed of their answers.
func (q *questions) keptModule() (m Module) {
	if q.Questions == nil {
		return m
	}
	m.Jobs = []Job{{"remove old questions", q.Questions.Follow}}
	if q.kept() != nil {
		m.Jobs = append(m.Jobs, Job{"keep questions", q.Questions.Run})
		m.Routes = []apphttp.Route{{
			Pattern: askPath + "/click", Name: askPath + "/click", Methods: []string{http.MethodPost}, CORS: true,
			Door:    doorAsk,
			Public:  func(*http.Request) bool { return true }, // the id of an answer says that it was given
			Handler: q.asked(asked.OverAsk, nlweb.Clicks(q.Questions.Followed)),
		}}
		m.Routes = append(m.Routes,
			operatorRoutes(q.gate, &operator.Operator{Questions: q.store()}, "/admin/questions")...)
	}
	return m
}
