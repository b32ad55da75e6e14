// Package docs holds the documentation's pages and pictures, so that the program can show those of
// its own version. Package internal/app/docsite makes a site of them.
package docs

import "embed"

//go:generate go test ../test/reference -run TestPagesAreCurrent -update

// Files are the pages. README.md lists them in their groups; those in reference are made of the
// program.
//
//go:embed *.md img reference
var Files embed.FS
