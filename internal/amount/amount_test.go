package amount_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/amount"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// TestAmount: a percentage is a share of the size, rounded up or down as asked.
func TestAmount(t *testing.T) {
	for _, c := range []struct {
		text           string
		size, down, up int64
	}{
		{"3", 10, 3, 3},
		{"0", 10, 0, 0},
		{"150", 10, 150, 150},
		{"25%", 8, 2, 2},
		{"25%", 10, 2, 3},
		{"12.5%", 8, 1, 1},
		{"100%", 10, 10, 10},
		{"0.000001%", 10, 0, 1},
		{"50.00%", 0, 0, 0},
	} {
		a, err := amount.Parse(c.text)
		if err != nil || a.Down(c.size) != c.down || a.Up(c.size) != c.up || a.String() != c.text {
			t.Errorf("%s of %d: got %s, %d to %d, %v", c.text, c.size, a, a.Down(c.size), a.Up(c.size), err)
		}
	}
	var none amount.Amount
	if none.String() != "0" || none.Up(10) != 0 || !none.Zero() || plans.Amount("0.000001%").Zero() || !plans.Amount("0%").Zero() {
		t.Errorf("no amount is %s, %d of 10", none, none.Up(10))
	}
	for text, want := range map[string]string{
		"":            `"" is neither a whole number of nodes, such as "2", nor a percentage, such as "25%"`,
		"1.5":         `"1.5" is neither a whole number of nodes, such as "2", nor a percentage, such as "25%"`,
		"-1":          `"-1" is neither a whole number of nodes, such as "2", nor a percentage, such as "25%"`,
		"25 %":        `"25 %" is neither a whole number of nodes, such as "2", nor a percentage, such as "25%"`,
		"1234567890":  `"1234567890" is neither a whole number of nodes, such as "2", nor a percentage, such as "25%"`,
		"101%":        "101% is more than all nodes: a percentage is at most 100%",
		"100.000001%": "100.000001% is more than all nodes: a percentage is at most 100%",
	} {
		if _, err := amount.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
