package accesslog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/testkit/storetest"
)

// benchLog is a log of Cloudflare's with so many lines, of which one of ten names a transaction.
func benchLog(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		query := ""
		if i%10 == 0 {
			query = fmt.Sprintf(
				"?expires=1801398900&agent_id=ab12&txn_id=txn-%d&"+
					"sig=5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e7", i%5000)
		}
		fmt.Fprintf(&b, `{"CacheCacheStatus":"hit","ClientIP":"192.0.2.7","ClientRequestHost":"cdn.example.net","ClientRequestMethod":"GET","ClientRequestURI":"/premium/%d.html%s","ClientRequestUserAgent":"Mozilla/5.0 (compatible; bot/1.0; +https://buyer.example/bot)","EdgeEndTimestamp":"2027-01-31T12:30:06Z","EdgeResponseBytes":%d,"EdgeResponseStatus":200,"EdgeStartTimestamp":"2027-01-31T12:30:05Z","RayID":"%016x"}`+"\n", i%977, query, 4000+i%999, i)
	}
	return b.Bytes()
}

// BenchmarkImport imports a log whose lines are all new, one whose lines are all known, and the
// packed one, beside the floor: reading its lines and decoding their JSON into an object, and
// nothing else. With -benchtime=1x one turn is one log of a million lines.
func BenchmarkImport(b *testing.B) {
	const n = 1_000_000
	text := benchLog(n)
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	_, _ = w.Write(text)
	w.Close()
	each := func(b *testing.B) { b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s") }
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			lines := bufio.NewReaderSize(bytes.NewReader(text), maxLine)
			for {
				one, err := lines.ReadSlice('\n')
				if err == io.EOF {
					break
				}
				var o struct {
					Time, Host, URI loose
					Status          loose `json:"EdgeResponseStatus"`
				}
				if err := json.Unmarshal(one, &o, jsontext.AllowInvalidUTF8(true)); err != nil {
					b.Fatal(err)
				}
			}
		}
		each(b)
	})
	db := storetest.OpenSQLite(b, transactions.Schema, Schema)
	keep := &Importer{DB: db}
	for _, c := range []struct {
		name string
		text []byte
	}{{"new", text}, {"known", text}, {"packed", packed.Bytes()}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				told, err := keep.Import(b.Context(), bytes.NewReader(c.text), Source{})
				if err != nil || told.Lines != n || told.Added+told.Duplicates != n/10 {
					b.Fatalf("%+v, %v", told, err)
				}
			}
			each(b)
		})
	}
}
