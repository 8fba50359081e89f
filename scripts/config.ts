import { runTarsy } from "./tarsy/run-tarsy.ts";

// `npm run config -- …` is short for `npm run tarsy -- config …`.
process.exitCode = await runTarsy(["config", ...process.argv.slice(2)]);
