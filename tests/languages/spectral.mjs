// Lints the OpenAPI documents that are its arguments with Spectral's rules for OpenAPI; prints the findings.
import { readFileSync } from "node:fs";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";

const spectral = new spectralCore.Spectral();
spectral.setRuleset({
  extends: [[spectralRulesets.oas, "all"]],
  rules: {
    // The project has no address of its own to write to, and its license is named by its SPDX identifier.
    "info-contact": "off",
    "license-url": "off",
    // Tags are the toolsets, in the order in which people read them. A vCon document is a library of schemas.
    "openapi-tags": "off",
    "openapi-tags-alphabetical": "off",
    "oas3-unused-component": "off",
  },
});
for (const file of process.argv.slice(2)) {
  for (const { severity, code, message, path } of await spectral.run(JSON.parse(readFileSync(file, "utf8")))) {
    console.log(`${file}#/${path.join("/")}: ${severity}: ${code}: ${message.replaceAll("\n", " ")}`);
  }
}
