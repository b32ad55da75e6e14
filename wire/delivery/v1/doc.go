// Package deliveryv1 is the stream of what was bought, as protocol buffers: generated from
// proto/frontdesk/delivery/v1/delivery.proto, which tells of every message and field. It stands in
// wire: no I/O, no clock.
package deliveryv1
