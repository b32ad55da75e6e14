package vector

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/edsrzf/mmap-go"

	"frontdesk/internal/content/vector/words"
)

// mostTokenizer is how many bytes a tokenizer.json may have.
const mostTokenizer = 256 << 20

// OpenTable reads a table of words from a file, which is mapped into memory and never unmapped: of
// model2vec (model.safetensors, with tokenizer.json beside it, or the folder of both), or of GloVe
// or fastText (a word and its numbers a line). The file must stay as it is while it is in use: a
// new one is put in its place by renaming.
func OpenTable(path string) (*words.Table, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "model.safetensors")
	}
	data, err := mapped(path)
	if err != nil {
		return nil, err
	}
	var t *words.Table
	ends := sha256.New()
	if filepath.Ext(path) != ".safetensors" {
		t, err = words.ReadText(data)
	} else {
		var tokens []byte
		if tokens, err = tokenizer(path); err == nil {
			ends.Write(tokens)
			t, err = words.ReadTensors(data, tokens)
		}
	}
	if err != nil {
		_ = data.Unmap() // what it was read for has failed
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	ends.Write(data[:min(len(data), telling)])
	ends.Write(data[max(0, len(data)-telling):])
	t.Identity = fmt.Sprintf("%d bytes of %s: %x", len(data), info.ModTime().UTC(), ends.Sum(nil))
	return t, nil
}

// telling is how many bytes of a table's beginning and end tell it from another, with its size and
// time: to read all of one takes seconds.
const telling = 1 << 20

func mapped(path string) (mmap.MMap, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil, fmt.Errorf("%s: it is empty, or no file", path)
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: map it into memory: %w", path, err)
	}
	return data, nil
}

// tokenizer reads what stands beside a file of tensors.
func tokenizer(path string) ([]byte, error) {
	file, err := os.Open(filepath.Join(filepath.Dir(path), "tokenizer.json"))
	if err != nil {
		return nil, fmt.Errorf("tokenizer.json has to stand beside it: %w", err)
	}
	defer file.Close()
	tokens, err := io.ReadAll(io.LimitReader(file, mostTokenizer+1))
	switch {
	case err != nil:
		return nil, err
	case len(tokens) > mostTokenizer:
		return nil, fmt.Errorf("tokenizer.json has more than %d bytes", mostTokenizer)
	}
	return tokens, nil
}
