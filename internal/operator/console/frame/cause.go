package frame

import (
	"errors"
	"html/template"

	"frontdesk/internal/infra/fail"
)

// causeKey begins the keys of causes, by the words of [fail.Cause].
const causeKey = "cause"

// Text is a text for a place that takes HTML.
func Text(text string) template.HTML { return template.HTML(template.HTMLEscapeString(text)) }

// English is what a program said in English, marked as that.
func English(text string) template.HTML { return `<bdi lang="en">` + Text(text) + `</bdi>` }

// why is what an error says to people. One of the pages is in their language already.
func (s speech) why(err error) template.HTML {
	var own *Fault
	if errors.As(err, &own) {
		return Text(must(s.say(own.key, own.args...)))
	}
	known := fail.From(err)
	return s.because(fail.Cause(known), known.Detail)
}

// because says what something comes of, in the language of whoever reads it, and behind it what a
// program said of that in English. Who reads English gets that alone.
func (s speech) because(cause, detail string) template.HTML {
	if s.Language() == "en" && detail != "" {
		return Text(detail)
	}
	key := causeKey + "_" + ending(cause)
	if s.words[key] == nil {
		key = causeKey + "_other"
	}
	says := Text(must(s.say(key)))
	if detail == "" {
		return says
	}
	return says + " " + English(detail)
}
