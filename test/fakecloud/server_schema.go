package fakecloud

import "regexp"

// closed is an object without other properties.
func closed(props ...prop) *schema { return &schema{types: jsonObject, closed: true, props: props} }

// wrapped is an object with one property, which has everything else.
func wrapped(name string, value *schema) *schema {
	return closed(prop{name: name, required: true, schema: value})
}

// Parts of Nova's schemas that several requests share.
var (
	nameSchema     = &schema{types: jsonString, minSize: 1, maxSize: 255, format: "name"}
	uuidSchema     = &schema{types: jsonString, format: "uuid"}
	countSchema    = &schema{types: jsonDigits, bounded: true, minimum: 1, pattern: notSigned, minSize: 1}
	tagSchema      = &schema{types: jsonString, minSize: 1, maxSize: 60, pattern: regexp.MustCompile(`^[^,/]*$`)}
	tagListSchema  = &schema{types: []string{"array"}, items: tagSchema, maxSize: 50}
	stringOrNull   = &schema{types: []string{"string", "null"}, maxSize: 255}
	metadataKeys   = regexp.MustCompile(`^[a-zA-Z0-9-_:. ]{1,255}$`)
	metadataSchema = &schema{
		types:  jsonObject,
		keys:   metadataKeys,
		others: &schema{types: jsonString, maxSize: 255},
		closed: true,
	}
	arrayOfObjects = &schema{types: []string{"array"}, items: &schema{types: jsonObject}}
	portOrNull     = &schema{oneOf: []*schema{uuidSchema, {types: []string{"null"}}}}
	anyString      = &schema{types: jsonString}
	securityGroups = &schema{
		types: []string{"array"},
		items: closed(prop{name: "name", schema: nameSchema}),
	}
	schedulerHints  = &schema{types: jsonObject, props: []prop{{name: "group", schema: uuidSchema}}}
	imageSchema     = &schema{oneOf: []*schema{uuidSchema, {types: jsonString, enum: []any{""}}}}
	flavorRefSchema = &schema{types: []string{"string", "integer"}, minSize: 1}
)

// networkList is the list of networks at creation; before 2.37 their ids are checked later.
func networkList(id *schema) *schema {
	return &schema{types: []string{"array"}, items: closed(
		prop{name: "fixed_ip", schema: anyString},
		prop{name: "port", schema: portOrNull},
		prop{name: "uuid", schema: id},
		prop{name: "tag", schema: tagSchema, since: 32},
	)}
}

// createSchema is the body of POST /servers.
var createSchema = &schema{types: jsonObject, closed: true, props: []prop{
	{name: "server", required: true, schema: &schema{types: jsonObject, closed: true, props: []prop{
		{name: "name", schema: nameSchema, required: true},
		{name: "imageRef", schema: imageSchema},
		{name: "flavorRef", schema: flavorRefSchema, required: true},
		{name: "adminPass", schema: anyString},
		{name: "metadata", schema: metadataSchema},
		{name: "networks", schema: networkList(anyString), until: 36},
		{name: "networks", required: true, since: 37, schema: &schema{oneOf: []*schema{
			networkList(uuidSchema), {types: jsonString, enum: []any{"none", "auto"}},
		}}},
		{name: "availability_zone", schema: nameSchema},
		{name: "block_device_mapping_v2", schema: arrayOfObjects},
		{name: "config_drive", schema: boolean},
		{name: "security_groups", schema: securityGroups},
		{name: "user_data", schema: anyString},
		{name: "description", schema: stringOrNull, since: 19},
		{name: "tags", schema: tagListSchema, since: 52},
	}}},
	{name: "os:scheduler_hints", schema: schedulerHints},
}}

// updateSchema is the body of PUT /servers/{}.
var updateSchema = wrapped("server", closed(
	prop{name: "name", schema: nameSchema},
))
