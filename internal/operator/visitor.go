package operator

import (
	"context"
	"fmt"

	"frontdesk/internal/identity/visitors"
)

const (
	visitorsPath = "/admin/visitors"
	visitorPath  = visitorsPath + "/{agent}"
)

// Which agents come, and how they are treated.
var visitorOperations = []Operation{
	Define[ListVisitors]("visitors", "GET", visitorsPath, "List which agents come, over every channel"),
	Define[ShowVisitor]("visitor", "GET", visitorPath,
		"Read what is known of an agent: by day, channel and how it is known"),
	Define[TreatVisitor]("treatVisitor", "PUT", visitorPath+"/treatment",
		"Allow, limit or block an agent, or ask it for a key"),
	Command[AllowVisitor](), Command[LimitVisitor](), Command[AskVisitor](), Command[BlockVisitor](),
}

// VisitorRange is of which days visits are told.
type VisitorRange struct {
	Range string `json:"-" query:"range" help:"Of the last days: 7d, 30d or 90d; without it, 30d."`
}

// ListVisitors lists who came, those with the most visits first, and behind them those who are
// treated and did not come.
type ListVisitors struct {
	VisitorRange
	Search string `json:"-" query:"q" help:"What the agent's name or its operator has in it."`
	Printed
}

// VisitorList is who came.
type VisitorList struct {
	Visitors []visitors.Told `json:"visitors"`
}

// Empty is what the command says where nobody came.
func (ListVisitors) Empty() string { return "No agent has come yet." }

func (in ListVisitors) Do(ctx context.Context, o *Operator) (out VisitorList, err error) {
	out.Visitors, err = o.Visitors.List(ctx, in.Range, in.Search)
	return out, err
}

// VisitorName names an agent.
type VisitorName struct {
	Agent string `json:"-" path:"agent" arg:"" name:"agent" help:"The agent, as the list has it, such as GPTBot; the domain of an operator, such as openai.com; or others, for all programs that are not known."`
}

// ShowVisitor tells of an agent.
type ShowVisitor struct {
	VisitorName
	VisitorRange
}

func (in ShowVisitor) Do(ctx context.Context, o *Operator) (visitors.ToldDetails, error) {
	return o.Visitors.Get(ctx, in.Agent, in.Range)
}

// treat keeps what the owner says of an agent.
func (in VisitorName) treat(
	ctx context.Context, o *Operator, action visitors.Action, rate int,
) (visitors.Treated, error) {
	return o.Visitors.Treat(ctx, visitors.Treatment{Agent: in.Agent, Action: action, Rate: rate, By: Actor(ctx)})
}

// TreatVisitor says how an agent is treated.
type TreatVisitor struct {
	VisitorName
	Treatment string `json:"treatment" enum:"allow,limit,require_key,block"`
	Rate      int    `json:"requests_a_minute,omitempty"` // of limit
}

func (in TreatVisitor) Do(ctx context.Context, o *Operator) (visitors.Treated, error) {
	return in.treat(ctx, o, visitors.Action(in.Treatment), in.Rate)
}

// AllowVisitor lets an agent in, also where its operator is treated otherwise.
type AllowVisitor struct{ VisitorName }

func (in AllowVisitor) Do(ctx context.Context, o *Operator) (visitors.Treated, error) {
	return in.treat(ctx, o, visitors.Allow, 0)
}

// Say tells what holds.
func (AllowVisitor) Say(v visitors.Treated) string {
	return v.Agent + " is allowed, as far as the terms go."
}

// LimitVisitor bounds how often an agent may come.
type LimitVisitor struct {
	VisitorName
	Rate int `json:"-" required:"" placeholder:"N" help:"How many requests a minute it may send."`
}

func (in LimitVisitor) Do(ctx context.Context, o *Operator) (visitors.Treated, error) {
	return in.treat(ctx, o, visitors.Limit, in.Rate)
}

// Say tells what holds.
func (LimitVisitor) Say(v visitors.Treated) string {
	return fmt.Sprintf("%s may send %d requests a minute.", v.Agent, v.Rate)
}

// AskVisitor has an agent prove who it is.
type AskVisitor struct{ VisitorName }

func (in AskVisitor) Do(ctx context.Context, o *Operator) (visitors.Treated, error) {
	return in.treat(ctx, o, visitors.RequireKey, 0)
}

// Say tells what holds.
func (AskVisitor) Say(v visitors.Treated) string {
	return v.Agent + " is answered only where it proves who it is: by a signature, by its address or by a key."
}

// BlockVisitor refuses an agent.
type BlockVisitor struct{ VisitorName }

func (in BlockVisitor) Do(ctx context.Context, o *Operator) (visitors.Treated, error) {
	return in.treat(ctx, o, visitors.Block, 0)
}

// Say tells what holds.
func (BlockVisitor) Say(v visitors.Treated) string {
	return v.Agent + " is blocked, and so is who calls itself so."
}
