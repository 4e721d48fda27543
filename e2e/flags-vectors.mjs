// Checks hash version 2 against a file of test vectors, and prints their number:
//
//   node flags-vectors.mjs VECTORS
import { readFileSync } from "node:fs";
import { mix, part } from "./flags-hash.mjs";

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const v of vectors) {
  const hash = mix(v.purpose, v.key, v.id);
  const got = { hash: hash.toString(16).padStart(16, "0"), bucket: part(hash, 10_000), of3: part(hash, 3) };
  for (const [name, value] of Object.entries(got)) {
    if (value !== v[name]) throw new Error(`${name} of ${JSON.stringify(v)} is ${value}`);
  }
}
console.log(vectors.length);
