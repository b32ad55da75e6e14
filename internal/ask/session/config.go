package session

import (
	"time"
)

// Settings is the section ask.session: how conversations go on.
type Settings struct {
	// For is how long after a question the caller may come back with the state of the conversation
	// (`session_context`) that came with its answer. The state is with the caller, not here.
	For time.Duration `yaml:"for" check:"1m..720h"`
}

// MemorySettings is the section ask.remember. It bounds what is kept here of conversations whose
// callers ask for it (`meta.remember`): questions and what was told beside them, encrypted with a
// secret in the folder `keys`; never answers.
type MemorySettings struct {
	// For is how long a question is kept; `0s` keeps none.
	For time.Duration `yaml:"for" check:"0..87600h"`
	// Turns is how many questions are kept of each credential and each user whom it names, and of
	// each conversation of somebody without a credential.
	Turns int `yaml:"turns" check:"1..1000"`
	// All is how many are kept altogether. Beyond it the oldest of those without a credential go
	// first.
	All int `yaml:"all" check:"1..10000000"`
}

// DefaultMemorySettings are those where nothing is said.
func DefaultMemorySettings() MemorySettings {
	return MemorySettings{For: 30 * 24 * time.Hour, Turns: 50, All: 100_000}
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{For: 24 * time.Hour} }
