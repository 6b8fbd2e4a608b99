package fakecloud

import (
	"errors"
	"fmt"
	"net/http"
)

// refusal is an error that a service answers with.
type refusal struct {
	status  int
	kind    string // Neutron's type, Zaqar's title, or the kind of Octavia's router
	message string
	more    object // further keys of an error of Keystone
}

func (e *refusal) Error() string { return e.message }

// refusalOf returns the refusal in an error. Any other error is an internal error of the service.
func refusalOf(err error, kind string) *refusal {
	e := &refusal{status: http.StatusInternalServerError, kind: kind, message: err.Error()}
	errors.As(err, &e)
	return e
}

func refuse(status int, format string, args ...any) error {
	return &refusal{status: status, message: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) error { return refuse(400, format, args...) }
func forbidden(format string, args ...any) error  { return refuse(403, format, args...) }
func notFound(format string, args ...any) error   { return refuse(404, format, args...) }
func conflict(format string, args ...any) error   { return refuse(409, format, args...) }
