package server

import "frontdesk/internal/licensing/disputes"

// ReadDisputes reads disputes.
func (h *House) ReadDisputes() *disputes.Reader { return disputes.NewReader(h.db) }
