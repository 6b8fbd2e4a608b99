package openstack_test

import (
	"context"
	"encoding/json"

	"github.com/gophercloud/gophercloud/v2"
)

// messaging makes a request of Zaqar, as gophercloud makes those of hooks.
func messaging(ctx context.Context, client *gophercloud.ServiceClient, method, address string, body any, ok []int) (any, error) {
	var answer, decoded any
	options := &gophercloud.RequestOpts{JSONBody: body, OkCodes: ok}
	if method != "DELETE" {
		options.JSONResponse = &answer
	}
	if _, err := client.Request(ctx, method, address, options); err != nil {
		return nil, err
	}
	again, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return decoded, json.Unmarshal(again, &decoded)
}
