// Prints how many tokens of o200k_base each string of the JSON array in file argv[2] takes, as a JSON array.
import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const texts = JSON.parse(readFileSync(process.argv[2], "utf-8"));
console.log(JSON.stringify(texts.map((text) => encode(text).length)));
