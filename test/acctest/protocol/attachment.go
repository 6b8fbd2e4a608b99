package protocol

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// Attachment is a resource of the provider in a fake cloud of its own, without Terraform. A decision is tested in the
// package that decides; the translation by a resource is tested with this type; and only what Terraform itself does
// needs a terraform ([acctest.Cloud]). A first test:
//
//	a := protocol.Attach(t, "stackpolicy_deletion_attachment")
//	id := a.Fake.AddServers(a.Home, fakecloud.Server{Name: "web-0"})[0]
//	config := protocol.Attributes{"server_id": id, "shutdown": true} // arguments that are left out are null
//	a.Must(t, config)           // terraform apply
//	a.Look(t)                   // a refresh
//	if a.Shows("region") != a.Home {
//		t.Errorf("it is in %s", a.Shows("region"))
//	}
//	a.Later(t)                  // another command of Terraform: this process has no memory of the first
//	if err := a.Try(t, nil); err == nil || a.At() != ": The server is locked" {
//		t.Errorf("%v, said %s", err, a.Said()) // terraform destroy; At and Said are of this command
//	}
//
// [fakecloud.Cloud] has methods for changes of the cloud meanwhile: a.Fake.Inject(fault), a.Fake.UpdateServer,
// a.Fake.Count(request).
type Attachment struct {
	*Provider                  // provider of the present command
	Cloud     *acctest.Cloud   // cloud of the resource
	Fake      *fakecloud.Cloud // the same cloud
	User      string           // user of the provider block; the project has the same name
	Home      string           // region of the provider block
	Block     Attributes       // further arguments of the provider block
	I         Instance         // the resource in Terraform's state
}

// Attach returns a resource that does not exist yet, of a member in RegionOne.
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

// Later begins another command of Terraform, in a process without memory of the last one.
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

// Must is [Attachment.Try] that must not fail.
func (a *Attachment) Must(t testing.TB, config Attributes) {
	t.Helper()
	require.NoError(t, a.Try(t, config))
}

// Look refreshes the state, which must not fail.
func (a *Attachment) Look(t testing.TB) {
	t.Helper()
	var err error
	a.I, err = a.Refresh(t.Context(), a.I)
	require.NoError(t, err)
}

// MustPlan plans a configuration, which must not fail, and returns the planned state; nil destroys.
func (a *Attachment) MustPlan(t testing.TB, config Attributes) tftypes.Value {
	t.Helper()
	resp, err := a.Plan(t.Context(), a.Request(a.I, config))
	require.NoError(t, err)
	return a.Planned(resp)
}

// Planned returns the state in the answer to a plan.
func (a *Attachment) Planned(resp *tfprotov6.PlanResourceChangeResponse) tftypes.Value {
	return Unpack(a.TypeOf(a.I.Kind), resp.PlannedState)
}

// Shows returns an attribute of the state, as [Shown] writes it.
func (a *Attachment) Shows(name string) string { return Shown(Object(a.I.State)[name]) }
