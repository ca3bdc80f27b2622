// Package toolpathls_test keeps what ARCHITECTURE.md says about who may import whom, and
// docs/dependencies.md about modules of others.
package toolpathls_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/toolpath-ls/toolpath-ls"

// goPackage is what go list tells of a package.
type goPackage struct {
	ImportPath   string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
	CgoFiles     []string
}

// packages lists our packages and all that they import, by import path.
func packages(t *testing.T) map[string]goPackage {
	t.Helper()
	all := map[string]goPackage{}
	decoder := json.NewDecoder(strings.NewReader(run(t, "go", "list", "-deps",
		"-json=ImportPath,Standard,Imports,TestImports,XTestImports,CgoFiles", "./...")))
	for {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}

// in says whether an import path is one of the packages or below one of them; those of
// ours are written without the module.
func in(path string, packages ...string) bool {
	return slices.ContainsFunc(packages, func(p string) bool {
		ours := module + "/" + p
		return path == p || path == ours || strings.HasPrefix(path, p+"/") || strings.HasPrefix(path, ours+"/")
	})
}

// chain returns how a package comes to import what the function accepts, itself first,
// over however many others; nil if it does not.
func chain(all map[string]goPackage, from string, accept func(string) bool) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range all[queue[0]].Imports {
			if _, seen := came[next]; seen {
				continue
			}
			came[next] = queue[0]
			if accept(next) {
				var path []string
				for p := next; p != ""; p = came[p] {
					path = append(path, p)
				}
				slices.Reverse(path)
				return path
			}
			if !all[next].Standard { // what the standard library needs is its own affair
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// verifiers verify signatures with libraries that know networks, and make them for tests.
// They are handed to whoever asks by the commands alone.
var verifiers = []string{"analysis/trust/ssh", "analysis/trust/sigstore", "analysis/trust/keyring", "analysis/trust/trusttest"}

// What packages must not reach, on however long a way.
func TestImports(t *testing.T) {
	all := packages(t)
	for _, c := range []struct {
		from, except []string // folders
		forbidden    []string // folders, modules
		standard     []string // packages of the standard library
		why          string
	}{
		{
			from: []string{"analysis"}, except: verifiers,
			forbidden: slices.Concat([]string{"lsp", "cmd", "structural", "go.lsp.dev"}, verifiers),
			standard:  []string{"log", "log/slog", "net", "net/http", "plugin", "testing"},
			why:       "the analysis knows no protocol, no editor and no network, and logs nothing; whose libraries do is a leaf",
		},
		{
			from: []string{"analysis"}, except: slices.Concat([]string{"analysis/repo"}, verifiers),
			forbidden: []string{"analysis/repo"},
			standard:  []string{"os/exec", "os/signal"},
			why:       "only analysis/repo does I/O and runs programs",
		},
		{
			from:      []string{"analysis/text", "analysis/jsonsrc", "analysis/udiff", "analysis/linediff"},
			forbidden: []string{"analysis/toolpath", "analysis/schema", "analysis/provenance", "analysis/rules"},
			why:       "data flows one way: what reads text knows nothing of what it means",
		},
		{
			from: []string{"lsp"}, except: []string{"lsp/lsptest"},
			forbidden: slices.Concat([]string{"structural", "analysis/repo", "cmd"}, verifiers),
			standard:  []string{"os/exec"},
			why:       "the server gets files, git, keys and grammars through interfaces",
		},
		{
			from:      []string{"lsp/lsptest"},
			forbidden: []string{"analysis", "go.lsp.dev"},
			why:       "the tests' editor shares no code with the server that it tests",
		},
		{
			from:      []string{"structural"},
			forbidden: []string{"lsp", "cmd", "analysis/repo", "go.lsp.dev"},
			why:       "the grammars are a leaf",
		},
	} {
		for path := range all {
			if !strings.HasPrefix(path, module) || !in(path, c.from...) || in(path, c.except...) {
				continue
			}
			if way := chain(all, path, func(p string) bool { return in(p, c.forbidden...) || slices.Contains(c.standard, p) }); way != nil {
				t.Errorf("%s\n(%s)", strings.Join(way, "\n  imports "), c.why)
			}
		}
	}
}

// The analysis reads no file by itself, and the core knows neither its rules nor the disk.
func TestDirectImports(t *testing.T) {
	all := packages(t)
	for path, p := range all {
		if !strings.HasPrefix(path, module) {
			continue
		}
		for _, to := range p.Imports {
			switch {
			case in(to, "cmd"):
				t.Errorf("%s imports %s: nobody imports a command", path, to)
			case in(to, "lsp/lsptest", "analysis/trust/trusttest"):
				t.Errorf("%s imports %s: it is for tests", path, to)
			case in(path, "analysis") && !in(path, "analysis/repo", "analysis/trust/trusttest") && slices.Contains([]string{"os", "io/ioutil", "os/exec", "net", "net/http", "log"}, to):
				t.Errorf("%s imports %s: what the analysis reads comes through a Source", path, to)
			case path == module+"/analysis" && in(to, "analysis/rules"):
				t.Errorf("%s imports %s: rules import the engine, never the reverse", path, to)
			}
		}
	}
}

// cgo is confined to one folder, so that all else can be fuzzed and cross-compiled.
func TestCgo(t *testing.T) {
	all := packages(t)
	for path, p := range all {
		if !strings.HasPrefix(path, module) || in(path, "structural", "cmd") {
			continue
		}
		if len(p.CgoFiles) > 0 || slices.Contains(p.Imports, "C") {
			t.Errorf("%s uses cgo", path)
		}
		usesCgo := func(to string) bool { return !all[to].Standard && len(all[to].CgoFiles) > 0 }
		if way := chain(all, path, usesCgo); way != nil {
			t.Errorf("%s\n(which uses cgo)", strings.Join(way, "\n  imports "))
		}
	}
}

// The analysis starts no goroutine, and no test sleeps but where time is not real.
func TestGoroutinesAndSleeps(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		isTest := strings.HasSuffix(name, "_test.go")
		pure := !isTest && strings.HasPrefix(filepath.ToSlash(name), "analysis/") && !strings.HasPrefix(filepath.ToSlash(name), "analysis/repo/")
		inBubble := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` })
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if pure {
					t.Errorf("%s starts a goroutine", name)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && n.Sel.Name == "Sleep" && isTest && !inBubble {
					t.Errorf("%s sleeps", name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The modules of others that we import are those that go.mod calls direct, and each has
// its reason in docs/dependencies.md.
func TestDependencies(t *testing.T) {
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal([]byte(run(t, "go", "mod", "edit", "-json")), &mod); err != nil {
		t.Fatal(err)
	}
	direct, imported, documented := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range mod.Require {
		if !r.Indirect {
			direct[r.Path] = true
		}
	}
	all := packages(t)
	for path, p := range all {
		if !strings.HasPrefix(path, module) {
			continue
		}
		for _, to := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			longest := ""
			for _, r := range mod.Require {
				if (to == r.Path || strings.HasPrefix(to, r.Path+"/")) && len(r.Path) > len(longest) {
					longest = r.Path
				}
			}
			if longest != "" {
				imported[longest] = true
			}
		}
	}
	doc, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		documented[row[1]] = true
	}
	if !maps.Equal(direct, imported) {
		t.Errorf("go.mod calls direct %q, imported are %q: run go mod tidy", keys(direct), keys(imported))
	}
	if !maps.Equal(direct, documented) {
		t.Errorf("go.mod calls direct %q, docs/dependencies.md has rows for %q", keys(direct), keys(documented))
	}
}

func keys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// ofMakefile is a variable of the Makefile.
func ofMakefile(t *testing.T, name string) string {
	t.Helper()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + ` = (.*)$`).FindSubmatch(makefile)
	if found == nil {
		t.Fatalf("the Makefile has no %s", name)
	}
	return strings.ReplaceAll(string(found[1]), "$$", "$")
}

// The packages that the Makefile tests without the race detector have nothing for it to find.
func TestPackagesWithoutGoroutines(t *testing.T) {
	single := regexp.MustCompile(ofMakefile(t, "SINGLE"))
	checked := 0
	for path, p := range packages(t) {
		if !strings.HasPrefix(path, module+"/analysis/") || !single.MatchString(path) {
			continue
		}
		checked++
		for _, name := range []string{"sync", "sync/atomic"} {
			if slices.Contains(p.Imports, name) {
				t.Errorf("%s imports %s: test it under the race detector", path, name)
			}
		}
		dir := strings.TrimPrefix(path, module+"/")
		parsed, err := parser.ParseDir(token.NewFileSet(), filepath.FromSlash(dir), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, pkg := range parsed {
			ast.Inspect(pkg, func(n ast.Node) bool {
				if _, ok := n.(*ast.GoStmt); ok {
					t.Errorf("%s starts a goroutine: test it under the race detector", path)
				}
				return true
			})
		}
	}
	if checked == 0 {
		t.Error("SINGLE matches no package")
	}
}

// What does less under the race detector is done in full without it.
func TestLargeTests(t *testing.T) {
	single, large := regexp.MustCompile(ofMakefile(t, "SINGLE")), regexp.MustCompile(ofMakefile(t, "LARGE"))
	in := strings.Fields(ofMakefile(t, "LARGE_IN"))
	for path := range packages(t) {
		dir := strings.Replace(path, module, ".", 1)
		if dir == path || single.MatchString(path) {
			continue
		}
		ran := 0
		for _, name := range testsThatDoLess(t, dir) {
			if ran++; !large.MatchString(name) || !slices.Contains(in, dir) {
				t.Errorf("%s of %s does less under the race detector: name it in the Makefile's LARGE and LARGE_IN", name, dir)
			}
		}
		if ran == 0 && slices.Contains(in, dir) {
			t.Errorf("%s is among LARGE_IN: no test of it does less under the race detector", dir)
		}
	}
}

// testsThatDoLess are the tests of a folder that call what internal/race has, by other functions too.
func testsThatDoLess(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	less := map[string]bool{}
	functions := map[string]*ast.FuncDecl{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				functions[f.Name.Name] = f
			}
		}
	}
	calls := func(f *ast.FuncDecl) (found bool) {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch to := call.Fun.(type) {
				case *ast.Ident:
					found = found || less[to.Name]
				case *ast.SelectorExpr:
					of, ok := to.X.(*ast.Ident)
					found = found || ok && of.Name == "race"
				}
			}
			return !found
		})
		return found
	}
	for more := true; more; {
		more = false
		for name, f := range functions {
			if !less[name] && calls(f) {
				less[name], more = true, true
			}
		}
	}
	var tests []string
	for name := range less {
		if strings.HasPrefix(name, "Test") {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests
}
