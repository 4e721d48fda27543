// Validates and lints an OpenAPI document, with its examples, and prints what is wrong.
//
//   node openapi.mjs FILE
import { createConfig, lint } from "@redocly/openapi-core";

const config = await createConfig({
  extends: ["recommended-strict"],
  rules: {
    "no-path-trailing-slash": "off", // tracking has a route at its root
    "no-invalid-media-type-examples": "error",
    "no-unused-components": "error",
    "operation-operationId-unique": "error",
    "operation-parameters-unique": "error",
    "path-parameters-defined": "error",
    "tag-description": "error",
  },
});
const problems = await lint({ ref: process.argv[2], config });
for (const p of problems) console.log(`${p.severity} ${p.ruleId}: ${p.message} at ${p.location[0]?.pointer}`);
process.exit(problems.length === 0 ? 0 : 1);
