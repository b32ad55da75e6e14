package repeats

import (
	"io"
	"log/slog"
)

// Settings is the section log: what is written to standard error.
type Settings struct {
	// Level is the least that is written: `debug`, `info`, `warn` or `error`. Each request is one
	// event of level `info`, without the question's text; at `debug` it tells the request's path.
	Level string `yaml:"level" check:"oneof=debug info warn error"`
	// Format is `text` for people or `json` for programs.
	Format string `yaml:"format" check:"oneof=text json"`
	// Clients says what a request's event tells of its sender, past the trusted proxies: `off`
	// nothing, `network` the first 24 bits of an IPv4 address and 48 of an IPv6 address, `address`
	// all of it, which is personal data.
	Clients string `yaml:"clients" check:"oneof=off network address"`
}

// NewLog makes the log that a configuration asks for. Below the level debug, the same cause is told
// once a minute.
func NewLog(config Settings, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(config.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if config.Format == "json" {
		handler = slog.NewJSONHandler(w, options)
	}
	if level > slog.LevelDebug {
		handler = New(handler)
	}
	return slog.New(handler)
}
