// Package probeblock has the blocks http and tcp, which say how to probe the service of
// a node over the network.
package probeblock

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// HTTP is the schema of the block http.
func HTTP() schema.Block {
	return attribute.Block("A GET request that the server must answer. TLS trusts the authorities of the system "+
		"and of `hook_cacert_file` in the provider block.", attribute.Fields{
		"url": attribute.Text("Required. URL such as `http://{address}:8080/health`, or with the node's " +
			"`{name}`. A plan shows it: pass a secret in a sensitive variable."),
		"status": attribute.Text("Statuses of a good answer, such as `200-299,404`. Defaults to `" +
			probe.DefaultStatuses + "`."),
	}, "url")
}

// TCP is the schema of the block tcp.
func TCP() schema.Block {
	return attribute.Block("A port at which the server must accept connections.", attribute.Fields{
		"port": attribute.Number("Required. Number of the port.", int64validator.Between(1, 65535)),
	}, "port")
}

// Read returns the probes of the blocks; a probe is nil if its block is absent or not
// completely known. Faults are reported below the path. linkLocal says whether addresses may be
// link-local.
func Read(http, tcp types.Object, linkLocal bool, at path.Path, diags *diag.Diagnostics) (*probe.HTTP, *probe.TCP) {
	return readHTTP(http, linkLocal, at.AtName("http"), diags), readTCP(tcp, linkLocal)
}

func readHTTP(block types.Object, linkLocal bool, at path.Path, diags *diag.Diagnostics) *probe.HTTP {
	if !value.Given(block) {
		return nil
	}
	check := probe.HTTP{LinkLocal: linkLocal}
	var err error
	given := block.Attributes()
	url, status := value.In[types.String](given, "url"), value.In[types.String](given, "status")
	if value.Given(url) {
		if check.URL, err = probe.ParseURL(url.ValueString()); err == nil && !check.URL.OfNode() {
			err = errors.New("the URL has neither {address} nor {name}, so one service would answer for all nodes: " +
				"write it as in http://{address}:8080/health")
		}
		if err != nil {
			diags.AddAttributeError(at.AtName("url"), "Invalid URL", text.Sentence(err))
		}
	}
	if status.IsUnknown() {
		return nil
	}
	if check.Status, err = probe.ParseStatuses(value.TextOr(status, probe.DefaultStatuses)); err != nil {
		diags.AddAttributeError(at.AtName("status"), "Invalid HTTP statuses", text.Sentence(err))
	}
	if !value.Given(url) {
		return nil
	}
	return &check
}

func readTCP(block types.Object, linkLocal bool) *probe.TCP {
	port, _ := block.Attributes()["port"].(types.Int64)
	if !value.Given(port) {
		return nil
	}
	return &probe.TCP{Port: port.ValueInt64(), LinkLocal: linkLocal}
}
