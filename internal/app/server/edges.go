package server

import (
	"net/http"

	"frontdesk/internal/licensing/rampapi"
)

// edgeRoute takes what edges tell of their deliveries.
func (s *Server) edgeRoute() route {
	config := rampapi.EdgeConfig{Keys: s.Edges, Now: s.now}
	if s.gate != nil {
		config.Wrong = func(r *http.Request) error {
			s.gate.failed(r)
			return s.gate.suspect(r)
		}
	}
	return route{
		pattern: rampapi.EdgePath, name: rampapi.EdgePath, methods: []string{http.MethodPost}, refuse: rampapi.WriteError, handler: s.gate.named(rampapi.Edges(s.Delivery, config)),
	}
}
