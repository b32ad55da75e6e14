//go:build race

package cli

const raced = true // the tests run under the race detector
