// Package spread holds, with built processes, that sites spread over nodes answer as one: nodes
// that hold a part of the sites, a front that asks them, and nginx and Caddy before them as
// docs/spread.md shows.
package spread
