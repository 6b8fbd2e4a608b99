package deletiontf

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// orders are what a destruction does that a later apply may correct. Terraform destroys an attachment with the
// arguments of its state, so a wrong address of a hook would be called by each apply for ever. The attachments of the
// nodes that stay are updated in the same plan: what they change, with the same orders before, in the same cluster and
// region, is meant for the nodes that leave as well.
//
// Terraform plans attachments in no order. So the first one that leaves waits a moment for one that stays, keeps what
// it learns in the plan, and hands it to the others during the apply.
type orders struct {
	Enabled  bool       `json:"enabled"`
	Shutdown bool       `json:"shutdown"`
	Hook     *hook.Spec `json:"hook,omitempty"`
}

// orders returns the orders of the arguments as text.
func (m attachmentModel) orders() string {
	text, _ := json.Marshal(orders{ // no cycles
		Enabled:  m.Enabled.IsNull() || m.Enabled.ValueBool(),
		Shutdown: m.Shutdown.ValueBool(),
		Hook:     hookblock.Spec(m.Hook),
	})
	return string(text)
}

// correct notes the orders of an attachment that stays, for others that had the same.
func (m attachmentModel) correct(ctx context.Context, before attachmentModel, walk *backend.Walk) {
	known := value.Known(ctx, m.Hook, m.Enabled, m.Shutdown) && value.Given(m.Cluster) && value.Given(m.Region)
	if known && m.Cluster.Equal(before.Cluster) {
		walk.Correct(before.ordersKey(), m.orders())
	}
}

// await waits for an attachment that stays, if this one is the first of those that leave. A plan to destroy the cluster
// has none.
func (m attachmentModel) await(ctx context.Context, walk *backend.Walk) {
	_, planned := walk.Cluster(m.Cluster.ValueString())
	if !planned || m.spec() == nil && !m.shutdown() || walk.Awaited.Note(m.ordersKey(), true) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for limited.Err() == nil {
		if _, noted := walk.Orders.Noted(m.ordersKey()); noted {
			return
		}
		_ = wait.For(limited, 20*time.Millisecond)
	}
}

func (m attachmentModel) ordersKey() backend.Orders {
	return backend.Orders{Cluster: m.Cluster.ValueString(), Region: m.Region.ValueString(), Text: m.orders()}
}

// correctedKey is the key in the private state under which an attachment that is destroyed keeps corrected orders.
const correctedKey = "corrected"

// obey takes over corrected orders: of this walk, or of an earlier one, which the private state keeps. It reports
// whether they are new.
func (m *attachmentModel) obey(
	ctx context.Context, walk *backend.Walk, kept private.Writer, diags *diag.Diagnostics,
) (changed bool) {
	given := private.Load[string](ctx, kept, correctedKey, diags)
	if given != "" {
		walk.Correct(m.ordersKey(), given)
	}
	if noted, _ := walk.Orders.Noted(m.ordersKey()); noted != "" && noted != m.orders() {
		changed = noted != given
		given = noted
		private.Store(ctx, kept, correctedKey, given, diags)
	}
	if given != "" {
		m.Corrected = &orders{}
		if err := json.Unmarshal([]byte(given), m.Corrected); err != nil {
			diags.AddError("Unable to read the private state", err.Error())
		}
	}
	return changed
}
