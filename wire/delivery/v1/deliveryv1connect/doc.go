// Package deliveryv1connect has the service that tells the stream for Connect, gRPC and gRPC-Web,
// for clients and for servers: generated from proto/frontdesk/delivery/v1/delivery.proto.
package deliveryv1connect
