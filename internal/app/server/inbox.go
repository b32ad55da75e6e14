package server

import (
	"net/http"

	"frontdesk/internal/intake"
	"frontdesk/internal/intake/api"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/operator/console"
)

// inbox is what the owner's pages show of what agents submit, and do with it; nil where nothing is taken in.
func (s *Server) inbox() *console.InboxConfig {
	if !s.config.Intakes.On() {
		return nil
	}
	c := &console.InboxConfig{
		Intakes:     func() []console.InboxIntake { return s.taking.Load().inboxIntakes() },
		ViewersRead: s.config.Console.Owner.ViewersReadSubmissions,
		List:        s.Intakes.Inbox, ToDo: s.Intakes.ListTasks, Open: s.Intakes.CountTasks, Counts: s.Intakes.CountByDay, Look: s.Intakes.Find,
		Answer: s.Intakes.Answer, Done: s.Intakes.MarkDone, Again: s.Intakes.Redeliver, Erase: s.Intakes.Erase,
		Preview: func(r *http.Request, q *intake.Request, o offers.Outcome) ([]byte, error) {
			given, err := s.Intakes.Draft(q, o)
			if err != nil {
				return nil, err
			}
			return api.Preview(s.outside.PublicURL(r), q.Intake, q.Session, given)
		},
	}
	return c
}
