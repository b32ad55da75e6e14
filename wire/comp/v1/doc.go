// Package compv1 is the part of IAB Tech Lab's CoMP that RAMP v1 carries, as protocol buffers:
// generated from proto/comp/v1/comp.proto, which tells of every message and field. It stands in
// wire: no I/O, no clock.
package compv1
