package server

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
)

// Operator is what owners and operators do, on this house.
func (h *House) Operator(config Config) *operator.Operator {
	return &operator.Operator{
		DB: h.db, Requesters: h.Requesters, Callers: h.Callers, Tenants: h.Tenants, Shelves: h.Shelves,
		Deliveries: h.Deliveries, Accounts: h.Accounts, Balances: h.ReadAccounts,
		Cases: operator.Cases{Cases: h.Cases, Reader: h.ReadDisputes()},
		Known: func(name string) (string, bool) { return h.tenantAt(config, name) }, Host: supplyHost, Now: h.now,
	}
}

// operatorRoutes are the addresses of operations for the operator's programs, whose paths begin so.
func (s *Server) operatorRoutes(prefixes ...string) (all []apphttp.Route) {
	for _, r := range api.Routes(s.Operator(s.config), prefixes...) {
		all = append(all, apphttp.Route{
			Pattern: r.Pattern, Name: r.Name, Refuse: api.WriteError, Handler: forOperators(s.gate, r.Handler),
		})
	}
	return all
}
