import { join } from "node:path";

/** Absolute paths below the directory of package.json. */
export type ProjectPaths = {
  readonly root: string;
  /** Downloaded programs; `--reset` keeps them. */
  readonly tools: string;
  /** Programs of MCP servers, with links to them in `bin`; `--reset` keeps them. */
  readonly packs: string;
  /** The configuration in force, where a start writes one. */
  readonly config: string;
  /** Node's compile cache; Node ignores stale entries. */
  readonly compileCache: string;
  /** The services as a start runs them; those of other sources are removed. */
  readonly bundles: string;
  /** Data directories of Postgres that replays and tests copy; those of an older schema are removed. */
  readonly clusters: string;
  /** Deleted by `--reset`. */
  readonly data: string;
  readonly postgres: string;
  readonly nats: string;
  /** The people that `--private` lets in, or who may decide about tool calls; and the same as a header for curl. */
  readonly token: string;
  readonly header: string;
  /** The database's address for its owner, while TARSy runs: for `npm run tarsy`. */
  readonly databaseUrl: string;
  /** The lock of the launcher that runs in this checkout. */
  readonly lock: string;
  /** The services that were started, for the cleanup after a killed launcher. */
  readonly runRecord: string;
};

/** The paths of a checkout at `root`. */
export function projectPaths(root: string): ProjectPaths {
  const state = join(root, ".tarsy");
  const data = join(state, "data");
  return {
    root,
    tools: join(state, "tools"),
    packs: join(state, "packs"),
    config: join(state, "config"),
    compileCache: join(state, "compile-cache"),
    bundles: join(state, "bundles", "start"),
    clusters: join(state, "clusters"),
    data,
    postgres: join(data, "postgres"),
    nats: join(data, "nats"),
    token: join(state, "token"),
    header: join(state, "header"),
    databaseUrl: join(state, "database-url"),
    lock: join(state, "launcher.lock"),
    runRecord: join(state, "services.json"),
  };
}
