package lsp

import (
	"bytes"
	"crypto/rand"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// longResult is the length in bytes from which a result is not copied into its message.
const longResult = 256 << 10

// apart holds long results while the library makes the messages around them, which have
// marks in their place.
type apart struct {
	mu   sync.Mutex
	mark string // the beginning of marks: no result of ours has it
	n    int
	long map[string]jsonrpc2.RawMessage // by mark
}

// put returns what stands for a result: the result itself, or if it is long a mark.
func (a *apart) put(result jsonrpc2.RawMessage) jsonrpc2.RawMessage {
	if a == nil || len(result) < longResult {
		return result
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.long == nil {
		a.mark = `"` + rand.Text()
		a.long = map[string]jsonrpc2.RawMessage{}
	}
	a.n++
	mark := a.mark + strconv.Itoa(a.n) + `"`
	a.long[mark] = result
	return jsonrpc2.RawMessage(mark)
}

// take returns the long result of a message, nil if it has none, and what stands before and
// behind it.
func (a *apart) take(message []byte) (before, long, after []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.long) == 0 || len(message) >= longResult {
		return nil, nil, nil
	}
	start := bytes.Index(message, []byte(a.mark))
	if start < 0 {
		return nil, nil, nil
	}
	end := start + 1 + bytes.IndexByte(message[start+1:], '"') + 1
	mark := string(message[start:end])
	long = a.long[mark]
	delete(a.long, mark)
	return message[:start], long, message[end:]
}
