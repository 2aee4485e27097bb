// What somebody would write with a client that is generated from generated/openapi.json.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: `${process.argv[2]}/v1` });

const made = await client.POST("/tools/create_vcon", {
  body: { vcon_data: { vcon: "0.4.0", parties: [{ name: "Ada" }] } },
});
const found = await client.POST("/tools/vcon_search", { body: { mode: "metadata", limit: 5 } });
const listed = await client.GET("/resources/vcon_ids");
// @ts-expect-error  there is no such mode
const refused = await client.POST("/tools/vcon_search", { body: { mode: "telepathy" } });

const items = found.data?.ok ? found.data.items : [];
console.log(JSON.stringify({ made: made.data, items, listed: listed.data, refused: refused.data }));
