package server

import (
	"net/http"

	"frontdesk/internal/admin"
)

// reportRoutes give reports on what was sold to programs: of the operator, and of whoever has a key for reports alone.
func (s *Server) reportRoutes() []route {
	handler := s.gate.keyed(admin.ReportsHandler(s.Reports()), func(*http.Request) []string { return []string{doorReports, doorAdmin} })
	provider := s.gate.keyed(admin.TransactionsHandler(s.Reports()), func(r *http.Request) []string {
		door, _ := admin.ProviderDoor(r)
		return []string{door}
	})
	return []route{
		{pattern: admin.ProviderTransactions, name: admin.ProviderTransactions, methods: []string{http.MethodGet}, refuse: admin.WriteError, handler: provider},
		{pattern: admin.ReportsPath + "{name}", name: admin.ReportsPath, methods: []string{http.MethodGet}, refuse: admin.WriteError, handler: handler},
	}
}
