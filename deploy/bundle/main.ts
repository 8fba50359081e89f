import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildPage } from "../../services/web/build-page.ts";
import { bundleServices } from "./bundle-services.ts";
import { collectLicences } from "./collect-licences.ts";

// Usage: node deploy/bundle/main.ts DIRECTORY
const root = join(import.meta.dirname, "../..");
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("name the directory for the bundles");
const bundles = await bundleServices(root, resolve(directory));
const page = await buildPage(join(resolve(directory), "services", "web", "dist"));
await writeFile(join(resolve(directory), "LICENSES.txt"), await collectLicences(root, [...bundles, ...page]));
