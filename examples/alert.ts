import { runTarsy } from "../scripts/tarsy/run-tarsy.ts";

// `npm run alert -- …` is short for `npm run tarsy -- alert …`.
process.exitCode = await runTarsy(["alert", ...process.argv.slice(2)]);
