package nlweb

import (
	"net/http"

	"frontdesk/internal/ask"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// StateHeader is the request's header with the state_token of a conversation, for Sessions.
const StateHeader = "Session-State"

// Sessions serves /sessions/{id}: DELETE forgets what is kept here of a conversation. It is an
// extension of ours.
func Sessions(d *ask.Service, config Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodDelete {
			w.Header().Set("Allow", "DELETE, OPTIONS")
			WriteError(w, r, fail.New(fail.Method,
				"%s is not for this address; DELETE it to have the conversation forgotten", r.Method))
			return
		}
		session := ask.Session{Conversation: r.PathValue("id"), State: r.Header.Get(StateHeader)}
		var err error
		if config.Nodes != nil {
			err = config.Nodes.Forget(r.Context(),
				wire.Session{ConversationID: session.Conversation, StateToken: session.State})
		} else {
			party, _ := identity.From(r.Context())
			err = d.Forget(r.Context(), party.ID, session)
		}
		if err != nil {
			WriteError(w, r, err)
			return
		}
		httpx.EventFrom(r.Context()).Set("response", "forgotten")
		w.Header()["Cache-Control"] = noStore
		w.WriteHeader(http.StatusNoContent)
	})
}
