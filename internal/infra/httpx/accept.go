package httpx

import (
	"mime"
	"strconv"
	"strings"
)

// ChooseMedia returns the media type that a client prefers among those on offer, of which there is
// at least one (RFC 9110, 12.5.1). ok is false when it accepts none.
func ChooseMedia(accept []string, media []string) (chosen string, ok bool) {
	ranges := mediaRanges(accept)
	if len(ranges) == 0 {
		return media[0], true
	}
	best := 0
	for _, m := range media {
		if q := quality(ranges, m); q > best {
			chosen, best = m, q
		}
	}
	return chosen, best > 0
}

// mediaRange is a part of an Accept header.
type mediaRange struct {
	kind, sub string // "*" for any
	charset   string // empty for any
	quality   int    // in thousandths
}

// maxRanges is how many parts of an Accept header count.
const maxRanges = 64

// mediaRanges reads Accept headers. What cannot be read is passed over.
func mediaRanges(accept []string) (ranges []mediaRange) {
	for _, value := range accept {
		for part := range strings.SplitSeq(value, ",") {
			if strings.TrimSpace(part) == "" {
				continue
			}
			if len(ranges) == maxRanges {
				return ranges
			}
			ranges = append(ranges, readRange(part))
		}
	}
	return ranges
}

// readRange reads a part of an Accept header; one that cannot be read is of no type.
func readRange(part string) mediaRange {
	if strings.TrimSpace(part) == "*" { // as some clients of old write it
		part = "*/*"
	}
	media, parameters, err := mime.ParseMediaType(part)
	kind, sub, parted := strings.Cut(media, "/")
	quality, weighed := weight(parameters)
	if err != nil || !parted || !weighed || kind == "*" && sub != "*" {
		return mediaRange{}
	}
	return mediaRange{kind: kind, sub: sub, charset: strings.ToLower(parameters["charset"]), quality: quality}
}

// weight reads the weight among the parameters of a range, in thousandths (RFC 9110, 12.4.2).
func weight(parameters map[string]string) (int, bool) {
	text, given := parameters["q"]
	if !given {
		return 1000, true
	}
	whole, rest, _ := strings.Cut(text, ".")
	if len(rest) > 3 || whole != "0" && whole != "1" {
		return 0, false
	}
	n, err := strconv.Atoi(whole + rest + "000"[len(rest):])
	return n, err == nil && n >= 0 && n <= 1000
}

// quality is how much a client likes a media type, in thousandths: what the most specific range
// says that it fits.
func quality(ranges []mediaRange, media string) (q int) {
	plain, parameters, _ := strings.Cut(media, "; charset=")
	kind, sub, _ := strings.Cut(plain, "/")
	telling := -1
	for _, r := range ranges {
		level := 0
		switch {
		case r.kind == kind && r.sub == sub && r.charset != "" && r.charset == parameters:
			level = 3
		case r.charset != "":
			continue
		// who takes JSON takes what is written in it, too
		case r.kind == kind && (r.sub == sub || strings.HasSuffix(sub, "+"+r.sub)):
			level = 2
		case r.kind == kind && r.sub == "*":
			level = 1
		case r.kind != "*":
			continue
		}
		if level > telling || level == telling && r.quality > q {
			telling, q = level, r.quality
		}
	}
	return q
}
