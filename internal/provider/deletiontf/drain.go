package deletiontf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// advice says what to do about a failed drain, in whole sentences.
type advice struct {
	limit     string // origin of the limit, after "not done within 5m, "
	locked    string
	running   string // when Nova cannot stop the server
	abandoned string
	failed    string
}

// run drains the node within a limit, and reports what went wrong. False means that
// the node is not drained.
func run(ctx context.Context, d drain.Drain, limit time.Duration, a advice, diags *diag.Diagnostics) bool {
	limited, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("not done within %s, %s", duration.Format(limit), a.limit))
	defer cancel()
	warnings, err := d.Run(limited)
	for _, warning := range warnings {
		diags.AddWarning("The node was not drained in full", warning)
	}
	_, locked := errors.AsType[*drain.LockedError](err)
	_, abandoned := errors.AsType[*hook.AbandonedError](err)
	switch {
	case err == nil:
		return true
	case locked:
		diags.AddError("The server is locked", fmt.Sprintf("%s was not drained: %v. %s", d.Node, err, a.locked))
	case abandoned:
		diags.AddError("A lifecycle hook did not complete", fmt.Sprintf("%v.\n\n%s", err, a.abandoned))
	case value.Is[*drain.RunningError](err):
		diags.AddError("Nova cannot stop the server", fmt.Sprintf("%s is not drained: %v. %s", d.Node, err, a.running))
	default:
		diags.AddError("Unable to drain the node", fmt.Sprintf("%s is not drained: %v. %s", d.Node, err, a.failed))
	}
	return false
}
