package demo

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// A palette is the two tones of a picture's ground, the ink of its drawing and the pale fill.
type palette struct{ ground, shape, ink, pale string }

var palettes = []palette{
	{"#f3e6cf", "#e2b96f", "#1d4a52", "#fffaf0"}, // sand
	{"#d3e7e4", "#7fb6ae", "#15454a", "#f6fbf9"}, // sea
	{"#f7ded0", "#e5977a", "#5a2418", "#fff6f0"}, // rust
	{"#e9dcee", "#b691be", "#3d2148", "#fbf5fc"}, // plum
	{"#e3ead2", "#a8bb72", "#2f4420", "#fafcf2"}, // moss
	{"#dae6f4", "#8aafd8", "#1b365e", "#f6f9fd"}, // sky
	{"#faeec4", "#ecc65a", "#54400f", "#fffdf2"}, // butter
	{"#f8dde0", "#e08f9b", "#5c1c30", "#fff6f7"}, // rose
	{"#dfe5e8", "#98abb6", "#25343d", "#f8fafb"}, // slate
	{"#d8efe1", "#80c49f", "#144d36", "#f4fcf7"}, // mint
}

// grounds are the shapes behind the drawing, on a canvas of 800 by 600; {s} is the shape's tone,
// {p} the pale one.
var grounds = []string{
	// a low sun over two swells
	`<circle cx="400" cy="330" r="215" fill="{s}"/><path d="M0 470q100-46 200 0t200 0 200 0 200 0V600H0z" fill="{p}" opacity=".55"/><path d="M-60 520q100-46 200 0t200 0 200 0 200 0 200 0V600H-60z" fill="{s}" opacity=".6"/>`,
	// an arch
	`<path d="M190 600V300a210 210 0 0 1 420 0v300z" fill="{s}"/><path d="M0 540h800v60H0z" fill="{p}" opacity=".6"/>`,
	// hills
	`<circle cx="610" cy="170" r="84" fill="{p}" opacity=".8"/><path d="M0 430Q180 250 400 400T800 340V600H0z" fill="{s}" opacity=".75"/><path d="M0 530Q230 420 460 510T800 480V600H0z" fill="{s}"/>`,
	// rings
	`<circle cx="400" cy="300" r="270" fill="{s}" opacity=".28"/><circle cx="400" cy="300" r="215" fill="{s}" opacity=".5"/><circle cx="400" cy="300" r="160" fill="{s}"/>`,
	// a table's edge and a round window
	`<path d="M0 400h800v200H0z" fill="{s}"/><circle cx="400" cy="270" r="190" fill="{p}" opacity=".75"/>`,
	// sailcloth stripes
	`<g fill="{s}" opacity=".45"><path d="M0 0h80v600H0zM160 0h80v600h-80zM320 0h80v600h-80zM480 0h80v600h-80zM640 0h80v600h-80z"/></g><circle cx="400" cy="300" r="200" fill="{s}"/>`,
}

// picture draws the picture of a thing by its slug: the same slug gives the same picture, always.
func picture(slug string) string {
	hash := fnv.New32a()
	hash.Write([]byte(slug))
	sum := hash.Sum32()
	tones := palettes[sum%uint32(len(palettes))]
	ground := grounds[sum/64%uint32(len(grounds))]
	drawing := pictograms[pictogram(slug)]

	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 600" width="800" height="600">`+
		`<path fill="{g}" d="M0 0h800v600H0z"/>%s`+
		`<g transform="translate(205 105) scale(1.95)" fill="{p}" stroke="{i}" stroke-width="5.5" stroke-linecap="round" stroke-linejoin="round">%s</g></svg>`,
		ground, drawing)
	return strings.NewReplacer("{g}", tones.ground, "{s}", tones.shape, "{i}", tones.ink,
		"{p}", tones.pale).Replace(svg.String())
}

// pictogram names the drawing for a slug: that of the first word below which the slug contains.
func pictogram(slug string) string {
	for _, line := range subjects {
		for word := range strings.FieldsSeq(line.words) {
			if strings.Contains(slug, word) {
				return line.drawing
			}
		}
	}
	return "page"
}

// subjects say which drawing suits which words; the first line that has a word of the slug decides.
var subjects = []struct{ drawing, words string }{
	{"yarn", "herringbone"},
	{"tin", "care-kit"},
	{"glass", "fool chocolate"},
	{"calendar", "calendar"},
	{"pan", "skillet cast-iron scramble hash pancakes tacos fritters halloumi"},
	{"pot", "stock-pot braised dinners-thirty"},
	{"shell", "mussels oyster"},
	{"fish", "mackerel salmon trout herring fish-pie crab-toast"},
	{"loaf", "banana-bread loaf sourdough crackers buns proving baker"},
	{"cake", "cake crumble parkin"},
	{"bowl", "soup broth curry porridge oats noodle slaw risotto kedgeree lentil house-with-the-blue-door"},
	{"drumstick", "chicken"},
	{"leaf", "salad cauliflower seed-swap seagrass"},
	{"lighthouse", "gull-rock lighthouse carols"},
	{"stall", "market"},
	{"note", "trio concert"},
	{"film", "film"},
	{"waves", "tide-pool tide-table dredging desalination"},
	{"boat", "ferry kayak island waterfront"},
	{"cloud", "storm-diary"},
	{"rope", "rope"},
	{"flag", "marathon"},
	{"jacket", "jacket apron"},
	{"yarn", "blanket scarf beanie socks tea-towels mending"},
	{"boot", "boots walks"},
	{"bag", "tote dry-bag"},
	{"cup", "mug tumblers pour-over"},
	{"teapot", "teapot clay-weather"},
	{"knife", "knife"},
	{"spoon", "spoon"},
	{"mill", "mill"},
	{"dial", "clock barometer digital thermometer slower-streets"},
	{"lantern", "lantern torch midsummer"},
	{"flask", "flask"},
	{"candle", "candle"},
	{"frame", "frame"},
	{"paw", "dog"},
	{"chair", "chair"},
	{"hook", "hook"},
	{"pen", "pen poetry letterpress"},
	{"book", "notebook library mayor"},
	{"board", "board tray"},
	{"apple", "orchard"},
	{"coins", "budget"},
}
