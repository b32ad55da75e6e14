package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/yamlconf"
)

// Fetch buys and fetches the licensed text of an address or of an answer.
type Fetch struct {
	What []string `arg:"" optional:"" name:"what" help:"The address of the content; or with --url, the question whose first answer that is for sale is wanted."`
	BuyerFlags
	URL      string   `placeholder:"URL" help:"The front desk to put the question to."`
	Token    string   `placeholder:"TOKEN" help:"With --url: the API key or access token to ask with; better in $$FRONTDESK_TOKEN."`
	Exchange string   `placeholder:"URL" help:"The Exchange to buy from. Without it, the one that the answer or the site's ramp.json names."`
	Max      string   `placeholder:"AMOUNT" help:"Pay no more than this, like 0.05USD. Without it, nothing is paid: only what is free or under a subscription is taken."`
	Use      []string `placeholder:"FUNCTION" help:"What it is for: ai-input (without any), search, ai-index, ai-train; may be repeated."`
	Accept   []string `placeholder:"TYPE" help:"The media type that is wanted, such as text/markdown; may be repeated, the best first."`
	Yes      bool     `help:"Buy without asking."`
	Out      string   `placeholder:"FILE" help:"Write the content here; without it, to standard output."`
	Save     string   `placeholder:"FILE" help:"Keep the purchase here, from before it is made: --resume goes on with it, and reporting its use needs it."`
	Resume   string   `placeholder:"FILE" help:"Go on with the purchase in this file, which buys nothing twice."`
	Later    bool     `help:"Do not report the use; frontdesk ramp report does."`
	Quantity int      `placeholder:"NUMBER" help:"How much of the offer's unit is used, for the report; needed where not the access is sold."`
	usageFlags
}

// Help is the command's example.
func (Fetch) Help() string {
	return "One command from the question to the licensed text: it finds the Exchange, takes the cheapest offer that " +
		"fits, buys, fetches, holds what came against its hash, and reports the use.\n\n" +
		"Examples:\n\n\tfrontdesk ramp fetch https://www.example.com/premium/lamp --max 0.05USD " +
		"--as buyer.example.com/research-bot --save lamp.json > lamp.txt\n" +
		"\tfrontdesk ramp fetch --url https://www.example.com \"how are oil lamps trimmed?\" --max 0.05USD " +
		"--as buyer.example.com/research-bot\n" +
		"\tfrontdesk ramp fetch --resume lamp.json --as buyer.example.com/research-bot > lamp.txt"
}

// Run fetches.
func (c Fetch) Run(env *command.Environment) error {
	if (len(c.What) == 0) == (c.Resume == "") {
		return command.Usage("name the address of the content, or a question with --url, or a purchase with --resume")
	}
	f := client.Fetching{Uses: c.Use, Accept: c.Accept, Exchange: c.Exchange, Later: c.Later}
	var err error
	if f.Most, err = ParsePrice("--max", c.Max); err != nil {
		return err
	}
	use, err := c.use(c.Use)
	if err != nil {
		return err
	}
	f.Use = func(*client.Content) client.Use { return use }
	if c.Quantity > 0 {
		f.Count = func(*client.Content) int { return c.Quantity }
	}
	f.Before = func(p *client.Purchase) error { return c.agree(env, p) }
	if c.Resume != "" {
		return c.resume(env, f)
	}
	address, item, err := c.place()
	if err != nil {
		return err
	}
	desk, err := c.desk(env, address)
	if err != nil {
		return err
	}
	if c.URL != "" {
		if item, err = c.ask(env, desk); err != nil {
			return err
		}
	}
	got, err := desk.Fetch(env.Ctx, item, f)
	return c.end(env, got, err)
}

// place is the front desk that is asked, and the item where its address is given.
func (c Fetch) place() (address string, item client.Result, err error) {
	if c.URL != "" {
		return c.URL, item, nil
	}
	u, err := url.Parse(c.What[0])
	if len(c.What) > 1 || err != nil || u.Host == "" {
		return "", item, command.Usage("%s is no address of content; for a question, name the front desk with --url",
			strings.Join(c.What, " "))
	}
	return u.Scheme + "://" + u.Host, client.Result{URL: c.What[0]}, nil
}

// desk is a client of a front desk, as the buyer.
func (c Fetch) desk(env *command.Environment, address string) (*client.Client, error) {
	buyer, err := c.AsBuyer(env)
	if err != nil {
		return nil, err
	}
	options, err := c.options(env)
	if err != nil {
		return nil, err
	}
	options.Buyer, options.Token = buyer, client.StaticToken(env.Token(c.Token))
	desk, err := client.New(address, options)
	if err != nil {
		return nil, command.Usage("%s", err)
	}
	return desk, nil
}

// ask puts the question, and gives the first result that is for sale, or where none says so, the
// first.
func (c Fetch) ask(env *command.Environment, desk *client.Client) (client.Result, error) {
	answer, err := desk.Ask(env.Ctx, client.Question{Text: strings.Join(c.What, " "), NoQuestions: true})
	var failure *client.Failure
	if errors.As(err, &failure) {
		return client.Result{}, told(failure)
	}
	if err != nil {
		return client.Result{}, err
	}
	if len(answer.Results) == 0 {
		return client.Result{}, errors.New("nothing was found; put the question in other words")
	}
	item := answer.Results[max(0, slices.IndexFunc(answer.Results, client.Result.ForSale))]
	fmt.Fprintf(env.Stderr, "%s\n%s\n", command.Clean(item.Name), command.Clean(item.URL))
	return item, nil
}

// agree shows what is about to be bought, asks, and keeps it.
func (c Fetch) agree(env *command.Environment, p *client.Purchase) error {
	fmt.Fprintf(env.Stderr, "%s, of %s\n", describedOffer(p.Offer), command.Clean(p.Exchange))
	if !c.Yes && client.CostOf(p.Offer).Amount > 0 {
		if _, err := command.Confirmed(env, "Buy it?"); err != nil {
			return err
		}
	}
	return keepPurchase(c.Save, p)
}

// resume goes on with a purchase.
func (c Fetch) resume(env *command.Environment, f client.Fetching) error {
	p, err := readPurchase(c.Resume)
	if err != nil {
		return err
	}
	if p.ID == "" {
		return fmt.Errorf("%s holds no purchase that could be gone on with; it needs one that "+
			"`frontdesk ramp fetch --save` wrote", c.Resume)
	}
	if c.Save == "" {
		c.Save = c.Resume
	}
	desk, err := c.desk(env, p.Exchange)
	if err != nil {
		return err
	}
	got, err := desk.Finish(env.Ctx, p, f)
	return c.end(env, got, err)
}

// end keeps the purchase as it is by now, writes what came of it, and says what went wrong.
func (c Fetch) end(env *command.Environment, got *client.Licensed, err error) error {
	var unfinished *client.Unfinished
	switch {
	case got != nil:
		fmt.Fprintf(env.Stderr, "%s\n", describedPurchase(got.Purchase))
		if err := keepPurchase(c.Save, got.Purchase); err != nil {
			return err
		}
	case errors.As(err, &unfinished):
		if err := keepPurchase(c.Save, unfinished.Purchase); err != nil {
			return err
		}
	}
	if got != nil && got.Content != nil {
		return writeContent(env, c.Out, got.Content, err)
	}
	return explainedExchange(err)
}

// describedPurchase is a purchase in a line.
func describedPurchase(p *client.Purchase) string {
	price := "nothing"
	if cost := p.Cost(); cost.Amount > 0 {
		price = cost.String()
	}
	text := fmt.Sprintf("Bought for %s: %s", price, p.Transaction())
	switch {
	case p.Reported != "":
		text += "; its use is reported: " + p.Reported
	case p.Owes():
		text += "; its use is to be reported"
		if fields := p.MustSay(); len(fields) > 0 {
			text += " with " + strings.Join(fields, ", ")
		}
		if r := p.Offer.GetReporting(); r.GetWindow() != nil {
			text += " within " + yamlconf.Span(r.GetWindow().AsDuration().Truncate(time.Second))
		}
	}
	return command.Clean(text)
}

// writeContent writes what was delivered into a file, or to standard output without one, and gives
// what is wrong with it. What is not what was offered, or was changed on its way, is not written:
// whoever reads it in a pipe would use it.
func writeContent(env *command.Environment, file string, content *client.Content, wrong error) error {
	if errors.Is(wrong, client.ErrOtherContent) || errors.Is(wrong, client.ErrDamaged) {
		return fmt.Errorf("%w (nothing was written)", explainedExchange(wrong))
	}
	if content.Near {
		fmt.Fprintf(env.Stderr, "These are nearly the words that were offered (simhash-v1, %d of 64 bits differ); "+
			"what was changed in them nobody can tell by that.\n", content.Distance)
	}
	if !content.Offered && !content.Digested && !content.Near {
		fmt.Fprintln(env.Stderr, "Nothing tells whether this is all that was sent, and what was offered: "+
			"it came without a digest, and the offer has no hash of this form.")
	}
	err := error(nil)
	if file != "" {
		err = os.WriteFile(file, content.Body, 0o644)
	} else {
		_, err = env.Stdout.Write(content.Body)
		if err == nil && command.IsTerminal(env.Stdout) && !bytes.HasSuffix(content.Body, []byte("\n")) {
			_, err = env.Stdout.Write([]byte("\n")) // for who reads it: a pipe gets what was sold, byte for byte
		}
	}
	if err != nil {
		return err
	}
	return explainedExchange(wrong)
}

// keepPurchase writes a purchase into a file; into none without a name. A file is replaced as a
// whole, since it is what nothing is bought twice by.
func keepPurchase(file string, p *client.Purchase) error {
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	// for this user alone: its address opens to whoever has it
	part, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.part")
	if err != nil {
		return err
	}
	_, err = part.Write(append(text, '\n'))
	if err = errors.Join(err, part.Sync(), part.Close()); err == nil { // on the disk before anything is bought
		err = os.Rename(part.Name(), file)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return err
}

// readPurchase reads a purchase that keepPurchase wrote.
func readPurchase(file string) (*client.Purchase, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &client.Purchase{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s holds no purchase; name the file that `frontdesk ramp fetch` or "+
			"`frontdesk ramp buy` wrote with --save", file)
	}
	return p, nil
}

// isPrice is an amount and its currency, with or without a space.
var isPrice = regexp.MustCompile(`^([0-9]+(?:\.[0-9]{1,8})?) ?([A-Za-z]{3})$`)

// ParsePrice reads a price that a flag has; none is nothing.
func ParsePrice(flag, text string) (client.Price, error) {
	if text == "" {
		return client.Price{}, nil
	}
	parts := isPrice.FindStringSubmatch(text)
	if parts == nil {
		return client.Price{}, command.Usage("%s %s is no price; write an amount and its currency, like 0.05USD",
			flag, text)
	}
	amount, err := strconv.ParseFloat(parts[1], 64)
	return client.Price{Amount: amount, Currency: strings.ToUpper(parts[2])}, err
}
