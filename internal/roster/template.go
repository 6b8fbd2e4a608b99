package roster

import (
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// firstRevision is the revision of nodes that were there before any template.
const firstRevision = 1

// revise returns the revision that new nodes are made from. A template that is
// still in use is that revision again, the newest of them where several are the
// same: going back to an earlier template is a rollback. Any other gets a number
// that was never given before.
func (p *planner) revise() error {
	p.next.Newest = max(p.next.Newest, firstRevision)
	p.wanted = p.next.Newest
	template := p.policy.Template
	switch {
	case template == nil && len(p.next.Revisions) > 0:
		return ErrTemplateRemoved
	case template == nil:
		return nil
	case len(p.next.Revisions) == 0:
		if n := len(p.next.Nodes); n > 0 {
			p.notice(FirstTemplate, "%s from before there was a template now belong to revision 1. The template must say what they were made from: where it differs, their servers change all at once in this apply.", text.Nodes(int64(n)))
		}
	default:
		p.wanted = 0
		for _, number := range slices.Sorted(maps.Keys(p.next.Revisions)) {
			if maps.Equal(p.next.Revisions[number], template) {
				p.wanted = number
			}
		}
		if p.wanted == 0 {
			p.next.Newest++
			p.wanted = p.next.Newest
		}
	}
	p.next.Revisions[p.wanted] = template
	return nil
}

// forget drops the templates that no node uses and no new node would.
func (p *planner) forget() {
	used := map[int64]bool{p.wanted: true}
	for _, n := range p.next.Nodes {
		used[n.Revision] = true
	}
	maps.DeleteFunc(p.next.Revisions, func(number int64, _ Template) bool { return !used[number] })
}
