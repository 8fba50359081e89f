import { join } from "node:path";

/** Where things are, below the folder of package.json. */
export type ProjectPaths = {
  readonly root: string;
  /** Programs that were fetched; `--reset` keeps them. */
  readonly tools: string;
  /** Node's cache of compiled code; stale entries are ignored by Node itself. */
  readonly compileCache: string;
  /** What `--reset` forgets. */
  readonly data: string;
  readonly postgres: string;
  readonly nats: string;
  /** Held by the one launcher that runs here. */
  readonly lock: string;
  /** Who was started, for the one who cleans up behind a killed launcher. */
  readonly runRecord: string;
};

/** The paths of a checkout at `root`. */
export function projectPaths(root: string): ProjectPaths {
  const state = join(root, ".tarsy");
  const data = join(state, "data");
  return {
    root,
    tools: join(state, "tools"),
    compileCache: join(state, "compile-cache"),
    data,
    postgres: join(data, "postgres"),
    nats: join(data, "nats"),
    lock: join(state, "launcher.lock"),
    runRecord: join(state, "services.json"),
  };
}
