// Says with Ajv whether documents fit schemas. Reads the schemas by name from the file that is its argument;
// then for each line {"schema": name, "document": …} it answers one line, true or false.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const schemas = JSON.parse(readFileSync(process.argv[2], "utf8"));
const validators = new Map();
for (const [name, schema] of Object.entries(schemas)) {
  // A compiler each, because two schemas may have one $id.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
  addFormats.default(ajv);
  validators.set(name, ajv.compile(schema));
}
for await (const line of createInterface({ input: process.stdin })) {
  const { schema, document } = JSON.parse(line);
  process.stdout.write(`${validators.get(schema)(document)}\n`);
}
