package main

import (
	"fmt"
	"os"
	"strings"
)

// allowed is the list of tests that may be skipped. A nil list allows every skip.
type allowed struct{ names map[name]bool }

// readAllowed reads a file of lines `package test  # why`. Without a path every skip is allowed.
func readAllowed(path string) (*allowed, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list := &allowed{names: map[name]bool{}}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		entry, why, _ := strings.Cut(line, "#")
		fields := strings.Fields(entry)
		switch {
		case len(fields) == 0:
		case len(fields) == 2 && strings.TrimSpace(why) != "":
			list.names[name{fields[0], fields[1]}] = true
		default:
			return nil, fmt.Errorf("%s:%d: want `package test  # why it may be skipped`", path, number)
		}
	}
	return list, nil
}

// skip says whether a test may be skipped.
func (a *allowed) skip(id name) bool { return a == nil || a.names[id] }
