package app

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
)

// accessLogImporter keeps logs of deliveries, by the sites whose hosts they name. Where there is
// one site alone, every host is its.
func (b *base) accessLogImporter() *accesslog.Importer {
	hosts, all := map[string]string{}, b.config.AllSites()
	for _, site := range all {
		for _, name := range append([]string{site.URL}, site.Hosts...) {
			if host, ok := policy.Host(name); ok {
				hosts[host] = site.ID
			} else if host, ok := policy.Host("https://" + name); ok {
				hosts[host] = site.ID
			}
		}
	}
	return &accesslog.Importer{DB: b.db, SiteOf: func(host string) string {
		if len(all) == 1 {
			return all[0].ID
		}
		return hosts[host]
	}, OnAdded: func(ctx context.Context, tx *store.Tx, transactions []string) error {
		for _, id := range transactions {
			if err := disputes.Reconsider(ctx, tx, id, b.now()); err != nil {
				return err
			}
		}
		return nil
	}}
}

// ImportLog keeps what a log says of deliveries, as [accesslog.Importer.Import] does. The ledger
// tells of each import that has kept something.
func (a *accounting) ImportLog(ctx context.Context, in io.Reader,
	log accesslog.Source) (accesslog.ImportResult, error) {
	if log.Site != "" && !a.config.serves(log.Site) {
		return accesslog.ImportResult{}, fail.New(fail.Invalid, "there is no site %.60q here", log.Site)
	}
	told, err := a.imports.Import(ctx, in, log)
	if told.Added == 0 {
		return told, err
	}
	record, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	failed := a.db.Update(record, func(tx *store.Tx) error {
		return a.recorder().Log(record, tx, log, told, err == nil)
	})
	return told, errors.Join(err, failed)
}

// evidenceRoute takes logs of what others delivered, from the operator.
func (s *seller) evidenceRoute() apphttp.Route {
	handler := forOperators(s.gate, api.DeliveryLogsHandler(s.ImportLog))
	return apphttp.Route{Pattern: api.DeliveryLogs, Name: api.DeliveryLogs, Methods: []string{http.MethodPost},
		Refuse: api.WriteError, Handler: handler}
}
