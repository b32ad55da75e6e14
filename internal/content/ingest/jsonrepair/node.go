// Package jsonrepair reads JSON as it is found in the wild into a tree that keeps the order of
// members, the text of numbers and the place of each value, and writes it back compactly.
//
// What is valid is read fast and means what encoding/json means by it. Only where that fails is the
// document mended: trailing and missing commas, comments, raw line ends in strings, quotes that are
// not escaped or escaped for HTML, wrappers of comments and CDATA, NaN, an end that is missing. It
// stands below package document.
package jsonrepair

import (
	"slices"
	"strings"
)

// Kind is the kind of a Node.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Node is one value.
type Node struct {
	Kind Kind
	// TooDeep is set on a value that was left out (as null) because it is nested too deeply, and on
	// all around it.
	TooDeep bool
	// Truncated is set on a value whose end is missing, and on all around it.
	Truncated bool
	// Offset is where the value begins, in bytes from the document's start.
	Offset int
	// Text is the value of a String, the digits of a Number as they were written, and "true" or
	// "false".
	Text string
	// Members are an Object's, in the order of the source; a name occurs once, with the last of its
	// values.
	Members []Member
	// Items are an Array's.
	Items []*Node
}

// Member is a name and its value in an Object.
type Member struct {
	Name  string
	Value *Node
}

// Error says where and why a document cannot be read.
type Error struct {
	Offset int
	Reason string
}

// NewString returns a node of the kind String.
func NewString(s string) *Node { return &Node{Kind: String, Text: s} }

// NewArray returns a node of the kind Array.
func NewArray(items ...*Node) *Node { return &Node{Kind: Array, Items: items} }

// Get returns the value of a member, nil when n is nil, no object, or has no such member.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Set gives a member a value; a new member goes to the end. A nil value removes the member.
func (n *Node) Set(name string, value *Node) {
	for i := range n.Members {
		if n.Members[i].Name != name {
			continue
		}
		if value == nil {
			n.Members = append(n.Members[:i], n.Members[i+1:]...)
			return
		}
		n.Members[i].Value = value
		return
	}
	if value != nil {
		n.Members = append(n.Members, Member{name, value})
	}
}

// IsObject says whether n is an object; n may be nil.
func (n *Node) IsObject() bool { return n != nil && n.Kind == Object }

// List gives the values of a property that may hold one or many: an array's items, or n itself.
// Null gives none.
func (n *Node) List() []*Node {
	switch {
	case n == nil || n.Kind == Null:
		return nil
	case n.Kind == Array:
		return n.Items
	}
	return []*Node{n}
}

// Lines finds line numbers by offsets in a text.
type Lines struct {
	ends []int // of the lines but the last
}

// NewLines indexes a text.
func NewLines(text string) *Lines {
	ends := make([]int, 0, strings.Count(text, "\n"))
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return &Lines{ends}
		}
		at += next
		ends = append(ends, at)
	}
}

// Of gives the line, from 1, on which an offset lies.
func (l *Lines) Of(offset int) int {
	before, _ := slices.BinarySearch(l.ends, offset)
	return before + 1
}
