package server

import (
	"net/http"

	"frontdesk/internal/ramp"
)

// edgeRoute takes what edges tell of their deliveries.
func (s *Server) edgeRoute() route {
	config := ramp.EdgeConfig{Keys: s.Edges, Now: s.now}
	if s.gate != nil {
		config.Wrong = func(r *http.Request) error {
			s.gate.failed(r)
			return s.gate.suspect(r)
		}
	}
	return route{
		pattern: ramp.EdgePath, name: ramp.EdgePath, methods: []string{http.MethodPost}, refuse: ramp.WriteError, handler: s.gate.named(ramp.Edges(s.Desk, config)),
	}
}
