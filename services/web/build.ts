import { join } from "node:path";
import { buildPage } from "./build-page.ts";

// Bundles the page into services/web/dist, from where the api serves it.
await buildPage(join(import.meta.dirname, "dist"));
