package reports

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/licensing/transactions"
)

// MinAge is how old a day is, at the least, when its purchases are held against their deliveries
// and reports: reports are due by the usual window then, and the logs of deliveries are there.
const MinAge = 48 * time.Hour

// day is that of which purchases are held against their deliveries: one of UTC.
const day = 24 * time.Hour

// Reconciled is what came of holding what was bought of a site against what was delivered and what
// was reported.
type Reconciled struct {
	Of   int64 // purchases that were delivered or reported, and deliveries that nobody bought
	Gaps int64 // of those, the ones whose sides contradict one another
	// purchases beside those, reported as used, that somebody else was to deliver who told of no
	// delivery at all
	Untold int64
}

// instructions is the way of delivery by somebody else.
const instructions = "instructions"

// sides are the counts of one site: of what this front desk delivers, and of what somebody else
// does, with whether he tells of any of it.
type sides struct {
	own, away Reconciled
	told      bool
}

// Reconcile holds the three sides of each purchase of a time against one another: the transaction,
// the records of deliveries, and the report (RAMP v1, reconciliation). They contradict one another
// where use was reported of what nobody delivered, where what was delivered was reported as not
// used, and where something was delivered that nobody bought. What was neither delivered nor
// reported contradicts nothing. Of a site whose deliveries somebody else makes and tells nothing of
// in that time, those do not count. It gives sites by their ids.
func (b Reporter) Reconcile(ctx context.Context, since, until time.Time) (map[string]Reconciled, error) {
	return b.reconcile(ctx, Request{Since: since, Until: until})
}

func (b Reporter) reconcile(ctx context.Context, want Request) (map[string]Reconciled, error) {
	all := map[string]*sides{}
	at := func(site string) *sides {
		if all[site] == nil {
			all[site] = &sides{}
		}
		return all[site]
	}
	for c, err := range b.compared(ctx, want, 0, nil) {
		if err != nil {
			return nil, err
		}
		s := at(c.sale.Site)
		count := &s.own
		if c.away() {
			count, s.told = &s.away, s.told || c.delivered
		}
		if count.Of++; c.kind != "" {
			count.Gaps++
		}
	}
	for l, err := range b.unbought(ctx, Request{Site: want.Site, Since: want.Since}, want.Until) {
		if err != nil {
			return nil, err
		}
		if site := l.delivery.Site; site != "" {
			s := at(site)
			s.own.Of, s.own.Gaps = s.own.Of+1, s.own.Gaps+1
		}
	}
	out := map[string]Reconciled{}
	for site, s := range all {
		if s.told {
			s.own.Of, s.own.Gaps = s.own.Of+s.away.Of, s.own.Gaps+s.away.Gaps
		} else {
			s.own.Untold = s.away.Of
		}
		if s.own != (Reconciled{}) {
			out[site] = s.own
		}
	}
	return out, nil
}

// The kinds of differences.
const (
	Unrecorded = "used_not_delivered"   // use was reported of what nobody recorded as delivered
	Unused     = "delivered_not_used"   // it was delivered, and reported as not used at all
	Unbought   = "delivered_not_bought" // it was delivered under an id of which no purchase stands
)

// Difference is a purchase whose records contradict one another, or a delivery without a purchase.
type Difference struct {
	Kind      string
	Sale      transactions.Transaction   // the zero value of an Unbought
	Delivered transactions.DeliveryTotal // what was recorded under Sale, by this front desk and its edges
	Logged    bool                       // an imported log tells of content under Sale
	Delivery  transactions.Delivery      // of an Unbought
}

// Why says in words what contradicts what.
func (d Difference) Why() string {
	switch {
	case d.Kind == Unbought && d.Delivery.Transaction == "":
		return "it was delivered under no transaction"
	case d.Kind == Unbought:
		return "it was delivered under an id of which no purchase of this site stands"
	case d.Kind == Unused:
		return "it was reported as not used at all, and " + d.told()
	case d.Sale.Method == instructions:
		return d.used() + " reported as used, and neither an edge nor an imported log tells of a delivery"
	}
	return d.used() + " reported as used, and no delivery is recorded"
}

func (d Difference) used() string {
	text := strconv.FormatInt(d.Sale.Report.Consumed, 10)
	switch {
	case d.Sale.Unit == "" && text == "1":
		return "once"
	case d.Sale.Unit == "":
		return text + " times"
	}
	return text + " " + d.Sale.Unit
}

// told says who tells that something was delivered.
func (d Difference) told() string {
	switch {
	case d.Delivered.Times == 0 && d.Logged:
		return "an imported log tells of content"
	case d.Delivered.Times == 0:
		return "a delivery has begun"
	case d.Delivered.Times == 1:
		return "a delivery of " + strconv.FormatInt(d.Delivered.Bytes, 10) + " bytes is recorded"
	}
	return strconv.FormatInt(d.Delivered.Times, 10) + " deliveries of " + strconv.FormatInt(d.Delivered.Bytes, 10) +
		" bytes are recorded"
}

// At is when the purchase was made, or the delivery began.
func (d Difference) At() time.Time {
	if d.Kind == Unbought {
		return d.Delivery.At
	}
	return d.Sale.Made
}

// Site is of which site it is.
func (d Difference) Site() string {
	if d.Kind == Unbought {
		return d.Delivery.Site
	}
	return d.Sale.Site
}

// compared is a purchase that was delivered or reported, with what its sides come to.
type compared struct {
	sale              transactions.Transaction
	delivered, logged bool
	kind              string // of the difference; empty where there is none
}

// away says whether somebody else delivers it.
func (c compared) away() bool { return c.sale.Method == instructions }

// compared gives the purchases of a time that were delivered or reported, the oldest first. It
// looks at so many purchases at the most, 0 for all, and says behind which it ended where there may
// be more.
func (b Reporter) compared(ctx context.Context, want Request, most int, next *string) iter.Seq2[compared, error] {
	return func(yield func(compared, error) bool) {
		var some []transactions.Transaction
		give := func() (more bool) {
			all, err := b.compare(ctx, some)
			if err != nil {
				yield(compared{}, err)
				return false
			}
			for _, c := range all {
				if !yield(c, nil) {
					return false
				}
			}
			some = some[:0]
			return true
		}
		looked := 0
		for t, err := range b.Transactions.Each(ctx,
			transactions.Filter{Site: want.Site, Since: want.Since, Until: want.Until, After: want.After}) {
			if err != nil {
				yield(compared{}, err)
				return
			}
			if looked++; most > 0 && looked > most {
				*next = some[len(some)-1].ID
				break
			}
			if some = append(some, t); (len(some) == atOnce && looked != most) && !give() {
				return
			}
		}
		give()
	}
}

// compare holds some purchases against what is known of their deliveries.
func (b Reporter) compare(ctx context.Context, some []transactions.Transaction) (all []compared, err error) {
	if len(some) == 0 {
		return nil, nil
	}
	ids := make([]string, len(some))
	for i, t := range some {
		ids[i] = t.ID
	}
	delivered, err := b.Transactions.Fetched(ctx, ids...)
	if err != nil {
		return nil, err
	}
	logged, err := b.AccessLog.Fetched(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, t := range some {
		c := compared{sale: t, delivered: delivered[t.ID] || logged[t.ID], logged: logged[t.ID]}
		reported := t.Report.ID != ""
		switch {
		case t.Failed || !reported && !c.delivered:
			continue
		case reported && t.Report.Consumed > 0 && !c.delivered:
			c.kind = Unrecorded
		case reported && t.Report.Consumed <= 0 && c.delivered:
			c.kind = Unused
		}
		all = append(all, c)
	}
	return all, nil
}

// Differences gives the purchases of a time whose sides contradict one another, the oldest first,
// at most so many: of a site, or of all where it is empty, and of a kind where one is named; those
// that silent says of a site are left out that somebody else was to deliver, and who told nothing.
// It looks at a bounded number of purchases, so that it never takes long: next is from where to go
// on (Wanted.After), empty when there are no more.
func (b Reporter) Differences(ctx context.Context, want Request, kind string, silent func(site string) bool,
	limit int) (all []Difference, next string, err error) {
	var found []compared
	for c, err := range b.compared(ctx, want, auditLooked, &next) {
		if err != nil {
			return nil, "", err
		}
		if c.kind == "" || kind != "" && kind != c.kind || c.away() && c.kind == Unrecorded && silent(c.sale.Site) {
			continue
		}
		if found = append(found, c); len(found) == limit {
			next = c.sale.ID
			break
		}
	}
	all, err = b.detailed(ctx, found)
	return all, next, err
}

// detailed looks up what was recorded of some differences.
func (b Reporter) detailed(ctx context.Context, some []compared) (all []Difference, err error) {
	ids := make([]string, len(some))
	for i, c := range some {
		ids[i] = c.sale.ID
	}
	got, err := b.Transactions.Delivered(ctx, ids...)
	for _, c := range some {
		all = append(all, Difference{Kind: c.kind, Sale: c.sale, Delivered: got[c.sale.ID], Logged: c.logged})
	}
	return all, err
}

// Strays gives what was delivered in a time without being bought, the oldest first, up to so many:
// what Reconcile counts of it.
func (b Reporter) Strays(ctx context.Context, site string, since, until time.Time, limit int) (all []Difference,
	err error) {
	for l, err := range b.unbought(ctx, Request{Site: site, Since: since}, until) {
		if err != nil {
			return nil, err
		}
		if l.delivery.Site == "" {
			continue
		}
		if all = append(all, Difference{Kind: Unbought, Delivery: l.delivery}); len(all) == limit {
			break
		}
	}
	return all, nil
}

// reconciledDay is how the sides of what was bought of a site on a day stand.
type reconciledDay struct {
	day  time.Time
	site string
	Reconciled
}

// days gives the days of UTC of a time, whole and old enough, in which there was something to hold
// against anything.
func (b Reporter) days(ctx context.Context, want Request) iter.Seq2[[]reconciledDay, error] {
	return func(yield func([]reconciledDay, error) bool) {
		since, err := b.firstDay(ctx, want)
		until := b.Now().Add(-want.Grace)
		if err != nil || since.IsZero() {
			if err != nil {
				yield(nil, err)
			}
			return
		}
		for ; !since.Add(day).After(until) &&
			(want.Until.IsZero() || since.Before(want.Until)); since = since.Add(day) {
			sites, err := b.reconcile(ctx, Request{Site: want.Site, Since: since, Until: since.Add(day)})
			var all []reconciledDay
			for _, site := range slices.Sorted(maps.Keys(sites)) {
				all = append(all, reconciledDay{since, site, sites[site]})
			}
			if (err != nil || len(all) > 0) && (!yield(all, err) || err != nil) {
				return
			}
		}
	}
}

// firstDay is the first day that begins at Since or later, or that of the first thing there is; the
// zero time where there is nothing.
func (b Reporter) firstDay(ctx context.Context, want Request) (first time.Time, err error) {
	if !want.Since.IsZero() {
		if first = want.Since.UTC().Truncate(day); first.Before(want.Since) {
			first = first.Add(day)
		}
		return first, nil
	}
	for t, err := range b.Transactions.Each(ctx, transactions.Filter{}) {
		if err != nil {
			return first, err
		}
		first = t.Made.UTC().Truncate(day)
		break
	}
	for l, err := range b.unbought(ctx, Request{}, b.Now()) {
		if err != nil {
			return first, err
		}
		if at := l.delivery.At.UTC().Truncate(day); first.IsZero() || at.Before(first) {
			first = at
		}
		break
	}
	return first, nil
}

// reconciledDays gives the days one by one.
func (b Reporter) reconciledDays(ctx context.Context, want Request) iter.Seq2[reconciledDay, error] {
	return func(yield func(reconciledDay, error) bool) {
		for some, err := range b.days(ctx, want) {
			if err != nil {
				yield(reconciledDay{}, err)
				return
			}
			for _, d := range some {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

// differences gives every difference of the days, those of purchases before deliveries that nobody
// bought.
func (b Reporter) differences(ctx context.Context, want Request) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		for some, err := range b.days(ctx, want) {
			if err != nil {
				yield(Difference{}, err)
				return
			}
			silent, gaps := map[string]bool{}, int64(0)
			for _, d := range some {
				silent[d.site] = d.Untold > 0
				gaps += d.Gaps
			}
			if gaps > 0 &&
				!b.differencesOf(ctx, Request{Site: want.Site, Since: some[0].day, Until: some[0].day.Add(day)}, silent,
					yield) {
				return
			}
		}
	}
}

// differencesOf gives those of one day, of which it is known who told nothing.
func (b Reporter) differencesOf(ctx context.Context, want Request, silent map[string]bool,
	yield func(Difference, error) bool) (more bool) {
	for {
		all, next, err := b.Differences(ctx, want, "", func(site string) bool { return silent[site] }, atOnce)
		if err != nil {
			yield(Difference{}, err)
			return false
		}
		for _, d := range all {
			if !yield(d, nil) {
				return false
			}
		}
		if next == "" {
			break
		}
		want.After = next
	}
	for l, err := range b.unbought(ctx, Request{Site: want.Site, Since: want.Since}, want.Until) {
		if err == nil && l.delivery.Site == "" {
			continue
		}
		if !yield(Difference{Kind: Unbought, Delivery: l.delivery}, err) || err != nil {
			return false
		}
	}
	return true
}

// of gives what is told of a purchase, or else of a delivery.
func (d Difference) of(sale func(transactions.Transaction) any, delivery func(transactions.Delivery) any) any {
	switch {
	case d.Kind != Unbought && sale != nil:
		return sale(d.Sale)
	case d.Kind == Unbought && delivery != nil:
		return delivery(d.Delivery)
	}
	return nil
}

var differing = []column[Difference]{
	{"day", func(d Difference) any { return d.At().UTC().Format(time.DateOnly) }},
	{"site", func(d Difference) any { return d.Site() }},
	{"difference", func(d Difference) any { return d.Kind }},
	{"why", func(d Difference) any { return d.Why() }},
	{"time", func(d Difference) any { return moment(d.At()) }},
	{"transaction", func(d Difference) any {
		return d.of(func(t transactions.Transaction) any { return t.ID },
			func(l transactions.Delivery) any { return text(l.Transaction) })
	}},
	{"buyer", func(d Difference) any { return d.of(func(t transactions.Transaction) any { return t.Buyer }, nil) }},
	{"uri", func(d Difference) any {
		return d.of(func(t transactions.Transaction) any { return t.URI },
			func(l transactions.Delivery) any { return text(l.URI) })
	}},
	{"method", func(d Difference) any { return d.of(func(t transactions.Transaction) any { return t.Method }, nil) }},
	{"deliveries", func(d Difference) any {
		return d.of(func(transactions.Transaction) any { return d.Delivered.Times }, nil)
	}},
	{"delivered_bytes", func(d Difference) any {
		return d.of(func(transactions.Transaction) any { return d.Delivered.Bytes },
			func(l transactions.Delivery) any { return l.Bytes })
	}},
	{"logged", func(d Difference) any {
		return d.of(func(transactions.Transaction) any { return yes(d.Logged) }, nil)
	}},
	{"report", func(d Difference) any {
		return d.of(func(t transactions.Transaction) any { return text(t.Report.ID) }, nil)
	}},
	{"reported", func(d Difference) any {
		return d.of(func(t transactions.Transaction) any { return moment(t.Report.Made) }, nil)
	}},
	{"consumed", func(d Difference) any {
		return d.of(func(t transactions.Transaction) any { return t.Report.Consumed }, nil)
	}},
	{"unit", func(d Difference) any { return d.of(func(t transactions.Transaction) any { return text(t.Unit) }, nil) }},
	{"delivery", func(d Difference) any { return d.of(nil, func(l transactions.Delivery) any { return l.ID }) }},
	{"by", func(d Difference) any { return d.of(nil, func(l transactions.Delivery) any { return text(l.By) }) }},
	{"status", func(d Difference) any {
		return d.of(nil, func(l transactions.Delivery) any { return int64(l.Status) })
	}},
	{"entry", func(d Difference) any {
		return d.of(func(t transactions.Transaction) any { return text(t.Entry) },
			func(l transactions.Delivery) any { return text(l.Entry) })
	}},
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

var reconciling = []column[reconciledDay]{
	{"day", func(d reconciledDay) any { return d.day.Format(time.DateOnly) }},
	{"site", func(d reconciledDay) any { return d.site }},
	{"compared", func(d reconciledDay) any { return d.Of }},
	{"differences", func(d reconciledDay) any { return d.Gaps }},
	{"differences_percent", func(d reconciledDay) any { return percent(d.Gaps, d.Of) }},
	{"not_told", func(d reconciledDay) any { return d.Untold }},
}
