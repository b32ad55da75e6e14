// Package interop is the root of a module of its own: tests that hold Frontdesk against other
// people's programs and libraries, so that the product's go.mod names only what the product needs.
// Each folder is one such comparison.
package interop
