// Plain JavaScript: runs before the pinned Node is there.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The part of a lock file's entry that matters here.
 *
 * @typedef {{ readonly version: unknown, readonly isOptional: boolean, readonly isLink: boolean }} LockEntry
 */

/**
 * @param {string} path
 * @returns {Map<string, LockEntry>} by folder
 */
function readEntries(path) {
  /** @type {unknown} */
  const lock = JSON.parse(readFileSync(path, "utf8"));
  if (typeof lock !== "object" || lock === null || !("packages" in lock)) return new Map();
  /** @type {[string, unknown][]} */
  const packages = Object.entries(lock.packages ?? {});
  return new Map(
    packages.map(([folder, entry]) => {
      /** @type {Map<string, unknown>} */
      const fields = new Map(Object.entries(entry ?? {}));
      const isOptional = fields.get("optional") === true || fields.get("devOptional") === true;
      return [folder, { version: fields.get("version"), isOptional, isLink: fields.get("link") === true }];
    }),
  );
}

/**
 * @param {string} root
 * @returns {string}
 */
function stampPath(root) {
  return join(root, "node_modules", ".tarsy-stamp");
}

/**
 * @param {string} root
 * @returns {string}
 */
function lockHash(root) {
  const text = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(text).update(`${process.platform}-${process.arch}`).digest("hex");
}

/**
 * Whether npm's own record of what it installed has every version that package-lock.json wants. Optional ones
 * are those of other platforms, mostly, and one that could not be installed now will not be in a second try.
 *
 * @param {string} root
 * @returns {boolean}
 */
function recordMatches(root) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = readEntries(record);
  return [...readEntries(join(root, "package-lock.json"))].every(([folder, wanted]) => {
    const found = installed.get(folder);
    if (folder === "" || wanted.isLink) return true;
    if (found === undefined) return wanted.isOptional;
    return found.version === wanted.version;
  });
}

/**
 * Notes that what is in node_modules is what package-lock.json wants.
 *
 * @param {string} root the folder of package-lock.json
 */
export function stampInstalled(root) {
  writeFileSync(stampPath(root), lockHash(root));
}

/**
 * Whether node_modules holds what package-lock.json wants: by our stamp, else by npm's own record (somebody ran
 * npm himself), which then gets the stamp.
 *
 * @param {string} root the folder of package-lock.json
 * @returns {boolean}
 */
export function isInstalled(root) {
  const stamp = stampPath(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash(root)) return true;
  if (!recordMatches(root)) return false;
  stampInstalled(root);
  return true;
}
