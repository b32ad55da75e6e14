// Package rampv1 is RAMP v1 as protocol buffers: generated from proto/ramp/v1/ramp.proto, which
// tells of every message and field. It stands in wire: no I/O, no clock.
package rampv1
