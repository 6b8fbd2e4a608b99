package hold

// Hold is why a node that should be replaced is not. The set is closed.
type Hold string

// The holds.
const (
	HeldBegins    Hold = "begins"       // Terraform must first store what the servers depend on
	HeldOlder     Hold = "older state"  // its server carries a later mark: this state is older than the cluster
	HeldWiring    Hold = "wiring"       // its server does not depend on it as it should
	HeldProtected Hold = "protected"    // the node must stay as it is
	HeldClosed    Hold = "closed"       // its place takes no nodes now
	HeldUnseen    Hold = "not seen"     // no refresh has looked at it since it changed
	HeldOutage    Hold = "outage"       // more nodes are unhealthy than stop_above allows
	HeldFailed    Hold = "failed"       // the wanted template failed, and there is no settled one
	HeldNotRemade Hold = "not followed" // its server should have been made again, and was not
	HeldTwice     Hold = "made twice"   // two servers in a row failed
	HeldTarget    Hold = "target"       // as many nodes have the wanted template as the target says
	HeldNoHost    Hold = "no host"      // Nova found no host in the place where it must be made again
	HeldNoRoom    Hold = "no room"      // no place has room for its substitute
	HeldServers   Hold = "servers"      // there are already two batches of servers beyond the cluster
	HeldBakes     Hold = "bakes"        // the previous batch must be in service for longer
	HeldWaits     Hold = "waits"        // the batch waits for nodes that are not in service, or that leave
	HeldBatch     Hold = "batch"        // the batch is full
)

// Order returns the position of a hold in the table, or the length of the table for no hold.
func (h Hold) Order() int {
	for i, row := range All {
		if row.Hold == h {
			return i
		}
	}
	return len(All)
}

// Remains reports whether a node that is held will be replaced later.
func (h Hold) Remains() bool { return !All[h.Order()].done }

// GoesOn reports whether a hold ends with an apply that ends without an error, or with the next
// one.
func (h Hold) GoesOn() bool {
	return h == HeldBegins || h == HeldBatch || h == HeldWaits || h == HeldServers
}
