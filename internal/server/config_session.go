package server

import (
	"path/filepath"
	"time"

	"frontdesk/internal/session"
	"frontdesk/internal/trust"
)

// AskSession sets how conversations go on.
type AskSession struct {
	// For is how long after a question the caller may come back with the state of the conversation (`session_context`)
	// that came with its answer. The state is with the caller, not here.
	For time.Duration `yaml:"for"`
}

func defaultSession() AskSession { return AskSession{For: 24 * time.Hour} }

// session checks the conversations' settings.
func (c *checks) session() {
	between(c, "ask.session.for", c.Config.Ask.Session.For, time.Minute, 30*24*time.Hour)
}

// KeyFolder is the folder of secrets, with the default filled in.
func (c Config) KeyFolder() string { return first(c.Keys, filepath.Join(c.Data, "keys")) }

// conversations are those that callers carry, sealed with the front desk's secret.
func (c Config) conversations() (*session.Conversations, error) {
	secret, err := trust.OpenSecret(c.KeyFolder(), "session")
	if err != nil {
		return nil, err
	}
	return session.NewConversations(session.ConversationOptions{Secret: secret, Good: c.Ask.Session.For}), nil
}
