import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "../../../launcher/free-port.ts";
import type { BackingServers } from "../../../test/support/backing-servers.ts";
import { until } from "../../../test/support/until.ts";
import { untilExited } from "../support/until-exited.ts";

const HOST = "127.0.0.1";
const NOTIFIER = join(import.meta.dirname, "../../../services/notifier/main.ts");

/** A WebSocket server in a separate process. */
export interface WsProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Makes `plain-ws-server.ts` send a text to all clients. */
  send(text: string): void;
}

/** Starts the notifier as `npm start` does. */
export async function startNotifierProcess(servers: BackingServers): Promise<WsProcess> {
  const [port, healthPort] = [await freePort(HOST), await freePort(HOST)];
  const child = spawn(process.execPath, [NOTIFIER], {
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: servers.postgres.serviceUrls.notifier,
      ...servers.natsEnvironment("notifier"),
      NOTIFIER_PORT: String(port),
      NOTIFIER_HEALTH_PORT: String(healthPort),
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await until("the notifier is ready", async () => (await fetch(`http://${HOST}:${healthPort}/readyz`)).ok);
  return describe(child, port);
}

/** Starts a program of this directory, which sends its port as its first message. */
export async function startRelay(program: string, ...args: readonly string[]): Promise<WsProcess> {
  const child = fork(join(import.meta.dirname, program), [...args], { execArgv: [] });
  const message: readonly unknown[] = await once(child, "message");
  return describe(child, Number(message[0]));
}

function describe(child: ChildProcess, port: number): WsProcess {
  return {
    port,
    pid: child.pid ?? 0,
    send: (text) => void child.send(text),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await untilExited(child);
    },
  };
}
