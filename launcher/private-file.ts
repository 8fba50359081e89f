import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";

/** Creates a directory that only its owner may enter, or takes everyone else's rights to an existing one away. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/** Writes a file that only its owner may read. An existing one is replaced whole. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, "", { mode: 0o600 });
  // The draft of a killed process may have another mode.
  chmodSync(draft, 0o600);
  writeFileSync(draft, text);
  renameSync(draft, path);
}
