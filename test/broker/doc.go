// Package broker holds the Broker to its word from outside: the built program between real
// Exchanges and agents, over sockets, with whatever breaks.
package broker
