import { pino, type Logger as PinoLogger } from "pino";
import pretty from "pino-pretty";

/** A fixed sentence plus a fields object; scope it with `child({ session_id })`. */
export type Logger = PinoLogger;

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_FORMATS = ["json", "pretty"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  readonly format: LogFormat;
}

/** JSON lines for machines or one readable line each for a terminal, on standard output. */
export function createLogger({ service, level, format }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Synchronous, as for people below: a process that exits leaves no line behind, and writes none in another order.
  if (format === "json") return pino(options, pino.destination({ fd: process.stdout.fd, sync: true }));
  // A stream in this process, not a worker thread: a thread costs every service some 20 MB.
  const stream = pretty({
    messageKey: "message",
    ignore: "pid,hostname,service",
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
    sync: true,
  });
  return pino(options, stream);
}
