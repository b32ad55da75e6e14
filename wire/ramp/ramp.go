// Package ramp is what RAMP v1 is on the wire beyond its messages: their JSON, what makes one well-formed, and what its
// signatures are made over. The messages themselves are generated into wire/ramp/v1 and wire/comp/v1 from proto/, and the
// stubs of their services into wire/ramp/v1/rampv1connect.
//
// It is shared by server, client and checker. It has no I/O and no clock.
package ramp

//go:generate go -C ../../tools tool buf generate ../proto --template ../proto/buf.gen.yaml
