package httpapi

import (
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// requestSchemas returns the schemas of the bodies that routes read, beside those of queries. A value that does not
// follow from its schema alone has its rule in the description.
func requestSchemas() map[string]*openapi.Schema {
	all := map[string]*openapi.Schema{
		"TokenRequest": openapi.Object("Fields that the request leaves out stay as the key has them.",
			openapi.Member("ttl", openapi.Any("Seconds, or a duration such as `15m`; default 3600",
				openapi.Whole("", 1, int(auth.MaxTokenTTL.Seconds())), openapi.Text(""))),
			openapi.Member("scopes",
				openapi.List("Read scopes of the key",
					openapi.OneOf("", auth.ReadData, auth.ReadLinks, auth.ReadMonitors), 1, 0)),
			openapi.Member("types", openapi.List("Query types", openapi.Ref("QueryType"), 1, 0)),
			openapi.Member("resources", openapi.List("Websites, links and monitors, as `{kind, id}`", openapi.Object("",
				openapi.Member("kind", openapi.OneOf("", auth.KindWebsite, auth.KindLink, auth.KindSchedule)),
				openapi.Member("id", openapi.Text(""))).Needs("kind", "id"), 1, 0)),
			openapi.Member("filters",
				openapi.List("Mandatory filters for every answer; a group has either fields of sessions or fields of rows", openapi.Ref("MandatoryFilter"), 0, maxFilters)),
			openapi.Member("subject", openapi.Text("Your customer's id, for the audit trail")),
		),
		"FlagPatch": flagFields("Some fields of a flag. Fields that the body leaves out do not change.").Needs("clientId"),
		"NewFlag":   flagFields("A new flag. Creating a flag with the key of a removed one restores it with its id and history.").Needs("clientId", "key", "type", "defaultValue"),
		"FlagContext": openapi.Object("The flags to evaluate, and the person or program they are evaluated for.",
			append([]openapi.Property{
				openapi.Member("clientId", openapi.Text("The client: a website, or with a key its organization")),
				openapi.Member("keys", openapi.List("Keys of flags; default: all", openapi.Text(""), 0, flags.MaxKeys)),
				openapi.Member("properties", flagProperties()),
			}, openapi.Members(contextID(), contextFields...)...)...),
		"OFREPRequest": openapi.Object("The context of OFREP.",
			openapi.Member("context", openapi.Map("`targetingKey` and properties", &openapi.Schema{}))),
	}
	return all
}

// contextFields are the members of a flag's context that are ids.
var contextFields = []string{"userId", "email", "organizationId", "teamId", "environment"}

func contextID() *openapi.Schema {
	return openapi.Ref(openapi.Scalar).About("The person or program that the flag is evaluated for")
}

func flagProperties() *openapi.Schema {
	return openapi.Map("Further properties that rules compare with; at most 100", &openapi.Schema{})
}

// flagFields returns the fields of a flag that a caller sets.
func flagFields(about string) *openapi.Schema {
	return openapi.Object(about,
		openapi.Member("clientId",
			openapi.Text("The client of the flag: the id of a website or of the key's organization")),
		openapi.Member("key", openapi.Text("Unique per client and environment")),
		openapi.Member("type", openapi.OneOf("", flags.Boolean, flags.Rollout, flags.Multivariant)),
		openapi.Member("defaultValue", openapi.Truth("")),
		openapi.Member("name", &openapi.Schema{Type: openapi.Types{"string", "null"}, MaxLength: 100}),
		openapi.Member("description", &openapi.Schema{Type: openapi.Types{"string", "null"}, MaxLength: 500}),
		openapi.Member("environment", &openapi.Schema{Type: openapi.Types{"string", "null"}, MaxLength: 64}),
		openapi.Member("status", openapi.OneOf("Default `active`", flags.Active, flags.Inactive, flags.Archived)),
		openapi.Member("payload", openapi.Map("Up to 32 KiB", &openapi.Schema{}).OrNull()),
		openapi.Member("rolloutPercentage", openapi.Decimal("0 to 100")),
		openapi.Member("rolloutBy", openapi.OneOf("Default `user`", flags.ByUser, flags.ByOrganization, flags.ByTeam)),
		openapi.Member("rules", openapi.List("", openapi.Ref("Rule"), 0, 100)),
		openapi.Member("variants", openapi.List("", openapi.Ref("Variant"), 0, 32)),
		openapi.Member("schedule", openapi.List("", openapi.Ref("ScheduleStep"), 0, 50)),
		openapi.Member("dependencies", openapi.List("Keys of flags in the same environment", openapi.Text(""), 0, 32)),
		openapi.Member("targetGroupIds", openapi.List("", openapi.Text(""), 0, 32)),
		openapi.Member("hashVersion", openapi.Whole("Default 2", flags.FirstHash, flags.MixedHash)),
		openapi.Member("persistAcrossAuth", openapi.Truth("Default `false`")),
	)
}
