// Its tool `walk` reports its progress until the file that its argument names is there.
import { access } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { send, serveLines, textResult } from "./serve-lines.ts";

const STEP_MS = 100;
/** Ends a walk that no call ends. */
const MAX_STEPS = 3_000;

async function walk(until: string, progressToken: string | number | undefined): Promise<void> {
  for (let progress = 1; progress <= MAX_STEPS; progress += 1) {
    const params = { progressToken, progress, total: MAX_STEPS, message: `step ${progress}` };
    send({ method: "notifications/progress", params });
    const isThere = await access(until).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await wait(STEP_MS);
  }
}

await serveLines({
  name: "walking",
  tools: () => [{ name: "walk", description: "walks", inputSchema: { type: "object" } }],
  call: async ({ arguments: args = {}, _meta }) => {
    await walk(String(args["until"]), _meta?.progressToken);
    return textResult("arrived");
  },
});
