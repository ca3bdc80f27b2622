package lsp

import (
	"net/url"
	"strings"
	"testing"

	"go.lsp.dev/uri"
)

// What a virtual document's URI says must survive every editor's way of writing URIs.
func TestContentURI(t *testing.T) {
	for _, name := range []string{"main.go", "a b&c=d.rs", "50%25.txt", "ü/𝒳?.py#1", "..", "", "a\x00\n.md", strings.Repeat("x", 300) + ".ts"} {
		for _, data := range []contentData{
			{"file:///work/a.path.json", "p", "s1", "", "", 0},
			{"file:///c%3A/wörk/a=b&c.path.json", "agent://x/y#1", "s 1%2F?=&", "src/ü 𝒳.go", "", 0},
			{"untitled:Untitled-1", "", "", "file:///x?y", "file:///ü.go", 1 << 40},
		} {
			made := contentURI(contentAt, name, data)
			again, err := uri.Parse(made)
			if err != nil || string(again) != made {
				t.Errorf("vscode-uri writes %s as %s: %v", made, again, err)
			}
			parsed, err := url.Parse(made)
			if err != nil {
				t.Fatal(err)
			}
			segments := strings.Split(parsed.Path, "/")
			if base := segments[len(segments)-1]; len(segments) != 3 || base == "" || base == ".." {
				t.Errorf("%q ends as %q", name, segments[1:])
			}
			// Emacs and Neovim escape more or less than vscode-uri does.
			decoded, err := url.PathUnescape(made)
			if err != nil {
				t.Fatal(err)
			}
			for _, spelling := range []string{made, parsed.String(), strings.ReplaceAll(decoded, "%", "%25"), strings.ReplaceAll(made, "-", "%2D")} {
				kind, got, ok := parseContentURI(spelling)
				if !ok || kind != contentAt || got != data {
					t.Errorf("%s is read as %s %+v %v", spelling, kind, got, ok)
				}
			}
		}
	}
	for _, bad := range []string{"", "file:///x", "toolpath://other/e30/x", "toolpath://at/", "toolpath://at/%%%/x", "toolpath://at/W10/x", "toolpath://at?document=x"} {
		if _, _, ok := parseContentURI(bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
	if got := contentURI(contentDiff, "long/"+strings.Repeat("ü", 80)+".go", contentData{}); !strings.HasSuffix(got, ".go") {
		t.Errorf("the language is lost: %s", got)
	}
}
