import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ProviderCall } from "../providers/provider.ts";
import { ExchangeRecord, encodePiece, type RecordedExchange } from "./exchange-record.ts";
import { recordingCodec, type ProviderRecording } from "./recording.ts";
import type { BeginRecord } from "./recording-scope.ts";
import { findSecret, redactHeaders, redactText, redactUrl } from "./redact-exchange.ts";

export interface RecorderSettings {
  readonly dir: string;
  /** Files to keep; the oldest are removed. */
  readonly maxFiles: number;
  /** The limit of each body in a recording. */
  readonly maxBytes: number;
}

interface RecorderOptions extends RecorderSettings {
  /** Values that must never be stored. */
  readonly secrets: readonly string[];
  readonly log: Logger;
}

/** Exchanges that are recorded or written at a time; the memory they take is this many times two bodies. */
const MAX_RUNNING = 16;
const NAME = /^\d{8}T\d{9}Z-[\da-f]{8}\.json$/u;

interface Recorder extends AsyncDisposable {
  readonly begin: BeginRecord;
}

/**
 * Opens the recorder of exchanges with providers. It collects an exchange in memory and writes it after its end, so a call
 * neither waits for it nor fails by it; an error of the directory is logged once until a file is written again. Exchanges
 * over the limit of running ones are not recorded. Disposing waits for files being written.
 */
export function openRecorder(options: RecorderOptions): Recorder {
  const { maxBytes, log } = options;
  let running = 0;
  let isBroken = false;
  let writes: Promise<void> = Promise.resolve();
  const save = async (exchange: RecordedExchange, call: ProviderCall) => {
    try {
      await keep(exchange, call, options);
      isBroken = false;
    } catch (error) {
      if (!isBroken) {
        log.warn({ error: errorMessage(error) }, "recordings cannot be written; calls go on without");
      }
      isBroken = true;
    } finally {
      running -= 1;
    }
  };
  return {
    begin: (request, call) => {
      if (running >= MAX_RUNNING) return undefined;
      running += 1;
      return new ExchangeRecord(request, maxBytes, (exchange) => {
        writes = writes.then(() => save(exchange, call));
      });
    },
    [Symbol.asyncDispose]: () => writes,
  };
}

async function keep(exchange: RecordedExchange, call: ProviderCall, options: RecorderOptions): Promise<void> {
  const { secrets, log } = options;
  const recording = toRecording(exchange, call, secrets);
  const found = findInRecording(recording, exchange, secrets);
  if (found !== undefined) {
    log.warn({ provider: call.config.name }, `a recording held ${found} and was not kept`);
    return;
  }
  await openDirectory(options.dir);
  const time = exchange.at.toISOString().replaceAll(/[-:.]/gu, "");
  const name = join(options.dir, `${time}-${randomUUID().slice(0, 8)}.json`);
  const unfinished = `${name}.part`;
  try {
    await writeFile(unfinished, recordingCodec.encode(recording), { mode: 0o600, flag: "wx" });
    await rename(unfinished, name);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await removeOldest(options);
}

function toRecording(
  exchange: RecordedExchange,
  call: ProviderCall,
  secrets: readonly string[],
): ProviderRecording {
  const { request, response, at, ended, ended_at_ms, error, truncated } = exchange;
  const { config } = call;
  return {
    v: 1,
    recorded_at: at.toISOString(),
    provider: config.name,
    type: config.provider,
    model: config.model,
    session_id: call.request.sessionId,
    execution_id: call.request.executionId,
    request: {
      method: request.method,
      url: redactUrl(request.url),
      headers: redactHeaders(request.headers),
      body: redactText(request.body, secrets),
    },
    ...(response === undefined
      ? {}
      : {
          response: {
            at_ms: response.at_ms,
            status: response.status,
            headers: redactHeaders(response.headers),
            pieces: response.pieces.map(({ at_ms, bytes }) => ({ at_ms, ...encodePiece(bytes) })),
          },
        }),
    ended,
    ended_at_ms,
    ...(error === undefined ? {} : { error: redactText(error, secrets) }),
    truncated,
  };
}

/** The answer is stored as it came, so it is not redacted: a recording in which something is found must not be kept. */
function findInRecording(
  recording: ProviderRecording,
  { response }: RecordedExchange,
  secrets: readonly string[],
): string | undefined {
  const encoding = recording.response?.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") return "a compressed answer, which cannot be searched for credentials,";
  const answer = Buffer.concat((response?.pieces ?? []).map(({ bytes }) => bytes)).toString("utf8");
  const { response: _pieces, ...rest } = recording;
  const text = [JSON.stringify(rest), JSON.stringify(recording.response?.headers ?? {}), answer].join("\n");
  return findSecret(text, secrets);
}

/** Makes the directory; throws if others than its owner may read one that is there. */
async function openDirectory(dir: string): Promise<void> {
  const made = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (made !== undefined) await chmod(dir, 0o700);
  const { mode } = await stat(dir);
  if ((mode & 0o077) !== 0) {
    throw new Error(`LLM_RECORDINGS_DIR must be accessible to its owner alone: chmod 700 ${dir}`);
  }
}

async function removeOldest({ dir, maxFiles }: RecorderSettings): Promise<void> {
  const names = (await readdir(dir)).filter((name) => NAME.test(name)).toSorted();
  for (const name of names.slice(0, Math.max(0, names.length - maxFiles))) {
    await rm(join(dir, name), { force: true });
  }
}
