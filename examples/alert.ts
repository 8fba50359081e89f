import { startTarsy } from "../scripts/tarsy/start-tarsy.ts";

// `npm run alert -- …` is short for `npm run tarsy -- alert …`.
await startTarsy(["alert", ...process.argv.slice(2)]);
