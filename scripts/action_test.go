package scripts

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// An action is what GitHub reads of action.yml.
type action struct {
	Name, Description string
	Branding          struct{ Icon, Color string }
	Inputs            map[string]struct{ Description, Default string }
	Runs              struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, Name, If, Shell, Run, Uses string
	WorkingDirectory               string `yaml:"working-directory"`
	Env, With                      map[string]string
}

func readAction(t *testing.T) action {
	t.Helper()
	src, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(src, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// GitHub takes the action: what it asks of the file is there, and a script holds no expression,
// which would be a way for inputs to be run.
func TestActionFile(t *testing.T) {
	a := readAction(t)
	if a.Name == "" || a.Description == "" || a.Branding.Icon == "" || a.Branding.Color == "" || a.Runs.Using != "composite" {
		t.Errorf("%+v", a)
	}
	src, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, used := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(string(src), -1) {
		if _, ok := a.Inputs[used[1]]; !ok {
			t.Errorf("there is no input %s", used[1])
		}
	}
	for name, input := range a.Inputs {
		if input.Description == "" || !strings.Contains(string(src), "inputs."+name) {
			t.Errorf("input %s: no description, or it is not used", name)
		}
	}
	for _, s := range a.Runs.Steps {
		if (s.Run == "") == (s.Uses == "") || s.Run != "" && s.Shell != "bash" || strings.Contains(s.Run, "${{") {
			t.Errorf("step %q: %+v", s.Name, s)
		}
		if s.Uses != "" && s.Uses != "actions/setup-go@v6" {
			t.Errorf("step %q uses %s", s.Name, s.Uses)
		}
	}
}

// A runner runs the steps of the action as GitHub's does, but for those that use other actions:
// Go is on this machine.
type runner struct {
	workspace, ref string
	inputs         map[string]string
	env            []string
}

type ran struct {
	log       string // of all steps
	failed    string // the step that failed
	installed bool   // from a release
}

func (r runner) run(t *testing.T) (result ran) {
	t.Helper()
	a := readAction(t)
	temp := t.TempDir()
	outputs, path := map[string]string{}, os.Getenv("PATH")
	defer func() { result.installed = outputs["release.installed"] == "true" }()
	value := func(expression string) string {
		for term := range strings.SplitSeq(expression, "||") {
			term = strings.TrimSpace(term)
			v := map[string]string{"github.action_ref": r.ref, "github.action_path": repository(t)}[term]
			if name, ok := strings.CutPrefix(term, "inputs."); ok {
				if v, ok = r.inputs[name]; !ok {
					v = a.Inputs[name].Default
				}
			}
			if v != "" {
				return v
			}
		}
		return ""
	}
	expand := func(s string) string {
		return regexp.MustCompile(`\$\{\{(.*?)\}\}`).ReplaceAllStringFunc(s, func(e string) string { return value(e[3 : len(e)-2]) })
	}
	for _, s := range a.Runs.Steps {
		if s.If != "" {
			id, ok := strings.CutSuffix(s.If, ".outputs.installed != 'true'")
			if id, ok = strings.CutPrefix(id, "steps."); !ok || id == "" {
				t.Fatalf("what does %q mean?", s.If)
			}
			if outputs[id+".installed"] == "true" {
				continue
			}
		}
		if s.Uses != "" {
			continue
		}
		script := filepath.Join(temp, "step.sh")
		if err := os.WriteFile(script, []byte(s.Run), 0o644); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"GITHUB_OUTPUT": filepath.Join(temp, "output"), "GITHUB_PATH": filepath.Join(temp, "path")}
		cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		cmd.Dir = filepath.Join(r.workspace, expand(s.WorkingDirectory))
		cmd.Env = append(os.Environ(), "PATH="+path, "RUNNER_TEMP="+temp, "GITHUB_WORKSPACE="+r.workspace, "GITHUB_ACTION_PATH="+repository(t))
		for name, file := range files {
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			cmd.Env = append(cmd.Env, name+"="+file)
		}
		for name, v := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+expand(v))
		}
		cmd.Env = append(cmd.Env, r.env...)
		out, err := cmd.CombinedOutput()
		result.log += string(out)
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			result.failed = s.Name
			return result
		} else if err != nil {
			t.Fatal(err)
		}
		output, _ := os.ReadFile(files["GITHUB_OUTPUT"])
		for line := range strings.Lines(string(output)) {
			name, v, _ := strings.Cut(strings.TrimSpace(line), "=")
			outputs[s.ID+"."+name] = v
		}
		added, _ := os.ReadFile(files["GITHUB_PATH"])
		for line := range strings.Lines(string(added)) {
			path = strings.TrimSpace(line) + ":" + path
		}
	}
	return result
}

// annotations are the workflow commands in a log.
func annotations(log string) string {
	var list strings.Builder
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "::") {
			list.WriteString(line)
		}
	}
	return list.String()
}

const titel = `,line=1,endLine=1,col=23,endColumn=30,title=TP2001::unknown field "titel" in graph identity (allowed: id); other readers drop it without a word` + "\n"

func faultyWorkspace(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"ok.path.json":              `{"graph": {"id": "g"}, "paths": []}`,
		"sub/doc s/a.path.json":     `{"graph": {"id": "g", "titel": "x"}, "paths": []}`,
		"sub/other/b.path.json":     `{"graph": {"id": "g", "titel": "x"}, "paths": []}`,
		"sub/other/more/c.path.txt": `no document`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Of a branch or a commit the action builds what it was checked out with, and checks.
func TestActionFromSource(t *testing.T) {
	need(t, "bash", "apt-get install bash")
	declareInputs(t)
	workspace := faultyWorkspace(t)
	for _, c := range []struct {
		name        string
		inputs      map[string]string
		failed      string
		annotations string
	}{
		{"everything", nil, "Check", "::error file=sub/doc s/a.path.json" + titel + "::error file=sub/other/b.path.json" + titel},
		{"paths below a folder", map[string]string{"working-directory": "sub", "paths": "doc s\n"}, "Check", "::error file=sub/doc s/a.path.json" + titel},
		{"several paths", map[string]string{"paths": "ok.path.json\r\nsub/other\n\n"}, "Check", "::error file=sub/other/b.path.json" + titel},
		{"that do not fail", map[string]string{"paths": "sub/other", "fail-on": "never"}, "", "::error file=sub/other/b.path.json" + titel},
		{"nothing wrong", map[string]string{"paths": "ok.path.json"}, "", ""},
		{"a path that is a flag", map[string]string{"paths": "--help"}, "Check", ""},
		{"a path that is a script", map[string]string{"paths": "$(touch ran) `touch ran`; touch ran"}, "Check", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := runner{workspace: workspace, ref: "main", inputs: c.inputs}.run(t)
			if got.failed != c.failed || annotations(got.log) != c.annotations || got.installed {
				t.Errorf("failed is %q, want %q; annotations\n%swant\n%s\nlog:\n%s", got.failed, c.failed, annotations(got.log), c.annotations, got.log)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(workspace, "ran")); err == nil {
		t.Error("a path was run")
	}
}

// Of a release the action takes the archive, if its sum is right, and builds where there is none.
func TestActionFromRelease(t *testing.T) {
	needRelease(t)
	need(t, "curl", "apt-get install curl")
	declareInputs(t)
	releases := t.TempDir()
	for version, tampered := range map[string]bool{releaseVersion: false, "v9.9.8": true} {
		dir := filepath.Join(releases, version)
		if err := os.CopyFS(dir, os.DirFS(releaseFolder(t))); err != nil {
			t.Fatal(err)
		}
		if !tampered {
			continue
		}
		for _, name := range files(t, dir) {
			content, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if name == "SHA256SUMS" {
				content = []byte(strings.ReplaceAll(string(content), releaseVersion, version))
			} else {
				content[len(content)/2] ^= 1
				name = strings.ReplaceAll(name, releaseVersion, version)
			}
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(releases)))
	defer server.Close()
	r := runner{workspace: faultyWorkspace(t), env: []string{"TOOLPATH_LS_RELEASES=" + server.URL}}

	r.ref = releaseVersion
	got := r.run(t)
	if got.failed != "Check" || !got.installed || !strings.Contains(got.log, "toolpath-ls "+releaseVersion+" (") || strings.Count(annotations(got.log), titel) != 2 {
		t.Errorf("by the ref: %+v", got)
	}
	r.ref, r.inputs = "main", map[string]string{"version": releaseVersion, "paths": "ok.path.json"}
	if got := r.run(t); got.failed != "" || !got.installed || !strings.Contains(got.log, "toolpath-ls "+releaseVersion+" (") {
		t.Errorf("by the input: %+v", got)
	}
	r.inputs["version"] = "v9.9.8"
	if got := r.run(t); got.failed != "Look for a release" || !strings.Contains(got.log, "is not what SHA256SUMS says") {
		t.Errorf("tampered with: %+v", got)
	}
	r.ref, r.inputs = "v9.9.7", map[string]string{"paths": "ok.path.json"}
	if got := r.run(t); got.failed != "" || got.installed || !strings.Contains(got.log, "There is no release v9.9.7 for ") {
		t.Errorf("not there: %+v", got)
	}
}
