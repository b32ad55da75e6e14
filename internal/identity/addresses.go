package identity

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/wire/sign"
)

// The secrets that sign addresses here are files in the folder of secrets: deliver, which is 32
// random bytes, and then deliver-2, deliver-3 and so on, each made once and never over another.
// Those say when they were made, for how long the one before is good beside them, and the secret in
// hex, a line for each.
const (
	addressFirst   = "deliver"
	addressFollows = "deliver-"
)

// AddressKeys are the secrets that sign the addresses at which this front desk itself delivers.
// They lie in the folder of secrets, which nodes share; what one process does to them holds in the
// others within a second. Its methods may be called concurrently.
type AddressKeys struct {
	folder string
	now    func() time.Time

	mu     sync.Mutex
	keys   []sign.URLKey // the newest first
	number int           // of the newest
	names  string        // of the files that were read
	looked time.Time
}

// NewAddressKeys makes the keys of a folder of secrets. A nil clock is time.Now.
func NewAddressKeys(folder string, now func() time.Time) *AddressKeys {
	if now == nil {
		now = time.Now
	}
	return &AddressKeys{folder: folder, now: now}
}

// Keys gives the keys, the one that signs first; the first of all is made where there is none. What
// it gives must not be changed.
func (a *AddressKeys) Keys() ([]sign.URLKey, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if since := a.now().Sub(a.looked); a.keys != nil && since >= 0 && since < siteKeysFresh {
		return a.keys, nil
	}
	err := a.read()
	return a.keys, err
}

// Rotate makes a key that signs from now on, and gives its name; those before it are good for a
// grace at the most.
func (a *AddressKeys) Rotate(grace time.Duration) (name string, err error) {
	if grace < 0 {
		return "", errors.New("the grace cannot be less than nothing")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.read(); err != nil {
		return "", err
	}
	secret := make([]byte, secretSize)
	rand.Read(secret)
	name = addressFollows + strconv.Itoa(a.number+1)
	text := fmt.Sprintf("made %s\ngrace %s\nsecret %x\n", a.now().UTC().Format(time.RFC3339Nano), grace, secret)
	switch err := putFile(a.folder, filepath.Join(a.folder, name), []byte(text), os.Link); {
	case errors.Is(err, fs.ErrExist):
		return "", errors.New("somebody else has rotated the secret of addresses at this moment; the new one is there")
	case err != nil:
		return "", fmt.Errorf("the secret %s cannot be made: %w; let this user write there",
			filepath.Join(a.folder, name), err)
	}
	return name, a.read()
}

// read reads the keys, if the files are others than those that were read.
func (a *AddressKeys) read() error {
	numbers, err := a.list()
	if err == nil && len(numbers) == 0 {
		_, err = OpenSecret(a.folder, addressFirst)
		numbers = []int{1}
	}
	if err != nil {
		return err
	}
	names := fmt.Sprint(numbers)
	if names != a.names {
		var keys []sign.URLKey
		var ends time.Time // of the key before
		for _, n := range slices.Backward(numbers) {
			key, made, grace, err := a.open(n)
			if err != nil {
				return err
			}
			key.Ends = ends
			if end := made.Add(grace); !made.IsZero() && (ends.IsZero() || end.Before(ends)) {
				ends = end
			}
			keys = append(keys, key)
		}
		a.keys, a.names, a.number = keys, names, numbers[len(numbers)-1]
	}
	a.looked = a.now()
	return nil
}

// list gives the numbers of the secrets, the oldest first.
func (a *AddressKeys) list() (numbers []int, err error) {
	files, err := os.ReadDir(a.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder of secrets %s cannot be read: %w; let this user read it", a.folder, err)
	}
	for _, file := range files {
		text, follows := strings.CutPrefix(file.Name(), addressFollows)
		n, err := strconv.Atoi(text)
		switch {
		case file.Name() == addressFirst:
			numbers = append(numbers, 1)
		case follows && err == nil && n > 1 && strconv.Itoa(n) == text:
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// open reads the secret of a number; of the first nobody knows when it was made.
func (a *AddressKeys) open(n int) (key sign.URLKey, made time.Time, grace time.Duration, err error) {
	key.Form = sign.URLHMAC
	if n == 1 {
		key.Secret, err = OpenSecret(a.folder, addressFirst)
		return key, made, grace, err
	}
	path := filepath.Join(a.folder, addressFollows+strconv.Itoa(n))
	text, err := os.ReadFile(path)
	if err != nil {
		return key, made, grace, fmt.Errorf("the secret %s cannot be read: %w; let this user read it", path, err)
	}
	members := map[string]string{}
	for line := range bytes.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		members[name] = value
	}
	made, err = time.Parse(time.RFC3339Nano, members["made"])
	if err == nil {
		grace, err = time.ParseDuration(members["grace"])
	}
	if err == nil {
		key.Secret, err = hex.DecodeString(members["secret"])
	}
	if err != nil || len(key.Secret) != secretSize || grace < 0 {
		return key, made, grace,
			fmt.Errorf("the secret %s is no secret of addresses; put it back from a backup, or remove it, and the "+
				"one before it signs", path)
	}
	return key, made, grace, nil
}
