import { Writable } from "node:stream";
import { pino, type Logger as PinoLogger } from "pino";

import { escapeControls, visibleControls } from "#shared/visible-controls.ts";

/** Log lines are a fixed message plus fields; `child({ session_id })` adds fields to every line. */
export type Logger = PinoLogger;

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_FORMATS = ["json", "pretty"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Replaces the secrets in a line. */
  readonly mask?: ((line: string) => string) | undefined;
  /** Fields of each line, asked for when it is written. */
  readonly fields?: (() => object) | undefined;
}

const unchanged = (line: string) => line;

/** Logs to standard output: JSON lines, or readable lines for a terminal. */
export async function createLogger({
  service,
  level,
  format,
  mask = unchanged,
  fields,
}: LoggerOptions): Promise<Logger> {
  const options = {
    level,
    base: { service },
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    ...(fields === undefined ? {} : { mixin: fields }),
  };
  // Synchronous, like the stream below: an exiting process loses no line, and lines keep their order.
  const output = pino.destination({ fd: process.stdout.fd, sync: true });
  if (format === "json") {
    return pino(options, { write: (line) => void output.write(escapeControls(mask(line))) });
  }
  const pretty = (await import("pino-pretty")).default;
  // A stream in this process, not a worker thread: a thread costs about 20 MB per service.
  const stream = pretty({
    messageKey: "message",
    ignore: "pid,hostname,service",
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
    sync: true,
    destination: new Writable({
      write: (line: Buffer, _encoding, done) => {
        output.write(visibleControls(mask(line.toString("utf8"))));
        done();
      },
    }),
  });
  return pino(options, stream);
}
