// Package flags stores and evaluates feature flags:
//
//	service, err := flags.New(flags.Config{Store: &flags.Memory{}}) // or a database, see store/meta
//	defer service.Close(ctx)
//	shop, ada := flags.OfWebsite("shop"), flags.Actor{Kind: "user", ID: "ada"}
//	flag, err := service.Editor().Create(ctx, ada, flags.Flag{Client: shop, Key: "beta", Type: flags.Boolean})
//	result, err := service.Evaluator().Evaluate(ctx, shop, "beta", &flags.Context{UserID: "u1"})
//
// A [Store] holds the flags of clients. A [Client] is a website or an organisation. An [Editor] changes flags and
// enforces all rules, so that stores do not need to know them. An [Evaluator] evaluates flags in memory. A [Service]
// has both, connected. Programs that only change or only evaluate flags create one of them alone. An [Index] is a
// client's flags, prepared for evaluation. Its methods are pure: the same flags, context and instant give the same
// result in every process. The package is independent of HTTP.
//
// # Which flags are evaluated
//
// A flag is evaluated if it is not removed, its status at that instant is active, and its environment is the
// context's environment. A flag without an environment is only evaluated for a context without one. Any other
// key gives FLAG_NOT_FOUND, and results for many keys do not contain it.
//
// # The order of evaluation
//
//  1. Each key in dependencies must be a flag that evaluates to enabled for the same context at the same
//     instant. Otherwise the flag is disabled: DEPENDENCY_NOT_SATISFIED. The same holds if the dependencies form
//     a cycle or a chain of more than 32 flags, including the flag itself. Chains go through all flags of the
//     environment that are not removed, whatever their status.
//  2. The first matching rule of the flag decides. The result has the rule's enabled:
//     USER_RULE_MATCH.
//  3. The first matching rule of the flag's target groups, in the flag's order, decides in the same way:
//     TARGET_GROUP_MATCH.
//  4. A multivariant flag with variants is enabled: MULTIVARIANT_EVALUATED.
//  5. A rollout flag is enabled if the bucket of IDENTIFIER for the purpose rollout is below the limit of its
//     percentage: ROLLOUT_ENABLED or ROLLOUT_DISABLED. IDENTIFIER is the organisation's id for rollouts
//     by organisation, the team's id for rollouts by team, and otherwise the person.
//  6. Otherwise the flag has its default: BOOLEAN_DEFAULT.
//
// The value of a multivariant flag with variants is the value of one variant, and the result has the variant's key,
// whatever enabled the flag. If the flag is disabled or not active, the result has neither: false would have another
// type than the variants, so programs use their own default. The value of every other flag is its enabled.
//
// The person is the user's id, or the email if the id is missing. The text anonymous replaces a missing
// IDENTIFIER or person, so all anonymous people share one bucket. Only enabled results have the payload.
//
// # Buckets
//
// A flag's hashVersion defines how people are divided into buckets. Version 1 is the hash of the public product. Its
// flags are not independent of each other: two of them often split people in the same way. Version 2 is the
// default for new flags. With both versions, a person's bucket depends only on the flag and the id, and raising a
// percentage never excludes a person. A new version moves people to other buckets. So the version of a flag only
// changes if a change names hashVersion. Flags that were stored without a version have version 1.
//
// Version 2: the text is PURPOSE, a byte 0, NAME, a byte 0, and ID, in UTF-8. PURPOSE is rollout, variant
// or percentage. NAME is the flag's key; for a rule of a target group it is the group's id. h is the first 8
// bytes of SHA-256 of the text, as an unsigned integer with the highest byte first. The bucket of ID is
// h × 10000 / 2⁶⁴, rounded down: 0 to 9999. The limit of a percentage is the percentage × 100, rounded to
// the nearest integer. Which of n equal parts ID belongs to is h × n / 2⁶⁴, rounded down. The products
// have 128 bits. testdata/hash_version_2.json has test vectors.
//
// Version 1: the text is "KEY:ID" for the purpose rollout, "KEY:variant:ID" for variant, and
// "percentage:ID" for percentage. hash(text) starts with 0 and, for each UTF-16 code unit u of text, becomes
// hash × 31 + u as a signed integer of 32 bits that wraps around. h is its absolute value (2147483648 for
// the least integer). The bucket is h modulo 100, the limit of a percentage is the percentage itself, and
// the part is h modulo n. Percentages of rollouts are whole.
//
// The variant is picked by the person, for the purpose variant. If no variant has a weight, people are divided into
// as many equal parts as variants, and the index of the person's part selects the variant. Otherwise the picked
// variant is the first one for which the limit of the sum of its weight and all weights before it is above the bucket.
// If no variant fits, the last one is picked. A missing weight counts as 0. Weights are exact to 0.01 %.
//
// # When a rule matches
//
// A rule applies to the user's id, the email, or the property that its field names; this is its subject. The
// first of these cases that fits defines how the rule matches. A rule that fits no case never matches. Texts are
// compared by code units, so case matters.
//
//   - batch with batchValues: compares the text of the subject. in: the text is in batchValues; not_in: it
//     is not, or is missing; equals, contains, starts_with and ends_with: it matches any of batchValues;
//     exists and not_exists never match.
//   - a user's id, email, or property with a field, whose operator reads values: see below. A missing subject and a
//     value that cannot be read never match.
//   - a user's id or email: an empty one never matches, not even with not_in. equals, contains, starts_with
//     and ends_with compare with value, a text; in and not_in compare with the texts in values.
//   - a property with a field: exists: it is present and not null; not_exists: it is absent or null;
//     in: it equals one of values; not_in: it equals no value, or is absent or null; equals: it equals
//     value; contains: its text contains the text of value. starts_with and ends_with never match.
//   - a property without a field, and a value that is a number: the person's bucket for the purpose
//     percentage is below the limit of the value, whatever the operator.
//
// Two values are equal if they are texts, numbers or booleans of the same kind and content: 1 is not equal to
// "1". Lists and objects are never equal to another value. The subject of a batch is missing if it is an
// empty id or email, or an absent or null property. The text of a value is the text of ECMAScript's
// String(): numbers as 1, 0.5, 1e+21; true and false; the elements of a list joined by commas, with an
// empty text for null; [object Object] for an object.
//
// These operators read values. gt, gte, lt and lte compare numbers: JSON numbers, and texts with an optional sign,
// decimal digits, at most one point and an optional exponent. semver_eq, semver_gt, semver_gte, semver_lt and
// semver_lte compare texts that are versions of Semantic Versioning 2.0.0 by its precedence, so 1.10.0 is above 1.9.0,
// 1.0.0-rc.1 is below 1.0.0, and build metadata are ignored. A version may begin with v, and 1 and 1.2 mean 1.0.0 and
// 1.2.0. Numbers are no versions. matches finds a regular expression of RE2, value, in the text of a text, number or
// boolean of at most 512 bytes. A client may have 100 different regular expressions, each with at most 500 bytes.
//
// # Schedules
//
// A [Step] enables or disables a flag or sets its percentage at an instant. Evaluation applies all steps that
// are due, so no job has to run them: a step takes effect at the same instant in every process, also during
// and after an outage. The next change of the flag writes the due steps to the record first, each with a [Change] at
// the step's instant. Each step is a revision.
//
// # How soon a change is seen
//
// The Evaluator of a [Service] uses changes by its Editor at once. Other processes check for new revisions every 500
// ms, or are notified by a [Bus]. If the store fails, evaluation continues with the last known flags, and
// [Evaluator.Check] reports since when.
package flags
