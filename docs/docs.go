// Package docs holds the documentation's pages and pictures, so that the program can show those of
// its own version. Package internal/app/docsite makes a site of them.
package docs

import "embed"

// Files are the pages. README.md lists them in their groups.
//
//go:embed *.md img
var Files embed.FS
