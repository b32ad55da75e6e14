package buyer

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// units is how many of a Money make one of its currency.
const units = 1e8

// maxAmount bounds a Money: ten billions of a currency.
const maxAmount = 1e10 * units

// Money is an amount of a currency, in units of 1e-8.
type Money struct {
	Amount   int64
	Currency string // as "USD"
}

// String is the amount as people write it.
func (m Money) String() string {
	text := fmt.Sprintf("%d.%08d", m.Amount/units, m.Amount%units)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".") + " " + m.Currency
}

// Value is the amount as JSON has it.
func (m Money) Value() float64 { return float64(m.Amount) / units }

// Period is for how long a limit counts.
type Period string

// The periods. Days, weeks and months are those of UTC, weeks begin on Monday.
const (
	PerPurchase Period = "purchase" // each by itself
	Session     Period = "session"  // as long as the process runs
	Day         Period = "day"
	Week        Period = "week"
	Month       Period = "month"
)

// lasts says whether a restart changes nothing.
func (p Period) lasts() bool { return p == Day || p == Week || p == Month }

// start is when the period began in which a time is.
func (p Period) start(now time.Time) time.Time {
	now = now.UTC()
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	switch p {
	case Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case Month:
		return day.AddDate(0, 0, 1-day.Day())
	}
	return day
}

// next is when the next period begins; zero where none does.
func (p Period) next(now time.Time) time.Time {
	switch p {
	case Day:
		return p.start(now).AddDate(0, 0, 1)
	case Week:
		return p.start(now).AddDate(0, 0, 7)
	case Month:
		return p.start(now).AddDate(0, 1, 0)
	}
	return time.Time{}
}

// Limit is how much of a currency may be spent in a period.
type Limit struct {
	Money
	Period Period
}

// Limits are the spending limits of a store; each counts. In a currency without a limit for days,
// weeks or months nothing is bought.
type Limits []Limit

// isMoney is an amount and its currency, with or without a space.
var isMoney = regexp.MustCompile(`^([0-9]{1,10})(?:\.([0-9]{1,8}))? ?([A-Za-z]{3})$`)

// ParseMoney reads an amount, as 0.05USD.
func ParseMoney(text string) (Money, error) {
	parts := isMoney.FindStringSubmatch(text)
	if parts == nil {
		return Money{}, fmt.Errorf("%.40q is no amount of money; write the amount and its currency, like 0.05USD", text)
	}
	amount, err := strconv.ParseInt(parts[1]+parts[2]+strings.Repeat("0", 8-len(parts[2])), 10, 64)
	return Money{amount, strings.ToUpper(parts[3])}, err
}

// ParseLimit reads a limit for days, weeks or months, as 20USD/month.
func ParseLimit(text string) (Limit, error) {
	amount, period, _ := strings.Cut(text, "/")
	l := Limit{Period: Period(strings.ToLower(strings.TrimSpace(period)))}
	var err error
	if l.Money, err = ParseMoney(strings.TrimSpace(amount)); err == nil && !l.Period.lasts() {
		err = fmt.Errorf("%.40q does not say for how long; write it like 5USD/day, 10USD/week or 20USD/month", text)
	}
	return l, err
}

// Check says what is wrong with limits together.
func (all Limits) Check() error {
	seen, lasting := map[[2]string]bool{}, map[string]bool{}
	for _, l := range all {
		key := [2]string{l.Currency, string(l.Period)}
		if seen[key] {
			return fmt.Errorf("there are two limits in %s for a %s; say one", l.Currency, l.Period)
		}
		seen[key] = true
		lasting[l.Currency] = lasting[l.Currency] || l.Period.lasts()
	}
	for currency, ok := range lasting {
		if !ok {
			return errors.New("a limit for a session or a purchase bounds nothing by itself, since a program can " +
				"begin another: say also what may be spent by the day, week or month, like --limit 5" + currency +
				"/month")
		}
	}
	return nil
}
