package fetch

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

// readBody reads and decodes a body. What comes over the wire is bounded too: an encoded body may
// be endless and decode to nothing.
func readBody(answer *http.Response, size bound) ([]byte, error) {
	wire := &io.LimitedReader{R: answer.Body, N: size.most + size.most>>8 + 4<<10}
	var decoded io.Reader = wire
	switch encoding := contentEncoding(answer.Header); encoding {
	case "":
	case "gzip", "x-gzip":
		packed := bufio.NewReader(wire)
		if _, err := packed.Peek(1); errors.Is(err, io.EOF) {
			return nil, nil
		}
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, garbled(err)
		}
		decoded = unpacked
	default:
		return nil, &Error{Reason: Undecodable, Detail: "its body is encoded in a way that was not asked for"}
	}
	body, err := io.ReadAll(io.LimitReader(decoded, size.most+1))
	switch larger := int64(len(body)) > size.most; {
	case larger && size.cut:
		return body[:size.most], nil
	case larger, wire.N <= 0:
		return nil, failure(TooLarge, nil, nil, "its body is larger than %d bytes", size.most)
	case err != nil:
		return nil, garbled(err)
	}
	return body, nil
}

// contentEncoding is how the body is encoded; empty when it is not.
func contentEncoding(header http.Header) string {
	all := strings.ToLower(strings.Join(header.Values("Content-Encoding"), ","))
	all = strings.Trim(all, " ,\t")
	if all == "identity" {
		return ""
	}
	return all
}

// garbled names what is wrong with an encoded body, and leaves other failures as they are.
func garbled(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.HasPrefix(err.Error(), "flate:") {
		return failure(Undecodable, nil, err, "its body breaks off or is not what it says it is (%v)", err)
	}
	return err
}
