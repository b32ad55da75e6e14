// Command openapigen writes the OpenAPI 3.1 description of the front desk: its operations from the
// table here, the schemas from the types that the handlers read and write, and what the schemas say
// from the comments of these types.
//
//	go run ./internal/openapigen -wire ../../wire/nlweb -out openapi.json
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	source := flag.String("wire", "../../../wire/nlweb", "the folder of the types")
	out := flag.String("out", "openapi.json", "the file to write")
	flag.Parse()
	text, err := generate(*source)
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "openapigen:", err)
		os.Exit(1)
	}
}
