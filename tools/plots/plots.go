package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// capped are the bins of the worked example.
func capped() []placement.Bin {
	return []placement.Bin{
		{Name: "az-1", Weight: 60, Cap: 5},
		{Name: "az-2", Weight: 25, Cap: placement.Unlimited},
		{Name: "az-3", Weight: 15, Cap: placement.Unlimited},
	}
}

// growth draws the nodes of each zone as a cluster grows.
func growth() (string, error) {
	const most, left, top, width, height = 24, 50, 60, 560, 220
	p := newPicture(660, 330, "Nodes in each zone as the cluster grows",
		"Steps of three zones of weights 60, 25 and 15; the first stops at its cap of 5")
	x := func(n int64) float64 { return left + width*float64(n)/most }
	y := func(n float64) float64 { return top + height*(1-n/13) }
	p.text("small", 20, top-8, "nodes in the zone")
	for n := int64(0); n <= 12; n += 3 {
		p.path("grid", left, y(float64(n)), left+width, y(float64(n)))
		p.text("small end", left-8, y(float64(n))+4, fmt.Sprint(n))
	}
	for n := int64(0); n <= most; n += 4 {
		p.text("small mid", x(n), top+height+18, fmt.Sprint(n))
	}
	p.text("small mid", left+width/2, top+height+38, "nodes of the cluster")
	lines := make([][]float64, len(capped()))
	for n := int64(0); n <= most; n++ {
		counts, err := placement.Distribute(capped(), n)
		if err != nil {
			return "", err
		}
		for i, count := range counts {
			if k := len(lines[i]); k > 0 {
				lines[i] = append(lines[i], x(n), lines[i][k-1])
			}
			lines[i] = append(lines[i], x(n), y(float64(count)))
		}
	}
	for i, b := range capped() {
		line, end := fmt.Sprintf("line%d", i), min(float64(most*b.Weight)/100, 12)
		p.path("share "+line, x(0), y(0), left+width*end/(most*float64(b.Weight)/100), y(end))
		p.path("line "+line, lines[i]...)
		label := fmt.Sprintf("%s, weight %d", b.Name, b.Weight)
		if b.Cap != placement.Unlimited {
			label += fmt.Sprintf(", cap %d", b.Cap)
		}
		p.rect(fmt.Sprintf("fill%d", i), left+20, float64(top+8+20*i), 12, 12)
		p.text("", left+38, float64(top+19+20*i), label)
	}
	p.text("small", left+20, float64(top+78), "dashed: the share by weight, without the cap")
	return p.String(), nil
}

// cases are requests for which the first implementation had another result.
var cases = []struct {
	title  string
	now    []int64
	change int64
	senlin []int64 // nodes after the request
}{
	{"3 equal zones, add 4", []int64{0, 0, 0}, 4, []int64{2, 2, 0}},
	{"7 equal zones, add 8", make([]int64, 7), 8, []int64{2, 2, 2, 2, 0, 0, 0}},
	{"3 zones with 2 each, remove 4", []int64{2, 2, 2}, -4, []int64{0, 0, 2}},
	{"8 zones with 7 each, remove 49", []int64{7, 7, 7, 7, 7, 7, 7, 7}, -49, []int64{0, 0, 0, 0, 0, 0, 0, 7}},
}

// beforeAndAfter draws the zones after a request, for Senlin and for the planner.
func beforeAndAfter() (string, error) {
	const row = 120
	p := newPicture(660, 56+row*float64(len(cases)), "Zones after a request",
		"Bars of the nodes in each zone, by Senlin uneven, by this provider as even as can be")
	for i, name := range []string{"Senlin", "this provider"} {
		p.rect(fmt.Sprintf("fill%d", 3-3*i), 370+float64(80*i), 18, 12, 12)
		p.text("", 388+float64(80*i), 29, name)
	}
	for i, c := range cases {
		bins := make([]placement.Bin, len(c.now))
		for j, n := range c.now {
			bins[j] = placement.Bin{Name: fmt.Sprintf("az-%d", j+1), Weight: 1, Cap: placement.Unlimited, Current: n}
		}
		after, err := placement.Distribute(bins, c.change)
		if err != nil {
			return "", err
		}
		for j := range after {
			after[j] += c.now[j]
		}
		y, tallest := 56+float64(row*i), max(slices.Max(c.senlin), slices.Max(after))
		p.text("", 20, y+8, c.title)
		p.bars("fill3", 40, y+84, tallest, c.senlin)
		p.bars("fill0", 370, y+84, tallest, after)
	}
	return p.String(), nil
}

// bars draws a bar for the nodes of each zone.
func (p *picture) bars(class string, left, base float64, tallest int64, numbers []int64) {
	const height = 48
	p.path("axis", left, base, left+float64(30*len(numbers)), base)
	for i, n := range numbers {
		x, tall := left+float64(30*i), height*float64(n)/float64(tallest)
		p.rect(class, x+5, base-tall, 20, tall)
		p.text("small mid", x+15, base-tall-4, fmt.Sprint(n))
		p.text("small mid", x+15, base+14, fmt.Sprintf("az-%d", i+1))
	}
}

// destroyed draws the table of servers that each way of placing destroys.
func destroyed(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(bytes.TrimSpace(text))), "\n")[1:]
	// The picture leaves out steps without destroyed servers; the table has them.
	lines = slices.DeleteFunc(lines, func(line string) bool {
		cells := strings.Fields(line)
		return cells[len(cells)-1] == "0" && cells[len(cells)-2] == "0"
	})
	p := newPicture(660, 116+44*float64(len(lines)), "Servers destroyed that could have stayed",
		"Bars for each step that destroys any: element() destroys up to seven of seven servers, the attachment none")
	for i, name := range []string{"element()", "placement attachment"} {
		p.rect(fmt.Sprintf("fill%d", 1-i), 20+float64(110*i), 44, 12, 12)
		p.text("", 38+float64(110*i), 55, name)
	}
	for i, line := range lines {
		cells := strings.Fields(line)
		title := strings.TrimSpace(line[:min(len(line), 37)])
		y := 80 + float64(44*i)
		if i == len(lines)-1 { // the total is set apart
			y += 16
			p.path("axis", 20, y-8, 640, y-8)
		}
		p.text("end", 300, y+18, title)
		for j, cell := range cells[len(cells)-2:] {
			n, err := strconv.Atoi(cell)
			if err != nil {
				return "", err
			}
			p.rect(fmt.Sprintf("fill%d", 1-j), 312, y+float64(14*j), float64(18*n), 12)
			p.text("small", 318+float64(18*n), y+10+float64(14*j), cell)
		}
	}
	return p.String(), nil
}

// worked is the worked example: the zone of each next node, and its cost.
func worked() (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "%4s  %8s  %8s  %8s  %-6s  %s\n", "node", "az-1", "az-2", "az-3", "goes to", "nodes")
	bins := capped()
	for node := 1; node <= 10; node++ {
		changes, err := placement.Distribute(bins, 1)
		if err != nil {
			return "", err
		}
		var costs [3]string
		var to string
		for i, b := range bins {
			costs[i] = fmt.Sprintf("%d/%d", 2*b.Current+1, b.Weight)
			if b.Headroom(1) == 0 {
				costs[i] = "full"
			}
			if bins[i].Current += changes[i]; changes[i] == 1 {
				to = b.Name
			}
		}
		fmt.Fprintf(&text, "%4d  %8s  %8s  %8s  %-7s  %d %d %d\n",
			node, costs[0], costs[1], costs[2], to, bins[0].Current, bins[1].Current, bins[2].Current)
	}
	return text.String(), nil
}
