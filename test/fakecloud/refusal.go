package fakecloud

import "fmt"

// refusal is an answer that refuses a request. Functions that serve a request panic with one, because most of them may
// refuse it, for several reasons; [refusable] turns it into the answer.
type refusal struct {
	status  int
	kind    string // Neutron's type, or the kind of Octavia's router
	message string
}

// refusable returns the answer of a function or, if that panics with a refusal, the refusal in a service's format.
func refusable(serve func() reply, format func(*refusal) reply) (rep reply) {
	defer func() {
		problem := recover()
		if refused, is := problem.(*refusal); is {
			rep = format(refused)
		} else if problem != nil {
			panic(problem)
		}
	}()
	return serve()
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, message: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *refusal { return refuse(400, format, args...) }
func forbidden(format string, args ...any) *refusal  { return refuse(403, format, args...) }
func notFound(format string, args ...any) *refusal   { return refuse(404, format, args...) }
func conflict(format string, args ...any) *refusal   { return refuse(409, format, args...) }
