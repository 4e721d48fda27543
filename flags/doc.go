// Package flags keeps feature flags and evaluates them. It is independent of HTTP and imports only the
// standard library.
//
// A [Store] keeps the flags of clients: a client is a website or an organisation, by its id. An
// [Editor] changes them and enforces all rules, so that a store need know none. An [Evaluator] answers
// from memory. An [Index] is a client's flags prepared for evaluation, and its methods are pure: the
// same flags, context and instant give the same result in every process.
//
// # Which flags are evaluated
//
// A flag is evaluated when it is not removed, its status at that instant is active, and its
// environment is the context's; a flag without environment only answers a context without
// one. Any other key is FLAG_NOT_FOUND, and is absent where many keys are asked for.
//
// # The order of evaluation
//
//  1. Each key in dependencies must be a flag that evaluates to enabled for the same context, at the same
//     instant. Otherwise: disabled, DEPENDENCY_NOT_SATISFIED. So is a flag whose dependencies form a cycle
//     or a chain of more than 32 flags, itself counted. Chains go through all flags of the environment
//     that are not removed, whatever their status.
//  2. The first of the flag's rules that matches decides: enabled and value are those of the
//     rule, USER_RULE_MATCH.
//  3. The first rule that matches, of the flag's target groups in the flag's order, decides
//     likewise: TARGET_GROUP_MATCH.
//  4. A multivariant flag with variants is enabled and has the value of one of them, with its
//     key: MULTIVARIANT_EVALUATED.
//  5. A rollout flag is enabled when the bucket of IDENTIFIER for the purpose rollout is less than the
//     limit of its percentage: ROLLOUT_ENABLED or ROLLOUT_DISABLED. IDENTIFIER is the organisation's id
//     for rollouts by organisation, the team's id for those by team, else the person.
//  6. Otherwise the flag has its default: BOOLEAN_DEFAULT.
//
// The person is the user's id, or without one the email. A missing IDENTIFIER or person is replaced by
// the text anonymous: all of them share one bucket. Only results that are enabled have the payload.
//
// # Buckets
//
// A flag's hashVersion says how people are divided into buckets. Version 1 is the hash of the public
// product. Flags of version 1 are not independent of each other: two of them often split people in the same
// way. Version 2 is the default for new flags. With both, a person's bucket depends on nothing but the flag
// and the id, and raising a percentage keeps everybody who is already in. Changing the version of a flag
// shuffles people, so it only happens when a change names hashVersion. Flags that were stored without
// a version have version 1.
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
// A variant is picked by the person, for the purpose variant. When no variant has a weight, it is the one
// at the index of the person's part of as many equal parts as there are variants. Otherwise it is the first
// variant where the limit of the sum of its weight and those before it is greater than the bucket. A missing
// weight is 0, and when no variant fits it is the last one. Weights count to 0.01 %.
//
// # When a rule matches
//
// A rule is about the user's id, the email, or a property, which its field names. The first
// of these that fits says how it matches; a rule that fits none never does. Texts are compared
// by code units: case matters.
//
//   - batch with batchValues: on the text of the subject. in: it is one of batchValues;
//     not_in: it is none, or missing; equals, contains, starts_with and ends_with: it does so with
//     any of them; exists and not_exists never.
//   - a user's id or email: an empty one never matches, not even not_in. equals, contains,
//     starts_with and ends_with with value, a text; in and not_in with the texts of values.
//   - a property with a field: exists: it is there and not null; not_exists: it is not, or
//     null; in: it equals one of values; not_in: it equals none, or is missing or null; equals:
//     it equals value; contains: its text contains the text of value. starts_with and ends_with never.
//   - a property without a field, and a value that is a number: the person's bucket for the purpose
//     percentage is less than the limit of the value, whatever the operator.
//
// Two values are equal when they are texts, numbers or booleans of the same kind and content;
// 1 is not "1", and lists and objects equal nothing. The subject of a batch is missing when it
// is an empty id or email, or a property that is absent or null. The text of a value is that of
// ECMAScript's String(): numbers as 1, 0.5, 1e+21; true and false; a list's elements joined by
// commas, null as nothing; [object Object] for an object.
//
// # Schedules
//
// A [Step] enables or disables a flag or sets its percentage from an instant on. Evaluation applies the
// steps that are due, so no job has to run them: a step takes effect at the same instant in every
// process, also during and after an outage. The next change of the flag writes the step into the
// record, with a [Change] at the step's instant, before the change itself. Each step is a revision.
//
// # How soon a change is seen
//
// The process that changes a flag notifies its [Evaluator], which uses the change from then on. Others
// check for new revisions every 500 ms, or are notified by a message bus, such as package redisbus.
// When the store does not answer, evaluation goes on with what was last known, and [Evaluator.Check]
// says since when.
package flags
