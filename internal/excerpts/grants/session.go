package grants

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
)

// SessionKey derives the key of a platform's session. The session's name cannot be found from it
// except by trying every name.
func SessionKey(platform, id string) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "session %d %s %s", len(platform), platform, id))
}

// ArticleKey derives the key of what all sessions of a platform together were given of an article.
func ArticleKey(platform, url string) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "article %d %s %s", len(platform), platform, url))
}

// Coverage is what a session, or a whole platform, was given: the parts of each passage, by
// article.
type Coverage map[short]map[short]Spans

// short stands for the address of an article or the id of a passage, which are several times as
// long: the beginning of its SHA-256. Of a million in one session no two are alike but in one of
// thirty million.
type short [8]byte

func shorten(text string) short {
	sum := sha256.Sum256([]byte(text))
	return short(sum[:8])
}

// Add adds a part of a passage of an article.
func (g Coverage) Add(url, passage string, part Span) {
	at, of := shorten(url), shorten(passage)
	if g[at] == nil {
		g[at] = map[short]Spans{}
	}
	g[at][of] = g[at][of].Add(part)
}

// BytesOf counts the bytes that were given of an article.
func (g Coverage) BytesOf(url string) (bytes int) {
	if len(g) == 0 {
		return 0
	}
	for _, parts := range g[shorten(url)] {
		bytes += parts.Bytes()
	}
	return bytes
}

// SpansOf returns the parts that were given of a passage.
func (g Coverage) SpansOf(url, passage string) Spans {
	if len(g) == 0 {
		return nil
	}
	of := g[shorten(url)]
	if len(of) == 0 {
		return nil
	}
	return of[shorten(passage)]
}

// packed begins what pack writes. Before, it was a JSON object.
const packed = 1

// pack writes what was given in the fewest bytes, since that is written with every answer: how many
// articles there are, of each its short name and how many passages there are, of each of these its
// short name, how many parts, and of each part how far it is behind the one before, and how long.
// The order is always the same.
func (g Coverage) pack() []byte {
	out := binary.AppendUvarint([]byte{packed}, uint64(len(g)))
	for _, article := range slices.SortedFunc(maps.Keys(g), byBytes) {
		out = binary.AppendUvarint(append(out, article[:]...), uint64(len(g[article])))
		for _, passage := range slices.SortedFunc(maps.Keys(g[article]), byBytes) {
			parts := g[article][passage]
			out = binary.AppendUvarint(append(out, passage[:]...), uint64(len(parts)))
			end := 0
			for _, part := range parts {
				out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(part.From-end)), uint64(part.To-part.From))
				end = part.To
			}
		}
	}
	return out
}

func byBytes(a, b short) int { return bytes.Compare(a[:], b[:]) }

// unpack reads what pack has written, now or before.
func unpack(text []byte) (Coverage, error) {
	g := Coverage{}
	if len(text) > 0 && text[0] == '{' {
		var named map[string]map[string]Spans
		err := json.Unmarshal(text, &named)
		for url, passages := range named {
			for passage, parts := range passages {
				for _, part := range parts {
					g.Add(url, passage, part)
				}
			}
		}
		return g, err
	}
	if len(text) == 0 || text[0] != packed {
		return nil, errPacked
	}
	r := bytes.NewReader(text[1:])
	articles, err := binary.ReadUvarint(r)
	if err != nil || articles > uint64(r.Len())/2 {
		return nil, errPacked
	}
	for range articles {
		article, passages, err := cutName(r)
		if err != nil {
			return nil, err
		}
		g[article] = make(map[short]Spans, passages)
		for range passages {
			passage, parts, err := cutName(r)
			if err != nil {
				return nil, err
			}
			if g[article][passage], err = cutSpans(r, parts); err != nil {
				return nil, err
			}
		}
	}
	if r.Len() > 0 {
		return nil, errPacked
	}
	return g, nil
}

var errPacked = errors.New("what is kept of it is damaged")

// cutName reads a short name and how many things follow, each of which takes two bytes at the
// least.
func cutName(r *bytes.Reader) (name short, n int, err error) {
	if got, _ := r.Read(name[:]); got < len(name) {
		return name, 0, errPacked
	}
	count, err := binary.ReadUvarint(r)
	if err != nil || count > uint64(r.Len())/2 {
		return name, 0, errPacked
	}
	return name, int(count), nil
}

// cutSpans reads the parts of a passage.
func cutSpans(r *bytes.Reader, n int) (Spans, error) {
	parts, end := make(Spans, 0, n), uint64(0)
	for range n {
		gap, err := binary.ReadUvarint(r)
		long, wrong := binary.ReadUvarint(r)
		const most = 1 << 40
		if err != nil || wrong != nil || gap > most || long > most || end > most {
			return nil, errPacked
		}
		parts = append(parts, Span{From: int(end + gap), To: int(end + gap + long)})
		end += gap + long
	}
	return parts, nil
}

// ForArticle returns the coverage of one article alone.
func (g Coverage) ForArticle(url string) Coverage {
	at := shorten(url)
	return Coverage{at: g[at]}
}

// atOnce is how many articles are asked for by one statement.
const atOnce = 8

// selectArticles asks for them.
const selectArticles = `SELECT given FROM excerpt_session WHERE session IN ($1, $2, $3, $4, $5, $6, $7, $8) AND until > $9`

// PlatformCoverage returns what all sessions of a platform together were given of some articles, as
// far as that is still kept.
func PlatformCoverage(
	ctx context.Context, tx *store.Tx, platform string, urls []string, now time.Time,
) (Coverage, error) {
	given := Coverage{}
	for some := range slices.Chunk(urls, atOnce) {
		args := make([]any, 0, atOnce+1)
		for i := range atOnce {
			key := ArticleKey(platform, some[min(i, len(some)-1)])
			args = append(args, key[:])
		}
		if err := given.read(ctx, tx, selectArticles, append(args, store.Micros(now))...); err != nil {
			return nil, fmt.Errorf("find what a platform was given: %w", err)
		}
	}
	return given, nil
}

// read takes in what is remembered of some articles.
func (g Coverage) read(ctx context.Context, tx *store.Tx, query string, args ...any) error {
	return tx.Each(ctx, query, func(row store.Scanner) error {
		var kept sql.RawBytes
		if err := row.Scan(&kept); err != nil {
			return err
		}
		one, err := unpack(kept)
		if err != nil {
			return err
		}
		maps.Copy(g, one)
		return nil
	}, args...)
}

// SessionCoverage returns what a session was given; nothing when that was forgotten.
func SessionCoverage(ctx context.Context, tx *store.Tx, session [sha256.Size]byte, now time.Time) (Coverage, error) {
	given := Coverage{}
	err := given.read(ctx, tx, `SELECT given FROM excerpt_session WHERE session = $1 AND until > $2`, session[:], store.Micros(now))
	if err != nil {
		return nil, fmt.Errorf("find what a session was given: %w", err)
	}
	return given, nil
}

// RecordCoverage records the coverage of a key, to be kept until a time.
func RecordCoverage(ctx context.Context, tx *store.Tx, key [sha256.Size]byte, given Coverage, until time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO excerpt_session (session, given, until) VALUES ($1, $2, $3)
		ON CONFLICT (session) DO UPDATE SET given = EXCLUDED.given, until = EXCLUDED.until`, key[:], given.pack(), store.Micros(until))
	if err != nil {
		return fmt.Errorf("record what was given: %w", err)
	}
	return nil
}
