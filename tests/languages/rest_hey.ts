// As rest.ts, with a client that another generator makes: functions, one for each operation.
import { createClient } from "./client/client/index.js";
import { createVcon, readVconIds, vconSearch } from "./client/index.js";

declare const process: { argv: string[] };
const client = createClient({ baseUrl: `${process.argv[2]}/v1` });

const made = await createVcon({ client, body: { vcon_data: { vcon: "0.4.0", parties: [{ name: "Ada" }] } } });
const found = await vconSearch({ client, body: { mode: "metadata", limit: 5 } });
const listed = await readVconIds({ client });
// @ts-expect-error  there is no such mode
const refused = await vconSearch({ client, body: { mode: "telepathy" } });

const items = found.data?.ok ? found.data.items : [];
console.log(JSON.stringify({ made: made.data, items, listed: listed.data, refused: refused.data }));
