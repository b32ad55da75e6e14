package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// openInput opens a file, or gives standard input where it is called "-". The caller closes it.
func openInput(env *environment, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(env.stdin), nil
	}
	return os.Open(name)
}

// readInput reads a file, or standard input where it is called "-", to its end. One with more than so many bytes is an error: it is not cut.
func readInput(env *environment, name string, most int64) ([]byte, error) {
	in, err := openInput(env, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it has more than %d bytes, and no more are read; give another, or a part of it", most)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", orElse(clean(strings.TrimPrefix(name, "-")), "standard input"), err)
	}
	return text, nil
}

// readKeyFile reads a file with a key or a secret.
func readKeyFile(env *environment, name string) ([]byte, error) {
	return readInput(env, name, maxSecretFile)
}
