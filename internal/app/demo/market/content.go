package market

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
)

// article is one text of a publisher.
type article struct {
	path  string // of its address; below /premium/ it is sold
	title string
	text  string
}

// sold says whether it is sold.
func (a article) sold() bool { return strings.HasPrefix(a.path, "/premium/") }

// body is what is delivered at its address.
func (a article) body() []byte { return fmt.Appendf(nil, "# %s\n\n%s\n", a.title, a.text) }

// hash is the SHA-256 of the body, in hex.
func (a article) hash() string {
	sum := sha256.Sum256(a.body())
	return hex.EncodeToString(sum[:])
}

// file is the article as its publisher's front desk reads it.
func (a article) file(site string) string {
	return fmt.Sprintf("---\ntitle: %q\nurl: %q\ntype: Article\n---\n\n%s\n", a.title, site+a.path, a.text)
}

// texts are the articles of the two publishers. Every name and sentence was made up for them.
var texts = map[string][]article{
	"review": {
		{"/premium/dredging-contract", "Inside the dredging contract",
			"The harbour of Tidewater silts up by a hand's breadth each year, and the council pays by the barge. " +
				"Until this spring nobody outside the works office " +
				"had read the contract. It has forty pages, and the price stands on the thirty-first. A barge of mud " +
				"costs three times what it cost ten years ago, since the contract counts barges and not mud: a " +
				"barge that leaves half empty " +
				"is paid as a whole one. In May, the month with the lowest water, eleven of twenty barges left less " +
				"than half full. The works office knew it, as its own tally sheets show, and wrote to the " +
				"council twice. " +
				"The letters were filed. The contract ends in two years, or sooner, by a clause that either side may " +
				"use in April. It is short, and it reads like a door: once it is open, it is open for both sides."},
		{"/premium/who-owns-the-waterfront", "Who owns the waterfront?",
			"Seven names stand in the land register between the fish market and the lighthouse, and five of them " +
				"lead to the same letter box. We followed each of them through deeds, leases and a drawer " +
				"in the town archive that nobody had opened since the flood. What we found is no crime and " +
				"no secret, " +
				"but a habit: for sixty years the town has leased what it could have kept, each time for " +
				"ninety-nine years, and each time for the price of the year before. " +
				"The last of these leases is up for renewal in autumn. Who bids for it, and with whose money, is the " +
				"second half of this report, and it begins with a rope shed that has no roof."},
		{"/how-to-read-a-barometer", "How to read a barometer",
			"A barometer tells less by where its needle stands than by where it goes. Tap the glass, wait a breath, " +
				"and look which way it moved. A slow fall over a day means rain that stays; a quick one means wind. " +
				"Set the second hand in the evening, and read the difference at breakfast."},
		{"/five-gentle-walks", "Five gentle walks around the harbour",
			"None of these walks is longer than an hour, and each has a bench halfway. The first goes out to the " +
				"gull rock at low water; leave when the bell buoy lies on its side. The second follows the ropewalk " +
				"to the orchard."},
	},
	"almanac": {
		{"/premium/tide-and-weather", "The tide and the weather, worked out",
			"Wind moves more water than the moon does, on a shallow coast. Our tables give the height that the moon " +
				"makes; this chapter works out what the weather adds. Begin with the pressure: each hectopascal " +
				"below 1013 lifts the sea by a centimetre. " +
				"Then the wind: from the south-west at six Beaufort for a whole tide it heaps up thirty " +
				"centimetres in " +
				"the inner harbour, and holds them there through the ebb. Add both, and add a tenth again for the " +
				"funnel of the old mole. " +
				"The worked example is the night of the third of January, when the tables said four metres " +
				"ten and the " +
				"quay stood under water at four metres ninety. Of the eighty centimetres, thirty-eight were " +
				"pressure, thirty-four wind, and eight the mole."},
		{"/premium/herring-by-the-moon", "Herring by the moon: sixty years of landings",
			"Fishermen say that herring come in with the new moon, and sixty years of the landing book say that " +
				"they are right, by a little. We copied every page. In the four days about the new moon, landings " +
				"are a ninth above the mean, from September to November; in spring there is nothing of it. " +
				"The effect is stronger in calm years and gone in stormy ones, which speaks for light, and " +
				"against the " +
				"tide. The tables follow, with the numbers of boats, so that you can divide for yourself."},
		{"/how-to-use-tide-tables", "How to use tide tables",
			"A tide table gives two highs and two lows for most days, in the time of the place. Between them, the " +
				"rule of twelfths does: a twelfth of the range in the first hour, two in the second, three in the " +
				"third and fourth, then two and one."},
		{"/sunrise-and-the-blue-hour", "Sunrise and the blue hour",
			"The blue hour lasts half as long in June as the name promises, and in December it deserves it. The " +
				"table gives both ends, for an eye at the height of the quay."},
	},
}

// origin is the publisher's own program behind its edge: it has everything whole, and leaves it to
// the edge who gets it.
func origin(all []article) http.Handler {
	mux := http.NewServeMux()
	for _, a := range all {
		mux.HandleFunc("GET "+a.path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
			w.Write(a.body())
		})
	}
	return mux
}
