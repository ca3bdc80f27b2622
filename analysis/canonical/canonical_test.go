package canonical

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

func of(t *testing.T, src string) (Form, error) {
	t.Helper()
	return Of(jsonsrc.Parse([]byte(src), jsonsrc.Layout{}).Root())
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"keys in order, no white space", ` { "b" : 1 , "a" : [ true , null ] } `, `{"a":[true,null],"b":1}`},
		{"numbers as ECMAScript writes them", `[1.0,1e2,-0,0.00001,1E-7,123456789012345,1e21,333333333.3333333]`, `[1,100,0,0.00001,1e-7,123456789012345,1e+21,333333333.3333333]`},
		{"the fewest escapes", `"\u0041\/\u00e9\u001F\b\"\\\u20ac"`, `"A/é\u001f\b\"\\€"`},
		{"a key by its content", `{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		{"surrogates", `"\ud83d\ude00"`, `"😀"`},
		{"empty", `{"a":{},"b":[],"":""}`, `{"":"","a":{},"b":[]}`},
	} {
		f, err := of(t, c.src)
		if err != nil || string(f.ByBytes) != c.want || f.ByUnits != nil {
			t.Errorf("%s: %s, %s, %v; want %s", c.name, f.ByBytes, f.ByUnits, err, c.want)
		}
	}
}

func TestOrdersOfKeys(t *testing.T) {
	f, err := of(t, `{"😀":1,"～":2,"a":3}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(f.ByBytes), `{"a":3,"～":2,"😀":1}`; got != want {
		t.Errorf("by bytes %s, want %s", got, want)
	}
	if got, want := string(f.ByUnits), `{"a":3,"😀":1,"～":2}`; got != want {
		t.Errorf("by units %s, want %s", got, want)
	}
	if f, _ := of(t, `{"😀":1,"a😀":2}`); f.ByUnits != nil {
		t.Errorf("orders are said to differ where they do not: %s", f.ByUnits)
	}
}

func TestWhatHasNoForm(t *testing.T) {
	for _, src := range []string{
		``, `{`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":}`, `[1,]`, `"\ud800"`, "\"\xff\"", `"a`, "\"\n\"",
		`9007199254740993`, `1e400`, `1e-400`, `0.1234567890123456789`, `01`, `+1`, `{"a" 1}`, `[1 2]`, `{"a":{"b":tru}}`,
	} {
		if f, err := of(t, src); err == nil {
			t.Errorf("%s has the form %s", src, f.ByBytes)
		}
	}
}

func TestObjectsOfOurMaking(t *testing.T) {
	v := jsonsrc.Parse([]byte(`{"b":2,"a":1}`), jsonsrc.Layout{}).Root()
	f, err := OfObject(Object{{"z", []string{"x", `"`}}, {"m", Object{{"k", "é"}}}, {"a", v}})
	if want := `{"a":{"a":1,"b":2},"m":{"k":"é"},"z":["x","\""]}`; err != nil || string(f.ByBytes) != want {
		t.Errorf("%s, %v; want %s", f.ByBytes, err, want)
	}
}

// jsontext, which is written by others, judges the form and whether there is one.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1.50,-0,1e3],"a":"\u00e9\u0007"}`, `{"😀":1,"～":2}`, `[9007199254740993]`, `{"a":1,"a":2}`, `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		tree := jsonsrc.Parse(src, jsonsrc.Layout{})
		form, err := Of(tree.Root())
		if err != nil {
			return
		}
		want := jsontext.Value(bytes.Clone(src))
		if err := want.Canonicalize(); err != nil {
			t.Fatalf("%q has the form %q, but by jsontext none: %v", src, form.ByBytes, err)
		}
		units := form.ByUnits
		if units == nil {
			units = form.ByBytes
		}
		if !bytes.Equal(units, want) {
			t.Fatalf("%q has the form %q, by jsontext %q", src, units, want)
		}
		var a, b any
		if json.Unmarshal(form.ByBytes, &a) != nil || json.Unmarshal(units, &b) != nil {
			t.Fatalf("%q is no JSON", form.ByBytes)
		}
	})
}

// A long step, as agent sessions have them; jsontext, which writes the form of RFC 8785 too,
// is the peer.
func BenchmarkCanonical(b *testing.B) {
	src := []byte(`{"step":{"id":"s","actor":"agent:x","timestamp":"2026-01-29T10:00:00Z"},"change":{` +
		`"src/a.go":{"raw":"` + strings.Repeat(`+\tfmt.Println(\"hello, world\") // é\n`, 2000) + `","structural":{"n":[1,2.5,1e3]}}}}`)
	v := jsonsrc.Parse(src, jsonsrc.Layout{}).Root()
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			if _, err := Of(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("jsontext", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			c := jsontext.Value(bytes.Clone(src))
			if err := c.Canonicalize(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
