package app

import (
	apphttp "frontdesk/internal/app/http"

	"net/http"

	"frontdesk/internal/operator/api"
)

// reportRoutes give reports on what was sold to programs: of the operator, and of whoever has a key
// for reports alone. Other addresses of theirs are refused in their words.
func (s *seller) reportRoutes() []apphttp.Route {
	handler := keyed(s.gate, api.ReportsHandler(s.Reports()), func(*http.Request) []string {
		return []string{doorReports, doorAdmin}
	})
	provider := keyed(s.gate, api.TransactionsHandler(s.Reports()), func(r *http.Request) []string {
		door, _ := api.ProviderDoor(r)
		return []string{door}
	})
	return []apphttp.Route{
		{Pattern: api.ProviderTransactions, Name: api.ProviderTransactions, Methods: apphttp.ReadMethods,
			Refuse: api.WriteError, Handler: provider},
		{Pattern: api.ReportsPath + "{name}", Name: api.ReportsPath, Methods: apphttp.ReadMethods,
			Refuse: api.WriteError, Handler: handler},
		{Pattern: api.ReportsPath, Name: api.ReportsPath, Refuse: api.WriteError, Handler: api.NoneHandler()},
	}
}
