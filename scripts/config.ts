import { startTarsy } from "./tarsy/start-tarsy.ts";

// `npm run config -- …` is short for `npm run tarsy -- config …`.
await startTarsy(["config", ...process.argv.slice(2)]);
