package exchange

import (
	"cmp"
	"crypto/sha256"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
)

// Order is a request to buy offers (RAMP v1, ExecuteTransaction) of an identified requester.
type Order struct {
	Requester requesters.Requester
	ID        string            // which the requester gave it
	Digest    [sha256.Size]byte // of what is asked for, without signatures
	Items     []OrderItem
	// FetchAt is the address below which purchases are fetched; it ends in a slash.
	FetchAt string
	// User and Country are what the requester says of its use; empty for nothing.
	User, Country string
	// Functions are the uses that the requester declares, as terms name them; none if it declares
	// nothing.
	Functions []string
	// Licence is the licence or subscription that the requester names; empty for none.
	Licence string
	// Delegated is when the delegation ends that the requester says it acts under; zero for none.
	Delegated time.Time
	// Limited says that this request exceeds the rate of the requester.
	Limited bool
}

// declared is what an offer is bought for.
func (p *Order) declared(offer *transactions.Offer) []string {
	if len(p.Functions) > 0 {
		return p.Functions
	}
	return offer.Functions
}

// OrderItem is one offer to buy.
type OrderItem struct {
	Offer     string
	Signature []byte // nil for one that cannot be read
}

// OrderResult is the answer to an [Order], also to one that was answered before.
type OrderResult struct {
	Items []ItemResult // in the order of the offers
	// the hash that all of them are bound to; that of the requester where some are bound to a
	// licence, and others are not
	Agent string
	// Replayed says that the same request was answered before; nothing was bought again.
	Replayed bool
}

// bind makes Agent what all that was bought is bound to, where that is one.
func (p *OrderResult) bind() {
	one := ""
	for _, item := range p.Items {
		switch agent := item.Transaction.Agent; {
		case item.Denial != "":
		case one == "":
			one = agent
		case one != agent:
			return
		}
	}
	p.Agent = cmp.Or(one, p.Agent)
}

// ItemResult is the result of one offer: a transaction, or a denial.
type ItemResult struct {
	Offer string
	// Denial is why the offer was not bought; empty if it was.
	Denial      Denial
	Transaction transactions.Transaction // when it was
	URL         string                   // from which it can be fetched until Transaction.Expires
	Quotas      []Quota                  // of the subscription, as they are after the purchase
}

// Denial is why an offer is not sold (RAMP v1, DenialReason).
type Denial string

// The denials.
const (
	InvalidLicence      Denial = "invalid_license"
	ExpiredLicence      Denial = "expired_license"
	InsufficientBalance Denial = "insufficient_balance"
	TooManyPurchases    Denial = "rate_limited"
	ContentUnavailable  Denial = "content_unavailable"
	FunctionProhibited  Denial = "function_prohibited"
	GeoRestricted       Denial = "geo_restricted"
	ReportingOverdue    Denial = "reporting_overdue"
	OfferExpired        Denial = "offer_expired"
	SignatureInvalid    Denial = "signature_invalid"
	QuotaExceeded       Denial = "quota_exceeded"
	DelegationExpired   Denial = "delegation_expired"
	ScopeInsufficient   Denial = "scope_insufficient"
)

// refusals are the denials of what the book refuses.
var refusals = map[accounts.Reason]Denial{
	accounts.InsufficientBalance: InsufficientBalance, accounts.InvalidLicence: InvalidLicence,
	accounts.ExpiredLicence: ExpiredLicence, accounts.QuotaExceeded: QuotaExceeded,
}
