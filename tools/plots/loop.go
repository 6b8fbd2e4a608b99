package main

import "fmt"

// box is a rectangle with a name and lines of text in it.
type box struct {
	x, y, width float64
	name        string
	lines       []string
}

const boxHeight = 84

func (p *picture) box(b box) error {
	if textWidth(b.name, 13) > b.width-10 {
		return fmt.Errorf("the name %q does not fit into its box", b.name)
	}
	p.rect("card", b.x, b.y, b.width, boxHeight)
	p.text("title mid", b.x+b.width/2, b.y+28, b.name)
	for i, line := range b.lines {
		if textWidth(line, 11) > b.width-10 {
			return fmt.Errorf("%q does not fit into its box", line)
		}
		p.text("small mid", b.x+b.width/2, b.y+50+16*float64(i), line)
	}
	return nil
}

// arrow draws lines that go right, left, up or down, with a head at the end.
func (p *picture) arrow(points ...float64) {
	p.path("axis line", points...)
	n := len(points)
	x, y := points[n-2], points[n-1]
	switch dx, dy := x-points[n-4], y-points[n-3]; {
	case dx > 0:
		p.path("axis line", x-7, y-5, x, y, x-7, y+5)
	case dx < 0:
		p.path("axis line", x+7, y-5, x, y, x+7, y+5)
	case dy > 0:
		p.path("axis line", x-5, y-7, x, y, x+5, y-7)
	default:
		p.path("axis line", x-5, y+7, x, y, x+5, y+7)
	}
}

// loop is how a cluster is changed: what a person does, and what Terraform does.
func loop() (string, error) {
	p := newPicture(
		900,
		340,
		"How a cluster is changed",
		"You change the configuration; terraform plan reads the servers and plans; you look at the plan; terraform "+
			"apply creates, drains and destroys servers, and the state remembers each node",
	)
	for _, b := range []box{
		{20, 50, 180, "You", []string{"change the size, zones,", "weights or the image"}},
		{245, 50, 180, "terraform plan", []string{"reads the servers, plans", "a place for each node"}},
		{470, 50, 180, "You", []string{"see each node's place,", "and why a node is removed"}},
		{695, 50, 180, "terraform apply", []string{"creates servers, drains", "and destroys others"}},
		{470, 220, 180, "State", []string{"remembers the name and", "the place of each node"}},
		{685, 220, 200, "OpenStack", []string{"servers, created by", "terraform-provider-openstack"}},
	} {
		if err := p.box(b); err != nil {
			return "", err
		}
	}
	p.arrow(200, 92, 243, 92)
	p.arrow(425, 92, 468, 92)
	p.arrow(650, 92, 693, 92)
	p.arrow(800, 134, 800, 218)
	p.arrow(725, 134, 725, 180, 560, 180, 560, 218)
	p.text("small end", 715, 172, "stores the nodes")
	p.arrow(470, 262, 370, 262, 370, 136)
	p.arrow(785, 304, 785, 322, 300, 322, 300, 136)
	p.text("small", 310, 316, "reads the servers")
	return p.String(), nil
}
