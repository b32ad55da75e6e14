package app

import (
	"net/http"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/api"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console"
)

// inboxRoutes are the addresses for the operator's programs, which answer what agents submit.
func (i *submissions) inboxRoutes() []apphttp.Route {
	if i.Intakes == nil || i.gate == nil {
		return nil
	}
	return operatorRoutes(i.gate, &operator.Operator{Intakes: i.Intakes, Now: i.now}, "/admin/requests")
}

// inbox is what the owner's pages show of what agents submit, and do with it; nil where nothing is
// taken in.
func (i *submissions) inbox() *console.InboxConfig {
	if !i.config.Intakes.On() {
		return nil
	}
	c := &console.InboxConfig{
		Intakes:     func() []console.InboxIntake { return i.taken.Load().inboxIntakes() },
		ViewersRead: i.config.Console.Owner.ViewersReadSubmissions,
		List:        i.Intakes.Inbox, ToDo: i.Intakes.ListTasks, Open: i.Intakes.CountTasks,
		Counts: i.Intakes.CountByDay, Look: i.Intakes.Find, Answer: i.Intakes.Answer, Done: i.Intakes.MarkDone,
		Again: i.Intakes.Redeliver, Erase: i.Intakes.Erase,
		Preview: func(r *http.Request, q *intake.Request, o offers.Outcome) ([]byte, error) {
			given, err := i.Intakes.Draft(q, o)
			if err != nil {
				return nil, err
			}
			return api.Preview(i.outside.PublicURL(r), q.Intake, q.Session, given)
		},
	}
	return c
}
