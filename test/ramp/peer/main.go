// Command peer stands on our side of the round trips with another protocol buffer runtime: "peer
// make" writes the messages of internal/testkit/ramp/made as lines of JSON, in binary and in our
// JSON; "peer hold" reads what the other side made of them, and says what is not the same message
// any more.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/testkit/ramp/made"
	"frontdesk/wire/ramp"
)

// line is one message on its way.
type line struct {
	Case   string
	Type   string
	Binary []byte          // base64 in JSON
	JSON   json.RawMessage // ours on the way there; the other side's in snake_case on the way back
	Camel  json.RawMessage `json:",omitempty"` // the other side's in lowerCamelCase
	Number json.RawMessage `json:",omitempty"` // the other side's with enums by number
	Read   []byte          `json:",omitempty"` // our JSON, read and written in binary by the other side
}

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "make":
		err = write(os.Stdout)
	case len(os.Args) == 2 && os.Args[1] == "hold":
		err = hold(os.Stdin, os.Stdout)
	default:
		err = fmt.Errorf("usage: peer make|hold")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(to io.Writer) error {
	out := bufio.NewWriter(to)
	for _, c := range made.Cases() {
		binary, err := proto.Marshal(c.Message)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		text, err := ramp.Marshal(c.Message)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if err := json.NewEncoder(out).Encode(line{Case: c.Name,
			Type: string(c.Message.ProtoReflect().Descriptor().FullName()), Binary: binary, JSON: text}); err != nil {
			return err
		}
	}
	return out.Flush()
}

// hold fails at the first message that came back otherwise, or if not all came.
func hold(from io.Reader, to io.Writer) error {
	in := json.NewDecoder(from)
	cases := made.Cases()
	for _, c := range cases {
		var back line
		if err := in.Decode(&back); err != nil {
			return fmt.Errorf("%s did not come back: %w", c.Name, err)
		}
		if back.Case != c.Name {
			return fmt.Errorf("%s came back in the place of %s", back.Case, c.Name)
		}
		if err := same(c.Message, "binary",
			func(m proto.Message) error { return proto.Unmarshal(back.Binary, m) }); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if err := same(c.Message, "our JSON, read there",
			func(m proto.Message) error { return proto.Unmarshal(back.Read, m) }); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		for form, text := range map[string]json.RawMessage{
			"snake_case JSON": back.JSON, "lowerCamelCase JSON": back.Camel, "JSON with enums by number": back.Number,
		} {
			if err := same(c.Message, form,
				func(m proto.Message) error { return ramp.Unmarshal(text, m) }); err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
		}
	}
	_, err := fmt.Fprintln(to, len(cases))
	return err
}

func same(sent proto.Message, form string, read func(proto.Message) error) error {
	back := sent.ProtoReflect().New().Interface()
	if err := read(back); err != nil {
		return fmt.Errorf("%s: %w", form, err)
	}
	if !proto.Equal(sent, back) {
		return fmt.Errorf("%s: sent %v, came back %v", form, sent, back)
	}
	return nil
}
