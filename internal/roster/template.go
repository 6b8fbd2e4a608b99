package roster

import (
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// firstRevision is the revision of nodes that were there before any template.
const firstRevision = 1

// want puts the template into the roster and returns the revision that new nodes
// are made from. A template that is still in use is that revision again, the
// newest of them where several are the same: going back to an earlier template is
// a rollback. Any other gets a number that was never given before.
func want(now Roster, template Template) (next Roster, wanted int64, notices []Notice, err error) {
	next = now.clone()
	next.Newest = max(next.Newest, firstRevision)
	wanted = next.Newest
	switch {
	case template == nil && len(next.Revisions) > 0:
		return now, 0, nil, ErrTemplateRemoved
	case template == nil:
		return next, wanted, nil, nil
	case len(next.Revisions) == 0:
		if n := len(next.Nodes); n > 0 {
			notices = append(notices, notice(FirstTemplate, "%s from before there was a template now belong to revision 1. "+
				"The template must say what they were made from: where it differs, their servers change all at once in this apply.", text.Nodes(int64(n))))
		}
	default:
		wanted = 0
		for number, used := range next.Revisions {
			if maps.Equal(used, template) {
				wanted = max(wanted, number)
			}
		}
		if wanted == 0 {
			next.Newest++
			wanted = next.Newest
		}
	}
	next.Revisions[wanted] = template
	return next, wanted, notices, nil
}

// forget drops the templates that no node uses and no new node would.
func (r Roster) forget(wanted int64) {
	used := map[int64]bool{wanted: true}
	for _, n := range r.Nodes {
		used[n.Revision] = true
	}
	maps.DeleteFunc(r.Revisions, func(number int64, _ Template) bool { return !used[number] })
}
