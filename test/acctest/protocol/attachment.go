package protocol

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// Attachment is a resource of the provider in a fake cloud of its own, without Terraform. A
// decision is tested in the package that decides; how a resource translates it is tested with
// this; and only what Terraform itself does needs a terraform ([acctest.Cloud]). A first test:
//
//	a := protocol.Attach(t, "stackpolicy_deletion_attachment")
//	id := a.Fake.AddServers(a.Home, fakecloud.Server{Name: "web-0"})[0]
//	config := protocol.Attributes{"server_id": id, "shutdown": true} // what is left out is null
//	a.Must(t, config)           // terraform apply
//	a.Look(t)                   // a refresh
//	if a.Shows("region") != a.Home {
//		t.Errorf("it is in %s", a.Shows("region"))
//	}
//	a.Later(t)                  // another command of Terraform: what this process remembers is gone
//	if err := a.Try(t, nil); err == nil || a.At() != ": The server is locked" {
//		t.Errorf("%v, said %s", err, a.Said()) // terraform destroy; At and Said are of this command
//	}
//
// What a cloud does meanwhile is in [fakecloud.Cloud]: a.Fake.Inject(fault),
// a.Fake.UpdateServer, a.Fake.Count(request).
type Attachment struct {
	*Provider                  // of this command
	Cloud     *acctest.Cloud   // that it is in
	Fake      *fakecloud.Cloud // the same
	User      string           // of the provider block, whose project has the same name
	Home      string           // region of the provider block
	Block     Attributes       // what else the provider block says
	I         Instance         // what Terraform has of it
}

// Attach returns a resource that is not there yet, of a member in RegionOne.
func Attach(t testing.TB, kind string) *Attachment {
	t.Helper()
	return AttachIn(t, kind, fakecloud.Config{})
}

// AttachIn is [Attach] in a cloud of another shape.
func AttachIn(t testing.TB, kind string, config fakecloud.Config) *Attachment {
	t.Helper()
	a := &Attachment{Cloud: acctest.NewFake(t, config), User: fakecloud.MemberUser, Home: "RegionOne",
		I: Instance{Kind: kind}}
	a.Fake = a.Cloud.Fake
	a.Later(t)
	return a
}

// Later is the next command of Terraform: another process, which remembers nothing.
func (a *Attachment) Later(t testing.TB) {
	t.Helper()
	a.Provider = Start(t, a.Fake, a.User, a.Home, a.Block)
}

// Try plans and applies a configuration; nil destroys.
func (a *Attachment) Try(t testing.TB, config Attributes) (err error) {
	t.Helper()
	a.I, err = a.Apply(t.Context(), a.I, config)
	return err
}

// Must is [Attachment.Try] of what must not fail.
func (a *Attachment) Must(t testing.TB, config Attributes) {
	t.Helper()
	require.NoError(t, a.Try(t, config))
}

// Look refreshes the state, which must not fail.
func (a *Attachment) Look(t testing.TB) {
	t.Helper()
	var err error
	if a.I, err = a.Refresh(t.Context(), a.I); err != nil {
		t.Fatal(err)
	}
}

// Planned is the state in the answer to a plan.
func (a *Attachment) Planned(resp *tfprotov6.PlanResourceChangeResponse) tftypes.Value {
	return Unpack(a.TypeOf(a.I.Kind), resp.PlannedState)
}

// Shows is an attribute of the state, as [Shown] writes it.
func (a *Attachment) Shows(name string) string { return Shown(Object(a.I.State)[name]) }
