package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
)

// Listed splits what was written with commas.
func Listed(text string) (tokens []string) {
	for token := range strings.SplitSeq(text, ",") {
		if token = strings.TrimSpace(token); token != "" {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// OpenInput opens a file, or gives standard input where it is called "-". The caller closes it.
func OpenInput(env *Environment, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(env.Stdin), nil
	}
	return os.Open(name)
}

// ReadInput reads a file, or standard input where it is called "-", to its end. One with more than
// so many bytes is an error: it is not cut.
func ReadInput(env *Environment, name string, most int64) ([]byte, error) {
	in, err := OpenInput(env, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it has more than %d bytes, and no more are read; give another, or a part of it", most)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w",
			OrElse(Clean(strings.TrimPrefix(name, "-")), "standard input"), err)
	}
	return text, nil
}

// ReadKeyFile reads a file with a key or a secret.
func ReadKeyFile(env *Environment, name string) ([]byte, error) {
	return ReadInput(env, name, MaxSecretFile)
}

// MaxSecretFile is the most that is read of a file with a key or a secret.
const MaxSecretFile = 16 << 10

// ParseMoney reads an amount of a command.
func ParseMoney(text string) (int64, error) {
	n, err := policy.ParseAmount(text)
	if err != nil {
		return 0, Usage("%v", err)
	}
	return n, nil
}

// ReadFile reads a file with a key or a secret.
func (e *Environment) ReadFile(name string) ([]byte, error) { return ReadKeyFile(e, name) }

// ReadKeys reads a key, or a file with one.
func (e *Environment) ReadKeys(text string) ([]ramp.Key, error) { return ReadPublicKeys(e, text) }

// ReadPublicKeys reads a key, or a file with one, which may be PEM, or an agent's document with its
// keys.
func ReadPublicKeys(env *Environment, text string) ([]ramp.Key, error) {
	name, ofFile := strings.CutPrefix(text, "@")
	if ofFile {
		all, err := ReadKeyFile(env, name)
		if err != nil {
			return nil, err
		}
		if text = strings.TrimSpace(string(all)); strings.HasPrefix(text, "{") {
			_, keys, err := ramp.ReadKeys([]byte(text))
			return keys, err
		}
		text = ""
		for line := range strings.Lines(string(all)) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
				text += line
			}
		}
	}
	public, err := ramp.DecodePublicKey(text)
	return []ramp.Key{{Public: public, Active: true}}, err
}

// Confirmed asks whether something is to be done; only "yes" or "y" is a yes.
func Confirmed(env *Environment, question string) (bool, error) {
	fmt.Fprintf(env.Stderr, "%s Type yes: ", question)
	line, err := bufio.NewReader(io.LimitReader(env.Stdin, 1024)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, Usage("nothing was done; say --yes where nobody can be asked")
}
