import { runTarsy } from "./run-tarsy.ts";

// `npm run tarsy -- …`
process.exitCode = await runTarsy(process.argv.slice(2));
