package content

// SetLimits makes the catalog do everything in small pieces, so that small tests see what large
// catalogs do.
func (c *Catalog) SetLimits(batch, sweep, page int) {
	c.limits = limits{batchItems: batch, batchBytes: 1 << 20, sweep: sweep, page: page}
}

// The bounds that tests go beyond.
const (
	LeaseTime     = leaseTime
	KeepRemovals  = keepRemovals
	KeepForgotten = keepForgotten
)
