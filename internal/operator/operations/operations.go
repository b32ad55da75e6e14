// Package operations lists all operations, from whichever package they are, for the ways in:
// package api, the console and the command line. A package of operations has a row in All.
package operations

import (
	"reflect"
	"slices"

	"frontdesk/internal/operator"
	"frontdesk/internal/operator/access"
	"frontdesk/internal/operator/inbox"
	"frontdesk/internal/operator/receipts"
)

// All are all operations.
func All() []operator.Operation {
	return slices.Concat(operator.Operations(), access.Operations, receipts.Operations, inbox.Operations)
}

// Of gives the operation that is told what a type says.
func Of(in reflect.Type) operator.Operation {
	for _, one := range All() {
		if one.In == in {
			return one
		}
	}
	panic("operations: no operation is told " + in.String())
}
