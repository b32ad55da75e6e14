package app

import (
	apphttp "frontdesk/internal/app/http"

	"net/http"

	"frontdesk/internal/licensing/rampapi"
	"frontdesk/wire/edge"
)

// edgeRoutes take what edges tell of their deliveries, and tell them for whom paths are.
func (s *seller) edgeRoutes() (routes []apphttp.Route) {
	config := rampapi.EdgeConfig{Keys: s.Edges, Now: s.now}
	if s.gate != nil {
		config.Wrong = func(r *http.Request) error {
			s.gate.Failed(r)
			return s.gate.Suspect(r)
		}
	}
	for path, handler := range map[string]http.Handler{
		rampapi.EdgePath: rampapi.Edges(s.Delivery, config), edge.PolicyPath: rampapi.GateRules(s.Published, config),
	} {
		routes = append(routes, apphttp.Route{
			Pattern: path, Name: path, Methods: []string{http.MethodPost}, Refuse: rampapi.WriteError,
			Handler: s.gate.WithCaller(handler),
		})
	}
	return routes
}
