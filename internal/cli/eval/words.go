package eval

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"frontdesk/internal/content/vector"
	"frontdesk/internal/content/vector/words"
)

// Words tells what the program makes of a file of word vectors; without one, of the table that it
// carries.
func Words(out io.Writer, file string) error {
	began, table := time.Now(), words.Builtin()
	if file != "" {
		var err error
		if table, err = vector.OpenTable(file); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", file, table.Form)
	}
	fmt.Fprintf(out, "%d pieces of %d numbers, ready after %s\n\n", table.Pieces(), table.Dimensions(),
		time.Since(began).Round(time.Millisecond))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "language\teveryday words known\twords for the same\tother words\tthe English word\tis read")
	for _, language := range words.Languages() {
		r := table.Reads(language)
		answer := "no"
		if r.Read() {
			answer = "yes"
		}
		fmt.Fprintf(w, "%s\t%d of %d\t%.2f\t%.2f\t%.2f\t%s\n", language, r.Known, r.Asked, r.Same, r.Other,
			r.English, answer)
	}
	return w.Flush()
}
