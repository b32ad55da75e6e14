// Package rampv1connect has RAMP v1's services for Connect, gRPC and gRPC-Web, for clients and for
// servers: generated from proto/ramp/v1/ramp.proto.
package rampv1connect
