package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
	"frontdesk/wire/receipt"
)

// openEvidence has logs of deliveries kept, by the sites whose hosts they name. Where there is one site alone, every host is its.
func (h *House) openEvidence(config Config) {
	hosts, all := map[string]string{}, config.AllSites()
	for _, site := range all {
		for _, name := range append([]string{site.URL}, site.Hosts...) {
			if host, ok := policy.Host(name); ok {
				hosts[host] = site.ID
			} else if host, ok := policy.Host("https://" + name); ok {
				hosts[host] = site.ID
			}
		}
	}
	h.ReadEvidence = accesslog.NewReader(h.db)
	h.imports = &accesslog.Importer{DB: h.db, SiteOf: func(host string) string {
		if len(all) == 1 {
			return all[0].ID
		}
		return hosts[host]
	}, OnAdded: func(ctx context.Context, tx *store.Tx, transactions []string) error {
		for _, id := range transactions {
			if err := disputes.Reconsider(ctx, tx, id, h.now()); err != nil {
				return err
			}
		}
		return nil
	}}
	h.sites = map[string]bool{}
	for _, site := range all {
		h.sites[site.ID] = true
	}
}

// evidenceFact is the body of an entry of the ledger on a log that was imported.
type evidenceFact struct {
	By    string `json:"by,omitempty"` // the key that sent it over HTTP; empty for the command
	Bad   int64  `json:"bad,omitzero"`
	Form  string `json:"form"`
	Kept  int64  `json:"kept"`
	Lines int64  `json:"lines"`
	Name  string `json:"name,omitempty"`
	Stray int64  `json:"stray,omitzero"`
	Whole bool   `json:"whole"` // it was read to its end
}

// ImportLog keeps what a log says of deliveries, as [accesslog.Importer.Import] does. The ledger tells of each import that has kept
// something.
func (h *House) ImportLog(ctx context.Context, in io.Reader, log accesslog.Source) (accesslog.ImportResult, error) {
	if log.Site != "" && !h.sites[log.Site] {
		return accesslog.ImportResult{}, fail.New(fail.Invalid, "there is no site %.60q here", log.Site)
	}
	told, err := h.imports.Import(ctx, in, log)
	if told.Added == 0 {
		return told, err
	}
	fact := evidenceFact{Bad: told.Unreadable, Form: string(told.Form), Kept: told.Added, Lines: told.Lines, Name: log.By, Stray: told.Stray, Whole: err == nil}
	fact.By = operator.Actor(ctx)
	body, failed := json.Marshal(fact)
	if failed == nil {
		record, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer stop()
		failed = h.db.Update(record, func(tx *store.Tx) error {
			_, err := h.Ledger.Append(record, tx, receipt.Entry{Time: h.now(), Site: log.Site, Kind: "evidence", Party: "operator", Body: body})
			return err
		})
	}
	return told, errors.Join(err, failed)
}

// evidenceRoute takes logs of what others delivered, from the operator.
func (s *Server) evidenceRoute() apphttp.Route {
	handler := forOperators(s.gate, api.DeliveryLogsHandler(s.ImportLog))
	return apphttp.Route{Pattern: api.DeliveryLogs, Name: api.DeliveryLogs, Methods: []string{http.MethodPost}, Refuse: api.WriteError, Handler: handler}
}
