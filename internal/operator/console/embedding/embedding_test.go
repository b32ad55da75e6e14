package embedding

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/infra/fetch"
)

func TestSnippetIsWhatWasChosen(t *testing.T) {
	t.Parallel()
	const left = `<frontdesk-ask mode="launcher" position="bottom-left">Ask us</frontdesk-ask>`
	for form, want := range map[string]string{
		"":                                 `<frontdesk-ask mode="launcher">Ask us</frontdesk-ask>`,
		"mode=inline&label=Find+%3Cit%3E":  `<frontdesk-ask>Find &lt;it&gt;</frontdesk-ask>`,
		"position=bottom-left":             left,
		"mode=modal&position=bottom-left":  `<frontdesk-ask mode="modal" for="#ask">Ask us</frontdesk-ask>`,
		`mode="><script>&position=up`:      `<frontdesk-ask mode="launcher">Ask us</frontdesk-ask>`,
		"label=" + strings.Repeat("a", 61): `<frontdesk-ask mode="launcher">Ask us</frontdesk-ask>`,
	} {
		given, err := url.ParseQuery(form)
		if got := choiceOf(given, "Ask us").element(); err != nil || got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
}

func TestStyleSheetHasAColourAndNothingElse(t *testing.T) {
	t.Parallel()
	for accent, want := range map[string]string{
		"#7a1f3d": "frontdesk-ask { --frontdesk-accent: #7a1f3d; }", usualAccent: "", "": "", "red": "",
		"#7a1f3d; } body { display: none": "",
	} {
		if got := choiceOf(url.Values{"accent": {accent}}, "").style(); got != want {
			t.Errorf("%q: %q, want %q", accent, got, want)
		}
	}
}

const shop, mobile = "https://www.shop.example", "https://m.shop.example"

const whole = `<script type="module" src="https://desk.example.com/widget/v1/frontdesk-ask.js"></script>` +
	`<frontdesk-ask></frontdesk-ask>`

func TestPageIsReadAndToldWhatItLacks(t *testing.T) {
	t.Parallel()
	good := fetch.Response{Status: 200, Body: []byte(whole)}
	for name, row := range map[string]struct {
		origins []string
		answer  fetch.Response
		err     error
		fits    bool
		origin  string
		wrong   string
	}{
		"fits":            {origins: []string{"*"}, answer: good, fits: true},
		"allowed by name": {origins: []string{shop}, answer: good, fits: true},
		"not allowed":     {answer: good, origin: shop},
		"nothing on it":   {origins: []string{"*"}, answer: fetch.Response{Status: 200}},
		"not there":       {origins: []string{"*"}, answer: fetch.Response{Status: 404}, wrong: "status 404"},
		"not to be had":   {origins: []string{"*"}, err: errors.New("refused"), wrong: "refused"},
		"another's answer": {
			answer: fetch.Response{Status: 200, URL: mobile + "/", Body: []byte(whole)}, origin: mobile,
		},
	} {
		get := func(_ context.Context, r fetch.Request) (*fetch.Response, error) {
			if r.Own || r.MaxBytes == 0 || r.Header.Get("Accept") != "text/html" {
				t.Errorf("%s: asked by %+v", name, r)
			}
			answer := row.answer
			if answer.URL == "" {
				answer.URL = r.URL
			}
			answer.Header = http.Header{}
			return &answer, row.err
		}
		p := &pages{config: Config{Origins: row.origins, Fetch: get}}
		page, _ := url.Parse(shop + "/a")
		got := p.read(t.Context(), page, "https://desk.example.com")
		if got.Fits != row.fits || got.Origin != row.origin || got.Wrong != row.wrong {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCodeHasItsMarksInThreeCorners(t *testing.T) {
	t.Parallel()
	code := codeOf("https://desk.example.com/")
	last := code.Size - 5
	for _, at := range [][2]int{{4, 4}, {last, 4}, {4, last}} {
		if dot := fmt.Sprintf("M%d %dh1v1h-1z", at[0], at[1]); !strings.Contains(code.Dots, dot) {
			t.Errorf("there is no dot at %v: %s", at, code.Dots)
		}
	}
	if corner := fmt.Sprintf("M%d %dh1", code.Size-1, code.Size-1); strings.Contains(code.Dots, corner) {
		t.Error("the code has no margin")
	}
	if codeOf(strings.Repeat("a", 5000)) != nil {
		t.Error("an address has a code that is too long for one")
	}
}
