// Package transactions stores the facts of RAMP's trade: offers, purchases, deliveries, and the
// duties to report usage.
//
// Its functions run in the transactions of licensing/exchange and licensing/delivery. The package
// must not hold money, which is in accounts, and must not decide. An offer is deleted some time
// after its end; whatever somebody must be able to prove later is in the ledger. Enter by
// [PutOffers], [PutTransaction], [PutDelivery] and [NewReader].
package transactions

import "frontdesk/internal/infra/store"

// Schema is the tables of this package. Times are microseconds.
//
// deal_offer has one row for each offer that was made, under the bytes of its id, which begin with
// the time of its end: rows are added and swept away in that order. facts is an Offer as JSON,
// document what the site has signed of it, and signature the 64 bytes of that. See also
// transactionTables, eventTables, requestTable, deliveryTables, leanTables, disputeTables,
// viaTable, usageColumn and useColumns.
var Schema = store.Schema{
	ID: "deal",
	Steps: []string{`
CREATE TABLE deal_offer (
	id        {{bytes}} NOT NULL PRIMARY KEY,
	facts     {{bytes}} NOT NULL,
	document  {{bytes}} NOT NULL,
	signature {{bytes}} NOT NULL
);
`, transactionTables, eventTables, requestTable, deliveryTables, leanTables, disputeTables, viaTable, usageColumn, useColumns},
}
