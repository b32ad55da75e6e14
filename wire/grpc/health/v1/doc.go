// Package healthv1 has the messages of gRPC's health protocol (grpc.health.v1): generated from
// proto/grpc/health/v1/health.proto.
package healthv1
