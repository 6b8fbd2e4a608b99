package roster

// Notice tells a person something about a plan.
type Notice struct {
	Title Title
	Text  string // one or more sentences
}

// Title is the first line of a notice.
type Title string
