package server

import "context"

// readSources reads the configured sources, one after the other.
func (s *Server) readSources(ctx context.Context) {}
