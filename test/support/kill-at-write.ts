// Loaded before a program: kills it at its write number KILL_AT below the directory KILL_BELOW. Of a file, half of the text is written; of
// a directory that is removed, the first entry is gone.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { KILL_AT: at = "", KILL_BELOW: below = "" } = process.env;
const WRITES = [
  "chmodSync",
  "copyFileSync",
  "linkSync",
  "mkdirSync",
  "renameSync",
  "rmSync",
  "symlinkSync",
  "writeFileSync",
] as const;

let count = 0;
for (const name of WRITES) {
  const write = fs[name];
  const real = (...args: readonly unknown[]): unknown => {
    const result: unknown = Reflect.apply(write, fs, args);
    return result;
  };
  Reflect.set(fs, name, (...args: readonly unknown[]): unknown => {
    const isBelow = args.slice(0, 2).some((path) => typeof path === "string" && path.startsWith(below));
    if (isBelow && (count += 1) === Number(at)) {
      const [path, text] = args;
      if (name === "writeFileSync" && typeof text === "string") {
        real(path, text.slice(0, text.length / 2));
      }
      if (
        name === "rmSync" &&
        typeof path === "string" &&
        fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ) {
        const [first = ""] = fs.readdirSync(path).toSorted();
        real(`${path}/${first}`, { recursive: true });
      }
      process.kill(process.pid, "SIGKILL");
    }
    return real(...args);
  });
}
syncBuiltinESMExports();
