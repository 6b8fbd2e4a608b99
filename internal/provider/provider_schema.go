package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
)

// providerSchema has the arguments of terraform-provider-openstack, so that users can
// copy its provider block, and a few of its own.
func providerSchema() schema.Schema {
	text, flag := attribute.Text, attribute.Flag
	secret := func(description string) schema.Attribute {
		a := text(description)
		a.Sensitive = true
		return a
	}
	return schema.Schema{
		MarkdownDescription: "Cluster policies for OpenStack: where nodes are placed, which ones are removed, and why.",
		Attributes: map[string]schema.Attribute{
			"auth_url": text("Address of Keystone. Needed unless `cloud` is given. Environment: `OS_AUTH_URL`."),
			"cloud": text("Entry of `clouds.yaml` to log in with, in place of the credentials below. Environment: " +
				"`OS_CLOUD`; `OS_CLIENT_CONFIG_FILE` names the file."),
			"region": text("Region to use if no other is named. Defaults to the region of `clouds.yaml`, or to the " +
				"only region. Environment: `OS_REGION_NAME`."),
			"user_name": text("Name of the user. Environment: `OS_USERNAME`."),
			"user_id":   text("Id of the user, in place of its name. Environment: `OS_USER_ID`."),
			"application_credential_id": text("Id of an application credential. Environment: " +
				"`OS_APPLICATION_CREDENTIAL_ID`."),
			"application_credential_name": text("Name of an application credential; the user must be named too. " +
				"Environment: `OS_APPLICATION_CREDENTIAL_NAME`."),
			"application_credential_secret": secret("Secret of the application credential. Environment: " +
				"`OS_APPLICATION_CREDENTIAL_SECRET`."),
			"tenant_id":   text("Id of the project. Environment: `OS_TENANT_ID` or `OS_PROJECT_ID`."),
			"tenant_name": text("Name of the project. Environment: `OS_TENANT_NAME` or `OS_PROJECT_NAME`."),
			"password":    secret("Password of the user. Environment: `OS_PASSWORD`."),
			"token": secret("Token in place of user and password. It cannot be renewed. Environment: `OS_TOKEN` or " +
				"`OS_AUTH_TOKEN`."),
			"user_domain_name":    text("Name of the user's domain. Environment: `OS_USER_DOMAIN_NAME`."),
			"user_domain_id":      text("Id of the user's domain. Environment: `OS_USER_DOMAIN_ID`."),
			"project_domain_name": text("Name of the project's domain. Environment: `OS_PROJECT_DOMAIN_NAME`."),
			"project_domain_id":   text("Id of the project's domain. Environment: `OS_PROJECT_DOMAIN_ID`."),
			"domain_id": text("Id of the domain of user and project, or of the scope if no project is given. " +
				"Environment: `OS_DOMAIN_ID`."),
			"domain_name": text("Name of that domain. Environment: `OS_DOMAIN_NAME`."),
			"default_domain": text("Id of the domain if no other argument names one. Defaults to `default`. " +
				"Environment: `OS_DEFAULT_DOMAIN`."),
			"insecure": flag("Accept TLS certificates that cannot be verified. Defaults to `false`. Environment: " +
				"`OS_INSECURE`."),
			"endpoint_type": text("Interface of the catalogue to use: `public` (the default), `internal` or `admin`. " +
				"Environment: `OS_ENDPOINT_TYPE`."),
			"cacert_file": text("CA certificate to verify TLS with: a path, or the PEM text. Environment: " +
				"`OS_CACERT`."),
			"cert": text("Client certificate: a path, or the PEM text. Needs `key`. Environment: `OS_CERT`."),
			"key":  secret("Key of the client certificate: a path, or the PEM text. Environment: `OS_KEY`."),
			"max_retries": attribute.Number("How often a failed request is repeated, if that is safe: after 429, "+
				"500, 502, 503, 504, a 404 that the service itself did not write, and broken connections. At most "+
				"`1000`. Defaults to `0`.", int64validator.Between(0, openstack.MostRetries)),
			"endpoint_overrides": schema.MapAttribute{
				ElementType: types.StringType,
				Optional:    true,
				MarkdownDescription: "Addresses that replace the catalogue's, by service type (`compute`, " +
					"`image`), in the provider's own region.",
			},
			"enable_logging": flag("Write a line for each request into Terraform's log at level `DEBUG`, without " +
				"headers and bodies. Defaults to `false`. Environment: `OS_DEBUG`."),
			"request_timeout": durations.Argument(time.Second, openstack.LongestTimeout, "Time after which a request "+
				"is given up, at most `1d`. Defaults to `1m`."),
			"webhook_secret": secret("Secret that webhooks are signed with, as [Standard " +
				"Webhooks](https://www.standardwebhooks.com) describes: the base64 text of 24 to 64 random bytes. " +
				"Several secrets, with spaces between them, all sign. Without one webhooks are not signed. " +
				"Environment: `STACKPOLICY_WEBHOOK_SECRET`."),
			"hook_cacert_file": text("CA certificates that webhooks are verified with, in addition to the system's: " +
				"a path, or the PEM text."),
			"allow_commands": flag("Allow hooks of type `command`, which run a command on the machine that runs " +
				"Terraform. Defaults to `false`."),
		},
	}
}
