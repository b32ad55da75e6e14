package app

import "frontdesk/internal/licensing/disputes"

// ReadDisputes reads disputes.
func (a *accounting) ReadDisputes() *disputes.Reader { return disputes.NewReader(a.db) }
