package frame

import (
	"net/http"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
)

// zones are offered to whoever names a time zone; every other of the IANA database can be written.
var zones = []string{
	"UTC", "Africa/Cairo", "Africa/Johannesburg", "Africa/Lagos", "America/Chicago", "America/Denver",
	"America/Los_Angeles", "America/Mexico_City", "America/New_York", "America/Sao_Paulo", "Asia/Dubai",
	"Asia/Hong_Kong", "Asia/Kolkata", "Asia/Seoul", "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney",
	"Europe/Amsterdam", "Europe/Berlin", "Europe/Istanbul", "Europe/Lisbon", "Europe/London", "Europe/Madrid",
	"Europe/Paris", "Europe/Rome", "Europe/Vienna", "Europe/Zurich", "Pacific/Auckland",
}

// Beginning is what the pages show on which somebody comes in by a link.
type Beginning struct {
	Code  string // of the link; empty while it is to be given
	Role  string // what the link is for
	Name  string
	Zone  string
	Zones []string
	Token string // what was made, shown this once
}

// begin draws a page of a beginning, with the form token of the browser.
func (f *Frame) begin(w http.ResponseWriter, r *http.Request, status int, b Beginning, problem string) {
	secret := f.formSecret(w, r)
	b.Zones = zones
	f.Show(w, r, status, Sheet{
		Title: f.say(r, "frame.begin"), Page: "begin", Body: b, CSRF: formToken(secret), Problem: Text(problem),
		Script: "begin.js",
	})
}

// showBegin asks for the code of a link. A script reads it from the fragment of the page's address,
// which no log and no other site ever sees.
func (f *Frame) showBegin(w http.ResponseWriter, r *http.Request) {
	f.begin(w, r, http.StatusOK, Beginning{}, "")
}

// takeBegin takes the code of a link, and then what somebody says of themselves. The browser that
// gives the code first has the link alone: the secret of its form stands for it.
func (f *Frame) takeBegin(w http.ResponseWriter, r *http.Request) {
	form, err := r.Cookie(formCookie)
	if err != nil || f.ours(r, form.Value) != nil {
		f.begin(w, r, http.StatusForbidden, Beginning{}, f.say(r, "frame.form_foreign"))
		return
	}
	given := Beginning{
		Code: r.PostForm.Get("code"), Name: r.PostForm.Get("name"), Zone: r.PostForm.Get("zone"),
	}
	if !r.PostForm.Has("name") {
		var link identity.Invitation
		link, err = f.Logins.Take(r.Context(), given.Code, form.Value)
		given.Role, given.Name, given.Zone = link.Role, link.Name, "UTC"
		f.began(w, r, given, err)
		return
	}
	token, secret, in, err := f.Logins.Accept(r.Context(), given.Code, form.Value,
		identity.Person{Name: given.Name, Zone: given.Zone}, f.Session)
	if err != nil {
		if fail.From(err).Code == fail.Invalid {
			link, _ := f.Logins.Take(r.Context(), given.Code, form.Value) // for the page alone
			given.Role = link.Role
		}
		f.began(w, r, given, err)
		return
	}
	f.Note(r, in, "came in by a link")
	f.setCookie(w, r, formCookie, "", -1)
	f.setSession(w, r, secret, int(f.Session.Seconds()))
	v := f.visit(r, in, secret)
	f.Show(w, r, http.StatusOK, v.Sheet(f.say(r, "frame.begun"), "begun", Beginning{Role: in.Role, Token: token}))
}

// began draws what comes after a code or a name was given: the next form, or what is wrong.
func (f *Frame) began(w http.ResponseWriter, r *http.Request, given Beginning, err error) {
	switch code := fail.From(err).Code; {
	case err == nil:
		f.begin(w, r, http.StatusOK, given, "")
	case code == fail.Invalid:
		f.begin(w, r, http.StatusBadRequest, given, f.say(r, "frame.begin_wrong"))
	case code == fail.Unauthorized && f.suspect(r):
		f.begin(w, r, http.StatusTooManyRequests, Beginning{}, f.say(r, "frame.token_often"))
	case code == fail.Unauthorized:
		f.failed(r)
		f.begin(w, r, http.StatusUnauthorized, Beginning{}, f.say(r, "frame.link_wrong"))
	default:
		comeBack(w, err)
		f.begin(w, r, http.StatusServiceUnavailable, given, f.say(r, "frame.token_unknown"))
	}
}
