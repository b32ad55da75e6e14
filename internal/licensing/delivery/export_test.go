package delivery

// What tests see of the package beside what it exports.
const (
	DeliverySpare  = deliverySpare
	MostDeliveries = mostDeliveries
	MostStreams    = mostStreams
	StreamBeat     = streamBeat
	StreamKeep     = streamKeep
	StreamLeft     = streamLeft
	StreamPart     = streamPart
	ToldAtOnce     = toldAtOnce
)
