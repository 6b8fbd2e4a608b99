//go:build !unix

package workspace

// lock does nothing on systems without flock.
func lock(string) (unlock func(), err error) { return func() {}, nil }
