package buyer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"frontdesk/client"
	"frontdesk/internal/infra/httpx"
	"frontdesk/wire/strictjson"
)

// problem is what went wrong, for a model: a word that says what kind of thing it is, and a
// sentence that says what to do.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// PurchaseID and TransactionID say of which purchase, where there is one.
	PurchaseID    string `json:"purchase_id,omitempty"`
	TransactionID string `json:"transaction_id,omitempty"`
	Wait          int    `json:"retry_after,omitempty"` // in seconds, where waiting helps
}

func (p *problem) Error() string { return p.Message }

// The kinds of problems.
const (
	codeInvalid   = "invalid"     // the arguments do not fit
	codeLimit     = "over_limit"  // the person allows no more
	codeNotBought = "not_bought"  // nothing was paid: it is not offered, or denied
	codeUnknown   = "unknown"     // whether it was bought is not known
	codeNotFound  = "not_found"   // no such purchase or quote
	codeContent   = "not_as_sold" // another text or price than was offered
	codeExchange  = "exchange"    // the Exchange's own failure
	codeAway      = "unreachable"
	codeInternal  = "internal"
)

func wrong(format string, args ...any) *problem {
	return &problem{Code: codeInvalid, Message: fmt.Sprintf(format, args...)}
}

// problemOf puts an error in the words of the tools.
func problemOf(err error) *problem {
	var out *problem
	var beyond *OverLimitError
	var none *client.NotBought
	var unfinished *client.Unfinished
	var told *client.ExchangeError
	var failure *client.Failure
	var rejected *client.Rejected
	var undisputed *client.NotDisputed
	var away *client.Unreachable
	var broken *client.Broken
	var strange *client.NotADesk
	switch {
	case errors.As(err, &out):
		return out
	case errors.As(err, &beyond):
		return &problem{Code: codeLimit, Message: beyond.Error()}
	case errors.As(err, &none):
		return &problem{Code: codeNotBought, Message: none.Error()}
	case errors.As(err, &unfinished):
		out = problemOf(unfinished.Err)
		out.Message, out.PurchaseID, out.TransactionID = unfinished.Error(), unfinished.Purchase.ID,
			unfinished.Purchase.Transaction()
		switch unfinished.Step {
		case client.StepBuy:
			out.Code = codeUnknown
			out.Message = "whether this was bought is not known, and it counts as spent until it is: call buy again " +
				"with the same purchase_id, which buys nothing twice. " + unfinished.Err.Error()
		case client.StepCheck:
			out.Code = codeContent
		}
		return out
	case errors.Is(err, ErrUnknown), errors.Is(err, ErrSeveral):
		return &problem{Code: codeNotFound, Message: err.Error()}
	case errors.As(err, &told):
		return &problem{Code: codeExchange, Message: told.Error(), Wait: int(told.RetryAfter.Seconds())}
	case errors.As(err, &failure):
		return &problem{Code: strings.ToLower(failure.Code), Message: failure.Error(),
			Wait: int(failure.RetryAfter.Seconds())}
	case errors.As(err, &rejected), errors.As(err, &undisputed):
		return &problem{Code: codeExchange, Message: err.Error()}
	case errors.As(err, &strange):
		return &problem{Code: codeAway, Message: err.Error()}
	case errors.As(err, &away), errors.As(err, &broken), errors.Is(err, context.DeadlineExceeded):
		return &problem{Code: codeAway, Message: err.Error() + "; try again, or tell the person"}
	}
	return &problem{Code: codeInternal, Message: err.Error()}
}

// called makes a tool's function of one that takes decoded arguments.
func called[Q, A any](do func(context.Context, *Q) (*A, error)) func(context.Context, httpx.Call) httpx.Result {
	return func(ctx context.Context, c httpx.Call) httpx.Result {
		text, asked := c.Arguments, new(Q)
		if len(text) == 0 {
			text = []byte("{}")
		}
		var answer any
		err := strictjson.Decode(text, asked)
		if err != nil {
			err = wrong("the arguments do not fit: %v", err)
		} else {
			answer, err = do(ctx, asked)
		}
		failed := err != nil
		if failed {
			answer = problemOf(err)
		}
		object, err := json.Marshal(answer)
		if err != nil {
			object, failed = []byte(`{"code": "internal", "message": "the result cannot be written"}`), true
		}
		return httpx.Result{Object: object, Meta: []byte("{}"), IsError: failed}
	}
}

// price is an amount in a result.
type price struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

func shown(m Money) price { return price{m.Value(), m.Currency} }

func shownPrice(p client.Price) *price {
	if p.Amount == 0 && p.Currency == "" {
		return nil
	}
	return &price{p.Amount, p.Currency}
}

// words writes the name of an enum's value for people and models.
func words(name, prefix string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", " "))
}

// functions are CoMP's as tools write them: "ai-input".
func functions[F fmt.Stringer](all []F) (out []string) {
	for _, f := range all {
		out = append(out, strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(f.String(), "FUNCTION_"), "_", "-")))
	}
	return out
}

// reporting says what an offer obliges to.
func reporting(p *client.Purchase) (owed bool, window string) {
	if r := p.Offer.GetReporting(); r.GetWindow() != nil {
		window = r.GetWindow().AsDuration().String()
	}
	return p.Owes(), window
}
