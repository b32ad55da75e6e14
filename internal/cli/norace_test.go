//go:build !race

package cli

const raced = false // the tests run without the race detector
