package app

import (
	"context"
	"log/slog"

	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/yamlconf"

	"frontdesk/internal/infra/llm"
)

// model holds the time for the model against the time for a whole response.
func (c *checks) model() {
	m := c.Config.Model
	if m.URL == "" {
		return
	}
	most := c.Config.Ask.Timeout + m.Time.Rerank + m.Time.Summarize + m.Time.Rewrite + m.Time.Embed
	if write := c.Config.Limits.WriteTimeout; most >= write {
		c.Problem("model.time", "the times together with ask.timeout are %s, not less than limits.write_timeout, %s: "+
			"an answer that came in time could not be sent", yamlconf.Show(most), yamlconf.Show(write))
	}
}

// Model is a language model that helps, and how it helps to find items.
type Model struct {
	llm.Settings
	// Vectors are how items are found by meaning, with the embedding model.
	Vectors vector.Settings `yaml:"vectors"`
}

// OpenModel makes the client that the configuration asks for; nil when there is no model. It calls
// nobody. What is spent on a day it writes into the book.
func (c Config) OpenModel(log *slog.Logger, book *llm.UsageStore, observe func(llm.Call)) (*llm.Client, error) {
	if c.Model.URL == "" {
		return nil, nil
	}
	options := c.Model.Options()
	options.Observe, options.Trace, options.Log, options.DailyLimit.Add = observe, httpx.Traceparent, log, book.Add
	return llm.New(options)
}

// greetModel tries the model once, so that the owner sees at the start whether it answers. It keeps
// nothing waiting.
func greetModel(ctx context.Context, config Model, client *llm.Client, log *slog.Logger) {
	if client == nil {
		return
	}
	err := client.Check(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Warn("the model does not answer; questions are answered without it until it does", "error", err)
	default:
		log.Info("the model answers", "chat", config.Chat, "embedding", config.Embedding)
	}
}
