// Package transactions keeps the facts of RAMP's trade: the offers that were made, what was bought by them, what was
// delivered, and what has to be reported of its use. It holds no money, which is account's, and decides nothing, which is desk's.
//
// It stands below desk, whose transactions its functions take part in, and above store, content and terms. An offer is
// forgotten some time after its end; what somebody must be able to prove later is in the ledger.
package transactions

import "frontdesk/internal/infra/store"

// Schema is the tables of this room. Times are microseconds.
//
// deal_offer has one row for each offer that was made, under the bytes of its id, which begin with the time of its end:
// rows are added and swept away in that order. facts is an Offer as JSON, document what the site has signed of it, and
// signature the 64 bytes of that. See also transactionTables, eventTables,
// requestTable, deliveryTables, leanTables, disputeTables, viaTable, usageColumn and useColumns.
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
