package server

import (
	"net/http"

	"frontdesk/internal/operator/api"
)

// reportRoutes give reports on what was sold to programs: of the operator, and of whoever has a key for reports alone. Other
// addresses of theirs are refused in their words.
func (s *Server) reportRoutes() []route {
	handler := s.gate.keyed(api.ReportsHandler(s.Reports()), func(*http.Request) []string { return []string{doorReports, doorAdmin} })
	provider := s.gate.keyed(api.TransactionsHandler(s.Reports()), func(r *http.Request) []string {
		door, _ := api.ProviderDoor(r)
		return []string{door}
	})
	return []route{
		{pattern: api.ProviderTransactions, name: api.ProviderTransactions, methods: reading, refuse: api.WriteError, handler: provider},
		{pattern: api.ReportsPath + "{name}", name: api.ReportsPath, methods: reading, refuse: api.WriteError, handler: handler},
		{pattern: api.ReportsPath, name: api.ReportsPath, refuse: api.WriteError, handler: api.NoneHandler()},
	}
}
