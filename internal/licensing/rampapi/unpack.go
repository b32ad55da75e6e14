package rampapi

import (
	"compress/gzip"
	"fmt"
	"io"

	"connectrpc.com/connect"
)

// compression has messages decompressed no further than may be read of one. The library's own reads
// one that is too large to its end, to tell its size: a request of a megabyte can hold a gigabyte.
var compression = connect.WithCompression("gzip",
	func() connect.Decompressor { return &unpacker{} },
	func() connect.Compressor { return gzip.NewWriter(io.Discard) })

// plainly is the most bytes of an answer that is sent as it is, also to whoever takes it
// compressed: to pack the offers of a page costs more of the processors than to make and sign them.
const plainly = 16 << 10

// unpacker decompresses up to so many bytes. It is used by one request at a time.
type unpacker struct {
	gzip.Reader
	most, left int64 // most is MaxBody where nobody says it
}

// Reset begins a new message.
func (u *unpacker) Reset(r io.Reader) error {
	if u.most == 0 {
		u.most = MaxBody
	}
	u.left = u.most + 1
	return u.Reader.Reset(r)
}

// Read fails with the byte that is one too many.
func (u *unpacker) Read(p []byte) (n int, err error) {
	if u.left > 0 {
		n, err = u.Reader.Read(p[:min(int64(len(p)), u.left)])
		u.left -= int64(n)
	}
	if u.left == 0 {
		return n, connect.NewError(connect.CodeResourceExhausted,
			fmt.Errorf("the message has more than %d bytes when it is decompressed; send less at a time", u.most))
	}
	return n, err
}
