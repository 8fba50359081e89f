// Entry point of `npm start` and `npm run dev`: plain JavaScript for Node 20 and later. The launcher is main.ts, on the pinned Node.
import { join } from "node:path";
import { helpText } from "./help-text.mjs";
import { exitWith, prepare, projectRoot } from "./prepare.mjs";
import { runInForeground } from "./process/run-in-foreground.mjs";

await exitWith(async () => {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(helpText);
    return 0;
  }
  const { node } = await prepare();
  return runInForeground(node, [join(projectRoot, "launcher", "main.ts"), ...args], {
    stopWithParent: ["start", "dev"].includes(process.env["npm_lifecycle_event"] ?? ""),
  });
});
