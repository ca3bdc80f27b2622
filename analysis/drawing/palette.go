package drawing

// A theme is the colors of a drawing, as #rrggbb.
type theme struct {
	// actors are by the numbers of analysis.ColorsOf. They can be told apart with any of the
	// three color blindnesses, and stand out from the background.
	actors     [8]string
	background string
	text       string
	faint      string
	plus       string // of added lines
	minus      string // of removed lines
	link       string
}

var (
	light = theme{
		actors:     [8]string{"#1921a0", "#dd7608", "#3ca489", "#b865db", "#12708d", "#721e0b", "#745f0f", "#461c5b"},
		background: "#ffffff", text: "#1f2328", faint: "#59636e",
		plus: "#1a7f37", minus: "#cf222e", link: "#0a58ca",
	}
	dark = theme{
		actors:     [8]string{"#597ce7", "#f59400", "#55c09f", "#ab6897", "#92effe", "#dc5429", "#dbe78b", "#c1a0fb"},
		background: "#1e1e1e", text: "#e6e6e6", faint: "#9d9d9d",
		plus: "#57ab5a", minus: "#e5534b", link: "#6ea8fe",
	}
)
