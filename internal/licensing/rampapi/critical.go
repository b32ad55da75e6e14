package rampapi

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	rampv1 "frontdesk/wire/ramp/v1"
)

// Keys of ext that requests may name in ext_critical, since what they say is heeded.
const (
	// of a requester: commercial, non-commercial, education, government, personal
	extUserCategory = "ramp.user_category"
	extGeo          = "ramp.geo" // of a requester: ISO 3166-1 alpha-2
)

// known says whether a key of the ext of a message is heeded.
func known(message, key string) bool {
	switch message {
	case "ramp.v1.Requester":
		return key == extUserCategory || key == extGeo
	case "ramp.v1.UsageReport":
		return key == extRevenue
	case "ramp.v1.DisputeRequest":
		return key == extAppeal || key == extPrefer
	}
	return false
}

// unknownKeys is the failure of a message that must not be acted on, since what its sender deems
// critical is not known here.
type unknownKeys struct{ keys []string }

func (u *unknownKeys) Error() string {
	return "ext_critical names " + strings.Join(u.keys, ", ") + ", which is not known here; leave it out of " +
		"ext_critical, or do without"
}

// extUnknown is the key of an answer's ext that lists critical keys which were not known.
const extUnknown = "unrecognized_critical_extensions"

// unknown answers a query that must not be acted on: no offer, and the reason, for each of its
// addresses.
func (d *handlers) unknown(query *rampv1.ResourceQuery, keys []string) *rampv1.ResourceResponse {
	list := &structpb.ListValue{}
	for _, key := range keys {
		list.Values = append(list.Values, structpb.NewStringValue(key))
	}
	out := &rampv1.ResourceResponse{
		Ver: Version, Id: query.Id, Exchange: d.Exchange,
		Ext: &structpb.Struct{Fields: map[string]*structpb.Value{extUnknown: structpb.NewListValue(list)}},
	}
	reason := rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_UNKNOWN_CRITICAL_EXTENSION
	for _, uri := range distinct(query.GetRequester().GetUris()) {
		out.OfferGroups = append(out.OfferGroups, &rampv1.OfferGroup{Uri: uri, AbsenceReason: &reason})
	}
	return out
}

// distinct are the addresses of a query, each once, in its order.
func distinct(uris []string) []string {
	var all []string
	for _, uri := range uris {
		if !slices.Contains(all, uri) {
			all = append(all, uri)
		}
	}
	return all
}
