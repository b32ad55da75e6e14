package app

import (
	"log/slog"
	"path/filepath"

	"frontdesk/internal/ask/session"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/yamlconf"
)

// KeyFolder is the folder of secrets, with the default filled in.
func (c Config) KeyFolder() string { return first(c.Keys, filepath.Join(c.Data, "keys")) }

// CheckKeys says whether this user can read and make the secrets that a server needs, and leaves
// all as it is. It is a warning: whoever checks a configuration may be another than who serves by
// it.
func (l *Loaded) CheckKeys() yamlconf.Findings {
	err := identity.CheckSecret(l.Config.KeyFolder(), secretName)
	if err == nil {
		return nil
	}
	path := "keys"
	if l.Config.Keys == "" {
		path = "data"
	}
	report := yamlconf.NewReport()
	report.Warning(path, "the server would not start as this user: %v", err)
	_, warnings := l.origins.Findings(report.Notes())
	return warnings
}

// secretName is the secret that conversations and promises are sealed with.
const secretName = "session"

// conversations are those that callers carry, sealed with the front desk's secret, and the memory
// of what is kept here of them, nil for none.
func (c Config) conversations(db *store.DB, log *slog.Logger,
	secret []byte) (*session.Conversations, *session.Memory, error) {
	carried := session.NewConversations(session.ConversationOptions{Secret: secret, Good: c.Ask.Session.For})
	if c.Ask.Remember.For == 0 {
		return carried, nil, nil
	}
	kept, err := session.NewMemory(db, session.MemoryOptions{
		Secret: secret, For: c.Ask.Remember.For, Turns: c.Ask.Remember.Turns, All: c.Ask.Remember.All, Log: log,
	})
	return carried, kept, err
}
