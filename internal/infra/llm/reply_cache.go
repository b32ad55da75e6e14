package llm

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// maxMemo is how many replies are remembered. None is longer than a few kilobytes.
const maxMemo = 512

// replyCache remembers replies that were of use by what was asked, so that a question asked again
// costs nothing. What was asked holds the texts of the items, so a changed item asks anew. Only
// hashes of it are kept.
type replyCache struct {
	mu      sync.Mutex
	replies map[[32]byte]*list.Element
	recent  *list.List // of remembered, the latest first
}

type remembered struct {
	key  [32]byte
	text string
}

func newReplyCache() *replyCache {
	return &replyCache{replies: map[[32]byte]*list.Element{}, recent: list.New()}
}

func replyKey(use Use, p prompt) [32]byte {
	return sha256.Sum256([]byte(string(use) + "\x00" + p.system + "\x00" + p.user))
}

func (m *replyCache) get(key [32]byte) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.replies[key]
	if !ok {
		return "", false
	}
	m.recent.MoveToFront(at)
	return at.Value.(remembered).text, true
}

func (m *replyCache) put(key [32]byte, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.replies[key]; there {
		return
	}
	m.replies[key] = m.recent.PushFront(remembered{key, text})
	for m.recent.Len() > maxMemo {
		last := m.recent.Back()
		delete(m.replies, last.Value.(remembered).key)
		m.recent.Remove(last)
	}
}
