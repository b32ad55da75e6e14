package sealed

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var (
	ours  = IdentityOf("program", "terms")
	parts = [][]byte{[]byte("first"), nil, bytes.Repeat([]byte("0123456789abcdef"), 200), {7}}
)

func written(t testing.TB) (path string, whole []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "some.sealed")
	if _, err := Write(path, ours, parts); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, whole
}

func TestFileHoldsItsSections(t *testing.T) {
	t.Parallel()
	path, _ := written(t)
	sum, err := Write(path, ours, parts) // in the place of the first
	if err != nil {
		t.Fatal(err)
	}
	file, err := Open(path, ours)
	if err != nil || file.Sum != sum || !slices.EqualFunc(file.Sections, parts, bytes.Equal) {
		t.Errorf("%d sections, sum %x of %x, %v", len(file.Sections), file.Sum, sum, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files are there, want the one", len(left))
	}
	if _, err := Open(path, IdentityOf("programterms")); !errors.Is(err, ErrForeign) {
		t.Errorf("a file of another identity: %v", err)
	}
	if _, err := Open(filepath.Dir(path), ours); err == nil {
		t.Error("a folder was opened")
	}
}

func TestAnyDamageIsFound(t *testing.T) {
	t.Parallel()
	_, whole := written(t)
	check := func(data []byte) error {
		_, err := verify(bytes.NewReader(data), int64(len(data)), ours)
		return err
	}
	if err := check(whole); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, bit := range []byte{1, 0x80} {
			whole[i] ^= bit
			if check(whole) == nil {
				t.Fatalf("byte %d of %d was changed, and nobody saw it", i, len(whole))
			}
			whole[i] ^= bit
		}
		if check(whole[:i]) == nil {
			t.Fatalf("the file was cut to %d bytes, and nobody saw it", i)
		}
	}
	if check(append(whole, 0)) == nil {
		t.Error("a byte was added, and nobody saw it")
	}
}

// FuzzVerify reads files of anybody: it ends with an error, or with sections that lie in the file.
func FuzzVerify(f *testing.F) {
	_, whole := written(f)
	f.Add(whole)
	f.Add(headOf(ours, nil))
	f.Add(append(headOf(ours, [][]byte{make([]byte, align)}), make([]byte, align)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := verify(bytes.NewReader(data), int64(len(data)), ours)
		if err != nil {
			return
		}
		file := h.cut(data)
		if again := headOf(ours, file.Sections); !bytes.Equal(again, data[:len(again)]) {
			t.Errorf("a file of %d bytes was read as another one", len(data))
		}
	})
}

func TestFolderIsOneProcesss(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "folder")
	folder, err := Take(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(path); err == nil {
		t.Fatal("it was taken twice")
	}
	for _, name := range []string{"old.sealed", "new.sealed", "owners.txt", temporary + "1"} {
		if err := os.WriteFile(filepath.Join(path, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := folder.Keep(map[string]bool{"new.sealed": true}); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{lockName, "new.sealed", "owners.txt"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%v are left, want %v; %v", left, want, err)
	}
	if err := folder.LetGo(); err != nil {
		t.Fatal(err)
	}
	if again, err := Take(path); err != nil {
		t.Errorf("it cannot be taken again: %v", err)
	} else if err := again.LetGo(); err != nil {
		t.Error(err)
	}
}

func TestProgramIsKnown(t *testing.T) {
	t.Parallel()
	if sum, err := Program(); err != nil || len(sum) != 64 {
		t.Errorf("the program is %q, %v", sum, err)
	}
}
