package provenance

// Grade says how far what is said of a line can be trusted.
type Grade uint8

const (
	// GradeUnrecorded: nothing is known of the line.
	GradeUnrecorded Grade = iota
	// GradeBase: the line is older than the first step.
	GradeBase
	// GradeChanged: the line was written after the last step and saved.
	GradeChanged
	// GradeUnsaved: the line was typed since [Projection.Overlay] saw the buffer.
	GradeUnsaved
	// GradeInferred: the step is the likely one, for a reason that can mislead: the
	// text of a hunk whose place is not known, a choice between equal places, an
	// overwritten file, a merge without a record. Nobody should be named by it
	// without saying so.
	GradeInferred
	// GradeStructural: the step is known from a structural change alone.
	GradeStructural
	// GradeFuzzy: the diff that wrote the line was placed where most of it fits, or
	// the text between it and the buffer is not known throughout.
	GradeFuzzy
	// GradeExact: the line follows from the record.
	GradeExact
)

var gradeNames = [...]string{"unrecorded", "base", "changed", "unsaved", "inferred", "structural", "fuzzy", "exact"}

// String is the word for a grade, as it stands in JSON.
func (g Grade) String() string {
	if int(g) >= len(gradeNames) {
		return "unknown"
	}
	return gradeNames[g]
}

// The bounds of [Ident].Conf for each grade, and some values in them.
const (
	confExact        = 255
	leastExact       = 230
	mostFuzzy        = 229
	confDoubted      = 221 // less than what both directions must have to be exact
	leastFuzzy       = 131
	confStructural   = 130
	mostInferred     = 129
	leastInferred    = 1
	confOverwrite    = 80
	confMerge        = 90
	confInferredName = 70
)

// Grade is that of the step that [Projection.Owner] names: the least of those on
// the way to it.
func (p *Projection) Grade(id LineID) Grade {
	_, grade := p.OwnerBut(id, func(StepID) bool { return false })
	return grade
}

// TouchGrade is that of one ident alone, whatever stands between it and the head.
func (p *Projection) TouchGrade(id LineID) Grade {
	switch p.idents[id].Kind {
	case Base:
		return GradeBase
	case Unrecorded:
		return GradeUnrecorded
	}
	return gradeOf(p.trust(id))
}

// trust is the confidence in an ident. An edit that was lost later may have written
// the line again; a recovery has taken that into account.
func (p *Projection) trust(id LineID) uint8 {
	conf := p.idents[id].Conf
	if p.InGap(id) && p.alias == nil {
		return min(conf, mostFuzzy)
	}
	return conf
}

func gradeOf(conf uint8) Grade {
	switch {
	case conf >= leastExact:
		return GradeExact
	case conf >= leastFuzzy:
		return GradeFuzzy
	case conf == confStructural:
		return GradeStructural
	case conf >= leastInferred:
		return GradeInferred
	}
	return GradeUnrecorded
}
