package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en" // the "en" analyzer
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"frontdesk/internal/content/search"
)

// engine is a search that takes part in the comparison.
type engine interface {
	Name() string
	Add(items []item) error
	Find(question string, limit int) ([]string, error)
	Close() error
}

// frontdesk is the engine of this project with its default settings. Beyond the order, which is all
// that its peers give, it names the best passage of each item.
type frontdesk struct{ index *search.Index }

func newFrontdesk() *frontdesk { return &frontdesk{search.New(search.Options{})} }

func (*frontdesk) Name() string { return "frontdesk" }
func (*frontdesk) Close() error { return nil }

func (f *frontdesk) Add(items []item) error {
	docs := make([]search.Document, len(items))
	for i, it := range items {
		docs[i] = search.Document{Ref: it.URL, Key: it.URL, Language: "en", Title: it.Title, Keys: it.Keys,
			Passages: passages(it.Body)}
	}
	f.index.Apply(docs, nil)
	return nil
}

func (f *frontdesk) Find(question string, limit int) ([]string, error) {
	result := f.index.Snapshot().Search(search.Query{Text: question, Limit: limit})
	urls := make([]string, len(result.Hits))
	for i, hit := range result.Hits {
		urls[i] = hit.Ref.(string)
	}
	return urls, nil
}

// answers says whether a question has an answer at the usual least score.
func (f *frontdesk) answers(question string) bool {
	return len(f.index.Snapshot().Search(search.Query{Text: question, MinScore: search.DefaultMinScore}).Hits) > 0
}

// bleveEngine is bleve with BM25 and the English analyzer, on disk (scorch), merged to one segment.
// Either one field holds all text, or title, keys and body are fields of their own, and the query
// adds up their scores.
type bleveEngine struct {
	index  bleve.Index
	dir    string
	fields bool
}

func newBleve(fields bool) (*bleveEngine, error) {
	dir, err := os.MkdirTemp("", "bench-bleve-")
	if err != nil {
		return nil, err
	}
	textField := bleve.NewTextFieldMapping()
	textField.Analyzer = "en"
	textField.Store, textField.IncludeTermVectors, textField.IncludeInAll, textField.DocValues = false, false,
		false, false
	document := mapping.NewDocumentStaticMapping()
	for _, name := range []string{"all", "title", "keys", "body"} {
		document.AddFieldMappingsAt(name, textField)
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping = document
	m.DefaultAnalyzer = "en"
	m.ScoringModel = index.BM25Scoring
	opened, err := bleve.New(filepath.Join(dir, "index"), m)
	return &bleveEngine{opened, dir, fields}, err
}

func (b *bleveEngine) Name() string {
	if b.fields {
		return "bleve, fields"
	}
	return "bleve, one field"
}

func (b *bleveEngine) Close() error {
	defer os.RemoveAll(b.dir)
	return b.index.Close()
}

func (b *bleveEngine) Add(items []item) error {
	batch := b.index.NewBatch()
	for i, it := range items {
		doc := map[string]any{"all": it.Title + "\n" + it.Keys + "\n" + it.Body}
		if b.fields {
			doc = map[string]any{"title": it.Title, "keys": it.Keys, "body": it.Body}
		}
		if err := batch.Index(it.URL, doc); err != nil {
			return err
		}
		if batch.Size() == 1000 || i == len(items)-1 {
			if err := b.index.Batch(batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	advanced, err := b.index.Advanced()
	if err != nil {
		return err
	}
	return advanced.(*scorch.Scorch).ForceMerge(context.Background(), nil)
}

func (b *bleveEngine) Find(question string, limit int) ([]string, error) {
	var q query.Query
	if b.fields {
		var each []query.Query
		for _, field := range []string{"title", "keys", "body"} {
			match := bleve.NewMatchQuery(question)
			match.SetField(field)
			each = append(each, match)
		}
		q = bleve.NewDisjunctionQuery(each...)
	} else {
		match := bleve.NewMatchQuery(question)
		match.SetField("all")
		q = match
	}
	result, err := b.index.Search(bleve.NewSearchRequestOptions(q, limit, 0, false))
	if err != nil {
		return nil, err
	}
	urls := make([]string, len(result.Hits))
	for i, hit := range result.Hits {
		urls[i] = hit.ID
	}
	return urls, nil
}

// fts5Engine is SQLite FTS5 with the porter tokenizer and its bm25, in memory, title weighted four
// times.
type fts5Engine struct {
	db   *sql.DB
	find *sql.Stmt
}

func newFTS5() (*fts5Engine, error) {
	db, err := driver.Open("file::memory:", func(c *sqlite3.Conn) error { return fts5.Register(c) })
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE VIRTUAL TABLE docs USING fts5(url UNINDEXED, title, keys, body, tokenize='porter unicode61')`)
	return &fts5Engine{db: db}, err
}

func (*fts5Engine) Name() string   { return "SQLite FTS5" }
func (f *fts5Engine) Close() error { return f.db.Close() }

func (f *fts5Engine) Add(items []item) error {
	tx, err := f.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, it := range items {
		if _, err := tx.Exec(`INSERT INTO docs VALUES ($1, $2, $3, $4)`, it.URL, it.Title, it.Keys, it.Body); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`INSERT INTO docs(docs) VALUES ('optimize')`); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	f.find, err = f.db.Prepare(`SELECT url FROM docs WHERE docs MATCH $1 ORDER BY bm25(docs, 0, 4, 1, 1) LIMIT $2`)
	return err
}

func (f *fts5Engine) Find(question string, limit int) ([]string, error) {
	words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		words[i] = `"` + word + `"`
	}
	rows, err := f.find.Query(strings.Join(words, " OR "), limit)
	if err != nil {
		return nil, fmt.Errorf("fts5: %w", err)
	}
	defer rows.Close()
	var urls []string
	for rows.Next() {
		var url string
		if err := rows.Scan(&url); err != nil {
			return nil, err
		}
		urls = append(urls, url)
	}
	return urls, rows.Err()
}
