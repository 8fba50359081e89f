import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundleTypebox, TYPEBOX_FILE, TYPEBOX_TYPES } from "./bundle-typebox.ts";

// Part of `npm run generate`.
const root = join(import.meta.dirname, "..");
const file = join(root, TYPEBOX_FILE);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, await bundleTypebox(root));
await writeFile(join(root, TYPEBOX_TYPES.file), TYPEBOX_TYPES.text);
