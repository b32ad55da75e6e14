// Package ramp is RAMP v1 on the wire beyond its messages: their JSON form, their validity, and the
// bytes that are signed. The messages are generated into wire/ramp/v1 and wire/comp/v1 from proto/,
// and the stubs of the services into wire/ramp/v1/rampv1connect.
//
// Server, client and checker share it. It has no I/O and no clock.
package ramp

//go:generate ../../test/protocol.sh --write
