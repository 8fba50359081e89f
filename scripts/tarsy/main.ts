import { startTarsy } from "./start-tarsy.ts";

// `npm run tarsy -- …`
await startTarsy(process.argv.slice(2));
