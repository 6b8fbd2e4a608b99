package planner

import "github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"

// The tests of the whole and of the rooms share these.
var (
	bin, web, images, image, amount             = plans.Bin, plans.Web, plans.Images, plans.Image, plans.Amount
	twoRegions, threeZones, policy              = plans.TwoRegions, plans.ThreeZones, plans.Policy
	update, byUpdate, gone                      = plans.Update, plans.ByUpdate, plans.Gone
	running, changeSeen, changeRoster, loseSeen = plans.Running, plans.ChangeSeen, plans.ChangeRoster, plans.LoseSeen
	layout, moves, listed, titles               = plans.Layout, plans.Moves, plans.Listed, plans.Titles
	noHost, noRetry                             = plans.NoHost, plans.NoRetry
)
