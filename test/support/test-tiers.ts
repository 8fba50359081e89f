import { readFileSync } from "node:fs";
import { dirname, join, matchesGlob, relative } from "node:path";

/** What a test file needs: nothing outside its process, servers, or whole services as processes. */
export const TIERS = ["unit", "service", "system"] as const;
type Tier = (typeof TIERS)[number];

/** The files that start what makes a test file one of this tier if it imports them, also indirectly. */
const STARTS: readonly (readonly [Tier, string])[] = [
  ["system", "test/support/spawn-service.ts"],
  ["service", "launcher/postgres/start-postgres.ts"],
  ["service", "launcher/nats/start-nats.ts"],
];
/** Test files that start other processes. */
const SYSTEM_FILES = "{launcher,deploy,examples,lab,scripts,test/docs,test/support}/**";
const TYPE_IMPORT = /^(?:import|export) type [^;]*;/gmu;
const IMPORT = /(?:from|import)\s*\(?\s*"((?:\.{1,2}|#shared)\/[^"]+)"/gu;

/** Sorts test files, whose paths start at `root`, by tier. */
export class TestTiers {
  readonly #root: string;
  readonly #reached = new Map<string, ReadonlySet<string>>();

  constructor(root: string) {
    this.#root = root;
  }

  tierOf(path: string): Tier {
    if (matchesGlob(path, SYSTEM_FILES)) return "system";
    const reached = this.#reachedFrom(path);
    return STARTS.find(([, file]) => reached.has(file))?.[0] ?? "unit";
  }

  /** The file and all that it imports. */
  #reachedFrom(path: string): ReadonlySet<string> {
    const seen = new Set([path]);
    for (const file of seen) for (const next of this.#importsOf(file)) seen.add(next);
    return seen;
  }

  #importsOf(path: string): ReadonlySet<string> {
    const known = this.#reached.get(path);
    if (known !== undefined) return known;
    const text = path.endsWith(".ts")
      ? readFileSync(join(this.#root, path), "utf8").replaceAll(TYPE_IMPORT, "")
      : "";
    const imports = new Set([...text.matchAll(IMPORT)].map(([, target = ""]) => this.#resolve(path, target)));
    this.#reached.set(path, imports);
    return imports;
  }

  #resolve(path: string, target: string): string {
    if (target.startsWith("#shared/")) return target.replace("#shared/", "shared/");
    return relative(this.#root, join(this.#root, dirname(path), target));
  }
}
