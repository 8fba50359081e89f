// Entry point of `npm start` and `npm run dev`: plain JavaScript for Node 20 and later. The launcher is main.ts, on the pinned Node.
import { join } from "node:path";
import { helpText } from "./help-text.mjs";
import { exitWith, prepare, projectRoot } from "./prepare.mjs";
import { runInForeground } from "./process/run-in-foreground.mjs";

const optionNames = new Set(helpText.match(/^ +--[a-z-]+/gmu)?.map((name) => name.trim()));

await exitWith(async () => {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(helpText);
    return 0;
  }
  const unknown = args.find((arg) => arg.startsWith("--") && !optionNames.has(arg.replace(/=.*$/su, "")));
  if (unknown !== undefined) {
    // This runs before anything is installed; main.ts checks the values.
    process.stderr.write(`Unknown option '${unknown}'; npm start -- --help lists the options.\n`);
    return 2;
  }
  const { node } = await prepare("running");
  return runInForeground(node, [join(projectRoot, "launcher", "main.ts"), ...args], {
    stopWithParent: ["start", "dev"].includes(process.env["npm_lifecycle_event"] ?? ""),
  });
});
