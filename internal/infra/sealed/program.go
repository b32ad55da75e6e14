package sealed

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// Program identifies the program that runs, by all bytes of its file: whatever is computed
// otherwise by another build is of another program. It is read once.
var Program = sync.OnceValues(func() (string, error) {
	file, err := os.Open("/proc/self/exe") // still this program when its file was replaced
	if err != nil {
		path, found := os.Executable()
		if found != nil {
			return "", found
		}
		if file, err = os.Open(path); err != nil {
			return "", err
		}
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
})
