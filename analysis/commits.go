package analysis

import (
	"context"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Commit is a commit, as git blame names it.
type Commit struct {
	ID      string // the whole object id
	Author  string // name
	Time    time.Time
	Summary string
	// Boundary says that git looked no further: older commits may have written the line.
	Boundary bool
}

// Commits say which commit wrote each line that a file has in one commit.
type Commits struct {
	Rev     string // that commit
	Content []byte // of the file in it
	All     []Commit
	Lines   []int32 // index into All by line, 0-based; -1 for none

	base *provenance.Projection // the content, to lay texts over
}

// Committed is a Source that knows who committed a line.
type Committed interface {
	Source
	// Head names the commit that is checked out where the file at an absolute path is.
	Head(ctx context.Context, file string) (string, error)
	// Blame tells who committed the lines that the file has in the commit.
	Blame(ctx context.Context, file, rev string) (*Commits, error)
}

// ready prepares c for WithCommits; call it once, before c is shared.
func (c *Commits) ready() *Commits {
	if c.base == nil {
		content := string(c.Content)
		c.base = provenance.Project(provenance.History{Base: &content})
	}
	return c
}

// CommitsOf asks the source who committed the lines of the file at an absolute path. The
// error is nil with nil commits where there is nothing to be told: the source knows of no
// commits, the file lies in no repository or is not committed.
func CommitsOf(ctx context.Context, src Source, file, rev string) (*Commits, error) {
	committed, ok := src.(Committed)
	if !ok {
		return nil, nil
	}
	c, err := committed.Blame(ctx, file, rev)
	if err != nil || isBinary(c.Content) {
		return nil, err
	}
	return c.ready(), nil
}

// WithCommits returns what p says, and who committed the lines that no step is known for.
func (p *Provenance) WithCommits(c *Commits) *Provenance {
	if c == nil || p.commits == c {
		return p
	}
	q := *p
	q.commits, q.committed = c, c.base.Overlay(p.Text.Bytes())
	return &q
}

// commit returns the commit that brought line i, nil if none did or nobody has asked.
func (p *Provenance) commit(i int) *Commit {
	if p.committed == nil {
		return nil
	}
	id := p.committed.Line(i).Head
	if id == 0 {
		return nil
	}
	n := p.commits.line(id)
	if n < 0 || n >= len(p.commits.Lines) || p.commits.Lines[n] < 0 {
		return nil
	}
	return &p.commits.All[p.commits.Lines[n]]
}

// line is the number of a line of the content, 0-based.
func (c *Commits) line(id provenance.LineID) int {
	lines := c.base.Lines()
	return int(id) - int(lines[0])
}

// HasUnrecorded says whether there are lines that no step is known for.
func (p *Provenance) HasUnrecorded() bool {
	for i := range p.Len() {
		if p.decided(i).state != provenance.StateRecorded {
			return true
		}
	}
	return false
}

// Short is the start of the commit's id, as git abbreviates it.
func (c *Commit) Short() string { return c.ID[:min(len(c.ID), 7)] }

// words names the commit and says that it is not on record.
func (c *Commit) words() string {
	return "commit " + c.Short() + " by " + clip(oneLine(c.Author), 60) + " (not recorded)"
}
