import { globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, relative } from "node:path";
import { ROOMS, type Room } from "./rooms.ts";

/** `node test/support/check-imports.ts`, part of `npm run check`: fails for each import that the table of rooms does not allow. */

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = "{services,shared,launcher,scripts,lab}/**/*.{ts,tsx}";
const LEFT_OUT = [
  "**/node_modules/**",
  "**/test/**",
  "**/*.d.ts",
  "services/web/dist*/**",
  "shared/generated/**",
];
/** The path of each import and export, and of imports at run time. */
const IMPORT = /^(?:import|export)\s(type\s)?(?:[^;"']*?from\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gmu;

interface Import {
  readonly from: string;
  /** A path below the root, or a package. */
  readonly to: string;
  readonly isType: boolean;
}

function importsOf(file: string): readonly Import[] {
  return [...readFileSync(join(ROOT, file), "utf8").matchAll(IMPORT)].map(([, type, name, atRunTime]) => ({
    from: file,
    to: resolve(file, name ?? atRunTime ?? ""),
    isType: type !== undefined,
  }));
}

function resolve(file: string, name: string): string {
  if (name.startsWith("#shared/")) return name.slice(1);
  return name.startsWith(".") ? join(dirname(file), name) : name;
}

/** The room with the longest path. */
function roomOf(path: string): Room | undefined {
  return ROOMS.filter(({ room }) => path.startsWith(`${room}/`)).toSorted(
    (one, other) => other.room.length - one.room.length,
  )[0];
}

function isAllowed({ from, to, isType }: Import): boolean {
  const room = roomOf(from);
  if (room === undefined || to.startsWith(`${room.room}/`)) return true;
  const isOurs = to.includes("/") && roomOf(to) !== undefined;
  if (!isOurs) return !(room.packages ?? []).some((name) => to === name);
  const matches = (glob: string) => to.startsWith(`${glob}/`) || matchesGlob(to, glob);
  if (room.may.some(matches) || (isType && (room.types ?? []).some(matches))) return true;
  return (room.except ?? []).some(([one, other]) => from === one && to === other);
}

/** The imports that are not allowed, as "from imports to". */
function forbiddenImports(): readonly string[] {
  return globSync(SOURCES, { cwd: ROOT, exclude: LEFT_OUT })
    .flatMap((file) => importsOf(relative("", file)))
    .filter((one) => !isAllowed(one))
    .map(({ from, to, isType }) => `${from} imports ${isType ? "a type of " : ""}${to}`);
}

const forbidden = forbiddenImports();
for (const line of forbidden) process.stderr.write(`${line}, which test/support/rooms.ts does not allow\n`);
process.exitCode = forbidden.length === 0 ? 0 : 1;
