package frame

import (
	"strings"

	"frontdesk/internal/policy"
)

// noCents are currencies without a smaller unit.
const noCents = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"

// Amount writes an amount of 1e-8 of a currency, with cents where it has them.
func Amount(units int64, currency string) string {
	text := policy.Amount(units)
	whole, cents, _ := strings.Cut(text, ".")
	if len(cents) >= 2 || cents == "" && strings.Contains(noCents, currency) && currency != "" {
		return text
	}
	return whole + "." + (cents + "00")[:2]
}
