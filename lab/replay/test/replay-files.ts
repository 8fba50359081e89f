import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { openReplayer } from "../replayer.ts";

// Replays all cassettes of the folder that is named, and prints each result that is not `identical`, and how many there were.
const JOBS = 4;
const [, , folder = "."] = process.argv;
const { signal } = new AbortController();
await using replayer = await openReplayer({ jobs: JOBS, signal });
const startedAt = performance.now();
const limit = pLimit(JOBS);
const names = (await readdir(folder)).toSorted();
const results = await Promise.all(
  names.map((name) =>
    limit(async () => {
      const cassette = parseCassette(await readFile(join(folder, name), "utf8"));
      const result = await replayer.replay(cassette, signal);
      if (result.kind !== "identical") process.stdout.write(`${name}: ${JSON.stringify(result)}\n`);
      return result.kind;
    }),
  ),
);
const identical = results.filter((kind) => kind === "identical").length;
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
process.stdout.write(`${identical} of ${names.length} identical in ${seconds} s\n`);
