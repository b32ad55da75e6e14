// Package requesters says who asks in RAMP v1: requesters and the Brokers and intermediaries that
// pass their requests on, by their signatures; for whom they ask, by delegations; who pushes a
// catalog; and by which keys others attest content.
//
// It owns the registrations of requesters and the callers that push, the keys that domains publish
// for their agents and verifiers, and the tokens, former keys and revocations of delegations. It
// must not know what is asked for or sold: that something costs money is a fact of the [Call].
//
// Enter by [Open] and [Registry.Identify].
package requesters
