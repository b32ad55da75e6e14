// Package operator has what an owner or an operator does with a front desk, each written once: an
// operation is a struct whose fields are what it is told and whose method Do carries it out. Tags
// of the fields name them for each way in:
//
//	path, query, json   the address and the body of a request under /admin (package api)
//	arg, name, help...  arguments and flags of the command line, as kong reads them
//	column, cli         of a result: its column in a table, and its member in the command's JSON
//	form, label, input  the inputs of the console's forms (package console)
//
// What changes something is recorded in the ledger, in the transaction that changes it, as the
// doing of [Actor].
package operator

import (
	"context"
	"reflect"
	"time"

	"frontdesk/internal/ask/questions"
	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake"
	"frontdesk/internal/ledger"
	"frontdesk/internal/ledger/sharing"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/operator/settings"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
)

// Operator is what operations read and change. What a configuration switches off is nil.
type Operator struct {
	DB         *store.DB
	Requesters *requesters.Registry
	Callers    *requesters.PushClients
	Tenants    *push.Tenants
	Shelves    *push.Store
	Deliveries *identity.DeliveryKeys // which sign addresses for others
	Books
	Cases     Cases
	Rules     Rules
	Terms     ownerterms.Terms
	Answers   Answers
	Tuning    Tuning
	Content   Content
	Questions *questions.Store // nil where none are kept
	Visitors  visitors.Book    // who comes, and what the owner says of them
	Keys      *keyring.Ring    // of every kind, and people at the console
	Settings  settings.Book
	Intakes   *intake.Service // of what agents submit; nil where nothing is taken in
	Hosting
	Now func() time.Time
}

// Books are the accounts of buyers, and the ledger.
type Books struct {
	Ledger   *ledger.Ledger
	Sharing  sharing.Links // of receipts
	Accounts *accounts.Ledger
	Balances *accounts.Reader
}

// Hosting is whose content is at which host, and who delivers it.
type Hosting struct {
	// Known gives the id of a tenant, or of a site that is served here, by its id or one of
	// its hosts.
	Known func(name string) (id string, ok bool)
	// Host gives a domain in the form in which the catalog has hosts; ok is false for what is
	// none.
	Host func(domain string) (host string, ok bool)
	// Places are those who deliver for a site or a tenant, by their names, with the form of their
	// addresses. Among those of a tenant is push.PlaceOf its id, with an empty form where nobody
	// delivers.
	Places func(id string) map[string]sign.URLForm
}

// selling refuses operations that only an Exchange has.
func (o *Operator) selling() error {
	if o.Tenants == nil {
		return fail.New(fail.Invalid, "this front desk is no Exchange; set ramp.enabled in the configuration")
	}
	return nil
}

// change runs fn in a transaction that locks a name. The ledger learns of each change.
func (o *Operator) change(ctx context.Context, name string, fn func(tx *store.Tx, now time.Time) error) error {
	run := func(tx *store.Tx) error { return fn(tx, o.Now().UTC().Truncate(time.Microsecond)) }
	return o.DB.UpdateBatched(ctx, []string{name}, run)
}

type actorKey struct{}

// WithActor names who does what is done in a context: the id of a key as the ledger has it.
// Commands name nobody.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// Actor is who does something; empty for the command line.
func Actor(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}

// Operation is one operation, with what the ways in need to know of it.
type Operation struct {
	ID      string // in the OpenAPI description
	Method  string // of the request; empty where it is not called over HTTP
	Path    string // its pattern
	Summary string
	In, Out reflect.Type
	Run     func(ctx context.Context, o *Operator, in any) (any, error) // in is a pointer to an In
	// Say tells what was done in a sentence; nil where the result is shown.
	Say func(in, out any) string
}

// Doer is what an operation is told, which carries it out.
type Doer[Out any] interface {
	Do(ctx context.Context, o *Operator) (Out, error)
}

// Checker is an operation that finds mistakes in what it is told, before anything is opened.
type Checker interface{ Check() error }

// Files reads what the command line names instead of saying.
type Files interface {
	ReadFile(name string) ([]byte, error)
	// ReadKeys reads a public key in base64, or a file named with @, which may be PEM or an
	// agent's document.
	ReadKeys(text string) ([]ramp.Key, error)
}

// FileReader is an operation that takes files of the command line.
type FileReader interface{ ReadFiles(Files) error }

// Fresh is a result that says whether something was made, instead of put in the place of another.
type Fresh interface{ Fresh() bool }

// BodyChecker is an operation that finds mistakes in the text of a request's body.
type BodyChecker interface{ CheckBody(body []byte) error }

// Bodiless is an operation to which a request may say nothing.
type Bodiless interface{ Bodiless() }

// Sealed is an operation on what agents submitted, which is sealed.
type Sealed interface{ Sealed() }

// Sized is an operation whose requests may have more bytes than others.
type Sized interface{ MaxBody() int64 }

// Accepted is a result of what is done later.
type Accepted interface{ Accepted() }

// Define makes an operation that is called by an address of a request.
func Define[In Doer[Out], Out any](id, method, path, summary string) Operation {
	op := Operation{
		ID: id, Method: method, Path: path, Summary: summary, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Run: func(ctx context.Context, o *Operator, in any) (any, error) {
			if c, ok := in.(Checker); ok {
				if err := c.Check(); err != nil {
					return nil, err
				}
			}
			return (*in.(*In)).Do(ctx, o)
		},
	}
	if _, says := any(*new(In)).(interface{ Say(Out) string }); says {
		op.Say = func(in, out any) string {
			return any(*in.(*In)).(interface{ Say(Out) string }).Say(out.(Out))
		}
	}
	return op
}

// Command makes an operation of the command line alone.
func Command[In Doer[Out], Out any]() Operation { return Define[In]("", "", "", "") }

// Operations are those of this package; package operations lists them with those of others.
func Operations() (all []Operation) {
	for _, some := range [][]Operation{
		requesterOperations, accountOperations, grantOperations, tenantOperations, callerOperations,
		domainOperations, disputeOperations, ruleOperations, signingKeyOperations, answerOperations, changedOperations,
		tuningOperations, questionOperations, contentOperations, termsOperations,
		visitorOperations, settingOperations,
	} {
		all = append(all, some...)
	}
	return all
}

// FieldError is a mistake in one field of what an operation is told.
type FieldError struct {
	Field, Problem string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// Unwrap is the mistake as requests are told of it.
func (e *FieldError) Unwrap() error { return fail.New(fail.Invalid, "%s", e.Error()) }

func invalid(format string, args ...any) error { return fail.New(fail.Invalid, format, args...) }

func wrong(field string, err error) error {
	if err == nil {
		return nil
	}
	return &FieldError{field, err.Error()}
}
