// Package healthv1connect has the service of gRPC's health protocol for Connect, gRPC and gRPC-Web:
// generated from proto/grpc/health/v1/health.proto.
package healthv1connect
