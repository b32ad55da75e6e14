// Package domain holds the verification of domains together from outside: an Exchange and an edge
// as two processes, and a provider that a test scripts.
package domain
