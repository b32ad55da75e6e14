package accounts

import "frontdesk/internal/policy"

// Charging says when money moves for a purchase.
type Charging string

// When money moves.
const (
	Never      Charging = "never"       // nothing is paid in money
	AtPurchase Charging = "at purchase" // the amount is known, and charged at once
	OnReport   Charging = "on report"   // what was estimated is held, what is reported is charged
	AfterSale  Charging = "after sale"  // nothing is held, a share of what is reported is charged
)

// Model is how a pricing model is charged.
type Model struct {
	// Authorised is what must be available at the purchase: "nothing", "rate", or "rate ×
	// quantity", where quantity is the estimate, 1 without one.
	Authorised string
	Charging   Charging
	// Fields are what a report must say for this model whatever the owner asks for, as RAMP v1's
	// required_fields has them. An obligation to report that Fields make is there even where the
	// owner's terms ask for no report.
	Fields []string
	// Grants is what the buyer is given beside the resource: "licence", "subscription" or nothing.
	Grants string
}

// What models grant.
const (
	GrantLicence      = "licence"
	GrantSubscription = "subscription"
)

const (
	nothing = "nothing"
	once    = "rate"
	metered = "rate × quantity"
)

// Models is, by the name that terms have for it, what is authorised, charged, settled and reported:
//
//	model          at purchase                    by the report            without one in time
//	per_access     rate charged                   -                        -
//	per_fetch      rate charged                   -                        -
//	per_token      rate × estimate held           rate × reported charged  what is held is charged
//	per_page       rate × estimate held           rate × reported charged  what is held is charged
//	per_minute     rate × estimate held           rate × reported charged  what is held is charged
//	  measured     rate × estimate held           rate × minutes begun     as by the report
//	per_record     rate × estimate held           rate × reported charged  what is held is charged
//	subscription   rate charged, subscription     -                        -
//	training       rate charged, licence          -                        -
//	revenue_share  nothing; an account must be    share × revenue charged  -
//	free           nothing                        -                        -
//	attribution    nothing                        -                        -
//	contribution   nothing: it asks, and demands  -                        -
//
// Where - stands, nothing moves. What is held and not charged is given back. A share of revenue is
// charged late or not. The report of attribution must say what was attributed.
//
// And `flat`, which our terms have beside RAMP's twelve, is as per_access. What is charged on a
// report is at most what was authorised, and where the report is further off the estimate than the
// tolerance, at least as much as the tolerance allows (docs/accounts.md). Under a subscription, and
// under a licence that has the model paid, nothing is authorised or charged, whatever the model.
// Measured is what was bought with Charge.Timed.
var Models = map[string]Model{
	"per_access":    {Authorised: once, Charging: AtPurchase},
	"per_fetch":     {Authorised: once, Charging: AtPurchase},
	"flat":          {Authorised: once, Charging: AtPurchase},
	"per_token":     {Authorised: metered, Charging: OnReport, Fields: []string{fieldQuantity}},
	"per_page":      {Authorised: metered, Charging: OnReport, Fields: []string{fieldQuantity}},
	"per_minute":    {Authorised: metered, Charging: OnReport, Fields: []string{fieldQuantity}},
	"per_record":    {Authorised: metered, Charging: OnReport, Fields: []string{fieldQuantity}},
	"subscription":  {Authorised: once, Charging: AtPurchase, Grants: GrantSubscription},
	"training":      {Authorised: once, Charging: AtPurchase, Grants: GrantLicence},
	"revenue_share": {Authorised: nothing, Charging: AfterSale, Fields: []string{fieldRevenue}},
	"free":          {Authorised: nothing, Charging: Never},
	"attribution":   {Authorised: nothing, Charging: Never, Fields: []string{fieldAttribution}},
	"contribution":  {Authorised: nothing, Charging: Never},
}

// The fields of reports that models ask for.
const (
	fieldQuantity    = "consumed_quantity"
	fieldAttribution = "attribution"
	// a key of the report's ext, {"amount": 12.5, "currency": "USD"}: no field of the protocol has
	// it
	fieldRevenue = "ramp.revenue"
)

// Value is what a purchase of an estimated quantity costs that nothing makes cheaper; a quantity of
// 0 is an unknown one. It is 0 for what is not paid in money, and for a share of what is not earned
// yet.
func Value(price policy.Money, quantity int64) int64 {
	switch Models[price.Model].Authorised {
	case once:
		return Product(price.Rate, 1)
	case metered:
		return Product(price.Rate, max(quantity, 1))
	}
	return 0
}
