package server

import (
	"net/http"

	"frontdesk/internal/desk"
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
		List:        s.Desk.Inbox, ToDo: s.Desk.ToDo, Open: s.Desk.Open, Counts: s.Desk.Funnel, Look: s.Desk.Look,
		Answer: s.Desk.AnswerByHand, Done: s.Desk.DoneByHand, Again: s.Desk.Again, Erase: s.Desk.Erase,
		Preview: func(r *http.Request, q *desk.Request, o offers.Outcome) ([]byte, error) {
			given, err := s.Desk.Draft(q, o)
			if err != nil {
				return nil, err
			}
			return api.Preview(s.outside.PublicURL(r), q.Intake, q.Session, given)
		},
	}
	return c
}
