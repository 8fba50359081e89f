import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Reads `+ <group>` and `- <group>` from its standard input and acknowledges each `+`. Its input ends when the runner
 * ends, however that happens; then it kills every group that is left.
 */
const WATCHER = `trap '' TERM INT HUP
groups=' '
while read -r op group; do
  case $op in
    +) groups="$groups$group "; echo "$group" ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done`;

/** The process groups of this runner's stdio servers: none of them survives the runner, not even its SIGKILL. */
export class ProcessGroups implements AsyncDisposable {
  #watcher: ChildProcess | undefined;
  readonly #groups = new Set<number>();
  readonly #waiting = new Map<number, () => void>();

  get size(): number {
    return this.#groups.size;
  }

  /** Resolves once the group is watched. Rejects if no watcher can be started. */
  async add(group: number): Promise<void> {
    const acknowledged = Promise.withResolvers<void>();
    const watcher = this.#start();
    const failed = (error?: unknown) =>
      acknowledged.reject(new Error("the watcher of the servers' processes ended", { cause: error }));
    watcher.once("error", failed);
    watcher.once("exit", failed);
    this.#waiting.set(group, acknowledged.resolve);
    this.#groups.add(group);
    watcher.stdin?.write(`+ ${group}\n`);
    try {
      await acknowledged.promise;
    } catch (error) {
      this.#groups.delete(group);
      throw error;
    } finally {
      this.#waiting.delete(group);
      watcher.off("error", failed);
      watcher.off("exit", failed);
    }
  }

  /** Kills what is left of a group and forgets it. */
  remove(group: number): void {
    signalGroup(group, "SIGKILL");
    if (this.#groups.delete(group)) this.#watcher?.stdin?.write(`- ${group}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const group of this.#groups) this.remove(group);
    const watcher = this.#watcher;
    if (watcher === undefined || watcher.exitCode !== null) return;
    const ended = Promise.withResolvers<void>();
    watcher.once("exit", () => ended.resolve());
    watcher.stdin?.end();
    await ended.promise;
  }

  #start(): ChildProcess {
    const running = this.#watcher;
    if (running !== undefined) return running;
    // A group of its own: a signal to the runner's group must not end it first.
    const watcher = spawn("/bin/sh", ["-c", WATCHER], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
    const forget = () => {
      if (this.#watcher === watcher) this.#watcher = undefined;
    };
    watcher.on("error", forget);
    watcher.on("exit", forget);
    watcher.stdin.on("error", () => undefined); // `exit` reports it
    createInterface({ input: watcher.stdout }).on("line", (line) => this.#waiting.get(Number(line))?.());
    for (const group of this.#groups) watcher.stdin.write(`+ ${group}\n`);
    this.#watcher = watcher;
    return watcher;
  }
}

/** Signals a process group; one that is gone is no error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) {
      throw error;
    }
  }
}
