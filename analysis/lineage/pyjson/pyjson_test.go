package pyjson

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

const vectors = "../../../../shared/lineage-vectors/"

func TestVectors(t *testing.T) {
	src, err := os.ReadFile(vectors + "canonical-json.json")
	if err != nil {
		t.Skip("needs ../shared/lineage-vectors beside the repository; nothing to install")
	}
	var file struct {
		Cases []struct {
			Case    string
			Legacy  string `json:"py_json_v1_hex"`
			JCS     string `json:"jcs_v2_hex"`
			Literal string `json:"python_literal_as_ascii_json"`
		}
	}
	if err := json.Unmarshal(src, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		v, err := Parse([]byte(c.Literal))
		if err != nil {
			t.Fatalf("%s: %v", c.Case, err)
		}
		for form, want := range map[Form]string{Legacy: c.Legacy, Canonical: c.JCS} {
			got, err := Encode(v, form)
			if err != nil || hex.EncodeToString(got) != want {
				b, _ := hex.DecodeString(want)
				t.Errorf("%s in form %d: %s, %v; want %s", c.Case, form, got, err, b)
			}
		}
	}
}

// What Python's json.loads accepts, and how json.dumps and RFC 8785 write it again.
func TestForms(t *testing.T) {
	for _, c := range []struct{ src, legacy, canonical, ascii string }{
		{`{"b":1,"a":2,"b":3}`, `{"a":2,"b":3}`, `{"a":2,"b":3}`, `{"a":2,"b":3}`},
		{"\xef\xbb\xbf 1 ", `1`, `1`, `1`},
		{`-0`, `0`, `0`, `0`},
		{`123456789012345678901234567890`, `123456789012345678901234567890`, `123456789012345678901234567890`, `123456789012345678901234567890`},
		{`1E2`, `100.0`, `100`, `100.0`},
		{`0.0001`, `0.0001`, `0.0001`, `0.0001`},
		{`0.00001`, `1e-05`, `0.00001`, `1e-05`},
		{`1e-7`, `1e-07`, `1e-7`, `1e-07`},
		{`9999999999999998.0`, `9999999999999998.0`, `9999999999999998`, `9999999999999998.0`},
		{`1e16`, `1e+16`, `10000000000000000`, `1e+16`},
		{`-1.5e300`, `-1.5e+300`, `-1.5e+300`, `-1.5e+300`},
		{`1e999`, `Infinity`, ``, `Infinity`},
		{`[NaN,-Infinity]`, `[NaN,-Infinity]`, ``, `[NaN,-Infinity]`},
		{`"\u00e9\ud83d\ude00\/"`, `"é😀/"`, `"é😀/"`, `"\u00e9\ud83d\ude00/"`},
		{`"\ud800"`, ``, ``, `"\ud800"`},
		{"\"\xed\xa0\x80\"", ``, ``, `"\ud800"`},
		{"\"\x7f\u0080\u2028\"", "\"\x7f\u0080\u2028\"", "\"\x7f\u0080\u2028\"", "\"\x7f\\u0080\\u2028\""},
		// An astral name sorts before U+E000 by UTF-16 unit, after it by code point, and
		// after everything else in both.
		{`{"😀":1,"\ue000":2,"é":3,"一":4}`, "{\"é\":3,\"一\":4,\"\ue000\":2,\"😀\":1}", "{\"é\":3,\"一\":4,\"😀\":1,\"\ue000\":2}", `{"\u00e9":3,"\u4e00":4,"\ue000":2,"\ud83d\ude00":1}`},
	} {
		v, err := Parse([]byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		for form, want := range []string{c.legacy, c.canonical, c.ascii} {
			got, err := Encode(v, Form(form))
			if want == "" {
				if !errors.Is(err, ErrSurrogate) && !errors.Is(err, ErrNotFinite) {
					t.Errorf("%s in form %d: %s, %v; want an error", c.src, form, got, err)
				}
			} else if err != nil || string(got) != want {
				t.Errorf("%s in form %d: %s, %v; want %s", c.src, form, got, err, want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, src := range []string{
		"", " ", "{", "[1,]", `{"a":1,}`, `{"a"}`, `{1:2}`, "01", "1.", ".5", "+1", "1e", "nan", "tru", "1 2",
		`"`, `"\x"`, `"\u12g4"`, `"\u12`, "\"\x01\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\"", "'a'",
		strings.Repeat("[", 100_000), strings.Repeat("9", 5000), "\xef\xbb\xbf\xef\xbb\xbf1",
	} {
		if v, err := Parse([]byte(src)); err == nil {
			t.Errorf("%.40q was read as %v", src, v.Kind())
		}
	}
}

func TestConversions(t *testing.T) {
	for _, c := range []struct{ src, toInt, toText string }{
		{`null`, "", "None"},
		{`true`, "1", "True"},
		{`12`, "12", "12"},
		{`-1.9`, "-1", "-1.9"},
		{`1e30`, "1000000000000000019884624838656", "1e+30"},
		{`NaN`, "", "nan"},
		{`-Infinity`, "", "-inf"},
		{`" 1_000 "`, "1000", " 1_000 "},
		{`"+7"`, "7", "+7"},
		{`"1__0"`, "", "1__0"},
		{`"_1"`, "", "_1"},
		{`"x"`, "", "x"},
		{`""`, "", ""},
		{`[1]`, "", ""},
	} {
		v, err := Parse([]byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if i, ok := v.ToInt(); ok {
			got = i.String()
		}
		if got != c.toInt {
			t.Errorf("int(%s) = %q, want %q", c.src, got, c.toInt)
		}
		if s, _ := v.ToText(); s != c.toText {
			t.Errorf("str(%s) = %q, want %q", c.src, s, c.toText)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `true`, true}, {`0`, `false`, true}, {`1.0`, `1`, true}, {`2`, `true`, false}, {`"1"`, `1`, false},
		{`{"a":1,"b":[0]}`, `{"b":[false],"a":1.0}`, true}, {`[1]`, `[1,2]`, false}, {`NaN`, `NaN`, false},
		{`Infinity`, `Infinity`, true}, {`Infinity`, `1`, false}, {`null`, `false`, false},
	} {
		a, err := Parse([]byte(c.a))
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse([]byte(c.b))
		if err != nil {
			t.Fatal(err)
		}
		if a.Equal(b) != c.want || b.Equal(a) != c.want {
			t.Errorf("%s == %s is not %t", c.a, c.b, c.want)
		}
	}
}

// What is written reads back as the same value, and is written the same again. What
// encoding/json accepts in UTF-8, Parse does too.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x\ud800"],"b":null}`, `-0.0`, `[NaN]`, "\xef\xbb\xbf{}", `{"a":1,"a":2}`, `1e400`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := Parse(src)
		if err != nil {
			if json.Valid(src) && utf8.Valid(src) && len(src) < MaxDepth {
				t.Fatalf("encoding/json accepts %q: %v", src, err)
			}
			return
		}
		for _, form := range []Form{Legacy, Canonical, ASCII} {
			out, err := Encode(v, form)
			if err != nil {
				continue
			}
			again, err := Parse(out)
			if err != nil {
				t.Fatalf("%q in form %d is %q: %v", src, form, out, err)
			}
			if out2, err := Encode(again, form); err != nil || string(out2) != string(out) {
				t.Fatalf("%q in form %d is %q, then %q (%v)", src, form, out, out2, err)
			}
		}
	})
}
