// Package market presses the buttons of `frontdesk demo --market` as a program: the end-to-end test
// of all four protocols.
package market
