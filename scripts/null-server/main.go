// Command null-server is a language server that does nothing: it reads each message whole and
// answers at once, so that it measures what a client and the pipe take for themselves. To a
// document that is opened it finds nothing; of folding ranges and symbols it sends as many as it
// is told to, made before they are asked for.
//
//	null-server [-folds N] [-symbols N]
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/textproto"
	"os"
	"strconv"
)

func main() {
	folds := flag.Int("folds", 0, "folding ranges to answer with")
	symbols := flag.Int("symbols", 0, "document symbols to answer with")
	flag.Parse()
	s := server{
		in: bufio.NewReaderSize(os.Stdin, 1<<20),
		answers: map[string][]byte{
			"initialize":                  []byte(`{"capabilities":{"textDocumentSync":2}}`),
			"textDocument/foldingRange":   list(*folds, `{"startLine":%d,"endLine":%[1]d}`),
			"textDocument/documentSymbol": list(*symbols, `{"name":"s%d","detail":"human:alex","kind":6,"range":{"start":{"line":%[1]d,"character":8},"end":{"line":%[1]d,"character":9}},"selectionRange":{"start":{"line":%[1]d,"character":18},"end":{"line":%[1]d,"character":24}}}`),
		},
	}
	if err := s.serve(); err != nil && !errors.Is(err, io.EOF) {
		log.Fatal(err)
	}
}

// list returns a JSON array of n elements.
func list(n int, element string) []byte {
	out := []byte{'['}
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, element, 10+i)
	}
	return append(out, ']')
}

type server struct {
	in      *bufio.Reader
	answers map[string][]byte // results by method; others are null
}

// envelope is what stands before the params' bulk in a message of any client.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func (s *server) serve() error {
	for {
		header, err := textproto.NewReader(s.in).ReadMIMEHeader()
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return err
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(s.in, body); err != nil {
			return err
		}
		if bytes.Contains(body[:min(n, 4096)], []byte(`"textDocument/didOpen"`)) {
			send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":%s,"version":1,"diagnostics":[]}}`, uriOf(body)))
			continue
		}
		var e envelope
		if err := json.Unmarshal(body, &e); err != nil {
			return err
		}
		switch result := s.answers[e.Method]; {
		case e.Method == "exit":
			return nil
		case e.ID == nil:
		case result == nil:
			send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":null}`, e.ID))
		default:
			send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":`, e.ID), result, []byte("}"))
		}
	}
}

// uriOf returns the first uri of a message, quotes and all.
func uriOf(body []byte) []byte {
	const key = `"uri":`
	_, rest, _ := bytes.Cut(body, []byte(key))
	end := 1 + bytes.IndexByte(rest[1:], '"')
	return rest[:end+1]
}

func send(parts ...[]byte) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	fmt.Printf("Content-Length: %d\r\n\r\n", n)
	for _, p := range parts {
		_, _ = os.Stdout.Write(p)
	}
}
