// Lints the OpenAPI documents that are its arguments with the strictest rules that fit them; prints the findings.
import { createConfig, lint } from "@redocly/openapi-core";

const config = await createConfig({
  extends: ["recommended-strict"],
  rules: {
    // One half of a condition names members that the other half declares.
    "no-required-schema-properties-undefined": "off",
    // An example may have members that the schema, which is open, does not name.
    "no-invalid-media-type-examples": { severity: "error", allowAdditionalProperties: true },
    // A vCon document is a library of schemas.
    "no-unused-components": "off",
  },
});
for (const ref of process.argv.slice(2)) {
  for (const { severity, ruleId, message, location } of await lint({ ref, config })) {
    console.log(`${ref}${location[0]?.pointer ?? ""}: ${severity}: ${ruleId}: ${message.replaceAll("\n", " ")}`);
  }
}
