package lsp

import (
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// lenient decodes what clients send: the last of duplicate keys wins and what is no
// UTF-8 becomes U+FFFD, lone surrogates included.
var lenient = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
)

// codec encodes params and results with the union-aware functions of package protocol,
// whose own codec is not exported.
type codec struct {
	apart *apart // takes long results; may be nil
}

var _ jsonrpc2.Codec = codec{}

// Marshal encodes v. A nil pointer, map or interface is null; a nil slice is [].
func (c codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok && raw != nil {
		return c.apart.put(raw), nil
	}
	if isNil(v) {
		return []byte("null"), nil
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Struct {
		return appendSlice(r)
	}
	return protocol.Marshal(v)
}

// appendSlice encodes a slice element by element: package protocol has a fast way for each
// of its structs, but not for a slice of them.
func appendSlice(r reflect.Value) (out []byte, err error) {
	out = append(out, '[')
	for i := range r.Len() {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = protocol.AppendMarshal(out, r.Index(i).Addr().Interface()); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// Unmarshal decodes into v, which shares no memory with the bytes afterwards.
func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

func isNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Interface:
		return r.IsNil()
	default:
		return false
	}
}
