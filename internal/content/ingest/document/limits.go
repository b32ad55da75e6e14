package document

// Limits bound what is read, in bytes.
type Limits struct {
	File     int64 // a file as it lies on disk; 1 GiB
	Unpacked int64 // a compressed file of lines, unpacked; 64 GiB
	Document int64 // a JSON document, unpacked; 64 MiB
	Page     int64 // a page of HTML or Markdown, unpacked; 16 MiB
	Item     int64 // a line of a file of lines, and what is made of any item; 4 MiB
}

// maxDepth is how deep an item may be nested.
const maxDepth = 64

// WithDefaults has the defaults in the place of zeros.
func (l Limits) WithDefaults() Limits {
	for _, limit := range []struct {
		value *int64
		usual int64
	}{{&l.File, 1 << 30}, {&l.Unpacked, 64 << 30}, {&l.Document, 64 << 20}, {&l.Page, 16 << 20}, {&l.Item, 4 << 20}} {
		if *limit.value <= 0 {
			*limit.value = limit.usual
		}
	}
	return l
}
