// Package intent holds the real program to the Agentic Intent Protocol, from outside: 66 numbered
// checks of a publisher, over sockets, with signatures of its own making, over two sites that have
// nothing in common. Each check can fail: for each there is a server that is wrong on purpose,
// behind a proxy that breaks one promise.
package intent
