package app

import (
	apphttp "frontdesk/internal/app/http"

	"net/http"

	"frontdesk/internal/licensing/rampapi"
)

// edgeRoute takes what edges tell of their deliveries.
func (s *seller) edgeRoute() apphttp.Route {
	config := rampapi.EdgeConfig{Keys: s.Edges, Now: s.now}
	if s.gate != nil {
		config.Wrong = func(r *http.Request) error {
			s.gate.Failed(r)
			return s.gate.Suspect(r)
		}
	}
	return apphttp.Route{
		Pattern: rampapi.EdgePath, Name: rampapi.EdgePath, Methods: []string{http.MethodPost}, Refuse: rampapi.WriteError, Handler: s.gate.WithCaller(rampapi.Edges(s.Delivery, config)),
	}
}
