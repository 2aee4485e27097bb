// Takes out of package-lock.json what no installation reads: the addresses of sponsors, and the versions of Node.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) {
  delete entry.funding;
  delete entry.engines;
}
writeFileSync(file, JSON.stringify(lock, null, 2) + "\n");
