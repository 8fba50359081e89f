import { join } from "node:path";

/** The checkout; in the image, the directory of the bundles. */
export const PROJECT_ROOT = join(import.meta.dirname, "..", "..");
