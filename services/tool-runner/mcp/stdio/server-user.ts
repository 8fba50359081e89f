import { TerminalError } from "#shared/errors.ts";
import { envText, type Environment } from "#shared/service/environment.ts";

/** The user and group that the processes of stdio servers run as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const VARIABLE = "MCP_SERVER_USER";
const IDS = /^(?<uid>\d{1,9}):(?<gid>\d{1,9})$/u;

/**
 * Reads `MCP_SERVER_USER`, such as `65534:65534`. Another user can read neither this process's environment nor files that are
 * only for its user. Undefined if it is not set: then the servers run as this process. Throws TerminalError for any other
 * form, and for a process that may not start programs as another user.
 */
export function serverUser(env: Environment, ownUid = process.getuid?.()): ServerUser | undefined {
  const text = envText(env, VARIABLE, "");
  if (text === "") return undefined;
  const { uid, gid } = IDS.exec(text)?.groups ?? {};
  if (uid === undefined || gid === undefined) {
    throw invalid(`must be two numbers such as 65534:65534, a user and a group, found "${text}"`);
  }
  if (ownUid !== 0) {
    throw invalid("needs a tool-runner that runs as root: only root may start programs as another user");
  }
  return { uid: Number(uid), gid: Number(gid) };
}

function invalid(problem: string): TerminalError {
  return new TerminalError("invalid_environment", `environment variable ${VARIABLE} ${problem}`);
}
