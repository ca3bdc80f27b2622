//go:build cgo

package structural

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// samples has for every language a text, and what its query finds there.
var samples = map[string]struct {
	source string
	defs   string
}{
	"go":         {"package a\n\nimport \"fmt\"\n\ntype T struct{ X int }\n\nfunc (t *T) M() { fmt.Println(t) }\n\nconst C = 1\n", "import \"fmt\", type T, struct T, field X, method M, const C"},
	"rust":       {"use std::io;\n\n#[derive(Debug)]\npub struct P { x: i32 }\n\nimpl Clone for P { fn clone(&self) -> P { todo!() } }\n", "import std::io, struct P, field x, impl P, function clone"},
	"python":     {"import os\n\nclass A(B):\n    x = 1\n\n    @property\n    def f(self):\n        return os\n", "import os, class A, field x, function f"},
	"javascript": {"import a from 'a';\nexport const f = (x) => x;\nclass C { m() {} }\n", "import 'a', const f, function f, class C, method m"},
	"typescript": {"interface I { a: string }\ntype T<X> = X | null;\nfunction f<T>(x: T): T { return x; }\n", "interface I, field a, type T, function f"},
	"tsx":        {"function A(p: P): E { return <b>{p.x}</b>; }\n", "function A"},
	"java":       {"import a.B;\nclass C<T> { int f; C() {} void m() {} }\nenum E { X }\n", "import a.B, class C, field f, method C, method m, enum E, variant X"},
	"c":          {"#include <a.h>\n#define X 1\nint f(void);\nstatic int *g(int a) { return &a; }\nstruct S { int m; };\n", "import <a.h>, macro X, declaration f, function g, struct S, field m"},
	"cpp":        {"namespace n {\ntemplate <class T> class C { void m(); };\ntemplate <class T> void C<T>::m() {}\n}\n", "mod n, class C, declaration m, method C<T>::m"},
	"csharp":     {"using System;\nnamespace N { class C { int P { get; set; } void M() {} } }\n", "import System, mod N, class C, field P, method M"},
	"ruby":       {"module M\n  class C\n    X = 1\n    def m(a) = a\n    def self.s; end\n  end\nend\n", "mod M, class C, const X, method m, method s"},
	"php":        {"<?php\nnamespace N;\nuse A\\B;\nclass C { public int $p = 1; function m() {} }\n", "mod N, import A\\B, class C, field $p, method m"},
	"bash":       {"x=1\nf() { echo \"$x\"; }\n", "var x, function f"},
	"scala":      {"import a.b\nobject O { val x = 1; def f(y: Int): Int = y }\n", "import, class O, const x, function f"},
	"json":       {"{\"a\": [1, {\"b\": null}]}\n", "key \"a\", key \"b\""},
	"yaml":       {"a:\n  b: [1, 2]\n", "key a, key b"},
	"toml":       {"[t]\na = 1\n", "table t, key a"},
	"html":       {"<p><b>x</b></p>\n", "element p, element b"},
	"css":        {"a:hover, b { color: red }\n", "rule a:hover, b"},
	"markdown":   {"# One\n\ntext\n", "section One"},
}

// Every language has a grammar that fits, kinds that its rules speak of, and a query.
func TestLanguages(t *testing.T) {
	if len(Languages()) != len(samples) {
		t.Errorf("%d languages, %d samples", len(Languages()), len(samples))
	}
	for _, l := range Languages() {
		t.Run(l.Name, func(t *testing.T) {
			sample := samples[l.Name]
			tree, err := Parse(sample.source, l, Options{Query: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range l.Rules.names() {
				if !slices.Contains(l.loaded.kinds, name) {
					t.Errorf("the grammar has no %q", name)
				}
			}
			if tree.Nodes[0].Flags&Faulty != 0 {
				t.Errorf("a fault in the sample")
			}
			if got := definitions(tree); got != sample.defs {
				t.Errorf("definitions\n%s\nwant\n%s", got, sample.defs)
			}
		})
	}
}

// definitions are the kinds and names that the query finds, by place.
func definitions(t *Tree) string {
	type definition struct {
		node       uint32
		kind, name string
	}
	byMatch := map[uint32]*definition{}
	var all []*definition
	for _, c := range t.Captures {
		d := byMatch[c.Match]
		if d == nil {
			d = &definition{}
			byMatch[c.Match] = d
			all = append(all, d)
		}
		if kind, ok := strings.CutPrefix(t.CaptureName(c), "def."); ok {
			d.node, d.kind = c.Node, kind
		} else if t.CaptureName(c) == "name" {
			d.name = " " + t.Text(int(c.Node))
		}
	}
	slices.SortStableFunc(all, func(a, b *definition) int { return int(a.node) - int(b.node) })
	var out []string
	for _, d := range all {
		out = append(out, d.kind+d.name)
	}
	return strings.Join(slices.Compact(out), ", ")
}

func TestForFile(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a/b.go", "", "go"},
		{"B.PY", "", "python"},
		{"x.tsx", "", "tsx"},
		{`c:\a\Rakefile`, "", "ruby"},
		{"tool", "#!/usr/bin/env python3\n", "python"},
		{"tool", "#!/bin/sh -e\n", "bash"},
		{"tool", "just text", ""},
		{"a.unknown", "#!/bin/sh\n", ""},
		{"", "", ""},
	} {
		got := ""
		if l := ForFile(c.name, c.source); l != nil {
			got = l.Name
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.source, got, c.want)
		}
	}
}

// What is beyond a limit is an error that says so.
func TestLimits(t *testing.T) {
	source := "package a\n" + strings.Repeat("var x = f(1, 2, 3)\n", 100_000)
	for _, c := range []struct {
		limits Limits
		want   error
	}{
		{Limits{Bytes: 1000, Nodes: 1 << 20, Time: time.Minute}, ErrTooLarge},
		{Limits{Bytes: 8 << 20, Nodes: 1000, Time: time.Minute}, ErrTooLarge},
		{Limits{Bytes: 8 << 20, Nodes: 1 << 24, Time: time.Nanosecond}, ErrTooSlow},
	} {
		if _, err := Parse(source, ByName("go"), Options{Limits: c.limits}); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.limits, err, c.want)
		}
	}
	if _, err := Parse("", nil, Options{}); !errors.Is(err, ErrNoGrammar) {
		t.Errorf("no language: %v", err)
	}
}

// A tree has every node in its parent, in order, and tells where it is.
func TestTree(t *testing.T) {
	source := "package a\n\nfunc f(x int) int { return x + 1 }\n"
	tree, err := Parse(source, ByName("go"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, tree)
	at := strings.Index(source, "x + 1")
	n := tree.At(at, at+5)
	if tree.Kind(n) != "binary_expression" || tree.Text(n) != "x + 1" {
		t.Errorf("at x + 1: %s %q", tree.Kind(n), tree.Text(n))
	}
	if left := tree.Child(n, "left"); left < 0 || tree.Text(left) != "x" {
		t.Errorf("left of x + 1: %d", left)
	}
	if n := tree.Child(n, "body"); n != -1 {
		t.Errorf("x + 1 has a body: %d", n)
	}
}

// check looks at all that a tree promises.
func check(t *testing.T, tree *Tree) {
	t.Helper()
	for n := range tree.Nodes {
		node := &tree.Nodes[n]
		if node.Start > node.End || int(node.End) > len(tree.Source) || int(node.Next) <= n || int(node.Next) > len(tree.Nodes) {
			t.Fatalf("node %d of %d is %+v in %d bytes", n, len(tree.Nodes), *node, len(tree.Source))
		}
		if parent := &tree.Nodes[node.Parent]; n > 0 && (int(node.Parent) >= n || node.Next > parent.Next || node.Start < parent.Start || node.End > parent.End) {
			t.Fatalf("node %d %+v is not in its parent %d %+v", n, *node, node.Parent, *parent)
		}
		if n > 0 && node.Start < tree.Nodes[n-1].Start {
			t.Fatalf("node %d starts before node %d", n, n-1)
		}
		_, _ = tree.Kind(n), tree.Field(n)
	}
	for _, c := range tree.Captures {
		if int(c.Node) >= len(tree.Nodes) || tree.CaptureName(c) == "" {
			t.Fatalf("capture %+v", c)
		}
	}
}

// No bytes make a grammar's C code crash or a tree that is none. language is an index into
// Languages.
func FuzzParse(f *testing.F) {
	for i, l := range Languages() {
		f.Add(uint8(i), samples[l.Name].source)
		f.Add(uint8(i), "\x00\xff\xfe{[(<\"'`\n\t# */ %}")
		f.Add(uint8(i), strings.Repeat("(", 500)+samples[l.Name].source[:10])
	}
	f.Fuzz(func(t *testing.T, language uint8, source string) {
		all := Languages()
		l := all[int(language)%len(all)]
		tree, err := Parse(source, l, Options{Query: true, Limits: Limits{Bytes: 1 << 16, Nodes: 1 << 20, Time: time.Second}})
		if err != nil {
			if !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrTooSlow) {
				t.Fatal(err)
			}
			return
		}
		check(t, tree)
	})
}
