import { pino } from "pino";
import { readAccessConfig } from "#shared/access/access-config.ts";
import { DEFAULT_LIMITS, type NotifierLimits } from "../../services/notifier/limits.ts";
import { runNotifier } from "../../services/notifier/run-notifier.ts";

interface NotifierOptions {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly limits?: Partial<NotifierLimits>;
  /** Settings of the door, such as AUTH_MODE. */
  readonly access?: Readonly<Record<string, string>>;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

export interface RunningNotifier extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly healthUrl: string;
  readonly stop: () => Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts a notifier within this process, on free ports. A test may start several. */
export async function startNotifier(options: NotifierOptions): Promise<RunningNotifier> {
  const resources = new AsyncDisposableStack();
  const { port, healthPort } = await runNotifier({
    config: {
      log: { level: "silent", format: "json" },
      health: { host: HOST, port: 0 },
      knownSecrets: [],
      databaseUrl: options.databaseUrl,
      natsUrl: options.natsUrl,
      clients: { host: HOST, port: 0 },
      access: readAccessConfig(options.access ?? {}),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
    },
    log: pino({ level: "silent" }),
    signal: options.signal,
    resources,
  });
  const stop = async () => resources.disposeAsync();
  return {
    port,
    url: `ws://${HOST}:${port}/ws`,
    healthUrl: `http://${HOST}:${healthPort}`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
