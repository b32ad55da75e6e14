// Package mcp measures the MCP door beside the SDK that it stands on, and is the home of the tests
// with other people's clients (run.sh).
package mcp
