package hook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

var octaviaType = Type{
	Name: "octavia",
	Arguments: []Argument{
		{
			Name:        "pool_ids",
			Kind:        List,
			Description: "Ids of the pools, all of which have the node as a member.",
			check: func(values []string) []Fault {
				var faults []Fault
				if len(values) == 0 {
					faults = append(faults, Fault{Text: "pool_ids has no id of a pool."})
				}
				for _, id := range values {
					if !poolID.MatchString(id) {
						faults = append(faults,
							Fault{Text: fmt.Sprintf("%q is not the id of a pool, which is a UUID.", plain(id))})
					}
				}
				return faults
			},
		},
		{
			Name:     "weight",
			Kind:     Number,
			Optional: true,
			Least:    0,
			Most:     256,
			Description: "Weight that the members get, 0 to 256. By default a node that leaves gets `0`, and the " +
				"weight that it had is noted in a tag of the member (`" + weightTag + "5`); a node that got into " +
				"service gets the weight that is noted there, and keeps its own, which must not be 0, without a note.",
		},
	},
	region: func(ctx context.Context, r *Runner, s Spec, region string, changed bool) error {
		lb, err := r.LoadBalancer(ctx, region)
		if err != nil || !changed {
			return err
		}
		for _, pool := range s.Arguments["pool_ids"] {
			switch err := lb.FindPool(ctx, pool); { // any other error may be over when the hook runs
			case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
				return noPool(err, region)
			case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
				return err
			}
		}
		return nil
	},
	make: func(r *Runner, s Spec) (hook, error) {
		if r.LoadBalancer == nil {
			return nil, errors.New("a hook of type octavia needs an OpenStack cloud, and no cloud is configured")
		}
		o := &octavia{runner: r, pools: s.Arguments["pool_ids"]}
		if given := s.one("weight"); given != "" {
			weight, err := strconv.Atoi(given)
			if err != nil {
				return nil, fmt.Errorf("the weight %q is not a number", plain(given))
			}
			o.weight = &weight
		}
		return o, nil
	},
}

var poolID = regexp.MustCompile(`^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$`)

// weightTag is the beginning of the tag with a member's previous weight.
const weightTag = "stackpolicy_weight="

// octavia changes the weight of the node's members in pools. A run that was interrupted starts again, and skips
// members that have their weight.
type octavia struct {
	runner *Runner
	pools  []string
	weight *int // nil means the default of the transition
}

// Run implements [hook]. It repeats a request if Octavia fails for the moment, or refuses a change because another
// one is under way.
func (o *octavia) Run(ctx context.Context, m Message, _ *Progress) error {
	lb, err := o.runner.LoadBalancer(ctx, m.Region)
	if err != nil {
		return err
	}
	var addresses []string
	if err := o.runner.until(ctx, "Octavia was not reached", func() (bool, error) {
		addresses, err = o.runner.Addresses(ctx, m.Region, m.NodeID)
		return true, err
	}); err != nil {
		return err
	}
	for _, pool := range o.pools {
		var members []openstack.Member
		err := o.runner.until(ctx, "Octavia was not reached", func() (bool, error) {
			all, err := lb.Members(ctx, pool)
			members = openstack.MembersOf(all, addresses, m.NodeName)
			return true, err
		})
		switch {
		case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
			return noPool(err, m.Region)
		case err != nil:
			return err
		case len(members) == 0:
			return fmt.Errorf("the pool %s has no member at an address of the node (%s)%s",
				pool, known(addresses), name(m, addresses))
		}
		for _, member := range members {
			if err := o.setWeight(ctx, lb, pool, member, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func noPool(err error, region string) error {
	return fmt.Errorf("%w; the region %s has no such pool, or no longer: correct pool_ids", err, plain(region))
}

func known(addresses []string) string {
	if len(addresses) == 0 {
		return "Nova shows none"
	}
	return plain(strings.Join(addresses, ", "))
}

func name(m Message, addresses []string) string {
	if len(addresses) > 0 {
		return ""
	}
	return fmt.Sprintf(", and none with its name %q", plain(m.NodeName))
}

// setWeight sets the weight of a member, and waits until Octavia has done it.
func (o *octavia) setWeight(
	ctx context.Context, lb *openstack.LoadBalancer, pool string, member openstack.Member, m Message,
) error {
	weight, tags, err := o.wanted(member, m.Transition)
	if err != nil {
		return fmt.Errorf("the pool %s: %w", pool, err)
	}
	sent := false
	return o.runner.until(ctx, "Octavia was not reached", func() (done bool, err error) {
		if sent {
			if member, err = lb.Member(ctx, pool, string(member.ID)); err != nil {
				return false, err
			}
		}
		if member.Weight == weight && sameTags(member.Tags, tags) {
			if member.Provisioning == "ACTIVE" {
				return true, nil
			}
			sent = true // the next look shows whether the change is done
			return false, fmt.Errorf("the member %s of the pool %s has the weight %d and is %s in Octavia",
				member.ID, pool, weight, member.Provisioning)
		}
		o.runner.log(ctx, m, "a member gets another weight",
			map[string]any{"pool": pool, "member": member.ID, "from": member.Weight, "to": weight})
		err = lb.SetWeight(ctx, pool, string(member.ID), weight, tags)
		sent = sent || err == nil
		return false, err
	})
}

// wanted returns the weight and the tags that a member should have. One tag has the weight from before the drain.
func (o *octavia) wanted(member openstack.Member, transition string) (weight int, tags []string, err error) {
	noted, tags := -1, []string{} // not nil, because a request needs the list of tags even if it is empty
	for _, tag := range member.Tags {
		number, isNote := strings.CutPrefix(tag, weightTag)
		if n, err := strconv.Atoi(number); isNote && err == nil && n >= 0 && n <= 256 {
			noted = n
			continue
		}
		tags = append(tags, tag)
	}
	if transition == Termination {
		if o.weight != nil {
			weight = *o.weight
		}
		if noted < 0 && member.Weight != weight {
			noted = member.Weight
		}
		if noted >= 0 {
			tags = append(tags, weightTag+strconv.Itoa(noted))
		}
		return weight, tags, nil
	}
	switch {
	case o.weight != nil:
		return *o.weight, tags, nil
	case noted >= 0:
		return noted, tags, nil
	case member.Weight == 0:
		return 0, nil, fmt.Errorf("the member %s has the weight 0, so it gets no connections, and no tag notes which "+
			"weight it had: give weight in the hook", member.ID)
	}
	return member.Weight, tags, nil
}

// sameTags compares tags without regard to their order, which Octavia changes.
func sameTags(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
