package identity

import "context"

type proveKey struct{}

// WithProof gives a context whose request may be answered only to who proves who it is, by a
// signature or a key: the owner asks that of the agent that it claims to be sent by.
func WithProof(ctx context.Context) context.Context {
	return context.WithValue(ctx, proveKey{}, true)
}

// MustProve says whether whoever sent a context's request has to prove who it is.
func MustProve(ctx context.Context) bool {
	must, _ := ctx.Value(proveKey{}).(bool)
	return must
}
