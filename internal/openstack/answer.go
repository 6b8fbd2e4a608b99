package openstack

import "fmt"

// missing says that a good answer lacks what was asked for: a proxy's, or that
// of another service. Taken as it is, it would be an empty list, or a server
// without a status.
func missing(key string) error { return fmt.Errorf("the answer has no %q", key) }

// answered checks that the body of an answer has what was asked for.
func answered(body any, key string) error {
	if object, ok := body.(map[string]any); ok && object[key] != nil {
		return nil
	}
	return missing(key)
}
