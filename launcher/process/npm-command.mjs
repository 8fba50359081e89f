// Plain JavaScript for Node 20: runs before the pinned Node is installed.

/**
 * The command of npm: as the npm that runs this process, else as the one on PATH.
 *
 * @returns {readonly [string, ...string[]]} a program and its first arguments
 */
export function npmCommand() {
  const script = process.env["npm_execpath"];
  const isNpm = script !== undefined && /npm-cli\.c?js$/.test(script);
  return isNpm ? [process.execPath, script] : ["npm"];
}
