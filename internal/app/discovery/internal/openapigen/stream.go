package main

import (
	deliveryv1 "frontdesk/wire/delivery/v1"
)

// streamPaths are the streams of what was bought: of the events, and of the RPC with the same.
func (s *schemas) streamPaths(paths object) {
	service := deliveryv1.File_frontdesk_delivery_v1_delivery_proto.Services().ByName("DeliveryService")
	of := service.Methods().ByName("Stream")
	event := s.message(of.Output())
	failures := func(ok object, statuses ...string) object {
		return refuse(object{"200": ok}, "A failure before the stream began.", ref("ramp.Failure"), statuses...)
	}
	responses := failures(object{
		"description": "Events: start, content, time and end. The data of each is one of these as JSON, and so is " +
			"each message over WebSocket.",
		"content": object{"text/event-stream": object{"schema": event}},
	}, "400", "403", "404", "405", "406", "429", "500", "503")
	responses["101"] = object{
		"description": "The same over WebSocket, where the request asks for it: one message of text for each event."}
	responses["204"] = object{"description": "All of the text was told before the event that Last-Event-ID names."}
	paths["/deliver/{transaction}/stream"] = object{"get": operation("ramp",
		"deliverStream", "Follow what was bought as a stream (RAMP v1)", object{
			"parameters": []any{
				inPath("transaction", "The id of a transaction; the address is the one that the purchase gave, with "+
					"all its parameters."),
				inHeader("Last-Event-ID", "The id of the last event that was had of a stream that broke off."),
			},
			"responses": responses,
		})}
	paths["/"+string(service.FullName())+"/Stream"] = object{"post": operation("ramp",
		"Stream", "Follow what was bought as a stream, over gRPC, gRPC-Web and Connect", object{
			"requestBody": object{"required": true,
				"content": object{"application/connect+json": object{"schema": s.message(of.Input())}}},
			"responses": failures(object{
				"description": "The events, each a message; failures come in the stream's end.",
				"content":     object{"application/connect+json": object{"schema": event}},
			}, "403", "405", "415", "429"),
		})}
}
