package delivery

// What tests see of the package beside what it exports.
const (
	DeliverySpare  = deliverySpare
	MostDeliveries = maxDeliveries
	MostStreams    = maxStreams
	StreamBeat     = streamBeat
	StreamKeep     = streamKeep
	StreamLeft     = streamLeft
	StreamPart     = streamPart
	ToldAtOnce     = batchRows
)
