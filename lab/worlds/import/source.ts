import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { WORLD_LIMITS, type Truth, type World } from "#shared/worlds/world-format.ts";

/** A clone of a source's repository. */
export interface Clone {
  readonly directory: string;
  readonly commit: string;
  /** Of the commit, in RFC 3339. */
  readonly date: string;
  /**
   * The text of one of its files, without a byte order mark. Throws an Error for a file that a link or a path leads to outside of the clone:
   * what is imported is shown to models.
   */
  readonly read: (file: string) => Promise<string>;
}

/** One case as a world and its truth, which gets the world's hash when it is written. */
export interface ImportedCase {
  readonly world: World;
  readonly truth: Omit<Truth, "world" | "world_hash" | "canary" | "format" | "version">;
  /** How often something was left out or changed, by what it is. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The cases of a clone. */
export interface Cases {
  /** Their paths without what all have in common, sorted. They end the ids of the worlds. */
  readonly names: readonly string[];
  /** Those that have no world, and why. */
  readonly left: Readonly<Record<string, string>>;
  /** Reads one. Throws an error that says what is wrong with it. */
  readonly read: (name: string) => Promise<ImportedCase>;
}

/** A public benchmark that can be imported. */
export interface Source {
  /** Begins the ids of its worlds. */
  readonly name: string;
  readonly title: string;
  readonly repository: string;
  readonly importer: string;
  /** SPDX id; null for none. */
  readonly licence: string | null;
  /** Whose it is and what may be done with it: a line of NOTICE.md. */
  readonly notice: string;
  /** Throws an Error if the directory has no cases. */
  readonly open: (clone: Clone) => Promise<Cases>;
}

/** What all worlds of a source begin with. */
export function headOf(
  source: Source,
  { commit }: Clone,
  of: { readonly name: string; readonly path: string; readonly changes: readonly string[] },
) {
  return {
    format: "tarsy-world",
    version: 1,
    id: `${source.name}/${of.name}`,
    source: {
      name: source.title,
      repository: source.repository,
      commit,
      path: of.path,
      importer: source.importer,
      changes: [...of.changes],
    },
    licence: source.licence,
  } as const satisfies Partial<World>;
}

/** The error that a call without an answer gets, in all imported worlds. */
export const MISS = { text: "This call has no recorded answer in this snapshot." };

/** A JSON value whose numbers are written again as they were: 1.0 stays 1.0. */
export function parseAsWritten(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, { source = "" }) =>
    typeof value === "number" && String(value) !== source ? JSON.rawJSON(source) : value,
  );
}

/** Room for the line that says what is missing. */
const CUT_BYTES = WORLD_LIMITS.textBytes - 100;

/** A text that a world may have. What cannot be stored is replaced, and a text that is too long is cut at the end of a line. */
export function storable(given: string): { readonly text: string; readonly changed: boolean } {
  const { text, changed } = postgresSafeText(given);
  const bytes = Buffer.from(text);
  if (bytes.length <= WORLD_LIMITS.textBytes) return { text, changed };
  const end = bytes.lastIndexOf("\n", CUT_BYTES);
  const kept = bytes.subarray(0, end === -1 ? CUT_BYTES : end).toString("utf8");
  return {
    text: `${kept}\n[${bytes.length - end - 1} more bytes are not in this snapshot]\n`,
    changed: true,
  };
}
