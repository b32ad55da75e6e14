package app

import (
	"io"
	"log/slog"

	"frontdesk/internal/app/repeats"
)

// NewLog makes the log that a configuration asks for. Below the level debug, the same cause is told once a minute.
func NewLog(config Log, w io.Writer) *slog.Logger {
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
		handler = repeats.New(handler)
	}
	return slog.New(handler)
}
