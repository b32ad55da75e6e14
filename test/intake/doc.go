// Package intake holds the real program to the Agent Intake Protocol, from outside: 66 numbered
// checks of a provider, over sockets, and random mutations of valid requests. Each check can fail:
// for each there is a server that is wrong on purpose, behind a proxy that breaks one promise.
package intake
