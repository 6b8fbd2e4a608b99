package roster

// Notice is something that a person should know about a plan: a title, and a
// text of one or more sentences.
type Notice struct {
	Title Title
	Text  string
}

// Title is the first line of a notice.
type Title string
