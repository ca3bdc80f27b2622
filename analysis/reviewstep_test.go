package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// reviewed is a file of an agent in a workspace, and what was reviewed of it.
type reviewed struct {
	t *testing.T
	*memory
	file string
}

const reviewTime = "2026-01-03T10:00:00Z"

func (r *reviewed) work() (*analysis.Workspace, *analysis.Provenance, *analysis.Reviews) {
	r.t.Helper()
	w := r.workspace()
	for name, content := range r.files {
		if strings.Contains(name, ".path.json") {
			w.Add(name, []byte(content))
		}
	}
	_, p, err := w.ProvenanceOf(r.t.Context(), r, analysis.FileURI(r.file), text.New([]byte(r.files[r.file])))
	if err != nil {
		r.t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, reviewTime)
	if err != nil {
		r.t.Fatal(err)
	}
	reviews, err := w.Reviews(r.t.Context(), r, p, at)
	if err != nil {
		r.t.Fatal(err)
	}
	return w, p, reviews
}

// unreviewed lists the lines that nobody has reviewed, counted from 1.
func (r *reviewed) unreviewed() (lines []int) {
	r.t.Helper()
	_, p, reviews := r.work()
	for _, run := range p.Unreviewed(0, p.Len(), reviews) {
		for i := run.Start; i < run.End; i++ {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func (r *reviewed) want(when string, lines ...int) {
	r.t.Helper()
	if got := r.unreviewed(); !slices.Equal(got, lines) {
		r.t.Errorf("%s: unreviewed are %v, want %v", when, got, lines)
	}
}

// approve marks the lines [from, to] as reviewed and writes that into the document.
func (r *reviewed) approve(from, to int, actor string) error {
	r.t.Helper()
	_, p, reviews := r.work()
	approval, err := p.Approve(from-1, to, reviews, actor, reviewTime)
	if err != nil {
		return err
	}
	for _, d := range approval.Edits {
		content := string(d.Doc.Text.Bytes())
		for _, e := range slices.Backward(d.Edits) {
			content = content[:e.Start] + e.New + content[e.End:]
		}
		r.files[d.Doc.Path] = content
	}
	return nil
}

// clean fails if a document has problems.
func (r *reviewed) clean(document string) {
	r.t.Helper()
	w := r.workspace()
	w.Open(analysis.FileURI(document), "", 1, r.files[document])
	for _, d := range w.Snapshot().Check(analysis.FileURI(document), nil) {
		if d.Severity < analysis.Hint {
			r.t.Errorf("%s: %s %s\n%s", document, d.Rule.ID, d.Message, r.files[document])
		}
	}
}

const ofAgent = `{
  "graph": {
    "id": "g"
  },
  "paths": [
    {
      "path": {
        "id": "p",
        "base": {"uri": "file:///w"},
        "head": "s1"
      },
      "steps": [
        {
          "step": {"id": "s1", "actor": "agent:x", "timestamp": "2026-01-02T10:00:00Z"},
          "change": {"a.txt": {"structural": {"type": "file.write", "operation": "add", "after": "one\ntwo\nthree\nfour\n"}}}
        }
      ]
    }
  ]
}
`

// next adds a step behind the head of a document with one path.
func (r *reviewed) next(document, parent, id, actor, raw string) {
	step := fmt.Sprintf(`{"step": {"id": %q, "parents": [%q], "actor": %q, "timestamp": "2026-01-04T10:00:00Z"}, "change": {"a.txt": {"raw": %q}}}`, id, parent, actor, raw)
	content := r.files[document]
	if strings.HasSuffix(document, "l") {
		content += `{"Step":` + step + "}\n" + fmt.Sprintf(`{"Head":{"step_id":%q}}`, id) + "\n"
	} else {
		content = strings.Replace(content, fmt.Sprintf(`"head": %q`, parent), fmt.Sprintf(`"head": %q`, id), 1)
		end := strings.LastIndex(content, "]\n    }\n  ]")
		content = strings.TrimRight(content[:end], " \n") + ",\n" + step + content[end:]
	}
	r.files[document] = content
}

// What a human has approved counts as reviewed for as long as it has the words that it had then.
func TestReviewSteps(t *testing.T) {
	stream := `{"PathOpen":{"version":"1","id":"p","base":{"uri":"file:///w"}}}` + "\n" +
		`{"Step":{"step":{"id":"s1","actor":"agent:x","timestamp":"2026-01-02T10:00:00Z"},"change":{"a.txt":{"structural":{"type":"file.write","operation":"add","after":"one\ntwo\nthree\nfour\n"}}}}}` + "\n" +
		`{"Head":{"step_id":"s1"}}` + "\n"
	for document, content := range map[string]string{"/w/a.path.json": ofAgent, "/w/a.path.jsonl": stream} {
		t.Run(document, func(t *testing.T) {
			r := &reviewed{t, &memory{files: map[string]string{document: content, "/w/a.txt": "one\ntwo\nthree\nfour\n"}}, "/w/a.txt"}
			r.want("before", 1, 2, 3, 4)
			if err := r.approve(2, 3, "human:alex"); err != nil {
				t.Fatal(err)
			}
			r.clean(document)
			r.want("two lines", 1, 4)
			if err := r.approve(2, 3, "human:alex"); err == nil {
				t.Error("what is reviewed was reviewed again")
			}
			if err := r.approve(1, 4, "human:bo"); err != nil {
				t.Fatal(err)
			}
			r.clean(document)
			r.want("all")
			if !strings.Contains(r.files[document], "review://a.txt#L2-L3") || !strings.Contains(r.files[document], "review://a.txt#L4") {
				t.Errorf("the document is\n%s", r.files[document])
			}

			// Lines above that come and go do not matter; other words of an agent do.
			r.next(document, "review-2", "s2", "agent:y", "@@ -0,0 +1,1 @@\n+zero\n")
			r.files["/w/a.txt"] = "zero\none\ntwo\nthree\nfour\n"
			r.want("a line above", 1)
			r.next(document, "s2", "s3", "agent:y", "@@ -3,1 +3,1 @@\n-two\n+zwei\n")
			r.files["/w/a.txt"] = "zero\none\nzwei\nthree\nfour\n"
			r.want("a line of an agent anew", 1, 3)
			// A formatter takes nothing back.
			r.next(document, "s3", "s4", "tool:fmt", "@@ -4,1 +4,1 @@\n-three\n+  three\n")
			r.files["/w/a.txt"] = "zero\none\nzwei\n  three\nfour\n"
			r.want("a line laid out anew", 1, 3)
		})
	}
}

// Nobody but a human reviews, and only what is known can be.
func TestReviewStepsThatDoNotCount(t *testing.T) {
	r := &reviewed{t, &memory{files: map[string]string{"/w/a.path.json": ofAgent, "/w/a.txt": "one\ntwo\nthree\nfour\n"}}, "/w/a.txt"}
	if err := r.approve(1, 4, "agent:x"); err == nil || !strings.Contains(err.Error(), "only a human") {
		t.Errorf("an agent reviewed: %v", err)
	}
	if err := r.approve(1, 4, "human:alex"); err != nil {
		t.Fatal(err)
	}
	whole := r.files["/w/a.path.json"]
	r.want("by a human")
	for name, change := range map[string][2]string{
		"by an agent":         {`"human:alex"`, `"agent:alex"`},
		"a comment on a line": {`"type": "review.approve"`, `"type": "review.comment"`},
		"of another file":     {`review://a.txt#L1-L4`, `review://b.txt#L1-L4`},
		"of no lines":         {`review://a.txt#L1-L4`, `review://a.txt#L9-L12`},
		"without lines":       {`review://a.txt#L1-L4`, `review://a.txt`},
		"on a branch":         {`"head": "review-1"`, `"head": "s1"`},
	} {
		if !strings.Contains(whole, change[0]) {
			t.Fatalf("%s: no %s in\n%s", name, change[0], whole)
		}
		r.files["/w/a.path.json"] = strings.ReplaceAll(whole, change[0], change[1])
		r.want(name, 1, 2, 3, 4)
	}
	// Lines of which the record does not know what they were.
	r.files["/w/a.path.json"] = strings.Replace(ofAgent, `{"structural": {"type": "file.write", "operation": "add", "after": "one\ntwo\nthree\nfour\n"}}`, `{"raw": "@@ -7,1 +7,2 @@\n one\n+two\n"}`, 1)
	if got := r.unreviewed(); len(got) > 0 {
		if err := r.approve(1, 4, "human:alex"); err == nil {
			t.Errorf("lines %v of an unknown text were reviewed", got)
		}
	}
}
