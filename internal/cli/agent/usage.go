package agent

import (
	"frontdesk/client"
	"frontdesk/internal/cli/command"
	compv1 "frontdesk/wire/comp/v1"
	rampv1 "frontdesk/wire/ramp/v1"
)

// usageFlags say how something bought was used, beside how much of it.
type usageFlags struct {
	SubUse       []string `name:"sub-use" placeholder:"NAME" help:"More closely what for: training, rag, grounding, agent-view, agent-actions, other; may be repeated."`
	Shown        *bool    `negatable:"" help:"Whether people were shown it."`
	Cited        *bool    `negatable:"" help:"Whether the source was cited."`
	DisplayedURL []string `name:"displayed-url" placeholder:"URL" help:"The address that people were shown as the source, which an offer of the model attribution asks for; may be repeated."`
	Citation     string   `placeholder:"FORM" help:"How the source was named: link, footnote or inline."`
	Visible      bool     `default:"true" negatable:"" help:"People could see how the source was named."`
	Revenue      string   `placeholder:"AMOUNT" help:"What was earned with it, like 12.50USD, where the price is a share of that."`
}

// use is what the flags say of a use for some functions.
func (f usageFlags) use(functions []string) (u client.Use, err error) {
	for _, word := range functions {
		function, err := client.ParseFunction(word)
		if err != nil {
			return u, command.Usage("--use %s", err)
		}
		u.Functions = append(u.Functions, function)
	}
	for _, word := range f.SubUse {
		sub, err := client.ParseSubFunction(word)
		if err != nil {
			return u, command.Usage("--sub-use %s", err)
		}
		u.SubFunctions = append(u.SubFunctions, compv1.SubFunction(sub))
	}
	u.Shown, u.Cited = f.Shown, f.Cited
	if f.Revenue != "" {
		earned, err := ParsePrice("--revenue", f.Revenue)
		if err != nil {
			return u, err
		}
		u.Revenue = &earned
	}
	u.Attribution, err = f.attribution()
	return u, err
}

// attribution is how the source was named; none where no flag says so.
func (f usageFlags) attribution() (all []*rampv1.AttributionDetail, err error) {
	var format *rampv1.CitationFormat
	if f.Citation != "" {
		parsed, err := client.ParseCitation(f.Citation)
		if err != nil {
			return nil, command.Usage("--citation %s", err)
		}
		format = parsed.Enum()
	}
	for _, address := range f.DisplayedURL {
		all = append(all, &rampv1.AttributionDetail{DisplayedUrl: &address, Format: format, VisibleToUser: &f.Visible})
	}
	if len(all) == 0 && format != nil {
		all = append(all, &rampv1.AttributionDetail{Format: format, VisibleToUser: &f.Visible})
	}
	return all, nil
}
