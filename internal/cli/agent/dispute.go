package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
)

// Dispute disputes something bought, and follows what comes of it.
type Dispute struct {
	File string `arg:"" help:"The purchase that fetch or buy kept with --save."`
	BuyerFlags
	ReportID    string        `name:"report-id" placeholder:"ID" help:"The id of the report on it, as frontdesk ramp report tells it. Without it, the one that the file has."`
	Reason      string        `required:"" enum:"delivery-failed,content-mismatch,incomplete-content,wrong-content,expired-before-fetch" help:"${enum}."`
	Hash        string        `placeholder:"HEX" help:"The SHA-256 of what came; or its simhash-v1, as simhash-v1:HEX, where the offer tells that."`
	Description string        `placeholder:"TEXT" help:"What happened, for people."`
	Redelivery  bool          `help:"Rather fetch it again than be paid back, where that can be."`
	Appeal      string        `placeholder:"ID" help:"Appeal against the decision of this dispute."`
	ID          string        `name:"id" placeholder:"ID" help:"The id of the request; sent again under it, it says where the dispute stands."`
	Follow      bool          `help:"Ask again until it is decided."`
	Every       time.Duration `default:"1m" placeholder:"SPAN" help:"How often (${default})."`
}

// Help is the command's example.
func (Dispute) Help() string {
	return "Report its use first, also that nothing could be used of it.\n\nExample:\n\n" +
		"\tfrontdesk ramp dispute lamp.json --reason delivery-failed --follow"
}

// Run disputes, and follows.
func (c Dispute) Run(env *command.Environment) error {
	p, err := readPurchase(c.File)
	if err == nil && p.Transaction() == "" {
		err = fmt.Errorf("%s holds a purchase that is not known to be made; go on with it by "+
			"`frontdesk ramp fetch --resume`", c.File)
	}
	if err != nil {
		return err
	}
	if c.ReportID = cmp.Or(c.ReportID, p.Reported); c.ReportID == "" {
		return fmt.Errorf("%s has no report on its use; report it first, by `frontdesk ramp report`, "+
			"or name the report by --report-id", c.File)
	}
	reason, err := client.ParseDisputeReason(c.Reason)
	if err != nil {
		return command.Usage("--reason %s", err)
	}
	x, err := c.open(env, p.Exchange)
	if err != nil {
		return err
	}
	d := client.Dispute{ID: c.ID, ReportID: c.ReportID, Reason: reason, Hash: c.Hash, Description: c.Description,
		PreferRedelivery: c.Redelivery, Appeal: c.Appeal}
	bought := &client.Bought{Offer: p.Offer, Result: p.Result}
	stands, err := x.Dispute(env.Ctx, bought, &d)
	for err == nil && c.Follow && !stands.Decided() {
		fmt.Fprintf(env.Stderr, "%s: %s\n", command.Clean(stands.ID), strings.ToLower(stands.Status))
		select {
		case <-env.Ctx.Done():
			return env.Ctx.Err()
		case <-time.After(c.Every):
		}
		stands, err = x.Dispute(env.Ctx, bought, &d)
	}
	if err != nil {
		return explainedExchange(err)
	}
	out := json.NewEncoder(env.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(stands)
}
