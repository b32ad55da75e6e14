package deliverylog

import (
	"strings"
	"time"

	"frontdesk/wire/edge"
)

// seen is what sightings are counted by.
type seen struct{ host, agent, path, outcome string }

// maxSeen is how many different sightings are counted at once; of more, the paths are not told
// apart, and beyond twice as many they are only counted as lost.
const maxSeen = 500

// Sighting is an agent that was seen, and what came of it.
type Sighting struct {
	Host    string // that was asked, one of those that the edge serves
	Agent   string // by the name that the edge knows it by; never a whole user agent
	Path    string // as it was asked for; it is counted with others of its folder
	Outcome string // a word such as "refused"
}

// CountSighting counts a sighting. What was counted is written every now and then; a process that
// is killed loses what was counted since.
func (s *Log) CountSighting(g Sighting) {
	key := seen{strings.ToLower(g.Host), g.Agent, folder(g.Path), g.Outcome}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !now.Truncate(time.Hour).Equal(s.seen.since.Truncate(time.Hour)) {
		s.writeCounts()
	}
	if !s.seen.count(key, now) {
		s.told.Dropped++
	}
}

// tally counts sightings until they are written.
type tally struct {
	counts map[seen]int64
	since  time.Time // when they were last written
}

// count counts a sighting, and reports whether there is room for it and it can be told.
func (t *tally) count(key seen, now time.Time) bool {
	if _, ok := t.counts[key]; !ok && len(t.counts) >= maxSeen {
		key.path = ""
	}
	if _, ok := t.counts[key]; !ok && (len(t.counts) >= 2*maxSeen || key.sighting(now, 1).Check() != nil) {
		return false
	}
	t.counts[key]++
	return true
}

// take gives what was counted since it was last called, under the hour of that time.
func (t *tally) take(now time.Time) []edge.Sighting {
	hour := t.since.UTC().Truncate(time.Hour)
	t.since = now
	all := make([]edge.Sighting, 0, len(t.counts))
	for key, count := range t.counts {
		all = append(all, key.sighting(hour, count))
	}
	clear(t.counts)
	return all
}

// folder is what a path is counted by: its first two folders, and of a path with fewer all of it.
func folder(path string) string {
	if !strings.HasPrefix(path, "/") || !printable(path) {
		return ""
	}
	at := 0
	for range 2 {
		next := strings.IndexByte(path[at+1:], '/')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if strings.Count(path, "/") > 2 {
		path = path[:at+1]
	}
	if len(path) > edge.MaxPath {
		return ""
	}
	return path
}

// sighting is what is told of it.
func (k seen) sighting(at time.Time, count int64) edge.Sighting {
	return edge.Sighting{Hour: at.UTC().Truncate(time.Hour), Host: k.host, Agent: k.agent, Path: k.path,
		Outcome: k.outcome, Count: count}
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// writeCounts writes what was counted since it was last called.
func (s *Log) writeCounts() {
	all := s.seen.take(s.now())
	if len(all) == 0 {
		return
	}
	text, err := sightings(all)
	if err == nil {
		err = s.room(int64(len(text)))
	}
	if err == nil && s.segments.active.sightings+len(all) > edge.MaxSightings {
		err = s.begin()
	}
	if err == nil {
		err = s.write(text)
	}
	if err != nil {
		for _, one := range all {
			s.told.Dropped += one.Count
		}
		return
	}
	s.segments.active.sightings += len(all)
}
