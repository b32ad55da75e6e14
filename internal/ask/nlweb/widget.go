package nlweb

import (
	_ "embed"

	wire "frontdesk/wire/nlweb"
)

// Widget is how ChatGPT shows answers (NLWeb 0.55 §4).
type Widget struct {
	Template   string // URI of the template; empty for none
	Accessible bool   // whether it may call tools
}

// WidgetPage is a template that lists the items of an answer, for a Widget without one of the
// owner's.
//
//go:embed widget.html
var WidgetPage string

// WidgetType is the media type of a template, as ChatGPT wants it.
const WidgetType = "text/html+skybridge"

// dress names the widget in the _meta of an answer in the format chatgpt_app.
func (x *exchange) dress(w Widget) {
	if w.Template != "" && x.meta.ResponseFormat == wire.FormatChatGPT {
		x.meta.OutputTemplate, x.meta.WidgetAccessible = w.Template, &w.Accessible
	}
}

// undress takes the widget back, from an answer that became a failure.
func (x *exchange) undress() { x.meta.OutputTemplate, x.meta.WidgetAccessible = "", nil }

// meta is what the list of tools says of the widget, nil for nothing: ChatGPT learns there which
// template shows a tool's results.
func (w Widget) meta() map[string]any {
	if w.Template == "" {
		return nil
	}
	return map[string]any{"openai/outputTemplate": w.Template, "openai/widgetAccessible": w.Accessible}
}
