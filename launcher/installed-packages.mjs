// Plain JavaScript for Node 20: runs before the pinned Node is installed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The fields of a lock file's entry that are compared.
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
 * Whether npm's record of installed packages contains every version in package-lock.json. Optional packages may be missing:
 * most are for other platforms, and a second installation would fail like the first.
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
 * Records that node_modules matches package-lock.json.
 *
 * @param {string} root the directory of package-lock.json
 */
export function stampInstalled(root) {
  writeFileSync(stampPath(root), lockHash(root));
}

/**
 * Whether node_modules matches package-lock.json, according to the stamp, or else to npm's record after a manual npm run;
 * then the stamp is written.
 *
 * @param {string} root the directory of package-lock.json
 * @returns {boolean}
 */
export function isInstalled(root) {
  const stamp = stampPath(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash(root)) return true;
  if (!recordMatches(root)) return false;
  stampInstalled(root);
  return true;
}

/**
 * How many packages of package-lock.json have been unpacked, without those that are optional, while npm installs them.
 *
 * @param {string} root the directory of package-lock.json
 * @returns {{ readonly installed: number, readonly all: number }}
 */
export function countInstalled(root) {
  const wanted = [...readEntries(join(root, "package-lock.json"))]
    .filter(([folder, entry]) => folder !== "" && !entry.isLink && !entry.isOptional)
    .map(([folder]) => join(root, folder, "package.json"));
  return { installed: wanted.filter((path) => existsSync(path)).length, all: wanted.length };
}
