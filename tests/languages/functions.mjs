// Generates the functions that rest_functions.ts calls from the OpenAPI document that is its argument.
import { createClient } from "@hey-api/openapi-ts";

await createClient({
  input: process.argv[2],
  output: { path: "client", importFileExtension: ".js" },
  logs: { file: false, level: "silent" },
});
