package owner

import (
	"cmp"
	"fmt"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/policy"
)

type termsShow struct {
	command.ConfigFlags
	JSON bool `name:"json" help:"Print a JSON object."`
}

// Help is the command's example.
func (termsShow) Help() string {
	return "The first rule that an item matches decides on it. Rules that an operator's programs put in at " +
		"/admin/content-rules stand behind those of the file, and before its last one " +
		"where that is for everything else.\n\nExample:\n\n\tfrontdesk terms show"
}

// shownRule is a rule in its place, as `frontdesk terms show --json` prints it.
type shownRule struct {
	Rule     int    `json:"rule"`           // from 1
	Line     int    `json:"line,omitempty"` // in the file
	Named    string `json:"named,omitempty"`
	Asks     string `json:"asks"`
	Decision string `json:"decision"`
}

// shownPrice is what licensed items of a site cost where no rule says so.
type shownPrice struct {
	Site  string `json:"site"`
	Price string `json:"price"`
}

// Run lists the rules.
func (c termsShow) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	program, rules, err := openTerms(env, loaded.Config)
	if err != nil {
		return err
	}
	out := struct {
		Version string       `json:"version"`
		Rules   []shownRule  `json:"rules"`
		Prices  []shownPrice `json:"prices"`
	}{rules.Version(), []shownRule{}, []shownPrice{}}
	for _, r := range rules.Rules() {
		out.Rules = append(out.Rules, shownRule{r.Rule + 1, r.Line, r.Named, r.Conditions, r.Decision.String()})
	}
	if program != nil {
		defer program.Close()
		out.Prices = sitePrices(program)
	}
	if c.JSON {
		return command.PrintJSON(env, out)
	}
	c.print(env, loaded, rules, out.Prices)
	return nil
}

func sitePrices(program *app.App) (all []shownPrice) {
	for _, p := range program.Added().Prices {
		price, _ := p.Money() // it was checked before it was kept
		all = append(all, shownPrice{p.Site, price.String()})
	}
	return all
}

func (termsShow) print(env *command.Environment, loaded *app.Loaded, rules *policy.Terms, prices []shownPrice) {
	all := rules.Rules()
	if len(all) == 1 && all[0].Line == 0 && all[0].Named == "" {
		env.Print("No terms are configured, so everything is open.\n")
	} else {
		w := env.Table("Rule", "Asks for", "Decides")
		for _, r := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\n", place(loaded, r.Rule, r.Line, r.Named), command.Clean(r.Conditions),
				command.Clean(r.Decision.String()))
		}
		w.Flush()
	}
	for _, p := range prices {
		env.Print("\nLicensed items of the site %s whose rule names no price cost %s.\n", p.Site,
			cmp.Or(p.Price, "nothing"))
	}
}
