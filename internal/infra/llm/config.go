package llm

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section model: a language model of the owner, which is any server that speaks
// OpenAI's interface. Nothing needs one: without it, and whenever it fails, answers are made by
// rule.
type Settings struct {
	// URL is the base address, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`.
	// Without it there is no model.
	URL string `yaml:"url" check:"url"`
	// KeyEnv names the variable of the environment that holds the endpoint's key.
	KeyEnv string `yaml:"key_env"`
	// KeyFile is a file that holds the endpoint's key.
	KeyFile string `yaml:"key_file" relative:"path"`
	// Chat names the model that orders items, writes summaries and rewords follow-ups.
	Chat string `yaml:"chat"`
	// Embedding names the model that turns texts into vectors.
	Embedding string `yaml:"embedding"`
	// Words is a file with directions of words, in place of the program's own table: in the form of
	// model2vec (`model.safetensors`, with `tokenizer.json` beside it, or their folder), or of
	// GloVe or fastText as text. It needs no URL.
	Words string `yaml:"words" relative:"path"`
	// Uses switch each use of the model on or off.
	Uses UseSettings `yaml:"uses"`
	// Time is how long each use may take; after that the answer continues without it.
	Time TimeSettings `yaml:"time"`
	// Tokens is the most that the model's part of one answer may take, prompts and replies
	// together.
	Tokens int `yaml:"tokens" check:"1000..10000000"`
	// Day is the budget of all answers together for one day of UTC. Beyond it answers do without
	// the model.
	Day DaySettings `yaml:"day"`
	// Reply is the most tokens that one reply may have.
	Reply int `yaml:"reply" check:"50..100000"`
	// Calls is the most calls in flight at a time, of each of the two models.
	Calls int `yaml:"calls" check:"1..1024"`
	// Price is the price of a million tokens, to count the cost of answers.
	Price PriceSettings `yaml:"price"`
}

// UseSettings says what the model is for.
type UseSettings struct {
	// Rerank lets the model put the best 20 items of a question into order, with one call.
	Rerank bool `yaml:"rerank"`
	// Summarize lets the model write summaries. Otherwise they are made of the items' sentences.
	Summarize bool `yaml:"summarize"`
	// Rewrite lets the model reword follow-ups that the rules are not sure of.
	Rewrite bool `yaml:"rewrite"`
	// Embed lets questions find items by meaning, too.
	Embed bool `yaml:"embed"`
}

// TimeSettings is how long each use may take.
type TimeSettings struct {
	// Rerank is the time for the order of a question's items.
	Rerank time.Duration `yaml:"rerank" check:"10ms..10m"`
	// Summarize is the time for a summary, to its last word. A stream sends the items meanwhile. If
	// it takes longer than `ask.promise.after`, an answer that is one object is promised. This
	// holds for the other times, too.
	Summarize time.Duration `yaml:"summarize" check:"10ms..10m"`
	// Rewrite is the time to reword a follow-up.
	Rewrite time.Duration `yaml:"rewrite" check:"10ms..10m"`
	// Embed is the time for a question's vector.
	Embed time.Duration `yaml:"embed" check:"10ms..10m"`
}

// PriceSettings is what a million tokens cost.
type PriceSettings struct {
	// Input is the price of a million tokens of prompts, such as `"0.15"`.
	Input string `yaml:"input"`
	// Output is the price of a million tokens of replies.
	Output string `yaml:"output"`
	// Embedding is the price of a million tokens that are turned into vectors.
	Embedding string `yaml:"embedding"`
	// Currency is the prices' currency, such as `USD`.
	Currency string `yaml:"currency"`
}

// DaySettings bounds a day. Processes that share a database share it, and a restart forgets
// nothing. Making vectors of items uses one half of it at most.
type DaySettings struct {
	// Tokens is the most tokens, prompts and replies together; `0` is no bound.
	Tokens int `yaml:"tokens" check:"0..1000000000000"`
	// Cost is the highest cost by `price`, in its currency, such as `"2.50"`. Without it there is
	// no limit.
	Cost string `yaml:"cost"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{
		Uses: UseSettings{true, true, true, true},
		Time: TimeSettings{
			Rerank: DefaultTimeouts[Rerank], Summarize: DefaultTimeouts[Summarize],
			Rewrite: DefaultTimeouts[Rewrite], Embed: DefaultTimeouts[Embed],
		},
		Tokens: 32000, Reply: 1000, Calls: 8,
	}
}

// Check looks at where the model is, what it is called and what it costs.
func (m Settings) Check(r *yamlconf.Report) {
	m.checkDay(r)
	if m.Words != "" {
		if _, err := os.Stat(m.Words); err != nil {
			r.Problem("words",
				"%s cannot be read; name a file of vectors, for which frontdesk model check tells what the program "+
					"makes of it", m.Words)
		}
	}
	if m.URL == "" {
		if m.Chat != "" || m.Embedding != "" {
			r.Problem("url", "say where the model is, like http://127.0.0.1:11434/v1")
		}
		return
	}
	m.checkAddress(r)
	m.checkKey(r)
	if m.Chat == "" && m.Embedding == "" {
		r.Problem("chat", "name the model to ask, or one for vectors as model.embedding")
	}
}

// checkAddress looks at where the model is. Any address is the owner's own choice; one that others
// can listen to is worth a word.
func (m Settings) checkAddress(r *yamlconf.Report) {
	u, err := url.Parse(m.URL)
	switch {
	case err != nil:
	case u.User != nil:
		r.Problem("url",
			"the address must not hold a user or a password; write the key to a file and name it as model.key_file")
	case u.RawQuery != "" || u.Fragment != "":
		r.Problem("url",
			"write the address without what begins with ? or #; /chat/completions and /embeddings are put behind it")
	case u.Scheme == "http" && !private(u.Hostname()):
		r.Warning("url", "without tls.Settings, questions, items and the key can be read on the way to %s; write https",
			u.Hostname())
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"):
		r.Problem("url", "write the address without /chat/completions, which is put behind it")
	}
}

// private says whether a host is this machine, of a private network, or a name that only such a
// network knows.
func private(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") ||
		strings.HasSuffix(host, ".localhost")
}

func (m Settings) checkKey(r *yamlconf.Report) {
	if m.KeyEnv != "" && m.KeyFile != "" {
		r.Problem("key_file", "there is model.key_env, too; keep one of them")
		return
	}
	if _, err := m.key(); err != nil {
		path := "key_file"
		if m.KeyEnv != "" {
			path = "key_env"
		}
		r.Warning(path, "%s", err.Error())
	}
}

// key reads the endpoint's key.
func (m Settings) key() (string, error) {
	switch {
	case m.KeyEnv != "":
		key := strings.TrimSpace(os.Getenv(m.KeyEnv))
		if key == "" {
			return "", fmt.Errorf("the environment has no %s, so the model is asked without a key", m.KeyEnv)
		}
		return key, plainKey(key)
	case m.KeyFile != "":
		text, err := os.ReadFile(m.KeyFile)
		if err != nil {
			return "", errors.New("the file cannot be read, so the model is asked without a key")
		}
		key := strings.TrimSpace(string(text))
		return key, plainKey(key)
	}
	return "", nil
}

// plainKey says whether a key can stand in a header.
func plainKey(key string) error {
	if key == "" || len(key) > 4096 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("what is there is no key: one line of letters, digits and signs")
	}
	return nil
}

// Check looks at the prices.
func (p PriceSettings) Check(r *yamlconf.Report) {
	priced := false
	for _, price := range [][2]string{{"input", p.Input}, {"output", p.Output}, {"embedding", p.Embedding}} {
		if price[1] == "" {
			continue
		}
		priced = true
		if _, err := ParseMoney(price[1]); err != nil {
			r.Problem(price[0], "%s", err.Error())
		}
	}
	if p.Currency != "" && (len(p.Currency) != 3 || strings.Trim(p.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		r.Problem("currency", "%q is no currency; write three letters, like USD", p.Currency)
	} else if priced && p.Currency == "" {
		r.Problem("currency", "say in which currency the prices are, like USD")
	}
}

// checkDay holds that what bounds a day can be counted.
func (m Settings) checkDay(r *yamlconf.Report) {
	if m.Day.Tokens > 0 && m.Day.Tokens < m.Tokens {
		r.Warning("day.tokens", "%d tokens a day are less than the %d of model.tokens that one answer may take",
			m.Day.Tokens, m.Tokens)
	}
	if m.Day.Cost == "" {
		return
	}
	switch cost, err := ParseMoney(m.Day.Cost); {
	case err != nil:
		r.Problem("day.cost", "%q is no amount; write a number like 2.50", m.Day.Cost)
	case cost == 0:
		r.Problem("day.cost",
			"an amount of 0 lets nothing through; leave it out for no bound, or switch uses off as model.uses")
	case m.Price.read() == (Price{Currency: m.Price.Currency}):
		r.Problem("day.cost",
			"without prices nothing is known of the cost; write model.price, or bound the tokens as model.day.tokens")
	}
}

// Options are those of a client that the checked settings ask for.
func (m Settings) Options() Options {
	key, err := m.key()
	if err != nil {
		key = "" // which the check has warned of
	}
	options := Options{
		URL: m.URL, Key: key, Chat: m.Chat, Embedding: m.Embedding, MaxAnswerTokens: m.Tokens,
		MaxReplyTokens: m.Reply, MaxCalls: m.Calls,
		Timeouts: map[Use]time.Duration{
			Rerank: m.Time.Rerank, Summarize: m.Time.Summarize, Rewrite: m.Time.Rewrite, Embed: m.Time.Embed,
		},
		Price: m.Price.read(), DailyLimit: DailyLimit{Tokens: int64(m.Day.Tokens), Cost: money(m.Day.Cost)},
	}
	for use, wanted := range map[Use]bool{
		Rerank: m.Uses.Rerank, Summarize: m.Uses.Summarize, Rewrite: m.Uses.Rewrite, Embed: m.Uses.Embed,
	} {
		if !wanted {
			options.Disabled = append(options.Disabled, use)
		}
	}
	return options
}

func (p PriceSettings) read() Price {
	return Price{Input: money(p.Input), Output: money(p.Output), Embedding: money(p.Embedding), Currency: p.Currency}
}

// money reads a checked amount; none where none is given.
func money(text string) Money {
	m, err := ParseMoney(text)
	if err != nil {
		return 0
	}
	return m
}
