package server

import (
	"net/http"

	"frontdesk/internal/admin"
)

// reportRoutes give reports on what was sold to programs: of the operator, and of whoever has a key for reports alone. Other
// addresses of theirs are refused in their words.
func (s *Server) reportRoutes() []route {
	handler := s.gate.keyed(admin.ReportsHandler(s.Reports()), func(*http.Request) []string { return []string{doorReports, doorAdmin} })
	provider := s.gate.keyed(admin.TransactionsHandler(s.Reports()), func(r *http.Request) []string {
		door, _ := admin.ProviderDoor(r)
		return []string{door}
	})
	return []route{
		{pattern: admin.ProviderTransactions, name: admin.ProviderTransactions, methods: reading, refuse: admin.WriteError, handler: provider},
		{pattern: admin.ReportsPath + "{name}", name: admin.ReportsPath, methods: reading, refuse: admin.WriteError, handler: handler},
		{pattern: admin.ReportsPath, name: admin.ReportsPath, refuse: admin.WriteError, handler: admin.NoneHandler()},
	}
}
