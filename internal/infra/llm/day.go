package llm

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// DailyLimit bounds the tokens and cost of all calls on one day of UTC. The zero value bounds
// nothing.
type DailyLimit struct {
	Tokens int64 // prompts and replies; 0 for no bound
	Cost   Money // by Options.Price; 0 for no bound
	// Add adds to what was spent on a day ("2006-01-02"), by every process that shares the bound,
	// and gives the sum; with nothing to add it gives the sum alone. Nil counts in this process.
	Add func(ctx context.Context, day string, more DailyUsage) (DailyUsage, error)
}

// DailyUsage is what the calls of a day used.
type DailyUsage struct {
	Tokens int64
	Cost   Money
}

func (s DailyUsage) plus(more DailyUsage) DailyUsage {
	return DailyUsage{s.Tokens + more.Tokens, s.Cost + more.Cost}
}

func (s DailyUsage) minus(less DailyUsage) DailyUsage {
	return DailyUsage{s.Tokens - less.Tokens, s.Cost - less.Cost}
}

// besideShare is the part of a day's bounds that work beside the questions may use, such as turning
// items into vectors: a new catalog must not leave the questions without a model.
const besideShare = 2 // one half

// addTime bounds how long reading or writing the day's usage may take.
const addTime = time.Second

// dailyBudget holds the day's usage against its bounds. A call is admitted only if the most that it
// can use is left, beside what the calls under way can use: so one process never exceeds the
// bounds. Of several that share them, each learns of the others' calls with its own next one.
type dailyBudget struct {
	bound DailyLimit
	now   func() time.Time
	log   *slog.Logger

	mu       sync.Mutex
	day      string
	known    bool       // whether the store was read on this day
	spent    DailyUsage // by all, as far as is known
	unsaved  DailyUsage // of it, what is not in the store yet
	reserved DailyUsage // what the calls under way can take
	warned   bool       // on this day, that it is spent
}

// reserve keeps what a call can take at most, on a day that release gets. It is an Error
// when that is not left.
func (p *dailyBudget) reserve(ctx context.Context, most DailyUsage, beside bool) (day string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now().UTC()
	if day = now.Format(time.DateOnly); day != p.day {
		p.day, p.known, p.spent, p.unsaved, p.reserved, p.warned = day, false, DailyUsage{}, DailyUsage{}, DailyUsage{},
			false
	}
	if !p.known {
		p.read(ctx)
	}
	bound := DailyUsage{p.bound.Tokens, p.bound.Cost}
	if beside {
		bound = DailyUsage{bound.Tokens / besideShare, bound.Cost / besideShare}
	}
	after := p.spent.plus(p.reserved).plus(most)
	if p.bound.Tokens > 0 && after.Tokens > bound.Tokens || p.bound.Cost > 0 && after.Cost > bound.Cost {
		if !beside && !p.warned {
			p.warned = true
			p.log.Warn("what the model may take in a day is used up; questions are answered without it until "+
				"midnight UTC, or until model.day allows more",
				"tokens", p.spent.Tokens, "cost", p.spent.Cost.String())
		}
		return day, &Error{Reason: DailyLimitReached,
			RetryAfter: now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)}
	}
	p.reserved = p.reserved.plus(most)
	return day, nil
}

// read takes what the store has of the day. Without it this process counts alone until it can be
// read.
func (p *dailyBudget) read(ctx context.Context) {
	if p.bound.Add == nil {
		p.known = true
		return
	}
	limited, cancel := context.WithTimeout(ctx, addTime)
	defer cancel()
	if sum, err := p.bound.Add(limited, p.day, DailyUsage{}); err == nil {
		p.known = true
		p.learn(sum)
	}
}

// learn takes a sum of the store, which has all but what this process has not saved yet.
func (p *dailyBudget) learn(sum DailyUsage) {
	p.spent.Tokens, p.spent.Cost = max(p.spent.Tokens, sum.Tokens), max(p.spent.Cost, sum.Cost)
}

// release gives back what a call could take at most, and counts what it took.
func (p *dailyBudget) release(ctx context.Context, day string, most, took DailyUsage) {
	p.mu.Lock()
	if day != p.day { // it went on past midnight, and is the old day's
		p.mu.Unlock()
		return
	}
	p.reserved = p.reserved.minus(most)
	p.spent = p.spent.plus(took)
	p.unsaved = p.unsaved.plus(took)
	more := p.unsaved
	if p.bound.Add == nil || more == (DailyUsage{}) {
		p.unsaved = DailyUsage{}
		p.mu.Unlock()
		return
	}
	p.unsaved = DailyUsage{}
	p.mu.Unlock()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), addTime)
	defer cancel()
	sum, err := p.bound.Add(limited, day, more)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case day != p.day:
	case err != nil:
		p.log.Warn("what the model took cannot be written down; this process counts by itself until it can",
			"error", err)
		p.unsaved = p.unsaved.plus(more)
	default:
		p.learn(sum)
	}
}

// today is what was spent on this day, as far as is known.
func (p *dailyBudget) today() DailyUsage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.day != p.now().UTC().Format(time.DateOnly) {
		return DailyUsage{}
	}
	return p.spent
}

// size is what a call takes at most, in tokens.
type size struct {
	input, output int
	beside        bool // the questions
}

// spent is what a call of so much costs.
func (c *Client) spent(to endpoint, s size) DailyUsage {
	return DailyUsage{int64(s.input + s.output), c.options.Price.cost(to, s.input, s.output)}
}

// allowed makes a call if the day's bounds leave room for it, and counts what it took: what the
// endpoint says, or the most that it could be where it was called and does not say.
func (c *Client) allowed(ctx context.Context, to endpoint, most size, call func() (Usage, error)) (Usage, error) {
	if c.dailyBudget == nil {
		return call()
	}
	reserved := c.spent(to, most)
	day, err := c.dailyBudget.reserve(ctx, reserved, most.beside)
	if err != nil {
		return Usage{}, err
	}
	usage, err := call()
	took := DailyUsage{int64(usage.Input + usage.Output), usage.Cost}
	if took.Tokens == 0 && mayHaveTaken(reasonOf(err)) {
		took = reserved
	}
	c.dailyBudget.release(ctx, day, reserved, took)
	return usage, err
}

// mayHaveTaken says whether a call that ended for a reason can have taken tokens.
func mayHaveTaken(r Reason) bool {
	switch r {
	case Unreachable, Refused, Limited, Failed, Busy, CircuitOpen:
		return false
	}
	return true
}

// Today returns the usage of this day of UTC, by every process that shares the bounds, as far as is
// known; zero without bounds.
func (c *Client) Today() DailyUsage {
	if c == nil || c.dailyBudget == nil {
		return DailyUsage{}
	}
	return c.dailyBudget.today()
}
