// Plain JavaScript for Node 20: runs before the pinned Node is installed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The set of packages: `running` are those that TARSy runs with, `all` also those of tests, checks and benchmarks.
 *
 * @typedef {"running" | "all"} PackageSet
 */

/**
 * The set that has been installed; `extending` while npm adds what `running` lacks of `all`, and after it was killed at that.
 *
 * @typedef {PackageSet | "extending"} InstalledSet
 */

/**
 * The fields of a lock file's entry that are compared.
 *
 * @typedef {{ readonly version: unknown, readonly isDev: boolean, readonly isOptional: boolean, readonly isLink: boolean }} LockEntry
 */

/** @type {readonly InstalledSet[]} */
const SETS = ["running", "all", "extending"];

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
      const isLink = fields.get("link") === true;
      return [
        folder,
        { version: fields.get("version"), isDev: fields.get("dev") === true, isOptional, isLink },
      ];
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
 * The packages of package-lock.json that are in a set.
 *
 * @param {string} root
 * @param {PackageSet} set
 * @returns {[string, LockEntry][]} by folder
 */
function wantedEntries(root, set) {
  return [...readEntries(join(root, "package-lock.json"))].filter(
    ([folder, { isLink, isDev }]) => folder !== "" && !isLink && (set === "all" || !isDev),
  );
}

/**
 * True if npm's record of installed packages contains every version in package-lock.json. Optional packages may be missing:
 * most are for other platforms, and a second installation would fail like the first.
 *
 * @param {string} root
 * @param {PackageSet} set
 * @returns {boolean}
 */
function recordMatches(root, set) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = readEntries(record);
  return wantedEntries(root, set).every(([folder, wanted]) => {
    const found = installed.get(folder);
    return found === undefined ? wanted.isOptional : found.version === wanted.version;
  });
}

/**
 * The content of the last stamp.
 *
 * @param {string} root
 * @returns {{ readonly set: InstalledSet, readonly isCurrent: boolean } | undefined} undefined without a stamp
 */
function readStamp(root) {
  const path = stampPath(root);
  if (!existsSync(path)) return undefined;
  const [hash, name] = readFileSync(path, "utf8").split(" ");
  const set = SETS.find((one) => one === name);
  return set === undefined ? undefined : { set, isCurrent: hash === lockHash(root) };
}

/**
 * Records which packages of package-lock.json are in node_modules.
 *
 * @param {string} root the directory of package-lock.json
 * @param {InstalledSet} set
 */
export function stampInstalled(root, set) {
  writeFileSync(stampPath(root), `${lockHash(root)} ${set}`);
}

/**
 * True if the packages of package-lock.json are in node_modules, according to the stamp, or else to npm's record after a manual
 * npm run; then the stamp is written.
 *
 * @param {string} root the directory of package-lock.json
 * @param {PackageSet} set
 * @returns {boolean}
 */
export function isInstalled(root, set) {
  const stamp = readStamp(root);
  if (stamp?.isCurrent === true && (set === "running" || stamp.set === "all")) return true;
  /** @type {readonly PackageSet[]} */
  const sets = ["all", "running"];
  const recorded = sets.find((one) => recordMatches(root, one));
  if (recorded === undefined || (set === "all" && recorded !== "all")) return false;
  stampInstalled(root, recorded);
  return true;
}

/**
 * The way to install a set: `extend` adds to the running packages those of development, and removes nothing; `replace` installs anew.
 * A checkout that once had all packages keeps having them.
 *
 * @param {string} root the directory of package-lock.json
 * @param {PackageSet} set one that is not installed
 * @returns {{ readonly set: PackageSet, readonly way: "extend" | "replace" }}
 */
export function planInstallation(root, set) {
  const stamp = readStamp(root);
  if (stamp?.isCurrent === true && stamp.set === "running") return { set, way: "extend" };
  return { set: stamp === undefined || stamp.set === "running" ? set : "all", way: "replace" };
}

/**
 * Removes from the packages what running does not read, a quarter of their size: source maps, and the headers of Node for addons.
 *
 * @param {string} root the directory of package-lock.json
 */
export function removeUnread(root) {
  const modules = join(root, "node_modules");
  for (const path of readdirSync(modules, { encoding: "utf8", recursive: true })) {
    if (path.endsWith(".map") || /^node-[^/]+\/include$/u.test(path)) {
      rmSync(join(modules, path), { recursive: true, force: true });
    }
  }
}

/**
 * Counts the packages of a set that npm has unpacked, without the optional ones, while it installs them.
 *
 * @param {string} root the directory of package-lock.json
 * @param {PackageSet} set
 * @returns {{ readonly installed: number, readonly all: number }}
 */
export function countInstalled(root, set) {
  const wanted = wantedEntries(root, set)
    .filter(([, { isOptional }]) => !isOptional)
    .map(([folder]) => join(root, folder, "package.json"));
  return { installed: wanted.filter((path) => existsSync(path)).length, all: wanted.length };
}
