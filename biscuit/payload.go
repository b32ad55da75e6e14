package biscuit

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

func protoNumber(i int) protowire.Number { return protowire.Number(i) }

// appendPayload writes what the signature of a block covers. Version 0 is the parts one after the
// other; version 1 names them and ties each block to the signature of the one before, which the
// authority block does not have.
func (b *signedBlock) appendPayload(to, previous []byte, authority bool) []byte {
	if b.version == 0 {
		to = append(to, b.data...)
		return b.next.appendSigned(to)
	}
	to = append(to, "\x00BLOCK\x00\x00VERSION\x00"...)
	to = binary.LittleEndian.AppendUint32(to, uint32(b.version))
	to = append(append(to, "\x00PAYLOAD\x00"...), b.data...)
	to = append(to, "\x00ALGORITHM\x00"...)
	to = binary.LittleEndian.AppendUint32(to, uint32(b.next.algorithm))
	to = append(append(to, "\x00NEXTKEY\x00"...), b.next.bytes...)
	if authority {
		return to
	}
	to = append(append(to, "\x00PREVSIG\x00"...), previous...)
	if b.external != nil {
		to = append(append(to, "\x00EXTERNALSIG\x00"...), b.external.signature...)
	}
	return to
}

// appendExternalPayload writes what the signature of a third party covers, always in version 1.
func appendExternalPayload(to, data, previous []byte) []byte {
	to = append(to, "\x00EXTERNAL\x00\x00VERSION\x00"...)
	to = binary.LittleEndian.AppendUint32(to, 1)
	to = append(append(to, "\x00PAYLOAD\x00"...), data...)
	return append(append(to, "\x00PREVSIG\x00"...), previous...)
}

// appendSealPayload writes what the final signature of a sealed token covers: the last block, its
// key and its signature.
func (b *signedBlock) appendSealPayload(to []byte) []byte {
	return append(b.next.appendSigned(append(to, b.data...)), b.signature...)
}
